"""Stick and slip along a line: a belt, published friction oscillators, a shaken incline, a bead on a turning hoop."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy import cos, exp, sign, sin, symbols

import dalembert as da
from motion.switched import FRICTION, assert_allclose, leg, told
from motion.systems import dynamicsymbols, g, k, m, t, theta, x, y, z

pytestmark = pytest.mark.compiled
mu, static, v, A, w = symbols("mu static v A w", positive=True)
r, phi = dynamicsymbols("r phi")
G = 10.0


# -- a belt that creeps, under friction that falls steeply from rest --------------------------------------------


@pytest.mark.parametrize(("creep", "steep"), [(1e-3, 50), (1e-5, 50), (1e-7, 50), (1e-3, 500), (1e-5, 500)])
def test_which_way_it_slips_says_how_large_the_friction_is(creep, steep):
    """While it slips u = v − ẋ obeys u̇ = 0.3 g (1 − e^(−c u)) + w, where ẇ = k (v − u) is what the spring gains."""
    load, stiff = 9.81, 100
    begins = 0.4 * load / stiff / creep
    friction = da.Coulomb(0.1 + 0.3 * exp(-steep * abs(x.diff() - creep)), sliding=x.diff() - creep)
    block = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 - load * y - stiff * x**2 / 2, [x, y],
        constraints=[da.Holonomic(y, "belt", nature=friction)],
    )  # fmt: skip
    motion = block.simulate({x.diff(): creep}, until=begins + 2.0)

    def slipping(_, s):
        return [-0.3 * load * np.expm1(-steep * abs(s[0])) + s[1], stiff * (creep - s[0])]

    def speed(_, s):
        return s[0]

    speed.terminal, speed.direction = True, -1
    sticks = solve_ivp(slipping, (0, 2), [0, 0], "DOP853", events=speed, rtol=1e-12, atol=1e-14 * creep).t_events[0][0]
    found = [event for event in motion.events if event.kind in FRICTION]
    assert [event.kind for event in found] == ["slip", "stick"]
    assert_allclose([event.time - begins for event in found], [0, sticks], atol=1e-8)
    assert motion.verify().passed


# -- a belt with a static and a kinetic bound -----------------------------------------------------------------

BELTS = [(1.0, 1.0, 1.0, 0.6, 0.2), (1.0, 1.0, 1.0, 0.6, 2.0), (2.0, 30.0, 4.0, 3.9, 0.1), (0.5, 8.0, 3.0, 0.5, 0.05)]


def on_belt(mass, stiff, Fs, Fk, speed):
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y - k * x**2 / 2, [x, y],
        constraints=[da.Holonomic(y, "belt", nature=da.Coulomb(mu, static, sliding=x.diff() - v))],
        parameters={m: mass, g: G, k: stiff, mu: Fk / (mass * G), static: Fs / (mass * G), v: speed},
    )  # fmt: skip


@pytest.mark.parametrize(("mass", "stiff", "Fs", "Fk", "speed"), BELTS)
def test_a_block_on_a_belt_sticks_and_slips(mass, stiff, Fs, Fk, speed):
    """It sticks for 2 (Fs − Fk)/(k v) and slips for 2 (π − atan((Fs − Fk) ω/(k v)))/ω, again and again."""
    omega = np.sqrt(stiff / mass)
    slip = 2 * (np.pi - np.arctan((Fs - Fk) * omega / (stiff * speed))) / omega
    stick = 2 * (Fs - Fk) / (stiff * speed)
    first, cycles = Fs / (stiff * speed), 6
    exact = first + np.array([[n * (slip + stick), n * (slip + stick) + slip] for n in range(cycles)]).ravel()
    motion = on_belt(mass, stiff, Fs, Fk, speed).simulate({x.diff(): speed}, until=exact[-1] + stick / 2)
    events = told(motion, *FRICTION)
    assert [(e.kind, e.name) for e in events] == [("slip", "belt"), ("stick", "belt")] * cycles
    assert {(e.before, e.after) for e in events} == {("sticks", "slips backward"), ("slips backward", "sticks")}
    assert_allclose([e.time for e in events], exact, rtol=1e-10)
    assert_allclose([e.state[0] for e in events], [Fs / stiff, (2 * Fk - Fs) / stiff] * cycles, atol=1e-10)
    assert_allclose([e.state[2] for e in events], speed, atol=1e-10)
    begin = np.searchsorted(exact, motion.t)  # odd while it slips
    since = motion.t - np.concatenate([[0.0], exact])[begin]
    held = np.where(begin == 0, 0.0, (2 * Fk - Fs) / stiff) + speed * since
    slid = Fk / stiff + (Fs - Fk) / stiff * np.cos(omega * since) + speed / omega * np.sin(omega * since)
    assert_allclose(motion.y[0], np.where(begin % 2, slid, held), atol=1e-9)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-10)


def test_the_published_belt():
    """shared/problems/belt_oscillator_two_level."""
    period, slip, x_max = 8.068887871591405, 4.068887871591405, 1.047213595499958
    motion = on_belt(1.0, 1.0, 1.0, 0.6, 0.2).simulate({x.diff(): 0.2}, until=40.0, samples=20_001)
    slips, sticks = ([e.time for e in told(motion, kind)] for kind in ("slip", "stick"))
    assert_allclose(np.diff(slips), period, atol=1e-10)
    assert_allclose(np.array(sticks) - slips[: len(sticks)], slip, atol=1e-10)
    assert_allclose(motion.y[0].max(), x_max, atol=1e-6)  # among samples


def test_while_it_sticks_friction_holds_what_pulls():
    motion = on_belt(1.0, 1.0, 1.0, 0.6, 0.2).simulate({x.diff(): 0.2}, until=4.9)
    assert_allclose(motion.y[0], 0.2 * motion.t, atol=1e-13)
    force = motion.dataset.nonideal_force.sel(coordinate="x")
    assert_allclose(force, motion.y[0], atol=1e-12)
    assert_allclose(motion.dataset.nonideal_work, motion.y[0] ** 2 / 2, atol=1e-12)


# -- published oscillators ------------------------------------------------------------------------------------


def decaying(x0, v0, stiff, F):
    """Extrema (time, place) of x'' + kx = ∓F, unit mass, until one lies within F/k of zero."""
    omega = np.sqrt(stiff)
    way = -np.sign(x0) if v0 == 0 else np.sign(v0)
    centre = -way * F / stiff
    time = np.arctan2(v0 / omega, x0 - centre) / omega if v0 > 0 else 0.0
    place = centre + np.hypot(x0 - centre, v0 / omega) if v0 > 0 else x0
    out = [(time, place)] if v0 > 0 else []
    while abs(place) * stiff > F:
        centre = np.sign(place) * F / stiff
        time, place = time + np.pi / omega, 2 * centre - place
        out.append((time, place))
    return np.array(out).T


OSCILLATORS = {"sdnd100": (0.00085, 0.0, 1e4, 1.0), "siconos": (12.0, 6.0, 1.0, 1.0), "other": (-3.3, 0.0, 4.0, 0.7)}


@pytest.mark.parametrize("name", OSCILLATORS)
@pytest.mark.parametrize("stated", ["Coulomb", "sign"])
def test_a_friction_oscillator_turns_and_stops(stated, name):
    x0, v0, stiff, F = OSCILLATORS[name]
    if stated == "Coulomb":
        system = spring(stiff, F)
        kinds, last = ("reverse", "stick"), "stick"
    else:
        system = da.System.from_lagrangian(x.diff() ** 2 / 2, [x], forces={x: -stiff * x - F * sign(x.diff())})
        kinds, last = ("switch", "slide"), "slide"
    times, places = decaying(x0, v0, stiff, F)
    motion = system.simulate({x: x0, x.diff(): v0}, until=times[-1] + 5.0)
    events = told(motion, *kinds)
    assert [e.kind for e in events] == [kinds[0]] * (len(times) - 1) + [last]
    assert_allclose([e.time for e in events], times, rtol=1e-12)
    assert_allclose([e.state[0] for e in events], places, rtol=0, atol=1e-12 * abs(x0))
    after = motion.y[:, motion.t > times[-1]]
    assert_allclose(after, after[:, :1] + 0 * after, atol=0.0 if stated == "Coulomb" else 1e-15)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12 * stiff * x0**2)


def spring(stiff, F):
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y - k * x**2 / 2, [x, y],
        constraints=[da.Holonomic(y, "floor", nature=da.Coulomb(mu))],
        parameters={m: 1.0, g: G, k: stiff, mu: F / G},
    )  # fmt: skip


def test_the_extrema_are_the_published_ones():
    """shared/problems/coulomb_block_sdnd100 (code_aster SDND100) and friction_oscillator_siconos."""
    times, places = decaying(*OSCILLATORS["sdnd100"])
    assert_allclose(places, [-0.00065, 0.00045, -0.00025, 0.00005], rtol=1e-12)
    assert times[-1] == pytest.approx(0.12566370614359174, rel=1e-14)
    times, places = decaying(*OSCILLATORS["siconos"])
    assert_allclose(np.abs(places[:-1]), np.sqrt(205) - 1 - 2 * np.arange(7), rtol=1e-13)
    assert_allclose(times, np.arctan(6 / 13) + np.pi * np.arange(8), rtol=1e-14)
    assert_allclose([places[-1], times[-1]], [0.6821789367236466, 22.42355635069909], rtol=1e-13)  # 15 − √205


# -- a shaken incline -----------------------------------------------------------------------------------------

TILT, RATE = 0.3, 6.0
SHAKES = [(5.0, 0.5, 0.5), (5.0, 0.4, 0.5), (12.0, 0.5, 0.5), (12.0, 0.5, 0.7), (30.0, 0.2, 0.2), (8.0, 0.0, 0.0)]


def shaken(peak, kinetic, hold, until):
    """Events and the place of a block on an incline shaken along itself, relative to it, in closed form between events.

    s'' = −g sin α + a cos(wt) ∓ μ g cos α while it slides; it holds while the rest is below μₛ g cos α.
    """
    down, slow, bound = 9.81 * np.sin(TILT), kinetic * 9.81 * np.cos(TILT), hold * 9.81 * np.cos(TILT)

    def load(s):
        return -down + peak * np.cos(RATE * s)

    def first(function, s):
        grid = s + np.linspace(1e-9, 4 * np.pi / RATE, 4001)
        values = function(grid)
        found = np.flatnonzero(np.sign(values[1:]) != np.sign(values[:-1]))
        if not len(found):
            return None
        return brentq(function, grid[found[0]], grid[found[0] + 1], xtol=1e-15, rtol=1e-15)

    time, place, events, pieces = 0.0, 0.0, [], []
    way = 0.0 if abs(load(0.0)) <= bound else np.sign(load(0.0))
    while time < until:
        if way == 0.0:
            pieces.append((time, lambda s, p=place: (p + 0 * s, 0 * s)))
            end = first(lambda s: bound - np.abs(load(s)), time)
            if end is None or end > until:
                break
            time, way = end, np.sign(load(end))
            events.append(("slip", time, place))
            continue
        c = down + way * slow

        def slides(s, c=c, t0=time, p=place):
            since, middle = s - t0, RATE * (s + t0) / 2
            sines, cosines = (f * 2 * np.sin(RATE * since / 2) for f in (np.cos(middle), -np.sin(middle)))
            moved = -c * since**2 / 2 - peak / RATE**2 * cosines - peak / RATE * np.sin(RATE * t0) * since
            return p + moved, -c * since + peak / RATE * sines

        pieces.append((time, slides))
        end = first(lambda s, f=slides: f(s)[1], time)
        if end is None or end > until:
            break
        time, place = end, float(slides(end)[0])
        holds = abs(load(time)) <= bound
        events.append(("stick" if holds else "reverse", time, place))
        way = 0.0 if holds else np.sign(load(time))

    def at(times):
        which = np.searchsorted([begin for begin, _ in pieces], times, side="right") - 1
        return np.array([pieces[n][1](s) for n, s in zip(which, times, strict=True)]).T

    return events, at


def incline(frame):
    """The block by its place in space with a moving plane, or relative to the plane with the force of inertia."""
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * (x * sin(TILT) + y * cos(TILT))
    plane = A / w**2 * cos(w * t)
    if frame == "space":
        nature, force = da.Coulomb(mu, static, sliding=x.diff() - plane.diff(t)), 0
    else:
        nature, force = da.Coulomb(mu, static), m * A * cos(w * t)
    return da.System.from_lagrangian(
        L, [x, y], forces={x: force}, constraints=[da.Holonomic(y, "plane", nature=nature)],
        parameters={m: 0.7, g: 9.81, A: 1.0, w: RATE, mu: 0.5, static: 0.5},
    )  # fmt: skip


@pytest.mark.parametrize(("peak", "kinetic", "hold"), SHAKES)
@pytest.mark.parametrize("frame", ["space", "plane"])
def test_a_block_on_a_shaken_incline(frame, peak, kinetic, hold):
    events, at = shaken(peak, kinetic, hold, 5.0)
    shift = peak / RATE**2 if frame == "space" else 0.0
    motion = incline(frame).simulate({x: shift}, until=5.0, parameters={A: peak, mu: kinetic, static: hold})
    found = told(motion, *FRICTION)
    if kinetic:  # without friction nothing sticks, and to turn is no event
        assert [e.kind for e in found] == [kind for kind, _, _ in events]
        assert_allclose([e.time for e in found], [time for _, time, _ in events], atol=1e-11)
    own, speed = at(motion.t)
    assert_allclose(motion.y[0], own + shift * np.cos(RATE * motion.t), atol=1e-11 * (1 + np.abs(own).max()))
    assert_allclose(motion.y[2], speed - shift * RATE * np.sin(RATE * motion.t), atol=1e-10)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-9)
    if frame == "plane":
        held = np.flatnonzero((speed[1:] == 0) & (speed[:-1] == 0) & (np.diff(own) == 0))
        assert (motion.y[0, held] == motion.y[0, held + 1]).all()


def test_the_shaken_incline_is_that_of_scipy():
    """Slip from onset to the next stop by integration."""
    for peak, kinetic, hold in SHAKES:
        events, _ = shaken(peak, kinetic, hold, 5.0)
        down, slow = 9.81 * np.sin(TILT), kinetic * 9.81 * np.cos(TILT)
        for (kind, begin, place), (_, end, there) in pairwise(events):
            if kind == "stick":
                continue
            way = np.sign(-down + peak * np.cos(RATE * begin))
            found = leg(
                lambda s, q, c=down + way * slow, a=peak: [q[1], -c + a * np.cos(RATE * s)],
                begin, [place, 0.0], begin + 3.0, [lambda _, q, way=way: way * q[1]], step=0.02,
            )  # fmt: skip
            assert_allclose([found.time, found.state[0]], [end, there], atol=1e-12)


# -- a bead on a rough hoop that turns ------------------------------------------------------------------------

HOOP = {"R": 0.5, "omega": 6.0, "mu": 0.1, "g": 9.81}


@cache
def hoop():
    """The legs of the bead: θ from the bottom, pressed radially and sideways (shared/problems/bead_hoop_friction)."""
    R, omega, mu, g = HOOP.values()

    def press(s):
        radial = g * np.cos(s[0]) + R * s[1] ** 2 + R * omega**2 * np.sin(s[0]) ** 2
        return np.hypot(radial, 2 * R * omega * s[1] * np.cos(s[0]))

    def rates(way):
        return lambda _, s: [
            s[1], (omega**2 * np.cos(s[0]) - g / R) * np.sin(s[0]) - way * mu * press(s) / R
        ]  # fmt: skip

    times = np.linspace(0.0, 1.0, 11)
    there = leg(rates(1.0), 0.0, [0.4, 3.0], 5.0, [lambda _, s: s[1]], times, step=0.01)
    back = leg(rates(-1.0), there.time, [there.state[0], 0.0], 5.0, [lambda _, s: -s[1]], times, step=0.01)
    return there, back


def bead(coordinates):
    R, omega, mu, g = HOOP.values()
    if coordinates == "Cartesian":
        along, across = x * cos(omega * t) + y * sin(omega * t), x.diff() * cos(omega * t) + y.diff() * sin(omega * t)
        nature = da.Coulomb(mu, sliding=(along * z.diff() - z * across) / R, of=("hoop", "turn"))
        constraints = [
            da.Holonomic(x**2 + y**2 + z**2 - R**2, "hoop", nature=nature),
            da.Holonomic(x * sin(omega * t) - y * cos(omega * t), "turn"),
        ]
        return da.System.from_particles([da.Particle(1, (x, y, z))], potential=g * z, constraints=constraints)
    L = (r.diff() ** 2 + r**2 * theta.diff() ** 2 + r**2 * sin(theta) ** 2 * phi.diff() ** 2) / 2 + g * r * cos(theta)
    nature = da.Coulomb(mu, sliding=r * theta.diff(), of=("hoop", "turn"))
    constraints = [da.Holonomic(r - R, "hoop", nature=nature), da.Holonomic(r * sin(theta) * (phi - omega * t), "turn")]
    return da.System.from_lagrangian(L, [r, theta, phi], constraints=constraints)


@pytest.mark.parametrize("coordinates", ["Cartesian", "spherical"])
def test_a_bead_on_a_hoop_that_turns(coordinates):
    R, omega, _, _ = HOOP.values()
    s, c = np.sin(0.4), np.cos(0.4)
    cartesian = {x: R * s, y: 0.0, z: -R * c, x.diff(): 3 * R * c, y.diff(): R * omega * s, z.diff(): 3 * R * s}
    spherical = {r: R, theta: 0.4, phi: 0.0, theta.diff(): 3.0, phi.diff(): omega}
    start = cartesian if coordinates == "Cartesian" else spherical
    motion = bead(coordinates).simulate(start, until=3.0, samples=np.linspace(0.0, 3.0, 31))
    there, back = hoop()
    turn, stop = told(motion, *FRICTION)
    assert (turn.kind, stop.kind, turn.name, stop.name) == ("reverse", "stick", "hoop", "hoop")
    assert_allclose([turn.time, stop.time], [there.time, back.time], atol=1e-11)
    polar = np.arctan2(np.hypot(motion.y[0], motion.y[1]), -motion.y[2])
    angle = polar if coordinates == "Cartesian" else motion.y[1]
    assert_allclose(angle[:11], np.concatenate([there.states[0], back.states[0]]), atol=1e-11)
    assert_allclose(angle[motion.t > back.time], back.state[0], atol=1e-11)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-10)


def test_the_hoop_is_that_of_the_problem():
    there, back = hoop()
    assert_allclose([there.time, there.state[0]], [0.43000007594133205, 1.3916690455567151], atol=1e-9)
    assert_allclose([back.time, back.state[0]], [1.0177831136649818, 0.8400376966814672], atol=1e-9)
    assert_allclose(there.states[:, 1], [0.7044783376453851, 3.0827970193154024], atol=1e-11)
    R, omega, mu, g = HOOP.values()
    rest = back.state[0]
    pull = abs((omega**2 * np.cos(rest) - g / R) * np.sin(rest)) * R
    assert pull < mu * (g * np.cos(rest) + R * omega**2 * np.sin(rest) ** 2)
