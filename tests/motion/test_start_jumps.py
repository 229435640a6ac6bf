"""Starts where a constraint jumps: at the end of a branch of an angle, at a pole. A jump is no rounding."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import atan2, pi, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, angle = dynamicsymbols("x y angle")
X, Y = x.diff(), y.diff()
FLAT = (X**2 + Y**2) / 2


def on(expr, nature=da.Holonomic, coordinates=(x, y), lagrangian=FLAT):
    return da.System.from_lagrangian(lagrangian, list(coordinates), constraints=[nature(expr)])


@pytest.mark.parametrize("height", [0.0, 1e-17, -1e-17])
def test_the_branch_of_an_angle_is_no_rounding(height) -> None:
    """From (−1, 0) the direction is ±π, and neither π/4 nor anything between."""
    with pytest.raises(da.StateError, match="does not satisfy the constraints"):
        on(atan2(y, x) - pi / 4).simulate({x: -1, y: height, X: 0, Y: 0}, until=0.5)


def test_an_angle_of_its_own_at_the_branch() -> None:
    """It is π there by the convention of atan2; −π and zero are not."""
    system = on(angle - atan2(y, x), coordinates=(x, y, angle), lagrangian=FLAT + angle.diff() ** 2 / 2)
    for wrong in (0.0, -np.pi):
        with pytest.raises(da.StateError, match="does not satisfy the constraints"):
            system.simulate({x: -1, y: 0, angle: wrong, X: 0, Y: 0}, until=0.5)
    assert_allclose(system.simulate({x: -1, y: 0}, until=0.5).begin_values[:3], [-1, 0, np.pi], atol=1e-15)


def test_a_rate_that_jumps() -> None:
    with pytest.raises(da.StateError, match="does not satisfy the constraints"):
        on(X * atan2(y, x) - Y, da.Nonholonomic).simulate({x: -1, y: 0, X: 1, Y: 0}, until=0.5)


def test_a_pole_is_no_rounding() -> None:
    """Beside π/2 the tangent is what it is to either side, and zero on none; it is zero at 0 and at π."""
    system = on(tan(x) - y)
    with pytest.raises(da.StateError, match="does not satisfy the constraints"):
        system.simulate({x: np.pi / 2, y: 0, X: 0, Y: 0}, until=0.5)
    near = system.start({x: np.pi / 2, y: 0})
    assert_allclose(np.tan(near.state[x]), near.state[y], rtol=1e-9)
    assert abs(near.state[x] - np.pi / 2) < 1.3
