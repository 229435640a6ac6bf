"""Functions that pass through zero with a power: the sign of u³ is that of u, and it changes when u does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, Heaviside, Max, Piecewise, cos, expand, sign, sin, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.systems import x

pytestmark = pytest.mark.compiled
t = dynamicsymbols._t
X = x.diff()


def pushed(force):
    return da.System.from_forces([[1]], [force], [x])


STEPS = {  # what jumps at t = 1, and x(3)
    "cube": (Heaviside((t - 1) ** 3), 2),
    "fifth power": (Heaviside((t - 1) ** 5), 2),
    "of a function": (Heaviside(tan((t - 1) / 4) ** 3), 2),
    "beside what is positive": (Heaviside((t - 1) ** 3 * (t**2 + 1)), 2),
    "condition": (Piecewise((1, (t - 1) ** 3 > 0), (0, True)), 2),
    "opposite": (Heaviside(-((1 - t) ** 3)), 2),
    "absolute": (Abs((t - 1) ** 3), 2.3),
    "max": (Max((t - 1) ** 3, 0), 1.6),
}


@pytest.mark.parametrize(("force", "place"), STEPS.values(), ids=STEPS)
def test_an_odd_power_switches_when_what_it_is_of_does(force, place):
    motion = pushed(force).simulate({}, until=3.0)
    assert_allclose([event.time for event in motion.events], 1.0, rtol=1e-15)
    assert_allclose(motion.end[x], place, rtol=1e-14)
    assert motion.verify().passed


@pytest.mark.parametrize("force", [-sign(X**3), -sign((X**2 + 1) * X**3)])
def test_friction_by_the_sign_of_a_cube_stops_what_slides(force):
    motion = pushed(force).simulate({X: 1.0}, until=2.0)
    (slide,) = motion.events
    assert slide.kind == "slide"
    assert slide.time == pytest.approx(1.0, rel=1e-15)
    assert_allclose(motion.y[:, -1], [0.5, 0.0], atol=1e-15)


def test_a_place_that_is_passed():
    """ẍ = 1 up to x = 1, from ẋ = 1, then −1."""
    motion = pushed(-sign((x - 1) ** 5)).simulate({X: 1.0}, until=2.0)
    assert_allclose([event.time for event in motion.events], np.sqrt(3) - 1, rtol=1e-14)


@pytest.mark.parametrize("power", [3, 5])
def test_a_power_that_is_written_out_is_as_exact_as_its_rounding(power):
    """(t − 1)ⁿ in terms of size one is known to ε, and its zero to the nth root of that."""
    motion = pushed(Heaviside(expand((t - 1) ** power))).simulate({}, until=2.0)
    assert abs(motion.events[0].time - 1.0) < (100 * 2.0**-52) ** (1 / power)


@pytest.mark.parametrize("function", [t - 1 - sin(t - 1), (cos(t - 1) - 1) * (t - 1), tan(t - 1) - sin(t - 1)])
def test_a_zero_of_third_order_of_something_else(function):
    motion = pushed(-sign(function)).simulate({}, until=2.0)
    assert len(motion.events) == 1
    assert abs(motion.events[0].time - 1.0) < 3e-5
