"""A start with as many digits as people write is put on its constraints and contacts, is told so, and is certified."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy import Rational
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")

x, y, u, w = dynamicsymbols("x y u w")
X, Y, U = (q.diff() for q in (x, y, u))
FALL = (X**2 + Y**2) / 2 - 9.81 * y
ROOT = 0.5**0.5
CURVE = x**2 + y**2 - 1
RODS = (CURVE, (u - x) ** 2 + (w - y) ** 2 - 1)


def rods(*more):
    """Two rods from the origin, in a plane."""
    energy = sum(q.diff() ** 2 for q in (x, y, u, w)) / 2 - 10 * (y + w)
    return da.System.from_lagrangian(energy, [x, y, u, w], constraints=[*map(da.Holonomic, RODS), *more])


def folded(angle, digits, speed):
    """Rods at an angle, whose end is on the floor, written with so many digits."""
    c, s = round(np.cos(angle), digits), round(np.sin(angle), digits)
    return {x: c, y: s, u: round(2 * np.cos(angle), digits), w: 0.0, U: speed}


@pytest.mark.parametrize("digits", [9, 10, 11, 12])
@pytest.mark.parametrize(
    "system",
    [
        da.System.from_lagrangian(FALL, [x, y], constraints=[da.Holonomic(CURVE, nature=da.Coulomb(0.1))]),
        da.System.from_lagrangian(FALL, [x, y], forces={x: -abs(x)}, constraints=[da.Holonomic(CURVE)]),
    ],
    ids=["rough", "pulled by |x|"],
)
def test_a_start_off_a_ring_by_its_digits_is_certified(system, digits) -> None:
    motion = system.simulate({x: round(ROOT, digits), y: round(ROOT, digits)}, until=1.0)
    (put,) = motion.projections
    assert put.time == 0
    assert put.after < 1e-15 < put.before
    assert motion.verify().passed
    assert abs(motion.y[0, 0] ** 2 + motion.y[1, 0] ** 2 - 1) < 1e-15


@pytest.mark.parametrize(("speed", "kinds"), [(0.0, []), (-1.0, ["impact"]), (1.0, ["impact"])])
@pytest.mark.parametrize("digits", [9, 10, 12])
def test_a_start_a_little_within_a_table_is_put_on_it(digits, speed, kinds) -> None:
    """It rests there, is thrown back at once at half its speed, or flies up and comes down after 2 v/g."""
    table = da.OneSided(y - Rational(1, 3), restitution=Rational(1, 2), name="table")
    system = da.System.from_lagrangian(FALL, [x, y], constraints=[table])
    motion = system.simulate({y: round(1 / 3, digits), Y: speed}, until=0.25 if speed >= 0 else 0.08)
    assert [event.kind for event in motion.events] == kinds
    assert motion.y[1].min() >= 1 / 3 - 1e-16
    assert motion.verify().passed
    if speed:
        assert motion.events[0].time == pytest.approx(2 * speed / 9.81 if speed > 0 else 0.0, abs=1e-9)


@pytest.mark.parametrize("digits", [9, 11, 17])
@pytest.mark.parametrize("angle", [0.3, 0.7, 0.9273, 1.2])
@pytest.mark.parametrize("nature", [da.Ideal(), da.Coulomb(0.3, sliding=U)], ids=["smooth", "rough"])
def test_a_foot_that_leaves_the_floor_at_the_start_does(nature, angle, digits) -> None:
    """The floor takes no part: the motion is that without it."""
    start = folded(angle, digits, 1.0)
    free = rods().simulate(start, until=0.02)
    motion = rods(da.OneSided(w, name="floor", nature=nature)).simulate(start, until=0.02)
    assert free.y[3, 1:].min() > 0
    np.testing.assert_allclose(motion.end_values, free.end_values, atol=10.0 ** (1 - digits) + 1e-12)
    assert not motion.events
    assert motion.verify().passed


@pytest.mark.parametrize("angle", [0.2118, 1.0, 1.35])
def test_a_bare_coordinate_that_is_zero_is_known_to_what_the_others_leave(angle) -> None:
    """A row that says w = 0 alone, beside others whose rounding moves w."""
    motion = rods(da.Holonomic(w)).simulate(folded(angle, 9, 0.5), until=0.02)
    assert motion.verify().passed


@pytest.mark.parametrize("leaves", [0.0, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5])
@pytest.mark.parametrize("deep", [0.0, 1e-16])
def test_a_start_on_a_hill_that_leaves_it_by_as_little(leaves, deep):
    """It slides on: θ̈ = g/R sin θ from the top on, where v² < g R cos θ."""
    hill = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - 9.81 * y, [x, y], constraints=[da.OneSided(x**2 + y**2 - 1, restitution=Rational(1, 2))]
    )
    start = {x: 0.6 * (1 - deep), y: 0.8 * (1 - deep), X: 0.4 + 0.6 * leaves, Y: -0.3 + 0.8 * leaves}
    motion = hill.simulate(start, until=0.1)
    down = solve_ivp(lambda _, s: [s[1], 9.81 * np.sin(s[0])], (0, 0.1), [np.arcsin(0.6), 0.5], rtol=1e-12, atol=1e-13)
    angle = down.y[0, -1]
    assert_allclose(motion.end_values[:2], [np.sin(angle), np.cos(angle)], atol=1e-10)
    assert motion.verify().passed


@pytest.mark.parametrize("start", [(0.5999999998, 0.8, 0.4, -0.2999999998), (0.5999999995, 0.8, 0.4000000005, -0.3)])
def test_a_start_within_a_hill_by_its_last_digit(start):
    hill = da.System.from_lagrangian((X**2 + Y**2) / 2 - 9.81 * y, [x, y], constraints=[da.OneSided(x**2 + y**2 - 1)])
    motion = hill.simulate(dict(zip((x, y, X, Y), start, strict=True)), until=0.1)
    assert not motion.events
    whole = hill.simulate({x: 0.6, y: 0.8, X: 0.4, Y: -0.3}, until=0.1)
    assert_allclose(motion.end_values, whole.end_values, atol=1e-8)
