#!/usr/bin/env bash
# Times each family of models on this processor, with random weights, and writes
# bench/results/DATE-families.md and .json. All of them take some twenty minutes on two cores;
# --quick takes four.
# usage: scripts/bench_families.sh [--quick] [flags of family_rates]
set -euo pipefail
cd "$(dirname "$0")/.."

configs=bench/families/configs
models=("$configs"/*)
if [[ ${1:-} == --quick ]]; then
  shift
  models=("$configs"/{all-MiniLM-L6-v2,bge-base-en-v1.5,gte-modernbert-base,Qwen3-Embedding-0.6B})
fi

scripts/install.sh
scripts/build.sh cpu-release family_rates linear_rates

report=bench/results/$(date -u +%F)-families
rates=$(mktemp)
trap 'rm -f "$rates"' EXIT
bfloat16=()
build/bin/family_rates "${models[@]}" --json "$report.json" "$@" | tee "$rates"
if grep -q '"dtype": "bfloat16"' "$report.json"; then bfloat16=(--bfloat16); fi
{
  echo "# Speed of model families on one CPU"
  echo
  echo "Made by \`scripts/bench_families.sh\`; \`docs/benchmarks.md\` says how it measures."
  echo
  cat "$rates"
  echo
  echo "Linear layers alone, one thread, beside oneDNN's own product of the whole shape:"
  echo
  build/bin/linear_rates "${models[@]}" "${bfloat16[@]}"
} >"$report.md"
echo "$report.md"
