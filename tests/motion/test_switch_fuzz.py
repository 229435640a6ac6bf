"""Laws of any small system with contacts and friction: it ends, gains no energy, stays outside, rubs in its cone."""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sympy import sqrt, symbols

import dalembert as da
from motion.systems import dynamicsymbols, g, k

pytestmark = pytest.mark.compiled
UNTIL, SAMPLES, CLOSE = 3.0, 121, 1e-9
MOST = 1500  # events
e = symbols("e", nonnegative=True)
M, mu = symbols("M:3", positive=True), symbols("mu:3", nonnegative=True)
xs, ys, zs = (dynamicsymbols(f"{q}:3") for q in "xyz")
SPRINGS = sum(k * (b - a - 1) ** 2 / 2 for a, b in pairwise(xs))


class Form(NamedTuple):
    """A shape of system, its values parameters so that it compiles once.

    `rough` has the constraints with friction, each with its μ, the mass that slides and the length of its gradient;
    `start` makes places and velocities from numbers between −1 and 1.
    """

    points: list
    potential: object
    constraints: list
    rough: dict
    start: object


def floor(q, n, name=None):
    return da.OneSided(q, restitution=e, name=name or f"floor {n}", nature=da.Coulomb(mu[n]))


def flat(n, name=None):
    return {name or f"floor {n}": (mu[n], M[n], 1.0)}


def row():
    """Three balls on a line that hit each other and a wall, to which all are pulled."""
    gaps = [xs[0], *(b - a for a, b in pairwise(xs))]
    weight = g * sum(a * b for a, b in zip(M, xs, strict=True))
    walls = [da.OneSided(gap, restitution=e, name=f"gap {n}") for n, gap in enumerate(gaps)]
    return Form(
        [da.Particle(M[n], (xs[n],)) for n in range(3)], weight, walls, {},
        lambda r: [*np.cumsum([1 + a for a in r[:3]]), *(2 * a for a in r[3:6])],
    )  # fmt: skip


def pair():
    """Two particles over a rough floor, tied by a spring."""
    return Form(
        [da.Particle(M[n], (xs[n], ys[n])) for n in range(2)],
        k * (xs[1] - xs[0] - 1) ** 2 / 2 + g * (M[0] * ys[0] + M[1] * ys[1]),
        [floor(ys[n], n) for n in range(2)], flat(0) | flat(1),
        lambda r: [r[0], 1 + r[1], r[2], 1 + r[3], *(2 * a for a in r[4:8])],
    )  # fmt: skip


def box():
    """One particle in a box with a rough floor."""
    walls = [da.OneSided(1 + xs[0], restitution=e, name="left"), da.OneSided(1 - xs[0], restitution=e, name="right")]
    return Form(
        [da.Particle(M[0], (xs[0], ys[0]))], M[0] * g * ys[0], [floor(ys[0], 0), *walls], flat(0),
        lambda r: [r[0], 1 + r[1], *(4 * a for a in r[2:4])],
    )  # fmt: skip


def wedge():
    """One particle between two rough slopes."""
    sides = [floor(ys[0] + xs[0] / 2, 0, "left"), floor(ys[0] - 2 * xs[0], 1, "right")]
    rough = {"left": (mu[0], M[0], np.sqrt(1.25)), "right": (mu[1], M[0], np.sqrt(5.0))}
    return Form(
        [da.Particle(M[0], (xs[0], ys[0]))], M[0] * g * ys[0], sides, rough,
        lambda r: [r[0], 1 + r[1] + 2 * abs(r[0]), *(2 * a for a in r[2:4])],
    )  # fmt: skip


def rod():
    """Two particles over a rough floor, one rod apart."""
    tie = da.Holonomic(sqrt((xs[1] - xs[0]) ** 2 + (ys[1] - ys[0]) ** 2) - 1, "rod")

    def start(r):
        angle, spin = np.pi * (1 + r[2]) / 2, 3 * r[5]
        c, s = np.cos(angle), np.sin(angle)
        return [r[0], 1 + r[1], r[0] + c, 1 + r[1] + s, r[3], r[4], r[3] - spin * s, r[4] + spin * c]

    return Form(
        [da.Particle(M[n], (xs[n], ys[n])) for n in range(2)], g * (M[0] * ys[0] + M[1] * ys[1]),
        [tie, *(floor(ys[n], n) for n in range(2))], flat(0) | flat(1), start,
    )  # fmt: skip


