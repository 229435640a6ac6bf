"""Impacts: balls on floors, on a shaken table, between walls, in corners and wedges, and rods that hit a floor."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy.special import ellipk
from sympy import sin, sqrt, symbols

import dalembert as da
from motion.switched import CONTACT, assert_allclose, shaken_table, told
from motion.systems import angle_pendulum, g, m, pendulum, t, theta, x, x1, x2, y, y1, y2, z

pytestmark = pytest.mark.compiled
e, A, w, M, mu = symbols("e A w M mu", positive=True)
G = 9.81


def ball(table=0):
    return da.System.from_particles(
        [da.Particle(m, (y,))], potential=m * g * y,
        constraints=[da.OneSided(y - table, restitution=e, name="floor")],
        parameters={m: 0.4, g: G, e: 0.5} | ({A: 0.1, w: 5.0} if table else {}),
    )  # fmt: skip


# -- on a floor -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("back", [0.9, 0.5, 0.1])
def test_a_ball_bounces_and_comes_to_rest(back, height):
    """Impact n is at T (1 + 2 Σ eⁱ), and rest at T (1 + e)/(1 − e), T the time of the first fall."""
    T = np.sqrt(2 * height / G)
    end = T * (1 + back) / (1 - back)
    motion = ball().simulate({y: height}, until=1.5 * end, parameters={e: back})
    events = told(motion, *CONTACT)
    assert [event.kind for event in events] == ["impact"] * (len(events) - 1) + ["rest"]
    assert {(event.before, event.after) for event in events[:-1]} == {("open", "open")}
    assert 3 < len(events) < 1000
    n = np.arange(len(events) - 1)
    exact = T * (1 + 2 * back * (1 - back**n) / (1 - back))
    assert_allclose([event.time for event in events[:-1]], exact, rtol=1e-12)
    speeds = np.array([event.state[1] for event in events[:-1]])
    assert_allclose(speeds, G * T * back ** (n + 1.0), rtol=1e-6, atol=1e-12 * G * T)
    assert events[-1].time == pytest.approx(end, rel=1e-12)
    assert (events[-1].name, events[-1].after) == ("floor", "closed")
    after = motion.y[:, motion.t > events[-1].time]
    assert (after == after[:, :1]).all()
    assert_allclose(after[0], 0.0, atol=1e-15)
    assert (after[1] == 0.0).all()
    data = motion.dataset
    assert data.impact_work.values[-1] == pytest.approx(-0.4 * G * height, rel=1e-12)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12 * height)
    assert_allclose(data.multiplier.values[motion.t > end], 0.4 * G, rtol=1e-13)


def test_between_bounces_it_flies():
    T, back = np.sqrt(2 / G), 0.9
    motion = ball().simulate({y: 1.0}, until=10 * T, samples=1001, parameters={e: back})
    times = T * (1 + 2 * back * (1 - back ** np.arange(12.0)) / (1 - back))
    n = np.searchsorted(times, motion.t)
    since = motion.t - np.concatenate([[-T], times])[n]
    speed = G * T * back**n
    off = np.abs(motion.t[:, None] - times).min(axis=1) > 1e-9  # at an impact there are two velocities
    assert_allclose(motion.y[0], speed * since - G * since**2 / 2, atol=1e-12)
    assert_allclose(motion.y[1, off], (speed - G * since)[off], atol=1e-11)
    assert (motion.y[0] > -1e-13).all()
    assert (motion.dataset.multiplier == 0).all()


def test_without_restitution_it_stays_where_it_lands():
    T = np.sqrt(2 / G)
    motion = ball().simulate({y: 1.0}, until=100.0, samples=1001, parameters={e: 0.0})
    first = told(motion, *CONTACT)[0]
    assert (first.kind, first.before, first.after) == ("impact", "open", "closed")
    assert first.time == pytest.approx(T, rel=1e-13)
    assert len(told(motion, "impact")) == 1
    after = motion.y[:, motion.t > T]
    assert (after == after[:, :1]).all()
    assert motion.dataset.impact_work.values[-1] == pytest.approx(-0.4 * G, rel=1e-12)


def test_without_loss_it_bounces_for_ever():
    T = np.sqrt(2 / G)
    motion = ball().simulate({y: 1.0}, until=200 * T, parameters={e: 1.0})
    events = told(motion, *CONTACT)
    assert {event.kind for event in events} == {"impact"}
    assert_allclose([event.time for event in events], T * (1 + 2 * np.arange(len(events))), rtol=1e-12)
    assert len(events) == 100
    assert_allclose(motion.dataset.energy, 0.4 * G, rtol=1e-12)
    assert_allclose(motion.dataset.impact_work, 0.0, atol=1e-12)


@pytest.mark.parametrize("back", [0.0, 0.5, 1.0])
def test_starts_on_the_floor(back):
    """At rest it stays; upwards it flies; downwards it is thrown back at once."""
    values = {"parameters": {e: back}, "samples": [0.1, 0.3]}
    rest = ball().simulate({y: 0.0}, until=10.0, **values)
    assert not told(rest, *CONTACT)
    assert (rest.y == 0.0).all()
    assert_allclose(rest.dataset.multiplier, 0.4 * G, rtol=1e-14)
    up = ball().simulate({y: 0.0, y.diff(): 2.0}, until=0.4, **values)
    assert not told(up, *CONTACT)
    assert_allclose(up.y[0], 2 * up.t - G * up.t**2 / 2, atol=1e-14)
    down = ball().simulate({y: 0.0, y.diff(): -4.0}, until=0.35, **values)
    assert (down.events[0].kind, down.events[0].time) == ("impact", 0.0)
    assert down.events[0].state == pytest.approx((0.0, 4.0 * back), abs=1e-14)
    thrown = 4 * back * down.t - G * down.t**2 / 2 if back else 0 * down.t
    assert_allclose(down.y[0], thrown, atol=1e-13)
    assert down.dataset.impact_work.values[-1] == pytest.approx(-0.2 * 16 * (1 - back**2), abs=1e-13)


def test_a_start_below_the_floor_is_refused():
    with pytest.raises(da.StateError, match="floor"):
        ball().simulate({y: -0.1}, until=1.0)


# -- on a shaken table ----------------------------------------------------------------------------------------

SHAKEN = [(0.6, 0.5), (1.5, 0.5), (3.0, 0.5), (1.2, 0.3), (2.2, 0.1), (1.2, 0.8)]
RATE, UNTIL = 5.0, 6.0


@pytest.mark.parametrize(("peak", "back"), SHAKEN)
def test_a_ball_on_a_shaken_table(peak, back):
    """It rests where the bounces have died out, and is released where the table falls faster than it."""
    exact = shaken_table(peak, back, 0.3, RATE, G, UNTIL)
    motion = ball(A * sin(w * t)).simulate(
        {y: 0.3}, until=UNTIL, samples=801, parameters={A: peak * G / RATE**2, w: RATE, e: back}
    )
    events = told(motion, *CONTACT)
    ours, theirs = ({kind: np.array([s for k, s in of if k == kind]) for kind in CONTACT} for of in (
        [(event.kind, event.time) for event in events], exact
    ))  # fmt: skip
    assert_allclose(ours["rest"], theirs["rest"], atol=1e-10)
    assert_allclose(ours["release"], theirs["release"], atol=1e-11)
    assert_allclose(ours["impact"][:4], theirs["impact"][:4], atol=1e-11)
    told_late = np.abs(ours["impact"][:, None] - theirs["impact"]).min(axis=1)  # the smallest bounces need not be told
    assert_allclose(told_late, 0.0, atol=1e-10)
    gap = motion.y[0] - peak * G / RATE**2 * np.sin(RATE * motion.t)
    assert gap.min() > -1e-10
    assert motion.dataset.multiplier.values.min() >= -1e-9
    assert_allclose(motion.balance, motion.balance[0], atol=1e-8)


# -- two balls and a wall -------------------------------------------------------------------------------------


def billiard(ratio, back):
    """Collisions (name, time, velocities after) of a ball at rest between a wall and a heavy ball, in fractions."""
    q, v = [Fraction(1), Fraction(2)], [Fraction(0), Fraction(-1)]
    ratio, back, time, out = Fraction(ratio), Fraction(back), Fraction(0), []
    while True:
        meets = []
        if v[0] < 0:
            meets.append((-q[0] / v[0], "wall"))
        if v[1] < v[0]:
            meets.append(((q[1] - q[0]) / (v[0] - v[1]), "balls"))
        if not meets or len(out) > 400:
            return out
        wait, name = min(meets)
        time, q = time + wait, [a + b * wait for a, b in zip(q, v, strict=True)]
        if name == "wall":
            v = [-back * v[0], v[1]]
        else:
            push = (1 + back) * (v[0] - v[1]) * ratio / (1 + ratio)
            v = [v[0] - push, v[1] + push / ratio]
        out.append((name, float(time), tuple(map(float, v))))


@pytest.mark.parametrize(
    ("ratio", "back", "count"), [(1, 1, 3), (3, 1, 5), (16, 1, 12), (100, 1, 31), (2, 0.75, None), (0.5, 0.5, None)]
)
def test_two_balls_and_a_wall_count_to_pi(ratio, back, count):
    system = da.System.from_particles(
        [da.Particle(1, (x1,)), da.Particle(M, (x2,))],
        constraints=[
            da.OneSided(x1, restitution=e, name="wall"), da.OneSided(x2 - x1, restitution=e, name="balls"),
        ],
        parameters={M: float(ratio), e: float(back)},
    )  # fmt: skip
    exact = billiard(ratio, back)
    assert count in (None, len(exact))
    motion = system.simulate({x1: 1.0, x2: 2.0, x2.diff(): -1.0}, until=exact[-1][1] + 5.0)
    events = told(motion, *CONTACT)
    assert [(event.kind, event.name) for event in events] == [("impact", name) for name, _, _ in exact]
    assert_allclose([event.time for event in events], [time for _, time, _ in exact], rtol=1e-12)
    assert_allclose([event.state[2:] for event in events], [v for _, _, v in exact], atol=1e-12)
    energy = motion.dataset.energy.values
    lost = energy[-1] - energy[0]
    assert_allclose(motion.dataset.impact_work.values[-1], lost, atol=1e-12 * ratio)
    if back == 1:
        assert_allclose(energy, ratio / 2, rtol=1e-12)


# -- corners and wedges ---------------------------------------------------------------------------------------


def test_three_walls_at_once():
    """Walls at right angles do not disturb each other, whatever their restitutions."""
    walls = [da.OneSided(q, restitution=b, name=str(n)) for n, (q, b) in enumerate(((x, 0.25), (y, 0.5), (z, 1.0)))]
    system = da.System.from_particles([da.Particle(2, (x, y, z))], constraints=walls)
    motion = system.simulate({x: 1, y: 2, z: 3, x.diff(): -1, y.diff(): -2, z.diff(): -3}, until=3.0, samples=31)
    events = told(motion, *CONTACT)
    assert sorted(event.name for event in events) == ["0", "1", "2"]
    assert {event.kind for event in events} == {"impact"}
    assert_allclose([event.time for event in events], 1.0, rtol=1e-13)
    after = motion.t > 1
    assert_allclose(motion.y[3:, after].T - [0.25, 1.0, 3.0], 0.0, atol=1e-12)
    assert_allclose(motion.dataset.impact_work.values[-1], 0.0625 + 1 + 9 - 14, rtol=1e-12)


def test_in_a_corner_it_rests_on_all_walls():
    walls = [da.OneSided(q, name=name) for q, name in ((x, "x"), (y, "y"), (z, "z"))]
    system = da.System.from_particles([da.Particle(2, (x, y, z), (-1, -2, -3))], constraints=walls)
    motion = system.simulate({x: 0.5, y: 1.0, z: 1.5}, until=50.0, samples=501)
    impacts = told(motion, "impact")
    assert_allclose([event.time for event in impacts], np.sqrt(2.0), rtol=1e-12)
    after = motion.t > 1.5
    assert_allclose(motion.y[:, after], 0.0, atol=1e-14)
    assert (motion.y[:, after] == motion.y[:, after][:, :1]).all()
    assert_allclose(motion.dataset.multiplier.values[after], np.tile([1.0, 2.0, 3.0], (after.sum(), 1)), rtol=1e-12)


def wedge(left, right, back=0.0):
    """A particle under gravity between two slopes that rise from the origin to either side."""
    return da.System.from_particles(
        [da.Particle(m, (x, y))], potential=m * g * y,
        constraints=[
            da.OneSided(y + left * x, restitution=back, name="left"),
            da.OneSided(y - right * x, restitution=back, name="right"),
        ],
        parameters={m: 0.4, g: G},
    )  # fmt: skip


@pytest.mark.parametrize(("left", "right"), [(1, 1), (1, 2), (0.5, 3)])
def test_a_ball_that_falls_into_a_wedge_is_held_by_both_sides(left, right):
    motion = wedge(left, right).simulate({x: 0.0, y: 1.0}, until=20.0, samples=201)
    after = motion.t > np.sqrt(2 / G)
    assert_allclose(motion.y[:, after], 0.0, atol=1e-13)
    assert np.ptp(motion.y[:, after], axis=1).max() < 1e-15
    push = np.linalg.solve([[left, -right], [1.0, 1.0]], [0.0, 0.4 * G])
    assert_allclose(motion.dataset.multiplier.values[after], np.tile(push, (after.sum(), 1)), rtol=1e-11)
    rest = wedge(left, right).simulate({}, until=20.0)
    assert (rest.y == 0.0).all()
    assert not told(rest, *CONTACT)
    assert_allclose(rest.dataset.multiplier.values, np.tile(push, (len(rest.t), 1)), rtol=1e-11)


def test_sides_at_right_angles_are_two_balls_that_know_nothing_of_each_other():
    """Along either normal the particle is a ball that bounces under g/√2."""
    back, pull = 0.6, G / np.sqrt(2)
    motion = wedge(1, 1, back).simulate({x: 0.4, y: 1.0}, until=6.0, samples=601)
    end = 0.0
    for name, height in (("left", 1.4 / np.sqrt(2)), ("right", 0.6 / np.sqrt(2))):
        T = np.sqrt(2 * height / pull)
        events = told(motion, *CONTACT, name=name)
        n = np.arange(len(events) - 1)
        assert [event.kind for event in events] == ["impact"] * len(n) + ["rest"]
        assert_allclose(
            [event.time for event in events[:-1]], T * (1 + 2 * back * (1 - back**n) / (1 - back)), rtol=1e-11
        )
        assert events[-1].time == pytest.approx(T * (1 + back) / (1 - back), rel=1e-11)
        end = max(end, events[-1].time)
    after = motion.y[:, motion.t > end]
    assert_allclose(after, 0.0, atol=1e-12)
    assert np.ptp(after, axis=1).max() < 1e-15


def test_a_blunt_wedge_rocks_to_rest():
    """Sides 120° apart, no restitution: it slides to and fro, each time at half the speed, and stops in finite time.

    The nearest velocity that leaves neither side is along the other, cos 60° of the one before; from there up and
    back takes 2 v/(g sin 30°).
    """
    slope, way = np.tan(np.pi / 6), 0.5
    motion = wedge(slope, slope).simulate(
        {x: -way * np.cos(np.pi / 6), y: way * np.cos(np.pi / 6) * slope}, until=4.0, samples=401, max_seconds=60.0
    )
    speed, first = np.sqrt(G * way), np.sqrt(4 * way / G)
    bounces = first + 4 / G * speed * (1 - 0.5 ** np.arange(8.0))
    assert_allclose([event.time for event in told(motion, "impact")[:8]], bounces, rtol=1e-10)
    assert [event.name for event in told(motion, "impact")[:4]] == ["right", "left", "right", "left"]
    after = motion.t > first + 4 / G * speed + 1e-6
    assert_allclose(motion.y[:, after], 0.0, atol=1e-9)
    assert motion.dataset.impact_work.values[-1] == pytest.approx(-0.4 * G * way / 2, abs=1e-9)


# -- impacts that other constraints share ---------------------------------------------------------------------


@pytest.mark.parametrize("coordinates", ["angle", "Cartesian"])
def test_a_pendulum_against_a_wall(coordinates):
    """Let go at a right angle, it comes back from the wall below its pivot with half its period."""
    free = angle_pendulum() if coordinates == "angle" else pendulum()
    q, start = (theta, {theta: np.pi / 2}) if coordinates == "angle" else (x, {x: 1.0, y: 0.0})
    system = da.System.from_lagrangian(
        free.unconstrained.function, list(free.coordinates), parameters=dict(free.parameters),
        constraints=[*free.constraints, da.OneSided(q, restitution=1, name="wall")],
    )  # fmt: skip
    quarter = ellipk(0.5) / np.sqrt(G)
    motion = system.simulate(start, until=20 * quarter)
    events = told(motion, *CONTACT)
    assert_allclose([event.time for event in events], quarter * (1 + 2 * np.arange(10)), rtol=1e-12)
    assert {(event.kind, event.name) for event in events} == {("impact", "wall")}
    assert_allclose(motion.dataset.energy, motion.dataset.energy[0], atol=1e-11)
    assert motion.y[0].min() > -1e-12


@pytest.mark.parametrize("back", [0.0, 0.5, 1.0])
def test_a_dumbbell_hits_the_floor_with_one_end(back):
    """The impulse of a rigid body, −(1 + e) v/(1/m + (l cos θ)²/I), through a rod that is a constraint."""
    a, b, l = 0.4, 1.1, 0.8  # noqa: E741
    rod = sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2) - l
    system = da.System.from_particles(
        [da.Particle(a, (x1, y1)), da.Particle(b, (x2, y2))], potential=g * (a * y1 + b * y2),
        constraints=[da.Holonomic(rod, "rod"), da.OneSided(y1, restitution=back, name="floor")],
        parameters={g: G},
    )  # fmt: skip
    turn, tilt, fall = 0.7, 0.6, 0.1
    first = [0.0, fall, l * np.cos(tilt), fall + l * np.sin(tilt)]
    rates = [0.3, 0.0, 0.3 - l * turn * np.sin(tilt), l * turn * np.cos(tilt)]
    keys = [x1, y1, x2, y2, x1.diff(), y1.diff(), x2.diff(), y2.diff()]
    motion = system.simulate(dict(zip(keys, first + rates, strict=True)), until=0.25)
    event = told(motion, *CONTACT)[0]
    total, far = a + b, l * b / (a + b)  # of the first end from the centre of mass
    inertia = a * far**2 + b * (l - far) ** 2
    middle = fall + far * np.sin(tilt)  # height of the centre
    rise = far * turn * np.cos(tilt)
    time = mp.findroot(
        lambda s: middle + rise * s - G * s**2 / 2 - far * mp.sin(tilt + turn * s), 0.15
    )  # the centre flies, the body turns evenly
    time = float(time)
    angle = tilt + turn * time
    drift, sink = 0.3 - far * turn * np.sin(tilt), rise - G * time
    into = sink - far * turn * np.cos(angle)
    push = -(1 + back) * into / (1 / total + (far * np.cos(angle)) ** 2 / inertia)
    lift, spin = sink + push / total, turn - push * far * np.cos(angle) / inertia
    u = np.array([-np.sin(angle), np.cos(angle)]) * spin
    exact = [*(np.array([drift, lift]) - far * u), *(np.array([drift, lift]) + (l - far) * u)]
    assert event.kind == "impact"
    assert event.time == pytest.approx(time, abs=1e-12)
    assert_allclose(event.state[4:], exact, atol=1e-11)
    assert event.state[5] == pytest.approx(-back * into, abs=1e-11)
    assert np.abs(motion.residual[:, 0]).max() < 1e-12


# -- impacts that rub -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "rubs"), [(0.2, True), (0.9, True), (0.2, False)])
def test_an_oblique_impact_rubs_as_long_as_it_presses(size, rubs):
    """The impulse along the floor is μ times that of the floor, or what stops the sliding if that is less."""
    floor = da.OneSided(z, restitution=e, name="floor", nature=da.Coulomb(mu), impact_friction=rubs)
    system = da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z, constraints=[floor],
        parameters={m: 0.4, g: G, e: 0.5, mu: size},
    )  # fmt: skip
    motion = system.simulate({z: 1.0, x.diff(): 3.0, y.diff(): -4.0}, until=0.6)
    fall = np.sqrt(2 * G)
    kept = 1 - min(size * 1.5 * fall / 5.0, 1.0) if rubs else 1.0
    event = told(motion, "impact")[0]
    assert event.time == pytest.approx(fall / G, rel=1e-13)
    assert_allclose(event.state[3:], [3 * kept, -4 * kept, 0.5 * fall], atol=1e-13)
    lost = 0.2 * (25 * (1 - kept**2) + 0.75 * fall**2)
    assert motion.dataset.impact_work.values[-1] == pytest.approx(-lost, abs=1e-12)


@pytest.mark.parametrize(("spin", "size"), [(0.0, 0.05), (0.0, 0.5), (30.0, 0.1), (-30.0, 0.9)])
def test_a_disc_takes_spin_from_the_floor(spin, size):
    """s = x' + Rθ' is stopped by an impulse m s/3 of a uniform disc, if that is within μ times that of the floor."""
    mass, R, back = 0.4, 0.3, 0.7
    slides = x.diff() + R * theta.diff()
    floor = da.OneSided(y, back, "floor", nature=da.Coulomb(size, sliding=slides), impact_friction=True)
    system = da.System.from_lagrangian(
        mass * (x.diff() ** 2 + y.diff() ** 2) / 2 + mass * R**2 * theta.diff() ** 2 / 4 - mass * G * y, [x, y, theta],
        constraints=[floor],
    )  # fmt: skip
    motion = system.simulate({x.diff(): 2.0, y: 0.5, theta.diff(): spin}, until=0.4)
    fall = np.sqrt(G)
    s = 2.0 + R * spin
    push = -np.sign(s) * min(size * mass * (1 + back) * fall, mass * abs(s) / 3)
    exact = [2.0 + push / mass, back * fall, spin + push * R / (mass * R**2 / 2)]
    assert_allclose(told(motion, "impact")[0].state[3:], exact, atol=1e-12)


# -- the references by themselves -----------------------------------------------------------------------------


def test_the_table_is_what_it_must_be():
    """At rest it gives the closed form; where it releases, the ball falls as fast as the table; order is kept."""
    still = shaken_table(0.0, 0.5, 0.3, RATE, G, UNTIL)
    assert still[-1][0] == "rest"
    assert still[-1][1] == pytest.approx(3 * np.sqrt(2 * 0.3 / G), rel=1e-14)
    for peak, back in SHAKEN:
        exact = shaken_table(peak, back, 0.3, RATE, G, UNTIL)
        assert (np.diff([time for _, time in exact]) >= 0).all()
        free = np.array([time for kind, time in exact if kind == "release"])
        assert_allclose(peak * np.sin(RATE * free), 1.0, atol=1e-12)
        assert (np.cos(RATE * free) > 0).all()


@pytest.mark.parametrize(("back", "height"), [(0.9, 1000.0), (0.9, 0.0), (0.6, 1.0)])
def test_friction_in_impacts_goes_on_in_the_bounces_that_are_not_told(back, height):
    """All that slides loses μ times the normal impulse, m g t up to rest: v = v₀ − μ g t there and from then on."""
    floor = da.OneSided(y - height, restitution=back, name="floor", nature=da.Coulomb(0.3), impact_friction=True)
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - G * y, [x, y], constraints=[floor])
    motion = system.simulate({y: height + 0.7, x.diff(): 40.0}, until=12.0)
    rest = np.sqrt(2 * 0.7 / G) * (1 + back) / (1 - back) + 0.1
    assert_allclose(motion.at(rest)[2], 40.0 - 0.3 * G * rest, rtol=1e-12)


@pytest.mark.parametrize(
    ("masses", "backs", "rest"), [((1, 20), (0.5, 0.5), 0.461302), ((0.2, 3), (0.6, 0.3), 0.462530)]
)
def test_a_light_ball_under_a_heavy_one_comes_to_rest_with_it(masses, backs, rest):
    """Ever more impacts in ever less time; when all is over by a sum of hits with 400 digits."""
    lower, upper = masses
    kinetic = (lower * y1.diff() ** 2 + upper * y2.diff() ** 2) / 2
    rows = [da.OneSided(y1, restitution=backs[0]), da.OneSided(y2 - y1, restitution=backs[1])]
    system = da.System.from_lagrangian(kinetic - G * (lower * y1 + upper * y2), [y1, y2], constraints=rows)
    motion = system.simulate({y1: 0.5, y2: 1.03}, until=2.0)
    assert_allclose(motion.y[:, -1], np.zeros(4), atol=1e-12)
    assert_allclose(motion.events[-1].time, rest, atol=1e-6)


def test_flights_keep_to_the_steps_that_are_allowed():
    system = da.System.from_lagrangian(y.diff() ** 2 / 2 - G * y, [y], constraints=[da.OneSided(y, restitution=1)])
    motion = system.simulate({y: 1.0}, until=1000.0, max_steps=37, throw=False)
    assert motion.status.ending == "step limit"
    assert motion.statistics["steps"] == 37
    again = motion.resume(60.0, max_steps=None)
    impacts = [event.time for event in told(again, "impact")]
    assert_allclose(impacts, np.sqrt(2 / G) * (1 + 2 * np.arange(len(impacts))), atol=1e-11)


@pytest.mark.parametrize("speed", [1e-12, 6.7e-10, 1e-8, 1e-7, 1e-5])
@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
def test_a_start_on_a_slope_that_hardly_lifts_off_slides(speed, e):
    """Bounces lower than the rounding of the gap are none: what remains slides down by g sin α."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 0.5 * y, [x, y], constraints=[da.OneSided(y - 2 * x, restitution=e)]
    )
    motion = system.simulate({x: 0.6319678440535488, y: 2 * 0.6319678440535488, y.diff(): speed}, until=2.0)
    slope = np.array([1.0, 2.0]) / np.sqrt(5)
    gone = (motion.y[:2, -1] - motion.y[:2, 0]) @ slope
    assert gone == pytest.approx(speed * 2 / np.sqrt(5) * 2.0 - 0.5 * (2 / np.sqrt(5)) * 2.0**2 / 2, abs=1e-12)
    assert motion.y[1, -1] - 2 * motion.y[0, -1] == pytest.approx(0.0, abs=1e-13)
    assert motion.events[-1].kind == "rest"
    assert motion.events[-1].time == pytest.approx(2 * speed / 0.5 / (1 - e), abs=1e-5)


@pytest.mark.parametrize("e", [0.5, 0.7])
def test_rest_in_a_bowl_is_told_with_the_state_it_begins_in(e) -> None:
    """Along the bowl gravity pulls in the last bounces too: what is told is where the motion is."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y,
        [x, y],
        constraints=[da.OneSided(1 - x**2 - y**2, restitution=e)],
    )
    motion = system.simulate({x: 0.5, y: 0.05 - np.sqrt(0.75)}, until=4.0)
    (rest,) = (event for event in motion.events if event.kind == "rest")
    assert_allclose(rest.state, motion.at(rest.time), atol=1e-8)
    assert motion.verify()
