"""Generalized inverses: J Bᵀ is Moore and Penrose's; the {1,4} one is not, and answers the same."""

import numpy as np
import pytest
from hypothesis import given

import dalembert.principles as principles
from dalembert.principles import Instant, InverseError
from dalembert.principles.extended import extension
from dalembert.principles.one_four import row_inverse
from principles.support import apart, cases, laws, make, scaled_rows, tolerance


@laws
@given(cases())
def test_JBt_satisfies_the_four_moore_penrose_conditions(case):
    B, V, D, E, J = extension(case.now)
    P = J @ B.T
    size = max(1.0, np.linalg.norm(P))
    bound = 100 * tolerance(case) * size**2  # J is formed here: its condition is that of B squared
    np.testing.assert_allclose(B @ P @ B, B, atol=bound)
    np.testing.assert_allclose(P @ B @ P, P, atol=bound * size)
    np.testing.assert_allclose(B @ P, (B @ P).T, atol=bound)
    np.testing.assert_allclose(P @ B, (P @ B).T, atol=bound)
    np.testing.assert_allclose(J @ E, np.eye(len(J)) - P @ B, atol=bound)
    assert V.shape[1] == case.now.n - case.rank
    np.testing.assert_allclose(B @ V, 0, atol=tolerance(case))
    np.testing.assert_allclose(D @ E, 0, atol=bound)


@laws
@given(cases(low=1, redundant=True))
def test_the_default_inverse_is_a_one_four_inverse_and_not_the_pseudo_inverse(case):
    B = scaled_rows(case.now)
    G = row_inverse(B, case.rank)
    bound = tolerance(case) * np.linalg.norm(G)
    np.testing.assert_allclose(B @ G @ B, B, atol=bound)
    np.testing.assert_allclose(G @ B, (G @ B).T, atol=bound)
    assert np.linalg.norm(B @ G - (B @ G).T) > 1e-6, "condition 3 must fail for redundant rows"
    assert np.linalg.norm(G - np.linalg.pinv(B, rcond=1e-10)) > 1e-6


@laws
@given(cases(low=1, redundant=True))
def test_any_one_four_inverse_gives_the_same_answer(case):
    def another(B):
        """B⁺ + (any matrix) (I − B B⁺) is {1,4} when the added columns keep G B = B⁺B."""
        P = np.linalg.pinv(B, rcond=1e-9)
        return P + np.full(P.shape, 0.3) @ (np.eye(len(B)) - B @ P)

    now = case.now
    one = principles.one_four(now)
    for inverse in (another, lambda B: np.linalg.pinv(B, rcond=1e-9)):
        two = principles.one_four(now, inverse)
        assert apart(case, one, two) <= 1e3 * tolerance(case)


@pytest.mark.parametrize(
    ("inverse", "said"),
    [
        (lambda B: B.T, "condition 1"),
        (lambda B: np.zeros(B.T.shape), "condition 1"),
        (lambda B: np.linalg.pinv(B) + np.outer(np.arange(4.0), np.ones(2)), "condition 4"),
        (lambda B: B, "shape"),
        (lambda B: np.full(B.T.shape, np.nan), "not finite"),
    ],
)
def test_what_is_not_a_one_four_inverse_is_refused(inverse, said):
    now = make(1, n=4, rank=2).now
    with pytest.raises(InverseError, match=said):
        principles.one_four(Instant(now.M, now.Q, now.A, now.b), inverse)
