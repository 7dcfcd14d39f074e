#!/usr/bin/env bash
# Builds the program and packs it: for the CPU as a Debian package and as an archive that runs where
# it is unpacked, for GPUs as such an archive. They lie in build/.
# usage: scripts/package.sh [PRESET]    cpu-release (default) or gpu-release
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/package_facts.sh

preset=${1:-cpu-release}
build=$(build_folder "$preset")
scripts/install.sh --package
scripts/build.sh "$preset" parterre manual
version=$(cached "$build" CMAKE_PROJECT_VERSION)

# Two packages of one commit are the same, byte for byte.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
case $preset in
  cpu-release)
    scripts/deb.sh build "$(debian_package "$version")"
    scripts/archive.sh build "$(cpu_archive "$version")"
    ;;
  gpu-release) scripts/archive.sh "$build" "build/parterre-$version-cuda13-x86_64.tar.gz" ;;
  *) echo "package.sh: expected cpu-release or gpu-release, got $preset" >&2; exit 2 ;;
esac
