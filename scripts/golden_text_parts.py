#!/usr/bin/env python3
"""Writes what Hugging Face `tokenizers` (0.23) answers for single normalizers and decoders:
tests/data/tokenizers/normalizers.jsonl.gz and decoders.jsonl.gz.

usage: golden_text_parts.py [SEED]    default: 4

Each line is a part as tokenizer.json has it, and cases:
- `normalizer`, `cases`: text, normal form, and for each of its characters the code points [begin,
  end) of the text that it stands for, as one list;
- `normalizer`, `sweep`: 64-bit FNV-1a of the normal forms of texts that hold every code point, 4096
  each: for each code point c, surrogates left out, `A` c `x` c U+0301 and a space;
- `decoder`, `cases`: pieces and what they are decoded to.
Texts are random strings of nasty pieces. Where the library panics, a case is left out.
"""
import gzip
import json
import pathlib
import random
import sys

from tokenizers import Regex, Tokenizer, models, pre_tokenizers

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/data/tokenizers"
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
FORMS = [{"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD")]

LETTERS = list("aAeEoOuUsSiIfdzkK.,1`") + [chr(c) for c in (
    0xE9, 0x1EA5, 0x1E69, 0xC5, 0x212B, 0x2126, 0x3B1, 0x1F82, 0x1FBD, 0x390, 0x130, 0x3A3, 0x3C2,
    0x915, 0x928, 0x929, 0x9C7, 0xB95, 0xBC6, 0xB47, 0x627, 0x648, 0x5E9, 0xFB2C, 0x1100, 0x1112,
    0xAC00, 0xAC01, 0xD7A3, 0x30AB, 0x30B6, 0xFF76, 0xFF9E, 0xFF21, 0xFB01, 0xFDFA, 0x3300, 0xBD,
    0x1D400, 0x1D15E, 0x1D1BB, 0xF900, 0x2F800, 0x4E00, 0x20000, 0x2B820, 0x1F600, 0x1109A, 0xF77,
    0x1E9B, 0xDF, 0x1E9E)]
MARKS = [chr(c) for c in (
    0x300, 0x301, 0x302, 0x323, 0x327, 0x345, 0x344, 0x308, 0x306, 0x31B, 0x338, 0x5B0, 0x5BC, 0x93C,
    0x94D, 0x9BE, 0x9D7, 0xBBE, 0xBCA, 0xBD7, 0xB3E, 0xF71, 0xF72, 0xF73, 0xF80, 0x302E, 0x3099,
    0x1D165, 0x1D16D, 0x8D4, 0x1E130, 0x1133E, 0x110BA, 0x361, 0x1161, 0x1175, 0x11A8, 0x11C2,
    0x11A7, 0x653, 0x64B, 0x670)]
SPECIAL = ["  ", " ", " ", "\t", "\r\n", "``"] + [chr(c) for c in (
    0, 1, 0xB, 0x7F, 0x85, 0x8F, 0x9F, 0xA0, 0xAD, 0x600, 0x180E, 0x1680, 0x2003, 0x200B, 0x200D,
    0x2028, 0x202F, 0x2581, 0x3000, 0xFEFF, 0xFFFD, 0xF059, 0x378, 0xE0001, 0x10FFFF)]


def bert(clean, ideographs, accents, lower):
    return {"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": ideographs,
            "strip_accents": accents, "lowercase": lower}


def strip(left, right):
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def replace(kind, pattern, content):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def sequence(key, *members):
    return {"type": "Sequence", key: list(members)}


LOWER, ACCENTS, NMT = {"type": "Lowercase"}, {"type": "StripAccents"}, {"type": "Nmt"}
SWEPT = FORMS + [bert(True, True, None, True), bert(False, False, True, False), LOWER, ACCENTS, NMT]
NORMALIZERS = SWEPT + [
    bert(True, True, None, False), bert(True, True, False, True), {"type": "ByteLevel"},
    {"type": "Prepend", "prepend": "\u2581"}, {"type": "Prepend", "prepend": "x\u00e9"},
    strip(True, True), strip(False, True), strip(True, False),
    replace("String", " ", "\u2581"), replace("String", "", "\u0301"), replace("String", "``", "\""),
    replace("String", "a", "twenty bytes or more of it"), replace("Regex", " {2,}", " "),
    replace("Regex", " +", ""), replace("Regex", "\\s+", " "), replace("Regex", "\\s{2,}", "_"),
    replace("Regex", "\\p{M}+", ""), replace("Regex", "^\\s+|\\s+$", "-"), replace("Regex", "o*", "0"),
    replace("Regex", "(?<=[a-z])(?=\\S)", "\u0301"), replace("Regex", "(?i:the|O)\\b", "\u00e9\u4e00"),
    replace("Regex", "[^\\w\\s]|(.)\\1", " "),
    sequence("normalizers"),
    sequence("normalizers", {"type": "Prepend", "prepend": "\u2581"}, replace("String", " ", "\u2581")),
    sequence("normalizers", FORMS[0], replace("Regex", "\\s+", " "), LOWER),
    sequence("normalizers", sequence("normalizers", NMT, FORMS[2]), strip(True, True), FORMS[1]),
    sequence("normalizers", FORMS[3], ACCENTS, LOWER, replace("Regex", " {2,}", " ")),
]

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BYTES, FUSE = {"type": "ByteFallback"}, {"type": "Fuse"}


