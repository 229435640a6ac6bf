"""Masses that go through zero with what acts, so that the acceleration is one all along."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
t = dynamicsymbols._t
MASSES = [
    (1 - t / 2, [2.0]),
    (cos(t), [np.pi / 2]),
    (1 - t**2, [1.0]),
    (sin(t + Rational(3, 10)), [np.pi - 0.3]),
    (cos(t) / 10**9, [np.pi / 2]),
    ((t - 1) ** 2 - Rational(1, 10**6), [0.999, 1.001]),
]


@pytest.mark.parametrize("until", [3.0, 3.7, 4.4])
@pytest.mark.parametrize(("mass", "zeros"), MASSES)
def test_a_mass_is_zero_where_it_is_zero(mass, zeros, until) -> None:
    """To rounding, once, wherever the run ends; and the motion goes on beyond it where that is asked for."""
    system = da.System.from_forces([[mass]], [mass], [x])
    motion = system.simulate({x: 1.0}, until=until, singular="pass")
    assert_allclose([event.time for event in motion.events], zeros, rtol=1e-13)
    assert_allclose(motion.end_values, [1 + until**2 / 2, until], rtol=1e-12)
    with pytest.raises(da.RunError, match=f"the mass matrix is singular at t = {zeros[0]:.6g}: the inertia of x"):
        system.simulate({x: 1.0}, until=until)


@pytest.mark.parametrize("until", [1.1, 1.5, 2.0, 2.2, 5.0])
def test_a_crossing_is_told_also_where_the_run_ends_right_beyond_it(until) -> None:
    """Two lines that cross: passed after a second at any speed of one."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(y**2 - x**2)]
    )
    motion = system.simulate({x: -1, y: 1, x.diff(): 1, y.diff(): -1}, until=until, singular="pass")
    assert [event.kind for event in motion.events] == ["passed"]
    assert_allclose(motion.events[0].time, 1.0, rtol=1e-8)


def test_a_cusp_is_not_passed() -> None:
    """On y² = x⁵ there is nothing beyond zero: a run says so whatever was asked for, and what came before is right."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], constraints=[da.Holonomic(y**2 - x**5)]
    )
    start = {x: 1.0, y: -1.0, x.diff(): -1.4, y.diff(): 3.5}
    motion = system.simulate(start, until=3.0, singular="pass", throw=False)
    assert motion.status.ending == "singular"
    assert "It is not passed: " in motion.status.words
    assert not motion.events
    assert motion.verify().passed
