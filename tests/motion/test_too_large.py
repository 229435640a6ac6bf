"""Forces that are small because something under a fraction is too large for a float."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import cosh, exp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x = dynamicsymbols("x")
t = dynamicsymbols._t


@pytest.mark.parametrize("power", [1, 2, 3])
def test_a_short_pulse_long_after_the_start(power) -> None:
    """Of sech(τ), sech²(τ), sech³(τ) the whole is π, 2, π/2."""
    width = 0.0079
    system = da.System.from_forces([[1]], [3 / cosh((t - 9) / width) ** power], [x])
    motion = system.simulate({x: 0, x.diff(): 0}, until=15, max_step=width)
    assert_allclose(motion.at(15.0)[1], 3 * width * {1: np.pi, 2: 2, 3: np.pi / 2}[power], rtol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("begin", [-3.0, -0.9])
def test_a_steep_step_of_the_potential_takes_its_height_from_the_energy(begin) -> None:
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - 0.3 / (1 + exp(-1000 * x)), [x])
    motion = system.simulate({x: begin, x.diff(): 1}, until=5.0)
    assert_allclose(motion.at(5.0)[1], 0.4**0.5, rtol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("begin", [-2000.0, -30.0])
def test_a_well_far_away_is_passed_with_the_speed_of_before(begin) -> None:
    """Through −sech²x with speed v: sinh x grows as of v t alone, cosh a = √(1 + 2/v²)."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + 1 / cosh(x) ** 2, [x])
    motion = system.simulate({x: begin, x.diff(): 1.5}, until=-2 * begin / 1.5)
    assert_allclose(motion.at(-2 * begin / 1.5)[1], 1.5, rtol=1e-12)
    late = np.interp(0.0, motion.y[0], motion.t)  # it has gained as much time as it has lost
    assert late < -begin / 1.5
    assert motion.verify().passed
