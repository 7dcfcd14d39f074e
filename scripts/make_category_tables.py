#!/usr/bin/env python3
"""Writes the tables that src/text/unicode/category_tables.h declares, a file for each: what letters,
what other characters are, and what Digits takes for a digit.

usage: make_category_tables.py

Asks the installed Hugging Face `tokenizers` (0.23) about every code point: the general category
that Oniguruma gives it in the pattern of a Split, and what Digits takes for a digit, which goes by
a later version of Unicode. So the tables follow the library, not any one version.
"""
import pathlib

import tokenizers
from tokenizers import Regex, pre_tokenizers

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src/text/unicode"
WIDTH = 100
POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
# As GeneralCategory names them. What has none of these is not assigned.
CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp "
              "Cc Cf Co").split()


def matched(splitter, points):
    """Those of `points` that `splitter` takes away."""
    return {c for c in points if not splitter.pre_tokenize_str(c)}


def category_rows():
    left, category_of = set(POINTS), {}
    for name in CATEGORIES:
        found = matched(pre_tokenizers.Split(Regex(r"\p{%s}" % name), "removed"), left)
        category_of.update((ord(c), name) for c in found)
        left -= found
    rows = []
    for c in sorted(category_of):
        if rows and rows[-1][1] == c - 1 and rows[-1][2] == category_of[c]:
            rows[-1][1] = c
        else:
            rows.append([c, c, category_of[c]])
    return rows


def numeric_rows():
    digits, rows = pre_tokenizers.Digits(), []
    for c in (ord(c) for c in POINTS if len(digits.pre_tokenize_str("!" + c)) > 1):
        if rows and rows[-1][1] == c - 1:
            rows[-1][1] = c
        else:
            rows.append([c, c])
    return ["{0x%X, 0x%X}" % tuple(row) for row in rows]


def table(kind, name, rows):
    lines, line = ["constexpr %s %sRows[] = {" % (kind, name)], "   "
    for row in rows:
        if len(line) + len(row) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += " " + row + ","
    lines += [line, "};", "const std::span<const %s> %s = %sRows;" % (kind, name, name)]
    return "\n".join(lines) + "\n"


def write(file, made):
    head = ("// Made by scripts/make_category_tables.py from the answers of Hugging Face tokenizers\n"
            "// %s. Do not edit.\n// clang-format off\n"
            '#include "text/unicode/category_tables.h"\n\nnamespace text {\n\n')
    (FOLDER / file).write_text(head % tokenizers.__version__ + made + "\n}  // namespace text\n",
                               "ascii")


def main():
    rows = category_rows()
    for file, name, letters in (("letter_categories.cc", "kLetterCategories", True),
                                ("other_categories.cc", "kOtherCategories", False)):
        cells = ["{0x%X, 0x%X, k%s}" % tuple(row) for row in rows
                 if row[2].startswith("L") == letters]
        write(file, "using enum GeneralCategory;\n\n" + table("CategoryRange", name, cells))
    write("numeric_ranges.cc", table("CodePointRange", "kNumericRanges", numeric_rows()))


if __name__ == "__main__":
    main()
