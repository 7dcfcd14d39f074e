#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test.
# usage: scripts/test.sh [CTEST-OPTION…]    e.g. -R text
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/fetch_model.sh || echo "no MiniLM: the tests that need it are skipped"
scripts/python_env.sh || echo "no Python clients: the tests that run them are skipped"
scripts/build.sh cpu-release

log=build/test.log
status=0
ctest --test-dir build --output-on-failure --parallel "$(nproc)" "$@" | tee "$log" || status=$?

scripts/skip_reasons.sh build  # ctest's summary stays last.
grep -E '^[0-9]+% tests passed|^Total Test time' "$log" || true
exit "$status"
