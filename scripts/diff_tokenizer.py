#!/usr/bin/env python3
"""Compares `parterre tokenize` with Hugging Face `tokenizers` on random nasty texts.

usage: diff_tokenizer.py [--count N] [--seconds N] [--round N] [--seed N] [--program PATH]
                         [--only NAME…]

Round after round takes a tokenizer.json (the three base vocabularies, their variants, and random
layouts of small models) and random texts, and compares ids, type ids and offsets: as they come,
without special tokens, special tokens as plain text, pairs, and truncated. A round is N single texts
and N/2 pairs; no round begins once COUNT texts are compared or SECONDS are over. Prints the seed and
the first differences, keeps their tokenizer.json under build/fuzz, and exits 1 if there is any.
Needs `tokenizers`.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import time

os.environ["RUST_BACKTRACE"] = "0"  # The library's panics are counted, not studied.

from tokenizers import Tokenizer

import tokenizer_layouts
import tokenizer_models
from tokenizer_texts import text

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "build/fuzz"
SHOWN = 3


@dataclasses.dataclass
class Run:
    """One call of the program: flags, and whether its texts are pairs."""
    special: bool = True
    plain: bool = False
    pairs: bool = False
    max_length: int = 0
    side: str = "right"
    strategy: str = "longest_first"

    def flags(self):
        flags = ["--max-length", str(self.max_length), "--truncation-side", self.side,
                 "--strategy", self.strategy]
        return flags + ["--no-special"] * (not self.special) + ["--plain-special"] * self.plain


def runs(r, tokenizer):
    """What is asked of each text: everything once, some of it in random company.

    Parterre refuses a max_length below the number of special tokens, which the library does not
    honour (it then gives more tokens than asked for): not made. A strategy that names one text of a
    pair means nothing for a single text: the library refuses only_second there."""
    def random_run(pairs):
        run = Run(special=r.random() < 0.7, plain=r.random() < 0.3, pairs=pairs)
        least = tokenizer.num_special_tokens_to_add(pairs) if run.special else 0
        single = tokenizer.num_special_tokens_to_add(False) if run.special else 0
        run.max_length = max(least, single, 1) + r.choice((0, 1, 2, 5, r.randint(0, 200)))
        run.side = r.choice(("left", "right"))
        if pairs:
            run.strategy = r.choice(("longest_first", "only_first", "only_second"))
        return run

    return [Run(), Run(special=False), Run(plain=True), Run(pairs=True),
            random_run(False), random_run(True)]


def fits(texts, run):
    """Of a pair that it truncates the library also keeps what it cuts off, each part of the one text
    with each of the other: long pairs would fill the memory."""
    return (len(texts) == 1 or run.max_length == 0 or
            len(texts[0]) * len(texts[1]) < 300 * run.max_length ** 2)


def answer(tokenizer, texts, run):
    """The library's encoding; "error" where it refuses, None where it panics: no answer then."""
    try:
        return tokenizer.encode(*texts, add_special_tokens=run.special)
    except Exception:
        return "error"
    except BaseException as panic:
        if type(panic).__name__ != "PanicException":
            raise
        return None


def theirs(tokenizer, lines, run):
    tokenizer.encode_special_tokens = run.plain
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if run.max_length:
        tokenizer.enable_truncation(run.max_length, strategy=run.strategy, direction=run.side)
    found = [answer(tokenizer, texts, run) for texts in lines]
    return [encoding if encoding in ("error", None) else
            {"ids": encoding.ids, "type_ids": encoding.type_ids,
             "offsets": [list(offset) for offset in encoding.offsets]} for encoding in found]


def ours(program, path, lines, run):
    """The program's answers; one short with its message where it gave up."""
    text_lines = "".join(json.dumps(dict(zip(("text", "pair"), texts))) + "\n" for texts in lines)
    result = subprocess.run([program, "tokenize", "--tokenizer", path, "--jsonl"] + run.flags(),
                            text=True, input=text_lines, capture_output=True)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    if result.returncode != 0:
        answers.append("exit %d: %s" % (result.returncode, result.stderr.strip()))
    return ["error" if "error" in answer and isinstance(answer, dict) else answer
            for answer in answers]


