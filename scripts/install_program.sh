#!/usr/bin/env bash
# Builds the program with its manual pages and completions and installs it.
# usage: [DESTDIR=FOLDER] scripts/install_program.sh [PRESET [PREFIX]]    default: cpu-release /usr/local
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-cpu-release}
[[ $preset == cpu-release ]] && build=build || build=build/$preset
scripts/build.sh "$preset" parterre manual
cmake --install "$build" --prefix "${2:-/usr/local}"
