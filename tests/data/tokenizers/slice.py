#!/usr/bin/env python3
"""Cuts this folder's files out of the tokenizer suite.

usage: slice.py SUITE      e.g. ../../../../shared/cases/tokenizers

Leaves out texts under the GPL or LGPL (Debian's installation guide, fortunes-zh, system headers)
and those that may have been made from them, and keeps the first of each other kind.
"""
import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUITE = pathlib.Path(sys.argv[1])
KEPT = ("bug", "blank", "space", "special", "special-mix", "ties", "long", "jamo", "random-block",
        "random-points", "normalization-test", "normalization-order", "emoji-test", "break-test/",
        "llama.cpp-tests", "pydoc", "code/py", "spacy/", "spacy-stop/", "cldr/")
EACH_MAX = 60  # Lines of one kind in one file.


def is_kept(source):
    return any(source == k or k.endswith("/") and source.startswith(k) for k in KEPT)


def write(name, lines):
    raw = "".join(json.dumps(line) + "\n" for line in lines).encode()
    (HERE / name).write_bytes(gzip.compress(raw, 9, mtime=0))
    print(name, len(lines))


def read(name):
    return [json.loads(line) for line in gzip.open(SUITE / name)]


def main():
    variants = {name: variant for name, variant in json.loads(
        (SUITE / "variants.json").read_text()).items() if variant["base"] == "bert"}
    (HERE / "variants.json").write_text(json.dumps(variants, indent=1) + "\n")
    tokenizer = (SUITE / "bert/tokenizer.json").read_bytes()
    (HERE / "bert.tokenizer.json.gz").write_bytes(gzip.compress(tokenizer, 9, mtime=0))
    (HERE / "bert-sweep.tsv.gz").write_bytes((SUITE / "bert-sweep.tsv.gz").read_bytes())
    free = set()
    for name in ["bert", *variants]:
        seen, lines = {}, []
        for line in read(name + ".jsonl.gz"):
            kind = line["source"].split("/")[0]
            if is_kept(line["source"]):
                free.add(line["text"])
                seen[kind] = seen.get(kind, 0) + 1
                if seen[kind] <= EACH_MAX:
                    lines.append(line)
        write(name + ".jsonl.gz", lines)
    # These lines name no source: keep those whose text is, or begins, a free one.
    write("bert-truncated.jsonl.gz", [line for line in read("bert-truncated.jsonl.gz")
                                      if any(text.startswith(line["text"]) for text in free)])


if __name__ == "__main__":
    main()
