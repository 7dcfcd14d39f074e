"""Encoders in plain PyTorch with random weights, cut so that torch.compile makes the most of them.

From layer to layer go the stream and, where a norm follows, what has still to be added to it."""

import torch
from torch.nn import functional

DEVICE = "cuda"
DTYPE = torch.bfloat16


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

    def layer(self, x, y, _tables, weights):
        qkv, qkv_bias, out, out_bias, *norm, up, up_bias, down, down_bias, last, last_bias = weights
        heads = functional.linear(x, qkv, qkv_bias).unflatten(-1, (3, self.heads, self.head_dim))
        attended = attend(*heads.unbind(2), False)
        x = self.norm(x + functional.linear(attended, out, out_bias), *norm)
        inner = functional.gelu(functional.linear(x, up, up_bias))
        return self.norm(x + functional.linear(inner, down, down_bias), last, last_bias), y

    def begin(self, ids, tables):
        x = functional.embedding(ids, self.embeddings) + tables[0]
        return self.norm(x, *self.norm_parameters), None

    def end(self, x, _y):
        return functional.normalize(x[:, 0].float(), dim=-1)
