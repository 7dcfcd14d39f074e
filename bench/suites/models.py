"""The model folders: shapes of real models with random weights, a tokenizer, and the vectors that
transformers makes of them."""

import concurrent.futures
import gzip
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
from typing import NamedTuple

from cells import BRIEF, FULL, QUICK, Plan

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
MAKERS = ["make_random_model.py", "reference_vectors.py", "transformers_vectors.py"]
# The folder of the smoke run has its own weights, and vectors that were made of them.
TINY = ROOT / "tests/data/models/bert-mean"
TINY_INPUTS = 6


class Shape(NamedTuple):
    title: str
    flags: list[str]  # Of scripts/make_random_model.py.
    tokenizer: str    # NAME of tests/data/tokenizers/NAME.tokenizer.json.gz.
    plan: Plan = FULL


SHAPES = {
    "qwen3-0.6b-full": Shape("Qwen3-0.6B without a causal mask, mean",
                             ["qwen3-0.6b", "--full", "--pooling", "mean"], "qwen3"),
    "qwen3-0.6b-causal": Shape("Qwen3-0.6B, last token",
                               ["qwen3-0.6b", "--pooling", "lasttoken"], "qwen3", BRIEF),
    "xlm-r-large": Shape("XLM-R-large, first token", ["xlm-r-large"], "xlmr"),
}


class Model(NamedTuple):
    name: str
    title: str
    folder: pathlib.Path
    reference: pathlib.Path
    plan: Plan

    @property
    def vocabulary(self) -> int:
        return json.loads((self.folder / "config.json").read_text("utf-8"))["vocab_size"]


def unpack_tokenizer(tokenizers: pathlib.Path, name: str, folder: pathlib.Path) -> None:
    """`tokenizers` holds NAME.tokenizer.json.gz, NAME/tokenizer.json.gz or NAME/tokenizer.json."""
    places = [tokenizers / f"{name}.tokenizer.json.gz", tokenizers / name / "tokenizer.json.gz",
              tokenizers / name / "tokenizer.json"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise SystemExit(f"--tokenizers {tokenizers}: holds neither "
                         f"{' nor '.join(str(p.relative_to(tokenizers)) for p in places)}")
    content = found.read_bytes()
    (folder / "tokenizer.json").write_bytes(
        gzip.decompress(content) if found.suffix == ".gz" else content)


def digest() -> str:
    """Of what a model is made by: one that another state of it made is made anew."""
    makers = [SCRIPTS / name for name in MAKERS] + [pathlib.Path(__file__)]
    return hashlib.sha256(b"".join(maker.read_bytes() for maker in makers)).hexdigest()


def make_one(name: str, work: pathlib.Path, tokenizers: pathlib.Path) -> Model:
    """Under `work`: the folder and the reference vectors, if they are not there yet."""
    shape = SHAPES[name]
    model = Model(name, shape.title, work / name, work / f"{name}.json", shape.plan)
    made_by = work / f"{name}.made_by"
    if made_by.is_file() and made_by.read_text() == digest():
        return model
    model.folder.mkdir(parents=True, exist_ok=True)
    unpack_tokenizer(tokenizers, shape.tokenizer, model.folder)
    kind, *flags = shape.flags
    for command in (["make_random_model.py", kind, model.folder, *flags],
                    ["reference_vectors.py", model.folder, "--out", model.reference]):
        if subprocess.run([sys.executable, SCRIPTS / command[0], *command[1:]]).returncode != 0:
            raise SystemExit(f"{command[0]} of {name} failed: see above")
    made_by.write_text(digest())
    return model


def make(names: list[str], work: pathlib.Path, tokenizers: pathlib.Path) -> list[Model]:
    """All at once: most of the time goes into loading libraries."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return list(pool.map(lambda name: make_one(name, work, tokenizers), names))


def stored_vector(content: bytes, name: str) -> list[float]:
    """A float32 tensor of a safetensors file."""
    header_bytes = int.from_bytes(content[:8], "little")
    begin, end = json.loads(content[8:8 + header_bytes])[name]["data_offsets"]
    data = content[8 + header_bytes:][begin:end]
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def tiny(work: pathlib.Path) -> Model:
    """That of the smoke run; its reference vectors need no library."""
    cases = json.loads((TINY / "cases.json").read_text("utf-8"))
    content = (TINY / cases["expected_file"]).read_bytes()
    inputs = [{"ids": case["input_ids"],
               "embedding": stored_vector(content, case["outputs"]["embedding"])}
              for case in cases["inputs"][:TINY_INPUTS]]
    reference = work / f"{TINY.name}.json"
    reference.write_text(json.dumps({"model": TINY.name, "inputs": inputs}), "utf-8")
    return Model(TINY.name, "A tiny BERT of the tests, mean", TINY, reference, QUICK)
