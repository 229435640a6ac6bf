"""Where no constraint force does work, the actual multipliers are the multipliers: one number, not two."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Integer

import dalembert as da
from motion.systems import g, m, x, y

ENGINES = ["plain", pytest.param("taylor", marks=pytest.mark.compiled)]


START = {x: 0.6, y: -0.8, x.diff(): 0.4, y.diff(): 0.3}


def pendulum(factors, nature=None):
    """A pendulum whose rod is stated once for each factor."""
    level = x**2 + y**2 - 1
    rows = [da.Holonomic(Integer(f) * level if f >= 1 else f * level, f"rod {i}") for i, f in enumerate(factors)]
    if nature is not None:
        rows[0] = da.Holonomic(rows[0].expr, rows[0].name, nature)
    return da.System.from_particles(
        [da.Particle(m, (x, y))],
        potential=m * g * y,
        constraints=rows,
        parameters={m: 2.0, g: 9.81},
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("factors", [[1], [1, 3], [1, 1, 1], [1, 100000], [1, 2, -5]], ids=str)
def test_they_are_the_same_where_C_is_zero(engine, factors):
    motion = pendulum(factors).simulate(START, 1.0, samples=7, engine=engine)
    data = motion.dataset
    assert_allclose(data.reaction, data.multiplier, rtol=1e-12, atol=1e-12 * float(np.abs(data.multiplier).max()))


@pytest.mark.parametrize("engine", ENGINES)
def test_both_are_the_shortest_in_the_rows_as_stated(engine):
    """λ_i ∝ c_i for rows c_i φ: λ = c m (g y − v²)/(2 Σ c²) on the unit circle."""
    factors = np.array([1, 2, -5])
    motion = pendulum(factors.tolist()).simulate(START, 1.0, samples=7, engine=engine)
    data = motion.dataset
    v2 = data.x_dot**2 + data.y_dot**2
    single = (2.0 * (9.81 * data.y - v2) / 2).values
    expected = single[:, None] * factors / (factors**2).sum()
    assert_allclose(data.multiplier, expected, rtol=1e-9)
    assert_allclose(data.reaction, expected, rtol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_they_differ_where_a_work_doing_force_presses_on_the_constraint(engine):
    """A force of 7 along x, and its answer: λ̂ = λ − S⁻¹ A M⁻¹ C."""
    system = pendulum([1], da.Prescribed({x: 7}))
    motion = system.simulate(START, 1.0, samples=5, engine=engine)
    data = motion.dataset
    along = np.column_stack([data.x, data.y]) * 2  # A
    push = along @ [7.0, 0.0] / np.sum(along**2, axis=1)
    assert_allclose(data.reaction[:, 0], data.multiplier[:, 0] - push, rtol=1e-9)


def test_at_an_instant_they_are_the_same_by_every_principle():
    """The actual multipliers are those of a system in which C acts as a force; with C = 0 nothing changes."""
    now = pendulum([1, 3, 1e-6]).instant(START)
    actual = da.Instant(now.M, now.Q + now.C, now.A, now.b)
    for principle in da.principles.values():
        assert_allclose(principle(actual).multipliers, principle(now).multipliers, rtol=1e-14)
