"""Instants to test on, and the norms and bounds in which answers are compared; nothing of the package but Instant."""

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from dalembert.principles import Answer, Instant

laws = settings(deadline=None, derandomize=True, max_examples=40)
"""How often a law is tried; a decorator rather than a profile, which would reach the tests of other rooms."""


class Case(NamedTuple):
    """An instant, the rank its A was built with, and one possible acceleration."""

    now: Instant
    rank: int
    possible: np.ndarray


def orthogonal(random, n):
    return np.linalg.qr(random.normal(size=(n, n)))[0]


def mass(random, n, decades):
    """A positive definite matrix of condition 10^decades."""
    U = orthogonal(random, n)
    M = (U * np.logspace(0, decades, n)) @ U.T
    return (M + M.T) / 2


def rows(random, m, n, rank, decades):
    """A matrix of the given rank, m ≥ rank, whose factors' condition is about 10^decades."""
    left = random.normal(size=(m, rank))
    left[:rank] = orthogonal(random, rank)
    return (left * np.logspace(0, -decades, rank)) @ orthogonal(random, n)[:rank]


def make(seed, n, rank, extra=0, mass_decades=2.0, row_decades=1.0, ideal=False):
    """A random case with rank + extra rows."""
    random = np.random.default_rng(seed)
    m = rank + extra
    A = rows(random, m, n, rank, row_decades)
    x = random.normal(size=n) * 3
    C = np.zeros(n) if ideal else random.normal(size=n) * 2
    return Case(Instant(mass(random, n, mass_decades), random.normal(size=n) * 5, A, A @ x, C), rank, x)


@st.composite
def cases(draw, low=0, redundant=False, free=False):
    """Cases of every shape: n up to 12, rank from `low` to n (n − 1 if `free`), redundant rows, ill conditions."""
    n = draw(st.integers(max(1, low + free), 12))
    rank = draw(st.integers(low, n - free))
    return make(
        draw(st.integers(0, 2**32 - 1)),
        n,
        rank,
        extra=draw(st.integers(int(redundant), 5)),
        mass_decades=draw(st.floats(0, 6)),
        row_decades=draw(st.floats(0, 3)),
        ideal=draw(st.booleans()),
    )


def scaled_rows(now):
    """B = A L⁻ᵀ with M = L Lᵀ, its rows of unit length."""
    B = np.linalg.solve(np.linalg.cholesky(now.M), now.A.T).T
    length = np.linalg.norm(B, axis=1, keepdims=True)
    return B / np.where(length > 0, length, 1)


def tolerance(case):
    """What rounding may cost: it grows with the conditions of M and of the scaled rows."""
    now, k = case.now, case.rank
    sigma = np.linalg.svd(scaled_rows(now), compute_uv=False)[:k]
    condition = np.linalg.cond(now.M) + (sigma[0] / sigma[-1] if k else 1.0)
    return 20 * (now.n + now.m) * np.finfo(float).eps * condition


def size(now, *accelerations):
    """The size of the accelerations at work, in the metric of M: ‖a‖ + ‖c‖ + the largest of those given."""
    L = np.linalg.cholesky(now.M)
    loads = sum(np.linalg.norm(np.linalg.solve(L, load)) for load in (now.Q, now.C))
    return loads + max((np.linalg.norm(L.T @ z) for z in accelerations), default=0.0)


def apart(case, one, two):
    """The largest difference of two answers: M norm, M⁻¹ norm, multipliers by their force, relative to `size`."""
    now = case.now
    L = np.linalg.cholesky(now.M)
    lengths = np.linalg.norm(np.linalg.solve(L, now.A.T), axis=0)
    sigma = np.linalg.svd(scaled_rows(now), compute_uv=False)[: case.rank]
    least = sigma[-1] if case.rank else 1.0
    differences = [np.asarray(x) - np.asarray(y) for x, y in zip(one, two, strict=True)]
    return max(
        np.linalg.norm(L.T @ differences[0]),
        np.linalg.norm(np.linalg.solve(L, differences[1])),
        np.linalg.norm(np.linalg.solve(L, differences[2])),
        np.linalg.norm(differences[3] * lengths) * least,
    ) / size(now, one[0])


def null_basis(case):
    """An M-orthonormal basis of null(A), by singular values of the scaled rows."""
    L = np.linalg.cholesky(case.now.M)
    return np.linalg.solve(L.T, np.linalg.svd(scaled_rows(case.now))[2][case.rank :].T)


def answer_like(acceleration, ideal, nonideal, multipliers):
    return Answer(*map(np.asarray, (acceleration, ideal, nonideal, multipliers)))
