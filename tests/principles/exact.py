"""Instants of small whole numbers, other units for them, and their exact answers by mpmath: nothing of the package but
Instant.
"""

from typing import NamedTuple

import mpmath
import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from dalembert.principles import Instant

KINDS = ("regular", "redundant", "near-parallel", "light", "massless", "singular", "indefinite")
DIGITS = 60


class Exact(NamedTuple):
    """An instant whose first k rows are independent, and K (m, k) with A = K A[:k], of whole numbers."""

    now: Instant
    K: np.ndarray
    kind: str


class Change(NamedTuple):
    """Other units: factors on rows (m,) and coordinates (n,), on masses and on accelerations."""

    rows: np.ndarray
    units: np.ndarray
    mass: float
    time: float

    def of(self, now):
        """The same instant in these units."""
        s, u, mass, time = self
        load = mass * time * u
        return Instant(
            mass * (u[:, None] * now.M * u), load * now.Q, s[:, None] * now.A * u, s * time * now.b, load * now.C
        )

    def back(self, answer):
        """Acceleration, ideal and nonideal force of an answer in the units of before."""
        load = self.mass * self.time * self.units
        return answer.acceleration * self.units / self.time, answer.ideal / load, answer.nonideal / load


class Truth(NamedTuple):
    """Acceleration, ideal and nonideal force (n,), and how far each may be off when every number that enters has a
    relative error of one, the others being exact: |K⁻¹| (|K| |x| + |right side|) of the multiplier equations (Skeel).
    """

    parts: tuple[list, list, list]
    bounds: tuple[list, list, list]


@st.composite
def instants(draw, kinds=KINDS):
    """Instants of every kind, of 1 to 5 coordinates, with accelerations that exist and are unique."""
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(1 if kind in ("regular", "redundant") else 2, 5))
    made = make(kind, n, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    assume(made is not None)
    return made


@st.composite
def changes(draw, now):
    """Powers of ten from −8 to 8 for every row, coordinate, for masses and for times."""
    power = st.integers(-8, 8)
    rows = draw(st.lists(power, min_size=now.m, max_size=now.m))
    units = draw(st.lists(power, min_size=now.n, max_size=now.n))
    return Change(
        10.0 ** np.array(rows, dtype=float), 10.0 ** np.array(units), 10.0 ** draw(power), 10.0 ** draw(power)
    )


def make(kind, n, random):
    """An instant of a kind, or None where it happens to have a free direction of little inertia, or fewer rows."""
    k = int(random.integers(0 if kind == "regular" else 1, n + (kind in ("regular", "redundant"))))
    A = random.integers(-4, 5, (k, n)).astype(float)
    G = random.integers(-3, 4, (n, n - (kind == "singular")))
    M = (G @ G.T + (0 if kind == "singular" else n) * np.eye(n)).astype(float)
    if kind == "near-parallel":
        if k < 2:
            return None
        A[1] = A[0] + 2.0**-20 * random.integers(-4, 5, n)
    elif kind == "light":
        light = np.array([2.0 ** -int(random.integers(5, 21)), *np.ones(n - 1)])
        M = light[:, None] * M * light
    elif kind == "massless":
        M[0], M[:, 0], A[0, 0] = 0, 0, 3
    elif kind == "indefinite":
        M -= 3 * n * np.outer(A[0], A[0])
    extra = int(random.integers(1, 4)) if kind == "redundant" else int(random.integers(0, 2))
    K = np.vstack([np.eye(k), random.integers(-3, 4, (extra if k else 0, k))])
    sigma = np.linalg.svd(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-9), compute_uv=False)
    if k and sigma[-1] < 1e-8:
        return None
    V = np.linalg.svd(A)[2][k:]
    free = np.linalg.eigvalsh(V @ M @ V.T) if k < n else np.ones(1)
    if free[0] < (1e-14 if kind == "light" else 1e-3):
        return None
    possible = random.integers(-5, 6, n).astype(float)
    Q, C = random.integers(-9, 10, (2, n)).astype(float)
    return Exact(Instant(M, Q, K @ A, K @ A @ possible, C), K, kind)


def solve(exact):
    """The truth, from the multiplier equations on the first k rows, to DIGITS digits."""
    now, n, k = exact.now, exact.now.n, exact.K.shape[1]
    with mpmath.workdps(DIGITS):
        K = mpmath.zeros(n + k)
        for i in range(n):
            for j in range(n):
                K[i, j] = mpmath.mpf(float(now.M[i, j]))
            for r in range(k):
                K[n + r, i] = mpmath.mpf(float(now.A[r, i]))
                K[i, n + r] = -K[n + r, i]
        inverse = mpmath.inverse(K)
        size, lever = K.apply(abs), inverse.apply(abs)

        def one(load, right):
            given = mpmath.matrix([*map(float, load), *map(float, right)])
            x = inverse * given
            bound = lever * (size * x.apply(abs) + given.apply(abs))
            force = [mpmath.fsum(-K[i, n + r] * x[n + r] for r in range(k)) for i in range(n)]
            about = [mpmath.fsum(size[i, n + r] * bound[n + r] for r in range(k)) for i in range(n)]
            return x, bound, force, about

        z, dz, ideal, dideal = one(now.Q, now.b[:k])
        w, dw, answered, danswered = one(now.C, np.zeros(k))
        return Truth(
            ([z[i] + w[i] for i in range(n)], ideal, [now.C[i] + answered[i] for i in range(n)]),
            ([dz[i] + dw[i] for i in range(n)], dideal, [abs(now.C[i]) + danswered[i] for i in range(n)]),
        )


def errors(found, truth):
    """For each part, its largest error in units of the bound; what should be zero is measured by the largest."""
    worst = []
    for part, true, bound in zip(found, *truth, strict=True):
        floor = max(max(bound), mpmath.mpf("1e-30")) * mpmath.mpf("1e-16")
        pairs = zip(part, true, bound, strict=True)
        worst.append(float(max(abs(mpmath.mpf(float(x)) - t) / (b + floor) for x, t, b in pairs)))
    return worst
