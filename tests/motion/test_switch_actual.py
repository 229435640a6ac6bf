"""Friction that follows the force its constraint exerts, which friction changes: a ladder, and Painlevé's rod."""

from typing import NamedTuple

import numpy as np
import pytest
from sympy import cos, sin, symbols

import dalembert as da
from motion.switched import FRICTION, advance, assert_allclose, leg, rough_ring, told
from motion.systems import dynamicsymbols, g, l, m, theta, x, y

pytestmark = pytest.mark.compiled
mu, nu = symbols("mu nu", positive=True)
MASS, HALF, G = 1.7, 0.6, 9.81
INERTIA = MASS * HALF**2 / 3
KEYS = (x, y, theta, x.diff(), y.diff(), theta.diff())
ROD = m * (x.diff() ** 2 + y.diff() ** 2) / 2 + m * l**2 * theta.diff() ** 2 / 6 - m * g * y


# -- a rigid body on rough contacts, by Newton and Euler ------------------------------------------------------


class Contact(NamedTuple):
    """A place of the body from its centre, the direction in which it is pushed, and friction per unit of that push."""

    arm: np.ndarray
    push: np.ndarray
    rub: np.ndarray


def cross(r, f):
    return r[0] * f[1] - r[1] * f[0]


def rigid(spin, contacts, law="actual"):
    """ax, ay, α, then N of each contact: m a = ΣF − mg, I α = Σ r × F, and no place moves along its push.

    By the ideal law friction is a given force, |N| of contacts without friction times `rub`.
    """
    n = len(contacts)

    def solve(rough, given):
        F, load = np.zeros((3 + n, 3 + n)), np.zeros(3 + n)
        F[:3, :3], load[1] = np.diag([MASS, MASS, INERTIA]), -MASS * G
        for i, (c, extra) in enumerate(zip(contacts, given, strict=True)):
            force = c.push + rough * c.rub
            F[:2, 3 + i], F[2, 3 + i] = -force, -cross(c.arm, force)
            F[3 + i, :3] = *c.push, cross(c.arm, c.push)  # n·(a + α × r − ω² r) = 0
            load[3 + i] = spin**2 * c.push @ c.arm
            load[:2] += extra
            load[2] += cross(c.arm, extra)
        return np.linalg.solve(F, load)

    nothing = np.zeros((n, 2))
    if law == "actual":
        return solve(1.0, nothing)
    return solve(0.0, [abs(N) * c.rub for N, c in zip(solve(0.0, nothing)[3:], contacts, strict=True)])


# -- a rod between a wall and a floor -------------------------------------------------------------------------


def ladder(normal, kind=da.Holonomic):
    """A uniform rod inclined by θ, its upper end on the wall x = 0 and its lower end on the floor y = 0."""
    wall = da.Coulomb(nu, normal=normal, sliding=y.diff() + l * cos(theta) * theta.diff())
    floor = da.Coulomb(mu, normal=normal, sliding=x.diff() - l * sin(theta) * theta.diff())
    return da.System.from_lagrangian(
        ROD, [x, y, theta],
        constraints=[
            kind(x - l * cos(theta), name="wall", nature=wall), kind(y - l * sin(theta), name="floor", nature=floor),
        ],
        parameters={m: MASS, g: G, l: HALF, mu: 0.3, nu: 0.2},
    )  # fmt: skip


def leaning(angle, rate=0.0):
    s, c = np.sin(angle), np.cos(angle)
    return dict(zip(KEYS, (HALF * c, HALF * s, angle, -HALF * s * rate, HALF * c * rate, rate), strict=True))


def ladder_now(angle, rate, size, wall, law):
    """The rod as it slides down: its body turns by −θ; the wall rubs its end upwards, the floor inwards."""
    end = HALF * np.array([np.cos(angle), -np.sin(angle)])
    contacts = [
        Contact(-end, np.array([1.0, 0.0]), np.array([0.0, wall])),
        Contact(end, np.array([0.0, 1.0]), np.array([-size, 0.0])),
    ]
    return rigid(rate, contacts, law)


