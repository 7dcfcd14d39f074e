#!/usr/bin/env python3
"""Checks that every path named in README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ exists, that a
table's column "lines" is true, and that docs/metrics.md lists the metrics that sources register.

usage: check_docs.py [ROOT]

A path is a `code span` that begins with a top folder of the tree, or a relative link. `*` matches
as in a shell, {a,b} expands, and <name> stands for any name. What a build or a fetch makes is left
out. In a table with a column "lines", that is how many the file in the column before it has.
"""

import glob
import pathlib
import re
import sys

MADE = ("build/", "models/", ".cache/")
SPAN = re.compile(r"`([^`\s]+)`")
LENGTH = re.compile(r"\| `([^`\s]+)` \| (\d+) \|")
METRIC = re.compile(r'"(parterre_[a-z0-9_]+)"')
LISTED_METRIC = re.compile(r"^\| `(parterre_[a-z0-9_]+)` \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)")


def expand(pattern):
    """a{b,c}d → abd, acd."""
    match = re.search(r"\{([^{}]*,[^{}]*)\}", pattern)
    if not match:
        return [pattern]
    head, tail = pattern[: match.start()], pattern[match.end() :]
    return [path for choice in match[1].split(",") for path in expand(head + choice + tail)]


def exists(base, path):
    pattern = re.sub(r"<[^<>]*>", "*", path)
    return all(glob.glob(str(base / one)) for one in expand(pattern))


def named_paths(line, root, page):
    """(folder that it is relative to, path) of each path that `line` names."""
    tops = tuple(f"{top.name}/" for top in root.iterdir() if top.is_dir())
    for span in SPAN.findall(line):
        if span.removeprefix("./").startswith(tops) and not span.startswith(MADE):
            yield root, span
    for link in LINK.findall(line):
        yield page.parent, link


def page_faults(page, root):
    """(line, what) of each fault of a page."""
    counts_lines = False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        for base, path in named_paths(line, root, page):
            if not exists(base, path):
                yield number, f"there is no {path}"
        counts_lines = line.startswith("|") and (counts_lines or "| lines |" in line)
        match = LENGTH.search(line) if counts_lines else None
        if match and (root / match[1]).is_file():
            lines = len((root / match[1]).read_text("utf-8").splitlines())
            if lines != int(match[2]):
                yield number, f"{match[1]} has {lines} lines, not {match[2]}"


def metric_faults(root):
    """What docs/metrics.md lists and no source registers, or the other way round."""
    page = root / "docs/metrics.md"
    if not page.is_file():
        return
    sources = [file for top in ("src", "apps") for file in (root / top).rglob("*.cc")
               if not file.name.endswith("_test.cc") and "rose" not in file.parts]  # It has none.
    registered = {name for file in sources for name in METRIC.findall(file.read_text("utf-8"))}
    listed = set(LISTED_METRIC.findall(page.read_text("utf-8")))
    for name in sorted(registered - listed):
        yield f"docs/metrics.md: does not list {name}"
    for name in sorted(listed - registered):
        yield f"docs/metrics.md: no source registers {name}"


def main(root):
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages = [page for page in pages if page.is_file()] + sorted((root / "docs").rglob("*.md"))
    faults = 0
    for page in pages:
        for number, fault in page_faults(page, root):
            print(f"{page.relative_to(root)}:{number}: {fault}")
            faults += 1
    for fault in metric_faults(root):
        print(fault)
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here))
