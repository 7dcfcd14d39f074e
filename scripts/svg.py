"""What plots in SVG share."""


def opening(width, height):
    """The document's opening, on white; "</svg>" ends it."""
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'font-family="sans-serif" font-size="11">')
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
