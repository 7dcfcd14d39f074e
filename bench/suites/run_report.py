"""A run's JSON as Markdown: a table for each model and suite, beside the peers' figures."""

import json
import pathlib
from typing import Any, Iterator

import plot
import rows
import targets
from cells import PATHS, SUITES, Cell, Result
from markdown import number, table

PUBLISHED = pathlib.Path(__file__).resolve().parents[1] / "peers/published.json"
ABOUT = {
    "latency": "one client, one input, token ids; p50 / p99 ms",
    "scoring": "one client, token ids; p50 / p99 ms of a request",
    "throughput": "token ids; inputs/s of all clients together",
    "concurrency": "texts, tokenizing included; p50 / p99 ms of a request",
}
# What else than the figure is judged, by suite: a field of Targets, and its column.
JUDGED = {"latency": ("tail", "p99 ÷ p50"), "concurrency": ("tail", "p99 ÷ p50"),
          "throughput": ("busy", "engine's busy share")}

RUN_KEYS = {"date", "machine", "flags", "version", "revision", "models", "failures"}

Run = dict[str, Any]
Published = dict[str, Any]


def ours(suite: str, result: Result | None) -> str:
    if result is None:
        return "–"
    if suite == "throughput":
        return f"{result.inputs_per_s:.1f}"
    return f"{number(result.p50)} / {number(result.p99)}"


def peer(suite: str, figure: float | None, result: Result | None) -> str:
    """A peer's figure, and by how much ours is better."""
    if figure is None:
        return "–"
    if result is None:
        return f"{figure:g}"
    value = targets.figure(suite, result)
    better = value / figure if suite == "throughput" else figure / value
    return f"{figure:g} ({better:.1f}×)"


def peers_of(published: Published, gpu: str | None) -> dict[str, Any]:
    """Figures of another kind of machine say nothing beside ours."""
    return published["peers"] if gpu == published["gpu"] else {}


def judged(model: Run, suite: str, cell: Cell) -> targets.Targets:
    """By the path that the suite's targets are about."""
    paths = model["paths"]
    of_path = rows.results(paths.get(targets.PATH_OF_SUITE[suite], []), suite)
    engine = rows.results(paths.get("engine", []), suite)
    return targets.of_cell(model["name"], suite, cell, of_path.get(cell), engine.get(cell))


def suite_table(model: Run, suite: str, peers: dict[str, Any]) -> Iterator[str]:
    by_path = {path: rows.results(reports, suite) for path, reports in model["paths"].items()}
    cells: dict[Cell, None] = {cell: None for found in by_path.values() for cell in found}
    if not cells:
        return
    compared = by_path.get(targets.PATH_OF_SUITE[suite], {})
    more = JUDGED.get(suite)
    shares = any(result.peak_share is not None for result in compared.values())
    lines = []
    for cell in cells:
        line = [str(cell), *(ours(suite, found.get(cell)) for found in by_path.values())]
        for figures in peers.values():
            figure = figures.get(model["name"], {}).get(suite, {}).get(str(cell))
            line.append(peer(suite, figure, compared.get(cell)))
        if peers:
            found = judged(model, suite, cell)
            line += ["–" if one is None else str(one) for one in (found.must, found.aim)]
            if more:
                one = getattr(found, more[0])
                line.append("–" if one is None else f"{one.value:.2f} {one}")
        if shares:
            share = compared[cell].peak_share if cell in compared else None
            line.append("–" if share is None else f"{share:.0%}")
        lines.append(line)
    verdicts = ["must", "aim", *([more[1]] if more else [])] if peers else []
    yield f"### {suite}: {ABOUT[suite]}\n"
    yield from table(["inputs × tokens", *by_path, *peers, *verdicts,
                      *(["of the peak"] if shares else [])], lines)


def open_table(model: Run) -> Iterator[str]:
    lines = []
    for path, reports in model["paths"].items():
        for row in rows.of_suite(reports, "open"):
            met = row["open"]
            lines.append([path, str(rows.cell(row)._replace(clients=1)),
                          f"{met['offered_per_s']:.0f}", f"{met['reached_per_s']:.0f}",
                          *(number(ms) for ms in rows.result(row)[:4])])
    if lines:
        yield "### open loop: random arrivals at a rate; ms from when a request was to be sent\n"
        yield from table(["path", "inputs × tokens", "requests/s offered", "reached", "p50", "p90",
                          "p99", "max"], lines)


def counter_line(path: str, suite: str, counters: list[dict[str, float]]) -> list[str]:
    """Of the cells of a suite."""
    steps = sum(one["steps"] for one in counters)
    fill = sum(one.get("batch_fill", 0) * one["steps"] for one in counters) / (steps or 1)
    busy = [one["busy_share"] for one in counters if "busy_share" in one]
    return [f"{path}, {suite}", f"{steps:.0f}",
            *(f"{sum(one[name] for one in counters):.0f}"
              for name in ("graph_replays", "graph_captures", "eager_steps")),
            f"{fill:.0%}", f"{min(busy):.0%} to {max(busy):.0%}" if busy else "–"]


