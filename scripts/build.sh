#!/usr/bin/env bash
# Configures a preset of CMakePresets.json and builds targets of it, one job per core.
# usage: scripts/build.sh [PRESET [TARGET…]]    default: cpu-release, everything
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-cpu-release}
shift || true
[[ $preset != gpu-* ]] || scripts/fetch_kernel_headers.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
cmake --build --preset "$preset" --parallel "$(nproc)" --target "${@:-all}"
