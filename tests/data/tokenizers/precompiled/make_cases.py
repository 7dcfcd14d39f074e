#!/usr/bin/env python3
"""Writes charsmaps.json: made-up charsmaps, and what Hugging Face `tokenizers` (0.23) makes of texts
under each of them.

usage: make_cases.py > charsmaps.json

Each element has `normalizer` as in tokenizer.json, and `texts`: [text, normal form, offsets], the
last one the place in the text, in code points, of each character of the normal form. The texts are
made of what grapheme clusters are about.
"""
import base64
import collections
import json
import random
import struct
import sys

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

PARTS = (
    "a b e ~ 1 \x7f \x01 \r \n \r\n \t \u0085 \u00a0 \u2028 \u200b \u200c \u200d \u200e \u061c \u0300"
    " \u0301 \u0306 \u0323 \u0345 \u064b \u0600 \u06dd \u070f \u0890 \U000110bd \U000111c2 \u0d4e ©"
    " ® \u203c ❤ \ufe0f 😀 👩 🏽 \U0001f1e6 \U0001f1e7 \u1100 \u1161 \u11a8 가 각 \u0915 \u0958"
    " \u094d \u093c \u0903 \u09cd \u0995 \u0d15 \u0d4d \u1b35 \u0e01 \u0e33 \u0eb3 \uff21 \uff76"
    " \uff9e \u3099 か ﬁ ½ \u1fbd é 漢 \uf900 \U000e0041 \ufeff \u0130 \u20e3 \u0bbe \u0b95"
).split(" ") + [" "]


def build(rules):
    """The blob of a charsmap in Darts-clone's layout: a unit for each node, placed first-fit."""
    values, begins, root = bytearray(), {}, {}
    for key, value in rules.items():
        if value not in begins:
            begins[value] = len(values)
            values += value.encode() + b"\0"
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[None] = begins[value]
    units, used, bases = [0] * 256, {0}, set()
    queue = collections.deque([(0, root, 0)])
    while queue:
        at, node, label = queue.popleft()
        labels = [child or 0 for child in node]
        base = 1
        while base in bases or any(base ^ child in used for child in labels):
            base += 1
        bases.add(base)
        units += [0] * ((base | 255) + 1 - len(units))
        units[at] = (at ^ base) << 10 | (None in node) << 8 | label
        for child, below in node.items():
            used.add(base ^ (child or 0))
            if child is None:
                units[base] = below | 1 << 31
            else:
                queue.append((base ^ child, below, child))
    return struct.pack("<%dI" % (len(units) + 1), 4 * len(units), *units) + bytes(values)


def make_text(rng, sizes):
    return "".join(
        rng.choice(PARTS) * rng.choice((1, 1, 1, 1, 2, 9)) for _ in range(rng.choice(sizes))
    )


def make_rules(rng):
    rules = {}
    for _ in range(rng.randint(4, 60)):
        key = "".join(rng.choice(PARTS) for _ in range(rng.choice((1, 1, 2, 3))))
        rules[key] = make_text(rng, (0, 0, 1, 1, 2, 3))
    return rules


def main():
    rng, rows = random.Random(6), []
    for _ in range(7):
        blob = build(make_rules(rng))
        tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
        tokenizer.normalizer = normalizers.Precompiled(blob)
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
        texts = []
        for _ in range(40):
            text = make_text(rng, (1, 2, 3, 4, 6, 10))
            normal = tokenizer.normalizer.normalize_str(text)
            texts.append([text, normal, tokenizer.encode(text).offsets])
        normalizer = {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(blob).decode(),
        }
        rows.append({"normalizer": normalizer, "texts": texts})
    lines = (json.dumps(row, separators=(",", ":")) for row in rows)
    sys.stdout.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
