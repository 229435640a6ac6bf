"""The truths of the attack, each against a closed form, a conservation law or another route."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

from attack.case import Case, Truth
from attack.classes import impacts, light, onesided, rheonomic
from attack.classes.frictional import on_turntable
from attack.known import friction
from attack.registry import CLASSES, make
from attack.route import second_route
from attack.truth import gbs, hybrid
from attack.truth.bounce import ball, line_of_balls
from attack.truth.box import Box
from attack.truth.gbs import Real, real
from attack.truth.leastnorm import least_norm
from attack.truth.moreau import Contacts
from attack.truth.planar import Puck
from attack.truth.rubbing import Blocks, Track
from attack.truth.zones import zones
from attack.units import Units

HERE = Path(__file__).parent


def test_no_truth_imports_the_program():
    code = (
        "import sys; from importlib import import_module; from attack.registry import CLASSES, make\n"
        "for kind in CLASSES: make(f'{kind}:0')\n"
        "import attack.found; assert not [m for m in sys.modules if m.split('.')[0] == 'dalembert']"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE.parent)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_case_is_a_function_of_its_seed(kind):
    for seed in range(14):
        one, two = make(f"{kind}:{seed}"), make(f"{kind}:{seed}")
        assert one.label == two.label
        assert one.statement.text() == two.statement.text()
        assert dict(one.start) == dict(two.start)
        assert np.array_equal(one.times, two.times)
        assert dict(one.options) == dict(two.options)


def test_extrapolation_against_elliptic_functions():
    """A pendulum let go at 2.5 rad: sin(θ/2) = k sn(K − t)."""
    times = [0.0, 1.0, 5.0, 10.0]
    made = gbs.solve(lambda _, s: [s[1], -np.sin(s[0])], [Real("2.5"), 0], times)
    with mp.workdps(30):
        k = mp.sin(mp.mpf("1.25"))
        quarter = mp.ellipk(k**2)
        right = [2 * mp.asin(k * mp.ellipfun("sn", quarter - mp.mpf(s), m=k**2)) for s in times]
    assert_allclose(made.states[:, 0].astype(float), [float(v) for v in right], atol=1e-15)
    assert made.error < 1e-14


def test_extrapolation_sees_its_own_error():
    """A pulse narrower than the step is passed over by one run and not by the other."""

    def rate(t, s):
        return [s[1], np.exp(-(((t - Real("6.3")) / Real("0.001")) ** 2))]

    made = gbs.solve(rate, [0, 0], [0.0, 10.0], longest=0.3, absolute=1e-6)
    right = 0.001 * float(np.sqrt(np.pi))
    assert abs(float(made.states[-1, 1]) - right) < 1e-12 or made.error > 1e-9


def test_friction_on_a_spring_by_half_periods():
    """Each half swing is 2μg/k shorter than the one before."""
    blocks = Blocks(
        real([1]), real([0]), real(["9.81"]), lambda _, p, v: -20 * p, lambda s: Real("0.1") + 0 * s, real(["0.1"])
    )  # fmt: skip
    done = hybrid.solve(blocks.begin(0, ["0.5"], [0]), [Real("0.5"), 0], [0.0, 5.0])
    half = np.pi / np.sqrt(20.0)
    assert [kind for _, kind in done.events] == ["reverse"] * 4 + ["stick"]
    assert_allclose([time for time, _ in done.events], half * np.arange(1, 6), rtol=1e-15)
    assert abs(float(done.states[-1, 0]) - (-0.5 + 10 * 0.1 * 9.81 / 20)) < 1e-15


def test_belt_against_its_closed_period():
    """Static 1, kinetic 0.6, belt 0.2: slips for 2 (π − atan 2), sticks for 4."""
    blocks = Blocks(real([1]), real(["0.2"]), real([1]), lambda _, p, v: -p, lambda s: Real("0.6") + 0 * s, real([1]))
    done = hybrid.solve(blocks.begin(0, [1], ["0.2"]), [Real(1), Real("0.2")], [0.0, 20.0])
    slips = [time for time, kind in done.events if kind == "slip"]
    sticks = [time for time, kind in done.events if kind == "stick"]
    assert_allclose(np.diff(slips), 2 * (np.pi - np.arctan(2.0)) + 4, rtol=1e-14)
    assert_allclose(np.array(slips[1:]) - np.array(sticks[: len(slips) - 1]), 4.0, rtol=1e-14)


def test_belt_against_scipy():
    """Friction that falls with the speed, event by event in SciPy."""
    blocks = Blocks(real([1]), real(["0.5"]), real([1]), lambda _, p, v: -2 * p, lambda s: 1 / (1 + 3 * s), real([1]))
    done = hybrid.solve(blocks.begin(0, [0], [0]), [Real(0), Real(0)], [0.0, 0.4, 1.5, 3.0])
    state, time, seen = np.array([0.0, 0.0]), 0.0, {0.0: [0.0, 0.0]}
    sign = -1
    while time < 3.0:  # slips backward from rest, then sticks until 2x = 1, and so on

        def rate(_, s, sign=sign):
            slip = s[1] - 0.5
            return [s[1], -2 * s[0] - sign / (1 + 3 * abs(slip))] if sign else [0.5, 0.0]

        def event(_, s, sign=sign):
            return sign * (s[1] - 0.5) if sign else 1 - abs(2 * s[0])

        event.terminal, event.direction = True, -1
        part = solve_ivp(rate, (time, 3.0), state, "DOP853", events=event, rtol=1e-12, atol=1e-14, dense_output=True)
        seen |= {s: part.sol(s) for s in (0.4, 1.5, 3.0) if time < s <= part.t[-1]}
        time, state = part.t[-1], part.y[:, -1].copy()
        if part.status == 0:
            break
        state[1] = 0.5
        sign = 0 if sign else int(np.sign(-2 * state[0]))
        if not sign and abs(2 * state[0]) > 1:
            sign = int(np.sign(-2 * state[0]))
        state[1] += 1e-12 * sign
    assert_allclose(done.states[1:].astype(float), [seen[s] for s in (0.4, 1.5, 3.0)], atol=1e-8)


def test_rough_ring_by_its_linear_equation():
    """d(w²)/dθ is linear in w² while N and the sense keep their signs."""
    mu = Real("0.2")
    track = Track(
        lambda s: ((np.sin(s), -np.cos(s)), (np.cos(s), np.sin(s)), (-np.sin(s), np.cos(s))),
        lambda _, r: (Real(0), Real(-9)),
        mu,
        mu,
    )
    done = hybrid.solve(track.begin(0, 0, 3), [Real(0), Real(3)], [0.0, 0.2])
    angle, w = done.states[-1]
    # w² = C e^{−2μθ} + particular solution of (w²)' = −18 sin θ − 2μ (w² + 9 cos θ)
    k = float(mu)
    scale = 18 / (1 + 4 * k * k)

    def part(a):
        return scale * ((1 - 2 * k * k) * np.cos(a) - 3 * k * np.sin(a))

    right = (9 - part(0.0)) * np.exp(-2 * k * float(angle)) + part(float(angle))
    assert abs(float(w * w) - right) < 1e-13


def test_hemisphere_is_left_at_two_thirds():
    """From rest near the top, cos θ = 2/3 of the start."""
    case = onesided.make(9)
    truth = case.truth()
    start = [float(v) for v in case.start.values()]
    (time, kind), *_ = truth.events
    assert kind == "release"
    g, a, p, w = 9.81, start[0], start[1], start[3]
    # N = 0: a θ'² = g cos θ with a θ'² = a w² + 2 g (cos p − cos θ)
    angle = np.arccos((a * w * w + 2 * g * np.cos(p)) / (3 * g))
    done = solve_ivp(lambda _, s: [s[1], g / a * np.sin(s[0])], (0, time), [p, w], "DOP853", rtol=1e-13, atol=1e-15)
    assert abs(done.y[0, -1] - angle) < 1e-10


def test_zones_by_half_periods():
    """A spring of stiffness 4 on one side and 1 on the other: half periods π/2 and π."""

    def rate(_, s, signs):
        return [s[1], -(4 if signs[0] > 0 else 1) * s[0]]

    start = real([0, 2])
    times = [0.0, np.pi / 4, np.pi / 2, np.pi]
    done = hybrid.solve(zones(rate, [lambda _, s: s[0]], start), start, times)
    assert_allclose(done.states[:, 0].astype(float), [0, 1, 0, -2], atol=1e-15)


def test_puck_goes_straight_and_stops():
    zero = (Real(0), Real(0))
    table = Puck(Real(2), lambda *_: zero, lambda *_: zero, lambda *_: zero, lambda *_: Real(0))
    made = table.truth([0, 0, Real("1.2"), Real("1.6")], [0.0, 0.5, 0.9, 2.0], lambda _, s: s)
    assert_allclose(made.events[0][0], 1.0, atol=1e-15)
    assert_allclose(made.states[-1].astype(float), [0.6, 0.8, 0, 0], atol=1e-15)


def test_turntable_against_smooth_friction():
    """The same with friction made smooth over 1e-5 m/s: as near as that lets it be."""
    mu, w = 0.3, 0.8
    case = on_turntable(mu, w, [0.3, -0.2, 1.0, 0.5], 2.0)
    truth = case.truth()
    start = [float(v) for v in case.start.values()]

    def rate(_, s):
        u = np.array([s[2] + w * s[1], s[3] - w * s[0]])
        return [s[2], s[3], *(-mu * 9.81 * u / np.sqrt(u @ u + 1e-10))]

    done = solve_ivp(
        rate, (0, case.times[-1]), [*start[:2], *start[3:5]], "Radau", t_eval=case.times, rtol=1e-9, atol=1e-12
    )
    known = np.isfinite(truth.states[:, 0].astype(float))
    assert_allclose(done.y.T[known], truth.states[known][:, [0, 1, 3, 4]].astype(float), atol=2e-4)


def test_ball_against_its_events():
    """Every flight is an arc between two impacts; rest at √(2h/g) (1 + e)/(1 − e)."""
    at, hits, rest = ball(1, 0, "9.81", "0.8")
    assert abs(float(rest) - np.sqrt(2 / 9.81) * 1.8 / 0.2) < 1e-15
    for one, two in pairwise(hits[:7]):
        assert abs(at(one * (1 + Real("1e-18")))[0]) < 1e-15
        middle = at((one + two) / 2)
        assert abs(middle[1]) < 1e-15
        assert abs(middle[0] - Real("9.81") * ((two - one) / 2) ** 2 / 2) < 1e-15


def test_balls_on_a_line_keep_momentum_and_energy():
    mass, speed = [1.0, 2.0, 0.5], [2.0, -1.0, 0.3]
    states, hits = line_of_balls(mass, 1, 1, [0, 2, 4], speed, [0.0, 1.0, 3.0])
    assert hits
    for row in states:
        assert abs(float(row[3:] @ real(mass)) - np.dot(mass, speed)) < 1e-15
        assert abs(float((row[3:] ** 2) @ real(mass)) - np.dot(mass, np.square(speed))) < 1e-15


def test_box_against_time_stepping():
    """A smooth box on its corners, and the same by Moreau's steps."""
    box = Box("0.5", "0.3", 1, "0.12", "0.2", "9.81")
    start = [1.0, 0.4, 0.0, 0.3]
    times = [0.0, 0.3, 0.45, 0.6]
    right = hybrid.solve(box.flies(), start, times, longest=0.05, absolute=1e-3)

    def gaps(q):
        return q[0] + np.array(box.arms(q[1])[0], float)

    def slopes(q):
        return np.c_[np.ones(4), np.array(box.arms(q[1])[1], float)]

    steps = Contacts(np.array([1, 0.12]), lambda *_: np.array([-9.81, 0]), gaps, slopes, 0.2)
    made = steps.truth(start, times, 4e-4)
    assert right.error < 1e-12
    assert made.error < 2e-2
    assert_allclose(made.states[:, :2], right.states[:, :2].astype(float), atol=5e-3)


