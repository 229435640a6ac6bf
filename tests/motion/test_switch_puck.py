"""Friction in two dimensions: a puck on a table, on an incline, and in a bowl."""

import numpy as np
import pytest
from scipy.optimize import brentq
from sympy import cos, sin, symbols

import dalembert as da
from motion.switched import FRICTION, advance, assert_allclose, leg, rough_ring, told
from motion.systems import g, m, t, x, y, z

pytestmark = pytest.mark.compiled
mu, alpha = symbols("mu alpha", positive=True)
G = 9.81


def puck(tilt=None):
    """A puck on the plane z = 0; tilted about y, with x down the slope, in the plane's own axes or in upright ones."""
    if tilt == "upright":  # the plane falls along x
        potential, plane = m * g * z, x * sin(alpha) + z * cos(alpha)
    else:
        potential, plane = m * g * (z * cos(alpha) - x * sin(alpha)) if tilt else m * g * z, z
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=potential,
        constraints=[da.Holonomic(plane, "plane", nature=da.Coulomb(mu))],
        parameters={m: 0.17, g: G, mu: 0.3} | ({alpha: 0.4} if tilt else {}),
    )  # fmt: skip


@pytest.mark.parametrize("size", [0.01, 0.3, 1.5])
@pytest.mark.parametrize("velocity", [(3.0, 0.0), (1.2, -1.6), (1e-4, 1e-4), (-30.0, 7.0)])
def test_a_puck_on_a_table_stops_on_a_straight_line(velocity, size):
    speed = np.hypot(*velocity)
    time, way = speed / (size * G), speed**2 / (2 * size * G)
    motion = puck().simulate(dict(zip((x.diff(), y.diff()), velocity, strict=True)), 2 * time, parameters={mu: size})
    (event,) = told(motion, *FRICTION)
    assert (event.kind, event.name, event.after) == ("stick", "plane", "sticks")
    assert event.time == pytest.approx(time, rel=1e-12)
    direction = np.array(velocity) / speed
    assert_allclose(event.state[:2], way * direction, rtol=1e-12, atol=1e-12 * way)
    assert event.state[2:] == (0.0, 0.0, 0.0, 0.0)
    left = np.maximum(1 - motion.t / time, 0.0)
    assert_allclose(motion.y[:2], np.outer(direction, way * (1 - left**2)), atol=1e-12 * way)
    assert_allclose(motion.y[3:5], np.outer(direction, speed * left), atol=1e-12 * speed)
    after = motion.y[:, motion.t > event.time]
    assert (after == after[:, :1]).all()
    assert_allclose(motion.dataset.nonideal_work[-1], -0.17 * speed**2 / 2, rtol=1e-11)


class Slope:
    """A puck on an incline, by τ = tan(ψ/2), ψ from its velocity to the slope, and κ = μ/tan α, in closed form.

    v' = g sin α (cos ψ − κ) and v ψ' = −g sin α sin ψ give v = C τ^κ/sin ψ; time and place are powers of τ.
    """

    def __init__(self, tilt, kappa, speed, psi):
        self.pull, self.kappa = G * np.sin(tilt), kappa
        self.first = np.tan(psi / 2)
        self.C = speed * np.sin(psi) / self.first**kappa

    def _power(self, tau, n):
        """∫ τ^(n−1) dτ from τ to where it began."""
        return np.log(self.first / tau) if n == 0 else (self.first**n - tau**n) / n

    def time(self, tau):
        k = self.kappa
        return self.C / (2 * self.pull) * (self._power(tau, k - 1) + self._power(tau, k + 1))

    def state(self, tau):
        """x, y, x', y' at a τ."""
        k, per = self.kappa, self.C**2 / (4 * self.pull)
        u = self.C * tau ** (k - 1) / 2 * (1 + tau**2)
        down, across = (1 - tau**2) / (1 + tau**2), 2 * tau / (1 + tau**2)
        px = per * (self._power(tau, 2 * k - 2) - self._power(tau, 2 * k + 2))
        py = 2 * per * (self._power(tau, 2 * k - 1) + self._power(tau, 2 * k + 1))
        return np.array([px, py, u * down, u * across])

    def at(self, time):
        if time == 0.0:
            return self.state(self.first)
        low = self.first
        while self.time(low) < time:
            low /= 2
        ends = np.log(low), np.log(self.first)
        return self.state(np.exp(brentq(lambda s: self.time(np.exp(s)) - time, *ends, xtol=1e-15, rtol=1e-15)))

    @property
    def stop(self):
        """When and where it stops, for κ > 1."""
        return self.time(0.0), self.state(0.0)


