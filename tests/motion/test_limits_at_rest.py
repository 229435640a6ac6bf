"""Where friction begins to slip in a plane its force is a limit from later; what exists at rest is not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
t = dynamicsymbols._t
G = 9.81


def table(m, potential, forces=None, mu=0.3, static=0.39, moving=(0, 0)):
    energy = m * sum(q.diff() ** 2 for q in (x, y, z)) / 2 - m * G * z - potential
    sliding = [x.diff() - moving[0], y.diff() - moving[1]]
    rough = da.Holonomic(z, nature=da.Coulomb(mu, static=static, sliding=sliding), name="table")
    return da.System.from_lagrangian(energy, [x, y, z], forces=forces or {}, constraints=[rough])


@pytest.mark.parametrize("m", [0.2, 0.8])
def test_a_puck_between_two_springs_let_go_at_rest(m):
    """Swings along a line, each half 2μmg/k shorter; its energy at the start is that of the springs, to rounding."""
    k, mu = 12.0, 0.3
    springs = 2.5 * (x**2 + y**2) + 3.5 * ((x - 0.5) ** 2 + (y + 0.2) ** 2)
    motion = table(m, springs).simulate({y: 1.1}, until=2.5)
    middle = 7 / k * np.array([0.5, -0.2])
    away = np.array([0.0, 1.1]) - middle
    assert_allclose(motion.along.energy[0], 2.5 * 1.21 + 3.5 * (0.25 + 1.69), rtol=1e-15)
    size = np.abs(motion.along.energy).max() + np.abs(motion.works).max()
    assert np.abs(motion.balance - motion.balance[0]).max() < 1e-13 * size
    assert_allclose(motion.along.nonideal[0][:2], mu * m * G * away / np.linalg.norm(away), rtol=1e-9)
    turned = np.array([e.time for e in motion.events if e.kind == "reverse"])
    assert len(turned)
    assert_allclose(turned, np.pi * np.sqrt(m / k) * (1 + np.arange(len(turned))), rtol=1e-12)
    found = motion.verify()
    assert found.passed, found.text()


@pytest.mark.parametrize("until", [1.0, 500.0])
def test_the_limit_does_not_depend_on_how_long_it_slips(until):
    """Pulled by a force that turns: at the start friction is against it, however long the run goes on."""
    pull = {x: 5 * cos(20 * t) + 6, y: 5 * sin(20 * t) + 1}
    motion = table(1.0, 0, pull).simulate({}, until, samples=3)
    assert len(motion.episodes) == 1
    away = np.array([11.0, 1.0]) / np.hypot(11, 1)
    assert_allclose(motion.along.nonideal[0][:2], -0.3 * G * away, rtol=1e-8)
    assert_allclose(motion.along.acceleration[0][:2], [11, 1] - 0.3 * G * away, rtol=1e-8)
    assert motion.along.energy[0] == 0


def test_on_a_table_that_moves():
    """At rest on what moves there is the energy of that; friction has the direction of what slides it."""
    motion = table(1.0, 0, {x: 3, y: 4}, moving=(0.7, 0.1)).simulate({x.diff(): 0.7, y.diff(): 0.1}, until=1.0)
    assert_allclose(motion.along.energy[0], 0.25, rtol=1e-15)
    assert_allclose(motion.along.nonideal[0][:2], -0.3 * G * np.array([0.6, 0.8]), rtol=1e-8)
    assert np.abs(motion.balance - motion.balance[0]).max() < 1e-13 * 30
    assert motion.verify().passed
