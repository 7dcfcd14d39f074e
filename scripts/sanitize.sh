#!/usr/bin/env bash
# Builds and runs the tests under AddressSanitizer and UBSan, then under ThreadSanitizer.
# usage: scripts/sanitize.sh [PRESET…]    default: cpu-debug cpu-tsan
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
(($#)) || set -- cpu-debug cpu-tsan
for preset in "$@"; do
  scripts/build.sh "$preset"
  ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" --label-exclude e2e
done
