#!/usr/bin/env python3
"""Checks that every path named in README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ exists.

usage: check_docs.py [ROOT]

A path is a `code span` that begins with a top folder of the tree, or a relative link. `*` matches
as in a shell, {a,b} expands, and <name> stands for any name. What a build or a fetch makes is left
out.
"""

import glob
import pathlib
import re
import sys

MADE = ("build/", "models/", ".cache/")
SPAN = re.compile(r"`([^`\s]+)`")
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


def main(root):
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages = [page for page in pages if page.is_file()] + sorted((root / "docs").rglob("*.md"))
    faults = 0
    for page in pages:
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            for base, path in named_paths(line, root, page):
                if not exists(base, path):
                    print(f"{page.relative_to(root)}:{number}: there is no {path}")
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here))
