#!/usr/bin/env python3
"""Draws what bench/simulate printed, and prints it as tables in Markdown.

usage: plot_simulation.py RESULTS.csv    writes RESULTS-<scenario>.svg beside it
"""

import csv
import math
import pathlib
import sys
from typing import NamedTuple

from svg import opening


class Figure(NamedTuple):
    scenario: str
    along: str                   # The column along x, and
    words: str                   # what stands below it.
    logarithmic: bool            # Whether x is.
    lines: str = "policy"        # The column that tells the lines apart.
    replicas: str | None = None  # Rows of so many replicas only.

    def rows(self, rows):
        return [row for row in rows if row["scenario"] == self.scenario
                and self.replicas in (None, row["replicas"])]


FIGURES = [
    Figure("size", "replicas", "replicas", True),
    Figure("load", "load", "load", False),
    Figure("stale", "gateways", "gateways, at 16 replicas", True, replicas="16"),
    Figure("slow", "slowdown", "one of 8 replicas is slower by", True),
    Figure("beside", "bulk_clients", "bulk clients, at one replica", True, "schedule", "1"),
    Figure("turns", "load", "load of 4 replicas", False, "schedule"),
]
PANELS = [("query", "p50_ms", "queries of 32 tokens, p50, ms"),
          ("query", "p99_ms", "queries of 32 tokens, p99, ms"),
          ("batch", "p99_ms", "batches of 100×512, p99, ms")]
COLOURS = {"balancer": "#0b6e4f", "two": "#3a7bd5", "blind": "#9b5de5", "least": "#e0a100",
           "round-robin": "#d1495b", "random": "#666666", "fcfs": "#d1495b", "fair": "#0b6e4f"}
STEP_MS = 24.6  # A full step: kBudgetStepMs of bench/simulate/scenario.h.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 330, 260, 48, 34, 40, 18


def points(rows, figure, line, kind, column):
    return sorted((float(row[figure.along]), float(row[column])) for row in rows
                  if row[figure.lines] == line and row["kind"] == kind)


def ticks(low, high, logarithmic):
    if not logarithmic:
        return [low + (high - low) * i / 4 for i in range(5)]
    marks = [m * 10**e for e in range(-1, 6) for m in (1, 2, 5)]
    marks = [mark for mark in marks if low * 0.999 <= mark <= high * 1.001]
    return marks if len(marks) <= 7 else [m for m in marks if f"{m:e}"[0] == "1"]


def scale(low, high, begin, end, logarithmic):
    f = math.log10 if logarithmic else float
    span = (f(high) - f(low)) or 1
    return lambda value: begin + (f(value) - f(low)) / span * (end - begin)


def panel(rows, figure, names, number):
    kind, column, title = PANELS[number]
    lines = {name: points(rows, figure, name, kind, column) for name in names}
    xs = [x for line in lines.values() for x, _ in line]
    ys = [y for line in lines.values() for _, y in line]
    left, right = number * WIDTH + LEFT, (number + 1) * WIDTH - RIGHT
    x = scale(min(xs), max(xs), left, right, figure.logarithmic)
    y = scale(min(ys) * 0.8, max(ys) * 1.2, HEIGHT - BOTTOM, TOP, True)
    yield f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{title}</text>'
    for tick in ticks(min(ys) * 0.8, max(ys) * 1.2, True):
        yield f'<line x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>'
        yield f'<text x="{left - 5}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for tick in sorted(set(xs)):
        yield (f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 15}" '
               f'text-anchor="middle">{tick:g}</text>')
    yield (f'<text x="{(left + right) / 2}" y="{HEIGHT - 8}" '
           f'text-anchor="middle">{figure.words}</text>')
    for name, line in lines.items():
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        yield (f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" '
               f'stroke-width="{3 if name in ("balancer", "fair") else 1.5}"/>')


def draw(rows, figure):
    names = list(dict.fromkeys(row[figure.lines] for row in rows))
    width, height = WIDTH * len(PANELS), HEIGHT + 24
    yield from opening(width, height)
    for number in range(len(PANELS)):
        yield from panel(rows, figure, names, number)
    for i, name in enumerate(names):
        at = LEFT + i * 110
        yield (f'<line x1="{at}" x2="{at + 22}" y1="{HEIGHT + 10}" y2="{HEIGHT + 10}" '
               f'stroke="{COLOURS[name]}" stroke-width="3"/>')
        yield f'<text x="{at + 27}" y="{HEIGHT + 14}">{name}</text>'
    yield "</svg>"


def table(rows, figure, cell):
    """A line for each value along x, a column for each line of the plot, cells made of the row of
    queries and that of batches."""
    names = list(dict.fromkeys(row[figure.lines] for row in rows))
    cells = {(row[figure.along], row[figure.lines], row["kind"]): row for row in rows}
    yield f"| {figure.along} | " + " | ".join(names) + " |"
    yield "| --- |" + " --- |" * len(names)
    for value in dict.fromkeys(row[figure.along] for row in rows):
        line = [cell(*(cells[value, name, kind] for kind in ("query", "batch"))) for name in names]
        yield f"| {value} | " + " | ".join(line) + " |"


def latencies(query, batch):
    """Query p50 / p99 · batch p99, ms."""
    return (f"{float(query['p50_ms']):.1f} / {float(query['p99_ms']):.0f} · "
            f"{float(batch['p99_ms']):.0f}")


def steps(query, batch):
    """Query p50 / p99 in full steps · tokens/s, in thousands."""
    p50, p99 = (float(query[column]) / STEP_MS for column in ("p50_ms", "p99_ms"))
    return f"{p50:.1f} / {p99:.1f} · {float(query['tokens_per_s']) / 1000:.0f}"


def main(path):
    rows = list(csv.DictReader(path.open()))
    for figure in FIGURES:
        of_figure = figure.rows(rows)
        if not of_figure:
            continue
        out = path.with_name(f"{path.stem}-{figure.scenario}.svg")
        out.write_text("\n".join(draw(of_figure, figure)) + "\n")
        print(f"\n{figure.scenario}\n")
        print("\n".join(table(of_figure, figure, latencies)))
    for replicas in ("1", "4"):
        beside = Figure("beside", "bulk_clients", "", True, "schedule", replicas)
        print(f"\nbeside, in steps, replicas: {replicas}\n")
        print("\n".join(table(beside.rows(rows), beside, steps)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
