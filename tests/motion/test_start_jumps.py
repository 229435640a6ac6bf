"""Starts where a constraint jumps or has a kink: at the end of a branch of an angle, at a pole, where signs change."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Heaviside, Max, Piecewise, atan2, pi, sign, tan
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


@pytest.mark.parametrize("unit", [1, 1e-6, 1e6])
@pytest.mark.parametrize("side", [1, -1])
def test_from_a_kink_to_the_side_that_velocities_lead_to(side, unit) -> None:
    """y = |x| and no force: along either half of the wire at a constant speed."""
    system = on(y - abs(x))
    for stated in ({X: side * unit, Y: unit}, {X: side * unit}):
        motion = system.simulate({x: 0, y: 0, **stated}, until=2.0)
        assert_allclose(motion.begin_values, [0, 0, side * unit, unit], rtol=1e-12)
        assert_allclose(motion.end_values[:2], [2 * side * unit, 2 * unit], rtol=1e-12)
        assert motion.verify().passed
    for wrong in ({X: side * unit, Y: 0}, {X: side * unit, Y: -unit}):
        with pytest.raises(da.StateError, match="rate"):
            system.simulate({x: 0, y: 0, **wrong}, until=2.0)


def test_what_a_kink_leaves_open() -> None:
    with pytest.raises(da.StateError, match="it could be x' = 1 or x' = -1"):
        on(y - abs(x)).simulate({x: 0, y: 0, Y: 1}, until=1.0)


def test_from_a_corner_of_a_larger_one_of_two() -> None:
    """max(x, y) = 1: from (1, 1) along y = 1 to the left, along x = 1 downwards."""
    system = on(Max(x, y) - 1)
    for stated, end in (({X: -1}, (0.5, 1)), ({Y: -1}, (1, 0.5))):
        assert_allclose(system.simulate({x: 1, y: 1, **stated}, until=0.5).end_values[:2], end, rtol=1e-12)


def test_a_rate_that_steps() -> None:
    """y' = sign(x): from x = 0 to the right y goes up, to the left it goes down."""
    for side in (1, -1):
        motion = on(Y - sign(x), da.Nonholonomic).simulate({x: 0, y: 0, X: side}, until=1.0)
        assert_allclose(motion.end_values, [side, side, side, side], rtol=1e-12)


@pytest.mark.parametrize("speed", [0, 1])
@pytest.mark.parametrize(("step", "middle"), [(sign(x), 0), (Heaviside(x), 0.5), (Piecewise((1, x > 0), (0, True)), 0)])
def test_no_start_on_a_step(step, middle, speed) -> None:
    """At x = 0 alone y is what the function is there; right beside it would have to jump."""
    for nature, above in ((da.Holonomic, 0.0), (da.OneSided, 0.2)):
        with pytest.raises(da.StateError, match="jumps where the motion begins"):
            on(y - step, nature).simulate({x: 0, y: middle + above, X: speed, Y: 0}, until=0.5)
    beyond = on(y - step, da.OneSided).simulate({x: 0, y: 1.5, X: speed, Y: 0}, until=0.5)
    assert_allclose(beyond.end_values[:2], [speed / 2, 1.5], rtol=1e-12)
