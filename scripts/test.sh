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

# ctest names what was skipped and keeps the reasons to itself; its summary stays last.
reasons=$({ grep -A1 ': Skipped$' build/Testing/Temporary/LastTest.log | grep -v ': Skipped$\|^--$'
  grep '^skipped: ' build/Testing/Temporary/LastTest.log; } | sort | uniq -c) || true
[[ -z $reasons ]] || printf '\nWhy tests were skipped, each reason with their number:\n%s\n\n' "$reasons"
grep -E '^[0-9]+% tests passed|^Total Test time' "$log" || true
exit "$status"
