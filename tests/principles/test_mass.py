"""A mass matrix that is singular or indefinite is enough where the constraints make the motion unique."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert.principles as principles
from dalembert.principles import Instant, MassError, certify, geometry
from principles.support import laws, mass, orthogonal

every = pytest.mark.parametrize("principle", principles.values(), ids=principles)


def exact(now):
    """The whole multiplier system by least squares: no property of M is used."""
    n, m = now.n, now.m
    K = np.block([[now.M, -now.A.T], [now.A, np.zeros((m, m))]])
    motion = np.linalg.lstsq(K, np.concatenate([now.Q + now.C, now.b]), rcond=1e-12)[0]
    ideal = np.linalg.lstsq(K, np.concatenate([now.Q, now.b]), rcond=1e-12)[0]
    return motion[:n], now.A.T @ ideal[n:], now.M @ motion[:n] - now.Q - now.A.T @ ideal[n:], ideal[n:]


def check(principle, now, atol=1e-9):
    for said, true in zip(principle(now), exact(now), strict=True):
        np.testing.assert_allclose(said, true, atol=atol * (1 + np.abs(true).max(initial=0)))


def quaternion(seed, copies=1):
    """A spinning body in Euler parameters p: M = 4 E(p)ᵀ J E(p), 4 × 4 of rank 3, with pᵀp̈ = −ṗᵀṗ."""
    random = np.random.default_rng(seed)
    p = random.normal(size=4)
    p /= np.linalg.norm(p)
    rate = random.normal(size=4)
    rate -= p * (p @ rate)
    e0, e1, e2, e3 = p
    E = np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
    M = 4 * E.T @ np.diag([1.0, 2.0, 3.5]) @ E
    A = np.outer(np.arange(1, copies + 1), p)
    b = -np.arange(1, copies + 1) * (rate @ rate)
    return Instant(M, random.normal(size=4), A, b, random.normal(size=4), coordinates=["e0", "e1", "e2", "e3"])


@every
@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_euler_parameters(principle, seed, copies):
    now = quaternion(seed, copies)
    assert np.linalg.matrix_rank(now.M) == 3
    check(principle, now)


@every
def test_a_coordinate_without_mass_that_is_tied_to_one_with(principle):
    """A massless pulley angle θ with x = Rθ: M = diag(m, 0)."""
    now = Instant(np.diag([2.0, 0.0]), [6.0, 1.0], [[1.0, -0.5]], [0.0])
    answer = principle(now)
    np.testing.assert_allclose(answer.acceleration, [4, 8], rtol=1e-12)  # 2 ẍ = 6 + λ, 0 = 1 − λ/2
    np.testing.assert_allclose(answer.multipliers, [2], rtol=1e-12)


@laws
@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.data())
def test_indefinite_but_positive_where_the_constraints_leave_freedom(seed, n, data):
    k = data.draw(st.integers(1, n))
    random = np.random.default_rng(seed)
    U = orthogonal(random, n)
    bad, good = U[:, :k], U[:, k:]
    M = good @ mass(random, n - k, 1) @ good.T if k < n else np.zeros((n, n))
    cross = bad @ random.normal(size=(k, n - k)) @ good.T
    M = M + cross + cross.T + bad @ np.diag(random.normal(size=k)) @ bad.T
    A = np.vstack([random.normal(size=(k, k)) + 3 * np.eye(k), np.ones((1, k))]) @ bad.T
    b = A @ random.normal(size=n)
    now = Instant((M + M.T) / 2, random.normal(size=n), A, b, random.normal(size=n))
    for principle in principles.values():
        check(principle, now, atol=1e-7)
    certificate = certify(now)
    assert certificate.passed, certificate.text()


@every
def test_a_free_direction_without_inertia_is_named(principle):
    M = np.array([[1.0, 0, 0], [0, 1, -1], [0, -1, 1]])
    now = Instant(M, [1, 2, 3], [[1, 0, 0]], [0], coordinates=["x", "y", "z"])
    with pytest.raises(MassError, match=r"along y \+ z") as caught:
        principle(now)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.coordinates == ("y", "z")
    np.testing.assert_allclose(error.direction, [0, 1, 1], atol=1e-12)
    assert abs(error.inertia) < 1e-12


@every
def test_a_free_direction_of_negative_inertia_is_named(principle):
    now = Instant(np.diag([1.0, -2.0, 3.0]), np.zeros(3), [[1, 0, 1]], coordinates=["x", "y", "z"])
    with pytest.raises(MassError) as caught:
        principle(now)
    v = caught.value.direction
    assert v @ now.M @ v < 0
    np.testing.assert_allclose(now.A @ v, 0, atol=1e-12)
    assert "y" in caught.value.coordinates


@every
def test_a_matrix_that_is_regular_but_indefinite_is_refused_in_true_words(principle):
    """L = x'y' − x y: x'' = −x and y'' = −y are determined, but M is no metric."""
    now = Instant([[0, 1], [1, 0]], [-2.0, -1.0], coordinates=["x", "y"])
    with pytest.raises(MassError, match="regular but indefinite") as caught:
        principle(now)
    assert caught.value.regular
    assert "the equations of motion determine the acceleration" in str(caught.value)
    assert "not determined" not in str(caught.value)
    v = caught.value.direction
    np.testing.assert_allclose(v @ now.M @ v, caught.value.inertia)
    assert caught.value.inertia < 0
    held = principle(Instant(now.M, now.Q, [[1, -1]], [0]))  # along x + y it is positive
    np.testing.assert_allclose(held.acceleration, [-1.5, -1.5])


def test_a_lagrangian_of_the_wrong_sign_is_suspected():
    with pytest.raises(MassError, match="opposite sign"):
        principles.explicit(Instant(-np.eye(3), np.ones(3), [[1, 1, 1]], [0]))


def test_geometry_and_certificate_say_that_M_was_replaced():
    now = quaternion(0)
    assert geometry(now).replaced
    certificate = certify(now)
    assert certificate.passed, certificate.text()
    assert certificate.replaced
    assert "not positive definite" in certificate.text()
