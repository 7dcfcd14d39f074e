"""A run as SVG: a row of panels for each model, a panel for each suite, a group of bars for each
cell, ours beside the peers'. Each group is to its own scale: figures of cells differ too much."""

from html import escape
from typing import Any, Iterator

import rows
import targets
from cells import Cell
from svg import opening

SUITES = {"latency": "latency, p50 ms (less is better)",
          "scoring": "scoring, p50 ms (less is better)",
          "throughput": "throughput, inputs/s (more is better)",
          "concurrency": "concurrency, p50 ms (less is better)"}
COLOURS = {"engine": "#9bb8a9", "serve": "#0b6e4f", "ivy": "#3a7bd5", "vLLM 0.22.0": "#d1495b",
           "article": "#e0a100"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 350, 220, 20, 62, 26
LEGEND_HEIGHT, TITLE_HEIGHT = 30, 22
GAP = 0.25  # Between two groups, of a group.

Points = dict[Cell, float]


def series_of(model: dict[str, Any], suite: str, peers: dict[str, Any]) -> dict[str, Points]:
    """What is drawn of each path and peer."""
    series: dict[str, Points] = {}
    for path, reports in model["paths"].items():
        found = rows.results(reports, suite)
        series[path] = {cell: targets.figure(suite, result) for cell, result in found.items()}
    cells = {cell: None for points in series.values() for cell in points}
    for name, figures in peers.items():
        published = figures.get(model["name"], {}).get(suite, {})
        series[name] = {cell: published[str(cell)] for cell in cells if str(cell) in published}
    return {name: points for name, points in series.items() if points}


def short(value: float) -> str:
    """To three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def bar(name: str, value: float, left: float, width: float, base: float, height: float) -> str:
    """With its figure above it."""
    top, middle = base - height, left + width / 2
    return (f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{COLOURS[name]}"><title>{name}: {value:.4g}</title></rect>'
            f'<text transform="translate({middle + 3:.1f},{top - 3:.1f}) rotate(-90)" '
            f'font-size="9">{short(value)}</text>')


def panel(series: dict[str, Points], title: str, left: float, top: float) -> Iterator[str]:
    """Cells along x, in the order that they were measured."""
    cells = list({cell: None for points in series.values() for cell in points})
    group = (WIDTH - 2 * LEFT) / len(cells)
    width = group * (1 - GAP) / len(series)
    base = top + HEIGHT - BOTTOM
    yield f'<text x="{left + LEFT}" y="{top + 22}" font-weight="bold">{title}</text>'
    for i, cell in enumerate(cells):
        begin = left + LEFT + (i + GAP / 2) * group
        most = max(points[cell] for points in series.values() if cell in points)
        for number, (name, points) in enumerate(series.items()):
            if cell in points:
                height = points[cell] / most * (HEIGHT - TOP - BOTTOM)
                yield bar(name, points[cell], begin + number * width, width * 0.9, base, height)
        yield (f'<text x="{begin + group * (1 - GAP) / 2:.1f}" y="{base + 14}" font-size="9" '
               f'text-anchor="middle">{cell}</text>')


def legend(names: list[str]) -> Iterator[str]:
    for i, name in enumerate(names):
        left = LEFT + i * 110
        yield f'<rect x="{left}" y="10" width="14" height="10" fill="{COLOURS[name]}"/>'
        yield f'<text x="{left + 19}" y="19">{name}</text>'


def svg(run: dict[str, Any], peers: dict[str, Any]) -> str:
    drawn = [(model, {suite: series_of(model, suite, peers) for suite in SUITES})
             for model in run["models"]]
    names = {name: None for _, panels in drawn for series in panels.values() for name in series}
    row_height = HEIGHT + TITLE_HEIGHT
    lines = [*opening(WIDTH * len(SUITES), LEGEND_HEIGHT + row_height * len(drawn)),
             *legend(list(names))]
    for number, (model, panels) in enumerate(drawn):
        top = LEGEND_HEIGHT + number * row_height
        lines.append(f'<text x="{LEFT}" y="{top + TITLE_HEIGHT - 6}" font-size="13" '
                     f'font-weight="bold">{escape(model["title"])}</text>')
        for i, (suite, series) in enumerate(panels.items()):
            if series:
                lines += panel(series, SUITES[suite], i * WIDTH, top + TITLE_HEIGHT)
    return "\n".join([*lines, "</svg>"]) + "\n"
