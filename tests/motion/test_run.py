"""Motions against closed forms, invariants and the plain twin."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipj, ellipk
from sympy import cos, sin, sqrt

import dalembert as da
from dalembert import gallery
from derive.generator import Generated
from gallery_models import SMOOTH
from motion.systems import (
    angle_pendulum,
    corners,
    driven_bead,
    falling_with_drag,
    four_bar,
    free_body,
    g,
    parallelogram,
    pendulum,
    phi,
    rotation,
    t,
    theta,
    turning,
    x,
    y,
    z,
)

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
PERIOD = 4 * ellipk(0.5) / np.sqrt(9.81)  # of a pendulum let go at a right angle


def swing(times, amplitude=np.pi / 2):
    """θ and θ' of a pendulum let go at an angle, by Jacobi's elliptic functions."""
    modulus, w = np.sin(amplitude / 2), np.sqrt(9.81)
    sn, cn, _dn, _ = ellipj(ellipk(modulus**2) - w * times, modulus**2)
    return 2 * np.arcsin(modulus * sn), -2 * w * modulus * cn


@pytest.mark.parametrize("tolerance", [None, 1e-9, 1e-13])
@pytest.mark.parametrize("amplitude", [np.pi / 2, 1.0, 2.5])
def test_the_pendulum_swings_as_elliptic_functions_say(amplitude, tolerance):
    """At a right angle the series has the orders 2, 6, 10, …: the last two coefficients are no guide to the step."""
    motion = angle_pendulum().simulate({theta: amplitude}, until=10.0, tolerance=tolerance)
    exact = swing(motion.t, amplitude)
    assert_allclose(motion.y, exact, atol=1e-12 if tolerance is None else 200 * tolerance)
    assert motion.status.ok
    assert len(motion.t) == 201


def test_the_pendulum_in_cartesian_coordinates():
    motion = pendulum().simulate({x: 1.0}, until=10.0)
    angle, rate = swing(motion.t)
    exact = [np.sin(angle), -np.cos(angle), rate * np.cos(angle), rate * np.sin(angle)]
    assert_allclose(motion.y, exact, atol=1e-12)
    tension = -2 * motion.along.multipliers[:, 0]  # Qᶜ = Aᵀλ = 2λ (x, y) for a rod of length one
    assert_allclose(tension, rate**2 + 9.81 * np.cos(angle), atol=1e-11)


def test_a_hundred_thousand_periods():
    motion = pendulum().simulate({x: 1.0}, until=1e5 * PERIOD, samples=20_001)
    assert motion.status.ok
    assert np.abs(motion.residual).max() < 1e-12
    assert np.abs(motion.y[0] * motion.y[2] + motion.y[1] * motion.y[3]).max() < 1e-12
    assert np.abs(motion.along.energy).max() / 9.81 < 1e-11
    assert motion.statistics["projections"] == len(motion.projections) > 0
    assert all(p.after <= p.before for p in motion.projections)
    assert motion.statistics["largest_drift"] <= 256 * 2.0**-52


def test_redundant_rows_move_as_each_once():
    start = four_bar().start(dict(zip(corners, (0.2, 0.9, 1.6, 1.3), strict=True)))
    once, twice = (four_bar(n).simulate(start, until=10.0) for n in (1, 2))
    assert_allclose(twice.y, once.y, atol=1e-10)
    assert_allclose(twice.along.ideal, once.along.ideal, atol=1e-8)
    assert_allclose(twice.along.multipliers[:, :3], once.along.multipliers / 2, rtol=1e-7, atol=1e-8)
    assert_allclose(twice.along.multipliers[:, 3:], once.along.multipliers / 2, rtol=1e-7, atol=1e-8)


def test_a_mass_matrix_singular_alone():
    """A hundred turns about the middle axis: energy and angular momentum in space stay."""
    body, e = free_body()
    spin = np.array([0.3, 2.0, 0.1])
    start = dict(zip(e, (1.0, 0.0, 0.0, 0.0), strict=True))
    start |= dict(zip([q.diff() for q in e], (0.0, *spin / 2), strict=True))
    motion = body.simulate(start, until=100 * np.pi)
    momentum = np.array([[1.0], [2.0], [3.0]]) * np.array(turning(motion.y[:4], motion.y[4:]))
    in_space = np.einsum("kij,jk->ki", rotation(motion.y[:4]), momentum)
    assert_allclose(in_space, np.tile([0.3, 4.0, 0.3], (len(motion.t), 1)), atol=1e-10)
    assert_allclose(motion.along.energy, (0.09 + 8.0 + 0.03) / 2, atol=1e-10)


def test_a_constraint_that_moves_does_work():
    """r'' = w²r on a turning wire: the wire gives the bead exactly the energy it gains."""
    system, w = driven_bead()
    motion = system.simulate({x: 1.0}, until=3.0)
    r = np.cosh(w * motion.t)
    assert_allclose(motion.y[0], r * np.cos(w * motion.t), atol=1e-12)
    gained = 0.5 * 2.0 * w**2 * (np.sinh(w * motion.t) ** 2 + r**2 - 1)
    assert_allclose(motion.works.sum(axis=0), gained, atol=1e-12)
    assert_allclose(motion.along.energy - motion.along.energy[0], gained, atol=1e-12)


@pytest.mark.parametrize("a0", [0.05, 0.1, 1.0])
def test_energy_lost_is_the_work_of_the_constraint(a0):
    system = da.System.load(gallery.path("nonholonomic-particle"))
    motion = system.simulate(parameters={"a0": a0})
    forces, ideal, nonideal, impact = motion.works
    assert not impact.any()
    assert_allclose(motion.along.energy - motion.along.energy[0], forces + nonideal, atol=1e-10)
    assert nonideal[-1] < -1e-2
    assert_allclose(ideal, 0, atol=1e-12)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-10)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_gallery_moves_as_the_plain_twin_says(name):
    system = da.System.load(gallery.path(name))
    fast, plain = (system.simulate(samples=21, engine=engine) for engine in ("taylor", "plain"))
    assert_allclose(fast.y, plain.y, rtol=1e-12, atol=1e-12)
    assert_allclose(fast.works, plain.works, rtol=1e-11, atol=1e-11)
    for ours, theirs in zip(fast.along, plain.along, strict=True):
        assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)
    assert_allclose(fast.residual, plain.residual, atol=1e-10)


@pytest.mark.parametrize("seed", range(400, 425))
def test_generated_systems_move_as_the_plain_twin_says(seed):
    case = Generated(seed)
    start = case.system.start(case.state, t=case.time)
    fast, plain = (
        case.system.simulate(start, case.time + 0.2, t0=case.time, samples=5, tolerance=1e-12, engine=engine)
        for engine in ("taylor", "plain")
    )
    assert_allclose(fast.y, plain.y, atol=1e-10 * (1 + np.abs(plain.y).max()))
    assert_allclose(fast.balance, plain.balance, atol=1e-9 * (1 + np.abs(plain.balance).max()))


def test_better_rows_are_taken_on_the_way():
    """Three directions that turn at different rates: whichever two are taken are parallel at some time."""
    rows = [da.Nonholonomic(cos(n * t) * x.diff() + sin(n * t) * y.diff(), f"row {n}") for n in (1, 2, 4)]
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - g * z, [x, y, z], constraints=rows, parameters={g: 2.0}
    )
    motion = system.simulate({z: 1.0}, until=3.0, t0=0.5)
    assert [e.kind for e in motion.events] == ["rows"] * len(motion.events)
    assert len(motion.events) >= 1
    assert_allclose(motion.y[2], 1 - (motion.t - 0.5) ** 2, atol=1e-12)
    assert_allclose(motion.along.acceleration, np.tile([0.0, 0.0, -2.0], (len(motion.t), 1)), atol=1e-12)
    later = system.simulate({z: 1.0}, until=4.0, t0=0.5, throw=False)  # at t = π all three are parallel
    assert later.status.ending == "singular"
    assert later.end_time == pytest.approx(np.pi, abs=2e-3)


def test_where_the_rank_drops_the_run_stops_or_passes():
    system, start = parallelogram()
    stopped = system.simulate(start, until=10.0, throw=False)
    assert stopped.status.ending == "singular"
    assert "rank of the constraints drops at t = 1.57" in stopped.status
    assert stopped.end_time == pytest.approx(np.pi / 2, abs=2e-3)
    exact = [np.sin(stopped.t), np.cos(stopped.t), 2 + np.sin(stopped.t), np.cos(stopped.t)]
    assert_allclose(stopped.y[:4], exact, atol=1e-8)
    passed = system.simulate(start, until=10.0, singular="pass")
    assert [e.time for e in passed.events] == pytest.approx([np.pi / 2, 3 * np.pi / 2, 5 * np.pi / 2], abs=2e-4)
    assert_allclose(passed.y[:2], [np.sin(passed.t), np.cos(passed.t)], atol=1e-8)


def test_where_the_mass_matrix_is_singular_the_run_stops():
    """Spherical coordinates have no inertia of the azimuth at the pole."""
    system = da.System.from_lagrangian(
        (theta.diff() ** 2 + sin(theta) ** 2 * phi.diff() ** 2) / 2 + g * cos(theta), [theta, phi], parameters={g: 9.81}
    )
    motion = system.simulate({theta: 1.0}, until=10.0, throw=False)
    quarter = ellipk(np.sin(0.5) ** 2) / np.sqrt(9.81)
    assert motion.status.ending == "singular"
    assert "the inertia of phi vanishes" in motion.status
    assert motion.end_time == pytest.approx(quarter, abs=2e-3)
    assert motion.end_time < quarter


def test_drag_that_has_no_series_at_rest():
    """|v| v at rest and where the motion turns: closed forms of falling and of rising against drag."""
    system = falling_with_drag()
    v_end, rate = np.sqrt(9.81 / 0.2), np.sqrt(9.81 * 0.2)
    falling = system.simulate({}, until=2.0)
    assert_allclose(falling.y[5], -v_end * np.tanh(rate * falling.t), atol=1e-12)
    up = system.simulate({z.diff(): 5.0}, until=2.0)
    top = np.arctan(5.0 / v_end) / rate
    rising = up.t < top
    exact = np.where(
        rising, v_end * np.tan(np.arctan(5.0 / v_end) - rate * up.t), -v_end * np.tanh(rate * (up.t - top))
    )
    assert_allclose(up.y[5], exact, atol=1e-11)
    assert [e.kind for e in up.events] == ["crossing"]
    assert_allclose(up.balance, up.balance[0], atol=1e-10)


def test_time_in_the_equations_is_the_time_of_the_run():
    """x'' = cos t from t0 = 2."""
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 + x * cos(t), [x])
    motion = system.simulate({x: 0.3, x.diff(): -0.2}, until=20.0, t0=2.0)
    s = motion.t
    assert_allclose(motion.y[0], 0.3 - 0.2 * (s - 2) - np.cos(s) + np.cos(2) - np.sin(2) * (s - 2), atol=1e-12)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-11)


def test_large_work_does_not_loosen_the_tolerance():
    """A force that does 1e9 J on one mass leaves the swing of another exact."""
    system = da.System.from_lagrangian(
        5e5 * x.diff() ** 2 + theta.diff() ** 2 / 2 + 9.81 * cos(theta), [x, theta], forces={x: 1e8}
    )
    motion = system.simulate({theta: 1.0}, until=1.0)
    assert motion.works[0, -1] == pytest.approx(1e8 * 50.0)
    assert_allclose(motion.y[1], swing(motion.t, 1.0)[0], atol=1e-11)


def test_square_roots_that_stay_positive_are_no_obstacle():
    system = da.System.from_lagrangian(x.diff() ** 2 / 2 - sqrt(1 + x**2), [x])
    motion = system.simulate({x: 2.0}, until=20.0)
    assert not motion.events
    assert_allclose(motion.balance, motion.balance[0], atol=1e-13)


def test_a_place_that_is_passed_is_not_counted_as_a_defect():
    """Two equal cylinders meet in two ellipses that cross: a free bead goes on along its own, x = y."""
    system = da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2,
        [x, y, z],
        constraints=[da.Holonomic(x**2 + z**2 - 1), da.Holonomic(y**2 + z**2 - 1)],
    )
    start = {x: 0.6, y: 0.6, z: 0.8, x.diff(): 0.8, y.diff(): 0.8, z.diff(): -0.6}
    motion = system.simulate(start, until=3.0, singular="pass")
    assert [event.kind for event in motion.events] == ["passed"]
    assert_allclose(motion.y[0], motion.y[1], atol=1e-9)
    assert_allclose((motion.y[3:] ** 2).sum(axis=0), 2 * 0.64 + 0.36, rtol=1e-9)
    assert motion.statistics["largest_defect"] < 1e-13
    assert motion.verify().passed