def ladder_rates(size, wall, law):
    return lambda _, s: [s[1], -ladder_now(*s, size, wall, law)[2]]


LADDERS = [(0.3, 0.2), (0.1, 0.4), (0.0, 0.3), (0.25, 0.0)]
SLIDES = (1.0, -0.8)  # angle and rate at the start


@pytest.mark.parametrize("law", ["actual", "ideal"])
@pytest.mark.parametrize(("size", "wall"), LADDERS)
def test_a_rod_slides_down_a_rough_wall_and_floor(size, wall, law):
    motion = ladder(law).simulate(leaning(*SLIDES), 0.25, samples=11, parameters={mu: size, nu: wall})
    exact = np.array([advance(ladder_rates(size, wall, law), 0.0, SLIDES, s) for s in motion.t]).T
    assert not told(motion, *FRICTION, "normal")
    assert_allclose(motion.y[[2, 5]], exact, atol=1e-10)
    assert_allclose(motion.y[0], HALF * np.cos(exact[0]), atol=1e-10)
    data = motion.dataset
    assert_allclose(data.theta_ddot, [-ladder_now(*s, size, wall, law)[2] for s in exact.T], atol=1e-9)
    assert_allclose(data.nonideal_work, data.energy - data.energy[0], atol=1e-10)


def test_actual_and_ideal_are_two_laws():
    """They differ where friction at one end presses the other, and agree without friction."""
    ends = {law: ladder(law).simulate(leaning(*SLIDES), 0.25).y[2, -1] for law in ("actual", "ideal")}
    assert abs(ends["actual"] - ends["ideal"]) > 1e-3
    smooth = [ladder(law).simulate(leaning(*SLIDES), 0.25, parameters={mu: 0, nu: 0}).y for law in ends]
    assert_allclose(*smooth, atol=1e-13)


@pytest.mark.parametrize("size", [0.2, 1.0])
def test_for_one_particle_they_are_one(size):
    """Friction along a curve does not press on it: the rough ring again."""
    ring = da.Holonomic(x**2 + y**2 - 1, "ring", nature=da.Coulomb(mu, normal="actual"))
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y, [x, y], constraints=[ring],
        parameters={m: 1.0, g: G, mu: size},
    )  # fmt: skip
    turns = rough_ring(size, 0.0, 0.0, G)
    events = told(system.simulate({x: 1.0}, turns[-1].time + 1.0), *FRICTION)
    assert [(e.kind, e.name) for e in events] == [(turn.kind, "ring") for turn in turns]
    assert_allclose([e.time for e in events], [turn.time for turn in turns], atol=1e-11)


@pytest.mark.parametrize(("size", "wall"), [*LADDERS, (0.0, 0.0)])
def test_the_rod_leaves_the_wall(size, wall):
    """One-sided contacts: the wall lets go where its force vanishes, and the rod goes on along the floor."""
    free = leaves_wall(size, wall)
    motion = ladder("actual", da.OneSided).simulate(leaning(*SLIDES), free.time + 0.1, parameters={mu: size, nu: wall})
    event = told(motion, "release")[0]
    assert (event.name, event.before, event.after) == ("wall", "closed", "open")
    assert event.time == pytest.approx(free.time, abs=1e-10)
    assert_allclose([event.state[2], event.state[5]], free.state, atol=1e-10)
    first = list(leaning(*free.state).values())
    end = advance(lambda _, q: rod_rates(q, size, 1.0, 1.0), free.time, first, free.time + 0.1)
    assert_allclose(motion.y[:, -1], end, atol=1e-9)
    assert motion.y[0, -1] - HALF * np.cos(motion.y[2, -1]) > 1e-6


def leaves_wall(size, wall):
    rates = ladder_rates(size, wall, "actual")
    return leg(rates, 0.0, SLIDES, 3.0, [lambda _, s: ladder_now(*s, size, wall, "actual")[3]], step=0.01)


