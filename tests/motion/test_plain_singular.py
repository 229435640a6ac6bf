"""The plain engine stops where the rank of the constraints drops or a mass vanishes, at the true time, as promised."""

import time
from itertools import pairwise

import pytest
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

a, b, x, y, z = dynamicsymbols("a b x y z")
A, B, X, Y, Z = (q.diff() for q in (a, b, x, y, z))
FREE = (X**2 + Y**2) / 2


def cross(relation):
    return da.System.from_lagrangian(FREE, [x, y], constraints=[da.Holonomic(relation)])


def tip():
    """A row that has no direction where nothing moves: a body thrown up along a cone of velocities comes to rest."""
    fall = (X**2 + Y**2 + Z**2) / 2 - 9.81 * z
    return da.System.from_lagrangian(fall, [x, y, z], constraints=[da.Nonholonomic(X**2 + Y**2 - Z**2)])


def crank():
    """Both rods of a slider-crank of equal lengths upright: it could go on along two branches."""
    rows = [da.Holonomic(sin(a) - sin(b)), da.Holonomic(cos(a) + cos(b) - x)]
    return da.System.from_lagrangian((A**2 + B**2 + X**2) / 2, [a, b, x], constraints=rows)


PLACES = {
    "cross": (cross(x * y), {x: -1.0, X: 0.3}, 1 / 0.3),
    "cross, in another unit": (cross(x * y), {x: -1e9, X: 0.3e9}, 1 / 0.3),
    "cross, stated twice": (
        da.System.from_lagrangian(FREE, [x, y], constraints=[da.Holonomic(x * y), da.Holonomic(2 * x * y)]),
        {x: -1.0, X: 0.3},
        1 / 0.3,
    ),
    "tip": (tip(), {X: 1.0, Z: 1.0}, 2 / 9.81),
    "no mass": (da.System.from_lagrangian(y**2 * X**2 / 2 + Y**2 / 2, [x, y]), {y: 1.0, Y: -1.0}, 1.0),
}


@pytest.mark.parametrize("name", PLACES)
def test_the_run_ends_where_the_equation_does(name):
    system, start, when = PLACES[name]
    motion = system.simulate(start, until=3 * when, engine="plain", throw=False)
    assert motion.status.ending == "singular"
    assert motion.end_time == pytest.approx(when, rel=2e-3)
    assert motion.end_time < when


@pytest.mark.compiled
def test_it_ends_where_the_compiled_engine_does():
    one, two = (crank().simulate({a: 0.7, b: 0.7, A: 1.0}, 3.0, engine=e, throw=False) for e in ("plain", "taylor"))
    assert one.status.ending == two.status.ending == "singular"
    assert one.end_time == pytest.approx(two.end_time, abs=1e-9)


@pytest.mark.parametrize("gap", [1e-4, 1e-8])
def test_a_cross_that_is_missed_is_no_cross(gap):
    """On x y = gap the motion turns from one branch to the other, at its speed."""
    motion = cross(x * y - gap).simulate({x: -1.0, y: -gap, X: 0.3, Y: -0.3 * gap}, 5.0, engine="plain", throw=False)
    assert motion.status.ending == "finished"
    assert motion.end[y] == pytest.approx(-0.5, abs=10 * gap**0.5)


def test_a_row_that_vanishes_beside_another_is_no_end():
    rows = [da.Holonomic(x), da.Holonomic(x * y)]
    system = da.System.from_lagrangian(FREE, [x, y], constraints=rows)
    assert system.simulate({y: -1.0, Y: 0.3}, until=10.0, engine="plain").end[y] == pytest.approx(2.0)


def test_a_large_system_keeps_to_its_seconds():
    q = dynamicsymbols("q1:41")
    springs = sum((two - one) ** 2 for one, two in pairwise(q)) / 2
    ring = da.Holonomic(q[0] ** 2 + q[1] ** 2 - 1)
    chain = da.System.from_lagrangian(sum(v.diff() ** 2 for v in q) / 2 - springs, list(q), constraints=[ring])
    begin = time.perf_counter()
    start = {q[0]: 1.0, **{q[k]: 0.1 * (-1) ** k for k in range(2, len(q))}}  # all move from the beginning
    motion = chain.simulate(start, until=1e4, engine="plain", max_seconds=3, throw=False)
    assert motion.status.ending == "wall-clock limit"
    assert time.perf_counter() - begin < 7
