#!/usr/bin/env python3
"""Draws what bench/simulate printed, and prints it as tables in Markdown.

usage: plot_simulation.py RESULTS.csv    writes RESULTS-<scenario>.svg beside it
"""

import csv
import math
import pathlib
import sys

# Scenario → what changes along x (column, words), whether x and y are logarithmic.
AXES = {
    "size": ("replicas", "replicas", True),
    "load": ("load", "load", False),
    "stale": ("gateways", "gateways, at 16 replicas", True),
    "slow": ("slowdown", "one of 8 replicas is slower by", True),
}
PANELS = [("query", "p50_ms", "queries of 32 tokens, p50, ms"),
          ("query", "p99_ms", "queries of 32 tokens, p99, ms"),
          ("batch", "p99_ms", "batches of 100×512, p99, ms")]
COLOURS = {"balancer": "#0b6e4f", "two": "#3a7bd5", "blind": "#9b5de5", "least": "#e0a100",
           "round-robin": "#d1495b", "random": "#666666"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 330, 260, 48, 34, 40, 18


def points(rows, scenario, policy, kind, column):
    along = AXES[scenario][0]
    return sorted((float(row[along]), float(row[column])) for row in rows
                  if row["policy"] == policy and row["kind"] == kind)


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


def panel(rows, scenario, policies, number):
    kind, column, title = PANELS[number]
    lines = {p: points(rows, scenario, p, kind, column) for p in policies}
    xs = [x for line in lines.values() for x, _ in line]
    ys = [y for line in lines.values() for _, y in line]
    logarithmic = AXES[scenario][2]
    left, right = number * WIDTH + LEFT, (number + 1) * WIDTH - RIGHT
    x = scale(min(xs), max(xs), left, right, logarithmic)
    y = scale(min(ys) * 0.8, max(ys) * 1.2, HEIGHT - BOTTOM, TOP, True)
    yield f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{title}</text>'
    for tick in ticks(min(ys) * 0.8, max(ys) * 1.2, True):
        yield f'<line x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>'
        yield f'<text x="{left - 5}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for tick in sorted(set(xs)):
        yield (f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 15}" '
               f'text-anchor="middle">{tick:g}</text>')
    yield (f'<text x="{(left + right) / 2}" y="{HEIGHT - 8}" '
           f'text-anchor="middle">{AXES[scenario][1]}</text>')
    for policy, line in lines.items():
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        yield (f'<polyline points="{path}" fill="none" stroke="{COLOURS[policy]}" '
               f'stroke-width="{3 if policy == "balancer" else 1.5}"/>')


def draw(rows, scenario):
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    width, height = WIDTH * len(PANELS), HEIGHT + 24
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'font-family="sans-serif" font-size="11">')
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
    for number in range(len(PANELS)):
        yield from panel(rows, scenario, policies, number)
    for i, policy in enumerate(policies):
        at = LEFT + i * 110
        yield (f'<line x1="{at}" x2="{at + 22}" y1="{HEIGHT + 10}" y2="{HEIGHT + 10}" '
               f'stroke="{COLOURS[policy]}" stroke-width="3"/>')
        yield f'<text x="{at + 27}" y="{HEIGHT + 14}">{policy}</text>'
    yield "</svg>"


def table(rows, scenario):
    """A line for each value along x, a column for each policy: query p50 / p99 · batch p99, ms."""
    along = AXES[scenario][0]
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    cells = {(row[along], row["policy"], row["kind"]): row for row in rows}
    yield f"| {along} | " + " | ".join(policies) + " |"
    yield "| --- |" + " --- |" * len(policies)
    for value in dict.fromkeys(row[along] for row in rows):
        line = []
        for policy in policies:
            query, batch = (cells[value, policy, kind] for kind in ("query", "batch"))
            line.append(f"{float(query['p50_ms']):.1f} / {float(query['p99_ms']):.0f} · "
                        f"{float(batch['p99_ms']):.0f}")
        yield f"| {value} | " + " | ".join(line) + " |"


def main(path):
    rows = list(csv.DictReader(path.open()))
    for scenario in AXES:
        of_scenario = [row for row in rows if row["scenario"] == scenario]
        if scenario == "stale":
            of_scenario = [row for row in of_scenario if row["replicas"] == "16"]
        if not of_scenario:
            continue
        out = path.with_name(f"{path.stem}-{scenario}.svg")
        out.write_text("\n".join(draw(of_scenario, scenario)) + "\n")
        print(f"\n{scenario}\n\n" + "\n".join(table(of_scenario, scenario)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
