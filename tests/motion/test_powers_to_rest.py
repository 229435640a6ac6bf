"""Forces by s |s|^(p − 1), however they are stated: crossings, rest in a finite time, and sliding where p is zero."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from sympy import Abs, Rational, S, Symbol, sign, sin, sqrt, symbols

import dalembert as da
from motion.systems import t, x, y

pytestmark = pytest.mark.compiled
X, Y = x.diff(), y.diff()
F = da.System.from_forces
c = Symbol("c", positive=True)
p = Symbol("p")
EVERY = [Rational(1, 5), Rational(1, 3), Rational(2, 5), 0.4, Rational(1, 2), Rational(3, 5), Rational(2, 3), 0.77]
EVERY += [Rational(3, 4), Rational(9, 10)]
FORMS = [
    lambda s, q: s * Abs(s) ** (q - 1),
    lambda s, q: sign(s) * Abs(s) ** q,
    lambda s, q: s * (s**2) ** ((q - 1) / 2),
    lambda s, q: -2 * s / (2 / Abs(s) ** (q - 1)) * -1,
]


def times(motion, kind):
    return [event.time for event in motion.events if event.kind == kind]


@pytest.mark.parametrize("power", EVERY)
@pytest.mark.parametrize("form", FORMS)
def test_it_comes_to_rest_once_and_when(form, power):
    """v' = −v^p: at rest after 1/(1−p), 1/(2−p) from where it began."""
    q = float(power)
    motion = F([[1]], [-form(X, power)], [x]).simulate({X: 1.0}, until=1.5 / (1 - q))
    assert [event.kind for event in motion.events] == ["halt"]
    np.testing.assert_allclose(times(motion, "halt"), 1 / (1 - q), rtol=1e-13)
    np.testing.assert_allclose(motion.end_values, [1 / (2 - q), 0.0], rtol=1e-13, atol=1e-20)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [3.0, 4.0, 5.0, 8.0])
def test_where_it_rests_may_be_anywhere_in_a_step(until):
    """v = (1 − t/2)² is one polynomial, so that one step leads over its zero: in the middle of it for 4."""
    motion = F([[1]], [-sign(X) * sqrt(Abs(X))], [x]).simulate({X: 1.0}, until=until)
    assert [(event.kind, event.time) for event in motion.events] == [("halt", 2.0)]
    assert motion.end[x] == pytest.approx(2 / 3, rel=1e-15)


@pytest.mark.parametrize(("length", "second"), [(1e-6, 1.0), (1e6, 1e-6), (1.0, 1e-6), (1e-6, 1e6)])
@pytest.mark.parametrize("power", [0.4, 0.75])
def test_in_other_units_and_with_the_power_as_a_parameter(length, second, power):
    speed = length / second
    system = F([[1]], [-c * X * Abs(X) ** (p - 1)], [x], parameters={c: speed ** (1 - power) / second, p: power})
    motion = system.simulate({X: speed}, until=6 * second)
    np.testing.assert_allclose(times(motion, "halt"), [second / (1 - power)], rtol=1e-13)
    assert motion.end[x] == pytest.approx(length / (2 - power), rel=1e-13)


@pytest.mark.parametrize(
    ("one", "two"), [("1/3", "1"), ("1/3", "1/2"), ("1/7", "1/2"), ("1/7", "6/5"), ("5/2", "1/10"), ("1/3", "1/3")]
)
def test_one_comes_to_rest_and_the_other_goes_on(one, two):
    powers = Rational(one), Rational(two)
    system = F([[1, 0], [0, 1]], [-sign(v) * Abs(v) ** q for v, q in zip((X, Y), powers, strict=True)], [x, y])
    motion = system.simulate({X: 1.0, Y: 0.7}, until=5.0)
    ends = []
    for q, begin in zip(map(float, powers), (1.0, 0.7), strict=True):
        speed = [begin * np.exp(-5.0) if q == 1 else max(begin ** (1 - q) - (1 - q) * 5.0, 0.0) ** (1 / (1 - q))]
        ends.append((begin - speed[0]) if q == 1 else (begin ** (2 - q) - speed[0] ** (2 - q)) / (2 - q))
    np.testing.assert_allclose(motion.end_values[:2], ends, rtol=1e-12)
    rests = sorted(b ** (1 - q) / (1 - q) for q, b in zip(map(float, powers), (1.0, 0.7), strict=True) if q < 1)
    np.testing.assert_allclose(times(motion, "halt"), rests, rtol=1e-12)


def test_the_time_of_rest_where_another_drag_acts_too():
    """v' = −v^(3/4) − 2 v: its time is an integral."""
    motion = F([[1]], [-sign(X) * Abs(X) ** Rational(3, 4) - 2 * X], [x]).simulate({X: 1.0}, until=4.0)
    truth, _ = quad(lambda w: 4 / (1 + 2 * w), 0, 1, epsabs=1e-14)  # w = v^(1/4)
    np.testing.assert_allclose(times(motion, "halt"), [truth], rtol=1e-12)


