"""Forces that are small because something under a fraction is too large for a float."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Integer, Rational, cosh, coth, csch, exp, sech, symbols
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


K = 250 * (t - 5)
PULSES = {  # by −1253 < K < 1253, with what they are as a whole, times 250
    "slope of a step": (exp(-K) / (1 + exp(-K)) ** 2, 1.0),
    "its square": (exp(-2 * K) / (1 + exp(-K)) ** 4, 1 / 6),
    "a steeper one": (exp(K) / (2 + exp(K)) ** 3, 1 / 8),
    "to the base of two": (2**K / (1 + 2**K) ** 2, 1 / np.log(2)),
    "a bell to the base of two": (2 ** (-(K**2)), np.sqrt(np.pi / np.log(2))),
    "sech": (sech(K), np.pi),
    "a quotient of hyperbolic ones": (csch(2 + K**2), 0.48489734081676),
    "a difference": (coth(1 + K**2) - 1, 0.375764651534974),
}


@pytest.mark.parametrize("pulse", PULSES.values(), ids=PULSES)
def test_a_pulse_of_exponentials_in_any_form(pulse) -> None:
    force, whole = pulse
    motion = da.System.from_forces([[1]], [force], [x]).simulate({}, until=10.0)
    assert_allclose(motion.end[x.diff()], whole / 250, rtol=1e-11)
    assert motion.verify()


@pytest.mark.parametrize("base", [Integer(2), Rational(1, 3), symbols("p")])
def test_a_bell_to_any_base_is_not_passed_over(base) -> None:
    """A 6000th of the run wide, at a coarse tolerance."""
    K = (t - 5.0137) / 0.0016
    bell = base ** (K**2 if base == Rational(1, 3) else -(K**2))
    system = da.System.from_forces([[1]], [bell], [x], parameters={base: 5.0} if base.is_Symbol else {})
    motion = system.simulate({x.diff(): 1.0}, until=10.0, tolerance=1e-6)
    rate = abs(np.log(5.0 if base.is_Symbol else float(base)))
    assert_allclose(motion.end[x.diff()], 1 + 0.0016 * np.sqrt(np.pi / rate), rtol=1e-5)


def test_what_is_too_large_is_named() -> None:
    sum_ = da.System.from_forces([[1]], [1 / (2 + exp(K) + exp(-2 * K))], [x])
    with pytest.raises(da.RunError, match=r"exp\(2500 - 500\*t\) is too large for a float"):
        sum_.simulate({}, until=10.0)
    quotient = da.System.from_forces([[1]], [exp(-K) / (1 + t + exp(-K)) ** 2], [x])
    with pytest.raises(da.StateError, match=r"exp\(1250 - 250\*t\) is too large for a float"):
        quotient.simulate({}, until=10.0)
