"""Forces that fold back or jump without a word of it: inverse functions of periodic ones, roots that touch zero."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sympy import Abs, Matrix, acos, acot, asin, atan, atan2, cos, log, sin, sqrt, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
t = dynamicsymbols._t
PI = np.pi
TURNS, HALVES = PI * np.arange(1, 9), PI * (np.arange(9) + 0.5)
FORCES = {
    "asin(sin)": (asin(sin(t)), lambda s: np.arcsin(np.sin(s)), HALVES),
    "acos(cos)": (acos(cos(t)), lambda s: np.arccos(np.cos(s)), TURNS),
    "asin(cos)": (asin(cos(t)), lambda s: np.arcsin(np.cos(s)), TURNS),
    "acos(sin)": (acos(sin(t)), lambda s: np.arccos(np.sin(s)), HALVES),
    "atan(tan)": (atan(tan(t)), lambda s: np.arctan(np.tan(s)), HALVES),
    "of something else": (asin(sin(2 * t + 1)), lambda s: np.arcsin(np.sin(2 * s + 1)), (HALVES - 1) / 2),
    "atan2": (atan2(sin(t), cos(t)), lambda s: np.arctan2(np.sin(s), np.cos(s)), TURNS),
    "a pole in atan": (atan(1 / (1 - t)), lambda s: np.arctan(1 / (1 - s)), [1.0]),
    "acot": (acot(t - 2), lambda s: np.arctan(1 / (s - 2)), [2.0]),
    "a root from zero on": (sqrt(1 - cos(t) ** 2), lambda s: np.abs(np.sin(s)), TURNS),
    "a chord": (sqrt(2 - 2 * cos(t)), lambda s: 2 * np.abs(np.sin(s / 2)), 2 * TURNS),
    "a root of the time": (sqrt(t), np.sqrt, []),
    "a root of its square": (sqrt(t**2 * (1 + t)), lambda s: s * np.sqrt(1 + s), []),
}


@pytest.mark.parametrize(("force", "plain", "turns"), FORCES.values(), ids=FORCES)
def test_the_velocity_is_the_integral_of_the_force(force, plain, turns) -> None:
    motion = da.System.from_forces(Matrix([[1]]), [force], [x]).simulate({x: 0.3, x.diff(): 1.0}, until=10.0)
    places = [0.0, *(p for p in turns if 0 < p < 10), 10.0]
    gained = sum(quad(plain, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in pairwise(places))
    assert_allclose(motion.y[1, -1], 1 + gained, rtol=1e-13, atol=3e-13)
    assert motion.verify().passed


def test_an_angle_that_jumps_on_a_ring() -> None:
    """θ̈ = θ of −π to π: 2 sinh t up to the jump, which is there again after twice that time."""
    motion = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2, [x, y], forces={x: -y * atan2(y, x), y: x * atan2(y, x)},
        constraints=[da.Holonomic(x**2 + y**2 - 1)],
    ).simulate({x: 1.0, y: 0.0, y.diff(): 2.0}, until=6.0)  # fmt: skip
    first = np.arcsinh(PI / 2)
    assert [event.time for event in motion.events] == pytest.approx([first, 3 * first], abs=1e-13)
    angle = np.arctan2(motion.y[1], motion.y[0])
    assert_allclose(angle, 2 * np.sinh(motion.t - 2 * first * np.round(motion.t / (2 * first))), atol=1e-12)
    assert motion.verify().passed


def test_where_the_fold_is_that_of_a_coordinate() -> None:
    """ẍ = −asin(sin x): a spring up to π/2, then one that pulls less and less: the energy is that of the triangle."""
    motion = da.System.from_forces(Matrix([[1]]), [-asin(sin(x))], [x]).simulate({x: 0.0, x.diff(): 2.0}, until=20.0)

    def potential(p):
        p = np.abs(p)
        return np.where(p < PI / 2, p**2 / 2, PI**2 / 4 - (PI - p) ** 2 / 2)

    assert np.abs(motion.y[0]).max() > PI / 2
    assert_allclose(motion.y[1] ** 2 / 2 + potential(motion.y[0]), 2.0, atol=1e-12)


@pytest.mark.parametrize("away", [0, 1])
def test_the_logarithm_of_a_modulus_is_the_same_on_both_sides(away) -> None:
    """ẍ = u log|u| − 2 u, with u = x − 1 too: it has no slope at zero, and the energy of a potential."""
    u = x - away
    system = da.System.from_forces(Matrix([[1]]), [u * log(Abs(u)) - 2 * u], [x])
    motion = system.simulate({x: away + 0.5}, until=9.0)
    place = motion.y[0] - away
    assert (np.diff(np.sign(place)) != 0).sum() > 2
    potential = place**2 * (5 / 4 - np.log(np.abs(place)) / 2)
    assert_allclose(motion.y[1] ** 2 / 2 + potential, potential[0], atol=1e-10)
    assert motion.verify()
