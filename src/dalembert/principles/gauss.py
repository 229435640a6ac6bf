"""Gauss's principle of least constraint, generalised to constraint forces that do work."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array
from dalembert.principles.factors import cho_solve, qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare


@in_words
def gauss(now: Instant) -> Answer:
    """The possible acceleration nearest, in the metric of M, to the one with no constraints.

    Minimises (z − a − c)ᵀ M (z − a − c) over A z = b, a = M⁻¹Q, c = M⁻¹C. The force is split by two such
    problems whose solutions add up to z: the ideal one, nearest to a over A z = b, and what C adds, nearest
    to c over A w = 0.
    Raises MassError, ContradictionError. Udwadia 2000, result 1 and (19)-(20).
    """
    ready = prepare(now)
    L = ready.L

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        found = nearest(L, ready.A, right, cho_solve((L, True), load), ready.rank)
        return found.point, found.multipliers

    return answer(ready, solve)


class Nearest(NamedTuple):
    """The nearest point z (n,), and λ (m,) with M (z − target) = Aᵀλ."""

    point: Array
    multipliers: Array


def nearest(L: Array, A: Array, b: Array, target: Array, rank: int) -> Nearest:
    """Minimise (z − target)ᵀ M (z − target) over A z = b, with M = L Lᵀ.

    With y = Lᵀ(z − target) it is: least ‖y‖ with A L⁻ᵀ y = b − A target. Pivoted QR (A L⁻ᵀ)ᵀ P = Z R gives
    y = Z₁ R₁₁⁻ᵀ (b − A target)_P. Shapes L (n, n), A (m, n) of the given rank, b (m,), target (n,).
    """
    Z, R, order = qr(solve_triangular(L, A.T, lower=True), mode="economic", pivoting=True)
    Z, R, kept = Z[:, :rank], R[:rank, :rank], order[:rank]
    inner = solve_triangular(R, (b - A @ target)[kept], trans="T")
    lam = np.zeros_like(b)
    lam[kept] = solve_triangular(R, inner)
    return Nearest(target + solve_triangular(L, Z @ inner, lower=True, trans="T"), lam)
