"""Published closed forms as numbers, and exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import dalembert.principles as principles
from dalembert.principles import Instant

every = pytest.mark.parametrize("principle", principles.values(), ids=principles)


@every
def test_particle_with_a_nonholonomic_nonideal_constraint(principle):
    """ẏ = z² ẋ, C = −a₀|u|u: Udwadia and Kalaba 2001, (13)-(17)."""
    z, xd, zd, a0, f = 0.7, 0.5, -0.9, 0.3, np.array([1.0, 2.0, -3.0])
    yd = z**2 * xd
    u = np.array([xd, yd, zd])
    speed = np.linalg.norm(u)
    answer = principle(Instant(np.eye(3), f, [[-(z**2), 1, 0]], [2 * xd * zd * z], -a0 * speed * u))
    lam = (2 * z * xd * zd + z**2 * f[0] - f[1]) / (1 + z**4)
    ideal = lam * np.array([-(z**2), 1, 0])
    nonideal = -a0 * speed / (1 + z**4) * np.array([xd + z**2 * yd, z**2 * xd + z**4 * yd, zd * (1 + z**4)])
    assert_allclose(answer.ideal, ideal, rtol=1e-13, atol=1e-15)
    assert_allclose(answer.nonideal, nonideal, rtol=1e-13)
    assert_allclose(answer.multipliers, [lam], rtol=1e-13)
    assert_allclose(answer.acceleration, f + ideal + nonideal, rtol=1e-13)


@every
def test_bead_on_a_rough_ring(principle):
    """Udwadia 2000, (33)-(39)."""
    R, g, mu, angle, speed = 1.3, 9.81, 0.2, -0.6, 2.1
    x, y = R * np.cos(angle), R * np.sin(angle)
    xd, yd = -speed * np.sin(angle), speed * np.cos(angle)
    normal = (speed**2 - g * y) / R
    ideal = -np.array([x, y]) / R * normal
    friction = -mu * abs(normal) * np.array([xd, yd]) / speed
    answer = principle(Instant(np.eye(2), [0, -g], [[x, y]], [-(speed**2)], friction))
    assert_allclose(answer.ideal, ideal, rtol=1e-13)
    assert_allclose(answer.nonideal, friction, rtol=1e-13)
    assert_allclose(answer.acceleration, ideal + friction + [0, -g], rtol=1e-13)
    assert_allclose(answer.multipliers, [-normal / R], rtol=1e-13)


@every
def test_disk_rolling_down_an_incline(principle):
    """Thornton and Marion, example 7.9; f = y − Rθ."""
    mass, R, g, alpha = 2.0, 0.4, 9.81, 0.5
    load = mass * g * np.sin(alpha)
    answer = principle(Instant(np.diag([mass, mass * R**2 / 2]), [load, 0], [[1, -R]]))
    assert_allclose(answer.acceleration, [2 / 3 * g * np.sin(alpha), 2 / 3 * g * np.sin(alpha) / R], rtol=1e-13)
    assert_allclose(answer.multipliers, [-load / 3], rtol=1e-13)
    assert_allclose(answer.ideal, [-load / 3, load * R / 3], rtol=1e-13)
    assert not answer.nonideal.any()


@every
def test_exact_rational_arithmetic(principle):
    """Four coordinates, three rows of which two independent, solved exactly by the definitions."""
    M = sympy.Matrix([[4, 1, 0, 1], [1, 3, 1, 0], [0, 1, 5, 1], [1, 0, 1, 2]])
    A = sympy.Matrix([[1, 2, 0, 1], [0, 1, 1, 1], [2, 5, 1, 3]])  # the third is twice the first plus the second
    Q, C, x = sympy.Matrix([1, -2, 3, 5]), sympy.Matrix([2, 0, -1, 1]), sympy.Matrix([1, 1, -1, 2])
    b, inv = A * x, M.inv()
    lam = sympy.Matrix(A[:2, :] * inv * A[:2, :].T).inv()
    ideal = A[:2, :].T * lam * (b[:2, :] - A[:2, :] * inv * Q)
    nonideal = C - A[:2, :].T * lam * A[:2, :] * inv * C
    acceleration = inv * (Q + ideal + nonideal)
    multipliers = A.T.pinv() * ideal
    exact = [[float(Fraction(int(v.p), int(v.q))) for v in w] for w in (acceleration, ideal, nonideal, multipliers)]
    said = principle(Instant(*(np.squeeze(np.array(matrix, dtype=float)) for matrix in (M, Q, A, b, C))))
    for one, two in zip(said, exact, strict=True):
        assert_allclose(one, two, rtol=1e-12, atol=1e-13)
