#!/usr/bin/env bash
# Ten minutes of hostile clients of every kind, 10,000 idle connections among them, on one server that
# must go on giving right answers. The report is build/hostile.md; the exit status says whether all held.
# usage: scripts/hostile.sh [SECONDS [REPORT]]    default: 600 build/hostile.md
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh cpu-release parterre
python3 tests/e2e/hostile.py --seconds "${1:-600}" --report "${2:-build/hostile.md}"
