#!/usr/bin/env python3
"""Writes what Hugging Face `tokenizers` (0.23) answers for single pre-tokenizers:
tests/data/tokenizers/pre_tokenizers.jsonl.gz.

usage: golden_pre_tokenizers.py [SEED]    default: 4

Each line is a `pre_tokenizer` as tokenizer.json has it and its `cases`: text, words, and for each
word the code points [begin, end) of the text that it stands for, as one list. Words are text alone
where they are what stands at their offsets: null. Texts are random strings of nasty pieces.
"""
import gzip
import json
import pathlib
import random
import sys

from tokenizers import Tokenizer, models

FILE = (pathlib.Path(__file__).resolve().parent.parent /
        "tests/data/tokenizers/pre_tokenizers.jsonl.gz")
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")

SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
         r" ?[^\s\p{L}\p{N}]+[\r\n]*|" + SPACES)
QWEN35 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|"
          r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + SPACES)
LLAMA3 = QWEN2.replace(r"\p{N}|", r"\p{N}{1,3}|")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}|"
          r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (r"[^\r\n\p{L}\p{N}]?%s*%s+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" % (UPPER, LOWER) +
         r"[^\r\n\p{L}\p{N}]?%s+%s*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" % (UPPER, LOWER) +
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + SPACES)
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"
            r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|" + SPACES)


def named(name, **options):
    return {"type": name, **options}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return named("Split", pattern={kind: pattern}, behavior=behavior, invert=invert)


def byte_level(prefix, regex):
    return named("ByteLevel", add_prefix_space=prefix, trim_offsets=True, use_regex=regex)


def metaspace(scheme="always", splits=True, replacement="\u2581"):
    return named("Metaspace", replacement=replacement, prepend_scheme=scheme, split=splits)


def sequence(*members):
    return named("Sequence", pretokenizers=list(members))


WORDS, PUNCTUATION = named("WhitespaceSplit"), named("Punctuation")
DIGIT, DIGITS = (named("Digits", individual_digits=one) for one in (True, False))
BYTES = byte_level(False, False)
SCANNED = [sequence(split(p), BYTES) for p in (QWEN2, QWEN35, LLAMA3, GPT2)] + [
    byte_level(False, True), byte_level(True, True), split(QWEN2, "Removed", True),
    sequence(WORDS, metaspace()), metaspace(), named("BertPreTokenizer"), WORDS]
PLAIN = [
    byte_level(True, False), BYTES, named("Whitespace"), DIGIT, DIGITS, sequence(),
    named("CharDelimiterSplit", delimiter=" "), named("CharDelimiterSplit", delimiter="\u00e9"),
    metaspace("first"), metaspace("never"), metaspace("always", False), metaspace("first", False),
    metaspace("always", True, "_"), metaspace("always", True, "\u00e9"),
    sequence(WORDS, metaspace("first")), sequence(WORDS, metaspace("always", False)),
    sequence(PUNCTUATION, metaspace()), sequence(PUNCTUATION, byte_level(True, True)),
    sequence(DIGIT, byte_level(False, True)), sequence(WORDS, byte_level(True, True)),
    sequence(split(QWEN2), WORDS), sequence(named("Whitespace"), metaspace("first"))] + [
    named("Punctuation", behavior=behavior) for behavior in BEHAVIORS] + [
    split(pattern, behavior, invert, kind) for behavior in BEHAVIORS for invert in (False, True)
    for kind, pattern in (("Regex", r"\s*"), ("String", "ab"), ("String", " "))]
