#!/usr/bin/env python3
"""Cuts this folder's files out of the tokenizer suite.

usage: slice.py SUITE      ../shared/cases/tokenizers beside the clone (CONTRIBUTING.md)

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
NAMES = ("bert", "qwen3", "xlmr")
EACH_MAX = 60  # Lines of one kind in one file.


def is_kept(source):
    return any(source == k or k.endswith("/") and source.startswith(k) for k in KEPT)


def write(name, lines):
    raw = "".join(json.dumps(line) + "\n" for line in lines).encode()
    (HERE / name).write_bytes(gzip.compress(raw, 9, mtime=0))
    print(name, len(lines))


def read(name):
    return [json.loads(line) for line in gzip.open(SUITE / name)]


def cut(name):
    """The free lines of a file of texts; returns their texts."""
    free, seen, lines = set(), {}, []
    for line in read(name + ".jsonl.gz"):
        kind = line["source"].split("/")[0]
        if is_kept(line["source"]):
            free.add(line["text"])
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] <= EACH_MAX:
                lines.append(line)
    write(name + ".jsonl.gz", lines)
    return free


def pack(name, raw):
    (HERE / name).write_bytes(gzip.compress(raw, 9, mtime=0))


def main():
    variants = json.loads((SUITE / "variants.json").read_text())
    (HERE / "variants.json").write_text(json.dumps(variants, indent=1) + "\n")
    free = set()
    for name in NAMES:
        folder = SUITE / name
        packed = folder / "tokenizer.json.gz"
        pack(name + ".tokenizer.json.gz", gzip.open(packed).read() if packed.exists()
             else (folder / "tokenizer.json").read_bytes())
        (HERE / (name + "-sweep.tsv.gz")).write_bytes((SUITE / (name + "-sweep.tsv.gz")).read_bytes())
        free |= cut(name)
    for name in variants:
        free |= cut(name)
    # Other files name no source: keep the lines whose texts are, or begin, free ones.
    is_free = lambda text: any(t.startswith(text) for t in free)
    for name in NAMES:
        for kind, texts in (("truncated", ["text"]), ("offsets", ["text"]),
                            ("pairs", ["query", "document"])):
            write("%s-%s.jsonl.gz" % (name, kind),
                  [line for line in read("%s-%s.jsonl.gz" % (name, kind))
                   if all(is_free(line[t]) for t in texts)])


if __name__ == "__main__":
    main()
