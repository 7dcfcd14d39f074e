"""Tables and numbers as reports show them."""

from typing import Iterator


def table(head: list[str], lines: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + " --- |" * len(head)
    yield from (f"| {' | '.join(line)} |" for line in lines)
    yield ""


def number(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.1f}"
