"""Runs the four suites on this machine through every path and writes what came of them.

usage: python bench/suites --program PARTERRE [--quick] [OPTION…]    see scripts/suites.sh
       python bench/suites --report RESULTS.json… [--out NAME.json]

Results are NAME.json (raw), NAME.md and NAME.svg; --report writes the latter two anew, and joins
runs of several models. All that ran is in them even where a step failed; then the exit status is 1.
"""

import argparse
import datetime
import json
import os
import pathlib
import shlex
import time
from typing import Callable, Collection

import agreement
import machine
import measure
import models
import run_report
import servers
from cells import PATHS

# Small enough that no step of the curve that a server measures first takes long.
QUICK_FLAGS = ["--device", "cpu", "--workers", "1", "--max-batch-tokens", "512"]
# Where the plug-in is: the variable, else beside the program.
FA4_VARIABLE, FA4_LIBRARY = "PARTERRE_FA4_LIBRARY", "libparterre_fa4.so"
# Dense bfloat16, by its maker's data sheet.
PEAK_TFLOPS = {"NVIDIA H200": "989"}


def some_of(known: Collection[str]) -> Callable[[str], list[str]]:
    """A list of names as a flag's value."""
    def read(text: str) -> list[str]:
        found = text.split(",")
        for name in found:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name}: expected some of {', '.join(known)}")
        return found

    return read


def environment(libraries: str | None) -> dict[str, str]:
    """That of our programs alone; settings in it would change what is measured."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("PARTERRE") or name == FA4_VARIABLE}
    return clean | ({"LD_LIBRARY_PATH": libraries} if libraries else {})


def version_of(program: servers.Program) -> str:
    version = machine.output_of(program.path, "--version", environment=program.environment)
    if version is None:
        raise SystemExit(f"{program.path} cannot be run")
    has_fa4 = os.environ.get(FA4_VARIABLE) or (program.path.parent / FA4_LIBRARY).exists()
    return version + (" with FlashAttention 4's plug-in" if has_fa4 else "")


def run_model(bench: measure.Bench, model: models.Model, paths: list[str]) -> tuple[dict, list]:
    run: dict = {"name": model.name, "title": model.title, "paths": {}}
    failures: list[str] = []
    for path in paths:
        run["paths"][path], failed = measure.run_path(bench, model, path)
        failures += failed
    if "serve" in paths and model.plan.agreement:
        run["agreement"], failed = agreement.check(bench, model)
        failures += failed
    return run, failures


def make_bench(options: argparse.Namespace, gpu: str | None) -> measure.Bench:
    program = servers.Program(options.program.resolve(), options.work,
                              environment(options.libraries))
    flags = (QUICK_FLAGS if options.quick
             else ["--device", options.device, "--dtype", "bfloat16" if gpu else "auto"])
    return measure.Bench(program, flags + options.engine_flags, options.gateway_flags,
                         PEAK_TFLOPS.get(gpu, "0"))


def main(options: argparse.Namespace) -> int:
    begun = time.monotonic()
    found = machine.look("cpu" if options.quick else options.device)
    bench = make_bench(options, found.gpu)
    version = version_of(bench.program)
    made = ([models.tiny(options.work)] if options.quick
            else models.make(options.models, options.work, options.tokenizers))
    now = datetime.datetime.now(datetime.timezone.utc)
    run: dict = {"date": f"{now:%Y-%m-%d %H:%M} UTC", "machine": found._asdict(),
                 "flags": {"engine": bench.model_flags, "ivy": bench.gateway_flags},
                 "version": version,
                 "revision": options.revision or machine.revision(), "models": [], "failures": []}
    out = options.out or models.ROOT / f"bench/results/{now:%Y-%m-%d}-{found.slug}-suites.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    for model in made:
        measured, failures = run_model(bench, model, options.paths)
        run["models"].append(measured)
        run["failures"] += failures
        out.write_text(json.dumps(run, indent=1) + "\n", "utf-8")  # Whatever befalls the next.
        run_report.write(out)
    print(f"\n{out.with_suffix('.md').read_text('utf-8')}\n{out} and beside it .md and .svg, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if run["failures"] else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, help="parterre")
    parser.add_argument("--quick", action="store_true",
                        help="a smoke run of seconds: a tiny model on the CPU")
    parser.add_argument("--models", type=some_of(models.SHAPES), default=list(models.SHAPES),
                        help=f"of {', '.join(models.SHAPES)}")
    parser.add_argument("--paths", type=some_of(PATHS), default=list(PATHS),
                        help=f"of {', '.join(PATHS)}")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--tokenizers", type=pathlib.Path,
                        default=models.ROOT / "tests/data/tokenizers",
                        help="folder with NAME.tokenizer.json.gz or NAME/tokenizer.json[.gz]")
    parser.add_argument("--engine-flags", type=shlex.split, default=[], metavar="FLAGS",
                        help="more of what holds an engine, as one word: ='--cuda-spin-us 0'")
    parser.add_argument("--gateway-flags", type=shlex.split, default=[], metavar="FLAGS",
                        help="more of ivy, as one word")
    parser.add_argument("--libraries", help="LD_LIBRARY_PATH of parterre alone")
    parser.add_argument("--work", type=pathlib.Path,
                        default=models.ROOT / "build/suites",
                        help="where models and logs go and stay")
    parser.add_argument("--revision", help="what the report says of it; default: git's word")
    parser.add_argument("--out", type=pathlib.Path, help="NAME.json to write")
    parser.add_argument("--report", type=pathlib.Path, nargs="+", metavar="RESULTS.json",
                        help="no run: only write the report of this one anew, or of several as one")
    options = parser.parse_args()
    if not options.report and not options.program:
        parser.error("--program is required, but for --report")
    if options.out and options.out.suffix != ".json":  # .md and .svg of this name are written too.
        parser.error(f"--out {options.out}: expected NAME.json")
    if len(options.report or []) > 1 and not options.out:  # The first would hold all from then on.
        parser.error("--report of several runs: expected --out too")
    return options


if __name__ == "__main__":
    given = parse()
    if given.report:
        raise SystemExit(run_report.join(given.report, given.out or given.report[0]))
    given.work.mkdir(parents=True, exist_ok=True)
    raise SystemExit(main(given))
