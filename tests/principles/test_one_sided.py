"""Which rows that may only push bear at an instant: against all sets of them, one after the other, and in any units."""

from itertools import chain, combinations

import numpy as np
import pytest

from dalembert.principles import Instant, MassError, certify, explicit, that_pull


def by_enumeration(now: Instant, sided):
    """The accelerations of every set of rows in force whose multipliers are not below zero while no gap closes."""
    hard = [r for r in range(now.m) if r not in sided]
    found = []
    for some in chain.from_iterable(combinations(sided, k) for k in range(len(sided) + 1)):
        rows, n = [*hard, *some], now.n
        A, k = now.A[rows], len(rows)
        K = np.block([[now.M, -A.T], [A, np.zeros((k, k))]])
        right = np.concatenate([now.Q + now.C, now.b[rows]])
        x = np.linalg.lstsq(K, right, rcond=1e-12)[0]
        if np.abs(K @ x - right).max() > 1e-8:
            continue
        z, lam = x[:n], x[n + len(hard) :]
        if (lam >= -1e-8).all() and (now.A[list(sided)] @ z - now.b[list(sided)] >= -1e-8).all():
            found.append(z)
    return found


def drawn(seed):
    """An instant of up to four coordinates, with up to two two-sided rows and up to six that may only push."""
    random = np.random.default_rng(seed)
    n, hard, k = (int(random.integers(*span)) for span in ((1, 5), (0, 3), (1, 7)))
    hard = min(hard, n - 1)
    root = random.standard_normal((n, n))
    M = root @ root.T + np.eye(n)
    A = np.round(random.standard_normal((hard + k, n)), int(random.integers(0, 3)))
    if k > 2 and random.random() < 0.5:  # a row that others make
        A[-1] = A[-2] + A[-3]
    b = np.round(random.standard_normal(hard + k), 1) * (random.random() < 0.5)
    C = random.standard_normal(n) * (random.random() < 0.3)
    return Instant(M, 3 * random.standard_normal(n), A, b, C), tuple(range(hard, hard + k))


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
@pytest.mark.parametrize("seed", range(40))
def test_the_contacts_that_bear_are_those_of_complementarity(seed, scale) -> None:
    now, sided = drawn(seed)
    truth = by_enumeration(now, sided)
    units = scale ** np.linspace(-1, 1, now.n)
    rows = scale ** np.linspace(1, -1, now.m)
    M, A = now.M * units * units[:, None], now.A * units * rows[:, None]
    scaled = Instant(M, now.Q * units, A, now.b * rows, now.C * units)
    pull = that_pull(scaled, sided)
    if not truth:  # rows that contradict each other: the principles say so
        assert pull == ()
        return
    keep = [r for r in range(now.m) if r not in pull]
    bears = Instant(scaled.M, scaled.Q, scaled.A[keep], scaled.b[keep], scaled.C)
    np.testing.assert_allclose(units * explicit(bears).acceleration, truth[0], atol=1e-8)
    lam = explicit(Instant(M, scaled.Q + scaled.C, bears.A, bears.b)).multipliers
    pushes = [lam[place] * rows[r] for place, r in enumerate(keep) if r in sided]
    assert min(pushes, default=0.0) > -1e-9


def test_of_three_feet_those_bear_that_can_all_push() -> None:
    """A plank on three feet loaded at 0.9 of its half length: by least norm the first would pull."""
    load = 9.81 * np.array([-1.0, -0.9])
    now = Instant(np.eye(2), load, [[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
    assert explicit(now).multipliers[0] < 0
    assert that_pull(now, (0, 1, 2)) == (0,)


def test_two_that_contradict_as_equalities_do_not_as_contacts() -> None:
    """A floor at rest and one that comes up at 2: the second lifts the body off the first."""
    now = Instant([[1.0]], [-9.81], [[1.0], [1.0]], [0.0, 2.0])
    assert that_pull(now, (0, 1)) == (0,)


def test_a_row_stated_two_sided_holds_what_a_contact_would_let_go() -> None:
    now = Instant([[1.0]], [9.81], [[1.0], [1.0]])
    assert that_pull(now, (1,)) == (1,)
    assert explicit(Instant([[1.0]], [9.81], [[1.0]])).acceleration == 0


def test_where_only_contacts_make_the_mass_regular() -> None:
    """A slider without mass beside a body: pressed against its wall it bears; pulled off, nothing determines it."""
    M, A = np.diag([1.0, 0.0]), [[1.0, 0.0], [0.0, 1.0]]
    assert that_pull(Instant(M, [5.0, -1.0], A), (0, 1)) == (0,)
    with pytest.raises(MassError):
        that_pull(Instant(M, [5.0, 1.0], A), (0, 1))


def test_a_certificate_tells_a_contact_that_pulls() -> None:
    now = Instant([[1.0]], [9.81], [[1.0]])
    (check,) = [c for c in certify(now, pushing=(0,)).checks if c.name == "contacts"]
    assert not check.passed
    assert check.value > 0.4