def word_piece(prefix, cleanup):
    return {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}


def metaspace(replacement, scheme):
    return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": True}


def strip_pieces(content, start, stop):
    return {"type": "Strip", "content": content, "start": start, "stop": stop}


def ctc(pad, delimiter, cleanup):
    return {"type": "CTC", "pad_token": pad, "word_delimiter_token": delimiter, "cleanup": cleanup}


DECODERS = [
    BYTE_LEVEL, BYTES, FUSE, word_piece("##", True), word_piece("##", False), word_piece("", True),
    metaspace("\u2581", "always"), metaspace("\u2581", "never"), metaspace("_", "first"),
    {"type": "BPEDecoder", "suffix": "</w>"}, {"type": "BPEDecoder", "suffix": ""},
    strip_pieces(" ", 1, 0), strip_pieces("a", 2, 0), strip_pieces("a", 0, 2),
    replace("String", "\u2581", " "), replace("String", "", "x"), replace("Regex", "\\s+", "-"),
    replace("Regex", "a|'(?=m)", "\u00e9"), replace("Regex", "[a#]*", "_"),
    ctc("<pad>", "|", True), ctc("a", "|", False), ctc("", "", True),
    sequence("decoders"), sequence("decoders", sequence("decoders", FUSE), BYTE_LEVEL),
    sequence("decoders", replace("String", "\u2581", " "), BYTES, FUSE, strip_pieces(" ", 1, 0)),
]
PIECES = list("aaabAZ .,?!'|_#") + [
    "\u2581", "\u2581\u2581", "##", "</w>", "<pad>", "n't", " n't", "'m", " 's", "do not", " do not",
    "'ve", " ' ", "\u0120", "\u010A", "\u00e9", "\u6f22", "<0x41>", "<0xE6>", "<0xBC>", "<0xA2>",
    "<0xFF>", "<0x+1>", "<0xg1>", "<0x0>", "\u00e6\u00bc\u00a2", "\u00e6\u00bc", "\u00f0\u0141\u013a"]


def tokenizer(**parts):
    made = json.loads(Tokenizer(models.WordLevel({"u": 0}, unk_token="u")).to_str())
    return Tokenizer.from_str(json.dumps(made | parts))


def some_text(rng):
    pieces = []
    for _ in range(rng.choice((1, 2, 4, 8, 16))):
        kind = rng.random()
        if kind < 0.06:
            pieces.append(rng.choice(LETTERS + MARKS) * rng.randrange(1, 40))
        elif kind < 0.45:
            pieces.append(rng.choice(LETTERS))
        elif kind < 0.7:
            pieces.append(rng.choice(MARKS))
        elif kind < 0.85:
            pieces.append(rng.choice(SPECIAL))
        elif kind < 0.95:
            pieces.append(rng.choice(("The quick Brown fox ", "jumps  over", "\u0421\u043b\u043e\u0432\u043e ")))
        else:
            pieces.append(chr(rng.choice(POINTS)))
    return "".join(pieces)


def answer(ask):
    """None where the library panics."""
    try:
        return ask()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


def normalizer_line(part, rng):
    whole = tokenizer(normalizer=part)
    whole.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    cases = []
    for text in [""] + [some_text(rng) for _ in range(40)]:
        form = answer(lambda: whole.normalizer.normalize_str(text))
        if form is not None:
            offsets = whole.encode(text, add_special_tokens=False).offsets
            cases.append([text, form, [place for pair in offsets for place in pair]])
    return {"normalizer": part, "cases": cases}


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def sweep_line(part):
    normalize = tokenizer(normalizer=part).normalizer.normalize_str
    sums = []
    for first in range(0, 0x110000, 4096):
        points = [chr(c) for c in range(first, first + 4096) if not 0xD800 <= c < 0xE000]
        text = "".join("A%sx%s\u0301 " % (c, c) for c in points)
        sums.append("%016x" % fnv(normalize(text).encode()))
    return {"normalizer": part, "sweep": sums}


def decoder_line(part, rng):
    decoder = tokenizer(decoder=part).decoder
    cases = []
    for _ in range(60):
        pieces = ["".join(rng.choices(PIECES, k=rng.choice((0, 1, 1, 1, 2, 4))))
                  for _ in range(rng.randrange(1, 7))]
        if rng.random() < 0.3:
            pieces.append(pieces[-1])
        text = answer(lambda: decoder.decode(pieces))
        if text is not None:
            cases.append([pieces, text])
    return {"decoder": part, "cases": cases}


def write(name, lines):
    raw = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (FOLDER / name).write_bytes(gzip.compress(raw.encode("ascii"), 9, mtime=0))


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    rng = random.Random(seed)
    write("normalizers.jsonl.gz",
          [normalizer_line(part, rng) for part in NORMALIZERS] + list(map(sweep_line, SWEPT)))
    write("decoders.jsonl.gz", [decoder_line(part, rng) for part in DECODERS])


if __name__ == "__main__":
    main()
