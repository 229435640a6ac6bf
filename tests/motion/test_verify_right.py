"""Right motions that certificates once found wrong: corners that are struck, times long after zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Max, Piecewise, Rational, atan2, cos, cosh, exp, sign, sin, tanh
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
t = dynamicsymbols._t
SLOPES = {
    "max": lambda k: k * Max(0, x),
    "piecewise": lambda k: Piecewise((0, x < 0), (k * x, True)),
}


@pytest.mark.parametrize("shape", SLOPES.values(), ids=SLOPES)
@pytest.mark.parametrize("slope", [Rational(1, 2), 2])
@pytest.mark.parametrize("e", [0, Rational(1, 2), 1])
def test_an_impact_at_a_corner(e, slope, shape) -> None:
    """On a flat floor into a slope: the velocity across it is turned back by e, that along it stays."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y,
        [x, y],
        constraints=[da.OneSided(y - shape(slope), restitution=e)],
    )
    motion = system.simulate({x: -1.0, x.diff(): 3.0}, until=0.5)
    first = motion.events[0]
    assert first.time == pytest.approx(1 / 3, abs=1e-14)
    k, back = float(slope), float(e)
    along, across = np.array([1.0, k]) / np.hypot(1, k), np.array([-k, 1.0]) / np.hypot(1, k)
    assert_allclose(first.state[2:], 3 * along[0] * along - back * 3 * across[0] * across, atol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("late", [1e4, 1e5, 1e6, 1e7])
def test_long_after_zero(late) -> None:
    """ẍ = −x + sin t from x = 1: known to the rounding of the time."""
    motion = da.System.from_forces([[1]], [-x + sin(t)], [x]).simulate({x: 1.0}, t0=late, until=late + 10.0)
    s = motion.t - late
    swing = np.cos(s) - s * np.cos(motion.t) / 2 + np.sin(s) * np.cos(late) / 2
    assert_allclose(motion.y[0], swing, atol=1e-15 * late + 1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.3, 0.45])
