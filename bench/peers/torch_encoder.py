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
the same with its launch, the copy of the vectors to the host and the wait for them.
"""

import argparse
import functools
import pathlib
import statistics
import time
from typing import NamedTuple

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

SHAPES = ["1x32", "1x128", "1x512", "1x4096", "25x512", "100x512"]
DEVICE = "cuda"
DTYPE = torch.bfloat16
BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]
MODES = {"default": "default", "max-autotune": "max-autotune-no-cudagraphs"}
REPLAYS, REPLAYS_MIN = 60, 30
SECONDS_OF_REPLAYS = 2.5  # Beyond them, no more than REPLAYS_MIN.
AUTOTUNE_S = 45  # What choosing by trial takes for a shape, about: it is not begun with less left.


def drawn(*shape, scale=0.03):
    return torch.randn(*shape, device=DEVICE, dtype=DTYPE) * scale


def norm_weight(size):
    return 1 + drawn(size, scale=0.1)


def attend(q, k, v, causal):
    """[B, S, heads, head dim] → [B, S, heads × head dim]."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    groups = q.shape[1] != k.shape[1]
    out = functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=groups)
    return out.transpose(1, 2).flatten(2)


class Qwen3:
    """Qwen3-0.6B: pre-norm, grouped heads, rotary positions; last token."""

    name = "Qwen3-0.6B, full attention"
    hidden, inner, layers, heads, kv_heads, head_dim = 1024, 3072, 28, 16, 8, 128
    words, epsilon, theta, causal = 151669, 1e-6, 1e6, False

    def __init__(self):
        queries, keys = self.heads * self.head_dim, self.kv_heads * self.head_dim
        self.embeddings = drawn(self.words, self.hidden)
        self.final_norm = norm_weight(self.hidden)
        self.weights = [
            (norm_weight(self.hidden), drawn(queries + 2 * keys, self.hidden),
             norm_weight(self.head_dim), norm_weight(self.head_dim), drawn(self.hidden, queries),
             norm_weight(self.hidden), drawn(2 * self.inner, self.hidden),
             drawn(self.hidden, self.inner))
            for _ in range(self.layers)
        ]

    def tables(self, tokens):
        exponents = torch.arange(0, self.head_dim, 2, device=DEVICE) / self.head_dim
        angles = torch.outer(torch.arange(tokens, device=DEVICE), self.theta**-exponents)
        angles = torch.cat([angles, angles], dim=-1)[:, None]
        return angles.cos(), angles.sin()

    def norm(self, x, weight):
        return functional.rms_norm(x, x.shape[-1:], weight, self.epsilon)

    def rotate(self, x, cos, sin):
        low, high = x.chunk(2, dim=-1)
        return (x * cos + torch.cat([-high, low], dim=-1) * sin).to(DTYPE)

    def layer(self, x, y, tables, weights):
        """Stream x and what the layer before adds to it → the same of this layer."""
        norm, qkv, q_norm, k_norm, out, mlp_norm, gate_up, down = weights
        x = x + y
        heads = functional.linear(self.norm(x, norm), qkv).unflatten(-1, (-1, self.head_dim))
        q, k, v = heads.split([self.heads, self.kv_heads, self.kv_heads], dim=2)
        q = self.rotate(self.norm(q, q_norm), *tables)
        k = self.rotate(self.norm(k, k_norm), *tables)
        x = x + functional.linear(attend(q, k, v, self.causal), out)
        gate, up = functional.linear(self.norm(x, mlp_norm), gate_up).chunk(2, dim=-1)
        return x, functional.linear(functional.silu(gate) * up, down)

    def begin(self, ids, _tables):
        x = functional.embedding(ids, self.embeddings)
        return x, torch.zeros_like(x)

    def end(self, x, y):
        last = (x + y)[:, -1]
        return functional.normalize(self.norm(last, self.final_norm).float(), dim=-1)


class XlmRoberta:
    """XLM-RoBERTa-large: post-norm, learned positions, exact GELU; first token."""

    name = "XLM-R-large, exact erf"
    hidden, inner, layers, heads, head_dim = 1024, 4096, 24, 16, 64
    words, positions, epsilon = 250002, 8194, 1e-5

    def __init__(self):
        hidden, inner = self.hidden, self.inner
        self.embeddings = drawn(self.words, hidden)
        self.position_embeddings = drawn(self.positions, hidden)
        self.type_embedding = drawn(hidden)
        self.norm_parameters = self.norm_pair()
        self.weights = [
            (*self.dense(3 * hidden, hidden), *self.dense(hidden, hidden), *self.norm_pair(),
             *self.dense(inner, hidden), *self.dense(hidden, inner), *self.norm_pair())
            for _ in range(self.layers)
        ]

    def dense(self, rows, columns):
        return drawn(rows, columns), drawn(rows)

    def norm_pair(self):
        return norm_weight(self.hidden), drawn(self.hidden)

    def tables(self, tokens):
        return (self.position_embeddings[2 : tokens + 2] + self.type_embedding,)

    def norm(self, x, weight, bias):
        return functional.layer_norm(x, x.shape[-1:], weight, bias, self.epsilon)

    def layer(self, x, _y, _tables, weights):
        qkv, qkv_bias, out, out_bias, *norm, up, up_bias, down, down_bias, last, last_bias = weights
        heads = functional.linear(x, qkv, qkv_bias).unflatten(-1, (3, self.heads, self.head_dim))
        attended = attend(*heads.unbind(2), False)
        x = self.norm(x + functional.linear(attended, out, out_bias), *norm)
        inner = functional.gelu(functional.linear(x, up, up_bias))
        return self.norm(x + functional.linear(inner, down, down_bias), last, last_bias), _y

    def begin(self, ids, tables):
        x = functional.embedding(ids, self.embeddings) + tables[0]
        return self.norm(x, *self.norm_parameters), None

    def end(self, x, _y):
        return functional.normalize(x[:, 0].float(), dim=-1)


MODELS = {"qwen3-0.6b": Qwen3, "xlm-r-large": XlmRoberta}


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
    ids = torch.randint(10, model.words, (batch, tokens), device=DEVICE)
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


def main(options):
    begun = time.perf_counter()
    best = {name: {} for name in options.models}
    for mode in MODES:
        for name in options.models:
            print(f"{MODELS[name].name}, {mode}", flush=True)
            torch.manual_seed(0)
            model = MODELS[name]()
            for shape in options.shapes:
                if mode == "default":
                    backend = fastest_attention(model, *map(int, shape.split("x")))
                elif time.perf_counter() - begun + AUTOTUNE_S > options.budget_s:
                    print(f"  {shape}: no time left", flush=True)
                    continue
                else:
                    backend = best[name][shape][1]
                timed = measure(model, shape, mode, backend)
                before = best[name].get(shape)
                if before is None or timed.gpu_ms < before[0].gpu_ms:
                    best[name][shape] = timed, backend
    versions = f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    text = f"{torch.cuda.get_device_name()}, {versions}, {time.strftime('%Y-%m-%d')}\n\n"
    text += "\n".join(table(MODELS[name].name, {shape: timed for shape, (timed, _) in rows.items()})
                      for name, rows in best.items())
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
