"""Masses that are negative along what constraints hold, and positive along what they leave free: one motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Rational, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y, Z = x.diff(), y.diff(), z.diff()

TIED = {  # L, the row, y/x, and the frequency² of what is left
    "opposite": (X**2 / 2 - Y**2 / 2 - x**2, y - x / 2, 0.5, 8 / 3),
    "crossed": (X * Y - x**2, y - x, 1.0, 1.0),
    "crossed twice": (X * Y - x * y, y - 2 * x, 2.0, 1.0),
    "small": (X**2 - Y**2 / 8 - x**2, x - y, 1.0, 8 / 7),
    "nearly light": (X**2 / 2 - Y**2 / 2 - x**2, y - x * Rational(99, 100), 0.99, 2 / (1 - 0.99**2)),
}


@pytest.mark.parametrize("name", TIED)
def test_what_is_left_swings_as_its_own_mass_says(name) -> None:
    function, row, ratio, square = TIED[name]
    system = da.System.from_lagrangian(function, [x, y], constraints=[da.Holonomic(row)])
    motion = system.simulate({x: 1, y: ratio}, until=2.0)
    w = square**0.5
    rtol = 1e-11 if name == "nearly light" else 1e-13
    assert_allclose(motion.at(2.0)[:2], np.cos(2 * w) * np.array([1, ratio]), rtol=rtol)
    assert_allclose(motion.at(2.0)[2:], -w * np.sin(2 * w) * np.array([1, ratio]), rtol=rtol)
    assert motion.verify().passed


@pytest.mark.parametrize("name", ["opposite", "crossed"])
@pytest.mark.parametrize("k", range(-8, 9, 4))
@pytest.mark.parametrize("what", ["row", "mass", "unit of x", "unit of y"])
def test_units_and_factors_change_nothing(name, k, what) -> None:
    function, row, ratio, square = TIED[name]
    c = Rational(10) ** k
    a, b, m, r = (c if what == w else Rational(1) for w in ("unit of x", "unit of y", "mass", "row"))
    system = da.System.from_lagrangian(
        m * function.subs({X: a * X, Y: b * Y, x: a * x, y: b * y}, simultaneous=True),
        [x, y],
        constraints=[da.Holonomic(r * row.subs({x: a * x, y: b * y}, simultaneous=True))],
    )
    motion = system.simulate({x: 1 / a, y: Rational(ratio) / b}, until=2.0)
    assert_allclose(
        motion.at(2.0)[:2] * [float(a), float(b)], np.cos(2 * square**0.5) * np.array([1, ratio]), rtol=1e-12
    )
    assert motion.verify().passed


def test_three_coordinates_by_the_mass_and_stiffness_that_are_left() -> None:
    function = X**2 / 2 + Z**2 / 2 - Y**2 / 2 - x**2 - z**2
    system = da.System.from_lagrangian(function, [x, y, z], constraints=[da.Holonomic(y - x / 2 - z / 3)])
    motion = system.simulate({x: 1, y: Rational(1, 2), z: 0}, until=2.0)
    row = np.array([1 / 2, 1 / 3])
    values, vectors = np.linalg.eig(np.linalg.solve(np.eye(2) - np.outer(row, row), 2 * np.eye(2)))
    now = vectors @ (np.cos(2 * values**0.5) * np.linalg.solve(vectors, [1, 0]))
    assert_allclose(motion.at(2.0)[[0, 2]], now, rtol=1e-12)
    assert motion.verify().passed


def test_a_row_that_turns_as_it_moves() -> None:
    """On y = r sin x, r < 1, x'²(1 − r²cos²x)/2 + x² is kept; the weights of the start do not do for all of it."""
    r = symbols("r")
    system = da.System.from_lagrangian(
        X**2 / 2 - Y**2 / 2 - x**2, [x, y], constraints=[da.Holonomic(y - r * sin(x))], parameters={r: 0.99}
    )
    motion = system.simulate({x: 1.5, y: 0.99 * np.sin(1.5)}, until=6.0)
    place, speed = motion.y[0], motion.y[2]
    assert_allclose(speed**2 / 2 * (1 - (0.99 * np.cos(place)) ** 2) + place**2, 2.25, rtol=1e-10)
    assert motion.verify().passed
    alone = da.System.from_lagrangian(X**2 / 2 * (1 - r**2 * cos(x) ** 2) - x**2, [x], parameters={r: 0.99})
    assert_allclose(motion.at(6.0)[0], alone.simulate({x: 1.5}, until=6.0).at(6.0)[0], rtol=1e-9)


@pytest.mark.parametrize("restitution", [0, 1])
def test_the_same_on_a_floor(restitution) -> None:
    """x + y = 3x/2 of mass 3/4 under a force of −2 falls and bounces."""
    floor = da.OneSided(x, restitution=restitution)
    system = da.System.from_lagrangian(
        X**2 / 2 - Y**2 / 2 - 2 * x, [x, y], constraints=[da.Holonomic(y - x / 2), floor]
    )
    motion = system.simulate({x: 1, y: Rational(1, 2)}, until=1.5)
    g = 2 / 0.75
    fall = (2 / g) ** 0.5
    left = 1.5 - fall
    expected = restitution * (g * fall * left - g / 2 * left**2)
    assert_allclose(motion.at(1.5)[:2], [expected, expected / 2], rtol=1e-12, atol=1e-13)
    assert motion.verify().passed


def test_the_same_with_friction() -> None:
    """Friction of 0.3 times a normal force of 1 along x slows a mass of 3/4 down."""
    table = da.Holonomic(z, nature=da.Coulomb(Rational(3, 10), sliding=X))
    system = da.System.from_lagrangian(
        X**2 / 2 - Y**2 / 2 + Z**2 / 2 - z, [x, y, z], constraints=[da.Holonomic(y - x / 2), table]
    )
    motion = system.simulate({x: 0, X: 1, Y: Rational(1, 2)}, until=4.0)
    assert_allclose(motion.at(4.0)[:3], np.array([1, 0.5, 0]) / (2 * 0.3 / 0.75), rtol=1e-12, atol=1e-13)
    assert_allclose(motion.at(4.0)[3:], 0, atol=1e-13)
    assert motion.verify().passed


def test_up_to_where_the_mass_that_is_left_vanishes() -> None:
    """On y = x²/2 what is left has the mass 1 − x²; with x'²(1 − x²)/2 + x kept, x from 0 reaches −1."""
    system = da.System.from_lagrangian(X**2 / 2 - Y**2 / 2 - x, [x, y], constraints=[da.Holonomic(y - x**2 / 2)])
    motion = system.simulate({x: 0, y: 0, X: 0.5}, until=10.0, throw=False)
    assert motion.status.ending == "singular"
    assert "the mass matrix is singular" in motion.status
    place, speed = motion.end_values[0], motion.end_values[2]
    assert_allclose(place, -1, atol=2e-3)
    assert_allclose(speed**2 / 2 * (1 - place**2) + place, 0.125, rtol=1e-8)


def test_the_plain_engine_agrees() -> None:
    function, row, ratio, square = TIED["opposite"]
    system = da.System.from_lagrangian(function, [x, y], constraints=[da.Holonomic(row)])
    motion = system.simulate({x: 1, y: ratio}, until=2.0, engine="plain")
    assert_allclose(motion.at(2.0)[:2], np.cos(2 * square**0.5) * np.array([1, ratio]), rtol=1e-9)
