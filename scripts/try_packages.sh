#!/usr/bin/env bash
# Packs the program for the CPU and tries the packages in bare Debian roots, then the Dockerfile's steps,
# which build it from scratch. Takes root, debootstrap and a way to the mirror of this machine's packages.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/package_facts.sh

((EUID == 0)) || { echo "try_packages.sh: only root can make a root to try things in" >&2; exit 1; }
scripts/package.sh cpu-release
version=$(cached build CMAKE_PROJECT_VERSION)
scripts/try_packages.py "$(debian_package "$version")" "$(cpu_archive "$version")"
scripts/try_dockerfile.py
