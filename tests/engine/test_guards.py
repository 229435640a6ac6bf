"""Guards of a stage: they end it where they fall to zero, at the time that closed forms say; and code is made once."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk
from sympy import Abs, Piecewise, cos, exp, lambdify, sign, sin, sqrt
from sympy.core.symbol import Str

import dalembert as da
from dalembert import gallery
from dalembert.derive import form
from dalembert.derive.switching.stage import Actual, Stage
from dalembert.engine import Choice, Variant
from motion.systems import g, m, pendulum, t, theta, x, y

hy = pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
from dalembert.engine import compiled  # noqa: E402
from dalembert.engine.taylor import Setup, Taylor  # noqa: E402

EPS = float(np.finfo(float).eps)
G = 9.81


def staged(system, *guards, blind=(), slack=0.0):
    """A system that stops where a guard falls to zero, or to −slack; some may be looked away from."""
    made = compiled.code(Stage(form(system), guards=guards), Variant())
    given = dict(system.values)
    rows = tuple(range(len(system.constraints)))
    setup = Setup(made, made.numbers(np.array([float(given[s]) for s in system.symbols])), Choice(rows), holds=rows)
    seen = np.array([i not in blind for i in range(len(guards))], dtype=float)
    return setup.armed(seen, np.where(seen, slack, 1.0))


def ended(system, *guards, start, until, t0=0.0, tolerance=EPS, **more):
    """The steps from a start until a guard falls, or until a time."""
    return Taylor(tolerance).steps(staged(system, *guards, **more), t0, np.array(start, float), until, 100_000)


def falling(**more):
    return da.System.from_lagrangian(m * x.diff() ** 2 / 2 - m * g * x, [x], parameters={m: 1.0, g: G}, **more)


def swinging(**more):
    return da.System.from_lagrangian(x.diff() ** 2 / 2 - x**2 / 2, [x], **more)


# -- at the right time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "up"), [(1.0, 0.0), (1e-6, 3.0), (1e6, -2.0), (1.0, 1e3), (1e-12, 0.0)])
def test_a_fall_ends_on_the_floor(height, up):
    time = (up + np.sqrt(up**2 + 2 * G * height)) / G
    piece = ended(falling(), x, start=[height, up], until=2 * time)
    assert piece.fired == 0
    assert piece.times[-1] == pytest.approx(time, rel=4 * EPS)
    assert_allclose(
        piece.end[:2], [0.0, -np.sqrt(up**2 + 2 * G * height)], rtol=1e-14, atol=4 * EPS * (height + up * time)
    )
    assert piece.broken is None


@pytest.mark.parametrize("far", [0.0, -3.0, 1e3, 1e6])
def test_the_time_of_the_start_does_not_matter_but_for_its_rounding(far):
    piece = ended(falling(), x, start=[1.0, 0.0], t0=far, until=far + 5.0)
    assert piece.fired == 0
    assert piece.times[-1] - far == pytest.approx(np.sqrt(2 / G), abs=4 * EPS * (1 + abs(far)))


def test_the_first_of_several_ends_it():
    """cos t falls below 1/2 at π/3, its rate rises through −1/2 at 5π/6, and cos t itself is zero in between."""
    guards = (x + 0.9, x.diff() + 1.5, x, x - 0.5)
    piece = ended(swinging(), *guards, start=[1.0, 0.0], until=10.0)
    assert piece.fired == 3
    assert piece.times[-1] == pytest.approx(np.pi / 3, rel=4 * EPS)
    later = ended(swinging(), *guards, start=[1.0, 0.0], until=10.0, blind=[3])
    assert later.fired == 2
    assert later.times[-1] == pytest.approx(np.pi / 2, rel=4 * EPS)
    last = ended(swinging(), *guards, start=[1.0, 0.0], until=10.0, blind=[2, 3])
    assert last.fired == 0
    assert last.times[-1] == pytest.approx(np.arccos(-0.9), rel=8 * EPS)
    never = ended(swinging(), *guards, start=[1.0, 0.0], until=10.0, blind=[0, 2, 3])
    assert (never.fired, never.times[-1]) == (None, 10.0)


def test_states_are_given_until_it_ends():
    piece = ended(swinging(), x, start=[1.0, 0.0], until=2.0)
    assert 1.5 < piece.times[-1] < 1.6
    times = np.array([0.0, 0.3, 1.0, 1.5])
    assert_allclose(piece.at(times), np.transpose([np.cos(times), -np.sin(times)]), atol=1e-15)


def test_a_guard_that_rises_through_zero_ends_nothing():
    """−x at the start is below zero, at π/2 it becomes positive, at 3π/2 it falls."""
    piece = ended(swinging(), -x, start=[1.0, 0.0], until=10.0)
    assert piece.fired == 0
    assert piece.times[-1] == pytest.approx(3 * np.pi / 2, rel=4 * EPS)


@pytest.mark.parametrize("until", [0.5, 2.5, 40.0])
def test_a_guard_of_time_alone(until):
    """Nothing moves, so that no state says how long a step may be."""
    still = da.System.from_lagrangian(x.diff() ** 2 / 2, [x])
    piece = ended(still, 1 - t, sin(3 * t) + 0.5, start=[2.0, 0.0], until=until, blind=[1])
    assert piece.fired == (0 if until > 1 else None)
    assert piece.times[-1] == pytest.approx(min(1.0, until), rel=4 * EPS)
    assert piece.end[:2].tolist() == [2.0, 0.0]
    wave = ended(still, 1 - t, sin(3 * t) + 0.5, start=[2.0, 0.0], until=until, blind=[0])
    assert wave.fired == (1 if until > 7 * np.pi / 18 else None)
    assert wave.times[-1] == pytest.approx(min(7 * np.pi / 18, until), rel=8 * EPS)


def test_a_guard_of_a_multiplier():
    """A bead on a hoop from the angle a: nothing presses where cos θ = ⅔ cos a, by 2 m g (cos a − cos θ) = m v²."""
    system = pendulum()  # above its pivot, pushed outwards: λ > 0
    low = np.arccos(2 / 3 * np.cos(0.3))
    start = [np.sin(0.3), np.cos(0.3), 0.0, 0.0]
    for reaction in (da.multiplier("rod"), Actual(Str("rod"))):
        piece = ended(system, reaction, start=start, until=3.0)
        assert piece.fired == 0
        assert_allclose(piece.end[:2], [np.sin(low), np.cos(low)], atol=1e-14)
        speed = np.sqrt(2 * G * (np.cos(0.3) - np.cos(low)))
        assert_allclose(piece.end[2:4], speed * np.array([np.cos(low), -np.sin(low)]), atol=1e-13)


def test_a_guard_with_functions():
    """exp(sin t) cos(cos t) = 2 once after the top of the swing, found by Brent's method."""
    exact = brentq(lambda s: np.exp(np.sin(s)) * np.cos(np.cos(s)) - 2.0, np.pi / 2, np.pi, xtol=1e-15)
    piece = ended(swinging(), exp(-x.diff()) * cos(x) - 2, start=[0.0, -1.0], until=10.0)  # from t = π/2 on
    assert piece.fired == 0
    assert piece.times[-1] == pytest.approx(exact - np.pi / 2, abs=4e-15)


