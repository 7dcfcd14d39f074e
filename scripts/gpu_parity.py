#!/usr/bin/env python3
"""Compares our engine's vectors with those of transformers, same folder, ids and GPU.

usage: gpu_parity.py [--shapes BxS,…] [--device cuda:0] FOLDER PROGRAM [ARGUMENT…]

transformers runs the model in bfloat16 with PyTorch's attention, without padding, and for up to
4096 tokens in float32 too; pooling and unit length follow in float32. Fails if a vector of ours has
a cosine below 0.999 to that of bfloat16, or if two different sequences of a shape are as like as
that, since then agreement would say nothing. A shape is B sequences of S tokens, or "mixed", 64 of
8 to 1024.

PROGRAM (bench/engine/engine_vectors.cc) is called for each shape as

    PROGRAM [ARGUMENT…] --model FOLDER --device DEVICE --in FILE --out FILE

The file of --in holds a batch, that of --out is to hold its dense rows of unit length,
little-endian:

    int32 sequences, int32 tokens, int32 cu_seqlens[sequences + 1], int32 ids[tokens]
    float32 [sequences × columns]

Needs torch, transformers 5.17.0 and a folder as scripts/make_random_model.py writes it.
"""

import argparse
import pathlib
import subprocess
import tempfile
from typing import NamedTuple

import numpy
import torch
import transformers

import transformers_vectors
from transformers_vectors import Transformer, alike, draw

COSINE_MIN = 0.999
FLOAT32_TOKENS_MAX = 4096
MIXED = [8 + 1016 * (37 * i % 64) // 63 for i in range(64)]  # Lengths of 8 to 1024, shuffled.
SHAPES = ["1x32", "1x128", "1x512", "25x512", "100x512", "1x4096", "32x128", "mixed"]


class Batch(NamedTuple):
    shape: str
    sequences: list  # Of ids.

    @property
    def tokens(self):
        return sum(len(ids) for ids in self.sequences)


def lengths_of(shape):
    """"25x512": 25 sequences of 512 tokens."""
    if shape == "mixed":
        return MIXED
    sequences, tokens = map(int, shape.split("x"))
    return [tokens] * sequences


def make_batches(shapes, config):
    """A batch for each shape that fits the model's positions."""
    random = numpy.random.default_rng(1)
    longest = transformers_vectors.longest(config)
    batches = []
    for shape in shapes:
        lengths = lengths_of(shape)
        if max(lengths) <= longest:
            sequences = [draw(n, config.vocab_size, random) for n in lengths]
            batches.append(Batch(shape, sequences))
        else:
            print(f"{shape}: too long for the model")
    return batches


def run_engine(batch, options):
    """Our vectors."""
    cu_seqlens = numpy.cumsum([0, *map(len, batch.sequences)], dtype="<i4")
    counts = numpy.array([len(batch.sequences), batch.tokens], "<i4")
    with tempfile.TemporaryDirectory() as folder:
        ids, vectors = pathlib.Path(folder, "ids.bin"), pathlib.Path(folder, "vectors.bin")
        ids.write_bytes(numpy.concatenate([counts, cu_seqlens, *batch.sequences]).tobytes())
        files = ["--in", ids, "--out", vectors]
        subprocess.run([*options.program, "--model", options.folder, "--device", options.device,
                        *files], check=True)
        return numpy.fromfile(vectors, "<f4").reshape(len(batch.sequences), -1)


def cosines(a, b):
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    return (a * b).sum(1) / numpy.linalg.norm(a, axis=1) / numpy.linalg.norm(b, axis=1)


def report(batch, ours, bfloat16, float32):
    """A row of the table; whether the vectors agree."""
    if ours.shape != bfloat16.shape:
        raise SystemExit(f"{batch.shape}: {ours.shape} values, expected {bfloat16.shape}")
    to_bfloat16 = cosines(ours, bfloat16)
    row = [batch.shape, f"{to_bfloat16.min():.6f}", f"{to_bfloat16.mean():.6f}", "–", "–"]
    if float32 is not None:
        row[3:] = [f"{cosines(v, float32).min():.6f}" for v in (ours, bfloat16)]
    likeness = alike(bfloat16)
    row.append("–" if likeness is None else f"{likeness:.3f}")
    print(f"| {' | '.join(row)} |", flush=True)
    # Not a number is no agreement.
    return bool(to_bfloat16.min() >= COSINE_MIN) and (likeness is None or likeness < COSINE_MIN)


def main(options):
    transformers_vectors.be_quiet()
    config = transformers.AutoConfig.from_pretrained(options.folder)
    batches = make_batches(options.shapes, config)
    ours = [run_engine(batch, options) for batch in batches]
    bfloat16 = Transformer(options.folder, options.device, torch.bfloat16)
    float32 = Transformer(options.folder, options.device, torch.float32)
    bfloat16.check_mask(batches[0].sequences[0])
    print("| shape | cosine to bfloat16, least | mean | to float32, least | bfloat16 to float32 "
          "| two sequences, most |\n| --- | --- | --- | --- | --- | --- |")
    failed = []
    for batch, vectors in zip(batches, ours):
        precise = float32.embed(batch.sequences) if batch.tokens <= FLOAT32_TOKENS_MAX else None
        if not report(batch, vectors, bfloat16.embed(batch.sequences), precise):
            failed.append(batch.shape)
    if failed:
        raise SystemExit(f"{options.folder}: no agreement at {', '.join(failed)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=SHAPES)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program", nargs=argparse.REMAINDER, help="engine_vectors")
    main(parser.parse_args())