@pytest.mark.parametrize(("size", "wall"), [(0.5, 0.5), (0.4, 0.0), (0.3, 0.8)])
def test_a_ladder_stands_above_its_angle_of_friction(size, wall):
    """tan θ ≥ (1 − μν)/(2μ): there are forces in both cones that hold it, though they are not unique."""
    edge = np.arctan((1 - size * wall) / (2 * size))
    for angle in (edge + 1e-3, 1.5):
        still = ladder("actual").simulate(leaning(angle), 100.0, samples=3, parameters={mu: size, nu: wall})
        assert (still.y == still.y[:, :1]).all()
    slips = ladder("actual").simulate(leaning(edge - 1e-2), 0.3, samples=4, parameters={mu: size, nu: wall})
    exact = [advance(ladder_rates(size, wall, "actual"), 0.0, [edge - 1e-2, 0.0], s)[0] for s in slips.t]
    assert_allclose(slips.y[2], exact, atol=1e-9)


# -- Painlevé's rod -------------------------------------------------------------------------------------------


def rod():
    """A uniform rod whose lower end, at (x − l cos θ, y − l sin θ), slides on a rough floor."""
    nature = da.Coulomb(mu, normal="actual", sliding=x.diff() + l * sin(theta) * theta.diff())
    return da.System.from_lagrangian(
        ROD, [x, y, theta], constraints=[da.OneSided(y - l * sin(theta), name="floor", nature=nature)],
        parameters={m: MASS, g: G, l: HALF, mu: 0.3},
    )  # fmt: skip


def on_end(angle, speed, rate=0.0):
    """On its lower end, which moves with a speed along the floor."""
    s, c = np.sin(angle), np.cos(angle)
    return [HALF * c, HALF * s, angle, speed - HALF * s * rate, HALF * c * rate, rate]


def rod_rates(q, size, side, way):
    """Rates of a rod on one end, which is to a side of its centre (−1 left, 1 right) and slides one way."""
    s, c = np.sin(q[2]), np.cos(q[2])
    floor = Contact(HALF * np.array([side * c, -s]), np.array([0.0, 1.0]), np.array([-way * size, 0.0]))
    ax, ay, alpha, _ = rigid(q[5], [floor])
    return [*q[3:], ax, ay, -side * alpha]


def slip(q):
    return q[3] + HALF * np.sin(q[2]) * q[5]


def holds(q, size):
    """Whether the end that has come to rest sticks: the force that keeps it there is inside the cone."""
    s, c = np.sin(q[2]), np.cos(q[2])
    arm, none = HALF * np.array([-c, -s]), np.zeros(2)
    *_, up, along = rigid(q[5], [Contact(arm, np.array([0.0, 1.0]), none), Contact(arm, np.array([1.0, 0.0]), none)])
    return abs(along) <= size * up


def p(angle, size):
    """What a unit of force lifts the end by, when it slides towards its own side (shared/problems/painleve_rod)."""
    return (1 + 3 * np.cos(angle) * (np.cos(angle) - size * np.sin(angle))) / MASS


RODS = [
    (0.3, 1.1, -2.0),
    (1.2, 1.1, -2.0),
    (1.3, np.arctan(2), -1.0),
    (0.3, 1.1, 1.0),
    (2.5, 1.1, 1.0),
    (1.8, 0.3, -1.0),
]


@pytest.mark.parametrize(("size", "angle", "speed"), RODS)
def test_a_rod_slides_on_its_end_until_it_sticks_or_turns(size, angle, speed):
    way, first = np.sign(speed), on_end(angle, speed)
    end = leg(
        lambda _, q: rod_rates(q, size, -1.0, way), 0.0, first, 0.3,
        [lambda _, q: way * slip(q), lambda _, q: q[2] - 0.1], step=0.01,
    )  # fmt: skip
    motion = rod().simulate(dict(zip(KEYS, first, strict=True)), end.time, samples=7, parameters={mu: size})
    exact = [advance(lambda _, q: rod_rates(q, size, -1.0, way), 0.0, first, s) for s in motion.t]
    assert_allclose(motion.y.T, exact, atol=1e-10)
    if end.by == 0:
        longer = rod().simulate(dict(zip(KEYS, first, strict=True)), end.time + 0.01, parameters={mu: size})
        event = told(longer, *FRICTION)[0]
        assert event.kind == ("stick" if holds(end.state, size) else "reverse")
        assert event.time == pytest.approx(end.time, abs=1e-10)
    else:
        assert not told(motion, *FRICTION, "release")


