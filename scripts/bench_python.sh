# What benches beside ONNX Runtime and OpenVINO share; to be sourced, in the root of the tree.

shopt -s inherit_errexit  # What fails inside $(…) ends the script.

# Prints the interpreter: $PYTHON, or that of an environment with bench/peers/requirements.txt, made
# if it is not there.
bench_python() {
  local requirements=bench/peers/requirements.txt environment=.cache/bench-python
  if [[ -z ${PYTHON:-} ]] && ! cmp -s "$requirements" "$environment/made_from.txt"; then
    echo "installing PyTorch, ONNX Runtime and OpenVINO (6 GB)" >&2
    python3 -m venv --clear "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
      --requirement "$requirements" >&2
    cp "$requirements" "$environment/made_from.txt"
  fi
  echo "${PYTHON:-$environment/bin/python}"
}

# bench_model PYTHON SIZE prints the folder of a model of that size, made if it is not there.
bench_model() {
  local folder=.cache/bench-model/$2 made_from=(bench/peers/model.py bench/peers/shapes.py)
  if ! cat "${made_from[@]}" | cmp -s - "$folder/made_from.txt"; then
    echo "exporting a model of $2's shape" >&2
    rm -rf "$folder"
    "$1" -W ignore bench/peers/model.py "$2" "$folder" models/all-MiniLM-L6-v2/tokenizer.json >&2
    cat "${made_from[@]}" >"$folder/made_from.txt"
  fi
  echo "$folder"
}
