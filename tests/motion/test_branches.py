"""Where the branch of an angle ends: what only pushes is passed, what jumps itself is a step that no force states."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import atan2, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y, Z = (q.diff() for q in (x, y, z))
t = dynamicsymbols._t
T = (X**2 + Y**2 + Z**2) / 2
PI = np.pi
ANGLE = atan2(sin(y), cos(y))
AT_HALF_A_TURN = {
    "a relation": ("a constraint", T, [da.Holonomic(z - ANGLE)], {Y: 1}),
    "a rate": ("a constraint", T, [da.Nonholonomic(Z - ANGLE)], {Y: 1}),
    "a 1-form": ("a constraint", T, [da.Differential({z: 1, x: ANGLE})], {Y: 1, X: 1}),
    "a gap that becomes larger": ("a constraint", T, [da.OneSided(9 + z - ANGLE)], {Y: 1}),
    "a gap that becomes smaller": ("a constraint", T, [da.OneSided(9 - z + ANGLE)], {Y: 1}),
    "a kink": ("the rate of a constraint", T, [da.Holonomic(x - ANGLE**2 / 10)], {Y: 1}),
    "a mass": ("the energy", T + Y**2 * ANGLE / 10, [], {Y: 1}),
    "a potential": ("the energy", T - ANGLE / 10, [], {Y: 1.1}),
    "a small one beside much": ("the energy", T + 100 * x - 1e-5 * ANGLE, [], {Y: 1}),
}
AT_THE_TIME_PI = {
    "a drive": ("a constraint", T, [da.Holonomic(z - atan2(sin(t), cos(t)))], {Y: 1}),
    "on a circle": ("a constraint", T, [da.Holonomic(z - atan2(y, x)), da.Holonomic(x**2 + y**2 - 1)], {x: 1, Y: 1}),
    "an angle that is driven": ("a constraint", T, [da.Holonomic(atan2(y, x) - t)], {x: 1, Y: 1}),
    "a potential of the time": ("the energy", T - atan2(sin(t), cos(t)), [], {Y: 1}),
}
STEPS = AT_HALF_A_TURN | AT_THE_TIME_PI


@pytest.mark.parametrize(
    ("name", "unit"), [*((name, 1.0) for name in STEPS), ("a mass", 1e-6), ("a potential", 1e6), ("a relation", 1e6)]
)
def test_a_step_ends_a_run_where_it_is(name, unit) -> None:
    what, L, rows, start = STEPS[name]
    motion = da.System.from_lagrangian(unit * L, [x, y, z], constraints=rows).simulate(start, until=5.0, throw=False)
    words = str(motion.status)
    assert words.startswith(f"broken: {what} jumps where the branch of atan2(")
    assert "ends, which no force states, at t = " in words
    assert_allclose(motion.end_time if name in AT_THE_TIME_PI else motion.end[y], PI, atol=1e-8)
    assert motion.verify()


SAME = {
    "its sine": (T, [da.Holonomic(z - sin(ANGLE))], {Y: 1}),
    "its cosine as a potential": (T - cos(ANGLE) / 10, [], {Y: 1}),
    "its square, which has a kink": (T - ANGLE**2 / 100, [], {Y: 1}),
    "a mass of its square": (T + (ANGLE * Y) ** 2 / 10, [], {Y: 2}),
}


@pytest.mark.parametrize(("L", "rows", "start"), SAME.values(), ids=SAME)
def test_what_is_the_same_on_both_sides_goes_on(L, rows, start) -> None:
    motion = da.System.from_lagrangian(L, [x, y, z], constraints=rows).simulate(start, until=5.0)
    assert motion.end[y] > PI
    assert motion.verify()


@pytest.mark.parametrize("speed", [1.5, -2.0])
def test_an_angle_that_pushes_goes_on_where_it_jumps(speed) -> None:
    motion = da.System.from_lagrangian(T, [x, y, z], forces={x: ANGLE}).simulate({Y: speed}, until=3.0)
    turn = PI / abs(speed)
    assert [e.time for e in motion.events] == pytest.approx([turn], rel=1e-12)
    assert_allclose(motion.end[X], speed * 3.0**2 / 2 - np.sign(speed) * 2 * PI * (3.0 - turn), rtol=1e-11)
    assert motion.verify()


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_a_run_that_begins_on_a_branch(speed) -> None:
    """At y = 0 the angle is π, as it is above; below it jumps at once."""
    start = {x: -1, y: 0, z: PI, Y: speed}
    row = da.System.from_lagrangian(T, [x, y, z], constraints=[da.Holonomic(z - atan2(y, x))])
    ended = row.simulate(start, until=2.0, throw=False)
    assert ended.status.ok == (speed > 0)
    assert speed > 0 or str(ended.status).startswith("broken: a constraint jumps where the branch of atan2(y, x) ends")
    assert ended.verify()
    pushed = da.System.from_lagrangian(T, [x, y, z], forces={x: atan2(y, -1)})
    motion = pushed.simulate(start, until=1.0)
    gained = np.pi - (np.pi / 4 - np.log(2) / 2)  # ∫ π − atan s
    assert_allclose(motion.end[X], np.sign(speed) * gained, rtol=1e-9)
    assert motion.verify()


def test_along_a_branch_nothing_jumps() -> None:
    row = da.System.from_lagrangian(T, [x, y, z], constraints=[da.Holonomic(z - atan2(y, x))])
    motion = row.simulate({x: -1, y: 0, z: PI, X: -1}, until=4.0)
    assert not motion.events
    assert_allclose(motion.end[x], -5, rtol=1e-14)