def test_a_guard_of_an_angle():
    """A quarter of the period of a large swing, by the complete elliptic integral."""
    system = da.System.from_lagrangian(theta.diff() ** 2 / 2 + G * cos(theta), [theta])
    piece = ended(system, theta, start=[1.0, 0.0], until=5.0)
    assert piece.times[-1] == pytest.approx(ellipk(np.sin(0.5) ** 2) / np.sqrt(G), rel=1e-14)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_a_loose_tolerance_finds_the_end_as_well_as_the_motion(tolerance):
    piece = ended(pendulum(), x, start=[1.0, 0.0, 0.0, 0.0], until=3.0, tolerance=tolerance)
    tight = ended(pendulum(), x, start=[1.0, 0.0, 0.0, 0.0], until=3.0)
    assert piece.times[-1] == pytest.approx(tight.times[-1], abs=10 * tolerance)
    assert abs(piece.end[0]) < 1e-12


# -- guards that begin at zero --------------------------------------------------------------------------------


@pytest.mark.parametrize("up", [1e-9, 1.0, 1e4])
def test_a_zero_at_the_start_does_not_hide_the_next(up):
    """heyoka drops a root of an event that is exactly zero at the start of a step: a guard there is given a slack."""
    slack = 2 * EPS * up**2 / G
    piece = ended(falling(), x, start=[0.0, up], until=4 * up / G, slack=slack)
    assert piece.fired == 0
    assert piece.times[-1] == pytest.approx(2 * up / G, rel=4 * EPS)