def test_time_stepping_of_a_bounce():
    """A ball with e = 1/2, before and after its impact, to first order in the step."""
    steps = Contacts(
        np.array([1.0]), lambda *_: np.array([-10.0]), lambda q: q.copy(), lambda q: np.array([[1.0]]), 0.5
    )
    at, _, _ = ball(1, 0, 10, "0.5")
    times = [0.0, 0.3, 0.6, 0.8]
    made = steps.truth([1.0, 0.0], times, 1e-3)
    assert_allclose(made.states, [[float(v) for v in at(Real(s))] for s in times], atol=5e-3)


def test_least_norm_among_rows_of_any_scale():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(2, 4))
    rows = np.vstack([1e-4 * A[0], A[1], 1e4 * (A[0] + A[1]), A[0] - A[1]])
    force = A.T @ [0.3, -1.2]
    lam = least_norm(rows, force)
    assert_allclose(rows.T @ lam, force, atol=1e-12)
    null = np.linalg.svd(rows.T / np.abs(rows).max())[2][2:]
    assert np.abs(null @ lam).max() < 1e-7 * np.abs(lam).max()


@pytest.mark.parametrize("weight", [0.0, 1.5])
def test_body_keeps_its_energy_and_moment(weight):
    case = light.body([1.0, 2.0, 3.0], weight, (0.5, -0.3, 0.7, 0.2), (1.0, -2.0, 0.5), 5.0)
    truth = case.truth()
    energies, moments = [], []
    for row in truth.states:
        q, d = row[:4], row[4:]
        spin = 2 * real(
            [
                -q[1] * d[0] + q[0] * d[1] + q[3] * d[2] - q[2] * d[3],
                -q[2] * d[0] - q[3] * d[1] + q[0] * d[2] + q[1] * d[3],
                -q[3] * d[0] + q[2] * d[1] - q[1] * d[2] + q[0] * d[3],
            ]
        )
        up = real([2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] ** 2 + q[2] ** 2)])
        moment = real([1, 2, 3]) * spin
        energies.append(float(moment @ spin / 2 + weight * up[2]))
        moments.append(float(moment @ up))  # about the vertical
    assert np.ptp(energies) < 1e-14
    assert np.ptp(moments) < 1e-14


