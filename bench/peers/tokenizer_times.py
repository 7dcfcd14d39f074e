#!/usr/bin/env python3
"""Times `parterre bench tokenizer` beside other tokenizers, on the same texts, cores and minutes.

usage: tokenizer_times.py [--program PATH] [--suite FOLDER] [--rounds N] [--seconds S] [--core N]
                          [--only TOKENIZER] [--engines NAME,NAME] [--out FILE.md]

FOLDER (default ../shared/bench/tokenizers, see CONTRIBUTING.md) holds the texts and engines.py,
which times the others through their Python bindings; those are imported by the Python that runs
this (docs/benchmarks.md names them). Engines take turns; of each figure the lowest median of all
rounds counts. "warm": texts seen before; "first": every text once in a new process, after 40 texts
of the other set. Each process is bound to one core. The ratio is ours to the fastest other
engine's.
"""
import argparse
import gzip
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("PARTERRE_SHARED", ROOT.parent / "shared"))
PEERS = {"xlmr": ("tokie", "sentencepiece", "hf_encode_fast"),
         "qwen3": ("gigatoken", "fastokens", "tokie", "hf_encode_fast"),
         "bert": ("nanotoken", "tokie", "hf_encode_fast")}
OTHER = {"english": "multilingual", "multilingual": "english"}
WARM_LENGTHS, FIRST_LENGTHS = (32, 128, 514, 4096), (32, 128, 514, 4096)


def prepare(suite, work):
    """Writes texts and tokenizer.json files, without truncation and padding, to `work`."""
    subprocess.run([sys.executable, suite / "expand.py", suite / "texts.json.gz", work / "texts"],
                   check=True)
    for name in PEERS:
        packed = ROOT / "tests/data/tokenizers" / (name + ".tokenizer.json.gz")
        tokenizer = json.loads(gzip.open(packed).read())
        tokenizer["truncation"] = tokenizer["padding"] = None
        (work / (name + ".json")).write_text(json.dumps(tokenizer))
    subprocess.run([sys.executable, suite / "make_spm.py", work / "xlmr.json", work / "xlmr.model"])


class Bench:
    def __init__(self, options, work):
        self.options, self.work, self.best = options, work, {}

    def run(self, command):
        result = subprocess.run(["taskset", "-c", str(self.options.core), *map(str, command)],
                                capture_output=True, text=True)
        if result.returncode != 0:
            print("%s: %s" % (command[:3], result.stderr.strip()[-300:]), file=sys.stderr)
        return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]

    def note(self, engine, name, texts, length, mode, p50):
        key = (name, texts, int(length), mode, engine)
        self.best[key] = min(p50, self.best.get(key, p50))

    def ours(self, name):
        for texts in OTHER:
            for length in WARM_LENGTHS:
                file = self.work / "texts" / ("%s-%s-%d.bin" % (name, texts, length))
                other = self.work / "texts" / ("%s-%s-%d.bin" % (name, OTHER[texts], length))
                for row in self.run([self.options.program, "bench", "tokenizer", "--tokenizer",
                                     self.work / (name + ".json"), "--texts", file, "--warm-up",
                                     other, "--seconds", self.options.seconds]):
                    self.note("parterre", name, texts, length, "warm", row["p50"])
                    self.note("parterre", name, texts, length, "first", row["first_p50"])

    def peer(self, engine, name):
        command = [sys.executable, self.options.suite / "engines.py", engine, name,
                   self.work / (name + ".json"), self.work / "texts", self.options.seconds]
        rows = self.run(command)
        for texts in OTHER:
            for length in FIRST_LENGTHS:
                rows += self.run(command + ["%s-%d" % (texts, length)])
        for row in rows:
            self.note(engine, name, row["set"], row["length"], row["mode"], row["p50"])

    def table(self):
        lines = []
        for name in PEERS:
            engines = ["parterre"] + [e for e in PEERS[name] if any(k[4] == e for k in self.best)]
            if not any(k[0] == name for k in self.best):
                continue
            lines += ["", "### " + name, "", "| texts | tokens | | %s | ratio |" % " | ".join(engines),
                      "| --- " * (len(engines) + 4) + "|"]
            for texts, length, mode in sorted({k[1:4] for k in self.best if k[0] == name},
                                              key=lambda k: (k[2] == "first", k[0], k[1])):
                times = [self.best.get((name, texts, length, mode, e)) for e in engines]
                others = [t for t in times[1:] if t is not None]
                ratio = "%.2f" % (times[0] / min(others)) if others and times[0] else "-"
                lines.append("| %s | %d | %s | %s | %s |" % (
                    texts, length, mode, " | ".join("-" if t is None else "%.2f" % t for t in times),
                    ratio))
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=str(ROOT / "build/bin/parterre"))
    parser.add_argument("--suite", type=pathlib.Path, default=SHARED / "bench/tokenizers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", default="0.4")
    parser.add_argument("--core", type=int, default=os.cpu_count() - 1)
    parser.add_argument("--only", choices=PEERS)
    parser.add_argument("--engines", default="", help="names with commas; default: all")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(options, pathlib.Path(work))
        prepare(options.suite, bench.work)
        for _ in range(options.rounds):
            for name in PEERS:
                if options.only in (None, name):
                    bench.ours(name)
                    for engine in PEERS[name]:
                        if options.engines and engine not in options.engines.split(","):
                            continue
                        bench.peer(engine, name)
        report = ("Microseconds a text, lowest median of %d rounds, one core of %s.\n%s"
                  % (options.rounds, platform.processor() or platform.machine(), bench.table()))
    print(report)
    if options.out:
        options.out.write_text(report)


if __name__ == "__main__":
    main()