@pytest.mark.parametrize("up", [1e-9, 1.0, 1e4])
def test_what_is_thrown_up_from_the_floor_comes_back(up):
    system = falling(constraints=[da.OneSided(x, 0, "floor")])
    motion = system.simulate({x: 0, x.diff(): up}, until=4 * up / G)
    (landing,) = motion.events
    assert (landing.kind, landing.name) == ("impact", "floor")
    assert landing.time == pytest.approx(2 * up / G, rel=4 * EPS)
    assert_allclose(motion.end_values, 0.0, atol=4 * EPS * up)


def test_a_zero_at_the_start_of_a_swing_does_not_hide_the_next():
    piece = ended(swinging(), x, start=[0.0, 1.0], until=10.0, slack=2 * EPS)
    assert piece.fired == 0
    assert piece.times[-1] == pytest.approx(np.pi, rel=4 * EPS)
    stopped = swinging(constraints=[da.OneSided(x, 0, "wall")]).simulate({x: 0, x.diff(): 1}, until=10.0)
    assert stopped.events[0].time == pytest.approx(np.pi, rel=4 * EPS)


def pushed(push, **more):
    return da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: push}, **more)


def test_a_zero_of_higher_order_at_the_start_does_not_hide_the_next():
    """Pushed by sin t, t − sin t never falls; pushed by sin t − t/4, the rate 1 − cos t − t²/8 does, and then the place
    t − sin t − t³/24."""
    assert ended(pushed(sin(t)), x, start=[0.0, 0.0], until=20.0, slack=2 * EPS).fired is None
    fading = sin(t) - t / 4
    piece = ended(pushed(fading), x.diff(), start=[0.0, 0.0], until=20.0, slack=2 * EPS)
    assert piece.fired == 0
    turning = brentq(lambda s: 1 - np.cos(s) - s**2 / 8, 3.0, 4.0, xtol=1e-15)
    assert piece.times[-1] == pytest.approx(turning, rel=8 * EPS)
    floor = da.OneSided(x, 0, "floor")
    assert not [e for e in pushed(sin(t), constraints=[floor]).simulate({}, until=20.0).events if e.kind == "impact"]
    back = brentq(lambda s: s - np.sin(s) - s**3 / 24, 3.0, 6.0, xtol=1e-15)
    motion = pushed(fading, constraints=[floor]).simulate({}, until=20.0)
    assert [e.time for e in motion.events if e.kind == "impact"] == [pytest.approx(back, rel=8 * EPS)]


def test_going_on_from_where_a_guard_fell():
    """Bounces by hand: after each end the velocity is turned round, and the guard is exactly or all but zero."""
    setup, engine = staged(falling(), x, slack=2 * EPS), Taylor(EPS)
    T, now, times, state = np.sqrt(2 / G), 0.0, [], np.array([1.0, 0.0])
    for _ in range(20):
        piece = engine.steps(setup, now, state, now + 10.0, 100)
        assert piece.fired == 0
        now, state = float(piece.times[-1]), piece.end * [1, -1]
        times.append(now)
        state[0] = max(state[0], 0.0)
    assert_allclose(times, T * (1 + 2 * np.arange(20)), rtol=1e-14)


def test_guards_that_cannot_change_are_no_events():
    """A guard of parameters alone, and one of what stands still."""
    setup = staged(falling(), g - 1, m, x)
    piece = Taylor(EPS).steps(setup, 0.0, np.array([1.0, 0.0]), 3.0, 100)
    assert piece.fired == 2
    assert setup.code.outputs.turning == [2]
    values = setup.code.guards(piece.at(piece.times[[0, -1]]), piece.times[[0, -1]], setup.numbers)
    assert_allclose(values, [[G - 1, 1.0, 1.0], [G - 1, 1.0, 0.0]], atol=1e-15)


# -- functions that do not exist everywhere -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "edge"), [(Abs(sqrt(x) - 2), 1), (Abs(sqrt(x) - 1), 0), (Abs(sqrt(x - 1) - 1), 1), (Abs(exp(-x) - 2), 0)]
)
def test_a_switch_inside_a_case_is_not_asked_where_the_case_does_not_hold(case, edge):
    """At unit speed up to the edge, where the case begins to push: from there on as SciPy says."""
    push = lambdify(x, case)
    system = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: Piecewise((case, x > edge), (0, True))})
    motion = system.simulate({x: edge - 2.0, x.diff(): 1.0}, until=4.0)
    assert motion.events[0].time == pytest.approx(2.0, rel=4 * EPS)
    known = solve_ivp(lambda _, s: [s[1], push(max(s[0], edge))], (2, 4), [edge, 1.0], rtol=1e-12, atol=1e-12)
    assert_allclose(motion.end_values, known.y[:, -1], rtol=1e-8)