PATTERNS = [split(pattern) for pattern in (
    CL100K, O200K, DEEPSEEK, r"\w+|[^\w\s]", r"\b", r"\B", r"\b\w", r"(?i:'s|'t)", r"[^\S\n]+",
    r"\p{L}+|\p{^L}", r"[\P{L}]", r"\W+", r"\D+", r"[\h]+", r".", r"^.", r"(?<=a).$", r"(?m:.)+",
    r"a{,2}", r"[\p{M}\p{N}]+", r"[^\p{M}\p{L}\s]+", r"(?i)s", r"\p{Lu}\p{Ll}*", r"\P{Lu}+",
    r"\p{^Zs}", r"\d{1,3}", r"[\u0041-\u005A]", r"\v+")]

PIECES = (
    "the a I it's don't I'LL we've x'D 's ''s 'll 'l 're 'r .'s Berlin 1 12 123 1234567 . ... !? - "
    "-- _ __ / \\ $ ab aba , e.g. (see <s>").split() + [
    " 's", " ", " ", "  ", "   ", "\n", "\n\n", "\n ", "\n    ", "\r", "\r\n", "\t", "\t\t", " \n",
    "\v", "\f", "\0", "\x1c", "\x7f", "a" * 70, "." * 66, " " * 70, "\n" * 66, "1" * 65] + [
    "Stra\u00dfe", "na\u00efve", "\u00e9", "\u043c\u0438\u0440", "\u0451", "\u4e2d\u6587", "\u7684" * 25,
    "\u4ed8\u3051\u540d", "\u30ab\u30ca", "\ud55c\uad6d", "\u0928\u092e\u0938\u094d\u0924\u0947",
    "\u0643\u0650\u062a\u064e", "\u05e9\u05c1\u05b8", "\u0e44\u0e17\u0e22", "\U0001d4b3", "\U00020000",
    "\u017f", "'\u017f", "'\u017ft", "\u212a", "\ufb01", "\u0130", "e\u0301", "\u0301", "\u0308\u0301",
    "\u200d", "\u200b", "\ufeff", "\u200c", "\U0001f44d", "\u0663\u0664", "\u00bd", "\u2167", "\u00b2",
    "\u2460", "\U0001d7d8", "\U00011de0", "\U00016ff4", "\U000323b0", "\u20ac", "\u00ab", "\u201c",
    "\u2026", "\u3002", "\uff0c", "\u00b7", "\u00d7", "\u00f7", "\u2581", "\u2581\u2581", "\u0085",
    "\u00a0", "\u1680", "\u2000", "\u2028", "\u202f", "\u205f", "\u3000", "\u180e", "\ue000",
    "\U0010ffff", "\u0378", "\ua7f1", "\U0001e5d0"]


def some_text(rng):
    kind, size = rng.random(), rng.choice((1, 3, 8, 20, 40))
    if kind < 0.1:
        return "".join(chr(rng.choice(POINTS)) for _ in range(size))
    if kind < 0.2:
        return "".join(chr(rng.randrange(128)) for _ in range(2 * size))
    if kind < 0.3:
        return "".join(rng.choice(" \n\t\r.'asl1\u00a0\u00e9") for _ in range(2 * size))
    if kind < 0.6:
        return " ".join(rng.choice(PIECES) for _ in range(size))
    return "".join(rng.choice(PIECES) for _ in range(size // 2 + 1))


def line(part, count, rng):
    made = json.loads(Tokenizer(models.WordLevel({"u": 0}, unk_token="u")).to_str())
    library = Tokenizer.from_str(json.dumps(made | {"pre_tokenizer": part})).pre_tokenizer
    cases = []
    for text in (some_text(rng) for _ in range(count)):
        words = library.pre_tokenize_str(text)
        cases.append([text, [None if word == text[begin:end] else word for word, (begin, end) in words],
                      [at for _, offsets in words for at in offsets]])
    return {"pre_tokenizer": part, "cases": cases}


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
    lines = [line(part, count, rng) for parts, count in ((SCANNED, 60), (PLAIN, 18), (PATTERNS, 18))
             for part in parts]
    text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines)
    FILE.write_bytes(gzip.compress(text.encode("ascii"), 9, mtime=0))


if __name__ == "__main__":
    main()
