"""Places where an integral says something else than its row, though df = μ ω wherever all of it is regular.

Where μ vanishes the integral says nothing, and the row may; where μ is infinite the row vanishes, or the integral has
no value. Where ω jumps the integral has but a kink. And ω may end where f goes on, as log y dx does at y = 0.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sympy import Expr, Pow, S, Symbol, acos, acosh, asin, atanh, cos, cot, csc, fraction, log, sec, sin, tan, together

from dalembert.derive.exact import Untried, Unvalued, leaf_points
from dalembert.derive.exact.cases import SWITCHING, Countless, cases
from dalembert.derive.forms.exchange import FOUND, factors_of, found_there, never_there, says
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import Ground
from dalembert.derive.forms.jumps import surfaces
from dalembert.derive.forms.relations import Relations
from dalembert.derive.reducing.bounds import never_zero


class Integral(NamedTuple):
    """A row, a function f with df = μ ω, and the functions that are zero on a motion, that of f among them."""

    row: Row
    f: Expr
    factor: Expr
    levels: Sequence[Expr]


def elsewhere(integral: Integral, ground: Ground) -> str:
    """Why an integral may not take the place of its row; "" where nothing speaks against it."""
    return next(_differences(integral, ground), "")


def _differences(own: Integral, ground: Ground) -> Iterator[str]:
    back = ground.algebra.restore
    f, slopes = f"its integral {back(own.f)}", ground.differential(own.f)
    for u in _idle_sides(own.factor, ground):
        yield f"{f} says nothing on one side of {back(u)} = 0, and the row does"
    top, bottom = fraction(together(own.factor))
    if place := found_there(top, own.levels, own.row, slopes, ground):
        yield f"{f} says nothing where {back(place)} = 0, and the row does"
    for place in (e for e, n in factors_of(bottom) if n.is_positive):
        if _comes(place, ground):
            yield f"the row is another where {back(place)} = 0, and {f} goes on"
        at = reached(place, own.levels, ground)
        if any(not _exists(slopes, one) for one in at):
            yield f"{f} has no value, or no direction, where {back(place)} = 0, and the row is another there"
        elif any(not says(own.row, one) for one in at):
            yield f"the row says nothing where {back(place)} = 0, and {f} does"
    for place in jumps_at(own.row, own.levels, ground):
        yield f"its coefficients jump where {back(place)} = 0, and {f} goes on"
    ends = set(_ends(own.f))
    for place in sorted({e for a in own.row for e in _ends(a)} - ends, key=lambda e: e.sort_key()):
        if _comes(place, ground) or reached(place, own.levels, ground):
            yield f"the row ends where {back(place)} = 0, and {f} goes on"


def _idle_sides(factor: Expr, ground: Ground) -> Iterator[Expr]:
    """What changes sign to where a factor vanishes at all places."""
    try:
        every = cases([factor]) if factor.has(*SWITCHING) else []
    except Countless:
        return
    yield from (next(iter(case.signs)) for case in every if case.signs and ground.vanishes(case.of(factor)))


def jumps_at(row: Row, levels: Sequence[Expr], ground: Ground) -> Iterator[Expr]:
    """Where the coefficients of a row jump at places on some levels."""
    for s in surfaces([*row, *levels]):
        up, down = ([e.xreplace(dict(rule)) for e in row] for rule in (s.up, s.down))
        change = [a - b for a, b in zip(up, down, strict=True) if a != b]
        if not change or not s.u.free_symbols & set(ground.variables):
            continue
        try:
            there = Relations(
                [*(e.xreplace(dict(s.up)) for e in levels), s.u], ground.variables, ground.near, decimal=ground.decimal
            )
            met = not there.against and not there.unsure and (there.plain or there.has_points)
            if met and not all(there.vanishes(e) for e in change):
                yield s.u
        except (Untried, Unvalued):
            yield s.u


def reached(e: Expr, levels: Sequence[Expr], ground: Ground) -> list[dict[Symbol, float]]:
    """Places on some levels at which an expression vanishes; none where there are none, or none were found."""
    if not e.free_symbols & set(ground.variables) or never_there(e, levels, ground):
        return []
    tops = [fraction(together(phi))[0] for phi in levels]
    found = list(islice((p for p in leaf_points([e, *tops], ground.variables, ground.near) if not p.missed()), FOUND))
    return [p.numbers for p in found] if len(found) == FOUND else []


def _comes(e: Expr, ground: Ground) -> bool:
    """Whether an expression is one of time alone that may vanish: no motion goes past that."""
    return bool(e.free_symbols & {ground.algebra.t} and not e.free_symbols & set(ground.algebra.q)) and not never_zero(
        e
    )


def _exists(row: Row, at: dict[Symbol, float]) -> bool:
    """Whether all coefficients of a row have values at a place."""
    values = [S(e.xreplace(at)) for e in row[:-1]]
    return all(v.is_finite and v.is_real for v in values if v.is_number)


def _ends(e: Expr) -> Iterator[Expr]:
    """What vanishes where an expression has no value, or its slopes have none."""
    for part in e.atoms(Pow, log, tan, cot, sec, csc, asin, acos, acosh, atanh):
        u: Expr = part.args[0]
        match part:
            case Pow() if part.exp.is_Integer and part.exp.is_positive:
                continue
            case tan() | sec():
                u = cos(u)
            case cot() | csc():
                u = sin(u)
            case asin() | acos() | acosh() | atanh():
                u = 1 - u**2
        yield from (base for base, _ in factors_of(fraction(together(u))[0]) if _varies(base))


def _varies(e: Expr) -> bool:
    return any(isinstance(x, Symbol) for x in e.free_symbols) and e != S.Exp1