def counter_table(model: Run) -> Iterator[str]:
    lines = []
    for path, reports in model["paths"].items():
        for suite in [*SUITES, "open"]:
            found = [row["counters"] for row in rows.of_suite(reports, suite) if "counters" in row]
            if found:
                lines.append(counter_line(path, suite, found))
    if lines:
        yield "### what the worker counted during the measured requests\n"
        yield from table(["", "steps", "graphs replayed", "captured", "eager", "mean fill",
                          "busy, least to most"], lines)


def check_table(model: Run) -> Iterator[str]:
    """What says that the figures mean something."""
    lines = []
    for path, reports in model["paths"].items():
        for report in reports:
            vectors = report.get("reference")
            for suite in report["suites"]:
                ceiling = suite.get("ceiling")
                lines.append([f"{path}, {suite['name']}",
                              f"{vectors['divergence']:.5f}" if vectors else "–",
                              f"{rows.cell(ceiling)}: {number(ceiling['latency_ms']['p50'])} ms, "
                              f"{ceiling['embeddings_per_s']:.0f} inputs/s" if ceiling else "–"])
    if lines:
        yield ("### the vectors' divergence (1 − cosine, at most 0.001) before it was timed, and "
               "the load generator against nothing\n")
        yield from table(["", "divergence", "p50 and rate where nothing is computed"], lines)


def agreement_table(model: Run) -> Iterator[str]:
    if model.get("agreement"):
        yield ("### the load generator and a plain client in Python, in turns, against serve: "
               "p50 ms\n")
        lines = [[row["cell"], number(row["ours"]), number(row["plain"]),
                  f"{row['plain'] - row['ours']:+.2f}", f"± {row['allowed']:.2f}",
                  "yes" if row["agrees"] else "**no**"] for row in model["agreement"]]
        yield from table(["inputs × tokens", "parterre bench", "plain client", "difference",
                          "may be", "agrees"], lines)


def missed(model: Run) -> Iterator[str]:
    """Each target that was not met."""
    for suite in SUITES:
        for cell in rows.results(model["paths"].get(targets.PATH_OF_SUITE[suite], []), suite):
            found = judged(model, suite, cell)
            for name in ("must", "tail", "busy"):
                target = getattr(found, name)
                if target is not None and not target.met:
                    what = JUDGED[suite][1] if name != "must" else "must"
                    yield (f"{model['title']}, {suite} {cell}, {what}: "
                           f"{number(target.value)} ({target})")


def text_of(run: Run, published: Published) -> str:
    peers = peers_of(published, run["machine"]["gpu"])
    machine = run["machine"]
    lines = [f"# Four suites on {machine['gpu'] or machine['processor']}", "",
             f"{run['date']}, {run['version']} at {run['revision']}; {machine['text']}. Written by "
             f"`scripts/suites.sh`; engines with `{' '.join(run['flags']['engine'])}`, ivy with "
             f"`{' '.join(run['flags']['ivy']) or 'no flags'}`.", "",
             *(f"- {path}: {what}" for path, what in PATHS.items()),
             *(f"- {name}: {peer_['source']}" for name, peer_ in peers.items()), "",
             "Random weights; before a suite is timed, its vectors are compared with "
             "transformers' (float32, same weights; cosine at least 0.999). Must and aim are of "
             "serve; of concurrency, of ivy; so is the share of the peak (FLOPs of linear layers "
             "and attention by what the GPU's maker promises). In brackets: how many times better "
             "ours is than a peer.", ""]
    if peers:
        not_met = [line for model in run["models"] for line in missed(model)]
        lines += [f"Targets missed: {len(not_met)}.", "", *(f"- {line}" for line in not_met), ""]
    for model in run["models"]:
        lines += [f"## {model['title']}", ""]
        for suite in SUITES:
            lines += suite_table(model, suite, peers)
        lines += [*open_table(model), *agreement_table(model), *counter_table(model),
                  *check_table(model)]
    if run["failures"]:
        lines += ["## What failed", "", *(f"```\n{text}\n```\n" for text in run["failures"])]
    return "\n".join(lines).rstrip() + "\n"


def read(part: pathlib.Path) -> Run:
    try:
        run = json.loads(part.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{part}: no results of a run: {error}") from None
    lacking = RUN_KEYS - run.keys() if isinstance(run, dict) else RUN_KEYS
    if lacking:
        raise SystemExit(f"{part}: no results of a run: {', '.join(sorted(lacking))} missing")
    return run


def join(parts: list[pathlib.Path], out: pathlib.Path) -> None:
    """Writes runs of different models as one, with its report."""
    runs = [read(part) for part in parts]
    for part, run in zip(parts, runs):
        for key in ("machine", "flags", "version", "revision"):
            if run[key] != runs[0][key]:
                raise SystemExit(f"{part}: another {key} than {parts[0]}")
    joined = {**runs[0], **{key: [one for run in runs for one in run[key]]
                            for key in ("models", "failures")}}
    out.write_text(json.dumps(joined, indent=1) + "\n", "utf-8")
    write(out)


def write(results: pathlib.Path) -> None:
    """Makes RESULTS.md and RESULTS.svg of RESULTS.json."""
    run = json.loads(results.read_text("utf-8"))
    published = json.loads(PUBLISHED.read_text("utf-8"))
    results.with_suffix(".md").write_text(text_of(run, published), "utf-8")
    results.with_suffix(".svg").write_text(
        plot.svg(run, peers_of(published, run["machine"]["gpu"])), "utf-8")
