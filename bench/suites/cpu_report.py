"""The rounds of a run on the CPU as Markdown: a table for each model and suite."""

import statistics
from typing import Any, Iterator

import rows
import targets
from cells import Cell
from markdown import table
from report import median_and_spread

ABOUT = {
    "latency": "one client, one input, token ids; p50 ms",
    "scoring": "one client, token ids; p50 ms of a request",
    "throughput": "token ids; inputs/s of all clients together",
    "concurrency": "texts, tokenizing included; p50 ms of a request",
}

Figures = dict[str, list[float]]  # By engine, of each round.


def figures_of(model: dict[str, Any], suite: str) -> dict[Cell, Figures]:
    found: dict[Cell, Figures] = {}
    for by_engine in model["rounds"]:
        for engine, reports in by_engine.items():
            for cell, result in rows.results(reports, suite).items():
                figure = targets.figure(suite, result)
                found.setdefault(cell, {}).setdefault(engine, []).append(figure)
    return found


def better(suite: str, figures: Figures) -> str:
    """How many times better Parterre's best is than the peers' best in the same round."""
    best = max if suite == "throughput" else min
    ours = [values for engine, values in figures.items() if engine.startswith("Parterre")]
    peers = [values for engine, values in figures.items() if not engine.startswith("Parterre")]
    ratios = []
    for in_round in range(len(ours[0])):
        mine = best(values[in_round] for values in ours)
        theirs = best(values[in_round] for values in peers)
        ratios.append(mine / theirs if suite == "throughput" else theirs / mine)
    return f"{statistics.median(ratios):.2f}×"


def suite_table(model: dict[str, Any], suite: str) -> Iterator[str]:
    lines = [[str(cell), *(median_and_spread(figures[engine]) for engine in model["engines"]),
              better(suite, figures)] for cell, figures in figures_of(model, suite).items()]
    if not lines:
        return
    yield f"### {suite}: {ABOUT[suite]}\n"
    yield from table(["inputs × tokens", *model["engines"], "better than the best peer by"], lines)


def processor_time(model: dict[str, Any], suite: str, engine: str) -> str:
    """Of a server for 1000 tokens, ms: the median over the rounds."""
    shares = [report["server"]["cpu_s"] * 1e6 / report["server"]["tokens"]
              for by_engine in model["rounds"] for report in by_engine[engine]
              if report["suites"][0]["name"] == suite]
    return median_and_spread(shares) if shares else "–"


def processor_table(model: dict[str, Any]) -> Iterator[str]:
    yield "### what each server took of the processor, ms for 1000 tokens\n"
    yield from table(["", *model["engines"]],
                     [[suite, *(processor_time(model, suite, one) for one in model["engines"])]
                      for suite in ABOUT])


def text_of(run: dict[str, Any]) -> str:
    lines = [f"# Four suites on {run['machine']['processor']}, beside peers", "",
             f"{run['machine']['text']}; {', '.join(run['versions'])}, at {run['revision']}. "
             "Written by `scripts/suites_cpu.sh`.", "",
             "Each engine is a server on the same cores, asked over HTTP by `parterre bench`, in "
             "turns; the peers are behind a plain server (`bench/peers/serve_onnx.py`). Random "
             "weights; vectors were compared with PyTorch's first. Medians over the rounds of a "
             "round's figure (least–most of them). Processor time is that of the server's process, "
             "warm-up included: other work on the machine matters less than on the clock.", ""]
    for model in run["models"]:
        lines += [f"## {model['name']}", "",
                  f"{model['date']}, rounds: {len(model['rounds'])}; between the measurements "
                  f"others used {model['busy_share']:.0%} of the machine.", ""]
        for suite in ABOUT:
            lines += suite_table(model, suite)
        lines += processor_table(model)
    return "\n".join(lines).rstrip() + "\n"
