"""Reconciliation where M is singular: the units of coordinates and rows change nothing, to the last figures."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import dalembert.principles as principles
from dalembert.principles import Instant, MassError, Trust, certify, reconcile
from principles.support import laws, mass

SINGULAR = "explicit", "extended", "stacked", "gauss", "multipliers", "virtual", "one_four"


def to_fifty_digits(now, trust, values, independent):
    """Acceleration, force, their standard deviations and χ² by the Karush-Kuhn-Tucker matrix in 50 digits.

    Unknowns (q̈, μ) with Qᶜ = C + Bᵀμ, B the independent rows of A; all constraints are uncertain.
    """
    n, k, rows = now.n, len(independent), trust.rows
    with mpmath.workdps(50):
        M, A, W = (mpmath.matrix(a.tolist()) for a in (now.M, now.A, trust.factor.T @ trust.factor))
        B = mpmath.matrix(now.A[independent].tolist())
        H, y = mpmath.zeros(len(rows), n + k), mpmath.matrix([mpmath.mpf(float(v)) for v in values])
        T = mpmath.zeros(n, n + k)  # Qᶜ − C
        T[:, n:] = B.T
        for i, (kind, place) in enumerate(rows):
            if kind == "constraint":
                H[i, :n] = A[place, :]
            elif kind == "acceleration":
                H[i, place] = 1
            else:
                H[i, :] = T[place, :]
                y[i] -= mpmath.mpf(float(now.C[place]))
        E = -T
        E[:, :n] = M
        K = mpmath.zeros(2 * n + k)
        K[: n + k, : n + k], K[: n + k, n + k :], K[n + k :, : n + k] = H.T * W * H, E.T, E
        right = mpmath.zeros(2 * n + k, 1)
        right[: n + k, 0] = H.T * W * y
        right[n + k :, 0] = mpmath.matrix((now.Q + now.C).tolist())
        inverse = mpmath.inverse(K)
        theta, covariance = (inverse * right)[: n + k, 0], inverse[: n + k, : n + k]
        off = y - H * theta
        spread = T * covariance * T.T
        return (
            np.array([float(v) for v in theta[:n, 0]]),
            np.array([float(v) for v in T * theta]) + now.C,
            np.array([float(mpmath.sqrt(abs(covariance[i, i]))) for i in range(n)]),
            np.array([float(mpmath.sqrt(abs(spread[i, i]))) for i in range(n)]),
            float((off.T * W * off)[0]),
        )


@pytest.mark.parametrize("power", range(-12, 13, 3))
def test_a_coordinate_without_mass_may_have_any_unit(power):
    """x + s u = 1 and x − s u = 3, both ± 1, and x = 2.5 ± 10; s is the unit of u, which has no mass."""
    s = 10.0**power
    now = Instant([[2.0, 0], [0, 0]], [1.0, 0], [[1, s], [1, -s]], [1.0, 3.0])
    trust = Trust([("constraint", 0), ("constraint", 1), ("acceleration", 0)], [1, 1, 0.01])
    found = reconcile(now, trust, [1.0, 3.0, 2.5])
    assert_allclose(found.acceleration * [1, s], [4.025 / 2.01, -1], rtol=1e-13)
    assert_allclose(found.acceleration_sigma * [1, s], [np.sqrt(1 / 2.01), np.sqrt(0.5)], rtol=1e-13)
    assert_allclose(found.chi_square, 1 / 402, rtol=1e-11)
    for name in SINGULAR:
        assert_allclose(principles.registry.REGISTRY[name](now).acceleration * [1, s], [2, -1], rtol=1e-9)
    assert certify(now).passed


def test_rounding_in_a_row_does_not_set_a_unit():
    """The cosine of a right angle stands where a zero is meant."""
    now = Instant([[2.0, 0], [0, 0]], [1.0, 0], [[6e-17, 1], [1, 1], [1, 2]], [1.0, 3.0, 4.0])
    found = reconcile(now, Trust([("constraint", i) for i in range(3)]), [1.0, 3.0, 4.0])
    assert_allclose(found.acceleration, [2, 1], rtol=1e-12)
    assert found.chi_square < 1e-20


@laws
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2))
def test_fifty_digits_say_the_same_in_any_units(seed, heavy, light, extra):
    random = np.random.default_rng(seed)
    n, k = heavy + light, light + int(random.integers(0, heavy))
    M = np.zeros((n, n))
    M[:heavy, :heavy] = mass(random, heavy, 1.0)
    A = random.normal(size=(k, n))
    A[:light, heavy:] += 3 * np.eye(light)
    A[:light, :heavy] *= random.random((light, heavy)) > 0.5  # some rows do not tell the unit of what has no mass
    A = np.vstack([A, random.normal(size=(extra, k)) @ A])
    units, scale = 2.0 ** random.integers(-20, 21, n), 2.0 ** random.integers(-20, 21, k + extra)
    order = random.permutation(n)  # coordinates without mass need not come last
    C = random.normal(size=n)
    now = Instant(
        (units[:, None] * M * units)[np.ix_(order, order)],
        (units * random.normal(size=n))[order],
        (scale[:, None] * A * units)[:, order],
        scale * random.normal(size=k + extra),
        (units * C)[order],
    )
    units = units[order]
    rows = [("constraint", i) for i in range(k + extra)]
    more = [(kind, i) for kind in ("acceleration", "reaction") for i in range(n) if random.random() < 0.5]
    size = np.concatenate([scale, [units[i] if kind == "reaction" else 1 / units[i] for kind, i in more]])
    trust = Trust([*rows, *more], (10 ** random.uniform(-1, 1, len(size)) / size) ** 2)
    values = size * random.normal(size=len(size))
    found = reconcile(now, trust, values)
    a, f, sa, sf, chi = to_fifty_digits(now, trust, values, list(range(k)))
    for said, true, unit in (
        (found.acceleration, a, 1 / units),
        (found.force, f, units),
        (found.acceleration_sigma, sa, 1 / units),
        (found.force_sigma, sf, units),
    ):
        assert_allclose(said / unit, true / unit, rtol=0, atol=1e-9 * np.abs(true / unit).max() + 1e-11)
    assert_allclose(found.chi_square, chi, rtol=1e-9, atol=1e-12)


def test_no_mass_at_all():
    """Everything is held: the rows alone say how it moves, and the force carries the load."""
    now = Instant([[0.0, 0], [0, 0]], [3.0, -1.0], [[1, 1e6], [1, -1e6], [2, 2e6]], [1.0, 3.0, 2.0])
    found = reconcile(now, Trust([("constraint", 0), ("constraint", 2)], [1, 1]), [1.0, 4.0])
    assert_allclose(found.acceleration, [2.4, -0.6e-6], rtol=1e-12)  # x + 10⁶ u is (1 + 2 · 4)/5
    assert_allclose(found.force * [1, 1e-6], [-3, 1e-6], atol=1e-14)
    certificate = certify(now)
    assert certificate.passed
    assert_allclose(certificate.answer.acceleration, [2, -1e-6], rtol=1e-9)
    with pytest.raises(MassError):
        reconcile(Instant([[0.0, 0], [0, 0]], [3.0, -1.0], [[1, 1]], [1.0]), Trust([]), [])


@pytest.mark.parametrize("power", [-60, -20, 0, 20, 60])
def test_units_are_found_along_a_chain_of_rows(power):
    """x + u = 1, u + v = 2 twice, w alone: only the first row ties what has no mass to what has; rows in any unit."""
    units, scale = 2.0 ** np.array([0, power, -power, power]), 2.0 ** np.array([power, -power, 0, -power])
    A = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1.0]])
    now = Instant(np.diag([2.0, 0, 0, 0]), [4.0, 0, 0, 0], scale[:, None] * A * units, scale * [1, 2, 3, 4])
    found = reconcile(now, Trust([("constraint", i) for i in range(4)], 1 / scale**2), now.b)
    assert_allclose(found.acceleration * units, [2, -1, 3.5, 4], rtol=1e-12)  # 2 ẍ = 4 + λ and λ = 0
    assert_allclose(found.chi_square, 0.5, rtol=1e-12)
