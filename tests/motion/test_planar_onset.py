"""Friction in a plane that begins to slip under a load that grows: tables that move, feet, wheels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy import Rational, cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, turn, a, b, low, high = dynamicsymbols("x y z theta a b low high")
X, Y, W = x.diff(), y.diff(), turn.diff()
t = dynamicsymbols._t
G = 9.81


def on_table(mu, sliding, normal="ideal") -> da.System:
    """A puck on a rough table that moves."""
    kinetic = (X**2 + Y**2 + z.diff() ** 2) / 2
    rough = da.Holonomic(z, name="table", nature=da.Coulomb(mu, normal=normal, sliding=sliding))
    return da.System.from_lagrangian(kinetic - G * z, [x, y, z], constraints=[rough])


@pytest.mark.parametrize("rate", [0.3, 2.0, 40.0])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_a_belt_that_speeds_up_ever_faster_is_left_behind(rate, angle) -> None:
    """It moves with kt²/2 as long as kt < μg, and then with μg alone: by closed forms."""
    mu, along = 0.2, np.array([np.cos(angle), np.sin(angle)])
    belt = rate * t**2 / 2
    leaves = mu * G / rate
    motion = on_table(mu, [X - along[0] * belt, Y - along[1] * belt]).simulate({}, until=3 * leaves)
    (slip,) = motion.events
    assert slip.kind == "slip"
    assert_allclose(slip.time, leaves, rtol=1e-12)
    late = np.maximum(motion.t - leaves, 0)
    first = np.minimum(motion.t, leaves)
    speed = rate * first**2 / 2 + mu * G * late
    way = rate * first**3 / 6 + rate * leaves**2 / 2 * late + mu * G * late**2 / 2
    assert_allclose(motion.y[3:5], np.outer(along, speed), atol=1e-11 * speed[-1])
    assert_allclose(motion.y[:2], np.outer(along, way), atol=1e-11 * way[-1])
    assert motion.verify().passed


@pytest.mark.parametrize("normal", ["ideal", "actual"])
def test_a_turntable_that_swings_throws_off_what_lies_on_it(normal) -> None:
    """ω = 3 sin t: it slips where r √(ω̇² + ω⁴) = μg, whatever it moves with."""
    w = 3 * sin(t)
    motion = on_table(0.3, [X + w * y, Y - w * x], normal).simulate({x: 0.5}, until=6.0)
    (slip,) = motion.events
    needed = brentq(lambda s: 0.5 * np.hypot(3 * np.cos(s), 9 * np.sin(s) ** 2) - 0.3 * G, 0.1, 1.5, xtol=1e-15)
    assert_allclose(slip.time, needed, rtol=1e-12)
    assert motion.statistics["steps"] < 1000
    assert motion.verify().passed


def test_two_feet_of_a_plate_slip_together() -> None:
    """Each bears t along and ±0.3 t across: both slip at t √1.09 = μN, and each is slowed against its own velocity."""
    mu, inertia = 0.3, 1 / 6
    feet = [[X - s * sin(turn) * W / 2, Y + s * cos(turn) * W / 2] for s in (1, -1)]
    kinetic = (X**2 + Y**2) / 2 + W**2 * inertia / 2 + (low.diff() ** 2 + high.diff() ** 2) / 4
    rows = [
        da.Holonomic(u, name=name, nature=da.Coulomb(mu, sliding=foot))
        for u, name, foot in zip((low, high), ("one", "other"), feet, strict=True)
    ]
    plate = da.System.from_lagrangian(
        kinetic - G * (low + high) / 2, [x, y, turn, low, high], forces={x: 2 * t, turn: 0.3 * t}, constraints=rows
    )
    motion = plate.simulate({}, until=2.0, samples=401)
    bound = mu * G / 2
    assert [event.kind for event in motion.events] == ["slip", "slip"]
    assert_allclose([event.time for event in motion.events], bound / np.sqrt(1.09), rtol=1e-12)
    assert motion.statistics["steps"] < 1000
    assert motion.verify().passed

    def rate(time, state):
        q, v = state[:3], state[3:]
        force = np.array([2 * time, 0.0, 0.3 * time])
        for s in (1, -1):
            J = np.array([[1, 0, -s * np.sin(q[2]) / 2], [0, 1, s * np.cos(q[2]) / 2]])
            slides = J @ v
            force -= bound * J.T @ slides / np.linalg.norm(slides)
        return np.concatenate([v, force / [1, 1, inertia]])

    begun = 300  # some time after they began to slip
    mine = motion.y[[0, 1, 2, 5, 6, 7]]
    times = motion.t[begun:]
    found = solve_ivp(rate, (times[0], 2.0), mine[:, begun], "DOP853", times, rtol=1e-12, atol=1e-15)
    assert_allclose(mine[:, begun:], found.y, rtol=1e-8, atol=1e-11)


def test_a_cart_on_two_wheels_rolls_from_a_start_at_which_all_is_zero() -> None:
    """Two wheels hold the same sideways. As long as they stick, the velocity and the turn are those of the wheels."""
    track, radius = Rational(1, 2), Rational(1, 5)
    rows = []
    for s, wheel, u in ((1, a, low), (-1, b, high)):
        vx, vy = X - s * track * cos(turn) * W, Y - s * track * sin(turn) * W
        slides = [vx * cos(turn) + vy * sin(turn) - radius * wheel.diff(), -vx * sin(turn) + vy * cos(turn)]
        rows.append(da.Holonomic(u, nature=da.Coulomb(0.5, sliding=slides)))
    kinetic = X**2 + Y**2 + W**2 / 10 + (a.diff() ** 2 + b.diff() ** 2) / 100
    kinetic += (low.diff() ** 2 + high.diff() ** 2) / 2
    torques = {a: 0.3 * sin(t), b: 0.8 * sin(2 * t)}
    cart = da.System.from_lagrangian(
        kinetic - G * (low + high), [x, y, turn, a, b, low, high], forces=torques, constraints=rows
    )
    motion = cart.simulate({}, until=2.0)
    slips = [event.time for event in motion.events]
    assert slips
    rolls = motion.t < slips[0]
    _, _, heading, *_, vx, vy, w, left, right, _, _ = motion.y[:, rolls]
    assert_allclose(vx * np.cos(heading) + vy * np.sin(heading), 0.2 * (left + right) / 2, atol=1e-11)
    assert_allclose(w, 0.2 * (right - left), atol=1e-11)
    assert motion.verify().passed


# -- where all other rows leave one direction of the plane ----------------------------------------------------


def arm(phase, static=None, normal="ideal", hinged=False) -> da.System:
    """An arm of inertia 0.3 about its hinge, on a pad one unit away that bears 5, driven by the torque t."""
    slides = [-W * sin(turn + phase), W * cos(turn + phase)]
    q, kinetic = [turn, z], 0.15 * W**2 + z.diff() ** 2 / 2
    rows = []
    if hinged:
        slides, q, kinetic = [X + slides[0], Y + slides[1]], [x, y, *q], kinetic + (X**2 + Y**2) / 2
        rows = [da.Holonomic(x), da.Holonomic(y)]
    rows += [da.Holonomic(z, name="pad", nature=da.Coulomb(0.3, static=static, normal=normal, sliding=slides))]
    return da.System.from_lagrangian(kinetic - 5 * z, q, forces={turn: t}, constraints=rows)


@pytest.mark.parametrize("phase", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("until", [1.5001, 1.6, 2.0])
def test_an_arm_drags_its_pad_the_one_way_it_can(phase, until) -> None:
    """0.3 θ″ = t − 1.5 from t = 1.5 on, whichever way the pad points, and however soon the run ends."""
    motion = arm(phase).simulate({}, until=until)
    assert [event.kind for event in motion.events] == ["slip"]
    assert_allclose(motion.end[turn], (until - 1.5) ** 3 / 1.8, rtol=1e-9)
    assert_allclose(motion.end[W], (until - 1.5) ** 2 / 0.6, rtol=1e-9)
    assert motion.verify().passed


@pytest.mark.parametrize("normal", ["ideal", "actual"])
def test_a_hinge_of_rows_leaves_its_pad_one_way(normal) -> None:
    """The same where rows hold the hinge, and by the actual normal force, which friction does not change here."""
    motion = arm(0.3, normal=normal, hinged=True).simulate({}, until=1.50015)
    assert_allclose(motion.end[turn], 0.00015**3 / 1.8, rtol=1e-8)
    assert motion.verify().passed


def test_an_arm_breaks_loose_from_more_friction_at_rest() -> None:
    """It holds until t = 0.4 · 5 = 2, and then 0.3 θ″ = t − 1.5."""
    motion = arm(0.0, static=0.4).simulate({}, until=2.5)
    assert [event.kind for event in motion.events] == ["slip"]
    assert_allclose(motion.end[turn], (0.5 * 0.25 / 2 + 0.125 / 6) / 0.3, rtol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [0.985, 1.0])
def test_a_dumbbell_turns_about_the_end_that_stays(until) -> None:
    """ψ″ = 3t cos ψ − μg about the first end, from t = μg/3 on; a rod leaves the other end one way at first."""
    first, other = dynamicsymbols("x1 y1 z1"), dynamicsymbols("x2 y2 z2")
    rods = (first[0] - other[0]) ** 2 + (first[1] - other[1]) ** 2 - 1
    ends = [da.Holonomic(q[2], name=n, nature=da.Coulomb(0.3)) for q, n in ((first, "one"), (other, "two"))]
    bell = da.System.from_particles(
        [da.Particle(1, first), da.Particle(1, other)],
        potential=G * (first[2] + other[2]) - 3 * t * other[1],
        constraints=[*ends, da.Holonomic(rods)],
    )
    motion = bell.simulate({other[0]: 1.0}, until=until)
    turns = solve_ivp(
        lambda s, q: [q[1], 3 * s * np.cos(q[0]) - 0.3 * G], (0.1 * G, until), [0, 0], "DOP853", rtol=1e-13, atol=1e-18
    )
    angle, rate = turns.y[:, -1]
    assert_allclose(motion.end[other[1].diff()], rate * np.cos(angle), rtol=1e-9)
    assert_allclose(motion.end[other[1]], np.sin(angle), rtol=1e-9)
    assert_allclose(motion.end[first[1]], 0, atol=1e-15)
    assert motion.verify().passed


@pytest.mark.parametrize("until", [1.5001, 1.501, 1.502])
def test_a_plate_turns_about_its_rear_pad(until) -> None:
    """Pushed with t across and turned with t/2, so that the rear pad sticks: 0.55 θ″ = t − 1.5 at first."""
    rows = [
        da.Holonomic(q, name=n, nature=da.Coulomb(0.3, sliding=[X - W * r * sin(turn), Y + W * r * cos(turn)]))
        for q, n, r in ((high, "front", 0.5), (low, "rear", -0.5))
    ]
    kinetic = (X**2 + Y**2) / 2 + 0.15 * W**2 + 0.05 * (high.diff() ** 2 + low.diff() ** 2)
    plate = da.System.from_lagrangian(
        kinetic - 5 * (high + low), [x, y, turn, high, low], forces={y: t, turn: t / 2}, constraints=rows
    )
    motion = plate.simulate({}, until=until)
    assert [event.name for event in motion.events] == ["front"]
    assert_allclose(motion.end[turn], (until - 1.5) ** 3 / 3.3, rtol=1e-8)
    assert motion.verify().passed


def test_a_plate_on_three_pads_turns_about_the_one_that_sticks() -> None:
    """Two pads begin to slip by one motion of the plate: about the third, by one equation."""
    mu, mass, inertia = 0.3, 2.0, 0.6
    places, loads = np.array([(0.5, 0.0), (-0.3, 0.4), (-0.3, -0.4)]), np.array([4.0, 3.0, 3.0])
    levels = dynamicsymbols("h1 h2 h3")
    rows = []
    for u, (px, py) in zip(levels, places, strict=True):
        ahead, aside = px * cos(turn) - py * sin(turn), px * sin(turn) + py * cos(turn)
        rows.append(da.Holonomic(u, nature=da.Coulomb(mu, sliding=[X - W * aside, Y + W * ahead])))
    kinetic = mass * (X**2 + Y**2) / 2 + inertia * W**2 / 2 + sum(u.diff() ** 2 for u in levels) / 2
    weight = sum(load * u for load, u in zip(loads, levels, strict=True))
    plate = da.System.from_lagrangian(
        kinetic - weight, [x, y, turn, *levels], forces={x: 2 * t, y: t, turn: t / 2}, constraints=rows
    )
    motion = plate.simulate({}, until=1.2)
    pivot = places[1]
    held = mu * float(loads @ np.linalg.norm(places - pivot, axis=1))

    def moment(s, angle):
        c, d = np.cos(angle), np.sin(angle)
        centre = -np.array([c * pivot[0] - d * pivot[1], d * pivot[0] + c * pivot[1]])  # from the pivot
        return s / 2 + centre[0] * s - centre[1] * 2 * s

    begins = brentq(lambda s: moment(s, 0.0) - held, 0.1, 3.0, xtol=1e-15)
    about = inertia + mass * float(pivot @ pivot)
    turns = solve_ivp(
        lambda s, q: [q[1], (moment(s, q[0]) - held) / about], (begins, 1.2), [0, 0], "DOP853", rtol=1e-13, atol=1e-18
    )
    assert_allclose([event.time for event in motion.events], begins, rtol=1e-12)
    assert_allclose([motion.end[turn], motion.end[W]], turns.y[:, -1], rtol=1e-9)
    assert motion.verify().passed


def plate(kind, forces) -> da.System:
    """A plate on three pads, each of which bears the same."""

    def pad(name, u, v):
        across, along = u * cos(turn) - v * sin(turn), u * sin(turn) + v * cos(turn)
        rough = da.Coulomb(Rational(3, 10), sliding=[X - along * W, Y + across * W])
        return kind(z + u * a + v * b, name=name, nature=rough)

    kinetic = X**2 + Y**2 + z.diff() ** 2 + 0.15 * W**2 + 0.1 * (a.diff() ** 2 + b.diff() ** 2)
    pads = [pad("one", 1, 0), pad("two", -0.5, 0.8), pad("three", -0.5, -0.8)]
    return da.System.from_lagrangian(kinetic - 2 * G * z, [x, y, z, turn, a, b], forces=forces, constraints=pads)


@pytest.mark.parametrize(("forces", "begins"), [({x: t}, 0.6 * G), ({turn: t}, None), ({x: t, turn: t / 5}, None)])
def test_pads_that_may_lift_slip_as_those_that_may_not(forces, begins) -> None:
    """z, a and b are moved by nothing that the pads do: each bears a third of the weight all the time."""
    held, free = (plate(kind, forces).simulate({}, until=6.2) for kind in (da.Holonomic, da.OneSided))
    assert [event.kind for event in free.events] == ["slip"] * 3
    if begins is not None:
        assert_allclose(free.events[0].time, begins, rtol=1e-12)
    assert_allclose(free.events[0].time, held.events[0].time, rtol=1e-12)
    assert_allclose(free.end_values, held.end_values, atol=1e-9)
    assert_allclose(free.dataset.multiplier.values, 2 * G / 3, rtol=1e-9)
    assert free.verify().passed


@pytest.mark.parametrize("kind", [da.Holonomic, da.OneSided])
@pytest.mark.parametrize("pull", [0, t])
def test_feet_whose_shares_nothing_determines_are_refused_for_that(kind, pull) -> None:
    """Of two feet on one floor, given as one and the same row, each may bear all of the weight, or nothing."""
    feet = [
        kind(z, name=name, nature=da.Coulomb(Rational(3, 10), sliding=[X - u * sin(turn) * W, Y + u * cos(turn) * W]))
        for name, u in (("front", 1.0), ("rear", -0.5))
    ]
    kinetic = (X**2 + Y**2 + z.diff() ** 2) / 2 + 0.15 * W**2
    bar = da.System.from_lagrangian(kinetic - G * z, [x, y, z, turn], forces={y: pull}, constraints=feet)
    with pytest.raises(da.StateError, match="the motion is not determined: the rows 'front', 'rear' are redundant"):
        bar.simulate({}, until=1.0)


@pytest.mark.parametrize("power", [2, 3])
def test_a_load_at_a_dead_centre_that_grows_too_slowly_comes_to_an_end(power) -> None:
    """The slider moves as a high power of the time, so that rounding decides which way it rubs: that is told."""
    crank = dynamicsymbols("crank")
    rod = da.Holonomic((x - 0.3 * cos(crank)) ** 2 + (y - 0.3 * sin(crank)) ** 2 - 0.64, "rod")
    guide = da.Holonomic(y, "guide", nature=da.Coulomb(0.3, sliding=X))
    system = da.System.from_lagrangian(
        0.3 * crank.diff() ** 2 + 0.75 * (X**2 + Y**2) - 1.5 * G * y, [crank, x, y],
        forces={crank: t**power / 2}, constraints=[rod, guide],
    )  # fmt: skip
    words = []
    try:
        words.append(str(system.simulate({crank: 0.0, x: 1.1, y: 0.0}, until=2.0, throw=False, max_steps=5000).status))
    except da.StateError as error:
        words.append(str(error))
    assert any(told in words[0] for told in ("which way 'guide' slips cannot be told", "be told from their rounding"))
