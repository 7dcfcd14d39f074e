#!/usr/bin/env bash
# Formats every source of ours in place; with --check it changes nothing and fails on a difference.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
find src apps tests bench plugins -name build -prune -o -type f -regex '.*\.\(cc\|h\|cu\|cuh\)' -print0 |
  xargs -0 --no-run-if-empty clang-format-14 "${mode[@]}"
