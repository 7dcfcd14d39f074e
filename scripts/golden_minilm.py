#!/usr/bin/env python3
"""Makes tests/data/minilm/{vectors,retrieval}.json: what sentence-transformers says of texts.json.

usage: golden_minilm.py

Needs sentence-transformers 6.0.1 and torch 2.15.0 (CPU, float32) and the model that
scripts/fetch_model.sh puts into models/. Each text goes through alone, so that padding plays no
part. Vectors are base64 of little-endian float32.
"""

import base64
import json
import pathlib

import numpy
import sentence_transformers
import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/data/minilm"


def text_of(entry):
    """The text that `entry` stands for: itself, or for `REPEAT words n` the words n times."""
    if not entry.startswith("REPEAT "):
        return entry
    words, times = entry.removeprefix("REPEAT ").rsplit(" ", 1)
    return " ".join([words] * int(times))


def write(name, about, rows_name, rows):
    """JSON with one row of `rows` a line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
    head = json.dumps(about)[1:-1]
    (FOLDER / name).write_text(f'{{{head}, "{rows_name}": [\n{lines}\n]}}\n', "utf-8")


def main():
    torch.set_num_threads(1)
    path = ROOT / "models/all-MiniLM-L6-v2"
    model = sentence_transformers.SentenceTransformer(str(path), device="cpu")
    texts = json.loads((FOLDER / "texts.json").read_text("utf-8"))
    about = {
        "model": path.name,
        "made_by": f"sentence-transformers {sentence_transformers.__version__}, "
        f"torch {torch.__version__.split('+')[0]}, float32",
    }

    def embed(text):
        return model.encode([text], convert_to_numpy=True)[0].astype("<f4")

    vectors = []
    for name, entry in texts["vectors"].items():
        text = text_of(entry)
        tokens = model.tokenize([text])["input_ids"].shape[1]
        encoded = base64.b64encode(embed(text).tobytes()).decode()
        vectors.append({"name": name, "text": text, "tokens": tokens, "embedding": encoded})
    write("vectors.json", about, "cases", vectors)

    passages, queries = texts["retrieval"]["passages"], texts["retrieval"]["queries"]
    passage_vectors = numpy.stack([embed(passage) for passage in passages])
    rankings = []
    for query in queries:
        scores = passage_vectors @ embed(query)
        ranking = numpy.argsort(-scores, kind="stable")
        gap = float(-numpy.diff(scores[ranking]).max())
        rankings.append({
            "query": query,
            "ranking": ranking.tolist(),
            "scores": [round(float(scores[i]), 6) for i in ranking],
        })
        print(f"{query}: {passages[ranking[0]][:60]}… {scores[ranking[0]]:.3f}, gap {gap:.1e}")
    write("retrieval.json", {**about, "passages": passages}, "queries", rankings)


if __name__ == "__main__":
    main()
