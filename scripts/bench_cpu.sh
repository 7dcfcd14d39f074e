#!/usr/bin/env bash
# Times Parterre, ONNX Runtime, OpenVINO and PyTorch on the same cores in one run, with models of
# MiniLM's and BERT-base's shape, and writes bench/results/DATE-cpu.md: some minutes on a machine
# that does nothing else. With --isa: Parterre and PyTorch alone, kept to each of these instruction
# sets (all: every one that the processor has), to DATE-cpu-isa.md.
# PYTHON=FILE is an interpreter with bench/peers/requirements.txt; default: an environment is made.
# usage: scripts/bench_cpu.sh [--rounds N] [--isa NAME… | --isa all]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/bench_python.sh

scripts/install.sh
scripts/build.sh cpu-release parterre
scripts/fetch_model.sh
python=$(bench_python)
models=("$(bench_model "$python" minilm)" "$(bench_model "$python" bert-base)")
report=cpu
[[ " $* " != *" --isa "* ]] || report=cpu-isa
"$python" bench/peers --program build/bin/parterre --models "${models[@]}" \
  --out "bench/results/$(date -u +%F)-$report.md" "$@"