@pytest.mark.parametrize(("size", "angle"), [(1.8, 1.1), (1.4, np.arctan(2)), (3.0, 0.9)])
def test_where_no_force_could_hold_the_rod_the_run_says_so(size, angle):
    """p < 0: every push of the floor would drive the end into it, by the friction that comes with it."""
    assert p(angle, size) < 0
    with pytest.raises((da.RunError, da.StateError), match="Painlev"):
        rod().simulate(dict(zip(KEYS, on_end(angle, -1.0), strict=True)), 0.1, parameters={mu: size})
    other = rod().simulate(dict(zip(KEYS, on_end(angle, 1.0), strict=True)), 0.01, parameters={mu: size})
    exact = advance(lambda _, q: rod_rates(q, size, -1.0, 1.0), 0.0, on_end(angle, 1.0), 0.01)
    assert_allclose(other.y[:, -1], exact, atol=1e-10)  # the other way nothing is wrong


# -- the woodpecker -------------------------------------------------------------------------------------------

STEPPED = [  # y, φ_M, φ_S and their rates at 0.1, 0.2 and 0.3 s, by Moreau and Jean's stepping with h = 2 µs
    [-0.0070595, 0.02073099, 0.00753117, -0.07430714, -4.26830532, -5.85154794],
    [-0.0236980, -0.10344899, -0.32599634, 0.0, 0.0, 16.5289870],
    [-0.0413291, -0.10345075, -0.34236911, -0.25923229, 0.0, -8.34285367],
]


def woodpecker():
    """Glocker and Pfeiffer's toy: a sleeve on a pole and a bird on a spring, three rough contacts (shared/problems)."""
    y, sleeve, bird = q = dynamicsymbols("y phi_M phi_S")
    rO, rM, hM, lM, lG, hS, lS = 0.0025, 0.0031, 0.0058, 0.01, 0.015, 0.02, 0.0201
    mM, mS, JM, JS, spring = 0.0003, 0.0045, 5e-9, 7e-7, 0.0056
    M = [
        [mS + mM, mS * lM, mS * lG],
        [mS * lM, JM + mS * lM**2, mS * lM * lG],
        [mS * lG, mS * lM * lG, JS + mS * lG**2],
    ]
    twist = spring * (sleeve - bird)
    Q = [-G * (mS + mM), -G * mS * lM - twist, -G * mS * lG + twist]
    beak = y.diff() + lM * sleeve.diff() + (lG - lS) * bird.diff()
    edge = y.diff() + rM * sleeve.diff()
    contacts = [
        ("beak", lM + lG - lS - rO - hS * bird, 0.5, beak),
        ("lower edge", rM - rO + hM * sleeve, 0.0, edge),
        ("upper edge", rM - rO - hM * sleeve, 0.0, edge),
    ]
    constraints = [
        da.OneSided(gap, e, name, da.Coulomb(0.3, normal="actual", sliding=slides), impact_friction=True)
        for name, gap, e, slides in contacts
    ]
    start = (0.0, -(rM - rO) / hM, -0.2788, -0.3411, 0.0, -7.4583)  # the sleeve jammed by its lower edge
    keys = (*q, *(v.diff() for v in q))
    return da.System.from_forces(M, Q, q, constraints=constraints), dict(zip(keys, start, strict=True))


def test_the_woodpecker_pecks():
    """Impacts that rub, against time stepping, whose own error is some 1e-4: it jams, slips, pecks and jams again."""
    system, start = woodpecker()
    motion = system.simulate(start, 0.3, samples=[0.1, 0.2, 0.3])
    off = np.abs(motion.y.T - STEPPED)
    assert (off <= [1e-5, 1e-4, 5e-4, 1e-3, 2e-2, 1e-2]).all()
    beak = [event.time for event in told(motion, "impact", name="beak")]
    assert beak == pytest.approx([0.0810, 0.2268], abs=2e-4)
    assert len(told(motion, "stick")) >= 2
    data = motion.dataset
    gained = data.energy + spring_and_weight(motion.y)
    assert (np.diff(gained) < 0).all()


