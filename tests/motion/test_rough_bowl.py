"""Rough contacts that are open where their gap has no gradient: nothing is to be said of them there."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
ROUGH = da.Coulomb(Rational(1, 5))


def test_a_bead_that_flies_from_the_centre_of_a_rough_ring() -> None:
    rim = da.OneSided(1 - x**2 - y**2, name="rim", restitution=Rational(1, 2), nature=ROUGH)
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[rim])
    motion = system.simulate({x: 0, y: 0, x.diff(): 0.3, y.diff(): 1.0}, until=3.0)
    speed = np.hypot(0.3, 1.0)
    first, second = motion.events[:1][0], motion.at(3.0)
    assert first.time == pytest.approx(1 / speed, abs=1e-14)
    back = -0.5 * np.array([0.3, 1.0])  # head on: back through the centre at half the speed
    assert_allclose(second[2:], back, atol=1e-13)
    assert_allclose(second[:2], np.array([0.3, 1.0]) / speed + back * (3 - 1 / speed), atol=1e-13)


@pytest.mark.parametrize("height", [0.0, 0.2, -0.3])
def test_a_bead_that_falls_through_the_centre_of_a_rough_bowl(height) -> None:
    bowl = da.OneSided(1 - x**2 - y**2 - z**2, name="bowl", restitution=Rational(1, 2), nature=ROUGH)
    L = (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - 10 * z
    motion = da.System.from_lagrangian(L, [x, y, z], constraints=[bowl]).simulate({x: 0, y: 0, z: height}, until=3.0)
    assert motion.events[0].time == pytest.approx(np.sqrt(2 * (1 + height) / 10), abs=1e-14)
    assert not [event for event in motion.events if event.kind == "crossing"]
    assert_allclose(motion.at(3.0), [0, 0, -1, 0, 0, 0], atol=1e-12)


def test_nothing_is_said_of_a_rough_saddle_far_below() -> None:
    gap = da.OneSided(x * y + 1, name="saddle", nature=ROUGH)
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[gap])
    motion = system.simulate({x: 0, y: 0, x.diff(): 1.0, y.diff(): 0.5}, until=1.0)
    assert_allclose(motion.at(1.0)[:2], [1.0, 0.5], atol=1e-14)
