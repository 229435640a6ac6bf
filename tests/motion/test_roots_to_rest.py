"""Drag by a power of the speed below one: at rest in a finite time, where it has no series, and from then on."""

import numpy as np
import pytest
from sympy import Abs, Rational, sign, sqrt

import dalembert as da
from motion.systems import t, x, y

pytestmark = pytest.mark.compiled
X, Y = x.diff(), y.diff()


@pytest.mark.parametrize("power", [Rational(1, 10), Rational(1, 4), Rational(1, 2), Rational(3, 4), Rational(9, 10)])
@pytest.mark.parametrize("speed", [1.0, 1e-4])
def test_a_speed_that_falls_by_a_power_of_itself_comes_to_rest_and_stays(power, speed):
    """v' = −v^p: at rest after v₀^(1−p)/(1−p), v₀^(2−p)/(2−p) from where it began."""
    system = da.System.from_forces([[1]], [-X * (X**2) ** ((power - 1) / 2)], [x])
    p = float(power)
    motion = system.simulate({X: speed}, until=1.7 * speed ** (1 - p) / (1 - p))
    assert motion.end[x] == pytest.approx(speed ** (2 - p) / (2 - p), rel=1e-9)
    assert abs(motion.end[X]) < 1e-9 * speed
    assert all(np.isfinite(v.values).all() for v in motion.dataset.values() if v.dtype == float)


def test_in_a_plane_it_goes_straight_and_stops():
    size = (X**2 + Y**2) ** Rational(-1, 4)
    motion = da.System.from_forces([[1, 0], [0, 1]], [-X * size, -Y * size], [x, y]).simulate(
        {X: 0.6, Y: 0.8}, until=3.0
    )
    np.testing.assert_allclose(motion.y[:2, -1], [0.4, 1.6 / 3], rtol=1e-9)


@pytest.mark.parametrize(
    ("force", "start"),
    [
        (-((X**2) ** Rational(-1, 4)), {X: 1.0}),  # it grows without bound at rest
        (-x * (x**2) ** Rational(-3, 2), {x: 1.0}),  # and here where x is zero
    ],
)
def test_a_force_without_bound_is_not_taken_for_none(force, start):
    motion = da.System.from_forces([[1]], [force], [x]).simulate(start, until=3.0, throw=False)
    assert motion.status.ending == "broken"


@pytest.mark.parametrize("push", [0.3, 4.0, 50.0])
def test_a_speed_that_leaves_rest_against_its_root(push):
    """v' = −√v + a t from rest: v = c t² with 2c + √c = a."""
    motion = da.System.from_forces([[1]], [-sqrt(Abs(X)) * sign(X) + push * t], [x]).simulate({}, until=2.0)
    c = ((np.sqrt(1 + 8 * push) - 1) / 4) ** 2
    np.testing.assert_allclose(motion.y[:, -1], [8 * c / 3, 4 * c], rtol=1e-13)
    assert motion.verify().passed
