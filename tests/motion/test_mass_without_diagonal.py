"""M without inertia along what constraints hold, where a coordinate has none at the very start: no unit decides."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Rational, exp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y, Z = (c.diff() for c in (x, y, z))
parameters = a, b, c, d = dynamicsymbols("a b c d")
A, B, C, D = (p.diff() for p in parameters)
spins = [2 * (a * B - b * A - c * D + d * C), 2 * (a * C - c * A - d * B + b * D), 2 * (a * D - d * A - b * C + c * B)]
INERTIA, SPIN = np.array([1.0, 2.0, 3.0]), np.array([0.3, 2.0, -0.4])


def turned(angle, rate, times):
    """A pendulum of unit length with its weight over its mass one: angle from the horizontal."""

    def rates(_, u):
        return [u[1], -np.cos(u[0])]

    found = solve_ivp(rates, (0, times[-1]), [angle, rate], rtol=3e-14, atol=1e-15, method="DOP853", t_eval=times).y
    return np.array([np.cos(found[0]), np.sin(found[0])])


def tumbled(times, spin):
    """Euler's equations of a free body, and its Euler parameters from rest in space, by DOP853."""

    def rates(_, u):
        w, p = u[:3], u[3:]
        turn = np.array(
            [-p[1:] @ w, p[0] * w[0] + p[2] * w[2] - p[3] * w[1], p[0] * w[1] + p[3] * w[0] - p[1] * w[2],
             p[0] * w[2] + p[1] * w[1] - p[2] * w[0]]
        )  # fmt: skip
        return [*(np.cross(INERTIA * w, w) / INERTIA), *(turn / 2)]

    begin = [*spin, 1.0, 0.0, 0.0, 0.0]
    tight = {"rtol": 3e-14, "atol": 1e-15 * np.array([*np.abs(spin), 1, 1, 1, 1]), "method": "DOP853"}
    return solve_ivp(rates, (0, times[-1]), begin, t_eval=times, **tight).y[3:]


def tumbling(inertia, rows=1):
    energy = sum(k * w**2 for k, w in zip((1, 2, 3), spins, strict=True)) * inertia / 2
    return da.System.from_lagrangian(
        energy, parameters, constraints=[da.Holonomic(rows * (sum(p**2 for p in parameters) - 1))]
    )


@pytest.mark.parametrize("angle", [0.0, 1e-9, np.pi / 2])
@pytest.mark.parametrize("power", [-30, -8, 0, 12])
def test_no_unit_of_mass_decides_how_exact_a_pendulum_is(power, angle) -> None:
    """At (1, 0) x has no inertia at all: (x y' − y x')²/2 is y'²/2 there."""
    mass = Rational(10) ** power
    system = da.System.from_lagrangian(
        mass * ((x * Y - y * X) ** 2 / 2 - y), [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1)]
    )
    start = {x: np.cos(angle), y: np.sin(angle), X: -2.5 * np.sin(angle), Y: 2.5 * np.cos(angle)}
    motion = system.simulate(start, until=20.0)
    assert_allclose(motion.y[:2], turned(angle, 2.5, motion.t), atol=1e-10)
    assert motion.statistics["steps"] < 180
    assert motion.verify().passed


@pytest.mark.parametrize(("power", "rows"), [(-16, 1), (0, 1), (9, 1), (9, 10**12), (37, 1)])
def test_a_body_turned_from_the_usual_start_is_exact_whatever_its_inertia(power, rows) -> None:
    motion = tumbling(Rational(10) ** power, rows).simulate(
        {a: 1, **dict(zip((B, C, D), SPIN / 2, strict=True))}, until=20.0
    )
    assert_allclose(motion.y[:4], tumbled(motion.t, SPIN), atol=1e-11)
    assert motion.verify().passed


def test_the_earth_turns() -> None:
    """Once a day, for three days, about its third axis; 8e37 kg m²."""
    rate = 7.29e-5
    motion = tumbling(8 * 10**37).simulate({a: 1, D: rate / 2}, until=3 * 86400.0)
    half = rate * motion.t / 2
    assert_allclose(motion.y[:4], [np.cos(half), 0 * half, 0 * half, np.sin(half)], atol=1e-11)
    assert motion.verify().passed


