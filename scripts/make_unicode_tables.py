#!/usr/bin/env python3
"""Writes the tables that src/text/unicode/tables.h declares, a file for each kind.

usage: make_unicode_tables.py UNICODE_SETS_JSON_GZ

UNICODE_SETS_JSON_GZ holds, rule by rule, which code points Hugging Face `tokenizers` strips,
removes, splits at, lowercases, decomposes and reorders (../shared/cases/tokenizers, where
make_unicode_sets.py makes it by asking the library about every code point). What is a word
character for an added token with single_word is asked of the installed `tokenizers` (0.23) here,
in the same way. So the tables follow the library, not any one version of Unicode.
"""
import gzip
import json
import pathlib
import sys

import tokenizers
from tokenizers import AddedToken, Tokenizer, models

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src/text/unicode"
WIDTH = 100
SETS = (
    ("kRemovedByCleaning", "bert_clean_removed"),
    ("kWhitespace", "whitespace"),
    ("kIdeographs", "bert_spaces_around"),
    ("kAccents", "bert_stripped"),
    ("kPunctuation", "bert_split_alone"),
)


def to_ranges(points):
    ranges = []
    for c in sorted(points):
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    return ranges


def word_characters():
    """The code points that keep an added token with single_word from matching beside them."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.add_tokens([AddedToken("<>", single_word=True, normalized=False)])
    (found,) = tokenizer.encode("<>").ids
    points = (c for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    return to_ranges(c for c in points if found not in tokenizer.encode(chr(c) + "<>").ids)


def lower_runs(lower):
    """Code points a fixed stride apart whose lower case lies a fixed distance away, as runs."""
    runs = []
    for c in sorted(lower):
        delta = lower[c] - c
        if runs:
            first, last, stride, d = runs[-1]
            if d == delta and (c - last == stride or (first == last and c - last <= 2)):
                runs[-1] = (first, c, c - last, d)
                continue
        runs.append((c, c, 1, delta))
    return runs


def class_ranges(classes):
    ranges = []
    for c in sorted(classes):
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == classes[c]:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, classes[c]])
    return ranges


def table(kind, name, rows):
    lines, line = ["constexpr %s %sRows[] = {" % (kind, name)], "   "
    for row in rows:
        if len(line) + len(row) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += " " + row + ","
    lines += [line, "};", "const std::span<const %s> %s = %sRows;" % (kind, name, name)]
    return "\n".join(lines) + "\n"


def write(file, made_from, *tables):
    head = ("// Made by scripts/make_unicode_tables.py from the answers of Hugging Face tokenizers\n"
            "// %s. Do not edit.\n// clang-format off\n"
            '#include "text/unicode/tables.h"\n\nnamespace text {\n\n' % made_from)
    (FOLDER / file).write_text(head + "\n".join(tables) + "\n}  // namespace text\n", "ascii")


def main():
    data = json.load(gzip.open(sys.argv[1]))
    sets, maps, version = data["sets"], data["maps"], data["tokenizers"]
    # The one lower case of two code points is written out in characters.cc.
    assert [k for k, v in maps["lower"].items() if len(v) > 1] == ["0130"]
    lower = {int(k, 16): ord(v) for k, v in maps["lower"].items() if len(v) == 1}
    nfd = {int(k, 16): v for k, v in maps["nfd"].items()}
    assert max(map(len, nfd.values())) == 4
    classes = {int(k, 16): v for k, v in maps["combining_class"].items()}

    ranges = [(name, sets[key]) for name, key in SETS] + [("kWordCharacters", word_characters())]
    write("character_sets.cc",
          "%s (sets) and %s (word characters)" % (version, tokenizers.__version__),
          *(table("CodePointRange", name, ["{0x%X, 0x%X}" % tuple(r) for r in rows])
            for name, rows in ranges))
    write("combining_classes.cc", version,
          table("CombiningClassRange", "kCombiningClasses",
                ["{0x%X, 0x%X, %d}" % tuple(r) for r in class_ranges(classes)]))
    write("lower_runs.cc", version,
          table("LowerRun", "kLowerRuns", ["{0x%X, 0x%X, %d, %d}" % r for r in lower_runs(lower)]))
    write("decompositions.cc", version,
          table("Decomposition", "kDecompositions",
                ["{0x%X,{%s}}" % (c, ",".join("0x%X" % ord(p) for p in nfd[c]))
                 for c in sorted(nfd)]))


if __name__ == "__main__":
    main()
