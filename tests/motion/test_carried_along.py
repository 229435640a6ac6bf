"""What sticks to something that moves is carried along, also where its rows know that by a place and no velocity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, eye, sign
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytestmark = pytest.mark.compiled
x, y, z, u = dynamicsymbols("x y z u")
X, Y, Z, U = (q.diff() for q in (x, y, z, u))
t = dynamicsymbols._t
G = 9.81


def on_table(sliding, mu, coordinates, potential=0, more=()):
    """Unit masses, of which y or z stands on a table with friction of a given sliding velocity."""
    up = coordinates[-1]
    kinetic = sum(q.diff() ** 2 for q in coordinates) / 2
    table = da.Holonomic(up, "table", nature=da.Coulomb(mu, sliding=sliding))
    return da.System.from_lagrangian(kinetic - G * up - potential, list(coordinates), constraints=[table, *more])


@pytest.mark.parametrize("angle", [0.0, 1.0, np.pi / 2, 3.0])
def test_a_turntable_carries_what_sticks_to_it_round(angle):
    """It turns at one radian a second; the friction has g/5 and needs 1 for the circle of radius one."""
    disk = on_table([X + y, Y - x], Rational(1, 5), (x, y, z))
    start = {x: np.cos(angle), y: np.sin(angle), X: -np.sin(angle), Y: np.cos(angle)}
    motion = disk.simulate(start, until=5.0)
    assert not motion.events
    assert_allclose(motion.y[0], np.cos(motion.t + angle), atol=1e-12)
    assert_allclose(motion.y[1], np.sin(motion.t + angle), atol=1e-12)
    assert motion.verify().passed


def test_at_the_centre_of_a_turntable_it_stays():
    motion = on_table([X + y, Y - x], Rational(1, 5), (x, y, z)).simulate({}, until=50.0)
    assert not motion.events
    assert np.abs(motion.y).max() == 0.0


def test_a_belt_whose_speed_is_a_place_carries_what_sticks():
    """The speed is that of u = sin t, on which the belt does not act back."""
    motion = on_table(X - u, 5, (x, u, y), u**2 / 2).simulate({U: 1.0}, until=1.5)
    assert not motion.events
    assert_allclose(motion.y[0], 1 - np.cos(motion.t), atol=1e-12)


def test_a_belt_that_is_a_mass_itself_carries_what_sticks():
    """Both are one mass of two on the spring."""
    motion = on_table(X - U, 5, (x, u, y), u**2 / 2).simulate({U: 1.0, X: 1.0}, until=1.5)
    assert not motion.events
    assert_allclose(motion.y[0], np.sqrt(2) * np.sin(motion.t / np.sqrt(2)), atol=1e-12)


def test_a_belt_whose_speed_follows_a_block_at_rest_rests():
    """The block u sticks itself: nothing moves, and the pull of a spring below the bound is held."""
    floor = da.Holonomic(z, "floor", nature=da.Coulomb(1, sliding=U))
    system = on_table(X - u, 1, (x, u, z, y), x * Rational(1, 2), [floor])
    motion = system.simulate({}, until=20.0)
    assert not motion.events
    assert np.abs(motion.y[:4]).max() == 0.0


def test_a_force_keeps_a_motion_where_its_switching_function_vanishes():
    """−5 sign(x' + y), y = t: x' = −t."""
    system = da.System.from_forces(eye(2), [-5 * sign(X + y), 0], [x, y])
    motion = system.simulate({Y: 1.0}, until=1.5)
    assert_allclose(motion.y[0], -(motion.t**2) / 2, atol=1e-13)
    assert_allclose(motion.y[2], -motion.t, atol=1e-13)
    assert motion.verify().passed


def test_time_that_a_place_cancels_now_still_moves():
    """x' = t (y − u) with y = u + 1 at rest: at t = 0 nothing asks x to move, later it does."""
    system = da.System.from_forces(eye(3), [-50 * sign(X - t * y + t * u), 0, 0], [x, y, u])
    motion = system.simulate({y: 1.0}, until=2.0)
    assert_allclose(motion.y[0], motion.t**2 / 2, atol=1e-12)