def spring_and_weight(state):
    """The potential energy, which is no part of `energy` in a system of masses and forces."""
    y, sleeve, bird = state[:3]
    return 0.0056 * (sleeve - bird) ** 2 / 2 + G * (0.0048 * y + 0.0045 * (0.01 * sleeve + 0.015 * bird))


# -- constraints that push or pull: two forces that satisfy the laws ------------------------------------------


def pushed_rod(size):
    """A block that slides along a rough line, pushed with 3 at its end of a rod whose other end is held with 1.

    With λ = 1.75 − μ|λ|/2 of the line (2λ = 3.5 − μ|λ|), by hand: one force where μ < 2, beyond it also one below zero.
    """
    u, w, q, h = (x, y, *dynamicsymbols("q h"))
    line = da.Coulomb(size, normal="actual", sliding=u.diff())
    rows = [
        da.Holonomic(w, name="line", nature=line),
        da.Holonomic(h - 0.6),
        da.Holonomic((u - q) ** 2 + (w - h) ** 2 - 1),
    ]
    kinetic = (u.diff() ** 2 + w.diff() ** 2) / 2 + q.diff() ** 2 + h.diff() ** 2
    system = da.System.from_lagrangian(kinetic, [u, w, q, h], forces={u: 3, q: -1}, constraints=rows)
    return system, {q: 0.8, h: 0.6, u.diff(): 1.0, q.diff(): 1.0}


def brake_shoe(size, force, other=False):
    """A shoe that is pressed on a drum 0.5 from its hinge across and 0.4 along: λ (0.4 ∓ 0.5 μ) = −force for ±λ > 0.

    `other`: beside a block that slides on a rough floor.
    """
    a, u, h, w = dynamicsymbols("a u h w")
    rub = da.Coulomb(size, normal="actual", sliding=u.diff() + 0.5 * a.diff())
    rows, kinetic, q = [da.Holonomic(0.4 * a, name="shoe", nature=rub)], (a.diff() ** 2 + u.diff() ** 2) / 2, [a, u]
    if other:
        floor = da.Coulomb(0.1, normal="actual", sliding=w.diff())
        rows, q = [*rows, da.Holonomic(h, name="floor", nature=floor)], [*q, h, w]
        kinetic += (h.diff() ** 2 + w.diff() ** 2) / 2 - h
    return da.System.from_lagrangian(kinetic, q, forces={a: force}, constraints=rows), u.diff()


def test_a_line_that_could_push_or_pull_a_rod_is_refused():
    """μ = 2.5: x″ = 0.0185 with λ = 0.78, and x″ = −5.17 with λ = −7, both satisfy the laws."""
    system, start = pushed_rod(2.5)
    with pytest.raises(da.StateError, match=r"more than one motion .* \(line .* λ > 0\) and \(line .* λ < 0\)"):
        system.simulate(start, until=0.05)
    system, start = pushed_rod(1.5)
    motion = system.simulate(start, until=0.05)
    assert_allclose(motion.dataset.reaction[:, 0], 1.75 / 1.75, rtol=1e-12)
    assert motion.verify().passed


def test_friction_that_grows_ends_where_a_second_force_begins_to_do():
    """μ = 1 + 2t reaches 2 at t = 1/2."""
    system, start = pushed_rod(1 + 2 * dynamicsymbols._t)
    motion = system.simulate(start, until=1.0, throw=False)
    assert motion.status.ending == "paradox"
    assert motion.end_time == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize(("force", "speed"), [(1.0, 1.0), (-1.0, -1.0)])
