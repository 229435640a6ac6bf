"""The scale law: factors on rows, other units of coordinates, mass and time change no answer and no verdict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert.principles as principles
from dalembert.principles import ContradictionError, Instant, MassError, certify, dependencies, least_squares
from principles.exact import KINDS, Change, changes, errors, instants, make, solve
from principles.support import laws

EPS = np.finfo(float).eps
ROUNDING = 16 * EPS  # times what a relative error of one in every number would do


@settings(laws, max_examples=150)
@given(st.data())
def test_every_principle_is_right_to_rounding_in_any_units(data):
    """Against 60 digits, component by component, each measured by what rounding of the numbers given would do to it."""
    exact = data.draw(instants())
    change = data.draw(changes(exact.now))
    truth = solve(exact)
    now = change.of(exact.now)
    for name, principle in principles.items():
        assert max(errors(change.back(principle(now)), truth)) <= ROUNDING * (now.n + now.m), (name, exact.kind)


@settings(laws, max_examples=100)
@given(st.data())
def test_rank_dependencies_and_certificate_are_the_same_in_any_units(data):
    exact = data.draw(instants())
    change = data.draw(changes(exact.now))
    one, two = certify(exact.now), certify(change.of(exact.now))
    assert one.passed, one.text()
    assert two.passed, two.text()
    assert one.rank == two.rank == exact.K.shape[1]
    assert [(d.row, d.on) for d in one.dependencies] == [(d.row, d.on) for d in two.dependencies]
    for d, e in zip(one.dependencies, two.dependencies, strict=True):
        stated = np.array(d.coefficients) * change.rows[d.row] / change.rows[list(d.on)]
        np.testing.assert_allclose(e.coefficients, stated, rtol=1e-7)
    assert dependencies(change.of(exact.now)) == two.dependencies


@settings(laws, max_examples=100)
@given(st.data())
def test_multipliers_are_the_shortest_in_the_rows_as_stated(data):
    """λ = K_s μ lies in the range of the stated rows, A = K_s A_I: yᵀλ = 0 for every y with yᵀA = 0, term by term."""
    exact = data.draw(instants(("redundant", "massless", "singular")))
    change = data.draw(changes(exact.now))
    now, k = change.of(exact.now), exact.K.shape[1]
    made = change.rows[:, None] * exact.K / change.rows[:k]
    for name, principle in principles.items():
        lam = principle(now).multipliers
        for d in range(k, now.m):
            y = np.zeros(now.m)
            y[d], y[:k] = 1.0, -made[d]
            assert abs(y @ lam) <= 1e-12 * (np.abs(y) @ np.abs(lam)), (name, d)


def contradictory(random):
    """Rows of which some are combinations of others, and ask for something else."""
    exact = make("redundant", int(random.integers(1, 5)), random)
    if exact is None:
        return None
    now = exact.now
    b = now.b.copy()
    b[-1] += random.choice([-1.0, 1.0]) * max(1.0, np.abs(b).max()) * 10.0 ** random.integers(-4, 3)
    return Instant(now.M, now.Q, now.A, b, now.C)


@laws
@given(st.integers(0, 2**32 - 1), st.data())
def test_a_contradiction_is_the_same_in_any_units(seed, data):
    now = contradictory(np.random.default_rng(seed))
    if now is None:
        return
    change = data.draw(changes(now))
    caught = []
    for instant in (now, change.of(now)):
        with pytest.raises(ContradictionError) as error:
            principles.explicit(instant)
        caught.append(error.value)
    one, two = caught
    assert one.rows == two.rows
    weights = np.array(one.coefficients) / change.rows[list(one.rows)]
    at = np.argmax(np.abs(weights))
    np.testing.assert_allclose(two.coefficients, weights / weights[at], rtol=1e-6)
    np.testing.assert_allclose(two.gap, change.time * one.gap / weights[at], rtol=1e-6)
    for principle in principles.values():
        with pytest.raises(ContradictionError):
            principle(change.of(now))


@laws
@given(st.integers(0, 2**32 - 1), st.sampled_from(["none", "negative"]), st.data())
def test_a_refused_mass_matrix_is_refused_in_any_units_in_the_same_words(seed, what, data):
    """The last coordinate is free of rows and has no inertia, or a negative one."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 5))
    G = random.integers(-3, 4, (n, n))
    M = (G @ G.T + n * np.eye(n)).astype(float)
    M[-1], M[:, -1] = 0, 0
    if what == "negative":
        M[-1, -1] = -2.0
    A = random.integers(-3, 4, (int(random.integers(0, n)), n)).astype(float)
    A[:, -1] = 0
    now = Instant(M, np.ones(n), A, np.zeros(len(A)))
    change = data.draw(changes(now))
    for instant in (now, change.of(now)):
        for principle in principles.values():
            with pytest.raises(MassError) as error:
                principle(instant)
            assert error.value.coordinates == (f"q{n}",)
            assert error.value.regular == (what == "negative")
            assert ("not determined" in str(error.value)) == (what == "none")


@laws
@given(st.integers(0, 2**32 - 1), st.data())
def test_least_squares_with_weights_that_go_with_the_rows(seed, data):
    """A row times s weighs s² as much: with weights over s² the answer is the same in any units."""
    now = contradictory(np.random.default_rng(seed))
    if now is None:
        return
    change = data.draw(changes(now))
    weights = np.random.default_rng(seed).uniform(0.1, 10, now.m)
    one, two = least_squares(now, weights), least_squares(change.of(now), weights / change.rows**2)
    size = max(np.abs(one.acceleration).max(), np.abs(np.linalg.solve(now.M, now.Q)).max())
    for said, true in zip(change.back(two), one[:3], strict=True):
        scale = size * (1 if true is one.acceleration else np.abs(now.M).max())
        np.testing.assert_allclose(said, true, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("power", range(-20, 1, 4))
def test_a_light_coordinate_passes_into_one_without_mass(power):
    """x = y, y of mass 10^power beside 1 kg, both loaded: the answer has its limit, to the last digits."""
    light = 10.0**power
    now = Instant(np.diag([1.0, light]), [1.0, 2.0], [[1.0, -1.0]], [0.0])
    for name, principle in principles.items():
        answer = principle(now)
        np.testing.assert_allclose(answer.acceleration, 3 / (1 + light), rtol=1e-15, err_msg=name)
        np.testing.assert_allclose(answer.ideal, [3 / (1 + light) - 1, 3 * light / (1 + light) - 2], rtol=1e-14)
    none = principles.explicit(Instant(np.diag([1.0, 0.0]), [1.0, 2.0], [[1.0, -1.0]], [0.0]))
    np.testing.assert_allclose(none.acceleration, 3, rtol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_instant_is_made(kind):
    random = np.random.default_rng(1)
    found = [exact for n in (2, 3, 4, 5) for _ in range(20) if (exact := make(kind, n, random)) is not None]
    assert len(found) > 10
    unit = Change(np.ones(found[0].now.m), np.ones(found[0].now.n), 1.0, 1.0)
    assert np.array_equal(unit.of(found[0].now).M, found[0].now.M)
