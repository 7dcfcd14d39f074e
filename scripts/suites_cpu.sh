#!/usr/bin/env bash
# Runs the four suites on the CPU for MiniLM's and BERT-base's shape: Parterre beside ONNX Runtime
# and OpenVINO behind a plain server, on the same cores, in turns in one run (a quarter of an hour
# on 2 cores), and writes bench/results/DATE-cpu-suites.{json,md}.
# PYTHON=FILE is an interpreter with bench/peers/requirements.txt; default: an environment is made.
# PARTERRE=FILE is the program; default: build/bin/parterre, built first.
# usage: scripts/suites_cpu.sh [--rounds N] [--suites NAME…] [--out FILE.json]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/bench_python.sh

[[ -n ${PARTERRE:-} ]] || {
  scripts/install.sh
  scripts/build.sh cpu-release parterre
}
scripts/fetch_model.sh
python=$(bench_python)
folders=()
for size in minilm bert-base; do
  folder=$(bench_model "$python" "$size")
  folders+=("$folder")
done
export PYTHONPATH=bench/peers${PYTHONPATH:+:$PYTHONPATH}
exec "$python" bench/suites/beside_cpu.py \
  --program "${PARTERRE:-build/bin/parterre}" --models "${folders[@]}" \
  --out "bench/results/$(date -u +%F)-cpu-suites.json" "$@"
