"""Reconciliation at an instant where numbers are extreme: levels, trusts, weights in mixed units, what comes back."""

import itertools
import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dalembert.principles import Instant, InstantError, Trust, least_squares, reconcile
from dalembert.principles.reconcile import ANSWER, COVARIANCES
from principles.evidence import evidence

TWO = Instant([[1.0]], [0.0], [[1.0], [1.0]], [2.0, 2.0], constraints=["a", "b"])


def pair(sharp, read=100.0, level=0.05):
    """Two rows about one thing, the first so much sharper."""
    return reconcile(TWO, Trust([("constraint", 0), ("constraint", 1)], [1 / sharp**2, 1.0]), [2.0, read], level)


@pytest.mark.parametrize("sharp", [1.0, 1e-3, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_a_redundancy_of_one_never_locates_a_fault(sharp):
    found = pair(sharp)
    assert (found.redundancy, found.suspect, found.suspects, found.not_checkable) == (1, None, ("a", "b"), ())
    assert_allclose([abs(row.studentized) for row in found.rows], 98 / np.hypot(1, sharp), rtol=1e-12)
    assert_allclose([row.fault_sigma for row in found.rows], np.hypot(1, sharp), rtol=1e-9)


@pytest.mark.parametrize("heavy", [1e3, 1e6, 1e8])
def test_rounding_beside_heavy_rows_checks_nothing(heavy):
    """Turned coordinates: a light row nothing else speaks of, beside heavy ones; what shows of it is noise."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        A = np.array([[1, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 1], [0, 0, 1]]) @ turn
        now = Instant(np.eye(3), np.zeros(3), A, np.zeros(5), constraints=["light", *"abcd"])
        weights = [1.0, *[heavy**2] * 4]
        found = reconcile(now, Trust([("constraint", i) for i in range(5)], weights), [1, 0, 0, 1, 0])
        assert found.not_checkable == ("light",)
        assert "light" not in found.suspects
        assert found.detected


@pytest.mark.parametrize("level", [1e-15, 1e-16, 1e-17, 1e-100, 1e-300, 5e-324])
def test_a_level_however_small_has_a_critical_value(level):
    found = pair(1.0, read=200.0, level=level)
    assert math.isfinite(found.critical)
    if level >= 1e-300:
        assert_allclose(math.erfc(found.critical / math.sqrt(2)), level, rtol=1e-9)
    assert found.suspects == ("a", "b")
    json.dumps(found.as_dict(), allow_nan=False)


def test_values_too_many_sigma_away_are_refused():
    with pytest.raises(InstantError, match=r"values\[1\] = 1e\+120 is more than 1e\+100 times its σ"):
        pair(1.0, read=1e120)
    json.dumps(pair(1.0, read=1e90).as_dict(), allow_nan=False)


CORRELATION = np.array([[1, 0.9, 0.5, 0.3], [0.9, 1, 0.7, 0.4], [0.5, 0.7, 1, 0.9], [0.3, 0.4, 0.9, 1]])


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::2])
def test_weights_in_mixed_units_are_as_definite_as_in_one(order):
    sigma = np.array([1e-6, 1e-3, 1e3, 1e6])[list(order)]
    W = np.linalg.inv(CORRELATION) / np.outer(sigma, sigma)
    W = (W + W.T) / 2
    trust = Trust([("constraint", i) for i in range(4)], W)
    assert_allclose(trust.sigma, sigma, rtol=1e-12)
    assert_allclose(trust.factor.T @ trust.factor, W, rtol=1e-12)
    now = Instant(np.eye(2), [0, 0], sigma[:, None] * np.array([[1, 0], [1, 1], [0, 1], [1, -1]]), sigma * [1, 2, 3, 4])
    one = Instant(now.M, now.Q, now.A / sigma[:, None], now.b / sigma)
    expected = least_squares(one, np.linalg.inv(CORRELATION)).acceleration
    assert_allclose(least_squares(now, W).acceleration, expected, rtol=1e-9)
    assert_allclose(reconcile(now, trust, now.b).acceleration, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "not positive definite, least eigenvalue -1 with a diagonal of ones"),
        ([[1.0, 1e3], [1e3, 1e6]], "not positive definite, least eigenvalue"),
        ([[1.0, 0.0], [0.0, 0.0]], "not positive definite, weights[1][1] = 0"),
        ([[1e12, 1.0], [-1.0, 1e-12]], "not symmetric"),
        ([[1.0]], "shape (1, 1) found; (2,) or (2, 2) expected"),
    ],
)
def test_matrices_that_are_no_weights(weights, said):
    with pytest.raises(InstantError) as caught:
        Trust([("constraint", 0), ("constraint", 1)], weights)
    assert said in str(caught.value)


def test_what_comes_back_is_read_only_and_short_to_show():
    case = evidence(5)
    found = reconcile(case.now, case.trust, case.true)
    for name in (*ANSWER, *COVARIANCES):
        with pytest.raises(ValueError, match="read-only"):
            getattr(found, name)[...] = 0
    assert repr(pair(1.0)) == "<Reconciliation: 2 rows, redundancy 1, suspects ['a', 'b']>"


@pytest.mark.parametrize("size", [1.0, 1e9, 1e40, -1e80])
def test_columns_hold_together_whatever_stands_in_them(size):
    lines = pair(1e-3, read=size).text().splitlines()
    for start in ("coordinate", "  row"):
        head = next(i for i, line in enumerate(lines) if line.startswith(start))
        block = list(itertools.takewhile(bool, lines[head:]))
        assert len({len(line) for line in block}) == 1
