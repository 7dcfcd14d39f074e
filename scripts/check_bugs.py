#!/usr/bin/env python3
"""Checks that docs/bugs.md has a row for each public bug report which says where it was reported,
that the tests which it names exist, and that no test of a report is left out.

usage: check_bugs.py [ROOT]

A test bears the number of its report: BugNN_… in C++, test_bugNN_… in Python. A row is
`| number | fault | reports | tests | outcome |`, reports being `owner/repository#number, …`; one
without tests says why: its outcome begins with "Not applicable:".
"""

import pathlib
import re
import sys

REPORTS = 66
PAGE = "docs/bugs.md"
ROW = re.compile(r"^\| (\d+) \|[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|$")
REPORT = re.compile(r"[\w.-]+/[\w.-]+#\d+")
NAME = re.compile(r"`(\w+)`")
NUMBER = re.compile(r"(?:Bug|test_bug)(\d\d)_")
TESTS = (("src", "*_test.cc", re.compile(r"\bTEST(?:_F|_P)?\(\s*\w+,\s*(Bug\d\d_\w+)\)")),
         ("bench", "*_test.cc", re.compile(r"\bTEST(?:_F|_P)?\(\s*\w+,\s*(Bug\d\d_\w+)\)")),
         ("tests", "*_test.py", re.compile(r"^ *def (test_bug\d\d_\w+)\(", re.MULTILINE)))


def tests_of(root):
    """The names of all tests that bear a number."""
    return {name for top, files, test in TESTS for file in sorted((root / top).rglob(files))
            for name in test.findall(file.read_text("utf-8"))}


def number_of(name):
    match = NUMBER.match(name)
    return match and int(match[1])


def row_faults(number, reports, names, outcome, tests):
    """What is wrong with one row."""
    for report in reports.strip().split(", "):
        if not REPORT.fullmatch(report):
            yield f"report {number}: {report!r} is not owner/repository#number"
    if not names and not outcome.strip().startswith("Not applicable:"):
        yield f"report {number} has no test and does not say why"
    for name in names:
        if number_of(name) != number:
            yield f"report {number}: {name} does not bear its number"
        elif name not in tests:
            yield f"report {number}: there is no test {name}"


def faults(root):
    tests = tests_of(root)
    rows = {}
    for line in (root / PAGE).read_text("utf-8").splitlines():
        if not (match := ROW.match(line)):
            continue
        number, names = int(match[1]), NAME.findall(match[3])
        if number in rows:
            yield f"report {number} has two rows"
        rows[number] = names
        yield from row_faults(number, match[2], names, match[4], tests)
    for number in sorted(set(range(1, REPORTS + 1)) - set(rows)):
        yield f"report {number} has no row"
    for number in sorted(set(rows) - set(range(1, REPORTS + 1))):
        yield f"there is no report {number}"
    for name in sorted(tests):
        if name not in rows.get(number_of(name), ()):
            yield f"report {number_of(name)} does not list {name}"


def main(root):
    found = list(faults(root))
    for fault in found:
        print(f"{PAGE}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here))
