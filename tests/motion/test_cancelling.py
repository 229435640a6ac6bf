"""Rows with terms that cancel whatever the state say what they say without them; bounds know of rounding."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Expr, Rational, asin, cos, exp, log, sin, sqrt, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
X, Y, Z = x.diff(), y.diff(), z.diff()
t = dynamicsymbols._t
FREE = (X**2 + Y**2 + Z**2) / 2
NOTHING = {
    "cosine of a sum": cos(x + y) - cos(x) * cos(y) + sin(x) * sin(y),
    "Pythagoras": sin(y) ** 2 + cos(y) ** 2 - 1,
    "logarithm": y - log(exp(y)),
    "root": sqrt(1 + 2 * y + y**2) - 1 - y,
    "half an angle": tan(y / 2) - sin(y) / (1 + cos(y)),
    "twice an angle": sin(2 * y) - 2 * sin(y) * cos(y),
    "time": cos(x + t) - cos(x) * cos(t) + sin(x) * sin(t),
}


def moved(
    rows: list[da.Holonomic | da.Nonholonomic | da.OneSided], start: dict[Expr, float], until: float
) -> da.Motion:
    return da.System.from_lagrangian(FREE, [x, y, z], constraints=rows).simulate(start, until=until)


@pytest.mark.parametrize("scale", [1, 10**6, Rational(1, 10**6)])
@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_what_is_zero_holds_nothing(nothing: Expr, scale: Expr) -> None:
    motion = moved([da.Holonomic(z + scale * nothing)], {X: 1.0, Y: 1.0}, 1.0)
    np.testing.assert_allclose(motion.at(1.0)[:2], 1.0, rtol=1e-12)
    assert abs(motion.at(1.0)[2]) <= 1e-13 * float(scale)
    assert len(motion.projections) < 9
    assert motion.verify().passed


def test_a_relation_of_velocities() -> None:
    motion = moved([da.Nonholonomic(Z + X * NOTHING["Pythagoras"])], {X: 1.0, Y: 1.0}, 1.0)
    assert abs(motion.at(1.0)[2]) < 1e-14
    assert motion.verify().passed


@pytest.mark.compiled
@pytest.mark.parametrize("same", [y, log(exp(y)), asin(sin(y))], ids=str)
def test_a_contact_that_bears_nothing(same: Expr) -> None:
    motion = moved([da.OneSided(z + 4 - same)], {Y: 1.0, z: -3.0}, 2.0)
    assert [e.kind for e in motion.events] == ["impact"]
    np.testing.assert_allclose(motion.at(2.0)[[1, 2]], [1.5, -2.5], rtol=1e-12)
    assert motion.verify().passed


@pytest.mark.parametrize("far", [1e3, 1e5, 1e6, 1e8])
def test_a_spring_far_from_zero_is_proved_and_one_that_strays_is_not(far: float) -> None:
    c = int(far)
    system = da.System.from_forces([[1]], [-(x - c)], [x])
    motion = system.simulate({x: far + 1}, until=20.0)
    np.testing.assert_allclose(motion.y[0] - far, np.cos(motion.t), atol=4e-16 * far + 1e-13)
    assert motion.verify().passed
    works = motion.works.copy()
    works[0, 100:] += 1e-6 * max(1.0, far / 1e6)
    wrong = replace(motion, works=works)
    vars(wrong)["_dense"] = vars(motion)["_dense"]
    assert not wrong.verify().passed


@pytest.mark.parametrize("apart", [1e-4, 1e-5])
def test_rows_that_are_nearly_parallel(apart: float) -> None:
    rows = [da.Holonomic(x + y + z - 1), da.Holonomic(x + y + (1 + apart) * z - 1)]
    system = da.System.from_forces([[1, 0, 0], [0, 2, 0], [0, 0, 3]], [1, -2, 3 * cos(x)], [x, y, z], constraints=rows)
    motion = system.simulate({x: 0.5, y: 0.5, X: 1.0, Y: -1.0}, until=3.0)
    np.testing.assert_allclose(motion.at(3.0)[:2], [8.0, -7.0], rtol=1e-11)
    assert motion.verify().passed


def test_multipliers_too_large_for_a_float_leave_the_rest_to_be_looked_at() -> None:
    system = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - 3 * x, [x, y], constraints=[da.Nonholonomic(exp(-t) * (X - Y))]
    )
    motion = system.simulate({X: 8.0, Y: 8.0}, until=800.0)
    assert motion.status.ok
    assert str(motion.summary())
    data = motion.dataset
    np.testing.assert_allclose(data.ideal_force[:, 0], 1.5, rtol=1e-12)
    assert np.isinf(data.multiplier.values[-1]).all()
    assert np.isfinite(data.multiplier.values[data.time.values < 700]).all()
    assert motion.verify().passed


@pytest.mark.compiled
@pytest.mark.parametrize("late", [1e-3, 0.1, 0.3])
def test_an_event_told_at_a_wrong_time(late: float) -> None:
    rod = da.Holonomic(x**2 + y**2 - 1, name="rod", nature=da.Coulomb(Rational(1, 10)))
    system = da.System.from_lagrangian((X**2 + Y**2) / 2 - 9.81 * y, [x, y], constraints=[rod])
    motion = system.simulate({x: 0.6, y: -0.8}, until=3.0)
    assert motion.verify().passed
    first, *others = motion.events
    wrong = replace(motion, events=(first._replace(time=first.time + late), *others))
    vars(wrong)["_dense"] = vars(motion)["_dense"]
    assert [check.name for check in wrong.verify().checks if not check.passed] == ["events"]


def test_a_loose_motion_that_is_wrong_does_not_pass() -> None:
    system = da.System.from_lagrangian(
        (X**2 + Y**2) / 2 - 9.81 * y, [x, y], constraints=[da.Holonomic(x**2 + y**2 - 1)]
    )
    found = system.simulate({x: 1.0}, until=20.0, engine="plain", tolerance=1e-4).verify()
    assert all(
        check.bound <= 1 / 16 for check in found.checks if check.name in ("on constraints", "energy", "retraced")
    )