def on_slope(tilt, speed, psi, frame):
    """A start on the plane with a velocity at an angle from the slope."""
    vx, vy = speed * np.cos(psi), speed * np.sin(psi)
    if frame == "upright":
        return {x.diff(): vx * np.cos(tilt), y.diff(): vy, z.diff(): -vx * np.sin(tilt)}
    return {x.diff(): vx, y.diff(): vy}


def in_plane(motion, tilt, frame):
    """x, y, x', y' in the plane, (4, k)."""
    px, py, _, vx, vy, _ = motion.y
    per = np.cos(tilt) if frame == "upright" else 1.0
    return np.array([px / per, py, vx / per, vy])


@pytest.mark.parametrize("frame", ["own", "upright"])
@pytest.mark.parametrize("psi", [1.0, 2.5, 3.1])
@pytest.mark.parametrize("kappa", [1.05, 1.3, 2.0, 3.7])
def test_on_a_flat_incline_it_curves_and_stops(kappa, psi, frame):
    """μ > tan α: its direction turns down the slope as it stops."""
    tilt, speed = 0.4, 2.0
    exact = Slope(tilt, kappa, speed, psi)
    time, place = exact.stop
    motion = puck(frame).simulate(
        on_slope(tilt, speed, psi, frame), 1.3 * time, parameters={mu: kappa * np.tan(tilt), alpha: tilt}
    )
    (event,) = told(motion, *FRICTION)
    assert event.kind == "stick"
    assert event.time == pytest.approx(time, rel=1e-10)
    found = in_plane(motion, tilt, frame)
    moving = motion.t < time
    assert_allclose(found[:, moving], np.array([exact.at(s) for s in motion.t[moving]]).T, atol=1e-10)
    assert_allclose(found[:2, ~moving].T - place[:2], 0.0, atol=1e-10)
    after = motion.y[:, motion.t > event.time]
    assert (after == after[:, :1]).all()
    assert (after[3:] == 0.0).all()
    lost = 0.17 * (speed**2 / 2 + G * np.sin(tilt) * place[0])
    assert_allclose(motion.dataset.nonideal_work.values[-1], -lost, atol=1e-10)


@pytest.mark.parametrize("frame", ["own", "upright"])
@pytest.mark.parametrize("psi", [0.3, 1.5, np.pi - 1e-3, np.pi - 1e-6])
@pytest.mark.parametrize("kappa", [0.1, 0.4, 0.9])
def test_on_a_steep_incline_it_turns_down_and_goes_on(kappa, psi, frame):
    """μ < tan α: one that goes almost straight up turns within an instant, at almost no speed."""
    tilt, speed = 0.7, 3.0
    exact = Slope(tilt, kappa, speed, psi)
    motion = puck(frame).simulate(
        on_slope(tilt, speed, psi, frame), 1.5, samples=31, parameters={mu: kappa * np.tan(tilt), alpha: tilt}
    )
    assert not told(motion, "stick", "slip")
    sharp = 1e-11 if psi < 3 else 1e-9
    assert_allclose(in_plane(motion, tilt, frame), np.array([exact.at(s) for s in motion.t]).T, atol=sharp)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-10)


@pytest.mark.parametrize("frame", ["own", "upright"])
def test_straight_up_a_steep_incline_it_stops_for_an_instant(frame):
    tilt, size, speed = 0.7, 0.4, 3.0
    up, down = G * (np.sin(tilt) + size * np.cos(tilt)), G * (np.sin(tilt) - size * np.cos(tilt))
    top = speed / up
    motion = puck(frame).simulate(
        on_slope(tilt, speed, np.pi, frame) | {y.diff(): 0.0}, 1.5, parameters={mu: size, alpha: tilt}
    )
    (event,) = told(motion, *FRICTION)
    assert (event.kind, event.name) == ("reverse", "plane")
    assert event.time == pytest.approx(top, abs=1e-12)
    s = motion.t - top
    found = in_plane(motion, tilt, frame)
    assert_allclose(found[2], np.where(s < 0, up, down) * s, atol=1e-11)
    assert_allclose(found[0], np.where(s < 0, up, down) * s**2 / 2 - speed**2 / (2 * up), atol=1e-11)
    assert_allclose(found[[1, 3]], 0.0, atol=1e-12)


