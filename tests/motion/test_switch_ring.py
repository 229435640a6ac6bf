"""The bead on a rough ring, from rest and from spins, against closed forms piece by piece (THEORY 7.2)."""

from time import process_time

import numpy as np
import pytest
from scipy.special import ellipj, ellipk
from sympy import symbols

import dalembert as da
from dalembert import gallery
from motion.switched import advance, assert_allclose, leg, rough_ring, told
from motion.systems import g, m, x, y

pytestmark = pytest.mark.compiled
R, mu = symbols("R mu", positive=True)
G = 9.81
ROUGH = [0.05, 0.2, 0.5, 1.0, 2.0]
BOTTOM, TOP = -np.pi / 2, np.pi / 2
TURNS = ("stick", "slip", "reverse", "normal")


def ring(size=1.0, **values):
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y, [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - R**2, "ring", nature=da.Coulomb(mu))],
        parameters={m: 1.0, g: G, R: size, mu: 0.2} | values,
    )  # fmt: skip


def place(angle, speed, size=1.0):
    """On the ring at an angle from the x axis; the ends of its axes exact."""
    exact = {0.0: (1.0, 0.0), TOP: (0.0, 1.0), BOTTOM: (0.0, -1.0)}
    c, s = exact.get(angle, (np.cos(angle), np.sin(angle)))
    return {x: size * c, y: size * s, x.diff(): -speed * s, y.diff(): speed * c}


def turned(motion):
    """Kind, time and angle of the turns; the angle as far as whole turns."""
    return [(e.kind, e.time, np.arctan2(e.state[1], e.state[0])) for e in told(motion, *TURNS)]


def assert_turns(motion, turns, atol=1e-11):
    found = turned(motion)
    assert [kind for kind, _, _ in found] == [turn.kind for turn in turns]
    assert_allclose([time for _, time, _ in found], [turn.time for turn in turns], atol=atol)
    off = np.array([angle for _, _, angle in found]) - [turn.angle for turn in turns]
    assert_allclose(np.remainder(off + np.pi, 2 * np.pi), np.pi, atol=atol)


@pytest.mark.parametrize("size", ROUGH)
def test_from_rest_beside_the_centre(size):
    """Speed and normal force are exactly zero at the start."""
    turns = rough_ring(size, 0.0, 0.0, G)
    system = da.System.load(gallery.path("rough-ring"))
    motion = system.simulate(until=turns[-1].time + 1.0, parameters={"mu": size})
    assert_turns(motion, turns)
    (last,) = told(motion, "stick")
    assert last.after == "sticks"
    data = motion.dataset
    assert_allclose(data.nonideal_work.values[-1], -turns[-1].lost, atol=1e-11)
    assert_allclose(data.energy.values[-1], -turns[-1].lost, atol=1e-11)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-11)


@pytest.mark.parametrize("size", ROUGH)
@pytest.mark.parametrize("speed", [3.0, 5.0, 7.0, 10.0, -7.0])
def test_spins_from_the_bottom(speed, size):
    """Fast ones pass the top, where the normal force changes its side."""
    turns = rough_ring(size, BOTTOM, speed, G)
    motion = ring().simulate(place(BOTTOM, speed), until=turns[-1].time + 1.0, parameters={mu: size})
    assert_turns(motion, turns, atol=1e-11 * max(1.0, abs(speed)))
    assert_allclose(motion.dataset.nonideal_work.values[-1], -turns[-1].lost, atol=1e-11 * speed**2)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-11 * speed**2)


@pytest.mark.parametrize("size", ROUGH)
@pytest.mark.parametrize("speed", [1e-6, 1e-3, 1.0, -6.0])
def test_from_the_top(speed, size):
    """Slow starts stick at once, inside the cone of friction; fast ones pass it."""
    turns = rough_ring(size, TOP, speed, G)
    motion = ring().simulate(place(TOP, speed), until=turns[-1].time + 1.0, parameters={mu: size})
    assert_turns(motion, turns, atol=1e-10)
    assert_allclose(motion.dataset.nonideal_work.values[-1], -turns[-1].lost, rtol=1e-10, atol=1e-11)


def test_other_units_of_mass_and_length():
    turns = rough_ring(0.3, BOTTOM, 4.0, G / 2.5)
    motion = ring(2.5).simulate(place(BOTTOM, 10.0, 2.5), until=turns[-1].time + 1.0, parameters={mu: 0.3, m: 3.0})
    assert_turns(motion, turns)
    assert_allclose(motion.dataset.nonideal_work.values[-1], -3.0 * 2.5**2 * turns[-1].lost, atol=1e-9)


