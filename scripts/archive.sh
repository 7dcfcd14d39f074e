#!/usr/bin/env bash
# Packs a build with the libraries that a host may lack and with the licences of all that is in it, as
# an archive that runs where it is unpacked, on any x86-64 Linux whose glibc and libstdc++ are as new
# as its README.txt says. A build for GPUs finds CUDA's libraries on the host.
# usage: scripts/archive.sh BUILD ARCHIVE    e.g. build build/parterre-0.1.0-x86_64.tar.gz
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/package_facts.sh

build=$1
archive=$2
bytes_max=40000000
version=$(cached "$build" CMAKE_PROJECT_VERSION)
cuda=$(cached "$build" ROSE_CUDA)
name=parterre-$version
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
folder=$staging/$name
umask 022
mkdir -p "$folder/lib" "$folder/licences"

# The host's own: what must match its loader or be as new as its other libraries', and CUDA.
of_the_host='^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|stdc\+\+|gcc_s|cuda|cudart|cublas.*)\.so)'

# Notices of the headers that the kernels for GPUs are made from, and of the CUDA runtime.
cuda_licences() {
  local headers=.cache/kernel_headers/flashinfer source licence
  cp "$headers/licenses/LICENSE" "$folder/licences/flashinfer.txt"
  cat .cache/kernel_headers/cudnn_frontend/include/licenses/* >"$folder/licences/cudnn_frontend.txt"
  # FlashAttention 3's and CUTLASS's notices stand in their sources alone, the terms in CUTLASS's.
  for source in include/flashinfer/attention/hopper/mainloop.cuh cutlass/include/cutlass/cutlass.h \
    cccl/libcudacxx/include/cuda/std/cstdint; do
    printf '%s\n' "$source"
    awk '!/^( ?\*|\/\*|\/\/)/ { exit } { print }' "$headers/$source"
  done >"$folder/licences/kernel_headers.txt"
  for licence in /usr/local/cuda/EULA.txt \
    /usr/local/cuda/dist-info/nvidia_cuda_runtime-*.dist-info/licenses/License.txt; do
    [[ ! -e $licence ]] || cp "$licence" "$folder/licences/cuda_runtime.txt"
  done
  [[ -e $folder/licences/cuda_runtime.txt ]] || {
    echo "archive.sh: the CUDA runtime's licence is not in /usr/local/cuda" >&2
    exit 1
  }
}

# newest VERSION-PREFIX names the newest version of a library's symbols that anything here needs.
newest() {
  find "$folder" -type f \( -name '*.so*' -o -name parterre \) -exec objdump -p {} + |
    grep -oE "\b$1_[0-9.]+" | sort -uV | tail -n 1 | cut -d _ -f 2
}

install -m 755 "$build/bin/parterre" "$folder/parterre"
strip "$folder/parterre"
rpath="\$ORIGIN/lib"
[[ $cuda != ON ]] || rpath+=:/usr/local/cuda/lib64
# DT_RPATH: unlike DT_RUNPATH it also holds for what libraries need of each other.
patchelf --force-rpath --set-rpath "$rpath" "$folder/parterre"
mapfile -t libraries < <(ldd "$build/bin/parterre" | awk '$3 ~ /^\// { print $1, $3 }' |
  grep -vE "$of_the_host")
# Boost is headers alone; any one of them names its package.
boost=/usr/include/boost/version.hpp
# Where they lie, dpkg may know by the name without /usr in front.
files=("$boost" "${libraries[@]#* }")
owners=$(dpkg-query --search "${files[@]}" "${files[@]/#//usr}" 2>/dev/null || true)

# owner FILE names the package that it is of.
owner() {
  local package
  package=$(sed -n "s|^\([^:]*\):.* \(/usr\)\?$1\$|\1|p" <<<"$owners" | head -n 1)
  [[ -n $package ]] || { echo "archive.sh: $1 is of no package" >&2; return 1; }
  echo "$package"
}

# Whose licences come along.
packages=("${header_packages[@]}" "$(owner "$boost")")
for library in "${libraries[@]}"; do
  read -r soname file <<<"$library"
  install -m 644 "$(readlink -f "$file")" "$folder/lib/$soname"
  strip --strip-unneeded "$folder/lib/$soname"
  packages+=("$(owner "$file")")
done

cp LICENSE "$folder"
cp -r "$build/manual" "$folder/manual"
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
for package in "${packages[@]}"; do
  cp -L "/usr/share/doc/$package/copyright" "$folder/licences/$package.txt"
done
cp -rL /usr/share/common-licenses "$folder/licences/common-licenses"
dpkg-query --show --showformat='${Package} ${Version}, source ${source:Package}\n' "${packages[@]}" \
  >"$folder/licences/packages.txt"
device=cpu
needs="It needs an x86-64 processor with AVX2, glibc $(newest GLIBC) and GCC's libstdc++ with
GLIBCXX_$(newest GLIBCXX), or newer."
if [[ $cuda == ON ]]; then
  cuda_licences
  device=cuda:0
  needs+="
For --device cuda:N it needs the NVIDIA driver and CUDA 13 (libcublasLt.so.13 in
/usr/local/cuda/lib64 or on LD_LIBRARY_PATH)."
fi

cat >"$folder/README.txt" <<END
Parterre $version serves embeddings and reranking over HTTP.

    ./parterre serve --model BAAI/bge-m3 --device $device
    ./parterre --help

$needs
lib/ stands beside the program; manual/ has its manual pages (man -l manual/man1/parterre.1) and what
completes its command line in bash, zsh and fish. Its licence is LICENSE; those of what it is built
from are in licences/, and packages.txt there names the Debian packages that lib/ comes from.
END

# All that the host does not have must be found beside the program.
while read -r soname file; do
  [[ $soname =~ $of_the_host || $file == "$folder"/lib/* ]] || {
    echo "archive.sh: $soname would be $file" >&2
    exit 1
  }
done < <(env -i ldd "$folder/parterre" | awk '$2 == "=>" { print $1, $3 }')

tar --create --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" --directory "$staging" "$name" | gzip "-${GZIP_LEVEL:-9}n" >"$archive"
size=$(stat --format=%s "$archive")
echo "$archive: $size bytes, $(du -sm "$folder" | cut -f 1) MB unpacked"
((size <= bytes_max)) || { echo "archive.sh: more than $bytes_max bytes" >&2; exit 1; }
