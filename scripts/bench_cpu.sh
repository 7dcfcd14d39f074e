#!/usr/bin/env bash
# Times Parterre, ONNX Runtime and OpenVINO on the same cores in one run, a few minutes on a machine
# that does nothing else, and writes bench/results/DATE-cpu.md.
# PYTHON=FILE is an interpreter with bench/peers/requirements.txt; default: an environment is made.
# usage: scripts/bench_cpu.sh [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/bench_python.sh

scripts/install.sh
scripts/build.sh cpu-release parterre
scripts/fetch_model.sh
python=$(bench_python)
model=$(bench_model "$python" minilm)
"$python" bench/peers --program build/bin/parterre --model "$model" \
  --out "bench/results/$(date -u +%F)-cpu.md" "$@"
