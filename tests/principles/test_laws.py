"""Every principle obeys the laws, agrees with every other, and does not depend on how the question is written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert.principles as principles
from dalembert.principles import Answer, Instant
from principles.support import Case, apart, cases, laws, make, null_basis, orthogonal, size, tolerance

every = pytest.mark.parametrize("principle", principles.values(), ids=principles)


@settings(laws, max_examples=120)
@given(cases())
def test_every_principle_agrees_with_every_other(case):
    answers = {name: principle(case.now) for name, principle in principles.items()}
    bound = tolerance(case)
    for name, one in answers.items():
        for other, two in answers.items():
            assert apart(case, one, two) <= bound, (name, other)


@every
@laws
@given(cases())
def test_the_acceleration_is_possible_and_the_forces_explain_it(principle, case):
    now, answer = case.now, principle(case.now)
    L = np.linalg.cholesky(now.M)
    bound = tolerance(case) * size(now, answer.acceleration)
    lengths = np.linalg.norm(np.linalg.solve(L, now.A.T), axis=0)
    assert np.all(np.abs(now.A @ answer.acceleration - now.b) <= bound * lengths + 1e-300)
    explained = now.M @ answer.acceleration - now.Q - answer.ideal - answer.nonideal
    assert np.linalg.norm(np.linalg.solve(L, explained)) <= bound
    assert np.array_equal(answer.force, answer.ideal + answer.nonideal)


@every
@laws
@given(cases())
def test_the_force_does_the_virtual_work_prescribed_and_the_ideal_part_none(principle, case):
    answer = principle(case.now)
    v = null_basis(case)
    bound = tolerance(case) * size(case.now, answer.acceleration)
    np.testing.assert_allclose(v.T @ answer.ideal, 0, atol=bound)
    np.testing.assert_allclose(v.T @ answer.nonideal, v.T @ case.now.C, atol=bound)


@every
@laws
@given(cases())
def test_multipliers_make_the_ideal_force_with_least_norm(principle, case):
    now, answer = case.now, principle(case.now)
    L = np.linalg.cholesky(now.M)
    bound = tolerance(case) * size(now, answer.acceleration)
    assert np.linalg.norm(np.linalg.solve(L, now.A.T @ answer.multipliers - answer.ideal)) <= bound
    null = np.linalg.svd(now.A)[0][:, case.rank :]  # Aᵀλ is unchanged by these; least norm has none of them
    np.testing.assert_allclose(null.T @ answer.multipliers, 0, atol=1e-9 * (1 + np.linalg.norm(answer.multipliers)))


@laws
@given(cases(free=True))
def test_no_other_motion_obeys_the_laws(case):
    """Any other possible acceleration needs a force whose virtual work is not the prescribed one (uniqueness)."""
    now = case.now
    answer = principles.gauss(now)
    v = null_basis(case)
    shift = v @ np.linspace(1, 2, v.shape[1])
    force = now.M @ (answer.acceleration + shift) - now.Q
    missed = v.T @ (force - now.C)
    np.testing.assert_allclose(missed, np.linspace(1, 2, v.shape[1]), atol=tolerance(case) * (size(now) + 5) * 10)


@every
@laws
@given(cases(low=1), st.integers(0, 2**32 - 1))
def test_recombining_the_rows_changes_neither_motion_nor_forces(principle, case, seed):
    now, random = case.now, np.random.default_rng(seed)
    K = orthogonal(random, now.m) * random.uniform(0.3, 3, now.m) @ orthogonal(random, now.m)
    other = Instant(now.M, now.Q, K @ now.A, K @ now.b, now.C)
    one, two = principle(now), principle(other)
    bound = 10 * max(tolerance(case), tolerance(Case(other, case.rank, case.possible)))
    assert apart(case, one, Answer(*two[:3], one.multipliers)) <= bound


@every
@laws
@given(cases(low=1), st.integers(0, 2**32 - 1))
def test_the_size_in_which_a_row_is_written_changes_neither_motion_nor_forces(principle, case, seed):
    now = case.now
    factor = 10.0 ** np.random.default_rng(seed).integers(-8, 9, now.m)
    scaled = Instant(now.M, now.Q, factor[:, None] * now.A, factor * now.b, now.C)
    one, two = principle(now), principle(scaled)
    lam = factor * two.multipliers if case.rank == now.m else one.multipliers
    assert apart(case, one, Answer(*two[:3], lam)) <= 10 * tolerance(case)


@every
@laws
@given(cases(), st.integers(0, 2**32 - 1))
def test_answers_transform_as_vectors_and_covectors(principle, case, seed):
    """q̈ = P ẍ, with M → PᵀMP, Q → PᵀQ, A → AP, C → PᵀC: forces become PᵀF, multipliers stay."""
    now, random = case.now, np.random.default_rng(seed)
    P = orthogonal(random, now.n) * random.uniform(0.3, 3, now.n) @ orthogonal(random, now.n)
    mass = P.T @ now.M @ P
    other = Instant((mass + mass.T) / 2, P.T @ now.Q, now.A @ P, now.b, P.T @ now.C)
    one, two = principle(now), principle(other)
    back = Answer(P @ two[0], np.linalg.solve(P.T, two[1]), np.linalg.solve(P.T, two[2]), two[3])
    bound = 10 * max(tolerance(case), tolerance(Case(other, case.rank, case.possible)))
    assert apart(case, one, back) <= bound


@every
@pytest.mark.parametrize("seed", range(5))
def test_units_of_the_coordinates_do_not_matter(principle, seed):
    """Micrometres beside kilometres: M has entries over 24 decades."""
    case = make(seed, n=6, rank=3, extra=2)
    now = case.now
    u = 10.0 ** np.array([-6, 6, 0, -3, 3, 1])
    other = Instant(u[:, None] * now.M * u, u * now.Q, now.A * u, now.b, u * now.C)
    two = principle(other)
    back = Answer(u * two[0], two[1] / u, two[2] / u, two[3])
    assert apart(case, principle(now), back) <= 100 * tolerance(case)


@every
@laws
@given(cases(free=True), st.integers(0, 2**32 - 1))
def test_the_work_doing_force_is_C_only_where_C_is_along_the_freedom(principle, case, seed):
    """Qᶜ_ni = C when M^(−1/2)C is in null(B); Qᶜ_ni = 0 when it is in range(Bᵀ) (2001, remark 5)."""
    now, random = case.now, np.random.default_rng(seed)
    L = np.linalg.cholesky(now.M)
    v = null_basis(case)
    along = now.M @ v @ random.normal(size=v.shape[1])
    against = now.A.T @ random.normal(size=now.m)
    for C, nonideal in ((along, along), (against, np.zeros(now.n))):
        new = Instant(now.M, now.Q, now.A, now.b, C)
        answer = principle(new)
        bound = tolerance(case) * size(new, answer.acceleration)
        assert np.linalg.norm(np.linalg.solve(L, answer.nonideal - nonideal)) <= bound


@every
def test_no_rows_rows_of_zeros_and_full_rank(principle):
    M, Q, C = np.diag([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 1.0])
    for A in (None, np.zeros((2, 3))):
        answer = principle(Instant(M, Q, A, C=C))
        np.testing.assert_allclose(answer.acceleration, [1, 1.5, 1])
        np.testing.assert_allclose(answer.nonideal, C)
        np.testing.assert_allclose(answer.ideal, 0, atol=1e-15)
        np.testing.assert_allclose(answer.multipliers, 0, atol=1e-15)
    held = principle(Instant(M, Q, np.vstack([np.eye(3), np.ones((1, 3))]), [1, 2, 3, 6], C))
    np.testing.assert_allclose(held.acceleration, [1, 2, 3])
    np.testing.assert_allclose(held.nonideal, 0, atol=1e-14)
    np.testing.assert_allclose(held.ideal, [0, 2, 9], atol=1e-14)
