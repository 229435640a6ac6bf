"""A reconciliation in words, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .reconcile import ReconciledRow, Reconciliation

LISTED = 12
"""How many coordinates or rows are shown before the rest is only counted; rows in doubt come first then."""


def reconciliation_text(found: Reconciliation) -> str:
    """The verdict, the answer with its standard deviations, and every uncertain row."""
    return "\n".join([*_verdict(found), "", *_answer(found), *_rows(found)])


def _verdict(found: Reconciliation) -> Iterator[str]:
    """What the test says, and what it cannot say."""
    yield verdict(found.suspects, found.p_value, found.level, found.redundancy)
    if len(found.suspects) == 1:
        row = next(row for row in found.rows if row.name == found.suspects[0])
        yield f"Alone it would be off by {row.fault:.4g} ± {row.fault_sigma:.2g}."
    yield (
        f"{counted(len(found.rows), 'uncertain row')}, redundancy {found.redundancy}: χ² = {found.chi_square:.4g}, "
        f"p = {found.p_value:.2g}; |studentized| passes up to {found.critical:.2f}"
    )
    yield from hidden(found.not_checkable)
    yield from found.notes


def verdict(suspects: Sequence[str], p_value: float, level: float, redundancy: int) -> str:
    """One sentence: which row is at fault, which cannot be told apart, or that the rows agree."""
    at = f"at level {level:g}"
    if len(suspects) == 1:
        return f"A fault is found {at}: row “{suspects[0]}” is most likely the one."
    if suspects:
        return f"A fault is found {at}, but these rows cannot be told apart: {_listed(suspects)}."
    if not redundancy:
        return "Nothing is checked: no row speaks of what another one says."
    if p_value < level:
        return (
            f"The rows disagree {at} (p = {p_value:.2g}), but no single one stands out: "
            "several are at fault, or the trust in all is too high."
        )
    return f"The rows agree {at}: no fault is found."


def hidden(names: Sequence[str]) -> Iterator[str]:
    """Which rows no test can check."""
    if names:
        yield f"Not checkable, nothing else speaks of {'it' if len(names) == 1 else 'them'}: {_listed(names)}"


def _answer(found: Reconciliation) -> Iterator[str]:
    """Acceleration and constraint force, each with its standard deviation."""
    columns = (found.acceleration, found.acceleration_sigma, found.force, found.force_sigma)
    cells = [
        [name, f"{a:.6g}", f"{sa:.2g}", f"{f:.6g}", f"{sf:.2g}"]
        for name, a, sa, f, sf in zip(found.now.coordinates, *columns, strict=True)
    ]
    header = ["coordinate", "acceleration", "± σ", "constraint force", "± σ"]
    yield from aligned([header, *cells[:LISTED]], (0, 14, 10, 18, 10))
    yield from _more(len(cells), "coordinates")


def _rows(found: Reconciliation) -> Iterator[str]:
    """Every uncertain row, those in doubt marked."""
    if not found.rows:
        return
    shown = sorted(found.rows, key=lambda row: -abs(row.studentized)) if len(found.rows) > LISTED else found.rows
    header = ["  row", "measured", "σ", "adjusted", "residual", "residual/σ", "studentized", "redundancy"]
    yield ""
    cells = [_cells(row, row.name in found.suspects) for row in shown[:LISTED]]
    yield from aligned([header, *cells], (5, 12, 9, 12, 11, 11, 12, 11))
    yield from _more(len(found.rows), "rows")


def _cells(row: ReconciledRow, doubted: bool) -> list[str]:
    return [
        _marked(row.name, doubted),
        f"{row.measured:.6g}",
        f"{row.sigma:.3g}",
        f"{row.adjusted:.6g}",
        f"{row.residual:.4g}",
        _two_places(row.normalized),
        _two_places(row.studentized) if row.checkable else "—",
        f"{row.redundancy:.3g}",
    ]


def series_fault(row: Any, fault: str, alone: bool) -> str:
    """How the row in doubt is off; `alone` where there is but one."""
    which = "It is" if alone else f"“{row.name}” alone would be"
    when = f"t = {row.largest_time:.6g}"
    if fault == "offset":
        return f"{which} off by {row.offset:.4g} ± {row.offset_sigma:.2g} at all times."
    if fault == "glitch":
        return f"{which} off by {row.glitch:.4g} ± {row.glitch_sigma:.2g} at {when}, and at no other time."
    return f"{'It is' if alone else 'They are'} not off by one amount: the worst is at {when}."


def series_table(rows: Sequence[Any], suspects: Sequence[str]) -> Iterator[str]:
    """Every row of a series, those in doubt marked."""
    if not rows:
        return
    shown = sorted(rows, key=lambda row: row.p_value) if len(rows) > LISTED else rows
    header = ["  row", "σ", "redundancy", "rms res./σ", "largest |w|", "at t", "Σ w²", "p", "offset", "± σ"]
    lines = [header]
    for row in shown[:LISTED]:
        cells = [_marked(row.name, row.name in suspects), f"{row.sigma:.3g}", f"{row.redundancy:.3g}"]
        cells.append(_two_places(row.rms))
        if row.times:
            cells += [_two_places(row.largest), f"{row.largest_time:.6g}", f"{row.statistic:.4g}"]
            cells += [f"{row.p_value:.2g}", f"{row.offset:.3g}", f"{row.offset_sigma:.2g}"]
        else:
            cells += ["—", *[""] * 5]
        lines.append(cells)
    yield ""
    yield from aligned(lines, (5, 9, 11, 11, 12, 9, 10, 9, 11, 9))
    yield from _more(len(rows), "rows")


def aligned(lines: Sequence[Sequence[str]], least: Sequence[int]) -> Iterator[str]:
    """Cells in columns, the first to the left and the others to the right, as wide as they must be."""
    wide = [max(low, *(len(line[i]) for line in lines)) for i, low in enumerate(least)]
    for first, *others in lines:
        cells = [f"{cell:>{w}}" for cell, w in zip(others, wide[1:], strict=True)]
        yield " ".join([f"{first:<{wide[0]}}", *cells]).rstrip()


def _marked(name: str, doubted: bool) -> str:
    return f"{'✗' if doubted else ' '} {name}"


def _two_places(value: float) -> str:
    return f"{value:z.2f}" if abs(value) < 1e6 else f"{value:.3e}"


def _more(count: int, what: str) -> Iterator[str]:
    if count > LISTED:
        yield f"… and {count - LISTED} more {what}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def counted(number: int, what: str) -> str:
    """A number with its noun: 1 time, 2 times."""
    return f"{number} {what}{'' if number == 1 else 's'}"
