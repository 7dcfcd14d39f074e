"""Times Parterre and its peers on the same cores, in turns, and writes tables.

usage: python bench/peers --program PARTERRE --models FOLDER… --out FILE.md [--rounds N]
                          [--isa NAME… | --isa all]

FOLDERs are made by model.py. The peers are ONNX Runtime, OpenVINO and PyTorch; with --isa, PyTorch
alone, both kept to one instruction set after the other.
"""

import argparse
import contextlib
import pathlib
import statistics

import engines
import instruction_sets
import numpy
import report
from machine import settle, warn_if_busy
from shapes import SHAPES

COSINE_MIN = 0.999


def check(engine, reference):
    """An engine's times count only if its vectors are those of PyTorch."""
    name = f"{engine.product} {report.group(engine)}"
    for shape in SHAPES:
        expected = reference[f"vectors {shape}"]
        got = engine.embed(reference[f"ids {shape}"])
        if got.shape != expected.shape:
            raise SystemExit(f"{name} {shape}: {got.shape} values, expected {expected.shape}")
        lengths = numpy.linalg.norm(got, axis=1) * numpy.linalg.norm(expected, axis=1)
        cosine = (got * expected).sum(axis=1) / lengths
        if not (cosine >= COSINE_MIN).all():
            raise SystemExit(f"{name} {shape}: cosine {cosine.min():.6f}, least {COSINE_MIN}")
    print(f"{name}: vectors agree with PyTorch's", flush=True)


def check_reference(reference):
    """Vectors that are all alike would let a wrong engine pass."""
    vectors = reference[f"vectors {SHAPES[-1]}"]
    alike = (vectors @ vectors.T)[numpy.triu_indices(len(vectors), k=1)].max()
    if alike >= COSINE_MIN:
        raise SystemExit(f"two inputs have cosine {alike:.6f}: agreement would say nothing")


def run_round(order):
    """Every shape on every engine, one after the other. Returns the times by (engine, shape), and
    the share of the cores that others used in each pause."""
    times, busy_shares = {}, []
    for shape in SHAPES:
        for engine in order:
            busy_shares.append(settle())
            times[engine, shape] = timed = engine.time(shape)
            label = f"{engine.product:12} {report.group(engine):27} {shape!s:>7}"
            print(f"{label} {timed.p50_ms:9.2f} ms", flush=True)
    return times, busy_shares


def run_model(folder, options):
    """All rounds of one model: times of each, the engines, shares of the cores that others used."""
    reference = numpy.load(folder / "reference.npz")
    check_reference(reference)
    makers = (
        engines.beside_pytorch(folder, options.program, options.isa)
        if options.isa
        else engines.beside_all(folder, options.program)
    )
    rounds, busy_shares = [], []
    with contextlib.ExitStack() as closing:
        running = [closing.enter_context(contextlib.closing(make())) for make in makers]
        for engine in running:
            check(engine, reference)
        for i in range(options.rounds):
            print(f"{folder.name}: round {i + 1} of {options.rounds}")
            times, shares = run_round(running if i % 2 == 0 else running[::-1])
            rounds.append(times)
            busy_shares += shares
    return rounds, running, busy_shares


def main(options):
    if "all" in options.isa:
        options.isa = instruction_sets.of_processor()
    sections, used, busy_shares = [], [], []
    for folder in options.models:
        rounds, running, shares = run_model(folder, options)
        sections.append(report.section(folder.name, rounds, running))
        used += running
        busy_shares += shares
    busy_share = statistics.mean(busy_shares)
    text = "\n".join([report.heading(options.rounds, used, busy_share), *sections])
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(text)
    print(f"\n{text}\nwritten to {options.out}")
    warn_if_busy(busy_share)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="parterre")
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True,
                        help="folders made by model.py")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="Markdown file to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--isa", nargs="+", default=[], choices=[*instruction_sets.ISAS, "all"],
                        help="keep Parterre and PyTorch to each of these")
    main(parser.parse_args())
