"""What presses in a friction passes through zero with all its terms: what rests, rests on, and what slides slides on.

Known in closed form: at rest nothing moves, and ẋ changes by −∫ μ N dt while it slides.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Max, Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from motion.systems import x, y, z

pytestmark = pytest.mark.compiled
t = dynamicsymbols._t
X, Y, Z = x.diff(), y.diff(), z.diff()
MU = Rational(3, 10)
TURNS = np.pi * (np.arange(1, 4) - 0.5)


def block(press, load=0, height=y, **nature):
    """A mass 1 in a guide that a force presses, and a load along it."""
    guide = da.Holonomic(height, name="guide", nature=da.Coulomb(MU, sliding=X, **nature))
    return da.System.from_lagrangian((X**2 + Y**2) / 2, [x, y], forces={x: load, y: press}, constraints=[guide])


def rests(motion, times):
    """Nothing moves, and nothing is told but that the force turns round."""
    assert [event.kind for event in motion.events] == ["normal"] * len(times)
    assert_allclose([event.time for event in motion.events], times, rtol=1e-13)
    assert (motion.y[0] == 0).all()
    assert motion.verify().passed


CASES = {
    "cos": ({"press": -10 * cos(t)}, TURNS),
    "sin": ({"press": 10 * sin(t)}, TURNS + np.pi / 2),
    "fast": ({"press": 10 * sin(2 * t)}, np.pi / 2 * np.arange(1, 7)),
    "weak": ({"press": 1e-9 * cos(t)}, TURNS),
    "loaded with it": ({"press": 10 * sin(t), "load": sin(t) / 10}, TURNS + np.pi / 2),
    "loaded nearly to the bound": ({"press": -10 * cos(t), "load": Rational(29, 10) * cos(t)}, TURNS),
    "static": ({"press": -10 * cos(t), "static": Rational(1, 2)}, TURNS),
    "actual": ({"press": -10 * cos(t), "normal": "actual"}, TURNS),
    "polynomial": ({"press": t * (t - 1) * (t - 2)}, [1, 2]),
    "shaken": ({"press": 0, "height": y - sin(3 * t) / 10}, np.pi / 3 * np.arange(1, 10)),
}


@pytest.mark.parametrize(("case", "times"), CASES.values(), ids=CASES)
def test_what_rests_under_no_load_rests_on(case, times):
    rests(block(**case).simulate({}, until=10.0), times)


def test_what_rests_at_a_start_where_nothing_presses():
    rests(block(10 * sin(t)).simulate({}, t0=np.pi, until=10.0), TURNS[1:] + np.pi / 2)


def test_a_force_that_is_none_for_a_while():
    motion = block(10 * Max(0, sin(t))).simulate({}, until=10.0)
    assert {event.kind for event in motion.events} <= {"switch", "normal"}
    assert (motion.y[0] == 0).all()
    assert motion.verify().passed


@pytest.mark.parametrize("press", [-10 * cos(t) ** 2, 10 * (1 - sin(t))])
def test_a_force_that_touches_zero(press):
    motion = block(press, load=0).simulate({}, until=10.0)
    assert not motion.events
    assert (motion.y[0] == 0).all()
    assert motion.verify().passed


@pytest.mark.parametrize("load", [0, cos(t) ** 3])
def test_a_force_that_is_long_near_zero(load):
    motion = block(-10 * cos(t) ** 3, load=load).simulate({}, until=10.0)
    assert [event.kind for event in motion.events] == ["normal"] * 3
    assert_allclose([event.time for event in motion.events], TURNS, atol=1e-5)
    assert (motion.y[0] == 0).all()
    assert motion.verify().passed


@pytest.mark.parametrize("press", [-10 * cos(z), -10 * Z], ids=["place", "speed"])
def test_a_force_that_another_body_makes(press):
    """z moves as t, or to and fro as sin t: both are zero where cos t is."""
    guide = da.Holonomic(y, name="guide", nature=da.Coulomb(MU, sliding=X))
    pull = -z if press.has(Z) else 0
    kinetic = (X**2 + Y**2 + Z**2) / 2
    system = da.System.from_lagrangian(kinetic, [x, y, z], forces={y: press, z: pull}, constraints=[guide])
    rests(system.simulate({Z: 1.0}, until=10.0), TURNS)


def test_a_puck_on_a_plane_that_is_pressed_from_both_sides():
    puck = da.Particle(1.0, [x, y, z], [0, 0, -10 * cos(t)])
    plane = da.Holonomic(z, name="plane", nature=da.Coulomb(MU))
    system = da.System.from_particles([puck], constraints=[plane])
    rests(system.simulate({}, until=10.0), TURNS)
    motion = system.simulate({X: 0.8, Y: 0.6}, until=10.0)
    assert [event.kind for event in motion.events] == ["stick", "normal", "normal", "normal"]
    assert motion.events[0].time == pytest.approx(np.arcsin(1 / 3), rel=1e-12)


def test_what_slides_while_the_force_turns_round_and_what_stops_after():
    motion = block(-10 * cos(t)).simulate({X: 5.5}, until=10.0)
    assert [event.kind for event in motion.events] == ["normal", "stick", "normal", "normal"]
    stop = np.pi - np.arcsin(1 / 6)  # 3 (2 − sin t) = 5.5
    assert motion.events[1].time == pytest.approx(stop, rel=1e-13)
    way = 5.5 * np.pi / 2 - 3 + 2.5 * (stop - np.pi / 2) - 3 * ((stop - np.pi / 2) + np.cos(stop))
    assert motion.end[x] == pytest.approx(way, rel=1e-12)
