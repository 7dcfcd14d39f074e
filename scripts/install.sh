#!/usr/bin/env bash
# Installs the Debian packages that are missing. Says nothing and stays offline when all are there.
# usage: scripts/install.sh [--package] [--dev]
#   --package adds what make package needs, --dev what make check and make sanitize need
set -euo pipefail

packages=(
  g++ make cmake ninja-build unzip python3 python3-pip python3-venv
  libabsl-dev libboost1.81-dev libsimdjson-dev libdnnl-dev prometheus-cpp-dev libspdlog-dev
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libpcre2-dev zlib1g-dev
  libcurl4-openssl-dev libssl-dev ca-certificates
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
  libgtest-dev libgmock-dev
)
for option in "$@"; do
  case $option in
    --package) packages+=(dpkg-dev patchelf) ;;
    # The last three read what is made for them: manual pages and completions.
    --dev) packages+=(ccache clang-14 clang-format-14 clang-tidy-22 valgrind mandoc zsh fish) ;;
    *) echo "install.sh: expected --package or --dev, got $option" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "install.sh: neither root nor sudo; as root: apt-get install ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