def test_robot_does_not_depend_on_how_soft_its_friction_is():
    made = friction.robot(0.4, 0.45).truth()
    assert made.error < 1e-4


def test_units_keep_the_motion():
    """The truth in other units is the old one, and the statement says the same at the same place."""
    old = rheonomic.make(1)
    x, y = old.statement.coordinates
    new = Units({x: 1e3, y: 1e-2}, 10.0, 1e4, [1e-3]).case(old, "scaled")
    one, two = old.truth(), new.truth()
    size = np.array([1e3, 1e-2, 1e2, 1e-3])
    assert_allclose((two.states * size).astype(float), one.states.astype(float), rtol=1e-14)
    assert_allclose(new.times * 10.0, old.times)
    t = dynamicsymbols._t
    place = {x.diff(): 0.3, y.diff(): 0.7, x: 0.2, y: -0.4, t: 1.1}
    moved = {x.diff(): 0.3 / 1e2, y.diff(): 0.7 / 1e-3, x: 0.2 / 1e3, y: -0.4 / 1e-2, t: 0.11}
    values = old.statement.parameters
    assert_allclose(
        float(new.statement.lagrangian.subs(values).subs(moved)),
        1e4 * float(old.statement.lagrangian.subs(values).subs(place)),
        rtol=1e-12,
    )
    assert_allclose(
        float(new.statement.rows[0].expr.subs(values).subs(moved)),
        1e-3 * float(old.statement.rows[0].expr.subs(values).subs(place)),
        rtol=1e-12,
    )


