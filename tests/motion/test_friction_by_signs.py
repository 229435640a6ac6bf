"""Dry friction stated by a sign, times a factor that is itself a step: it holds, as long as its factor is not zero.

Known in closed form, from one switch to the next.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Heaviside, Piecewise, Rational, sign, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.systems import x, y

pytestmark = pytest.mark.compiled
t = dynamicsymbols._t
X, Y = x.diff(), y.diff()
c, k = symbols("c k", positive=True)


def pushed(force, parameters=()):
    return da.System.from_forces([[1]], [force], [x], parameters=dict(parameters))


FACTORS = {  # times −sign(ẋ), which is `behind` where x < 0 and `ahead` where x > 0
    "heaviside": (2 * Heaviside(x), 0, 2),
    "piecewise": (Piecewise((3, x > 0), (0, True)), 0, 3),
    "one and a sign": (1 + sign(x), 0, 2),
    "a sign": (sign(x), -1, 1),
    "two steps": (2 * Heaviside(x) + 1, 1, 3),
    "two parts": (2 * Heaviside(x) + Heaviside(-x), 1, 2),
    "a step that is not met": (3 * sign(x + 5), 3, 3),
}


@pytest.mark.parametrize(("factor", "behind", "ahead"), FACTORS.values(), ids=FACTORS)
def test_what_slides_comes_to_rest_and_stays(factor, behind, ahead):
    """From x = −1, ẋ = 3."""
    motion = pushed(-factor * sign(X)).simulate({x: -1.0, X: 3.0}, until=8.0)
    speed = np.sqrt(9 - 2 * behind)
    crossed = 2 / (3 + speed)
    last = motion.events[-1]
    assert last.kind == "slide"
    assert last.time == pytest.approx(crossed + speed / ahead, rel=1e-13)
    assert_allclose(motion.y[:, -1], [speed**2 / (2 * ahead), 0.0], rtol=1e-13, atol=1e-15)
    assert motion.verify().passed


def test_the_sign_of_a_product_is_that_of_its_factors():
    one = pushed(-sign(x * X)).simulate({x: -1.0, X: 2.0}, until=4.0)
    assert_allclose(one.y[:, -1], [3.0, 0.0], rtol=1e-13, atol=1e-15)


def test_parameters_may_make_the_steps():
    """ẍ = ½ before x = 0, and ½ − 2 sign(ẋ) beyond."""
    system = pushed(-c * sign(X) * Heaviside(x) + k, parameters={c: 2.0, k: 0.5})
    motion = system.simulate({x: -1.0, X: 2.0}, until=5.0)
    assert_allclose(motion.y[:, -1], [5 / 3, 0.0], rtol=1e-13, atol=1e-15)


def test_friction_that_acts_for_half_of_the_time():
    """A block on a spring, held at 1.5 by 2 while sin t > 0: it is free from π to 2π, and swings to the other side."""
    motion = pushed(-x - 2 * sign(X) * Heaviside(sin(t))).simulate({x: 1.5}, until=9.0)
    assert [event.kind for event in motion.events] == ["switch", "leave", "switch", "slide"]
    assert_allclose([event.time for event in motion.events], np.pi * np.array([1, 1, 2, 2]), rtol=1e-13)
    assert_allclose(motion.at(4.0), [1.5 * np.cos(4 - np.pi), -1.5 * np.sin(4 - np.pi)], rtol=1e-12)
    assert_allclose(motion.y[:, -1], [-1.5, 0.0], rtol=1e-12, atol=1e-12)


def test_two_that_rub_on_each_other_and_on_steps_of_the_ground():
    ground = -2 * sign(X) * Heaviside(x), -sign(Y) * Heaviside(y + 3)
    between = sign(Y - X) * Rational(1, 4)
    system = da.System.from_forces([[1, 0], [0, 1]], [ground[0] + between, ground[1] - between], [x, y])
    motion = system.simulate({x: -1.0, X: 2.0, y: -0.5, Y: 1.0}, until=4.0)
    assert_allclose(motion.y[2:, -1], 0.0, atol=1e-14)
    energy = 2.5 + motion.dataset.force_work.values[-1]
    assert energy == pytest.approx(0.0, abs=1e-13)
    assert motion.verify().passed