def test_coming_to_rest_between_two_rough_slopes(mu) -> None:
    """Down one slope and up the other, until it stays in the vertex: every contact is told once."""
    sides = [
        da.OneSided(y - x / 2, name="right", nature=da.Coulomb(mu)),
        da.OneSided(y + x / 2, name="left", nature=da.Coulomb(mu)),
    ]
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, [x, y], constraints=sides)
    motion = system.simulate({x: -1.0, y: 0.5}, until=10.0)
    assert_allclose(motion.y[:, -1], 0.0, atol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("begin", [1e-4, 1e-6, 1e-8, 1e-12])
def test_a_pendulum_that_hardly_swings_is_proved(begin, side) -> None:
    """Its weight and the pull of its rod are all but in balance: what is left is known to their rounding."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - y, [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1)]
    )
    motion = system.simulate({x: begin, y: side * np.sqrt(1 - begin**2)}, until=10.0)
    far = begin * (np.cosh if side > 0 else np.cos)(10.0)
    if abs(far) < 0.1:
        assert_allclose(motion.end[x], far, rtol=1e-8 + max(begin, abs(far)) ** 2)
    assert motion.verify()


def test_what_nothing_moves_before_a_pulse_is_proved() -> None:
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - x**2 / 2, [x], forces={x: 10 / cosh(10 * (t - 90)) ** 2})
    motion = system.simulate({x: 0}, until=100.0)
    assert_allclose(motion.at(80.0)[0], 40 / 401 * np.exp(-200), rtol=1e-8)
    assert motion.verify()


@pytest.mark.parametrize("speed", [2.5, 3, 4, 5, -4])
@pytest.mark.parametrize("until", [3.0, 10.0])
def test_a_force_along_an_angle_goes_on_over_its_cut(speed, until) -> None:
    """One of one along the circle; −atan2(y, x), a potential of it, jumps by a turn at its cut, and ends there."""
    push = x.diff() ** 2 + y.diff() ** 2, [x, y], [da.Holonomic(x**2 + y**2 - 1)]
    system = da.System.from_lagrangian(push[0] / 2, push[1], forces={x: -y, y: x}, constraints=push[2])
    motion = system.simulate({x: 1, y: 0, y.diff(): speed}, until=until)
    angle = speed * until + until**2 / 2
    assert_allclose([motion.end[x], motion.end[y]], [np.cos(angle), np.sin(angle)], rtol=1e-10)
    assert motion.verify()
    steps = da.System.from_lagrangian(push[0] / 2 + atan2(y, x), push[1], constraints=push[2])
    ended = steps.simulate({x: 1, y: 0, y.diff(): speed}, until=until, throw=False)
    half = [(2 * k + 1) * np.pi for k in range(-10, 30)]
    roots = [root for a in half for root in np.roots([0.5, speed, -a]) if not root.imag and 0 < root.real < until]
    assert_allclose(ended.end_time, min(np.real(roots)), rtol=1e-8)
    assert "the energy jumps where the branch of atan2(y, x) ends" in str(ended.status)
    assert ended.verify()


def test_thousands_of_impacts_are_proved_in_a_moment() -> None:
    """Walls that come together make a ball ever faster: thousands of times, of which some are looked at."""
    system = da.System.from_lagrangian(
        x.diff() ** 2 / 2,
        [x],
        constraints=[da.OneSided(x - t / 2, restitution=1), da.OneSided(1 - x - t / 2, restitution=1)],
    )
    motion = system.simulate({x: 0.4, x.diff(): 0.3}, until=0.99995)
    assert len(motion.events) > 3000
    certificate = motion.verify()
    assert certificate
    assert f"2000 times of {len(motion.events)}" in str(certificate)


def test_cranks_that_turn_freely_are_held_by_nothing() -> None:
    """A parallelogram without forces: a = c = 1 + 2t, and the bar between them bears nothing but rounding."""
    a, c = dynamicsymbols("a c")
    row = (1 + cos(c) / 2 - cos(a) / 2) ** 2 + (sin(c) / 2 - sin(a) / 2) ** 2 - 1
    system = da.System.from_lagrangian((a.diff() ** 2 + c.diff() ** 2) / 2, [a, c], constraints=[da.Holonomic(row)])
    motion = system.simulate({a: 1, c: 1, a.diff(): 2, c.diff(): 2}, until=0.5)
    assert_allclose([motion.end[a], motion.end[c]], [2, 2], rtol=1e-13)
    assert motion.verify()


PULSES = {  # forces by the time that are all but nothing for long, and the impulse of each
    "a step that rises from rounding": (1 + tanh(200 * (t - 4)), 9.0, 10.0),
    "a difference of steps": (tanh(100 * (t - 1)) - tanh(100 * (t - 2)), 4.0, 2.0),
    "a blow too small at first for any number": (exp(-((20 * (t - 2)) ** 2)), 4.0, np.sqrt(np.pi) / 20),
    "a blow that follows nothing at all": (1 / cosh(800 * (t - 1)), 3.0, np.pi / 800),
}


@pytest.mark.parametrize("pulse", PULSES.values(), ids=PULSES)
def test_a_force_that_comes_out_of_nothing(pulse) -> None:
    """A velocity that only rounding of the force has made is known to no more than that."""
    force, until, impulse = pulse
    motion = da.System.from_forces([[1]], [force], [x]).simulate({}, until=until)
    assert_allclose(motion.end[x.diff()], impulse, rtol=1e-13)
    assert motion.verify()


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("span", [1e-3, 1.0, 1e3])
def test_a_blow_in_any_units(length, span) -> None:
    """Units change nothing of a blow from rest into what brakes."""
    force = length / span**2 * exp(-((20 * (t / span - 2)) ** 2))
    brake = 10 * x.diff() / span * exp(-((40 * (x / length - Rational(3, 100))) ** 2))
    motion = da.System.from_forces([[1]], [force - brake], [x]).simulate({}, until=3 * span)
    unit = da.System.from_forces(
        [[1]],
        [exp(-((20 * (t - 2)) ** 2)) - 10 * x.diff() * exp(-((40 * (x - Rational(3, 100))) ** 2))],
        [x],
    ).simulate({}, until=3.0)
    assert_allclose(motion.end[x] / length, unit.end[x], rtol=1e-13)
    assert motion.verify()


@pytest.mark.parametrize("mu", [10, 100, 200, pytest.param(400, id="more steps than are kept")])
def test_relaxation_oscillations(mu) -> None:
    """Between two samples the energy rises by decades and falls again; amplitudes stay near 2 (2.023 at most)."""
    motion = da.System.from_forces([[1]], [mu * (1 - x**2) * x.diff() - x], [x]).simulate({x: 2.0}, until=2.0 * mu)
    assert np.abs(motion.y[0]).max() < 2.0235
    assert motion.verify()


@pytest.mark.parametrize("samples", [11, 201])
def test_where_all_terms_of_redundant_constraints_vanish(samples) -> None:
    """x = y = 1 − t²/4 is zero at t = 2, a sample: the constraint is measured by where the motion comes from."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - y,
        [x, y],
        constraints=[da.Holonomic(cos(t) * (x - y)), da.Holonomic(sin(t) * (x - y))],
    )
    motion = system.simulate({x: 1.0, y: 1.0}, until=8.0 if samples == 201 else 10.0, samples=samples)
    assert_allclose(motion.y[:2], np.tile(1 - motion.t**2 / 4, (2, 1)), atol=1e-12)
    assert motion.verify()


