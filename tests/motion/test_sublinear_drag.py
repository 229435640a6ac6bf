"""Drag as a power below one of the speed, that another force turns round: the motion is unique, because drag grows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Abs, Rational, cos, sign, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x = dynamicsymbols("x")
v = x.diff()
t = dynamicsymbols._t


def turned(p: float, until: float, spring: float) -> np.ndarray:
    """Place and speed at the end, by another method and piece by piece from reversal to reversal."""

    def rate(s: float, q: np.ndarray) -> list[float]:
        return [q[1], np.cos(s) - spring * q[0] - np.sign(q[1]) * np.abs(q[1]) ** p]

    found = solve_ivp(rate, (0, until), [1.0, 0.0], "DOP853", rtol=1e-10, atol=1e-13, max_step=0.02)
    return found.y[:, -1]


@pytest.mark.parametrize(("length", "second"), [(1.0, 1.0), (1e-6, 1e6), (1e6, 1e-6)])
@pytest.mark.parametrize("p", [Rational(1, 2), Rational(1, 3), Rational(2, 3)])
def test_drag_that_is_turned_round(p, length, second) -> None:
    q, force = float(p), length / second**2
    drag = force * (second / length) ** q
    system = da.System.from_forces([[1]], [-drag * sign(v) * Abs(v) ** p + force * cos(t / second)], [x])
    motion = system.simulate({x: length, v: 0}, until=9.0 * second)
    assert [event.kind for event in motion.events] == ["switch"] * 3
    assert_allclose(motion.end_values / [length, length / second], turned(q, 9.0, 0.0), atol=1e-8)
    assert motion.verify()


def test_beside_a_spring() -> None:
    system = da.System.from_forces([[1]], [-sign(v) * sqrt(Abs(v)) + cos(t) - 4 * x], [x])
    motion = system.simulate({x: 1, v: 0}, until=9.0)
    assert_allclose(motion.end_values, turned(0.5, 9.0, 4.0), atol=1e-8)
    assert motion.verify()


def test_a_creep_without_end_is_told() -> None:
    """Drag follows the force, v = F³, and is stiffer the slower it is: no step leads over the reversal."""
    system = da.System.from_forces([[1]], [-sign(v) * Abs(v) ** Rational(1, 3) + cos(t) - 4 * x], [x])
    motion = system.simulate({x: 1, v: 0}, until=9.0, throw=False)
    assert motion.status.ending == "unresolved"
    assert "the equations are stiff there" in str(motion.status)
