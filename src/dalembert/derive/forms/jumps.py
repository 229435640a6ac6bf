"""What is kept across a surface where the coefficients of forms jump: at most what both sides keep on the surface.

On the side of u > 0 the forms are ω⁺, on the other ω⁻. A function that a motion keeps on its way across is, on
u = 0, one whose differential both span{ω⁺, du} and span{ω⁻, du} hold. So there are at most as many, besides du, as
the dimension of their intersection. Where the two are the same the jump is in the part along du alone, as of
sign(x) dx, and nothing is lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from sympy import (
    Add,
    Expr,
    Float,
    Mod,
    S,
    Symbol,
    acot,
    atan,
    atan2,
    ceiling,
    cos,
    cot,
    erf,
    floor,
    frac,
    fraction,
    pi,
    sin,
    tan,
    tanh,
    together,
)

from dalembert.derive.exact import Untried, Unvalued, leaf_points
from dalembert.derive.exact.cases import MOST, SWITCHING, Countless, cases
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.relations import Relations, anywhere
from dalembert.derive.reducing.bounds import bounds, never_zero

BOUNDED = {atan: pi / 2, tanh: S.One, erf: S.One}  # limits ± of functions at poles of their argument
BESIDE, DIGITS = 12, 40  # points of a surface beside which a jump is looked for, and digits
SEEN = Float("1e-20", DIGITS)  # of the terms of an expression: a jump that is no rounding
JUMPING = (*SWITCHING, *BOUNDED, acot, atan2)
Rule = Mapping[Expr, Expr]


class Surface(NamedTuple):
    """u = 0, and what parts that jump there are on the two sides."""

    u: Expr
    up: Rule
    down: Rule


class Across(NamedTuple):
    """At most so many independent functions are kept across u = 0; whether that is proved."""

    most: int
    u: Expr
    proved: bool


def surfaces(expressions: Sequence[Expr]) -> Iterator[Surface]:
    """Where parts of some expressions may jump."""
    parts = sorted({p for e in expressions for p in e.atoms(*JUMPING)}, key=lambda p: p.sort_key())
    parts = [p for p in parts if p.free_symbols]
    switching = [p for p in parts if isinstance(p, SWITCHING)]
    try:
        every = cases(switching, MOST) if switching else []
    except Countless:
        every = []
    for one, other in combinations(every, 2):
        differing = [u for u, s in one.signs.items() if other.signs.get(u, s) != s]
        if len(differing) == 1:
            yield Surface(differing[0], one.values, other.values)
    for part in parts:
        yield from _stepping(part)


def _stepping(part: Expr) -> Iterator[Surface]:
    """Where one function jumps that is not decided by signs."""
    w = part.args[0]
    match part:
        case floor() | ceiling() | frac() | Mod():
            high, low = {floor: (0, -1), ceiling: (1, 0), frac: (0, 1)}.get(part.func, (0, part.args[-1]))
            yield Surface(w, {part: S(high)}, {part: S(low)})
        case acot():
            if not never_zero(w):
                yield Surface(w, {part: pi / 2}, {part: -pi / 2})
        case atan2():
            ahead = part.args[1]
            if not (ahead.is_positive or bounds(ahead)[0] > 0):
                yield Surface(w, {part: pi}, {part: -pi})
        case atan() | tanh() | erf():
            turned = w.replace(tan, lambda v: sin(v) / cos(v)).replace(cot, lambda v: cos(v) / sin(v))
            below = fraction(together(turned))[1]
            if below.free_symbols and not never_zero(below):
                limit = BOUNDED[part.func]
                yield Surface(below, {part: limit}, {part: -limit})


def across(
    rows: Sequence[Row], stated: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float]
) -> Across | None:
    """The surface across which fewest functions are kept, if the forms jump at one that the motions can cross."""
    entries = [e for row in rows for e in row]
    if not any(e.has(*JUMPING) for e in entries):
        return None
    found = [one for s in surfaces(entries) if (one := _kept(s, rows, stated, variables, near))]
    return min(found, key=lambda one: one.most, default=None)


def _kept(
    s: Surface, rows: Sequence[Row], stated: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float]
) -> Across | None:
    """What is kept across one surface; None where no row jumps there, or no motion crosses it."""
    if not s.u.free_symbols & set(variables):
        return None
    up, down = ([[e.xreplace(dict(rule)) for e in row] for row in rows] for rule in (s.up, s.down))
    du = [s.u.diff(x) for x in variables]
    try:
        leaf = Relations([*stated, s.u], variables, near, decimal=False)
        if leaf.against or leaf.unsure or not (leaf.plain or leaf.has_points):
            return None
        held = leaf.follow(up, [du])[0] or leaf.follow(down, [du])[0]
        if held or (all(leaf.follow([*down, du], up)) and all(leaf.follow([*up, du], down))):
            return None
        one, other, both = (len(leaf.independent([*own, du]).rows) for own in (up, down, [*up, *down]))
    except (Untried, Unvalued):
        return None
    return Across(one + other - both - 1, s.u, leaf.plain and _is_seen(s.u, rows, stated, variables, near))


def _is_seen(
    u: Expr, rows: Sequence[Row], stated: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float]
) -> bool:
    """Whether a coefficient is seen to jump across u = 0: parts that jump may cancel, as in sign(y³) − sign(y)."""
    entries = sorted({e for row in rows for e in row if e.has(*JUMPING)}, key=lambda e: e.sort_key())
    slopes = {x: u.diff(x) for x in variables}
    points = islice(leaf_points([*stated, u], variables, near), BESIDE)
    return any(_steps_at(e, p.numbers, slopes) for p in points for e in entries)


def _steps_at(e: Expr, at: Mapping[Symbol, float], slopes: Mapping[Symbol, Expr]) -> bool:
    """Whether an expression changes as much over a shorter way across a point."""
    place = {**anywhere(sorted(e.free_symbols, key=lambda x: x.name)), **at}
    way = {x: S(slope.xreplace(place)).evalf(DIGITS) for x, slope in slopes.items()}
    if not all(slope.is_Float or slope.is_zero for slope in way.values()) or not any(way.values()):
        return False
    unit = max(map(abs, place.values())) / max(map(abs, way.values()))
    changes = []
    for step in (Float("1e-8", DIGITS), Float("1e-12", DIGITS)):
        sides = [{**place, **{x: Float(place[x], DIGITS) + d * unit * way[x] for x in way}} for d in (step, -step)]
        one, other = (S(e.xreplace(side)).evalf(DIGITS) for side in sides)
        changes.append(abs(one - other))
    size = sum(abs(S(term.xreplace(sides[0])).evalf(DIGITS)) for term in Add.make_args(e))
    return all(c.is_Float for c in (*changes, size)) and changes[1] > max(changes[0] / 2, size * SEEN)


def steps(
    f: Expr, rows: Sequence[Row], stated: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float]
) -> bool:
    """Whether a function jumps at a surface that motions can cross."""
    if not f.has(*JUMPING):
        return False
    return any(_jumps(f, s, rows, stated, variables, near) for s in surfaces([f]))


def _jumps(
    f: Expr,
    s: Surface,
    rows: Sequence[Row],
    stated: Sequence[Expr],
    variables: Sequence[Symbol],
    near: Mapping[Symbol, float],
) -> bool:
    change = f.xreplace(dict(s.up)) - f.xreplace(dict(s.down))
    if not s.u.free_symbols & set(variables) or change == 0:
        return False
    try:
        leaf = Relations([*stated, s.u], variables, near, decimal=False)
        up = [[e.xreplace(dict(s.up)) for e in row] for row in rows]
        held = leaf.against or leaf.unsure or leaf.follow(up, [[s.u.diff(x) for x in variables]])[0]
        return not (held or leaf.vanishes(change))
    except (Untried, Unvalued):
        return True
