"""Instants with uncertain rows to test on, and the textbook solution of the same question by another route."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space

from dalembert.principles import Instant, Trust, explicit
from principles.support import make

EVERYTHING = ("constraint", "force", "acceleration", "reaction")


class Evidence(NamedTuple):
    """An instant, the uncertain rows, and what they would read without errors."""

    now: Instant
    trust: Trust
    true: np.ndarray


class Solution(NamedTuple):
    acceleration: np.ndarray
    force: np.ndarray
    acceleration_covariance: np.ndarray
    force_covariance: np.ndarray
    adjusted: np.ndarray


def evidence(seed, kinds=EVERYTHING, n=4, rank=2, extra=2, some=0.7, weights=None, **options):
    """Rows of some kinds, each of the possible ones with probability `some`, with trusts over two decades."""
    now = make(seed, n, rank, extra, **options).now
    random = np.random.default_rng(seed + 1)
    possible = [(kind, i) for kind in kinds for i in range(now.m if kind == "constraint" else n)]
    rows = [row for row in possible if random.random() < some] or possible[:1]
    answer = explicit(now)
    reads = {"constraint": now.b, "force": now.Q, "acceleration": answer.acceleration, "reaction": answer.force}
    true = np.array([reads[kind][i] for kind, i in rows])
    return Evidence(now, Trust(rows, 10 ** random.uniform(-1, 1, len(rows)) if weights is None else weights), true)


def textbook(now, trust, values):
    """Least squares under exact rows by its Karush-Kuhn-Tucker matrix over θ = (q̈, Qᶜ), in one dense solve.

    [HᵀWH Eᵀ; E 0] has the covariance of θ in the corner of its inverse.
    """
    n, m = now.n, now.m
    eye, none = np.eye(n), np.zeros
    constraint, force = np.hstack([now.A, none((m, n))]), np.hstack([now.M, -eye])
    rows = {
        "constraint": constraint,
        "force": force,
        "acceleration": np.hstack([eye, none((n, n))]),
        "reaction": np.hstack([none((n, n)), eye]),
    }
    H = np.array([rows[kind][i] for kind, i in trust.rows])
    V = null_space(now.A, rcond=1e-9) if m else eye
    held = [i for i in range(m) if ("constraint", i) not in trust.rows]
    known = [i for i in range(n) if ("force", i) not in trust.rows]
    E = np.vstack([constraint[held], force[known], np.hstack([none((V.shape[1], n)), V.T])])
    e = np.concatenate([now.b[held], now.Q[known], V.T @ now.C])
    W = trust.factor.T @ trust.factor
    size = E.shape[0]
    whole = np.linalg.pinv(np.block([[H.T @ W @ H, E.T], [E, none((size, size))]]), rcond=1e-12, hermitian=True)
    theta = (whole @ np.concatenate([H.T @ W @ values, e]))[: 2 * n]
    covariance = whole[: 2 * n, : 2 * n]
    return Solution(theta[:n], theta[n:], covariance[:n, :n], covariance[n:, n:], H @ theta)
