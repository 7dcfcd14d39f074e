"""What came of the rounds: medians, spreads and ratios, as Markdown."""

import statistics
import time

from machine import CORES, isas, processor
from shapes import SHAPES


def median_and_spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def ratio(rounds, shape, ours, peers):
    """Parterre's time by that of the fastest peer in the same round."""
    ratios = [r[ours, shape].p50_ms / min(r[peer, shape].p50_ms for peer in peers) for r in rounds]
    return median_and_spread(ratios)


def table(rounds, engines):
    """A line for each shape. Parterre is the first of `engines`, all of one group."""
    ours, *peers = engines
    products = [engine.product for engine in engines]
    lines = [["inputs × tokens", *products, "in Parterre's engine", "Parterre ÷ fastest peer"]]
    lines.append(["---"] * len(lines[0]))
    for shape in SHAPES:
        times = [median_and_spread([r[e, shape].p50_ms for r in rounds]) for e in engines]
        engine_ms = [r[ours, shape].engine_ms for r in rounds]
        in_engine = "–" if None in engine_ms else f"{statistics.median(engine_ms):.2f}"
        lines.append([str(shape), *times, in_engine, ratio(rounds, shape, ours, peers)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def group(engine):
    """Engines of one precision and instruction set stand beside each other."""
    return f"{engine.dtype}, --isa {engine.isa}" if engine.isa else engine.dtype


def section(name, rounds, engines):
    """What was measured of one model."""
    tables = "\n\n".join(
        f"{one}:\n\n{table(rounds, [engine for engine in engines if group(engine) == one])}"
        for one in dict.fromkeys(map(group, engines))
    )
    return f"## {name}\n\n{tables}\n"


def heading(rounds, engines, busy_share):
    versions = dict.fromkeys(f"{engine.product} {engine.version}" for engine in engines)
    return f"""# Parterre beside its peers on one CPU

Milliseconds of one request, one at a time: the median over the rounds (least–most of them), a
round's figure being the median of its requests. Parterre's are those of a client, over HTTP with
JSON and base64; the peers' are bare calls inside their process. "In Parterre's engine" is the
part of its time that the forward pass took (the server's own count, a mean; requests of one step
only). The models have real ones' shapes and random weights, token ids go in; each engine's vectors
were compared with PyTorch's first, in float32 and all instruction sets.

- {time.strftime("%Y-%m-%d %H:%M", time.gmtime())} UTC
- {processor()}, {CORES} cores, {isas()}
- {", ".join(versions)}
- {rounds} rounds, each engine alone while timed, in turns (forwards, backwards, …); between
  the measurements the machine was {busy_share:.0%} busy with other work
"""
