#!/usr/bin/env bash
# Mixed traffic for an hour on ivy before three tulips, one of which is killed each minute. The
# report is build/soak.md; the exit status says whether all of it held.
# usage: scripts/soak.sh [SECONDS [REPORT]]    default: 3600 build/soak.md
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh cpu-release parterre
python3 tests/e2e/soak.py --seconds "${1:-3600}" --report "${2:-build/soak.md}"