def test_at_rest_inside_the_cone_it_never_moves():
    """|cos θ| ≤ μ |sin θ|, at the top and at the bottom, up to its edge."""
    edge = np.arctan(0.5)
    for angle in (TOP, BOTTOM, BOTTOM + 0.999 * edge, BOTTOM - 0.999 * edge, TOP + 0.999 * edge, TOP - 0.999 * edge):
        motion = ring().simulate(place(angle, 0.0), until=1e4, samples=5, parameters={mu: 0.5})
        assert (motion.y == motion.y[:, :1]).all()
        assert not told(motion, *TURNS)


@pytest.mark.parametrize("angle", [BOTTOM + 1.001 * np.arctan(0.5), TOP - 1.001 * np.arctan(0.5)])
def test_at_rest_outside_the_cone_it_slides_at_once(angle):
    turns = rough_ring(0.5, angle, 0.0, G)
    motion = ring().simulate(place(angle, 0.0), until=turns[-1].time + 0.1, parameters={mu: 0.5})
    assert_turns(motion, turns, atol=1e-8)  # the margin of a thousandth magnifies rounding


@pytest.mark.parametrize("size", [0.2, 1.0])
def test_at_rest_it_stays_to_the_bit_for_a_million_seconds(size):
    turns = rough_ring(size, 0.0, 0.0, G)
    system = da.System.load(gallery.path("rough-ring"))
    times = np.concatenate([np.linspace(0, 20, 201), np.geomspace(30, 1e6, 40)])
    system.simulate(until=20.0, parameters={"mu": size})
    begin = process_time()
    motion = system.simulate(until=1e6, samples=times, parameters={"mu": size})
    assert process_time() - begin < 2.0
    still = motion.y[:, motion.t > turns[-1].time]
    assert (still == still[:, :1]).all()
    assert (still[2:] == 0.0).all()
    assert_turns(motion, turns)


def test_without_friction_it_swings_for_ever():
    """Where it turns both speed and normal force vanish at the same time."""
    motion = da.System.load(gallery.path("rough-ring")).simulate(until=10.0, parameters={"mu": 0.0})
    sn, cn, _, _ = ellipj(ellipk(0.5) - np.sqrt(G) * motion.t, 0.5)
    angle, rate = 2 * np.arcsin(np.sqrt(0.5) * sn), -2 * np.sqrt(G / 2) * cn  # from the bottom
    exact = [np.sin(angle), -np.cos(angle), rate * np.cos(angle), rate * np.sin(angle)]
    assert_allclose(motion.y, exact, atol=1e-11)
    assert_allclose(motion.dataset.nonideal_work, 0.0, atol=1e-13)
    assert not told(motion, "stick", "slip")


@pytest.mark.parametrize("speed", [3.0, 7.0])
def test_without_friction_it_spins_for_ever(speed):
    motion = ring().simulate(place(BOTTOM, speed), until=5.0, samples=11, parameters={mu: 0.0})
    angle, _ = advance(lambda _, s: [s[1], -G * np.cos(s[0])], 0.0, [BOTTOM, speed], 5.0)
    assert_allclose(motion.y[:2, -1], [np.cos(angle), np.sin(angle)], atol=1e-10)
    assert_allclose(motion.dataset.energy, motion.dataset.energy[0], atol=1e-11)


def test_the_closed_form_is_the_motion():
    """The pieces against SciPy on θ'' = −G cos θ − μ |θ'² − G sin θ| sgn θ', to the third turn."""
    for size, angle, rate in ((0.2, 0.0, 0.0), (0.2, BOTTOM, 7.0), (0.05, TOP, 1.0)):
        time, state, way = 0.0, [angle, rate], np.sign(rate) or -1.0
        press = np.sign(rate**2 - G * np.sin(angle)) or 1.0
        for turn in rough_ring(size, angle, rate, G)[:3]:
            found = leg(
                lambda _, s, c=size * way * press: [s[1], -G * np.cos(s[0]) - c * (s[1] ** 2 - G * np.sin(s[0]))],
                time, state, time + 20.0,
                [lambda _, s, way=way: way * s[1], lambda _, s, p=press: p * (s[1] ** 2 - G * np.sin(s[0]))],
                step=0.02,
            )  # fmt: skip
            time, state = found.time, found.state
            assert_allclose([time, state[0]], [turn.time, turn.angle], atol=1e-12)
            lost = rate**2 / 2 + G * np.sin(angle) - state[1] ** 2 / 2 - G * np.sin(state[0])
            assert_allclose(turn.lost, lost, atol=1e-11)
            assert (turn.kind == "normal") == (found.by == 1)
            if found.by == 1:
                press = -press
            else:
                way, state = -way, [state[0], 0.0]
