"""What is measured: inputs of one request × tokens of one input, and how often in one round."""

from typing import NamedTuple


class Shape(NamedTuple):
    batch: int
    tokens: int
    warmup: int
    requests: int

    def __str__(self):
        return f"{self.batch}×{self.tokens}"


SHAPES = [
    Shape(1, 16, warmup=10, requests=60),
    Shape(1, 128, warmup=5, requests=30),
    Shape(1, 256, warmup=5, requests=20),
    Shape(32, 128, warmup=1, requests=3),
]
