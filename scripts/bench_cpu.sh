#!/usr/bin/env bash
# Times Parterre, ONNX Runtime and OpenVINO on the same cores in one run, a few minutes on a machine
# that does nothing else, and writes bench/results/DATE-cpu.md.
# PYTHON=FILE is an interpreter with bench/peers/requirements.txt; default: an environment is made.
# usage: scripts/bench_cpu.sh [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=bench/peers/requirements.txt
environment=.cache/bench-python
model=.cache/bench-model

scripts/install.sh
scripts/build.sh cpu-release parterre
scripts/fetch_model.sh

python=${PYTHON:-$environment/bin/python}
if [[ -z ${PYTHON:-} ]] && ! cmp -s "$requirements" "$environment/made_from.txt"; then
  echo "installing PyTorch, ONNX Runtime and OpenVINO (6 GB)"
  python3 -m venv --clear "$environment"
  "$python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$environment/made_from.txt"
fi

made_from=(bench/peers/model.py bench/peers/shapes.py)
if ! cat "${made_from[@]}" | cmp -s - "$model/made_from.txt"; then
  echo "exporting a model of MiniLM's shape"
  rm -rf "$model"
  "$python" -W ignore bench/peers/model.py "$model" models/all-MiniLM-L6-v2/tokenizer.json >/dev/null
  cat "${made_from[@]}" >"$model/made_from.txt"
fi

"$python" bench/peers --program build/bin/parterre --model "$model" \
  --out "bench/results/$(date -u +%F)-cpu.md" "$@"