# -- code is made once ----------------------------------------------------------------------------------------


@pytest.fixture
def made(monkeypatch):
    """How many integrators, functions and programs are made from here on."""
    count = Counter()

    def counted(owner, name, what):
        original = getattr(owner, name)

        def counting(*arguments, **options):
            count[what] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, counting)

    counted(hy, "taylor_adaptive", "integrators")
    counted(hy, "cfunc", "functions")
    counted(compiled.Code, "__init__", "programs")
    return count


RING_STARTS = [
    ({}, {}),
    ({}, {"mu": 0.05}),
    ({x: 0.0, y: -1.0, x.diff(): 7.0}, {"mu": 0.5}),  # over the top, where the normal force changes its side
    ({x: 0.0, y: -1.0, x.diff(): -3.0}, {"m": 2.5, "g": 1.6}),
    ({x: 2.0}, {"R": 2.0, "mu": 1.0}),
]


def test_a_mode_that_is_visited_again_compiles_nothing(made):
    ring = da.System.load(gallery.path("rough-ring"))
    first = ring.simulate(until=10.0)
    first.at(3.0), first.dataset
    made.clear()
    for start, values in RING_STARTS:
        motion = ring.simulate(start or None, until=10.0, parameters=values)
        assert motion.success
        assert motion.statistics["switches"] > 0
        assert motion.statistics["compile_seconds"] == 0.0
        motion.at(2.345), motion.dataset, motion.resume(11.0)
    assert not made


@pytest.mark.parametrize(("name", "most"), [("belt", 50.0), ("bouncing-ball", 5.0), ("rough-ring", 10.0)])
def test_a_motion_over_all_its_modes_compiles_one_program(name, most, made):
    """Between slipping and sticking, between open and closed: what is in force has a value at run time."""
    compiled.code.cache_clear()
    motion = da.System.load(gallery.path(name)).simulate(until=most)
    assert len({episode.mode for episode in motion.episodes}) > 1
    assert motion.statistics["switches"] > 2
    assert (made["programs"], made["integrators"]) == (1, 1)


def free(*coordinates, **more):
    return da.System.from_lagrangian(sum(q.diff() ** 2 for q in coordinates) / 2, list(coordinates), **more)


floors = [da.OneSided(x, 0, "x"), da.OneSided(y, 0, "y")]
tied = [floors[0], da.Holonomic(x - y, "once"), da.Holonomic(2 * x - 2 * y, "again")]
FEW = {
    "a function": (pushed(-sign(x)), {x: 1}, {x: 2}, 1),
    "a function and its surface": (pushed(3 * sin(t) - 2 * sign(x.diff())), {x.diff(): 1}, {x.diff(): -2}, 2),
    "contacts": (free(x, y, forces={x: -1, y: -1}, constraints=floors), {x: 1, y: 2}, {x: 3, y: 2, y.diff(): 1}, 1),
    "redundant rows": (free(x, y, forces={x: -1}, constraints=tied), {x: 1, y: 1}, {x: 2, y: 2}, 1),
}  # fmt: skip


@pytest.mark.parametrize(("system", "start", "other", "integrators"), FEW.values(), ids=FEW)
def test_only_motions_along_surfaces_compile_one_integrator_more(system, start, other, integrators, made):
    """However many modes there are; and from another start nothing is compiled."""
    compiled.code.cache_clear()
    motion = system.simulate(start, until=10.0)
    assert len({episode.mode for episode in motion.episodes}) > 1
    assert made["integrators"] == integrators
    motion.at(3.0), motion.dataset
    made.clear()
    again = system.simulate(other, until=12.0)
    assert again.statistics["switches"] > 0
    again.at(3.0), again.dataset
    assert not made


def test_another_system_of_the_same_form_compiles_nothing(made):
    ring = da.System.load(gallery.path("rough-ring"))
    ring.simulate(until=5.0)
    made.clear()
    other = da.System.from_lagrangian(
        ring.unconstrained.function, list(ring.coordinates), constraints=list(ring.constraints), name="other",
        parameters={s: 1.0 + 0.1 * i for i, s in enumerate(ring.symbols)},
    )  # fmt: skip
    radius = dict(other.values)[next(s for s in other.symbols if s.name == "R")]
    assert other.simulate({x: float(radius)}, until=5.0).success
    assert not made