@pytest.mark.parametrize("frame", ["own", "upright"])
def test_straight_up_a_flat_incline_it_stops_for_good(frame):
    tilt, size, speed = 0.4, 0.6, 3.0
    up = G * (np.sin(tilt) + size * np.cos(tilt))
    motion = puck(frame).simulate(
        on_slope(tilt, speed, np.pi, frame) | {y.diff(): 0.0}, 1e3, parameters={mu: size, alpha: tilt}
    )
    (event,) = told(motion, *FRICTION)
    assert event.kind == "stick"
    assert event.time == pytest.approx(speed / up, abs=1e-12)
    found = in_plane(motion, tilt, frame)
    assert found[0, -1] == pytest.approx(-(speed**2) / (2 * up), abs=1e-12)
    after = motion.y[:, motion.t > event.time]
    assert (after == after[:, :1]).all()


def test_at_rest_on_an_incline():
    """It stays below the angle of friction and slides straight down above it."""
    for size, moves in ((0.43, False), (np.tan(0.4) * (1 + 1e-9), False), (0.41, True), (0.0, True)):
        motion = puck("own").simulate({}, 2.0, samples=5, parameters={mu: size, alpha: 0.4})
        pull = G * (np.sin(0.4) - size * np.cos(0.4)) if moves else 0.0
        assert_allclose(motion.y[0], pull * motion.t**2 / 2, atol=1e-12)
        assert (motion.y[1] == 0.0).all()
        if not moves:
            assert (motion.y == 0.0).all()


# -- a bowl ---------------------------------------------------------------------------------------------------


def bowl():
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z,
        constraints=[da.Holonomic((x**2 + y**2 + z**2 - 4) / 4, "bowl", nature=da.Coulomb(mu))],
        parameters={m: 0.17, g: G, mu: 0.3},
    )  # fmt: skip


def in_bowl(size):
    """Rates of a particle in a bowl of radius 2: x'' = −g k − (N/R) x − μ N x'/|x'|, with N = (x'² − g z)/R."""

    def rates(_, s):
        q, v = s[:3], s[3:]
        N = (v @ v - G * q[2]) / 2
        return [*v, *(np.array([0.0, 0.0, -G]) - N * q / 2 - size * N * v / np.sqrt(v @ v))]

    return rates


STARTS = [(0.1, (1.0, 0.5, 1.0)), (0.3, (1.0, 2.0, 3.0)), (0.8, (1.6, 1.0, -2.0)), (0.3, (0.8, 4.0, 1.0))]


def bowl_start(start):
    """At a place beside the lowest point, with a speed across and one along the meridian."""
    px, across, along = start
    pz = -np.sqrt(4 - px**2)
    return np.array([px, 0.0, pz, -along * pz / 2, across, along * px / 2])


@pytest.mark.parametrize(("size", "start"), STARTS)
def test_in_a_bowl_it_comes_to_rest_in_the_cone_of_friction(size, start):
    first = bowl_start(start)
    almost = leg(in_bowl(size), 0.0, first, 50.0, [lambda _, s: s[3:] @ s[3:] - 1e-12])  # a micrometre a second
    keys = (x, y, z, x.diff(), y.diff(), z.diff())
    motion = bowl().simulate(dict(zip(keys, first, strict=True)), almost.time + 5.0, parameters={mu: size})
    events = told(motion, *FRICTION)
    assert [e.kind for e in events] == ["stick"]
    assert events[0].time == pytest.approx(almost.time, abs=1e-5)
    assert_allclose(motion.y[:3, -1], almost.state[:3], atol=1e-10)
    for part in (0.3, 0.7):
        half = part * almost.time
        assert_allclose(motion.at(half), advance(in_bowl(size), 0.0, first, half), atol=1e-10)
    px, py, pz = motion.y[:3, -1]
    assert np.hypot(px, py) <= size * abs(pz)
    after = motion.y[:, motion.t > events[0].time]
    assert (after == after[:, :1]).all()
    assert np.abs(motion.residual).max() < 1e-12
    data = motion.dataset
    assert_allclose(data.nonideal_work.values, data.energy.values - data.energy.values[0], atol=1e-10)