def test_it_is_woken_by_a_force_that_begins_to_act():
    """At rest from t = 2 to t = 3, then v' = 2 − √v."""
    push = 2 * (1 + sign(t - 3)) / 2
    motion = F([[1]], [-sign(X) * sqrt(Abs(X)) + push], [x]).simulate({X: 1.0}, until=4.0)
    found = solve_ivp(lambda _, v: 2 - np.sqrt(np.abs(v)), (0, 1), [0.0], "LSODA", rtol=1e-12, atol=1e-14)
    assert motion.end[X] == pytest.approx(found.y[0, -1], rel=1e-9)
    assert times(motion, "halt") == pytest.approx([2.0], rel=1e-13)


def test_held_by_a_constraint_and_as_a_force_of_it():
    rail = da.Holonomic(y - x, name="rail")
    held = F([[1, 0], [0, 1]], [-2 * X * Abs(X) ** Rational(-2, 3), 0], [x, y], constraints=[rail])
    drag = da.Prescribed({x: -2 * X * Abs(X) ** Rational(-2, 3)})
    own = F([[1, 0], [0, 1]], [0, 0], [x, y], constraints=[da.Holonomic(y - x, name="rail", nature=drag)])
    for system in (held, own):  # 2 v' = −2 v^(1/3)
        motion = system.simulate({x: 0.0, y: 0.0, X: 1.0, Y: 1.0}, until=3.0)
        np.testing.assert_allclose(motion.end_values, [0.6, 0.6, 0, 0], rtol=1e-12, atol=1e-14)
        assert times(motion, "halt") == pytest.approx([1.5], rel=1e-12)


@pytest.mark.parametrize("power", [Rational(1, 5), Rational(1, 3), 0.4, Rational(1, 2), Rational(3, 4)])
@pytest.mark.parametrize("form", FORMS)
def test_a_spring_by_a_power_is_crossed_as_by_its_potential(form, power):
    """x'' = −sign(x)|x|^p goes to and fro: the time of a quarter is an integral."""
    q = float(power)
    quarter, _ = quad(lambda s: 2 * s / np.sqrt(2 / (1 + q) * (1 - (1 - s * s) ** (1 + q))), 0, 1, epsabs=1e-13)
    motion = F([[1]], [-form(x, power)], [x]).simulate({x: 1.0}, until=3.5 * quarter)
    np.testing.assert_allclose(times(motion, "switch"), [quarter, 3 * quarter], rtol=1e-9)
    energy = motion.y[1] ** 2 / 2 + np.abs(motion.y[0]) ** (1 + q) / (1 + q)
    np.testing.assert_allclose(energy, 1 / (1 + q), rtol=1e-9)


@pytest.mark.parametrize("power", [Rational(1, 5), Rational(1, 3), Rational(1, 2)])
@pytest.mark.parametrize("push", [3.0, 2.0])
def test_driven_through_rest(power, push):
    force = -sign(X) * Abs(X) ** power + push * sin(2 * t)
    motion = F([[1]], [force], [x]).simulate({X: 1.0}, until=6.0)

    def rate(s, v):
        return [v[1], -np.sign(v[1]) * abs(v[1]) ** float(power) + push * np.sin(2 * s)]

    found = solve_ivp(rate, (0, 6), [0.0, 1.0], "Radau", rtol=1e-9, atol=1e-11, max_step=0.005)
    np.testing.assert_allclose(motion.end_values, found.y[:, -1], atol=2e-5)
    assert len(times(motion, "switch")) == np.count_nonzero(np.diff(np.sign(found.y[1])))


def slides(s, size):
    return [
        size * s / Abs(s),
        size * s * Abs(s) ** -1.0,
        size * 3 * s / Abs(2 * s) * Rational(2, 3),
        size * s**3 / Abs(s) ** 3,
        size * sign(s) ** 3,
        size * s / (Abs(s) + s**2) * (1 + Abs(s)),
        size * (2 * s).expand() / Abs(s) / 2,
    ]


@pytest.mark.parametrize("force", slides(X, S(2)), ids=str)
def test_dry_friction_by_hand_holds(force):
    motion = F([[1]], [-force], [x]).simulate({X: 1.0}, until=1.0)
    assert [(e.kind, e.time) for e in motion.events] == [("slide", pytest.approx(0.5, rel=1e-14))]
    np.testing.assert_allclose(motion.end_values, [0.25, 0.0], rtol=1e-14)


@pytest.mark.parametrize("force", slides(X + 2 * x, S(3)), ids=str)
def test_along_a_sliding_surface(force):
    """x'' = −3 sign(x' + 2x): on the surface x = x₁ e^(−2 (t − t₁))."""
    motion = F([[1]], [-force], [x]).simulate({x: 1.0, X: 0.5}, until=5.0)
    (begun,) = times(motion, "slide")
    first = 1 + 0.5 * begun - 1.5 * begun**2
    assert first == pytest.approx(-(0.5 - 3 * begun) / 2, rel=1e-13)
    last = first * np.exp(-2 * (5 - begun))
    np.testing.assert_allclose(motion.end_values, [last, -2 * last], rtol=1e-10)