def first_difference(expected, found):
    """Where two answers part, with what stands around that place."""
    if not isinstance(expected, dict) or not isinstance(found, dict):
        return "expected %s\n  got      %s" % (ascii(expected)[:200], ascii(found)[:200])
    key = next(key for key in expected if expected[key] != found.get(key))
    both = zip(expected[key], found[key])
    place = next((i for i, (a, b) in enumerate(both) if a != b),
                 min(len(expected[key]), len(found[key])))
    around = slice(max(place - 3, 0), place + 6)
    return "%s from %d\n  expected %s\n  got      %s" % (
        key, around.start, expected[key][around], found[key][around])


class Comparison:
    def __init__(self, options):
        self.options = options
        self.texts = self.encodings = self.panics = self.different = 0

    def compare(self, label, config, r, count):
        """One round through one tokenizer.json."""
        tokenizer = Tokenizer.from_str(json.dumps(config))
        added = [token["content"] for token in config["added_tokens"]]
        singles = [(text(r, added),) for _ in range(count)]
        pairs = [(text(r, added), text(r, added)) for _ in range(count // 2)]
        self.texts += len(singles) + 2 * len(pairs)
        KEPT.mkdir(parents=True, exist_ok=True)
        path = KEPT / ("%s-%d.json" % (label, self.options.seed))
        path.write_text(json.dumps(config))
        before = self.different
        for run in runs(r, tokenizer):
            lines = [texts for texts in (pairs if run.pairs else singles) if fits(texts, run)]
            self.compare_run(label, path, run, lines, theirs(tokenizer, lines, run))
            if self.different > before:
                return
        path.unlink()

    def compare_run(self, label, path, run, lines, expected):
        found = ours(self.options.program, str(path), lines, run)
        self.encodings += len(found)
        self.panics += expected.count(None)
        differences = [(texts, theirs, ours)
                       for texts, theirs, ours in zip(lines, expected, found)
                       if theirs is not None and theirs != ours]
        if len(found) != len(lines) and not differences:
            differences = [(lines[min(len(found), len(lines)) - 1], "%d answers" % len(lines),
                            found[-1])]
        for texts, theirs_one, ours_one in differences[:SHOWN]:
            print("%s %s\ntext %s\n  %s" % (label, run, ascii(texts)[:400],
                                            first_difference(theirs_one, ours_one)))
        if differences:
            print("%d of %d differ: %s" % (len(differences), len(lines), path), flush=True)
        self.different += len(differences)


def configurations(options):
    """Without end: (label, tokenizer.json, its random numbers)."""
    bases = {name: tokenizer_models.base(name) for name in tokenizer_models.BASES}
    real = bases | tokenizer_models.variants(bases)
    charsmap = bases["xlmr"]["normalizer"]
    small = tokenizer_models.make()
    names = [name for name in list(real) + list(small)
             if not options.only or name in options.only]
    for number in range(1 << 30):
        r = random.Random("%d %d" % (options.seed, number))
        name = names[number % len(names)]
        if name in real:
            config = dict(real[name])
            if number >= len(names) and r.random() < 0.5:
                contents = [token["content"] for token in config["added_tokens"]]
                contents += [c for c in r.sample(tokenizer_layouts.CONTENTS, 3)]
                config["added_tokens"] = tokenizer_layouts.added_tokens(r, config, contents)
        else:
            model = tokenizer_models.varied(r, name, small[name])
            config = tokenizer_layouts.make(r, name, model, charsmap)
        yield "%s-%d" % (name, number), config, r


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / "build/bin/parterre"))
    parser.add_argument("--count", type=int, default=200000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--round", type=int, default=400)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    print("seed %d" % options.seed, flush=True)
    comparison = Comparison(options)
    end = time.monotonic() + options.seconds
    for label, config, r in configurations(options):
        if comparison.texts >= options.count or time.monotonic() >= end:
            break
        comparison.compare(label, config, r, options.round)
    print("seed %d: %d texts, %d encodings, %d without an answer of the library, %d differences" %
          (options.seed, comparison.texts, comparison.encodings, comparison.panics,
           comparison.different))
    sys.exit(comparison.different != 0)


if __name__ == "__main__":
    main()
