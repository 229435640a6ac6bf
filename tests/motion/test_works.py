"""The work of forces, by closed forms and quadratures that know nothing of the steps of a run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sympy import Rational, atan, exp, sin

import dalembert as da
from motion.systems import t, x, y

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
v = x.diff()


@pytest.mark.parametrize("until", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("power", [12, 15, 19])
def test_a_force_that_is_nothing_at_first(power, until):
    motion = da.System.from_forces([[1]], [t**power], [x]).simulate({}, until=until)
    speeds = motion.t ** (power + 1) / (power + 1)
    assert_allclose(motion.dataset.force_work, speeds**2 / 2, rtol=1e-12)
    assert motion.verify().passed


def test_a_power_above_the_order_of_the_steps():
    motion = da.System.from_forces([[1]], [t**45], [x]).simulate({}, until=3.0)
    speeds = motion.t**46 / 46
    assert_allclose(motion.dataset.force_work, speeds**2 / 2, rtol=1e-12, atol=1e-13 * speeds[-1] ** 2)
    assert motion.verify().passed


@pytest.mark.parametrize("force", [atan(t**12), t**12 / (1 + t**12), sin(t**12), t**30 / (1 + t**30)])
def test_the_work_is_the_energy(force):
    motion = da.System.from_forces([[1]], [force - x], [x]).simulate({}, until=1.5)
    assert_allclose(motion.dataset.force_work, motion.y[1] ** 2 / 2, rtol=1e-12)
    assert motion.verify().passed


def test_a_load_that_moves_nothing_but_works():
    """A pulse along a constraint that moves: no acceleration knows of it, and both works do."""
    pulse = 1000 * exp(-(((t - Rational(5, 2)) * 40) ** 2))
    system = da.System.from_forces([[1]], [pulse], [x], constraints=[da.Holonomic(x - sin(t), name="led")])
    motion = system.simulate({}, until=5.0)
    work, _ = quad(lambda s: 1000 * np.exp(-(((s - 2.5) * 40) ** 2)) * np.cos(s), 2.2, 2.8, epsabs=1e-12, epsrel=1e-12)
    assert_allclose(motion.dataset.force_work[-1], work, rtol=1e-11)
    assert_allclose(motion.dataset.ideal_work[-1], (np.cos(5.0) ** 2 - 1) / 2 - work, rtol=1e-11)
    assert motion.verify().passed


def test_a_drag_along_a_constraint_that_acts_late():
    drag = da.Prescribed({x: -(t**14) * v, y: -(t**14) * y.diff()})
    circle = da.Holonomic(x**2 + y**2 - 1, name="circle", nature=drag)
    motion = da.System.from_lagrangian((v**2 + y.diff() ** 2) / 2, [x, y], constraints=[circle]).simulate(
        {x: 1.0, y.diff(): 1.0}, until=2.0
    )
    speeds = np.exp(-(motion.t**15) / 15)
    assert_allclose(motion.dataset.nonideal_work, (speeds**2 - 1) / 2, atol=1e-13)
    assert motion.verify().passed


def test_the_samples_have_no_part_in_it():
    system = da.System.from_forces([[1]], [t**15 - v], [x])
    few, many = (system.simulate({}, until=3.0, samples=count) for count in (2, 4001))
    assert np.array_equal(few.works[:, -1], many.works[:, -1])
    assert_allclose(many.dataset.balance, 0.0, atol=1e-12 * float(few.dataset.energy[-1]))


@pytest.mark.parametrize("start", [1e-2, 1e-3, 1e-4])
def test_a_rebound_in_no_time(start):
    """x = √(a² cos² t + sin² t/a²): at t = π all velocity turns round in about a², and a time is known to rounding."""
    motion = da.System.from_forces([[1]], [1 / x**3 - x], [x]).simulate({x: start}, until=5.0)
    away = np.abs(motion.t - np.pi) > 0.1
    assert_allclose(
        motion.y[0][away], np.hypot(start * np.cos(motion.t[away]), np.sin(motion.t[away]) / start), rtol=1e-8
    )
    assert motion.verify().passed


def test_a_work_that_is_wrong_is_seen():
    """The clock excuses no work that was not done."""
    motion = da.System.from_forces([[1]], [1 / x**3 - x], [x]).simulate({x: 1e-3}, until=5.0)
    motion.works.flags.writeable = True
    motion.works[0] += np.where(motion.t > 1.0, 1e-6 * motion.works[0].max(), 0.0)
    assert not next(check for check in motion.verify().checks if check.name == "energy").passed
