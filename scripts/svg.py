"""What plots in SVG share: axes and the frame."""

import math


def opening(width, height):
    """The document's opening, on white; "</svg>" ends it."""
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'font-family="sans-serif" font-size="11">')
    yield f'<rect width="{width}" height="{height}" fill="white"/>'


def ticks(low, high, logarithmic):
    if not logarithmic:
        return [low + (high - low) * i / 4 for i in range(5)]
    marks = [m * 10**e for e in range(-1, 6) for m in (1, 2, 5)]
    marks = [mark for mark in marks if low * 0.999 <= mark <= high * 1.001]
    return marks if len(marks) <= 7 else [m for m in marks if f"{m:e}"[0] == "1"]


def scale(low, high, begin, end, logarithmic):
    f = math.log10 if logarithmic else float
    span = (f(high) - f(low)) or 1
    return lambda value: begin + (f(value) - f(low)) / span * (end - begin)
