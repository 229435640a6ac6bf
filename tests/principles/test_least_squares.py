"""Weighted least squares: W decides between rows that contradict each other and has no say where they agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import null_space, sqrtm

import dalembert.principles as principles
from dalembert.principles import Instant, InstantError, MassError, least_squares
from principles.support import apart, cases, laws, make, mass, tolerance


def contradictory(seed, n=4, rank=2, extra=2):
    case = make(seed, n=n, rank=rank, extra=extra)
    now = case.now
    return Instant(now.M, now.Q, now.A, now.b + np.random.default_rng(seed).normal(size=now.m), now.C)


def stack(now, rank):
    """L and s of 1997 (24), built with SciPy's own root and null space."""
    half = sqrtm(now.M)
    inverse = np.linalg.inv(half)
    B = now.A @ inverse
    V = null_space(B, rcond=1e-10)
    n, m = now.n, now.m
    L = np.zeros((2 * n + m - rank, 2 * n))
    L[:n, :n], L[:n, n:] = np.eye(n), -np.eye(n)
    L[n : n + m, :n] = B
    L[n + m :, n:] = V.T
    s = np.concatenate([inverse @ now.Q, now.b, V.T @ inverse @ now.C])
    return L, s, half, inverse


@laws
@given(cases(), st.integers(0, 2**32 - 1))
def test_weights_have_no_influence_on_rows_that_agree(case, seed):
    now, random = case.now, np.random.default_rng(seed)
    total = 2 * now.n + now.m - case.rank
    truth = principles.explicit(now)
    matrix = mass(random, total, 2)
    for weights in (None, random.uniform(0.1, 10, now.m), random.uniform(0.1, 10, total), matrix):
        answer = least_squares(now, weights)
        assert apart(case, truth, answer[:4]) <= 1e3 * tolerance(case)
        assert answer.dynamics.shape == (now.n,)
        assert answer.virtual_work.shape == (now.n - case.rank,)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["none", "rows", "row matrix", "all", "all matrix"])
def test_it_is_the_weighted_least_squares_of_the_stacked_rows(seed, kind):
    now, rank = contradictory(seed), 2
    L, s, half, inverse = stack(now, rank)
    random = np.random.default_rng(seed)
    n, m, total = now.n, now.m, L.shape[0]
    part, whole = random.uniform(0.1, 10, m), random.uniform(0.1, 10, total)
    part_matrix, whole_matrix = mass(random, m, 1), mass(random, total, 1)
    W = np.eye(total)
    weights = {"none": None, "rows": part, "row matrix": part_matrix, "all": whole, "all matrix": whole_matrix}[kind]
    if kind == "rows":
        W[n : n + m, n : n + m] = np.diag(part)
    elif kind == "row matrix":
        W[n : n + m, n : n + m] = part_matrix
    elif kind == "all":
        W = np.diag(whole)
    elif kind == "all matrix":
        # The last rows are written in a basis V of one's choosing; let W not depend on the choice.
        W = whole_matrix.copy()
        W[n + m :, : n + m] = W[: n + m, n + m :] = 0
        W[n + m :, n + m :] = np.eye(total - n - m)
        weights = W
    r = np.linalg.solve(L.T @ W @ L, L.T @ W @ s)  # (38), literally
    answer = least_squares(now, weights)
    np.testing.assert_allclose(answer.acceleration, inverse @ r[:n], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(answer.force, half @ r[n:], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(answer.unsatisfied, now.A @ answer.acceleration - now.b, atol=1e-12)
    np.testing.assert_allclose(answer.dynamics, (L @ r - s)[:n], atol=1e-8)
    if kind != "all matrix":  # only rows of constraints can fail each other
        np.testing.assert_allclose(answer.dynamics, 0, atol=1e-9)
        np.testing.assert_allclose(answer.virtual_work, 0, atol=1e-9)
        np.testing.assert_allclose(now.A.T @ answer.multipliers, answer.ideal, atol=1e-8)
    else:
        assert np.abs(answer.dynamics).max() > 1e-3


def test_two_measurements_of_one_thing_are_averaged_by_trust():
    """ẍ = 1 and ẍ = 4 with trust 2 : 1 give ẍ = 2; the free coordinate is left alone (THEORY 7.7)."""
    now = Instant(np.diag([3.0, 2.0]), [0.0, 8.0], [[1, 0], [1, 0]], [1, 4])
    answer = least_squares(now, [2, 1])
    np.testing.assert_allclose(answer.acceleration, [2, 4])
    np.testing.assert_allclose(answer.unsatisfied, [1, -2])
    np.testing.assert_allclose(answer.force, [6, 0], atol=1e-14)
    np.testing.assert_allclose(answer.multipliers, [3, 3])
    np.testing.assert_allclose(least_squares(now).acceleration, [2.5, 4])
    np.testing.assert_allclose(least_squares(now, [1, 1e12]).acceleration, [4, 4], rtol=1e-9)
    correlated = least_squares(now, [[2, 0.5], [0.5, 1]])  # (2.5 · 1 + 1.5 · 4) / 4
    np.testing.assert_allclose(correlated.acceleration[0], 8.5 / 4)


def test_what_C_adds_is_the_same_whatever_the_weights():
    now = contradictory(4)
    one, two = least_squares(now), least_squares(now, [1, 5, 2, 9])
    np.testing.assert_allclose(one.nonideal, two.nonideal, atol=1e-12)
    assert np.abs(one.acceleration - two.acceleration).max() > 1e-3


def test_a_mass_matrix_the_constraints_complete_is_enough_unless_weights_couple_rows_that_contradict():
    M = np.diag([2.0, 0.0])
    good = Instant(M, [6.0, 1.0], [[1.0, -0.5], [2.0, -1.0]], [0.0, 0.0])
    np.testing.assert_allclose(least_squares(good, [1, 7]).acceleration, [4, 8])
    bad = Instant(M, [6.0, 1.0], good.A, [0.0, 1.0])
    answer = least_squares(bad, [1, 7])  # x − y/2 = 0 and 2 x − y = 1 with 1 : 7, and 2 x + y/2·0 moves as before
    np.testing.assert_allclose(answer.acceleration[0] - answer.acceleration[1] / 2, 7 * 2 * 1 / (1 + 7 * 4))
    np.testing.assert_allclose(answer.force, [2, -1], atol=1e-14)  # 0 = 1 + Qᶜ_y, and (1, 2) does no work
    np.testing.assert_allclose(answer.dynamics, 0, atol=1e-14)
    with pytest.raises(MassError, match="contradict"):
        least_squares(bad, [1.0] * 5)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 2, 3], "shape"),
        ([1, -2], "not positive"),
        ([[1, 0], [1, 1]], "not symmetric"),
        ([[1, 2], [2, 1]], "not positive definite"),
        ([1, np.nan], "not finite"),
        (["a", "b"], "real numbers"),
    ],
)
def test_faulty_weights_are_refused(weights, said):
    with pytest.raises(InstantError, match=said):
        least_squares(Instant(np.eye(2), [0, 0], [[1, 0], [1, 0]], [1, 4]), weights)


def test_all_faults_of_the_weights_in_one_error():
    with pytest.raises(InstantError) as caught:
        least_squares(Instant(np.eye(2), [0, 0], [[1, 0], [1, 0]], [1, 4]), [1, 2, -3])
    assert len(caught.value.faults) == 2