def test_two_bodies_of_very_different_masses_and_sizes_turn_each_as_it_does_alone() -> None:
    """The second in coordinates of a unit a million times smaller."""
    other = dynamicsymbols("e f g h")
    p, P = [each / 10**6 for each in other], [each.diff() / 10**6 for each in other]
    w = [s.subs(dict(zip([*parameters, A, B, C, D], [*p, *P], strict=True)), simultaneous=True) for s in spins]
    energy = sum(k * (10**-9 * s**2 + 10**9 * r**2) for k, s, r in zip((1, 2, 3), spins, w, strict=True)) / 2
    system = da.System.from_lagrangian(
        energy,
        [*parameters, *other],
        constraints=[
            da.Holonomic(sum(each**2 for each in parameters) - 1),
            da.Holonomic(sum(each**2 for each in p) - 1),
        ],
    )
    halves = SPIN / 2
    start = {a: 1, **dict(zip((B, C, D), halves, strict=True)), other[0]: 1e6}
    start |= {each.diff(): 1e6 * half for each, half in zip(other[1:], halves, strict=True)}
    motion = system.simulate(start, until=20.0)
    truth = tumbled(motion.t, SPIN)
    assert_allclose(motion.y[:4], truth, atol=1e-11)
    assert_allclose(motion.y[4:8] / 1e6, truth, atol=1e-11)


@pytest.mark.parametrize("power", [-9, 0, 9])
def test_a_coordinate_without_mass_is_held_where_its_row_has_no_other(power) -> None:
    """z = x y from the origin: there the row is z alone, and holds nothing of x and y."""
    mass = Rational(10) ** power
    kinetic = mass * (X**2 + Y**2 - x**2 - 4 * y**2) / 2
    system = da.System.from_lagrangian(kinetic, [x, y, z], constraints=[da.Holonomic(z - 10**6 * x * y)])
    motion = system.simulate({X: 1.0, Y: 2.0}, until=30.0)
    assert_allclose(motion.y[:2], [np.sin(motion.t), np.sin(2 * motion.t)], atol=1e-12)
    assert_allclose(motion.y[2] / 1e6, motion.y[0] * motion.y[1], atol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("power", [-12, 0, 12])
def test_weights_are_taken_again_where_rows_and_masses_change_by_much(power) -> None:
    """A row that fades and a mass that grows: at the end the weights of the start would be 1e-20 of what is needed."""
    t = dynamicsymbols._t
    mass = Rational(10) ** power
    system = da.System.from_lagrangian(
        mass * exp(t) * ((x * Y - y * X) ** 2 / 2),
        [x, y],
        constraints=[da.Nonholonomic((x * X + y * Y) * exp(-t / 2))],
    )
    motion = system.simulate({x: 1.0, Y: 1.0}, until=30.0)
    turned_by = 1 - np.exp(-motion.t)
    assert_allclose(motion.y[:2], [np.cos(turned_by), np.sin(turned_by)], atol=1e-11)


@pytest.mark.parametrize("power", [-12, 37])
def test_weights_of_a_system_that_switches_are_taken_around_a_place_too(power) -> None:
    """A body that turns, from the usual start, beside a ball that bounces."""
    mass, h = Rational(10) ** power, dynamicsymbols("h")
    turning = sum(k * w**2 for k, w in zip((1, 2, 3), spins, strict=True)) / 2
    system = da.System.from_lagrangian(
        mass * (turning + h.diff() ** 2 / 2 - h),
        [*parameters, h],
        constraints=[da.Holonomic(sum(p**2 for p in parameters) - 1), da.OneSided(h, restitution=1)],
    )
    motion = system.simulate({a: 1, h: 1, **dict(zip((B, C, D), SPIN / 2, strict=True))}, until=20.0)
    assert [event.kind for event in motion.events] == ["impact"] * 7
    assert_allclose(motion.y[:4], tumbled(motion.t, SPIN), atol=1e-11)
    assert motion.verify().passed
