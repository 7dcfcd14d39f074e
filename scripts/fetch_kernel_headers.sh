#!/usr/bin/env bash
# Puts the header libraries that CUDA kernels are built from into .cache/kernel_headers. Offline when
# they are there. They come out of PyPI packages, pinned by version and hash; nothing of those runs.
# A package that has a wheel for each Python gives the same headers in all of them: 3.11's is taken.
set -euo pipefail
cd "$(dirname "$0")/.."

# fetch NAME REQUIREMENT FOLDER INSIDE… unpacks what lies at FOLDER/INSIDE of a package, FOLDER as
# NAME.
fetch() {
  local name=$1 requirement=$2 folder=$3
  local target=.cache/kernel_headers/$name
  cmp -s <(echo "$requirement") "$target/made_from.txt" && return
  echo "fetching the headers of $name"
  mkdir -p "$(dirname "$target")"
  unpacked=$(mktemp -d .cache/kernel_headers/.fetch.XXXXXX)
  trap 'rm -rf "$unpacked"' EXIT
  echo "$requirement" >"$unpacked/made_from.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 \
    --require-hashes --requirement "$unpacked/made_from.txt" --dest "$unpacked"
  unzip -q "$unpacked"/*.whl "${@:4}" '*.dist-info/licenses/*' -d "$unpacked"
  mv "$unpacked/made_from.txt" "$unpacked"/*.dist-info/licenses "$unpacked/$folder"
  chmod -R go+rX "$unpacked/$folder"
  rm -rf "$target"
  mv -T "$unpacked/$folder" "$target"
  rm -rf "$unpacked"
}

fetch flashinfer \
  'flashinfer-python==0.6.11.post2 --hash=sha256:550cbdb760f9f7ec0e42055e06636b9489d05f1a38989cafd77e6eb820de0138' \
  flashinfer/data \
  'flashinfer/data/include/*' 'flashinfer/data/cutlass/include/*' \
  'flashinfer/data/cutlass/tools/util/include/*' 'flashinfer/data/cccl/cub/*' \
  'flashinfer/data/cccl/thrust/*' 'flashinfer/data/cccl/libcudacxx/include/*'

# It includes itself as ../include.
fetch cudnn_frontend/include \
  'nvidia-cudnn-frontend==1.32.0 --hash=sha256:c6006556017a4d1c914c52a556c71b1267f2d6a0500f742e7b4edef539878df0' \
  include 'include/*'
