#!/usr/bin/env python3
"""Times encoders under torch.compile in a CUDA graph, our engine's peer on a GPU.

usage: torch_encoder.py [--models NAME,…] [--shapes BxS,…] [--budget-s S] [--out FILE.md]

Models and shapes are those of our engine's table. Random weights in bfloat16; ids of B sequences of
S tokens on the GPU in, vectors out, no padding. PyTorch is helped where it can be: products of one
input are one matrix, the fastest of its attention kernels is chosen for each shape, and what is
compiled is cut so that a residual sum and the norm behind it are one kernel. A layer is compiled
once for each shape and called for all, since compiling a whole model would take minutes; one CUDA
graph holds all of a forward.

First every shape runs as the compiler makes it by default; then, as long as --budget-s (of the
whole run) is not used up, again with products that the compiler chooses by trial ("max-autotune").
The faster one counts. "GPU" is the median time from the first to the last kernel, "host" that of
the same with its launch, the copy of the vectors to the host and the wait for them. Needs PyTorch
2.11 or later and a GPU.
"""

import argparse
import functools
import pathlib
import statistics
import time
from typing import NamedTuple

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch_models import Qwen3, XlmRoberta, attend, drawn

MODELS = {"qwen3-0.6b": Qwen3, "xlm-r-large": XlmRoberta}
SHAPES = ["1x32", "1x128", "1x512", "1x4096", "25x512", "100x512"]
BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]
MODES = {"default": "default", "max-autotune": "max-autotune-no-cudagraphs"}
REPLAYS, REPLAYS_MIN = 60, 12
SECONDS_OF_REPLAYS = 2.5  # Beyond them, no more than REPLAYS_MIN.
AUTOTUNE_S = 45  # What choosing by trial takes for a shape, about: it is not begun with less left.


class Timed(NamedTuple):
    gpu_ms: float
    host_ms: float
    how: str  # "max-autotune, cudnn attention"


@torch.no_grad()
def forward(model, layer, begin, end, ids, tables):
    x, y = begin(ids, tables)
    for weights in model.weights:
        x, y = layer(x, y, tables, weights)
    return end(x, y)


def capture(run):
    """The graph of `run`, and what it writes."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):  # Compiles, and lets libraries load what they need.
            run()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        out = run()
    return graph, out


def replay(graph, out):
    """Medians of the time on the GPU, and on the host up to the vectors there."""
    host = torch.empty(out.shape, dtype=out.dtype, pin_memory=True)
    gpu_ms, host_ms = [], []
    begun = time.perf_counter()
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    while len(gpu_ms) < REPLAYS_MIN or (
            len(gpu_ms) < REPLAYS and time.perf_counter() - begun < SECONDS_OF_REPLAYS):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(200_000)  # The GPU spins until all is queued.
        start.record()
        graph.replay()
        stop.record()
        torch.cuda.synchronize()
        gpu_ms.append(start.elapsed_time(stop))
        called = time.perf_counter()
        graph.replay()
        host.copy_(out, non_blocking=True)
        torch.cuda.synchronize()
        host_ms.append((time.perf_counter() - called) * 1e3)
    return statistics.median(gpu_ms), statistics.median(host_ms)


def fastest_attention(model, batch, tokens):
    """The one of PyTorch's attention kernels that takes least for the shape."""
    kv_heads = getattr(model, "kv_heads", model.heads)
    q, k, v = (drawn(batch, tokens, heads, model.head_dim, scale=1)
               for heads in (model.heads, kv_heads, kv_heads))
    times = {}
    for backend in BACKENDS:
        try:
            with sdpa_kernel(backend):
                graph, out = capture(lambda: attend(q, k, v, False))
            times[backend] = replay(graph, out)[0]
        except RuntimeError as error:
            print(f"  {backend.name} cannot: {str(error).splitlines()[0]}", flush=True)
    return min(times, key=times.get)


def measure(model, shape, mode, backend):
    batch, tokens = map(int, shape.split("x"))
    torch.compiler.reset()
    compiled = functools.partial(torch.compile, mode=MODES[mode], fullgraph=True, dynamic=False)
    parts = compiled(model.layer), compiled(model.begin), compiled(model.end)
    ids = torch.randint(10, model.words, (batch, tokens), device="cuda")
    tables = model.tables(tokens)
    begun = time.perf_counter()
    with sdpa_kernel(backend):
        graph, out = capture(lambda: forward(model, *parts, ids, tables))
    compiled_s = time.perf_counter() - begun
    if not torch.isfinite(out).all():
        raise SystemExit(f"{model.name} {shape}: not finite")
    how = f"{mode}, {backend.name.split('_')[0].lower()} attention"
    timed = Timed(*replay(graph, out), how)
    print(f"  {shape}: {timed.gpu_ms:.3f} ms, host {timed.host_ms:.3f} ms, {how} "
          f"(compiled in {compiled_s:.0f} s)", flush=True)
    return timed


def table(name, best):
    lines = [f"### {name}", "", "| sequences × tokens | GPU ms | host ms | how |",
             "| --- | --- | --- | --- |"]
    lines += [f"| {shape.replace('x', '×')} | {t.gpu_ms:.3f} | {t.host_ms:.3f} | {t.how} |"
              for shape, t in best.items()]
    return "\n".join(lines) + "\n"


class Results:
    """The fastest of each model and shape so far."""

    def __init__(self):
        self.best = {}
        self.backends = {}

    def run(self, name, model, shape, mode):
        """One more way to do a shape. One that cannot be compiled is told and left out."""
        try:
            if (name, shape) not in self.backends:
                batch, tokens = map(int, shape.split("x"))
                self.backends[name, shape] = fastest_attention(model, batch, tokens)
            timed = measure(model, shape, mode, self.backends[name, shape])
        except RuntimeError as error:
            print(f"  {shape}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            return
        before = self.best.setdefault(name, {}).setdefault(shape, timed)
        self.best[name][shape] = min(before, timed)


def main(options):
    begun = time.perf_counter()
    results = Results()
    for mode in MODES:
        for name in options.models:
            print(f"{MODELS[name].name}, {mode}", flush=True)
            torch.manual_seed(0)
            model = MODELS[name]()
            for shape in options.shapes:
                spent_s = time.perf_counter() - begun
                if mode == "default" or spent_s + AUTOTUNE_S <= options.budget_s:
                    results.run(name, model, shape, mode)
    versions = f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    text = f"{torch.cuda.get_device_name()}, {versions}, {time.strftime('%Y-%m-%d')}\n\n"
    text += "\n".join(table(MODELS[name].name, rows) for name, rows in results.best.items())
    print(f"\n{text}")
    if options.out:
        options.out.write_text(text)


def names(text):
    return text.split(",")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=names, default=list(MODELS))
    parser.add_argument("--shapes", type=names, default=SHAPES)
    parser.add_argument("--budget-s", type=float, default=210)
    parser.add_argument("--out", type=pathlib.Path)
    main(parser.parse_args())