@pytest.mark.parametrize("power", [1, 2, 3, 4])
@pytest.mark.parametrize("law", ["friction", "sign"])
def test_a_sample_right_after_what_begins_to_slip(power, law) -> None:
    """The force tⁿ is held up to t = 1, a sample: there the sign of the sliding velocity is rounding."""
    if law == "friction":
        lagrangian, rough = (x.diff() ** 2 + y.diff() ** 2) / 2 - 10 * y, da.Coulomb(Rational(1, 10))
        floor = da.Holonomic(y, name="floor", nature=rough)
        system = da.System.from_lagrangian(lagrangian, [x, y], forces={x: t**power}, constraints=[floor])
    else:
        system = da.System.from_forces([[1]], [t**power - sign(x.diff())], [x])
    motion = system.simulate({}, until=3.0, samples=25)
    assert_allclose(motion.end[x.diff()], (3.0 ** (power + 1) - 1) / (power + 1) - 2, rtol=1e-13)
    assert motion.verify()


@pytest.mark.parametrize("e", [0, Rational(1, 2), 1])
@pytest.mark.parametrize(
    ("floor", "start", "kink", "before", "after"),
    [
        (Max(0, t - 1), {}, 1.0, 0.0, 1.0),
        (Max(0, 3 * (t - 2)), {}, 2.0, 0.0, 3.0),
        (abs(sin(t)), {x.diff(): 1}, np.pi, -1.0, 1.0),
    ],
    ids=str,
)
def test_a_floor_that_moves_with_a_kink_in_time(floor, start, kink, before, after, e) -> None:
    """What rests on it is struck there by the difference of the speeds before and after."""
    system = da.System.from_lagrangian(
        x.diff() ** 2 / 2 - 9.81 * x, [x], constraints=[da.OneSided(x - floor, restitution=e, name="floor")]
    )
    motion = system.simulate(start, until=kink + 0.1)
    first = motion.events[0]
    assert (first.kind, first.name) == ("impact", "floor")
    assert first.time == pytest.approx(kink, rel=1e-14)
    assert first.state[1] == pytest.approx(after + float(e) * (after - before), rel=1e-12)
    assert motion.verify().passed
