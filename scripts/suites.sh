#!/usr/bin/env bash
# Runs the four suites (latency, scoring, throughput, concurrency) on a GPU machine: Qwen3-0.6B
# without and with its causal mask and XLM-R-large, random weights, bfloat16, each through the
# engine in process, `serve`, and `ivy` with a `tulip`; some 8 minutes. Writes
# bench/results/DATE-GPU-suites.{json,md,svg}, tables beside the peers' figures.
# PARTERRE=FILE is the program; default: build/gpu-release/bin/parterre, or build/bin/parterre for
# --quick, a smoke run of seconds on the CPU. PYTHON=FILE is an interpreter with torch, transformers
# and numpy, which --quick does without.
# usage: scripts/suites.sh [--quick] [--out FILE.json] [--libraries DIRS] [OPTION…]    --help: all
set -euo pipefail
cd "$(dirname "$0")/.."

default=build/gpu-release/bin/parterre
for argument; do
  [[ $argument != --quick ]] || default=build/bin/parterre
done
program=${PARTERRE:-$default}

export PYTHONPATH=scripts:bench/peers${PYTHONPATH:+:$PYTHONPATH}
exec "${PYTHON:-python3}" bench/suites --program "$program" "$@"