def test_a_shoe_that_the_drum_can_pull_in_or_push_off_is_refused(force, speed, other):
    """μ = 1, 0.5 μ > 0.4: 1/0.9 one way and 1/0.1 the other; with the drum the other way there is none."""
    system, drum = brake_shoe(1.0, force, other)
    with pytest.raises(da.StateError, match="more than one motion is possible"):
        system.simulate({drum: speed}, until=0.02)
    with pytest.raises(da.StateError, match="no motion is possible"):
        system.simulate({drum: -speed}, until=0.02)
    system, drum = brake_shoe(0.5, force, other)
    motion = system.simulate({drum: speed}, until=0.02)
    assert_allclose(motion.dataset.reaction[:, 0], -force / 0.65, rtol=1e-12)


def test_a_rod_that_could_leave_the_floor_or_stay_is_refused_in_these_words():
    """μ = 2, θ = 1, θ′ = 4: gap″ = 3.65 without a force, or λ = 4.29 with one that friction turns round."""
    angle, rate = 1.0, 4.0
    free = np.sin(angle) * rate**2 - 9.81
    pull = 1 + 3 * np.cos(angle) ** 2 - 3 * 2 * np.sin(angle) * np.cos(angle)
    assert free > 3.6
    assert -free / pull == pytest.approx(4.288, abs=1e-3)
    floor = da.Coulomb(2, normal="actual", sliding=x.diff() - sin(theta) * theta.diff())
    rod = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2) / 2 + theta.diff() ** 2 / 6 - 9.81 * y,
        [x, y, theta],
        constraints=[da.OneSided(y - sin(theta), name="floor", nature=floor)],
    )
    start = {theta: angle, y: np.sin(angle), x.diff(): 5.0, theta.diff(): rate, y.diff(): np.cos(angle) * rate}
    with pytest.raises(da.StateError, match=r"more than one motion .* \(floor open\) and \(floor closed"):
        rod.simulate(start, until=0.01)


# -- the references by themselves -----------------------------------------------------------------------------


def test_newton_and_euler_agree_with_what_is_known():
    """Without friction the wall lets go at two thirds of the height; p as published; the ladder at its edge."""
    free = leaves_wall(0.0, 0.0)
    height = np.sin(SLIDES[0]) + 2 * HALF / (3 * G) * SLIDES[1] ** 2
    assert np.sin(free.state[0]) == pytest.approx(2 / 3 * height, abs=1e-12)
    for size, angle in ((0.3, 1.1), (1.8, 0.3)):
        *_, N = rigid(0.0, [Contact(HALF * np.array([-np.cos(angle), -np.sin(angle)]), np.array([0.0, 1.0]),
                                    np.array([size, 0.0]))])  # fmt: skip
        assert pytest.approx(G / p(angle, size)) == N
    for size, wall in ((0.5, 0.5), (0.3, 0.8)):
        edge = np.arctan((1 - size * wall) / (2 * size))
        assert ladder_now(edge, 0.0, size, wall, "actual")[2] == pytest.approx(0.0, abs=1e-13)
        assert advance(ladder_rates(size, wall, "actual"), 0.0, [edge - 1e-2, 0.0], 0.3)[0] < edge - 1.05e-2
    assert abs(ladder_now(*SLIDES, 0.3, 0.2, "actual")[2] - ladder_now(*SLIDES, 0.3, 0.2, "ideal")[2]) > 0.1
    least = np.arctan(2.0)
    assert p(least, 4 / 3) == pytest.approx(0.0, abs=1e-15)


def test_the_rod_loses_what_friction_takes():
    """The energy of a rod on its end falls by μ N |slip|, and its end stays on the floor."""
    size, angle, speed = RODS[0]

    def rates(_, q):
        moved = rod_rates(q[:6], size, -1.0, -1.0)
        N = MASS * (moved[4] + G)
        return [*moved, -size * N * abs(slip(q))]

    first = on_end(angle, speed)
    last = advance(rates, 0.0, [*first, 0.0], 0.1)
    energy = [MASS * (q[3] ** 2 + q[4] ** 2) / 2 + INERTIA * q[5] ** 2 / 2 + MASS * G * q[1] for q in (last, first)]
    assert energy[0] - energy[1] == pytest.approx(last[6], abs=1e-12)
    assert last[1] == pytest.approx(HALF * np.sin(last[2]), abs=1e-13)
