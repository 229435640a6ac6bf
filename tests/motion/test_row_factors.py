"""A factor that is never zero says nothing of a motion: r (x² + y² − 1) = 0 is the ring, whatever r is and becomes."""

import numpy as np
import pytest
from sympy import Expr, Rational, cos, exp, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
t = dynamicsymbols._t
RING = x**2 + y**2 - 1
FACTORS = [exp(-5 * t), exp(-20 * t), exp(30 * cos(20 * t)), exp(x) / (2 + y**2), 1 / sqrt(1 + X**2 + t**2)]


def pendulum(*rows: da.Holonomic | da.Nonholonomic) -> da.System:
    return da.System.from_lagrangian((X**2 + Y**2) / 2 - y, [x, y], constraints=rows)


@pytest.mark.parametrize("engine", ["taylor", "plain"])
@pytest.mark.parametrize("factor", FACTORS[:4], ids=str)
def test_the_motion_and_forces_are_those_without_the_factor(factor: Expr, engine: str) -> None:
    plain = pendulum(da.Holonomic(RING)).simulate({x: 1}, until=5, engine=engine)
    found = pendulum(da.Holonomic(factor * RING)).simulate({x: 1}, until=5, engine=engine)
    assert found.status.ok
    assert found.verify().passed
    np.testing.assert_allclose(found.at(5.0), plain.at(5.0), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.t, plain.t)
    np.testing.assert_allclose(found.along.ideal, plain.along.ideal, rtol=0, atol=1e-12)
    times, states = found.t, found.y.T
    size = np.array([float(factor.subs({x: s[0], y: s[1], t: now})) for now, s in zip(times, states, strict=True)])
    np.testing.assert_allclose(found.along.multipliers[:, 0] * size, plain.along.multipliers[:, 0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("tolerance", [1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("factor", FACTORS[:3], ids=str)
def test_a_loose_run_is_as_exact_as_without_the_factor(factor: Expr, tolerance: float) -> None:
    truth = pendulum(da.Holonomic(RING)).simulate({x: 1}, until=5).at(5.0)
    plain, found = (
        pendulum(da.Holonomic(row)).simulate({x: 1}, until=5, tolerance=tolerance) for row in (RING, factor * RING)
    )
    assert found.verify().passed
    assert np.abs(found.at(5.0) - truth).max() <= 1.01 * np.abs(plain.at(5.0) - truth).max() + 1e-13


def test_the_residual_is_that_of_the_constraint_as_stated() -> None:
    found = pendulum(da.Holonomic(exp(-3 * t) * RING, name="ring")).simulate({x: 1}, until=4)
    off = found.y[0] ** 2 + found.y[1] ** 2 - 1
    assert np.abs(found.residual[:, 0] - np.exp(-3 * found.t) * off).max() <= 1e-15 * np.exp(-3 * found.t).max()


def test_redundant_rows_share_the_force_as_they_were_stated() -> None:
    """λ of least norm: of rows a φ and b φ with a = e^(−t), b = 2, λ is (a, b) λφ/(a² + b²)."""
    plain = pendulum(da.Holonomic(RING)).simulate({x: 1}, until=3)
    both = pendulum(da.Holonomic(exp(-t) * RING), da.Holonomic(2 * RING)).simulate({x: 1}, until=3)
    a = np.exp(-both.t)
    whole = plain.along.multipliers[:, 0]
    want = np.column_stack([a * whole, 2 * whole]) / (a**2 + 4)[:, None]
    np.testing.assert_allclose(both.along.multipliers, want, rtol=0, atol=1e-12)


def test_a_blade_with_a_factor_of_velocities_and_time() -> None:
    L = (X**2 + Y**2) / 2 - x / 5
    blade = sin(t) * X - cos(t) * Y
    plain, found = (
        da.System.from_lagrangian(L, [x, y], constraints=[da.Nonholonomic(row)]).simulate({X: 1}, until=4)
        for row in (blade, blade * FACTORS[4])
    )
    np.testing.assert_allclose(found.at(4.0), plain.at(4.0), rtol=0, atol=1e-12)


def test_friction_on_a_ring_with_a_factor() -> None:
    """Coulomb's friction follows the force of the constraint, not its multiplier."""
    rough = da.Coulomb(Rational(1, 5))
    rows = (da.Holonomic(row, nature=rough) for row in (RING, exp(-4 * x) * RING))
    plain, found = (pendulum(row).simulate({x: 1}, until=6) for row in rows)
    assert found.status.ok
    assert [e.kind for e in found.events] == [e.kind for e in plain.events]
    np.testing.assert_allclose(found.at(6.0), plain.at(6.0), rtol=0, atol=1e-11)


def test_a_nature_that_names_the_multiplier_keeps_the_row_as_it_is_stated() -> None:
    """A drag of λ x'/10 with λ of 2 φ = 0 is that of φ = 0 with λ/2; so with a factor that varies."""
    lam = da.multiplier("ring")
    named, bare = (
        pendulum(da.Holonomic(row, name="ring", nature=da.Prescribed({x: -drag * X / 10, y: -drag * Y / 10})))
        for row, drag in ((exp(-t) * RING, lam), (RING, lam * exp(t)))
    )
    found, plain = (system.simulate({x: 1}, until=1) for system in (named, bare))
    np.testing.assert_allclose(found.at(1.0), plain.at(1.0), rtol=0, atol=1e-12)
    assert np.abs(found.at(1.0) - pendulum(da.Holonomic(RING)).simulate({x: 1}, until=1).at(1.0)).max() > 1e-3


def test_a_factor_that_can_vanish_stays() -> None:
    """At t = 1 the row t − 1 says nothing: the run must see it."""
    found = pendulum(da.Holonomic((t - 1) * RING)).simulate({x: 1}, until=2, throw=False)
    assert str(found.status).startswith("singular")
    assert "t = 1:" in str(found.status)
