#!/usr/bin/env python3
"""Counts the instructions that encoding takes, which a noisy machine does not change.

usage: tokenizer_instructions.py [--program PATH] [--kib N] [--write] [--profile BASE TEXT]

For each base, callgrind counts Tokenizer::Encode on:
- ordinary texts, for the first time and warm: instructions a token may differ by 3 % from
  bench/results/tokenizer_instructions.json, which --write replaces;
- N KiB (default 128) of what makes tokenizers slow: at most 3 times what as many bytes, or as many
  tokens, of English take for the first time. Where such a text stops early when it is cut to 512
  tokens (less than half of the whole's instructions), it still has to: the file says which do.
--profile prints where the instructions of one text go instead. Exits 1 if a count is off.
"""
import argparse
import base64
import gzip
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/data/tokenizers"
STORED = ROOT / "bench/results/tokenizer_instructions.json"
BASES = ("bert", "qwen3", "xlmr")
TOLERANCE = 0.03
LINEAR = 3
# What is above that: linear, but not yet cheap. English is nearly all whole words, which are looked
# up; these are words without end, which the models split (dashes: with dozens of pieces of 1 to 64
# dashes to try at each), or marks that wait to be put in order.
LINEAR_KNOWN = {("bert", "two classes of marks"): 5, ("qwen3", "letter"): 4, ("qwen3", "dash"): 130,
                ("qwen3", "line break"): 4, ("qwen3", "random letters"): 4, ("qwen3", "jamo"): 7,
                ("qwen3", "replacement"): 5, ("xlmr", "dash"): 7}


def ordinary():
    """Texts that never change: the licence, and the suite's example sentences of 68 languages."""
    lines = gzip.open(DATA / "xlmr.jsonl.gz", "rt", encoding="ascii")
    cases = [json.loads(line) for line in lines]
    return {"english": (ROOT / "LICENSE").read_text("utf-8"),
            "mixed": "\n".join(c["text"] for c in cases if c["source"].startswith("spacy"))}


def hostile(size):
    """Texts of `size` bytes, by name."""
    r = random.Random(5)

    def filled(unit):
        return unit * (size // len(unit.encode()))

    letters = "".join(map(chr, range(0x61, 0x7B)))
    noise = r.randbytes(size)
    marks = "".join(chr(c) for c in range(0x300, 0x370))
    return {"letter": filled("a"), "dash": filled("-"), "space": filled(" "),
            "line break": filled("\n"), "accented": filled("é"), "ideograph": filled("漢"),
            "random letters": "".join(r.choices(letters, k=size)),
            "base64": base64.b64encode(noise).decode()[:size],
            "random bytes": noise.decode("utf-8", "replace"),
            "one mark": filled("\u0301"), "two classes of marks": filled("\u0334\u302e"),
            "random marks": "".join(r.choices(marks, k=size // 2)),
            "joiners": filled("\u200d"), "emoji joined": filled("👩\u200d"),
            "jamo": filled("\u1100\u1161\u11a8"), "apostrophes": filled("'s"),
            "special tokens": filled("<s>[SEP]<|endoftext|></s>"), "brackets": filled("<|im_[[<s"),
            "blanks between": filled("a \n "), "replacement": filled("\ufffd")}


def write_texts(path, texts):
    encoded = [text.encode() for text in texts]
    path.write_bytes(struct.pack("<I", len(encoded)) +
                     b"".join(struct.pack("<I", len(text)) + text for text in encoded))


def total(profile):
    for line in profile.read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    sys.exit("%s: no total" % profile)


def count(program, base, texts, folder):
    """(text, call) → (instructions, tokens, bytes, profile)"""
    tokenizer = folder / (base + ".json")
    tokenizer.write_bytes(gzip.decompress((DATA / (base + ".tokenizer.json.gz")).read_bytes()))
    write_texts(folder / "texts", texts.values())
    out = folder / (base + ".callgrind")
    result = subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "-q",
                             "--callgrind-out-file=%s" % out, program, tokenizer,
                             folder / "texts"], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit("%s %s: %s" % (program, base, result.stderr.strip()[-500:]))
    counts, names = {}, list(texts)
    for number, line in enumerate(result.stdout.splitlines(), 1):
        text, call, tokens, size = line.split()
        profile = out.with_name("%s.%d" % (out.name, number))
        counts[names[int(text)], call] = (total(profile), int(tokens), int(size), profile)
    return counts


def per_token(counts):
    return {"%s, %s" % key: round(instructions / tokens, 1)
            for key, (instructions, tokens, _, _) in counts.items() if key[1] != "cut"}


def stops_early(counts):
    """The texts of which truncation reads less than half."""
    return [name for name, call in counts
            if call == "cut" and counts[name, call][0] < counts[name, "warm"][0] / 2]


def check_ordinary(base, values, stored):
    """How many counts are off."""
    faults = 0
    for name, value in values.items():
        expected = stored.get(name)
        change = value / expected - 1 if expected else float("inf")
        off = abs(change) > TOLERANCE
        faults += off
        print("%-6s %-16s %8.1f instructions a token, stored %s%s" %
              (base, name, value, expected, ": off by %+.1f %%" % (100 * change) if off else ""))
    return faults


def check_hostile(base, counts, english, stopping):
    """How many texts take too much."""
    faults, early = 0, stops_early(counts)
    print("%-6s %-22s %9s %9s %9s   English's work = 1: first (by bytes), first, cut" %
          (base, "text", "bytes", "work", "cut"))
    for name in dict.fromkeys(name for name, _ in counts):
        def work(call):
            instructions, tokens, size, _ = counts[name, call]
            whole = counts[name, "first"]
            by_byte, by_token = english[0] / english[2], english[0] / english[1]
            return (instructions / (by_byte * size),
                    instructions / max(by_byte * whole[2], by_token * whole[1]))

        off = work("first")[1] > LINEAR_KNOWN.get((base, name), LINEAR)
        late = name in stopping and name not in early
        faults += off + late
        print("%-6s %-22s %9.2f %9.2f %9.3f%s%s" %
              (base, name, *work("first"), work("cut")[1], "  too much" * off,
               "  no longer stops early" * late))
    return faults


def show_profile(counts, name):
    for call in ("first", "warm", "cut"):
        print("== %s, %s" % (name, call))
        shown = subprocess.run(["callgrind_annotate", counts[name, call][3]], capture_output=True,
                               text=True).stdout
        print("\n".join(line[:160] for line in shown.splitlines()[20:45]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / "build/bin/tokenizer_instructions"))
    parser.add_argument("--kib", type=int, default=128)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--profile", nargs=2)
    options = parser.parse_args()
    if " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        print("skipped: the stored counts are of the code for AVX2, which this processor lacks")
        return 0
    texts = hostile(options.kib << 10)
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    faults, written = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.profile:
            base, name = options.profile
            one = {name: (ordinary() | texts)[name]}
            show_profile(count(options.program, base, one, folder), name)
            return 0
        for base in BASES:
            known = stored.get(base, {"instructions_per_token": {}, "stops_early": []})
            counts = count(options.program, base, ordinary(), folder)
            values, english = per_token(counts), counts["english", "first"]
            if not options.write:
                faults += check_ordinary(base, values, known["instructions_per_token"])
            counts = count(options.program, base, texts, folder)
            faults += check_hostile(base, counts, english, known["stops_early"])
            written[base] = {"instructions_per_token": values, "stops_early": stops_early(counts)}
    if options.write:
        STORED.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
