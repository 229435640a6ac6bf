"""Points on relations φ(x) = 0, with 50 digits: what holds only where the constraints hold is tried there."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from sympy import Expr, Symbol

from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import Real

TRIES = 12
STEPS = 40


def leaf_points(relations: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float]) -> Iterator[Real]:
    """Random points on φ = 0, near one if it is known, as far as Newton's method finds them."""
    random = Random(3)
    for attempt in range(TRIES):
        real = Real(random)
        start: dict[Symbol, Any] = {}
        spread = 4 if near and attempt < TRIES // 2 else 1
        for x in variables:
            shift = (real.random() - 1) / spread
            start[x] = real.mp.mpf(near[x]) + shift if x in near else shift + 1
        found = _moved(relations, variables, random, start)
        if found is not None:
            yield Real(random, found)


def _moved(
    relations: Sequence[Expr], variables: Sequence[Symbol], random: Random, at: dict[Symbol, Any]
) -> dict[Symbol, Any] | None:
    """A point moved onto φ = 0 by steps of least norm, the last variable, the time, held; None if that fails."""
    moving = variables[:-1]
    for _ in range(STEPS):
        real = Real(random, at)
        germs = Germs(real, variables, 1)
        try:
            jets = [germs.jet(phi) for phi in relations]
        except Unvalued:
            return None
        if not real.good.all():
            return None
        at = dict(real.values)
        off = max(abs(j[0, 0]) for j in jets)
        if off < real.tolerance**2 * 1000:
            return at
        mp = real.mp
        J = mp.matrix([[j[1 + i, 0] for i in range(len(moving))] for j in jets])
        gram = J * J.T
        for i in range(gram.rows):  # damped by what is left, as in `independence`
            gram[i, i] += off
        step = J.T * mp.lu_solve(gram, mp.matrix([j[0, 0] for j in jets]))
        at |= {x: at[x] - step[i] for i, x in enumerate(moving)}
        if any(abs(at[x]) > 1e6 for x in moving):
            return None
    return None
