#!/usr/bin/env bash
# Makes .cache/python, the virtual environment that the tests of Python clients run in. Offline when
# it is there and was made from the present tests/e2e/requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=tests/e2e/requirements.txt
environment=.cache/python
cmp -s "$requirements" "$environment/made_from.txt" && "$environment/bin/python" -c '' && exit 0

echo "installing the Python clients that the tests run"
python3 -m venv --clear "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --only-binary=:all: --requirement "$requirements"
cp "$requirements" "$environment/made_from.txt"
