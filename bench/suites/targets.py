"""What a cell must come to on an H200, and what we aim at."""

import operator
from typing import NamedTuple

from cells import Cell, Result

# Of the path that a target is about: a request over HTTP; for several clients the hop to Tulip too.
PATH_OF_SUITE = {"latency": "serve", "scoring": "serve", "throughput": "serve",
                 "concurrency": "ivy"}
# Milliseconds that the latency suite may take beside the engine in process: must, aim.
BESIDE_ENGINE_MS = (0.25, 0.12)
# p99 by p50, at most.
TAIL_MAX = {"latency": 1.25, "concurrency": 2.0}
# Of the wall clock, of an engine that is kept full.
BUSY_SHARE_MIN = {"throughput": 0.97}

# By model and suite, (must, aim) of each of the article's cells; aim may be None.
FIGURES = {
    "qwen3-0.6b-full": {
        "scoring": {"5×512": (6.2, 5.2), "25×512": (26.5, 24), "50×512": (52, 47)},
        "throughput": {"4 × 100×512": (980, 1090), "4 × 100×1024": (440, 490),
                       "4 × 100×4096": (73, 78)},
        "concurrency": {"1×512": (2.2, 1.8), "2 × 1×512": (3.7, 2.9), "4 × 1×512": (5.8, 4.6),
                        "8 × 1×512": (9.8, 8.2), "16 × 1×512": (18, 15)},
    },
    "xlm-r-large": {
        "scoring": {"5×512": (5.0, None), "25×512": (19.5, None), "50×512": (38, None)},
        "throughput": {"4 × 100×512": (1400, 1560), "4 × 100×1024": (660, 740),
                       "4 × 100×4096": (118, 130)},
    },
}


class Target(NamedTuple):
    """A bound of one figure: at most, or at least for a rate."""

    bound: float
    value: float
    at_least: bool = False
    digits: int = 2

    @property
    def met(self) -> bool:
        return (operator.ge if self.at_least else operator.le)(self.value, self.bound)

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {self.bound:.{self.digits}f}: {'yes' if self.met else '**no**'}"


class Targets(NamedTuple):
    """None where there is none, or nothing that it could be of."""

    must: Target | None = None
    aim: Target | None = None
    tail: Target | None = None
    busy: Target | None = None


def figure(suite: str, result: Result) -> float:
    """What a suite is about: a rate or a median."""
    return result.inputs_per_s if suite == "throughput" else result.p50


def of_cell(model: str, suite: str, cell: Cell, result: Result | None,
            engine: Result | None) -> Targets:
    """`result` is that of the path that the suite's targets are about."""
    if result is None:
        return Targets()
    bounds = FIGURES.get(model, {}).get(suite, {}).get(str(cell), (None, None))
    if suite == "latency" and engine is not None:
        bounds = tuple(engine.p50 + beside for beside in BESIDE_ENGINE_MS)
    value, is_rate = figure(suite, result), suite == "throughput"
    must, aim = (None if bound is None else Target(bound, value, is_rate, 0 if is_rate else 2)
                 for bound in bounds)
    tail = busy = None
    if suite in TAIL_MAX:
        tail = Target(TAIL_MAX[suite], result.p99 / result.p50)
    if suite in BUSY_SHARE_MIN and result.busy_share is not None:
        busy = Target(BUSY_SHARE_MIN[suite], result.busy_share, True)
    return Targets(must, aim, tail, busy)
