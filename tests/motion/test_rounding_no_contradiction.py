"""Rows whose coefficients vanish, at the start or on the way, are judged by the terms of their right sides."""

import pickle

import numpy as np
import pytest
from sympy import cos, exp, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.principles import Instant, explicit, independent_rows

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
t = dynamicsymbols._t
RING = x**2 + y**2 - 1
VANISHING = [1e-8 * sin(7 * t), 1e8 * sin(7 * t), t**2, t - 1, exp(t) - 1, cos(t) - 1, sin(7 * t) * (x - y)]
ANGLE = 0.7
START = {x: np.sin(ANGLE), y: -np.cos(ANGLE), X: 0.5 * np.cos(ANGLE), Y: 0.5 * np.sin(ANGLE)}


def pendulum(*rows):
    return da.System.from_lagrangian((X**2 + Y**2) / 2 - 9.81 * y, [x, y], constraints=[da.Holonomic(r) for r in rows])


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("factor", VANISHING, ids=str)
def test_a_row_that_vanishes_says_nothing_more(factor, first):
    """A ring, stated again with a factor that vanishes at the start or on the way, is the ring."""
    plain = pendulum(RING).simulate(START, until=1.2)
    found = pendulum(*((factor * RING, RING) if first else (RING, factor * RING))).simulate(START, until=1.2)
    certificate = found.verify()
    assert certificate.passed, certificate.text()
    np.testing.assert_allclose(found.at(1.2), plain.at(1.2), rtol=0, atol=1e-11)


@pytest.mark.parametrize("size", [1e-8, 1, 1e8])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("time", [0.0, 1e-9, 1e-7, np.pi / 7, np.pi])
def test_at_an_instant_what_it_leaves_to_rounding_is_not_believed(time, first, size):
    """Nor is the acceleration a mean of the ring's and of rounding over a small number."""
    rows = (size * sin(7 * t) * RING, RING)
    now = pendulum(*(rows if first else rows[::-1])).instant(START, time)
    want = explicit(pendulum(RING).instant(START, time)).acceleration
    np.testing.assert_allclose(explicit(now).acceleration, want, rtol=0, atol=1e-8)
    assert pendulum(*rows).verify(START, t=time).passed


def test_nor_where_contacts_may_switch():
    """The same beside a floor that is not touched."""
    floor = da.OneSided(y + 3)
    with_floor = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - 9.81 * y,
        [x, y],
        constraints=[da.Holonomic(RING), da.Holonomic(sin(7 * t) * RING), floor],
    )
    found = with_floor.simulate(START, until=0.3)
    np.testing.assert_allclose(found.at(0.3), pendulum(RING).simulate(START, until=0.3).at(0.3), rtol=0, atol=1e-11)


@pytest.mark.parametrize("digits", [10, 12])
def test_a_state_of_few_digits_is_no_contradiction(digits):
    rounded = {key: float(f"{value:.{digits}g}") for key, value in START.items()}
    now = pendulum(RING, sin(7 * t) * RING).instant(rounded)
    want = explicit(pendulum(RING).instant(rounded)).acceleration
    np.testing.assert_allclose(explicit(now).acceleration, want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [1e-8, 1, 1e8])
@pytest.mark.parametrize("asked", [t**2, 1e-6 * t**2, t * (x - np.sin(ANGLE)) + t**2 / 100])
def test_what_is_asked_beyond_rounding_is_a_contradiction(asked, size):
    """sin(7t) φ + t² asks 0 = −2 at t = 0: no rounding of 14 φ̇ is as large as 1e-6."""
    with pytest.raises(da.ContradictionError):
        pendulum(RING, size * (sin(7 * t) * RING + asked)).verify(START)


def test_the_rows_that_are_known_better_are_taken():
    sizes = np.array([1e-3, 1.0])
    now = Instant(np.eye(2), [0, -1], [[1e-12, 0], [1, 0]], [3e-12, 1.0], sizes=lambda: sizes)
    assert independent_rows(now) == (1,)
    np.testing.assert_allclose(explicit(now).acceleration, [1, -1])
    assert pickle.loads(pickle.dumps(now)).sizes is None
