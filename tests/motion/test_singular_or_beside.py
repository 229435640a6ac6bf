"""A singular place that a motion comes to is told as what it is; one that it passes closely beside does not end it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")

x, y = dynamicsymbols("x y")
CUSPS = {
    "y² = x³": (y**2 - x**3, lambda u: np.sqrt(1 + 9 * u / 4), (1.0, 1.0, -1.0, -1.5)),
    "y³ = x⁴": (y**3 - x**4, lambda u: np.sqrt(1 + 16 * u ** (2 / 3) / 9), (1.0, 1.0, -3.0, -4.0)),
    "an astroid": (
        (x**2 + y**2 - 1) ** 3 + 27 * x**2 * y**2,
        lambda u: u ** (-1 / 3),
        (2**-1.5, 2**-1.5, -1.0, 1.0),
    ),
}


@pytest.mark.parametrize(("relation", "pace", "start"), CUSPS.values(), ids=CUSPS)
def test_steps_that_end_at_a_cusp_end_where_the_constraint_has_no_direction(relation, pace, start) -> None:
    """At a constant speed the tip is reached after the length of the arc, and no force jumps there."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(relation, name="curve")]
    )
    with pytest.raises(da.RunError, match="constraint 'curve' has no direction there") as error:
        system.simulate(dict(zip((x, y, x.diff(), y.diff()), start, strict=True)), until=5.0)
    motion = error.value.motion
    assert motion.status.ending == "singular"
    assert_allclose(motion.end_time, quad(pace, 0, start[0])[0] / np.hypot(*start[2:]), rtol=1e-6)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [5.0, 6.0])
@pytest.mark.parametrize("turning", [1e-3, 1e-5, 1e-7, 1e-8])
def test_a_pole_that_is_missed_narrowly_is_none(turning, until) -> None:
    """A spherical pendulum that hardly turns swings in a plane, and leaps by half a turn below the pivot.

    What keeps it off the pole acts within 1e-8 of a radian alone. So near the pole rounding of the angle is a part of
    1e-16 over its distance, and as much of the speed.
    """
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + sin(x) ** 2 * y.diff() ** 2) / 2 + 9.81 * cos(x), [x, y], name="spherical pendulum"
    )
    motion = system.simulate({x: 1.0, y.diff(): turning}, until=until)
    plane = solve_ivp(
        lambda t, s: [s[1], -9.81 * np.sin(s[0])], (0, until), [1, 0], "DOP853", motion.t, rtol=3e-14, atol=1e-15
    )
    passes = np.cumsum(np.diff(np.sign(plane.y[0]), prepend=1) != 0)
    assert passes[-1] == until
    assert_allclose(motion.y[0], np.abs(plane.y[0]), atol=turning + 1e-14 / turning)
    assert_allclose(motion.y[1], np.pi * passes, atol=200 * turning)
    assert_allclose(np.sin(motion.y[0]) ** 2 * motion.y[3] / (np.sin(1) ** 2 * turning), 1, rtol=1e-14 / turning)


def test_an_inertia_that_vanishes_is_told_and_no_jump() -> None:
    """Down to a centre of attraction with next to no turning: r is of 1e-13 there, the time it takes of 1e-19."""
    system = da.System.from_lagrangian((x.diff() ** 2 + x**2 * y.diff() ** 2) / 2 + 1 / x, [x, y])
    with pytest.raises(da.RunError, match=r"at t = 0\.570796: the inertia of y vanishes") as error:
        system.simulate({x: 1.0, x.diff(): -1.0, y.diff(): 1e-6}, until=1.5)
    assert error.value.motion.status.ending == "singular"
