#!/usr/bin/env python3
"""Writes what transformers makes of some ids with a folder's weights, for `parterre bench` to check
a server's vectors by before it times anything.

usage: reference_vectors.py FOLDER --out FILE [--lengths N,…] [--device cuda:0|cpu]
                            [--dtype float32|bfloat16]

FILE is JSON: {"model": name of the folder, "inputs": [{"ids": […], "embedding": […]}, …]}, two
inputs of each length, vectors of unit length. Lengths beyond the model's positions are left out.
Fails if two inputs are so alike that agreement would say nothing. Float32 by default, which both
our bfloat16 and transformers' are compared with best.

Needs torch, transformers 5.17.0 and a folder as scripts/make_random_model.py writes it.
"""

import argparse
import json
import pathlib

import numpy
import torch
import transformers

import transformers_vectors

LENGTHS = [32, 128, 512, 2048]
INPUTS_OF_LENGTH = 2
ALIKE_MAX = 0.999


def main(options):
    transformers_vectors.be_quiet()
    config = transformers.AutoConfig.from_pretrained(options.folder)
    random = numpy.random.default_rng(2)
    longest = transformers_vectors.longest(config)
    lengths = [length for length in options.lengths if length <= longest]
    sequences = [transformers_vectors.draw(length, config.vocab_size, random)
                 for length in lengths for _ in range(INPUTS_OF_LENGTH)]
    model = transformers_vectors.Transformer(options.folder, options.device,
                                             getattr(torch, options.dtype))
    model.check_mask(sequences[0])
    vectors = model.embed(sequences)
    alike = transformers_vectors.alike(vectors)
    if not alike < ALIKE_MAX:  # Not a number is alike, too.
        raise SystemExit(f"{options.folder}: two inputs have cosine {alike:.6f}: agreement would "
                         "say nothing")
    inputs = [{"ids": ids.tolist(), "embedding": vector.tolist()}
              for ids, vector in zip(sequences, vectors)]
    reference = {"model": options.folder.resolve().name, "inputs": inputs}
    options.out.write_text(json.dumps(reference) + "\n", "utf-8")
    print(f"{options.out}: {len(inputs)} vectors of {options.folder.name} in {options.dtype}, "
          f"cosine of two at most {alike:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="JSON file to write")
    parser.add_argument("--lengths", type=lambda text: [int(n) for n in text.split(",")],
                        default=LENGTHS)
    parser.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    main(parser.parse_args())
