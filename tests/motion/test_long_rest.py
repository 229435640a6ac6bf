"""What rests against constraints stays there, however long: rounding of forces in balance moves nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytestmark = pytest.mark.compiled
x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
m, g, R, a = symbols("m g R a", positive=True)
WEIGHT = m * (X**2 + Y**2) / 2 - m * g * y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("until", [1e4, 1e7])
def test_a_ball_in_a_groove(seed, until) -> None:
    """Two smooth planes hold a ball that was dropped between them."""
    mass, slope, steep = np.random.default_rng(seed).uniform([0.5, 0.1, 0.1], [3.0, 0.5, 0.5])
    planes = [
        da.OneSided(cos(Rational(slope)) * y - sin(Rational(slope)) * x, name="left"),
        da.OneSided(cos(Rational(steep)) * y + sin(Rational(steep)) * x, name="right"),
    ]
    groove = da.System.from_lagrangian(WEIGHT, [x, y], constraints=planes, parameters={m: mass, g: 9.81})
    motion = groove.simulate({x: 0.0, y: 0.3}, until=until, samples=[0.0, until / 3, until])
    assert_allclose(motion.y[:2, 1:], 0.0, atol=1e-13)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [1e3, 1e6])
@pytest.mark.parametrize("unit", [1.0, 1e-2])
def test_a_ball_that_bounced_to_rest(until, unit) -> None:
    floor = da.OneSided(unit * y, restitution=Rational(2, 3), name="floor")
    kinetic = 1e8 * X**2 / 2 + (unit * Y) ** 2 / 2
    ball = da.System.from_lagrangian(kinetic - Rational("9.81") * unit * y, [x, y], constraints=[floor])
    motion = ball.simulate({x: 0.0, y: 0.77 / unit}, until=until, samples=[0.0, until / 2, until])
    assert_allclose(motion.y[1, 1:] * unit, 0.0, atol=1e-13)


@pytest.mark.parametrize("seed", [0, 3])
def test_a_pendulum_that_has_stopped(seed) -> None:
    """Drag has taken all there was to the last denormal number, and steps have no end."""
    mass, length, drag = np.random.default_rng(seed).uniform([0.5, 0.3, 0.3], [3.0, 2.0, 1.0])
    rod = da.Holonomic(x**2 + y**2 - R**2, name="rod", nature=da.Viscous(drag))
    values = {m: mass, g: 9.81, R: length}
    pendulum = da.System.from_lagrangian(WEIGHT, [x, y], constraints=[rod], parameters=values)
    start = {x: length * np.sin(0.2), y: -length * np.cos(0.2)}
    motion = pendulum.simulate(start, until=5e4, samples=[0.0, 3e4, 5e4])
    assert_allclose(motion.y[:, 1:], np.array([[0.0, -length, 0.0, 0.0]] * 2).T, atol=1e-12)
    assert motion.verify().passed


def test_what_creeps_down_a_plane() -> None:
    """A sliding body at its last speed, m g sin a/c, on a plane whose force balances the weight."""
    plane = da.Holonomic(cos(a) * y + sin(a) * x, name="plane")
    values = {m: 1.3, g: 9.81, a: 0.37}
    c = 50.0
    slow = da.System.from_lagrangian(
        WEIGHT, [x, y], forces={x: -c * X, y: -c * Y}, constraints=[plane], parameters=values
    )
    motion = slow.simulate({x: 0.0, y: 0.0}, until=1e6, samples=[0.0, 1e3, 1e6])
    off = np.cos(0.37) * motion.y[1] + np.sin(0.37) * motion.y[0]
    last = 1.3 * 9.81 * np.sin(0.37) / c
    along = last * (motion.t - 1.3 / c * -np.expm1(-motion.t * c / 1.3))
    assert_allclose(off[1:] / along[1:], 0.0, atol=1e-12)
    assert_allclose(motion.y[0], along * np.cos(0.37), rtol=1e-12)
