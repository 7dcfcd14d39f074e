#!/usr/bin/env python3
"""Runs clang-tidy over our sources and remembers what was clean, so that a rerun is quick.

usage: tidy.py BUILD_DIR [PATH-PREFIX…]    BUILD_DIR holds compile_commands.json

A source is clean once its content, that of each header of ours below it, its compile command,
.clang-tidy and clang-tidy's version were seen without a finding (BUILD_DIR/tidy holds the hashes).
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG_TIDY = "clang-tidy-22"
# What locks guard is checked beside the findings of clang-tidy's own (src/common/mutex.h). The
# commands are g++'s: clang does not know each of its warnings, nor where its omp.h lies, and calls
# deprecated what g++'s own library uses.
G_PLUS_PLUS_INCLUDE = subprocess.run(
    ["g++", "-print-file-name=include"], capture_output=True, text=True, check=True
).stdout.strip()
CLANG_FLAGS = [
    f"--extra-arg={flag}"
    for flag in ("-Wthread-safety", "-Wno-unknown-warning-option", "-Wno-deprecated-declarations",
                 "-idirafter", G_PLUS_PLUS_INCLUDE)
]
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@functools.cache
def content(file):
    return file.read_bytes()


@functools.cache
def reached(file):
    """`file` and every file of ours that it includes, directly or not."""
    found, waiting = set(), [file]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for name in INCLUDE.findall(content(one)):
            candidates = (ROOT / "src" / name.decode(), one.parent / name.decode())
            waiting += [c for c in candidates if c.is_file()]
    return found


def fingerprint(entry, common):
    digest = hashlib.sha256(common)
    digest.update(entry["command"].encode())
    for file in sorted(reached(pathlib.Path(entry["file"]))):
        digest.update(str(file).encode() + b"\0" + content(file))
    return digest.hexdigest()


def is_product(file):
    """Tests are left out: GoogleTest's macros double the time and are most of what is found."""
    return file.endswith(".cc") and not file.endswith("_test.cc")


def tidy(entry, build, clean):
    """clang-tidy's findings in one source; empty if it is clean."""
    if clean.exists():
        return ""
    run = subprocess.run(
        [CLANG_TIDY, "--quiet", "-p", str(build), *CLANG_FLAGS, entry["file"]],
        capture_output=True, text=True, check=False,
    )
    if run.returncode == 0:
        clean.touch()
        return ""
    return run.stdout + (run.stderr if not run.stdout.strip() else "")


def main(build, prefixes):
    cache = build / "tidy"
    cache.mkdir(exist_ok=True)
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + content(ROOT / ".clang-tidy")
    starts = tuple(str(ROOT / prefix) for prefix in prefixes or ["src/", "apps/", "bench/"])
    entries = json.loads((build / "compile_commands.json").read_text("utf-8"))
    entries = [e for e in entries if e["file"].startswith(starts) and is_product(e["file"])]
    entries = list({entry["file"]: entry for entry in entries}.values())
    keys = {entry["file"]: fingerprint(entry, common) for entry in entries}
    for stale in set(os.listdir(cache)) - set(keys.values()) if not prefixes else ():
        (cache / stale).unlink()
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(tidy, e, build, cache / keys[e["file"]]) for e in entries]
        for run in concurrent.futures.as_completed(runs):
            if findings := run.result():
                print(findings, flush=True)
                faults += 1
    print(f"clang-tidy: {len(entries)} sources, {faults} with findings")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
