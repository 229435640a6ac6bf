"""Text within a width: tables, cut lines, durations."""

from collections.abc import Iterator, Sequence

from dalembert.show.notation import columns

DIGITS = (6, 5, 4, 3)  # significant digits, as many as fit
NARROW = 8  # columns of a table of words are cut no narrower than this


def aligned(rows: Sequence[Sequence[str | float]], width: int, gap: str = "  ") -> list[str]:
    """A table with a heading and a first column of names; numbers have as many digits as the width allows."""
    for digits in DIGITS:
        lines = list(_lines([[_shown(cell, digits) for cell in row] for row in rows], gap))
        if max(map(columns, lines)) <= width:
            return lines
    return [cut(line, width) for line in lines]


def listed(rows: Sequence[Sequence[str]], width: int, margin: str) -> list[str]:
    """A table of words, a heading first; where it is too wide, the widest columns are cut."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    while (total := len(margin) + sum(widths) + 2 * (len(widths) - 1)) > width and max(widths) > NARROW:
        widest = widths.index(max(widths))
        rest = sorted(widths)[-2] if len(widths) > 1 else 0
        widths[widest] -= min(total - width, max(widths[widest] - max(rest, NARROW), 1))
    lines = []
    for row in rows:
        cells = [cut(cell, w) for cell, w in zip(row, widths, strict=True)]
        padded = [cell + " " * (w - columns(cell)) for cell, w in zip(cells, widths, strict=True)]
        lines.append(cut(margin + "  ".join(padded).rstrip(), width))
    return lines


def cut(text: str, width: int) -> str:
    """A text, or its beginning where it is too long."""
    return text if columns(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def duration(seconds: float) -> str:
    """A time span as a person says it."""
    if seconds < 1:
        return f"{seconds * 1000:.2g} ms" if seconds < 0.0995 else f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _lines(table: Sequence[Sequence[str]], gap: str) -> Iterator[str]:
    widths = [max(map(columns, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        padded = [" " * (w - columns(cell)) + cell for cell, w in zip(cells, widths[1:], strict=True)]
        yield (gap + gap.join([name + " " * (widths[0] - columns(name)), *padded])).rstrip()


def _shown(cell: str | float, digits: int) -> str:
    return cell if isinstance(cell, str) else f"{cell + 0.0:.{digits}g}"  # no -0