@pytest.mark.parametrize("more", [0, sqrt(Abs(X - Rational(1, 3))), Abs(X - Rational(1, 3))])
def test_on_a_belt_with_a_force_that_vanishes_on_it(more):
    s = X - Rational(1, 3)
    motion = F([[1]], [-2 * s / Abs(s) * (1 + more)], [x]).simulate({X: 1.0}, until=3.0)
    assert [event.kind for event in motion.events] == ["slide"]
    assert motion.end[X] == pytest.approx(1 / 3, rel=1e-14)


def test_a_factor_of_unknown_sign_drives_where_it_is_negative():
    d = symbols("d")
    driven = F([[1]], [-2 * d * X / Abs(3 * X)], [x], parameters={d: -3.0}).simulate({X: 1.0}, until=0.4)
    np.testing.assert_allclose(driven.end_values, [0.56, 1.8], rtol=1e-14)
    stops = F([[1]], [-2 * X * Abs(d) / Abs(d * X)], [x], parameters={d: -3.0}).simulate({X: 1.0}, until=1.0)
    np.testing.assert_allclose(stops.end_values, [0.25, 0.0], rtol=1e-14)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_dry_friction_in_a_plane_by_hand_is_refused_where_it_comes_to_rest(more, size):
    """It has no direction at rest; as a friction it holds there."""
    speed = sqrt(X**2 + Y**2)
    by_hand = F(
        [[1, 0], [0, 1]], [-2 * c * X / speed - more * X, -2 * c * Y / speed - more * Y], [x, y], parameters={c: size}
    )
    motion = by_hand.simulate({X: 3 * size, Y: 4 * size}, until=5.0, throw=False)
    assert motion.status.ending == "broken"
    assert not times(motion, "crossing")
    assert "has no direction there" in str(motion.status)
    assert "Coulomb(mu, sliding=[x', y'])" in str(motion.status)
    assert motion.end_time == pytest.approx(2.5 if not more else np.log(1 + 5 / 2), rel=1e-9)


@pytest.mark.parametrize("power", [Rational(1, 20), Rational(1, 3), Rational(3, 4)])
def test_drag_in_a_plane_that_vanishes_at_rest_is_not_refused(power):
    size = (X**2 + Y**2) ** ((power - 1) / 2)
    motion = F([[1, 0], [0, 1]], [-X * size, -Y * size], [x, y]).simulate({X: 0.6, Y: 0.8}, until=6.0)
    q = float(power)
    np.testing.assert_allclose(motion.y[:2, -1], [0.6 / (2 - q), 0.8 / (2 - q)], rtol=1e-9)


@pytest.mark.parametrize(("one", "two"), [("1/3", "1/2"), ("1/3", "2/5"), ("1/5", "9/10")])
def test_of_two_powers_the_lower_one_stops(one, two):
    """v' = −v^p − v^r: the time is an integral, in which w = v^(1−p) is smooth."""
    low, high = float(Rational(one)), float(Rational(two))
    force = -sign(X) * Abs(X) ** Rational(one) - X * Abs(X) ** (Rational(two) - 1)
    truth, _ = quad(lambda w: 1 / (1 - low) / (1 + w ** ((high - low) / (1 - low))), 0, 1, epsabs=1e-14)
    motion = F([[1]], [force], [x]).simulate({X: 1.0}, until=2 * truth)
    assert [event.kind for event in motion.events] == ["halt"]
    assert times(motion, "halt") == pytest.approx([truth], rel=1e-11)
    assert motion.end[X] == 0


def test_one_drags_the_other_by_a_root_of_how_fast_they_slide():
    v = X - Y
    drag = sign(v) * sqrt(Abs(v))
    motion = F([[1, 0], [0, 1]], [-drag, drag - sin(t)], [x, y]).simulate({X: 1.0}, until=6.0)

    def rate(s, q):
        d = np.sign(q[2] - q[3]) * np.sqrt(abs(q[2] - q[3]))
        return [q[2], q[3], -d, d - np.sin(s)]

    found = solve_ivp(rate, (0, 6), [0, 0, 1.0, 0], "Radau", rtol=1e-9, atol=1e-11, max_step=0.01)
    np.testing.assert_allclose(motion.end_values, found.y[:, -1], atol=1e-6)
    assert [event.kind for event in motion.events] == ["switch"]


def test_on_a_belt_that_speeds_up():
    """x' − t falls as v' = −v^(1/3) from 3."""
    s = X - t
    motion = F([[1]], [1 - s * Abs(s) ** Rational(-2, 3)], [x]).simulate({X: 3.0}, until=6.0)
    assert times(motion, "halt") == pytest.approx([1.5 * 3 ** (2 / 3)], rel=1e-13)
    assert motion.end[X] == pytest.approx(6.0, rel=1e-13)
