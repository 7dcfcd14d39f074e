#!/usr/bin/env python3
"""Writes models.json: made-up Unigram vocabularies, and what Hugging Face `tokenizers` (0.23) makes
of words under each of them.

usage: make_cases.py > models.json

Each element has `model` as in tokenizer.json, and `words`: [word, ids, offsets in code points], or
[word, null, null] where the library refuses. The vocabularies hold equal scores, pieces that cross
each other, unknown characters, the bytes of a fallback or some of them, and no unknown piece.
"""
import json
import random
import sys

from tokenizers import Tokenizer

ALPHABETS = ("ab", "abc", "a▁b", "éa漢", "a😀b\u0301", "abcdefgh", "01")
SCORES = (-1.0, -2.0, -3.0, -1.5, 0.0, 0.1, -0.1, -1.1476761765570527)


def vocabulary(rng, alphabet):
    pieces = {}
    for _ in range(rng.randint(1, 40)):
        piece = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, rng.choice((2, 4, 9)))))
        score = rng.choice(SCORES + (-rng.random() * 5, rng.random() * 40))
        pieces.setdefault(piece, score)
    return [[piece, score] for piece, score in pieces.items()]


def model(rng, alphabet):
    vocab = vocabulary(rng, alphabet)
    unknown = rng.choice((0, 0, 0, None))
    if rng.random() < 0.7:
        vocab.insert(0, ["<unk>", 0.0])
    fallback = rng.random() < 0.4
    if fallback:
        share = rng.choice((1, 1, 0.9))
        vocab += [[f"<0x{b:02X}>", -3.0] for b in range(256) if rng.random() < share]
    return {"type": "Unigram", "unk_id": unknown, "vocab": vocab, "byte_fallback": fallback}


def words(rng, alphabet):
    letters = alphabet + rng.choice(("", "x", "zé漢😀"))
    sizes = [1, 2, 3, 5, 8, 12, 20] * 3 + [280]
    for size in sizes:
        parts = [rng.choice(letters)] * 9 + ["<unk>", alphabet[0] * 5]
        yield "".join(rng.choice(parts + [rng.choice(letters)] * 9) for _ in range(size))


def answer(tokenizer, word):
    try:
        encoding = tokenizer.encode(word)
    except Exception:
        return [word, None, None]
    return [word, encoding.ids, encoding.offsets]


def main():
    rng = random.Random(4)
    rows = []
    for i in range(14):
        alphabet = ALPHABETS[i % len(ALPHABETS)]
        made = model(rng, alphabet)
        tokenizer = Tokenizer.from_str(json.dumps({"version": "1.0", "model": made}))
        rows.append({"model": made, "words": [answer(tokenizer, w) for w in words(rng, alphabet)]})
    lines = (json.dumps(row, separators=(",", ":")) for row in rows)
    sys.stdout.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
