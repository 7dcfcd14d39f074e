#!/usr/bin/env bash
# Builds the program with its manual pages and completions and installs it.
# usage: [DESTDIR=FOLDER] scripts/install_program.sh [PRESET [PREFIX]]    default: cpu-release /usr/local
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/package_facts.sh

preset=${1:-cpu-release}
scripts/build.sh "$preset" parterre manual
cmake --install "$(build_folder "$preset")" --prefix "${2:-/usr/local}"