@pytest.mark.parametrize("direction", [0.0, 0.7])
def test_in_an_upright_plane_the_bowl_is_the_rough_ring(direction):
    """From rest at the rim, where speed and normal force are zero: it goes to and fro and stops for an instant."""
    turns = rough_ring(0.2, 0.0, 0.0, G / 2)
    along = np.array([np.cos(direction), np.sin(direction)])
    motion = bowl().simulate({x: 2 * along[0], y: 2 * along[1], z: 0.0}, turns[-1].time + 1.0, parameters={mu: 0.2})
    events = told(motion, *FRICTION)
    assert [e.kind for e in events] == [turn.kind for turn in turns]
    assert_allclose([e.time for e in events], [turn.time for turn in turns], atol=1e-10)
    places = np.array([e.state[:3] for e in events])
    assert_allclose(places[:, :2] @ along, 2 * np.cos([turn.angle for turn in turns]), atol=1e-10)
    assert_allclose(places[:, :2] @ [-along[1], along[0]], 0.0, atol=1e-12)
    assert_allclose(places[:, 2], 2 * np.sin([turn.angle for turn in turns]), atol=1e-10)


# -- the references by themselves -----------------------------------------------------------------------------


@pytest.mark.parametrize(("kappa", "psi"), [(0.4, 1.5), (0.9, 3.0), (1.3, 2.5), (2.0, 3.1)])
def test_the_closed_form_on_an_incline_is_the_motion(kappa, psi):
    """Against SciPy in (x, y, v, ψ), and its speed against the angle."""
    tilt = 0.4
    exact = Slope(tilt, kappa, 2.0, psi)
    pull = G * np.sin(tilt)
    end = 0.9 * exact.stop[0] if kappa > 1 else 1.0

    def rates(_, s):
        v, a = s[2:]
        return [v * np.cos(a), v * np.sin(a), pull * (np.cos(a) - kappa), -pull * np.sin(a) / v]

    px, py, v, a = advance(rates, 0.0, [0.0, 0.0, 2.0, psi], end)
    assert_allclose(exact.at(end), [px, py, v * np.cos(a), v * np.sin(a)], atol=1e-11)


def test_the_bowl_loses_what_friction_takes():
    """SciPy's bowl by itself: on the sphere, and energy less the work of friction stays."""
    for size, start in STARTS:
        first = bowl_start(start)

        def rates(_, s, size=size):
            v, N = s[3:6], (s[3:6] @ s[3:6] - G * s[2]) / 2
            return [*in_bowl(size)(0.0, s[:6]), -size * N * np.sqrt(v @ v)]

        end = leg(rates, 0.0, [*first, 0.0], 50.0, [lambda _, s: s[3:6] @ s[3:6] - 1e-12])
        energy = [s[3:6] @ s[3:6] / 2 + G * s[2] for s in (end.state, first)]
        assert_allclose(energy[0] - energy[1], end.state[6], atol=1e-11)
        assert_allclose(end.state[:3] @ end.state[:3], 4.0, atol=1e-11)
        assert np.hypot(*end.state[:2]) < size * abs(end.state[2])


def test_a_turntable_that_spins_up_lets_go_and_energy_is_kept() -> None:
    """ω = 0.4 t: it slips where 0.4² + (0.4 t)⁴ = (μg)², and friction turns from the first moment on."""
    turns = [x.diff() + 0.4 * t * y, y.diff() - 0.4 * t * x]
    system = da.System.from_lagrangian(
        1.3 * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - 1.3 * G * z,
        [x, y, z],
        constraints=[da.Holonomic(z, nature=da.Coulomb(0.25, sliding=turns))],
    )
    motion = system.simulate({x: 1.0}, until=5.0)
    (slip,) = motion.events
    assert_allclose(slip.time, ((0.25 * G) ** 2 - 0.16) ** 0.25 / 0.4, rtol=1e-13)
    turned = 0.2 * slip.time**2
    assert_allclose(slip.state[:2], [np.cos(turned), np.sin(turned)], rtol=1e-12)
    assert np.abs(motion.balance - motion.balance[0]).max() < 1e-11 * np.abs(motion.works).sum(axis=0).max()
    assert motion.verify()
