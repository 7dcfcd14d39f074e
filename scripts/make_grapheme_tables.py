#!/usr/bin/env python3
"""Writes src/text/unicode/grapheme_breaks.cc: what breaks grapheme clusters where, by code point.

usage: make_grapheme_tables.py

Hugging Face `tokenizers` 0.23 cuts clusters by Unicode 17.0. The properties are asked of the
package regex 2025.11.3, which has that version; of `tokenizers` itself one learns that both agree:
with a made-up charsmap, which characters join the one before them, and which the one behind.
"""
import pathlib

import regex

PATH = pathlib.Path(__file__).resolve().parent.parent / "src/text/unicode/grapheme_breaks.cc"
WIDTH = 100
BREAKS = {
    "CR": "kCr",
    "LF": "kLf",
    "Control": "kControl",
    "Extend": "kExtend",
    "ZWJ": "kZwj",
    "Regional_Indicator": "kRegional",
    "Prepend": "kPrepend",
    "SpacingMark": "kSpacingMark",
    "L": "kLead",
    "V": "kVowel",
    "T": "kTrail",
}
SYLLABLES = range(0xAC00, 0xD7A4)  # Computed: grapheme.cc.
LAST = 0x10FFFF


def points(prop):
    pattern = regex.compile(r"\p{%s}" % prop)
    every = (c for c in range(LAST + 1) if not 0xD800 <= c < 0xE000)
    return {c for c in every if pattern.match(chr(c))}


def breaks():
    names = {c: name for prop, name in BREAKS.items() for c in points("GCB=" + prop)}
    for prop, name in (("InCB=Consonant", "kConsonant"), ("Extended_Pictographic", "kPictograph")):
        for c in points(prop):
            assert c not in names, (hex(c), names[c], name)
            names[c] = name
    linkers, extends = points("InCB=Linker"), points("InCB=Extend")
    for c, name in names.items():
        if name == "kExtend" and c in linkers:
            names[c] = "kLinker"
        elif name == "kExtend" and c not in extends:
            names[c] = "kBareExtend"
        else:
            assert (c in extends) == (name in ("kExtend", "kZwj")), (hex(c), name)
    assert points("GCB=LV") == set(SYLLABLES[::28])
    assert points("GCB=LVT") == set(SYLLABLES) - set(SYLLABLES[::28])
    return names


def main():
    names, ranges = breaks(), []
    for c in sorted(names):
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == names[c]:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, names[c]])
    lines, line = [], "   "
    for first, last, name in ranges:
        row = " {0x%X, 0x%X, %s}," % (first, last, name)
        if len(line) + len(row) > WIDTH:
            lines.append(line)
            line = "   "
        line += row
    lines.append(line)
    PATH.write_text(
        """// Made by scripts/make_grapheme_tables.py from regex 2025.11.3 (Unicode 17.0). Do not edit.
// clang-format off
#include "text/unicode/grapheme.h"

namespace text {
namespace {

using enum GraphemeBreak;

constexpr GraphemeBreakRange kRows[] = {
%s
};

}  // namespace

const std::span<const GraphemeBreakRange> kGraphemeBreaks = kRows;

}  // namespace text
"""
        % "\n".join(lines)
    )


if __name__ == "__main__":
    main()
