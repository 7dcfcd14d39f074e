"""Runs the four suites on the CPU for Parterre and for ONNX Runtime and OpenVINO behind a plain
server, on the same cores, in turns, and writes tables.

usage: python bench/suites/beside_cpu.py --program PARTERRE --models FOLDER… --out NAME.json
                                         [--rounds N] [--suites NAME…]

FOLDERs are made by bench/peers/model.py. All are asked by `parterre bench` over HTTP, and each has
to agree with PyTorch's vectors before it is timed. A round runs each suite on each engine, one
after the other, forwards and backwards; the others' servers sleep meanwhile. NAME.json holds what
each round reported, NAME.md medians over the rounds.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import statistics
import sys
from typing import Any, ContextManager

import cpu_report
import engines
import instruction_sets
import machine
import measure
import servers
from cells import CPU, SUITES
from models import ROOT, Model

SERVER = pathlib.Path(engines.__file__).with_name("serve_onnx.py")


def parterre(folder: pathlib.Path, dtype: str, program: servers.Program) -> ContextManager:
    flags = ["--model", str(folder), "--device", "cpu", "--dtype", dtype]
    return servers.serve(program, f"{folder.name}-{dtype}", flags)


def peer(engine: str, folder: pathlib.Path, dtype: str, logs: pathlib.Path) -> ContextManager:
    python = servers.Program(pathlib.Path(sys.executable), logs, dict(os.environ))
    arguments = ["-W", "ignore", str(SERVER), "--engine", engine, "--model", str(folder),
                 "--dtype", dtype]
    return servers.listening(python, f"{folder.name}-{engine}-{dtype}", arguments)


def all_engines(folder: pathlib.Path, program: servers.Program) -> dict[str, ContextManager]:
    """By name, Parterre in each precision first."""
    dtypes = ["float32", "bfloat16"] if instruction_sets.has_bfloat16() else ["float32"]
    return {**{f"Parterre, {dtype}": parterre(folder, dtype, program) for dtype in dtypes},
            "ONNX Runtime, float32": peer("onnxruntime", folder, "float32", program.logs),
            **{f"OpenVINO, {dtype}": peer("openvino", folder, dtype, program.logs)
               for dtype in dtypes}}


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def tokens_of(report: measure.Report, model: Model) -> int:
    """All that a server was asked for a report: for its rows, to warm up, and as reference."""
    inputs = json.loads(model.reference.read_text("utf-8"))["inputs"]
    tokens = 2 * sum(len(one["ids"]) for one in inputs)  # Alone, and all together.
    for suite in report["suites"]:
        warmup = measure.BULK_WARMUP if suite["name"] == "throughput" else model.plan.warmup
        tokens += sum((row["requests"] + warmup * row["clients"]) * row["batch"] * row["length"]
                      for row in suite["rows"])
    return tokens


def run_suite(bench: measure.Bench, model: Model, suite: str,
              serving: servers.Serving) -> measure.Report:
    """With what it took of the processor: other work on the machine matters less there."""
    asked = measure.Target(["--url", serving.url], True, serving.logs)
    before = cpu_s(serving.pid)
    report = measure.run_bench(bench, model, measure.suite_flags(suite, model.plan), asked)
    took = {"cpu_s": cpu_s(serving.pid) - before, "tokens": tokens_of(report, model)}
    return {**report, "server": took}


def run_round(bench: measure.Bench, model: Model, suites: list[str],
              serving: dict[str, servers.Serving],
              order: list[str]) -> tuple[dict[str, list], list[float]]:
    """Reports by engine, and the share of the cores that others used in each pause."""
    reports: dict[str, list] = {name: [] for name in serving}
    busy_shares = []
    for suite in suites:
        for name in order:
            busy_shares.append(machine.settle())
            print(f"\n== {model.name}, {suite}, {name}\n", flush=True)
            reports[name].append(run_suite(bench, model, suite, serving[name]))
    return reports, busy_shares


def run_model(bench: measure.Bench, folder: pathlib.Path, suites: list[str],
              rounds: int) -> dict[str, Any]:
    model = Model(folder.name, folder.name, folder, folder / "reference.json", CPU)
    date = datetime.datetime.now(datetime.timezone.utc)
    done, busy_shares = [], []
    with contextlib.ExitStack() as stack:
        serving = {name: stack.enter_context(started)
                   for name, started in all_engines(folder, bench.program).items()}
        order = list(serving)
        for i in range(rounds):
            print(f"\n{model.name}, round {i + 1} of {rounds}")
            turns = order if i % 2 == 0 else order[::-1]
            reports, shares = run_round(bench, model, suites, serving, turns)
            done.append(reports)
            busy_shares += shares
    return {"name": model.name, "date": f"{date:%Y-%m-%d %H:%M} UTC", "engines": order,
            "rounds": done, "busy_share": statistics.mean(busy_shares)}


def versions(program: servers.Program) -> list[str]:
    import fastapi
    import onnxruntime
    import openvino
    import uvicorn
    return [str(machine.output_of(program.path, "--version")),
            f"ONNX Runtime {onnxruntime.__version__}",
            f"OpenVINO {openvino.__version__.split('-')[0]}",
            f"FastAPI {fastapi.__version__} on uvicorn {uvicorn.__version__}"]


def main(options: argparse.Namespace) -> None:
    options.logs.mkdir(parents=True, exist_ok=True)
    program = servers.Program(options.program.resolve(), options.logs, dict(os.environ))
    bench = measure.Bench(program)
    run = {"machine": machine.look("cpu")._asdict(), "revision": machine.revision(),
           "versions": versions(program), "models": []}
    for folder in options.models:
        run["models"].append(run_model(bench, folder.resolve(), options.suites, options.rounds))
        options.out.write_text(json.dumps(run, indent=1) + "\n", "utf-8")
        text = cpu_report.text_of(run)
        options.out.with_suffix(".md").write_text(text, "utf-8")  # Whatever befalls the next.
    print(f"\n{text}\n{options.out} and beside it .md")
    machine.warn_if_busy(max(model["busy_share"] for model in run["models"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="parterre")
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="NAME.json to write")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=list(SUITES))
    parser.add_argument("--logs", type=pathlib.Path, default=ROOT / "build/suites",
                        help="folder of the servers' logs")
    try:
        main(parser.parse_args())
    except servers.Failure as failure:
        sys.exit(str(failure))
