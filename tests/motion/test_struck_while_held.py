"""Impacts on what a switching force holds at rest: it is thrown off, slowed by that force, and held again."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, diag, sign
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

a, b, c = dynamicsymbols("a b c")
A, B, C = a.diff(), b.diff(), c.diff()


def named(motion, *kinds):
    return [event for event in motion.events if event.kind in kinds]


@pytest.mark.parametrize("e", [0, Rational(1, 2), 1])
def test_a_block_that_dry_friction_holds_is_struck(e) -> None:
    """It takes (1 + e) m v/(m + M), and loses that by the friction."""
    held = da.System.from_forces(
        diag(1, 5), [0, -5 * sign(B)], [a, b], constraints=[da.OneSided(b - a, restitution=e, name="buffer")]
    )
    motion = held.simulate({a: -1, A: 1}, until=2.5)
    gained, left = (1 + float(e)) / 6, (1 - 5 * float(e)) / 6
    assert_allclose(named(motion, "impact")[0].state, [0, 0, left, gained], atol=1e-14)
    if e:
        (stops,) = named(motion, "slide")
        assert_allclose(stops.time, 1 + gained, rtol=1e-13)
        assert_allclose(motion.end[b], gained**2 / 2, rtol=1e-12)
    else:  # they go on together, 6 of mass against 5
        assert_allclose([motion.end[a], motion.end[b]], gained**2 / 2 * 6 / 5, rtol=1e-12)
    assert motion.verify().passed


def test_a_body_driven_at_a_speed_strikes_a_wall() -> None:
    """−2 sign(x′ − 1) drives it back: flights of 1/2, 1/4, …, at rest after one second."""
    driven = da.System.from_forces([[1]], [-2 * sign(A - 1)], [a], constraints=[da.OneSided(1 - a, restitution=0.5)])
    motion = driven.simulate({A: 1}, until=5.0)
    assert_allclose([e.time for e in named(motion, "impact")][:6], 2 - 0.5 ** np.arange(6.0), rtol=1e-12)
    assert_allclose(named(motion, "rest")[0].time, 2, rtol=1e-9)
    assert_allclose(motion.end_values, [1, 0], atol=1e-12)
    assert motion.verify().passed


def test_two_blocks_that_hold_each_other_of_which_one_strikes_a_wall() -> None:
    """Between impacts they come to one speed: v → v/4, with flights of 3 v/16 and 3 v/8 of the speed they had."""
    force = 2 * sign(B - A)
    pair = da.System.from_forces(
        diag(1, 1), [force, -force], [a, b], constraints=[da.OneSided(1 - a, restitution=0.5, name="wall")]
    )
    motion = pair.simulate({A: 1, B: 1}, until=2.0)
    speeds = 0.25 ** np.arange(8)
    begins = np.concatenate([[0], np.cumsum(0.5625 * speeds)])[:8]
    assert_allclose([e.time for e in named(motion, "impact")][:8], 1 + begins, rtol=1e-12)
    assert_allclose([e.time for e in named(motion, "slide")][:8], 1 + begins + 0.375 * speeds, rtol=1e-12)
    assert_allclose(motion.end_values, [1, 1.3, 0, 0], atol=1e-11)
    assert motion.verify().passed


def test_three_blocks_in_a_row() -> None:
    """1, 2 and 3 of mass, the last two held by 2 and 3: what each is given, it loses at a rate of 1."""
    row = da.System.from_forces(
        diag(1, 2, 3),
        [0, -2 * sign(B), -3 * sign(C)],
        [a, b, c],
        constraints=[da.OneSided(b - a, restitution=1), da.OneSided(c - b - 1, restitution=1)],
    )
    motion = row.simulate({a: -1, b: 0, c: 1.5, A: 3}, until=4.0)
    speed = np.sqrt(3.0)  # 2 of it, less what friction took on the way of 1/2
    assert_allclose([e.time for e in named(motion, "impact")], [1 / 3, 1 / 3 + 2 - speed], rtol=1e-13)
    assert_allclose(motion.end[b], 0.5 - (0.2 * speed) ** 2 / 2, rtol=1e-12)
    assert_allclose(motion.end[c], 1.5 + (0.8 * speed) ** 2 / 2, rtol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("e", [0, 0.3])
def test_a_pile_is_driven(e) -> None:
    """A hammer of 1 falls from 1 on a pile of 2 that 60 hold: all that is left of its energy goes into the ground."""
    pile = da.System.from_forces(
        diag(1, 2), [-9.81, -19.62 - 60 * sign(B)], [a, b], constraints=[da.OneSided(a - b, restitution=e)]
    )
    motion = pile.simulate({a: 1, b: 0}, until=2.0)
    lost = float(motion.dataset.impact_work[-1])
    assert_allclose(60 * motion.end[b], -9.81 - lost + 3 * 9.81 * motion.end[b], rtol=1e-9)
    if not e:
        assert_allclose(lost, -9.81 * 2 / 3, rtol=1e-12)
    assert motion.verify().passed


def test_what_is_held_at_a_place_is_thrown_from_it() -> None:
    """−5 sign(b) holds b at 0: struck there it goes off at 1/4, and comes back as fast 1/2 later."""
    held = da.System.from_forces(
        diag(1, 5), [0, -5 * sign(b)], [a, b], constraints=[da.OneSided(b - a, restitution=0.5)]
    )
    motion = held.simulate({a: -1, A: 1}, until=1.4)
    assert_allclose(motion.end_values, [-0.1, 0.25 * 0.4 - 0.08, -0.25, 0.25 - 0.4], atol=1e-13)
    assert motion.verify().passed
