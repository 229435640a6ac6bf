"""Points on relations φ(x) = 0, with 50 digits: what holds only where the constraints hold is tried there."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from sympy import Expr, Symbol

from dalembert.derive.exact import Point
from dalembert.derive.fields import BadPoint, NotExact, Real

TRIES = 40
STEPS = 80


def leaf_points(
    relations: Sequence[Expr],
    variables: Sequence[Symbol],
    values: Mapping[Symbol, Expr],
    near: Mapping[Symbol, float],
    order: int,
    count: int = 3,
) -> list[Point]:
    """Random points on φ = 0, near one if it is known, as many as `count` if they can be found by Newton's method."""
    found: list[Point] = []
    random = Random(3)
    for attempt in range(TRIES):
        field = Real(random)
        start = {s: field.rational(x) for s, x in values.items()}
        spread = 4 if near and attempt < TRIES // 2 else 1
        for x in variables:
            shift = (field.free() - 1) / spread
            start[x] = field.mp.mpf(near[x]) + shift if x in near else shift + 1
        try:
            at = _moved(relations, variables, field, start)
            found.append(Point(field, variables, order, at))
        except (BadPoint, NotExact, ZeroDivisionError):
            continue
        if len(found) == count:
            break
    return found


def _moved(
    relations: Sequence[Expr], variables: Sequence[Symbol], field: Real, at: dict[Symbol, Any]
) -> dict[Symbol, Any]:
    """A point moved onto φ = 0 by steps of least norm; the last variable, the time, is held."""
    mp = field.mp
    moving = variables[:-1]
    for _ in range(STEPS):
        point = Point(field, variables, 1, at)
        jets = [point.jet(phi) for phi in relations]
        at = {**at, **{s: point.value(s) for phi in relations for s in phi.free_symbols}}
        off = max(abs(j[0]) for j in jets)
        if off < field.tolerance * field.tolerance * 1000:
            return at
        J = mp.matrix([[j[1 + i] for i in range(len(moving))] for j in jets])
        gram = J * J.T
        for i in range(gram.rows):  # damped by what is left, as in `independence`
            gram[i, i] += off
        step = J.T * mp.lu_solve(gram, mp.matrix([j[0] for j in jets]))
        at = {**at, **{x: at[x] - step[i] for i, x in enumerate(moving)}}
        if any(abs(at[x]) > 1e6 for x in moving):
            raise BadPoint
    raise BadPoint
