"""Gauss's principle of least constraint, generalised to constraint forces that do work."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.factors import cho_solve, cholesky, qr, solve_triangular
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


def gauss(now: Instant) -> Answer:
    """The possible acceleration nearest, in the metric of M, to the one with no constraints.

    Minimises (z − a − c)ᵀ M (z − a − c) over A z = b, a = M⁻¹Q, c = M⁻¹C. The force is split by two such
    problems whose solutions add up to z: the ideal one, nearest to a over A z = b, and what C adds, nearest
    to c over A w = 0.
    Raises MassError, ContradictionError. Udwadia 2000, result 1 and (19)-(20).
    """
    ready = prepare(now)
    L = cholesky(ready.M, lower=True)
    a = cho_solve((L, True), ready.Q)
    c = cho_solve((L, True), ready.C)
    motion = nearest(L, ready.A, ready.b, a, ready.rank)
    added = nearest(L, ready.A, np.zeros_like(ready.b), c, ready.rank)
    return ready.answer(
        acceleration=motion.point + added.point,
        ideal=L @ motion.step,  # M (z − a)
        nonideal=ready.M @ added.point,
        multipliers=motion.multipliers,
    )


class Nearest(NamedTuple):
    """The nearest point z (n,), the step y = Lᵀ(z − target) (n,), and λ (m,) with M (z − target) = Aᵀλ."""

    point: Array
    step: Array
    multipliers: Array


def nearest(L: Array, A: Array, b: Array, target: Array, rank: int) -> Nearest:
    """Minimise (z − target)ᵀ M (z − target) over A z = b, with M = L Lᵀ.

    With y = Lᵀ(z − target) it is: least ‖y‖ with A L⁻ᵀ y = b − A target. Pivoted QR (A L⁻ᵀ)ᵀ P = Z R gives
    y = Z₁ R₁₁⁻ᵀ (b − A target)_P. Shapes L (n, n), A (m, n) of the given rank, b (m,), target (n,).
    """
    Z, R, order = qr(solve_triangular(L, A.T, lower=True), mode="economic", pivoting=True)
    Z, R, kept = Z[:, :rank], R[:rank, :rank], order[:rank]
    inner = solve_triangular(R, (b - A @ target)[kept], trans="T")
    step = Z @ inner
    lam = np.zeros_like(b)
    lam[kept] = solve_triangular(R, inner)
    return Nearest(target + solve_triangular(L, step, lower=True, trans="T"), step, lam)