SMOOTH = [
    *(f"smooth:{k}" for k in (5, 8, 9, 11, 16)),
    *(f"rheonomic:{k}" for k in (0, 1, 3, 4, 5, 6, 9)),
    *(f"nonholonomic:{k}" for k in (0, 1, 2, 3, 4, 6, 19)),
    *(f"redundant:{k}" for k in (1, 2, 3, 4, 5)),
    *(f"nonideal:{k}" for k in (0, 6, 7)),
    *(f"light:{k}" for k in (0, 1, 2, 3, 4, 5)),
]


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_truths_by_a_second_route(name):
    case: Case = make(name)
    truth: Truth = case.truth()
    off = np.abs(second_route(case, 6) - truth.states[:6].astype(float)) / case.scale(truth)[:6]
    assert off.max() < 1e-6 * max(1.0, truth.growth**0.5)


def test_impacts_of_a_pendulum_keep_their_energy():
    """With e = 1 nothing is lost at a wall."""
    case = next(
        c
        for c in (impacts.make(8 + len(impacts.KINDS) * k) for k in range(20))
        if "pendulum" in c.label and "e = 1" in c.label
    )
    states = case.truth().states
    energy = (states[:, 2] ** 2 + states[:, 3] ** 2) / 2 + Real("9.81") * states[:, 1]
    assert float(np.ptp(energy)) < 1e-14
