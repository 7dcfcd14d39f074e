#!/usr/bin/env bash
# Builds libparterre_fa4.so, FlashAttention 4 for Hopper GPUs as a plug-in, into FOLDER (default: where
# make CUDA=1 puts the program, which looks for it beside itself). Needs no GPU, but pip, about 100 MB
# of packages from PyPI (kept, 350 MB, in .cache/fa4), g++ and the CUDA 13 toolkit's headers. Run it on
# the machine that uses it, and do not pass the result on: part of it is NVIDIA's and may not be
# redistributed (docs/decisions/015-flashattention-4-as-a-plug-in.md).
# PYTHON=FILE is the interpreter, CUDA_HOME=FOLDER the toolkit.
# usage: scripts/build_fa4.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-build/gpu-release/bin}
python=${PYTHON:-python3}
cuda=${CUDA_HOME:-/usr/local/cuda}
requirements=plugins/fa4/requirements.txt
packages=.cache/fa4/packages
exports=.cache/fa4/exports

fail() {
  echo "build_fa4.sh: $1" >&2
  exit 1
}

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[[ $version == 3.1[123] && $(uname -m) == x86_64 ]] ||
  fail "needs Python 3.11 to 3.13 on x86-64, not $version on $(uname -m); PYTHON=FILE chooses one"
[[ -f $cuda/include/cuda_runtime.h && -f $cuda/lib64/libcudart_static.a ]] ||
  fail "there is no CUDA toolkit in $cuda; CUDA_HOME=FOLDER names it"

made_from="$version $(sha256sum "$requirements")"
if [[ $(cat "$packages/made_from.txt" 2>/dev/null) != "$made_from" ]]; then
  echo "fetching FlashAttention 4 and its compiler (100 MB)"
  rm -rf "$packages"
  "$python" -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps \
    --only-binary=:all: --require-hashes --requirement "$requirements" --target "$packages"
  echo "$made_from" >"$packages/made_from.txt"
fi

rm -rf "$exports"
# -I: neither this folder nor the user's packages count.
"$python" -I scripts/export_fa4.py "$packages" "$exports"

mkdir -p "$out"
"${CXX:-g++}" -std=c++20 -O2 -fPIC -Wall -Wextra -Werror -c plugins/fa4/fa4_plugin.cc \
  -I src -isystem "$exports" -isystem "$cuda/include" -o "$exports/fa4_plugin.o"
"${CXX:-g++}" -shared -o "$exports/libparterre_fa4.so" "$exports"/*.o \
  "$packages/nvidia_cutlass_dsl/cu13/lib/libcuda_dialect_runtime_static.a" \
  "$cuda/lib64/libcudart_static.a" -ldl -lpthread -lrt -static-libstdc++ -static-libgcc -s \
  -Wl,--version-script=plugins/fa4/exports.map -Wl,-z,defs
mv "$exports/libparterre_fa4.so" "$out/libparterre_fa4.so" # Whole or not at all.
echo "made $out/libparterre_fa4.so"
