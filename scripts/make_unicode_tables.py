#!/usr/bin/env python3
"""Writes the tables that src/text/unicode/tables.h declares, a file for each kind.

usage: make_unicode_tables.py UNICODE_SETS_JSON_GZ

UNICODE_SETS_JSON_GZ holds, rule by rule, which code points Hugging Face `tokenizers` strips,
removes, splits at, lowercases, decomposes and reorders (../shared/cases/tokenizers, see
CONTRIBUTING.md; make_unicode_sets.py makes it there by asking the library about every code point).
The rest is asked of the installed `tokenizers` (0.23) here, in the same way: what is a word
character for an added token with single_word, what the normalizer StripAccents drops, and what NFKD
makes of a character that NFD does not. So the tables follow the library, not any one version of
Unicode.
"""
import gzip
import json
import pathlib
import sys

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src/text/unicode"
WIDTH = 100
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
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
    return to_ranges(c for c in POINTS if found not in tokenizer.encode(chr(c) + "<>").ids)


def marks():
    """What the normalizer StripAccents drops: more than BertNormalizer does."""
    strip = normalizers.StripAccents().normalize_str
    return to_ranges(c for c in POINTS if strip("a" + chr(c)) == "a")


def compatibility_runs():
    """[first code point, parts of each, all parts] for neighbours that decompose into as many parts
    under NFKD, and otherwise than under NFD."""
    nfd, nfkd = normalizers.NFD().normalize_str, normalizers.NFKD().normalize_str
    runs, last = [], None
    for c in POINTS:
        parts = nfkd(chr(c))
        if parts == nfd(chr(c)):
            continue
        if runs and last == c - 1 and runs[-1][1] == len(parts):
            runs[-1][2] += parts
        else:
            runs.append([c, len(parts), parts])
        last = c
    return runs


def literal(text):
    def escaped(c):
        if c in '"\\?':  # "??" could begin a trigraph.
            return "\\" + c
        if ord(c) < 0x80:
            return c
        return "\\u%04X" % ord(c) if ord(c) < 0x10000 else "\\U%08X" % ord(c)
    return ['U"%s"' % "".join(map(escaped, text[at:at + 14])) for at in range(0, len(text), 14)]


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
    """`rows` are strings, or lists of strings between which a line may end."""
    lines, line = ["constexpr %s %sRows[] = {" % (kind, name)], "   "
    for row in rows:
        parts = [row] if isinstance(row, str) else row
        for part in parts[:-1] + [parts[-1] + ","]:
            if len(line) + len(part) + 1 > WIDTH:
                lines.append(line)
                line = "   "
            line += " " + part
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

    ranges = [(name, sets[key]) for name, key in SETS] + [
        ("kMarks", marks()), ("kWordCharacters", word_characters())]
    write("character_sets.cc",
          "%s (sets) and %s (marks, word characters)" % (version, tokenizers.__version__),
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
    write("composition_rows.cc", version,
          table("Composition", "kCompositions",
                ["{0x%X, 0x%X, 0x%X}" % (*map(ord, pair), ord(maps["compose"][pair]))
                 for pair in sorted(maps["compose"])]))
    write("compatibility_runs.cc", tokenizers.__version__,
          table("CompatibilityRun", "kCompatibilityRuns",
                [["{0x%X, %d, %s" % (first, parts, text[0])] + text[1:-1] + [text[-1] + "}"]
                 if len(text) > 1 else "{0x%X, %d, %s}" % (first, parts, text[0])
                 for first, parts, text in
                 ((f, n, literal(t)) for f, n, t in compatibility_runs())]))


if __name__ == "__main__":
    main()
