"""Reconciliation at an instant: the textbook estimate, least squares as a part of it, and what leaves it unchanged."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dalembert.principles import (
    ContradictionError,
    Instant,
    InstantError,
    MassError,
    Trust,
    explicit,
    least_squares,
    reconcile,
)
from principles.evidence import EVERYTHING, evidence, textbook
from principles.support import apart, cases, laws, mass, tolerance

COMPARED = ("acceleration", "force", "acceleration_covariance", "force_covariance")


def noisy(seed, case):
    return case.true + np.random.default_rng(seed).normal(size=len(case.true)) * case.trust.sigma


MIXED = [EVERYTHING, EVERYTHING[1:], *((kind,) for kind in EVERYTHING)]
SHAPES = [(4, 2, 2), (3, 0, 0), (3, 3, 1), (5, 2, 0)]  # coordinates, rank, redundant rows


@pytest.mark.parametrize(
    ("kinds", "shape"),
    [(kinds, shape) for kinds in MIXED for shape in SHAPES if kinds != ("constraint",) or shape[1]],
    ids=lambda value: "+".join(map(str, value)),
)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_least_squares_under_exact_rows(kinds, seed, shape):
    n, rank, extra = shape
    case = evidence(seed, kinds, n, rank, extra)
    values = noisy(seed, case)
    found, expected = reconcile(case.now, case.trust, values), textbook(case.now, case.trust, values)
    for name in COMPARED:
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-7, err_msg=name)
    assert_allclose([row.adjusted for row in found.rows], expected.adjusted, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_errors_that_depend_on_each_other(seed):
    count = len(evidence(seed).trust)
    case = evidence(seed, weights=mass(np.random.default_rng(seed), count, 1.0))
    values = noisy(seed, case)
    found, expected = reconcile(case.now, case.trust, values), textbook(case.now, case.trust, values)
    for name in COMPARED:
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-7, err_msg=name)
    W = case.trust.factor.T @ case.trust.factor
    left = values - expected.adjusted
    assert_allclose(found.chi_square, left @ W @ left, rtol=1e-6)
    assert_allclose(case.trust.sigma, np.sqrt(np.diag(np.linalg.inv(W))))
    # Baarda's statistic for any W: e_iᵀW r over the root of its variance, e_iᵀW Σ_r W e_i.
    spread = np.linalg.inv(W) - np.array([textbook(case.now, case.trust, e).adjusted for e in np.eye(count)]).T @ (
        np.linalg.inv(W)
    )
    zero = textbook(case.now, case.trust, np.zeros(count)).adjusted
    spread += np.outer(zero, np.ones(count)) @ np.linalg.inv(W)  # adjusted is affine in what was measured
    w = (W @ left) / np.sqrt(np.diag(W @ spread @ W))
    assert_allclose([row.studentized for row in found.rows if row.checkable], w[[r.checkable for r in found.rows]])


@laws
@given(cases(low=1, redundant=True), st.integers(0, 2**32 - 1), st.booleans())
def test_with_constraints_alone_in_doubt_it_is_least_squares(case, seed, matrix):
    random = np.random.default_rng(seed)
    now = case.now
    now = Instant(now.M, now.Q, now.A, now.b + random.normal(size=now.m), now.C)
    weights = mass(random, now.m, 1) if matrix else random.uniform(0.1, 10, now.m)
    found = reconcile(now, Trust([("constraint", i) for i in range(now.m)], weights), now.b)
    expected = least_squares(now, weights)
    same = (found.acceleration, found.ideal, found.nonideal, found.multipliers)
    assert apart(case._replace(now=now), expected[:4], same) <= 1e3 * tolerance(case)
    size = np.abs(now.b).max() + np.abs(expected.unsatisfied).max()
    assert_allclose([-row.residual for row in found.rows], expected.unsatisfied, atol=1e3 * tolerance(case) * size)


@laws
@given(cases(), st.integers(0, 2**32 - 1))
def test_rows_that_agree_are_met_whatever_their_trust(case, seed):
    random, now = np.random.default_rng(seed), case.now
    truth = explicit(now)
    rows = [("constraint", i) for i in range(now.m)] + [(k, i) for k in EVERYTHING[1:] for i in range(now.n)]
    values = np.concatenate([now.b, now.Q, truth.acceleration, truth.force])
    chosen = [i for i in range(len(rows)) if random.random() < 0.6]
    trust = Trust([rows[i] for i in chosen], 10 ** random.uniform(-2, 2, len(chosen)))
    found = reconcile(now, trust, values[chosen])
    same = (found.acceleration, found.ideal, found.nonideal, found.multipliers)
    assert apart(case, truth, same) <= 1e4 * tolerance(case)
    assert not found.detected


@laws
@given(st.integers(0, 2**32 - 1), st.integers(-12, 12), st.integers(0, 100))
def test_a_row_in_another_unit_with_its_trust_changes_nothing(seed, power, pick):
    case = evidence(seed % 1000, some=1.0)
    now, factor = case.now, -(10.0 ** (power / 4))
    values = noisy(seed, case)
    i = pick % now.m
    scale = np.ones(now.m)
    scale[i] = factor
    other = Instant(now.M, now.Q, scale[:, None] * now.A, scale * now.b, now.C)
    whole = np.concatenate([scale, np.ones(len(values) - now.m)])
    weights = 1 / (case.trust.sigma * whole) ** 2
    one = reconcile(now, case.trust, values)
    two = reconcile(other, Trust(case.trust.rows, weights), values * whole)
    for name in (*COMPARED, "chi_square"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-7, atol=1e-8, err_msg=name)
    assert one.suspects == two.suspects
    assert_allclose([r.redundancy for r in one.rows], [r.redundancy for r in two.rows], atol=1e-9)
    assert_allclose([r.residual for r in one.rows] * whole, [r.residual for r in two.rows], rtol=1e-6, atol=1e-8)
    assert_allclose(
        [r.studentized for r in one.rows] * np.sign(whole), [r.studentized for r in two.rows], rtol=1e-6, atol=1e-6
    )


@laws
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_nothing(seed):
    case, random = evidence(seed % 1000, extra=3), np.random.default_rng(seed)
    now, values = case.now, noisy(seed, case)
    turned = random.permutation(now.m)
    back = np.argsort(turned)
    names = [now.constraints[i] for i in turned]
    other = Instant(now.M, now.Q, now.A[turned], now.b[turned], now.C, constraints=names)
    shuffle = random.permutation(len(values))
    rows = [(k, int(back[i]) if k == "constraint" else i) for k, i in (case.trust.rows[j] for j in shuffle)]
    one = reconcile(now, case.trust, values)
    two = reconcile(other, Trust(rows, 1 / case.trust.sigma[shuffle] ** 2), values[shuffle])
    for name in (*COMPARED, "chi_square", "p_value", "critical"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-7, atol=1e-8, err_msg=name)
    assert set(one.suspects) == set(two.suspects)
    by_name = {row.name: row for row in two.rows}
    for row in one.rows:
        assert_allclose(row[2:9], by_name[row.name][2:9], rtol=1e-6, atol=1e-6)


@laws
@given(st.integers(0, 2**32 - 1))
def test_redundancy_numbers_share_the_redundancy(seed):
    case = evidence(seed % 1000, extra=seed % 4)
    found = reconcile(case.now, case.trust, noisy(seed, case))
    numbers = np.array([row.redundancy for row in found.rows])
    assert_allclose(numbers.sum(), found.redundancy, atol=1e-9)
    assert ((numbers >= 0) & (numbers <= 1)).all()
    for row in found.rows:
        assert_allclose(row.normalized, row.residual / row.sigma)
        assert_allclose(row.measured - row.residual, row.adjusted)
        if row.checkable:
            assert_allclose(row.studentized, row.normalized / np.sqrt(row.redundancy), rtol=1e-6, atol=1e-7)
            assert_allclose(row.fault, row.residual / row.redundancy, rtol=1e-6, atol=1e-6 * row.fault_sigma)
            assert_allclose(row.fault_sigma, row.sigma / np.sqrt(row.redundancy), rtol=1e-6)


def test_an_accelerometer_exerts_no_force():
    """A free particle whose force is known is not moved by what an accelerometer reads; the reading is in doubt."""
    now = Instant(np.diag([2.0, 1.0]), [6.0, 0.0], [[0.0, 1.0]], [0.0])
    found = reconcile(now, Trust([("acceleration", 0)], [4.0]), [5.0])
    assert_allclose(found.acceleration, [3, 0])
    assert_allclose(found.force, 0)
    assert_allclose(found.chi_square, ((5 - 3) / 0.5) ** 2)
    assert found.suspect == "q1_ddot"
    both = reconcile(now, Trust([("acceleration", 0), ("force", 0)], [4.0, 1.0]), [5.0, 6.0])
    # q̈ = 5 ± 0.5 and 2 q̈ = 6 ± 1 are of one trust: the mean, and no one can say which is wrong
    assert_allclose(both.acceleration, [4, 0])
    assert_allclose(both.acceleration_covariance[0, 0], 1 / 8)
    assert both.suspects == ("q1_ddot", "force_q1")
    assert both.suspect is None


def test_a_load_cell_speaks_for_the_constraint():
    """A mass at rest on a support: the cell reads the weight; with b in doubt it says how the support moves."""
    now = Instant([[2.0]], [-20.0], [[1.0]], [0.0])
    still = reconcile(now, Trust([("reaction", 0)], [1.0]), [23.0])
    assert_allclose([still.acceleration[0], still.force[0], still.rows[0].residual], [0, 20, 3])
    rising = reconcile(now, Trust([("constraint", 0), ("reaction", 0)], [1e-12, 1.0]), [0.0, 23.0])
    assert_allclose([rising.acceleration[0], rising.force[0]], [1.5, 23])
    assert_allclose(rising.force_covariance, 1, rtol=1e-9)


def test_one_contradiction_cannot_be_located():
    """Two rows on one thing: whichever is wrong, the same is seen. The third row is of other things."""
    now = Instant(np.eye(2), [0, 0], [[1, 0], [1, 0], [0, 1]], [1, 4, 0], constraints=["one", "two", "apart"])
    found = reconcile(now, Trust([("constraint", i) for i in range(3)], [4, 1, 1]), now.b)
    assert_allclose(np.abs([row.studentized for row in found.rows[:2]]), 3 / np.sqrt(1.25))
    assert (found.redundancy, found.suspect, found.suspects) == (1, None, ("one", "two"))
    assert found.not_checkable == ("apart",)
    text = found.text()
    assert "cannot be told apart: “one”, “two”" in text
    assert "nothing else speaks of it: “apart”" in text
    third = Instant(now.M, now.Q, np.vstack([now.A, [2, 0]]), [1, 4, 0, 2.1], constraints=[*now.constraints, "third"])
    located = reconcile(third, Trust([("constraint", i) for i in range(4)], [4, 1, 1, 1]), third.b)
    assert located.suspect == "two"
    assert "row “two” is most likely" in str(located)


def test_rows_that_share_one_contradiction_each():
    """Two pairs: a fault in one pair is found there, and within it cannot be located."""
    now = Instant(np.eye(2), [0, 0], [[1, 0], [1, 0], [0, 1], [0, 1]], [1, 9, 2, 2.1])
    found = reconcile(now, Trust([("constraint", i) for i in range(4)]), now.b)
    assert found.redundancy == 2
    assert found.suspects == ("row 1", "row 2")


def test_many_small_disagreements_are_told_without_a_name():
    random = np.random.default_rng(0)
    m = 60
    now = Instant(np.eye(1), [0], np.ones((m, 1)), 1.6 * random.choice([-1, 1], m))
    found = reconcile(now, Trust([("constraint", i) for i in range(m)]), now.b)
    assert found.p_value < 1e-6
    assert not found.suspects
    assert "no single one stands out" in found.text()
    assert "… and 48 more rows" in found.text()


def test_exact_rows_that_contradict_are_an_error_and_uncertain_ones_are_not():
    now = Instant(np.eye(2), [0, 0], [[1, 0], [1, 0], [0, 1]], [1, 4, 0], constraints=["one", "two", "apart"])
    with pytest.raises(ContradictionError) as caught:
        reconcile(now, Trust([("constraint", 2)]), [0.0])
    assert caught.value.names == ("one", "two")
    assert caught.value.rows == (0, 1)
    found = reconcile(now, Trust([("constraint", 1)]), [4.0])
    assert_allclose(found.acceleration, [1, 0])
    assert found.suspect == "two"


def test_a_mass_matrix_the_constraints_complete_is_enough():
    """M is singular and rows contradict: with dynamics exact there is nothing a metric is needed for."""
    now = Instant(np.diag([2.0, 0.0]), [6.0, 1.0], [[1.0, -0.5], [2.0, -1.0]], [0.0, 1.0])
    trust = Trust([("constraint", 0), ("constraint", 1), ("force", 0)], [1.0, 2.0, 3.0])
    values = np.array([0.0, 1.0, 6.5])
    found, expected = reconcile(now, trust, values), textbook(now, trust, values)
    for name in COMPARED:
        assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12, err_msg=name)
    with pytest.raises(MassError):
        reconcile(Instant(np.diag([1.0, 0.0]), [0, 0]), Trust([]), [])


def test_nothing_in_doubt_is_the_explicit_answer():
    now = evidence(3).now
    found = reconcile(now, Trust([]), [])
    assert_allclose(found.acceleration, explicit(now).acceleration, atol=1e-10)
    assert (found.chi_square, found.redundancy, found.p_value, found.rows) == (0, 0, 1, ())
    assert_allclose(found.acceleration_covariance, 0)
    assert "Nothing is checked" in found.text()


def test_light_rows_keep_their_figures_beside_heavy_ones():
    """x = 1 ± 1e-8 and 2 ± 1 and 3 ± 1: the last two move nothing, but what they say of each other is kept."""
    now = Instant(np.eye(2), [0, 0], [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], [1, 2, 3, 5, 7])
    found = reconcile(now, Trust([("constraint", i) for i in range(5)], [1e16, 1, 1, 1, 1]), now.b)
    assert_allclose(found.acceleration, [1, 6], rtol=1e-12)
    assert_allclose(found.chi_square, 1 + 4 + 2, rtol=1e-9)
    assert_allclose(found.rows[0].redundancy, 2e-16, rtol=1e-6)
    assert_allclose(found.acceleration_covariance, np.diag([1e-16, 0.5]), rtol=1e-9, atol=1e-25)


def test_for_a_program():
    case = evidence(5)
    found = reconcile(case.now, case.trust, noisy(0, case), level=0.01)
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert told["level"] == 0.01
    assert told["rows"][0]["name"] == found.rows[0].name
    assert_allclose(told["force"], found.force)
    assert_allclose(np.sqrt(np.diag(told["acceleration_covariance"])), found.acceleration_sigma)
    assert told["detectable"].keys() == {row.name for row in found.rows if row.checkable}


@pytest.mark.parametrize(
    ("rows", "weights", "values", "level", "said"),
    [
        ([("constrain", 0)], None, [0.0], 0.05, ["none of constraint"]),
        ([("constraint", 0), ("constraint", 0)], None, [0.0, 0.0], 0.05, ["given twice"]),
        ([("constraint", 0)], [-1.0], [0.0], 0.05, ["not positive"]),
        ([("constraint", 0)], [1.0, 2.0], [0.0], 0.05, ["shape"]),
        ([("constraint", 0)], [np.nan], [0.0], 0.05, ["not finite"]),
        ([("constraint", 2), ("force", 2), ("reaction", -1)], None, [0.0] * 3, 0.05, ["not there"] * 3),
        ([("constraint", 0)], None, [np.inf], 2.0, ["values[0] is not finite", "between 0 and 1"]),
        ([("constraint", 0)], None, [0.0, 1.0], 0.05, ["(1,) expected"]),
    ],
)
def test_bad_input(rows, weights, values, level, said):
    now = Instant(np.eye(2), [0, 0], [[1, 0], [1, 0]], [1, 4])
    with pytest.raises(InstantError) as caught:
        reconcile(now, Trust(rows, weights), values, level)
    assert len(caught.value.faults) == len(said)
    for fault, words in zip(caught.value.faults, said, strict=True):
        assert words in fault
