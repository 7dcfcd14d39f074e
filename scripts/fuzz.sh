#!/usr/bin/env bash
# Compares random texts with Hugging Face's tokenizers, then feeds random bytes to what reads them,
# under AddressSanitizer and UBSan. What was found stays in build/fuzz.
# usage: scripts/fuzz.sh [TEXTS [SECONDS]]
#   TEXTS: texts to compare (default 200000); SECONDS: for each fuzzing program (default 120)
set -euo pipefail
cd "$(dirname "$0")/.."

texts=${1:-200000}
limit=${2:-120}

scripts/install.sh --dev
scripts/python_env.sh
scripts/build.sh cpu-release parterre
.cache/python/bin/python scripts/diff_tokenizer.py --count "$texts"

scripts/build.sh cpu-fuzz fuzzers
work=build/fuzz
mkdir -p "$work"/{tokenizers,encode_fuzz,tokenizer_json_fuzz,safetensors_fuzz,torch_file_fuzz}
for name in bert qwen3 xlmr; do
  gunzip -c "tests/data/tokenizers/$name.tokenizer.json.gz" >"$work/tokenizers/$name.json"
done
for document in tests/data/tokenizers/formats/*/expected.json; do
  cp "$document" "$work/tokenizer_json_fuzz/$(basename "$(dirname "$document")").json"
done
.cache/python/bin/python - "$work/encode_fuzz" <<'PYTHON'
import pathlib, random, sys
sys.path.insert(0, "scripts")
from tokenizer_texts import text
for seed in range(300):
    (pathlib.Path(sys.argv[1]) / str(seed)).write_text(text(random.Random(seed)), "utf-8")
PYTHON

cp tests/data/models/bad/ok/model.safetensors "$work/safetensors_fuzz/"
.cache/python/bin/python - "$work" <<'PYTHON'
import pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
for header in (b"{}", b'{"t":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}'):
    data = len(header).to_bytes(8, "little") + header + bytes(12 if len(header) > 2 else 0)
    (work / f"safetensors_fuzz/{len(header)}").write_bytes(data)
for file in pathlib.Path("tests/data/weights").glob("*.[pb][ti]*"):
    (work / "torch_file_fuzz" / file.name).write_bytes(file.read_bytes())
    if not zipfile.is_zipfile(file):
        continue
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            if name.endswith("/data.pkl"):
                (work / "torch_file_fuzz" / f"{file.name}.pkl").write_bytes(archive.read(name))
PYTHON

export PARTERRE_FUZZ_TOKENIZERS=$work/tokenizers
for fuzzer in tokenizer_json_fuzz encode_fuzz safetensors_fuzz torch_file_fuzz; do
  build/cpu-fuzz/bin/"$fuzzer" -max_total_time="$limit" -max_len=20000 -timeout=20 \
    -rss_limit_mb=6000 -print_final_stats=1 -verbosity=0 -artifact_prefix="$work/" "$work/$fuzzer"
done
