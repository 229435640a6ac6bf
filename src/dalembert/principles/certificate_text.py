"""A certificate in words, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dalembert.principles.errors import combination

if TYPE_CHECKING:
    from .certificate import Certificate

LISTED = 8
"""How many coordinates, rows or dependencies are shown before the rest is only counted."""


def certificate_text(certificate: Certificate) -> str:
    """About 25 lines: what the system is, what the answer is, and what each check proves."""
    return "\n".join([*_system(certificate), "", *_answer(certificate), "", *_checks(certificate)])


def _system(certificate: Certificate) -> Iterator[str]:
    """The verdict, the counts, and which rows depend on which."""
    now = certificate.now
    good = sum(check.passed for check in certificate.checks)
    yield f"{'PASSED' if certificate.passed else 'FAILED'}: {good} of {len(certificate.checks)} checks hold"
    yield (
        f"{_count(now.n, 'coordinate')}, {_count(now.m, 'constraint row')} of which {certificate.rank} "
        f"independent, {_count(certificate.degrees_of_freedom, 'degree')} of freedom"
    )
    lines = []
    for d in certificate.dependencies:
        name = now.constraints[d.row]
        sources = combination(d.coefficients, [f"“{now.constraints[j]}”" for j in d.on])
        lines.append(f"“{name}” = {sources}" if d.on else f"“{name}” is a row of zeros: it does not act at this state")
    yield from _shown(lines, "dependent rows")
    if not certificate.on_constraints:
        distance, name = max(zip(certificate.distance, now.constraints, strict=False))
        yield f"The state is off the constraints, by {distance:.2g} at “{name}”: no motion passes through it."
    if certificate.let_go:
        yield f"In contact, and let go because they would have to pull: {', '.join(certificate.let_go)}"
    if any(d.on for d in certificate.dependencies):
        yield "Redundant rows do not change the motion; their multipliers are the ones of least norm."
    if certificate.replaced:
        yield "M is not positive definite; the constraints make the motion unique, with an equivalent M."


def _answer(certificate: Certificate) -> Iterator[str]:
    """The explicit answer as two tables."""
    now, answer = certificate.now, certificate.answer
    wide = max(map(len, (*now.coordinates, *now.constraints, "coordinate")))
    yield f"{'coordinate':<{wide}} {'acceleration':>14} {'ideal force':>14} {'work-doing':>14}"
    columns = (answer.acceleration, answer.ideal, answer.nonideal)
    rows = zip(now.coordinates, *columns, strict=True)
    yield from _shown([f"{name:<{wide}}" + "".join(map(_number, row)) for name, *row in rows], "coordinates")
    if now.m:
        yield f"{'row':<{wide}} {'multiplier':>14} {'A q̈ − b':>15}"  # one more: the dots take no room
        pairs = zip(now.constraints, answer.multipliers, certificate.residual, strict=True)
        yield from _shown([f"{name:<{wide}}" + "".join(map(_number, pair)) for name, *pair in pairs], "rows")
    yield f"Gauss measure at the minimum: {certificate.gauss_measure:.6g}"


def _checks(certificate: Certificate) -> Iterator[str]:
    """Each check with its value, its bound and what it proves."""
    for check in certificate.checks:
        mark, relation = ("✓", "≤") if check.passed else ("✗", ">")
        yield f"{mark} {check.name:<16} {check.value:8.1e} {relation} {check.bound:.1e}  {check.meaning}"


def _shown(lines: Sequence[str], what: str) -> Iterator[str]:
    """The first lines, and how many more there are."""
    yield from lines[:LISTED]
    if len(lines) > LISTED:
        yield f"… and {len(lines) - LISTED} more {what}"


def _number(value: float) -> str:
    return f" {value:14.6g}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
