#!/usr/bin/env bash
# Builds and runs the tests under AddressSanitizer and UBSan, then under ThreadSanitizer. Those that only
# look at memory stay out, and others leave that out: sanitizers keep what is freed back, so they would
# measure them.
# usage: scripts/sanitize.sh [PRESET…]    default: cpu-debug cpu-tsan
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
(($#)) || set -- cpu-debug cpu-tsan
for preset in "$@"; do
  scripts/build.sh "$preset"
  # gRPC's libraries are not instrumented: ThreadSanitizer takes what they hand over for races. Of
  # e2e's programs the tests that speak gRPC skip themselves.
  skip=()
  [[ $preset != cpu-tsan ]] || skip=(--exclude-regex '^(tulip_grpc|ivy_grpc)')
  ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" --label-exclude memory \
    "${skip[@]}"
  scripts/skip_reasons.sh "build/$preset"
done
