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
        f"{_count(len(found.rows), 'uncertain row')}, redundancy {found.redundancy}: χ² = {found.chi_square:.4g}, "
        f"p = {found.p_value:.2g}; |studentized| passes up to {found.critical:.2f}"
    )
    yield from hidden(found.not_checkable)


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
    wide = max(map(len, (*found.now.coordinates, "coordinate")))
    yield f"{'coordinate':<{wide}} {'acceleration':>14} {'± σ':>10} {'constraint force':>18} {'± σ':>10}"
    columns = (found.acceleration, found.acceleration_sigma, found.force, found.force_sigma)
    lines = [
        f"{name:<{wide}} {a:14.6g} {sa:10.2g} {f:18.6g} {sf:10.2g}"
        for name, a, sa, f, sf in zip(found.now.coordinates, *columns, strict=True)
    ]
    yield from lines[:LISTED]
    yield from _more(len(lines), "coordinates")


def _rows(found: Reconciliation) -> Iterator[str]:
    """Every uncertain row, those in doubt marked."""
    if not found.rows:
        return
    shown = sorted(found.rows, key=lambda row: -abs(row.studentized)) if len(found.rows) > LISTED else found.rows
    wide = max(max(len(row.name) for row in shown[:LISTED]) + 2, 5)
    yield ""
    yield (
        f"{'  row':<{wide}} {'measured':>12} {'σ':>9} {'adjusted':>12} {'residual':>11} {'residual/σ':>11} "
        f"{'studentized':>12} {'redundancy':>11}"
    )
    for row in shown[:LISTED]:
        yield _line(row, row.name in found.suspects, wide)
    yield from _more(len(found.rows), "rows")


def _line(row: ReconciledRow, doubted: bool, wide: int) -> str:
    student = f"{row.studentized:z12.2f}" if row.checkable else f"{'—':>12}"
    name = f"{'✗' if doubted else ' '} {row.name}"
    return (
        f"{name:<{wide}} {row.measured:12.6g} {row.sigma:9.3g} {row.adjusted:12.6g} {row.residual:11.4g} "
        f"{row.normalized:z11.2f} {student} {row.redundancy:11.3g}"
    )


def series_table(rows: Sequence[Any], suspects: Sequence[str]) -> Iterator[str]:
    """Every row of a series, those in doubt marked."""
    if not rows:
        return
    shown = sorted(rows, key=lambda row: row.p_value) if len(rows) > LISTED else rows
    wide = max(max(len(row.name) for row in shown[:LISTED]) + 2, 5)
    yield ""
    yield (
        f"{'  row':<{wide}} {'σ':>9} {'redundancy':>11} {'rms res./σ':>11} {'largest |w|':>12} {'at t':>9} "
        f"{'Σ w²':>10} {'p':>9} {'offset':>11} {'± σ':>9}"
    )
    for row in shown[:LISTED]:
        name = f"{'✗' if row.name in suspects else ' '} {row.name}"
        said = f"{name:<{wide}} {row.sigma:9.3g} {row.redundancy:11.3g} {row.rms:11.2f} "
        if row.times:
            said += f"{row.largest:12.2f} {row.largest_time:9.4g} {row.statistic:10.4g} {row.p_value:9.2g} "
            yield f"{said}{row.offset:11.3g} {row.offset_sigma:9.2g}"
        else:
            yield said + f"{'—':>12}"
    yield from _more(len(rows), "rows")


def _more(count: int, what: str) -> Iterator[str]:
    if count > LISTED:
        yield f"… and {count - LISTED} more {what}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
