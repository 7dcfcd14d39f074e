"""Runs `parterre bench` on one path after the other and keeps what it reports."""

import contextlib
import json
import pathlib
import subprocess
import tempfile
import time
from typing import Any, Iterator, NamedTuple

import rows
import servers
from cells import SUITES, Plan
from models import Model

CALL_LIMIT_S = 150
BULK_WARMUP = 1  # Requests of each client: they take seconds.

Report = dict[str, Any]


class Target(NamedTuple):
    """Where requests go, as flags of `parterre bench`, and the logs of what answers them."""

    flags: list[str]
    takes_text: bool
    logs: list[pathlib.Path]


class Bench(NamedTuple):
    program: servers.Program
    model_flags: list[str] = []    # Of what holds an engine,
    gateway_flags: list[str] = []  # and of ivy.
    peak_tflops: str = "0"         # The machine's; 0: not known.


def joined(values: list[Any]) -> str:
    return ",".join(map(str, values))


def suite_flags(suite: str, plan: Plan) -> list[str]:
    """The suite's name and cells, for `parterre bench`."""
    length = ["--lengths", str(plan.length)]
    seconds = ["--seconds", str(plan.seconds), "--warmup", str(plan.warmup)]
    flags = {
        "latency": ["--lengths", joined(plan.latency_lengths), "--requests", str(plan.requests),
                    *seconds],
        "scoring": ["--batch", joined(plan.scoring_batches), *length,
                    "--requests", str(plan.requests), *seconds],
        "throughput": ["--batch", str(plan.throughput_batch),
                       "--lengths", joined(plan.throughput_lengths),
                       "--connections", str(plan.throughput_clients),
                       "--warmup", str(BULK_WARMUP),
                       "--requests", str(plan.bulk_requests), "--seconds", str(plan.bulk_seconds)],
        "concurrency": [*length, "--connections", joined(plan.concurrency), *seconds],
    }
    return [suite, *flags[suite]]


@contextlib.contextmanager
def target(bench: Bench, model: Model, path: str) -> Iterator[Target]:
    flags = ["--model", str(model.folder), *bench.model_flags]
    if path == "engine":
        yield Target(["--engine", *flags], False, [])
        return
    start = {"serve": lambda: servers.serve(bench.program, model.name, flags),
             "ivy": lambda: servers.ivy(bench.program, model.name, flags,
                                        ["--model", str(model.folder), *bench.gateway_flags])}
    with start[path]() as serving:
        yield Target(["--url", serving.url, "--metrics-url", serving.metrics], True, serving.logs)


def without_places(report: Report, model: Model) -> Report:
    """Where a run's files lay says nothing of it: names in place of paths."""
    report["target"] = report["target"].replace(str(model.folder), model.name)
    report["reference"]["file"] = model.reference.name
    return report


def run_bench(bench: Bench, model: Model, flags: list[str], asked: Target) -> Report:
    """One call of `parterre bench`, and its report."""
    text = ["--tokenizer", str(model.folder)] if asked.takes_text else []
    if flags[0] in ("concurrency", "open"):
        text += ["--input", "text" if asked.takes_text else "ids"]
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        command = [str(bench.program.path), "bench", *flags, *asked.flags, *text,
                   "--peak-tflops", bench.peak_tflops, "--roofline-model", str(model.folder),
                   "--vocabulary", str(model.vocabulary), "--reference", str(model.reference),
                   "--json", file.name]
        try:
            ran = subprocess.run(command, env=bench.program.environment, timeout=CALL_LIMIT_S,
                                 capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            said = f"{' '.join(command)}\nnot done within {CALL_LIMIT_S} s"
            raise servers.Failure(said) from None
        print(ran.stdout, end="", flush=True)
        if ran.returncode != 0:
            raise servers.Failure(f"{' '.join(command)}\nfailed:\n{ran.stderr.strip()}")
        return without_places(json.load(file), model)


def open_flags(plan: Plan, reports: list[Report]) -> list[str]:
    """Arrivals at shares of what the most clients at once came to."""
    closed = rows.results(reports, "concurrency")
    most = max(result.inputs_per_s for result in closed.values())
    return ["open", "--length", str(plan.length), "--seconds", str(plan.seconds),
            "--rates", joined([round(most * load, 1) for load in plan.open_loads])]


class PathRun(NamedTuple):
    """Reports of one path, and what failed on it."""

    reports: list[Report]
    failures: list[str]

    def add(self, bench: Bench, model: Model, flags: list[str], asked: Target, place: str) -> None:
        print(f"\n== {place}, {flags[0]}\n", flush=True)
        begun = time.monotonic()
        try:
            self.reports.append(run_bench(bench, model, flags, asked))
        except servers.Failure as failure:
            said = "\n".join(servers.tail(log) for log in asked.logs)
            self.failures.append(f"{place}, {flags[0]}: {failure}\n{said}".strip())
            print(self.failures[-1])
        print(f"({time.monotonic() - begun:.1f} s)", flush=True)


def run_path(bench: Bench, model: Model, path: str) -> PathRun:
    """Every suite; serve has an open loop behind them."""
    run = PathRun([], [])
    place = f"{model.name}, {path}"
    try:
        with target(bench, model, path) as asked:
            for suite in SUITES:
                run.add(bench, model, suite_flags(suite, model.plan), asked, place)
            if path == "serve" and rows.of_suite(run.reports, "concurrency"):
                run.add(bench, model, open_flags(model.plan, run.reports), asked, place)
    except servers.Failure as failure:
        run.failures.append(f"{place}: {failure}")
        print(run.failures[-1], flush=True)
    return run
