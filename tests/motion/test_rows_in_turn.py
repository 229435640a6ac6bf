"""One relation under rows that take turns: each vanishes for a moment, and others hold meanwhile."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Rational, cos, pi, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y, Z = (c.diff() for c in (x, y, z))
parameters = a, b, c, d = dynamicsymbols("a b c d")
A, B, C, D = (p.diff() for p in parameters)
t = dynamicsymbols._t
TURNS = {
    "two": [cos(t), sin(t)],
    "three": [cos(t), cos(t + 2 * pi / 3), cos(t + 4 * pi / 3)],
    "quick": [cos(7 * t), sin(7 * t)],
    "fast": [1000 * cos(7 * t), sin(7 * t) / 1000],
}


def swung(times, angle):
    """A pendulum of length one let go at an angle from below, by DOP853."""
    tight = {"rtol": 3e-14, "atol": 1e-15, "method": "DOP853", "t_eval": times}
    u = solve_ivp(lambda _, u: [u[1], -9.81 * np.sin(u[0])], (0, times[-1]), [angle, 0.0], **tight).y
    return np.array([np.sin(u[0]), -np.cos(u[0]), np.cos(u[0]) * u[1], np.sin(u[0]) * u[1]])


@pytest.mark.parametrize(
    ("factors", "tolerance"),
    [*((f, None) for f in TURNS.values()), (TURNS["two"], 1e-9)],
    ids=[*TURNS, "two, coarsely"],
)
def test_a_pendulum_let_go_where_one_of_its_rows_is_nothing(factors, tolerance) -> None:
    rod = x**2 + y**2 - 1
    system = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - Rational(981, 100) * y, [x, y], constraints=[da.Holonomic(rod * f) for f in factors]
    )
    motion = system.simulate({x: np.sin(0.9), y: -np.cos(0.9)}, until=20.0, tolerance=tolerance)
    assert_allclose(motion.y, swung(motion.t, 0.9), atol=1e-10 if tolerance is None else 1e-6)
    if tolerance is None:
        assert motion.verify().passed


@pytest.mark.parametrize("factors", [TURNS["two"], TURNS["fast"]], ids=["two", "fast"])
def test_a_coordinate_without_mass_held_by_rows_in_turn(factors) -> None:
    """z = x y; what vanishes with a row is the inertia that this lends to z."""
    kinetic = (X**2 + Y**2 - x**2 - y**2) / 2
    system = da.System.from_lagrangian(kinetic, [x, y, z], constraints=[da.Holonomic((z - x * y) * f) for f in factors])
    motion = system.simulate({x: 1.0, Y: 1.0, Z: 1.0}, until=12.0)
    u, v = np.cos(motion.t), np.sin(motion.t)
    assert_allclose(motion.y[:3], [u, v, u * v], atol=1e-13)
    assert motion.verify().passed


def test_a_body_held_to_unit_parameters_by_rows_in_turn() -> None:
    """A body whose M alone is singular turns steadily about its third axis: a = cos t, d = sin t."""
    spins = [
        2 * (a * B - b * A - c * D + d * C),
        2 * (a * C - c * A - d * B + b * D),
        2 * (a * D - d * A - b * C + c * B),
    ]
    energy = sum(k * w**2 for k, w in zip((1, 2, 3), spins, strict=True)) / 2
    norm = sum(p**2 for p in parameters) - 1
    rows = [da.Holonomic(norm * cos(t)), da.Holonomic(norm * sin(t))]
    motion = da.System.from_lagrangian(energy, parameters, constraints=rows).simulate({a: 1, D: 1}, until=15.0)
    assert_allclose(motion.y[[0, 3]], [np.cos(motion.t), np.sin(motion.t)], atol=1e-11)
    assert_allclose(motion.y[[1, 2]], 0.0, atol=1e-11)
    assert motion.verify().passed


@pytest.mark.parametrize("power", [1, 2])
def test_rows_that_vanish_in_turn_around_a_ring_are_verified_where_one_has_all_but_vanished(power) -> None:
    """There what the state is off the ring gives that row a direction of its own: no principle can tell."""
    ring = x**2 + y**2 - 1
    system = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - Rational(981, 100) * y,
        [x, y],
        constraints=[da.Holonomic(ring * x**power), da.Holonomic(ring * y**power)],
    )
    angle, speed = 0.6, 7.0
    motion = system.simulate(
        {x: np.cos(angle), y: np.sin(angle), X: -speed * np.sin(angle), Y: speed * np.cos(angle)}, until=8.0
    )
    tight = {"rtol": 3e-14, "atol": 1e-15, "method": "DOP853", "t_eval": motion.t}
    u = solve_ivp(lambda _, u: [u[1], -9.81 * np.cos(u[0])], (0, 8.0), [angle, speed], **tight).y
    assert_allclose(motion.y[:2], [np.cos(u[0]), np.sin(u[0])], atol=1e-10)
    pull = 9.81 * np.sin(u[0]) - u[1] ** 2
    assert_allclose(motion.along.ideal.T, pull * np.array([np.cos(u[0]), np.sin(u[0])]), atol=1e-8)
    assert motion.verify().passed
