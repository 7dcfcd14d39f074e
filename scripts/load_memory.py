#!/usr/bin/env python3
"""Measures what loading a model takes: peak resident memory against its size, and time to ready.

usage: load_memory.py [--program FILE] [--shape NAME] [--layers N] [--stored DTYPE]
                      [--file-format FORMAT] [--dtype DTYPE] [--cold] [--limit RATIO]

Writes a folder with random weights, serves it, and reads VmHWM of /proc. The size is that of the
parameters in the dtype that runs. Exits 1 if the ratio exceeds --limit. The default is a
checkpoint of 2.4 GB (float32); torch's format needs torch.
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK_BYTES = 16 << 20
SHAPES = {  # As Qwen3-Embedding-0.6B and XLM-RoBERTa-large.
    "qwen3": {"layers": 28, "hidden": 1024, "inner": 3072, "words": 151669, "tokenizer": "qwen3"},
    "bert": {"layers": 24, "hidden": 1024, "inner": 4096, "words": 250002, "tokenizer": "bert"},
}


def bert(layers, hidden, inner, words):
    config = {"model_type": "bert", "hidden_size": hidden, "intermediate_size": inner,
              "num_hidden_layers": layers, "num_attention_heads": hidden // 64,
              "vocab_size": words, "max_position_embeddings": 512, "type_vocab_size": 2,
              "hidden_act": "gelu", "layer_norm_eps": 1e-12}
    tensors = {"embeddings.word_embeddings.weight": [words, hidden],
               "embeddings.position_embeddings.weight": [512, hidden],
               "embeddings.token_type_embeddings.weight": [2, hidden]}

    def add(name, *shape):
        tensors[f"{name}.weight"] = list(shape)
        tensors[f"{name}.bias"] = [shape[0]]

    add("embeddings.LayerNorm", hidden)
    for i in range(layers):
        layer = f"encoder.layer.{i}"
        for name in ("query", "key", "value"):
            add(f"{layer}.attention.self.{name}", hidden, hidden)
        add(f"{layer}.attention.output.dense", hidden, hidden)
        add(f"{layer}.attention.output.LayerNorm", hidden)
        add(f"{layer}.intermediate.dense", inner, hidden)
        add(f"{layer}.output.dense", hidden, inner)
        add(f"{layer}.output.LayerNorm", hidden)
    return config, tensors


def qwen3(layers, hidden, inner, words):
    heads, kv_heads, head = 16, 8, 128
    config = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": hidden,
              "intermediate_size": inner, "num_hidden_layers": layers, "head_dim": head,
              "num_attention_heads": heads, "num_key_value_heads": kv_heads, "vocab_size": words,
              "max_position_embeddings": 32768, "hidden_act": "silu", "rms_norm_eps": 1e-6,
              "rope_theta": 1000000, "rope_scaling": None, "attention_bias": False,
              "tie_word_embeddings": True, "use_sliding_window": False}
    tensors = {"embed_tokens.weight": [words, hidden], "norm.weight": [hidden]}
    for i in range(layers):
        for name, shape in {
                "input_layernorm": [hidden], "self_attn.q_proj": [heads * head, hidden],
                "self_attn.k_proj": [kv_heads * head, hidden],
                "self_attn.v_proj": [kv_heads * head, hidden], "self_attn.q_norm": [head],
                "self_attn.k_norm": [head], "self_attn.o_proj": [hidden, heads * head],
                "post_attention_layernorm": [hidden], "mlp.gate_proj": [inner, hidden],
                "mlp.up_proj": [inner, hidden], "mlp.down_proj": [hidden, inner]}.items():
            tensors[f"layers.{i}.{name}.weight"] = shape
    return config, tensors


def count(shape):
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


def random_floats(size):
    """Bytes of a dtype whose last byte is sign and exponent: magnitudes around 0.01."""
    exponents = bytes(0x3C if i % 2 else 0xBC for i in range(256))
    block = bytearray(random.Random(1).randbytes(BLOCK_BYTES))
    block[size - 1::size] = block[size - 1::size].translate(exponents)
    return memoryview(bytes(block))


def write_safetensors(path, tensors, stored):
    """Any block of the data is as good as another."""
    size, name = {"float32": (4, "F32"), "bfloat16": (2, "BF16")}[stored]
    header, end = {}, 0
    for tensor, shape in sorted(tensors.items()):
        begin, end = end, end + count(shape) * size
        header[tensor] = {"dtype": name, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    block = random_floats(size)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for begin in range(0, end, BLOCK_BYTES):
            file.write(block[:min(BLOCK_BYTES, end - begin)])


def write_torch(path, tensors, stored):
    import torch
    dtype = getattr(torch, stored)
    torch.save({name: torch.randn(shape).mul(0.02).to(dtype) for name, shape in tensors.items()},
               path)


def write_folder(folder, options):
    shape = dict(SHAPES[options.shape])
    tokenizer = ROOT / f"tests/data/tokenizers/{shape.pop('tokenizer')}.tokenizer.json.gz"
    shape["layers"] = options.layers or shape["layers"]
    config, tensors = globals()[options.shape](**shape)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_bytes(gzip.decompress(tokenizer.read_bytes()))
    if options.file_format == "torch":
        file = folder / "pytorch_model.bin"
        write_torch(file, tensors, options.stored)
    else:
        file = folder / "model.safetensors"
        write_safetensors(file, tensors, options.stored)
    with open(file, "rb") as written:
        os.fsync(written.fileno())
        if options.cold:
            os.posix_fadvise(written.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return file, sum(map(count, tensors.values()))


def peak_bytes(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def serve(folder, options):
    """(seconds until it listens, peak bytes, dtype)"""
    start = time.monotonic()
    command = [options.program, "serve", "--model", str(folder), "--port", "0", "--host",
               "127.0.0.1", "--dtype", options.dtype]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    dtype = None
    try:
        for line in process.stderr:
            print("  " + line.rstrip())
            if match := re.search(r"loaded .* in (float32|bfloat16)", line):
                dtype = match[1]
            if "listening on" in line:
                return time.monotonic() - start, peak_bytes(process), dtype
    finally:
        process.terminate()
        process.stderr.close()
        process.wait()
    sys.exit("it ended before it listened")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "build/bin/parterre"))
    parser.add_argument("--shape", choices=SHAPES, default="qwen3")
    parser.add_argument("--layers", type=int, help="fewer, for a smaller folder")
    parser.add_argument("--stored", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--file-format", choices=["safetensors", "torch"], default="safetensors")
    parser.add_argument("--dtype", choices=["auto", "float32", "bfloat16"], default="auto")
    parser.add_argument("--cold", action="store_true", help="read from the disk")
    parser.add_argument("--limit", type=float, default=1.15)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="load_memory_"))
    try:
        file, parameters = write_folder(folder, options)
        print(f"{file.name}: {file.stat().st_size / 1e9:.2f} GB, {parameters / 1e6:.1f} M parameters")
        seconds, peak, dtype = serve(folder, options)
    finally:
        shutil.rmtree(folder)
    size = parameters * {"float32": 4, "bfloat16": 2}[dtype]
    ratio = peak / size
    print(f"{dtype}: {size / 1e9:.3f} GB, peak {peak / 1e9:.3f} GB, ratio {ratio:.3f} "
          f"(limit {options.limit}), ready after {seconds:.1f} s")
    return 1 if ratio > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
