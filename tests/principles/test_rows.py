"""Redundant rows are found, named and harmless; contradictory rows are named."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert.principles as principles
from dalembert.principles import Answer, ContradictionError, Instant, dependencies
from dalembert.principles.ready import prepare
from principles.support import apart, cases, laws, make, tolerance

every = pytest.mark.parametrize("principle", principles.values(), ids=principles)


def added(now, weights):
    """The instant with further rows, combinations of its own."""
    W = np.atleast_2d(weights)
    return Instant(now.M, now.Q, np.vstack([now.A, W @ now.A]), np.concatenate([now.b, W @ now.b]), now.C)


@every
@pytest.mark.parametrize(
    "weights",
    [[[1, 0, 0]], [[0, -7, 0]], [[1, 1, 1]], [[1e8, 0, 0], [0, 1e-8, 0]], [[0, 0, 0]], np.ones((9, 3)) + np.eye(9, 3)],
    ids=["copied", "multiplied", "summed", "rescaled", "zero", "more rows than coordinates"],
)
def test_redundant_rows_do_not_change_motion_or_forces(principle, weights):
    case = make(3, n=5, rank=3)
    one, two = principle(case.now), principle(added(case.now, weights))
    assert apart(case, one, Answer(*two[:3], one.multipliers)) <= 10 * tolerance(case)


@laws
@given(cases(low=1), st.integers(0, 2**32 - 1))
def test_each_dependent_row_is_the_combination_named(case, seed):
    now = case.now
    factor = 10.0 ** np.random.default_rng(seed).integers(-6, 7, now.m)
    now = Instant(now.M, now.Q, factor[:, None] * now.A, factor * now.b, now.C)
    found = dependencies(now)
    assert len(found) == now.m - case.rank
    dependent = {d.row for d in found}
    for d in found:
        assert not dependent & set(d.on)
        combined = sum((c * now.A[j] for c, j in zip(d.coefficients, d.on, strict=True)), np.zeros(now.n))
        terms = sum(abs(c) * np.linalg.norm(now.A[j]) for c, j in zip(d.coefficients, d.on, strict=True))
        np.testing.assert_allclose(combined, now.A[d.row], atol=1e-6 * (terms + np.linalg.norm(now.A[d.row])))


def test_dependence_prefers_earlier_rows():
    A = [[1, 0, 0], [0, 1, 0], [3, 0, 0], [1, -2, 0], [0, 0, 0]]
    found = dependencies(Instant(np.eye(3), np.zeros(3), A))
    assert [(d.row, d.on) for d in found] == [(2, (0,)), (3, (0, 1)), (4, ())]
    np.testing.assert_allclose(found[0].coefficients, [3])
    np.testing.assert_allclose(found[1].coefficients, [1, -2])


@every
def test_rows_that_contradict_each_other_are_named(principle):
    A = [[1, 0, 0], [0, 1, 0], [2e6, 0, 0], [0, 1, 0]]
    now = Instant(np.eye(3), [1, 2, 3], A, [1, 5, 4e6, 5], constraints=["rod", "wall", "rod again", "wall again"])
    with pytest.raises(ContradictionError, match="least_squares") as caught:
        principle(now)
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.rows == (0, 2)
    assert error.names == ("rod", "rod again")
    assert "“rod” and “rod again” contradict" in str(error)
    weights = np.zeros(4)
    weights[list(error.rows)] = error.coefficients
    np.testing.assert_allclose(weights @ A, 0, atol=1e-9)
    np.testing.assert_allclose(weights @ now.b, error.gap)
    np.testing.assert_allclose(abs(error.gap), 1)  # rod again, in the size of rod, asks for 2 and not 1


@every
def test_a_row_of_zeros_that_asks_for_something_is_named(principle):
    now = Instant(np.eye(2), [0, 0], [[1, 0], [0, 0]], [1, 1e-12])
    with pytest.raises(ContradictionError) as caught:
        principle(now)
    assert caught.value.rows == (1,)
    assert "“row 2” cannot hold" in str(caught.value)


@laws
@given(cases(low=1, redundant=True), st.floats(-5, 2))
def test_contradiction_is_found_at_every_size_and_rounding_is_not_taken_for_it(case, decades):
    now = case.now
    y = np.linalg.svd(now.A)[0][:, -1]  # a combination of rows that vanishes
    push = 10.0**decades * np.linalg.norm(now.b) * y
    with pytest.raises(ContradictionError) as caught:
        principles.explicit(Instant(now.M, now.Q, now.A, now.b + push, now.C))
    assert set(caught.value.rows) <= set(np.flatnonzero(np.abs(y) > 1e-13).tolist())
    nudged = Instant(now.M, now.Q, now.A, now.b * (1 + 1e-14 * np.arange(now.m)), now.C)
    assert np.isfinite(principles.explicit(nudged).acceleration).all()


def test_rows_that_disagree_within_the_tolerance_are_one_question_to_all():
    """Redundant rows read from data of ten figures: the principles agree to rounding all the same."""
    case = make(3, n=5, rank=3)
    now = added(case.now, [[1, 1, 1]])
    b = now.b + np.array([0, 0, 0, 1e-9 * np.abs(now.b).max()])
    answers = [principle(Instant(now.M, now.Q, now.A, b, now.C)) for principle in principles.values()]
    for answer in answers[1:]:
        np.testing.assert_allclose(answer.acceleration, answers[0].acceleration, rtol=1e-12)
    assert principles.certify(Instant(now.M, now.Q, now.A, b, now.C)).passed


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-7, 1e-9])
def test_rows_that_are_nearly_parallel(angle):
    """The condition is that of the rows, 1/angle, in every principle: none pays its square."""
    random = np.random.default_rng(8)
    base = random.normal(size=(3, 6))
    A = np.vstack([base, base[:2] + angle * random.normal(size=(2, 6))])
    now = Instant(np.eye(6), random.normal(size=6), A, A @ random.normal(size=6), random.normal(size=6))
    truth = principles.explicit(now)
    for name, principle in principles.items():
        answer = principle(now)
        np.testing.assert_allclose(answer.acceleration, truth.acceleration, atol=1e-13 / angle, err_msg=name)
        np.testing.assert_allclose(answer.ideal, truth.ideal, atol=1e-13 / angle, err_msg=name)


@given(cases(low=1))
@laws
def test_balanced_rows_have_length_near_one_where_rank_is_decided(case):
    ready = prepare(case.now)
    lengths = np.linalg.norm(np.linalg.solve(np.linalg.cholesky(ready.M), ready.A.T), axis=0)
    assert np.all((lengths > 0.7) & (lengths < 1.42))
