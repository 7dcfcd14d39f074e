#!/usr/bin/env python3
"""Writes src/text/unicode/category_tables.cc: the categories of characters that pre-tokenizers see.

usage: make_category_tables.py

Asks the installed Hugging Face `tokenizers` (0.23) about every code point: Oniguruma's \\p{L},
\\p{N}, \\p{M} and \\d in the pattern of a Split, and what Digits takes for one, which goes by a
later version of Unicode. So the tables follow the library, not any one version.
"""
import pathlib

import tokenizers
from tokenizers import Regex, pre_tokenizers

FILE = pathlib.Path(__file__).resolve().parent.parent / "src/text/unicode/category_tables.cc"
WIDTH = 100
POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TABLES = (
    ("kLetterRanges", pre_tokenizers.Split(Regex(r"\p{L}"), "isolated")),
    ("kNumberRanges", pre_tokenizers.Split(Regex(r"\p{N}"), "isolated")),
    ("kMarkRanges", pre_tokenizers.Split(Regex(r"\p{M}"), "isolated")),
    ("kDecimalDigitRanges", pre_tokenizers.Split(Regex(r"\d"), "isolated")),
    ("kNumericRanges", pre_tokenizers.Digits()),
)


def ranges(splitter):
    """The code points that `splitter` takes apart from one that it does not match."""
    found = []
    for c in POINTS:
        if len(splitter.pre_tokenize_str("!" + c)) == 1:
            continue
        if found and found[-1][1] == ord(c) - 1:
            found[-1][1] = ord(c)
        else:
            found.append([ord(c), ord(c)])
    return found


def table(name, rows):
    lines, line = ["constexpr CodePointRange %sRows[] = {" % name], "   "
    for first, last in rows:
        row = " {0x%X, 0x%X}," % (first, last)
        if len(line) + len(row) > WIDTH:
            lines.append(line)
            line = "   "
        line += row
    lines += [line, "};", "const std::span<const CodePointRange> %s = %sRows;" % (name, name)]
    return "\n".join(lines) + "\n"


def main():
    head = ("// Made by scripts/make_category_tables.py from the answers of Hugging Face tokenizers\n"
            "// %s. Do not edit.\n// clang-format off\n"
            '#include "text/unicode/category_tables.h"\n\nnamespace text {\n\n')
    FILE.write_text(head % tokenizers.__version__ +
                    "\n".join(table(name, ranges(splitter)) for name, splitter in TABLES) +
                    "\n}  // namespace text\n", "ascii")


if __name__ == "__main__":
    main()
