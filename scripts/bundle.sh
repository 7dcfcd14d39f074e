#!/usr/bin/env bash
# Builds the program for GPUs and packs it with the libraries that a host may lack. The archive runs
# on Ubuntu 24.04, or any x86-64 Linux with glibc 2.34 and GCC 11's libstdc++ or newer, that has the
# NVIDIA driver and CUDA 13; without a GPU it runs on the CPU, in float32.
# usage: scripts/bundle.sh [ARCHIVE]    default: build/parterre-VERSION-cuda13-x86_64.tar.gz
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/gpu-bundle
headers=.cache/kernel_headers/flashinfer
bytes_max=25000000

scripts/install.sh
scripts/build.sh gpu-bundle parterre
version=$("$build/bin/parterre" --version | grep -oE '[0-9]+(\.[0-9]+)+')
name=parterre-$version
archive=${1:-build/$name-cuda13-x86_64.tar.gz}
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
folder=$staging/$name
mkdir -p "$folder/lib" "$folder/licences"

# The host's own: what must match its loader or be as new as its other libraries', and CUDA.
of_the_host='^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|stdc\+\+|gcc_s|cuda|cudart|cublas.*)\.so.*)$'

# package_of FILE names the Debian package that holds a library.
package_of() {
  { dpkg-query --search "$1" || dpkg-query --search "/usr$1"; } 2>/dev/null |
    sed -n '1s/:.*//p'
}

# Licences of Boost, CLI11 and nlohmann-json, which are headers alone; the libraries' follow.
packages=(libboost1.81-dev libcli11-dev nlohmann-json3-dev)
install -m 755 "$build/bin/parterre" "$folder/parterre"
strip "$folder/parterre"
while read -r soname file; do
  [[ ! $soname =~ $of_the_host ]] || continue
  install -m 644 "$(readlink -f "$file")" "$folder/lib/$soname"
  strip --strip-unneeded "$folder/lib/$soname"
  packages+=("$(package_of "$file")")
done < <(ldd "$build/bin/parterre" | awk '$3 ~ /^\// { print $1, $3 }')

cp LICENSE "$folder"
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
for package in "${packages[@]}"; do
  cp -L "/usr/share/doc/$package/copyright" "$folder/licences/$package.txt"
done
cp -rL /usr/share/common-licenses "$folder/licences/common-licenses"
dpkg-query --show --showformat='${Package} ${Version}, source ${source:Package}\n' "${packages[@]}" \
  >"$folder/licences/packages.txt"
cp "$headers/licenses/LICENSE" "$folder/licences/flashinfer.txt"
cat .cache/kernel_headers/cudnn_frontend/include/licenses/* >"$folder/licences/cudnn_frontend.txt"
# FlashAttention 3's and CUTLASS's notices stand in their sources alone, the terms in CUTLASS's.
for source in include/flashinfer/attention/hopper/mainloop.cuh cutlass/include/cutlass/cutlass.h \
  cccl/libcudacxx/include/cuda/std/cstdint; do
  printf '%s\n' "$source"
  awk '!/^( ?\*|\/\*|\/\/)/ { exit } { print }' "$headers/$source"
done >"$folder/licences/kernel_headers.txt"
cuda_licences=(/usr/local/cuda/EULA.txt
  /usr/local/cuda/dist-info/nvidia_cuda_runtime-*.dist-info/licenses/License.txt)
for licence in "${cuda_licences[@]}"; do
  [[ ! -e $licence ]] || cp "$licence" "$folder/licences/cuda_runtime.txt"
done
[[ -e $folder/licences/cuda_runtime.txt ]] || {
  echo "bundle.sh: the CUDA runtime's licence is not in /usr/local/cuda" >&2
  exit 1
}

cat >"$folder/README.txt" <<END
Parterre $version serves embeddings and reranking over HTTP.

    ./parterre serve --model BAAI/bge-m3 --device cuda:0
    ./parterre --help

It needs an x86-64 processor with AVX2 and, for --device cuda:N, the NVIDIA driver and CUDA 13
(libcublasLt.so.13 in /usr/local/cuda/lib64 or on LD_LIBRARY_PATH). lib/ stands beside the program.
Its licence is LICENSE; those of what it is built from are in licences/, and packages.txt there names
the Debian packages that lib/ comes from.
END

# All that the host does not have must be found beside the program.
while read -r soname file; do
  [[ $soname =~ $of_the_host || $file == "$folder"/lib/* ]] || {
    echo "bundle.sh: $soname would be $file" >&2
    exit 1
  }
done < <(env -i ldd "$folder/parterre" | awk '$2 == "=>" { print $1, $3 }')

tar --create --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$(git log -1 --format=%ct)" --directory "$staging" "$name" | gzip -9 >"$archive"
size=$(stat --format=%s "$archive")
echo "$archive: $size bytes, $(du -sm "$folder" | cut -f 1) MB unpacked"
((size <= bytes_max)) || { echo "bundle.sh: more than $bytes_max bytes" >&2; exit 1; }