def puck():
    """One particle over a rough floor in space, tied to the origin."""
    return Form(
        [da.Particle(M[0], (xs[0], ys[0], zs[0]))], M[0] * g * zs[0] + k * (xs[0] ** 2 + 2 * ys[0] ** 2) / 2,
        [floor(zs[0], 0)], flat(0),
        lambda r: [r[0], r[1], 1 + r[2], *(2 * a for a in r[3:6])],
    )  # fmt: skip


def beads():
    """Three beads on a rough wire, tied in a row by springs."""
    wire = [da.Holonomic(ys[n], f"floor {n}", nature=da.Coulomb(mu[n])) for n in range(3)]
    return Form(
        [da.Particle(M[n], (xs[n], ys[n])) for n in range(3)],
        SPRINGS + g * sum(a * b for a, b in zip(M, ys, strict=True)), wire, flat(0) | flat(1) | flat(2),
        lambda r: [r[0], 0, 1 + r[1], 0, 2 + r[2], 0, 2 * r[3], 0, 2 * r[4], 0, 2 * r[5], 0],
    )  # fmt: skip


FORMS = {shape.__name__: shape for shape in (row, pair, box, wedge, rod, puck, beads)}


@cache
def built(name):
    shape = FORMS[name]()
    return shape, da.System.from_particles(shape.points, potential=shape.potential, constraints=shape.constraints)


part = st.one_of(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), st.floats(-1.0, 1.0, allow_subnormal=False))
positive = st.one_of(st.sampled_from([0.5, 1.0, 2.0]), st.floats(0.1, 10.0))
share = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 1.0, allow_subnormal=False))
VALUES = st.fixed_dictionaries(
    {s.name: positive for s in (*M, g, k)} | {s.name: share for s in mu} | {"e": share}
)  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=6, deadline=None, derandomize=True)
@given(numbers=st.lists(part, min_size=8, max_size=8), values=VALUES)
def test_laws_of_any_motion_with_contacts_and_friction(name, numbers, values):
    shape, system = built(name)
    keys = (*system.coordinates, *system.velocities)
    start = dict(zip(keys, map(float, shape.start(numbers)), strict=True))
    own = {s: values[s.name] for s in system.symbols}
    note(f"{name}: start {list(start.values())}, values { {s.name: v for s, v in own.items()} }")
    motion = system.simulate(start, UNTIL, samples=SAMPLES, parameters=own, max_seconds=20.0, throw=False)
    assert motion.status.ok, motion.status
    assert len(motion.events) <= MOST
    obeys(motion, shape, own)


def obeys(motion, shape, own):
    """What holds whatever happens; sizes are relative to the energy and the forces of the motion."""
    data, n = motion.dataset, len(motion.system.coordinates)
    energy, force = data.energy.values, data.multiplier.values
    masses = np.array([float(p.mass.subs(own)) for p in shape.points for _ in p.position])
    size = 1 + (masses[:, None] * motion.y[n:] ** 2).sum(axis=0).max() + np.abs(energy).max()
    assert (np.diff(energy) <= CLOSE * size).all(), "energy is gained"
    assert np.abs(motion.balance - motion.balance[0]).max() <= CLOSE * size
    push = 1 + np.abs(force).max()
    for c, value, lam in zip(motion.system.constraints, motion.residual.T, force.T, strict=True):
        if isinstance(c, da.OneSided):
            assert value.min() >= -CLOSE * (1 + np.abs(motion.y[:n]).max()), f"{c.name} is passed"
            assert lam.min() >= -CLOSE * push, f"{c.name} pulls"
            assert np.abs(lam[value > 1e-6]).max(initial=0.0) <= CLOSE * push, f"{c.name} pushes from afar"
        else:
            assert np.abs(value).max() <= CLOSE
    names = [c.name for c in motion.system.constraints]
    cone = sum(
        (
            own[m] * np.abs(force[:, names.index(c)]) * length / np.sqrt(own[mass])
            for c, (m, mass, length) in shape.rough.items()
        ),
        np.zeros(len(motion.t)),
    )  # the work-doing part is a projection of C, and no longer in the metric of M
    rubs = np.sqrt((data.nonideal_force.values**2 / masses).sum(axis=1))
    assert (rubs <= cone * (1 + CLOSE) + CLOSE * push).all(), "friction outside its cone"
    moving = np.flatnonzero((motion.y[n:] != 0.0).any(axis=0))
    still = motion.t[moving[-1] + 1] if len(moving) and moving[-1] + 1 < len(motion.t) else np.inf
    assert sum(event.time > still + CLOSE for event in motion.events) == 0, "events at rest"
