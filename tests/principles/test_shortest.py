"""Multipliers of redundant rows are of least norm to the rounding of each of them, at any scale of rows and units.

The truth is that of mpmath: with A = D K A_I, D the factors of rows and A_I independent, λ = D K (Kᵀ D² K)⁻¹ λ_I.
"""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert.principles as principles
from dalembert.principles import Instant, certify
from dalembert.principles.least_norm import least_norm_along, off_range
from dalembert.principles.ready import decide
from principles.exact import DIGITS, changes, instants
from principles.support import laws

EPS = float(np.finfo(float).eps)


def inverted(exact):
    """The inverse of [M −Aᵀ; A 0] of the independent rows, and the matrix."""
    now, n, k = exact.now, exact.now.n, exact.K.shape[1]
    whole = mpmath.zeros(n + k)
    for i in range(n):
        for j in range(n):
            whole[i, j] = mpmath.mpf(float(now.M[i, j]))
        for r in range(k):
            whole[n + r, i] = mpmath.mpf(float(now.A[r, i]))
            whole[i, n + r] = -whole[n + r, i]
    return mpmath.inverse(whole), whole


def truth(exact, change):
    """λ in the changed units, and how far each may be off when numbers that enter have a relative error of one."""
    now, n, k = exact.now, exact.now.n, exact.K.shape[1]
    with mpmath.workdps(2 * DIGITS):
        inverse, whole = inverted(exact)
        given = mpmath.matrix([*map(float, now.Q), *map(float, now.b[:k])])
        x = inverse * given
        off = inverse.apply(abs) * (whole.apply(abs) * x.apply(abs) + given.apply(abs))
        load = mpmath.mpf(float(change.mass)) * mpmath.mpf(float(change.time))
        rows = mpmath.matrix(now.m, k)
        for i in range(now.m):
            for r in range(k):
                rows[i, r] = mpmath.mpf(float(change.rows[i])) * mpmath.mpf(float(exact.K[i, r]))
        least = rows * mpmath.inverse(rows.T * rows)
        lam = least * (x[n:] * load)
        return list(lam), list(least.apply(abs) * (off[n:] * load))


def worst(found, lam, bounds, change):
    """The largest error in units of what rounding may make of it; what is zero is measured by the others."""
    with mpmath.workdps(DIGITS):
        sizes = [b * mpmath.mpf(float(s)) for b, s in zip(bounds, change.rows, strict=True)]
        floor = max(*sizes, mpmath.mpf("1e-300")) * EPS
        parts = [
            abs(mpmath.mpf(float(f)) - t) / (b + floor / mpmath.mpf(float(s)))
            for f, t, b, s in zip(found, lam, bounds, change.rows, strict=True)
        ]
        return float(max(parts)) / EPS


@settings(laws, max_examples=100)
@given(data=st.data())
def test_every_principle_finds_the_shortest_multipliers_to_rounding_at_any_scale(data):
    exact = data.draw(instants(kinds=("redundant", "massless", "light", "singular")))
    assume(exact.now.m > exact.K.shape[1])
    change = data.draw(changes(exact.now))
    lam, bounds = truth(exact, change)
    now = change.of(exact.now)
    for name, principle in principles.items():
        assert worst(principle(now).multipliers, lam, bounds, change) < 64, name


@settings(laws, max_examples=100)
@given(data=st.data())
def test_along_a_motion_they_are_found_from_those_of_any_independent_rows(data):
    exact = data.draw(instants(kinds=("redundant",)))
    k = exact.K.shape[1]
    assume(exact.now.m > k)
    each = [data.draw(changes(exact.now)) for _ in range(3)]
    found = [change.of(exact.now) for change in each]
    given_ = [np.append(principles.explicit(_some(now, k)).multipliers, np.zeros(now.m - k)) for now in found]
    arrays = np.array([now.M for now in found]), np.array([now.A for now in found])
    (shortest,) = least_norm_along(*arrays, k, np.array(given_))
    for lam, change in zip(shortest, each, strict=True):
        assert worst(lam, *truth(exact, change), change) < 64


def _some(now, k):
    """The instant on its first k rows alone."""
    return Instant(now.M, now.Q, now.A[:k], now.b[:k])


@pytest.mark.parametrize("sizes", [(1, 1e9, 1), (1e8, 1e7, 1e-6), (1e-8, 1, 1e8)])
def test_what_cancels_in_the_force_fails_the_proof_of_least_norm(sizes):
    """λ + c y with Aᵀy = 0, c of the size of the share of the light row as if there were no other: 1e-9 of the rest."""
    A = np.array(sizes)[:, None] * [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.2, 1.6, 0.0]]
    now = Instant(np.diag([1.0, 1.0, 2.0]), [0.0, 0.0, -9.81], A, A @ [1.0, 0.5, 0.25])
    natural, lam = decide(now).natural, principles.explicit(now).multipliers
    null = np.array([2 * sizes[1], -sizes[0], 0.0])
    longer = lam + 1e-6 * lam[np.argmin(sizes[:2])] * null / null[np.argmin(sizes[:2])]
    assert certify(now).passed
    assert off_range(natural, lam) < 1e-14
    assert off_range(natural, longer) > 1e-8
