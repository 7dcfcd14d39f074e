#!/usr/bin/env bash
# Prints why tests of the last ctest run of a build were skipped, each reason with their number:
# ctest names the tests and keeps the reasons to itself.
# usage: scripts/skip_reasons.sh BUILD_FOLDER
set -euo pipefail

log=$1/Testing/Temporary/LastTest.log
reasons=$({ grep -A1 ': Skipped$' "$log" | grep -v ': Skipped$\|^--$'
  # In a line of its own, or behind the name of one test of a program.
  grep -oE '(^| )skipped: .*' "$log" | sed 's/^ //'; } | sort | uniq -c) || true
[[ -z $reasons ]] || printf '\nWhy tests were skipped, each reason with their number:\n%s\n\n' "$reasons"
