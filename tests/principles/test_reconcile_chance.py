"""Reconciliation of many sets of measurements with random errors: what it says about itself is true.

Fixed seeds; bounds are quantiles at 1e-6 of the distributions that theory gives.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from dalembert.principles import Instant, Trust, explicit, reconcile
from principles.evidence import EVERYTHING, Evidence, evidence
from principles.support import make, mass

DRAWS = 500
RARE = 1e-6


def inside(value, law):
    """Whether a number is one that its law allows, but for one in a million."""
    assert law.ppf(RARE / 2) < value < law.isf(RARE / 2)


def draws(case, seed=0, count=DRAWS):
    """Reconciliations of what the rows read with normal errors of their covariance."""
    random = np.random.default_rng(seed)
    root = np.linalg.inv(case.trust.factor)
    for _ in range(count):
        yield reconcile(case.now, case.trust, case.true + root @ random.normal(size=len(case.true)))


def distributed(samples, mean, covariance):
    """Samples (k, n) have the mean and the covariance that they should."""
    size, directions = np.linalg.eigh(covariance)
    known = size > 1e-10 * size.max(initial=0.0)
    errors = (samples - mean) @ directions
    assert_allclose(errors[:, ~known], 0, atol=1e-6 * np.sqrt(size.max()))
    z = errors[:, known] / np.sqrt(size[known])
    k, free = z.shape
    inside(k * np.sum(z.mean(axis=0) ** 2), stats.chi2(free))
    for i in range(free):
        inside(k * z[:, i].var(), stats.chi2(k - 1))
        for j in range(i):
            inside(np.sqrt(k) * np.mean(z[:, i] * z[:, j]), stats.norm(0, 1.05))


CASES = {
    "constraints": lambda: evidence(1, ("constraint",), n=4, rank=2, extra=3, some=1.0),
    "constraints, some exact": lambda: evidence(2, ("constraint",), n=4, rank=3, extra=3, some=0.6),
    "forces and accelerometers": lambda: evidence(3, ("force", "acceleration"), n=4, rank=2, extra=0, some=1.0),
    "everything": lambda: evidence(4, EVERYTHING, n=3, rank=2, extra=2, some=1.0),
    "errors that depend on each other": lambda: evidence(
        5, ("constraint", "reaction"), n=3, rank=2, extra=2, some=1.0, weights=mass(np.random.default_rng(5), 7, 1.0)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_truth_is_found_with_the_covariance_that_is_told(name):
    case = CASES[name]()
    truth = explicit(case.now)
    found = list(draws(case))
    one = found[0]
    distributed(np.array([f.acceleration for f in found]), truth.acceleration, one.acceleration_covariance)
    distributed(np.array([f.force for f in found]), truth.force, one.force_covariance)
    chi = np.array([f.chi_square for f in found])
    assert stats.kstest(chi, stats.chi2(one.redundancy).cdf).pvalue > RARE
    assert stats.kstest([f.p_value for f in found], "uniform").pvalue > RARE
    for i, row in enumerate(one.rows):
        w = [f.rows[i].studentized for f in found]
        if row.checkable:
            assert stats.kstest(w, "norm").pvalue > RARE


@pytest.mark.parametrize("level", [0.05, 0.2])
@pytest.mark.parametrize("name", ["constraints", "everything", "errors that depend on each other"])
def test_no_more_false_alarms_than_the_level(name, level):
    case = CASES[name]()
    random, alarms = np.random.default_rng(7), 0
    root = np.linalg.inv(case.trust.factor)
    for _ in range(DRAWS):
        values = case.true + root @ random.normal(size=len(case.true))
        alarms += reconcile(case.now, case.trust, values, level).detected
    assert alarms <= stats.binom(DRAWS, level).isf(RARE)
    assert alarms >= stats.binom(DRAWS, level / 3).ppf(RARE)  # a test that never speaks would pass the line above


def named(case, size, trials=100, seed=11):
    """How often the row is named whose reading is off by so many σ besides its error; every row in turn."""
    random, right = np.random.default_rng(seed), 0
    for trial in range(trials):
        values = case.true + case.trust.sigma * random.normal(size=len(case.true))
        wrong = trial % len(case.true)
        values[wrong] += size * case.trust.sigma[wrong] * random.choice([-1, 1])
        found = reconcile(case.now, case.trust, values)
        right += found.suspect == found.rows[wrong].name
    return right


def repeated(times, things=2):
    """Some things, each measured several times by rows of different scale, the trusts alike."""
    now = make(8, n=3, rank=things).now
    scale = np.repeat(np.linspace(0.5, 2, times), things)
    A = np.vstack([now.A] * times) * scale[:, None]
    now = Instant(now.M, now.Q, A, A @ explicit(now).acceleration, now.C)
    return Evidence(now, Trust([("constraint", i) for i in range(len(A))], 1 / (0.1 * scale) ** 2), now.b)


def test_a_row_that_is_off_by_five_sigma_is_named():
    """One thing measured by eight rows, redundancy numbers 7/8: 97 of 100 by theory."""
    case = repeated(8, things=1)
    found = reconcile(case.now, case.trust, case.true)
    assert_allclose([row.redundancy for row in found.rows], 7 / 8)
    assert named(case, 5.0) >= 95
    assert named(case, 5.0, trials=1000, seed=12) >= 950
    assert named(case, 8.0) == 100


@pytest.mark.parametrize("times", [2, 3, 6])
def test_how_often_a_fault_is_found_is_as_told(times):
    """A fault of the size called detectable is found in 95 of 100 cases, whatever the redundancy."""
    case = repeated(times)
    size = list(reconcile(case.now, case.trust, case.true).detectable.values())
    random, beyond = np.random.default_rng(3), 0
    for trial in range(300):
        values = case.true + case.trust.sigma * random.normal(size=len(case.true))
        wrong = trial % len(case.true)
        values[wrong] += size[wrong]
        found = reconcile(case.now, case.trust, values)
        beyond += abs(found.rows[wrong].studentized) > found.critical
    inside(beyond, stats.binom(300, 0.95))


def test_with_little_redundancy_a_fault_cannot_be_located():
    """Two rows for each thing: a fault is found, and never a name is said that could as well be another."""
    case = repeated(2)
    assert named(case, 8.0) == 0
    random = np.random.default_rng(2)
    values = case.true + case.trust.sigma * random.normal(size=4)
    values[0] += 10 * case.trust.sigma[0]
    assert reconcile(case.now, case.trust, values).suspects == ("row 1", "row 3")
