"""A constraint that does not exist at a point of the way ends the run there, by one verdict, whatever is looked at."""

import pytest
from sympy import sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y = dynamicsymbols("x y")
X, Y = x.diff(), y.diff()
ENGINES = pytest.mark.parametrize("engine", [pytest.param("taylor", marks=pytest.mark.compiled), "plain"])


def moved(constraint, start, until, **options):
    system = da.System.from_lagrangian((X**2 + Y**2) / 2, [x, y], constraints=[constraint])
    return system.simulate(start, until=until, throw=False, **options)


@ENGINES
@pytest.mark.parametrize("speed", [1.0, 0.5, 0.3, 1 / 3, 0.7])
def test_a_quotient_through_nought_by_nought(engine, speed):
    """On y/x = −1 the motion is straight, and at t = 1/v, where x = y = 0, the constraint says nothing."""
    start = {x: 1.0, y: -1.0, X: -speed, Y: speed}
    motion = moved(da.Holonomic(1 + y / x, "ray"), start, 3 / speed, engine=engine)
    assert motion.status.ending == "singular"
    assert "'ray' does not exist" in motion.status
    assert motion.end_time == pytest.approx(1 / speed, rel=2e-3)
    assert motion.end_time < 1 / speed


POLES = {
    "twice": (da.Holonomic((x + y) / x**2), {x: 1.0, y: -1.0, X: -0.7, Y: 0.7}, 0.05),
    "length": (da.Holonomic((x + y) / sqrt(x**2)), {x: 1.0, y: -1.0, X: -0.7, Y: 0.7}, 2e-3),
    "speeds": (da.Nonholonomic((X - Y) / x), {x: 1.0, y: 0.0, X: -0.7, Y: -0.7}, 2e-3),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", POLES)
def test_other_poles(name):
    constraint, start, early = POLES[name]
    motion = moved(constraint, start, 3.0)
    assert motion.status.ending == "singular"
    assert "does not exist" in motion.status
    assert motion.end_time == pytest.approx(1 / 0.7, rel=early)


@pytest.mark.compiled
def test_a_pole_that_is_asked_to_be_passed():
    motion = moved(da.Holonomic(1 + y / x), {x: 1.0, y: -1.0, X: -0.7, Y: 0.7}, 3.0, singular="pass")
    assert motion.status.ending == "finished"
    assert [event.kind for event in motion.events] == ["passed"]
    assert motion.end[x] == pytest.approx(1 - 2.1, abs=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("near", [1e-2, 1e-8])
def test_what_only_becomes_large_is_no_pole(near):
    motion = moved(da.Holonomic((x + y) / (x**2 + near)), {x: 1.0, y: -1.0, X: -0.7, Y: 0.7}, 3.0)
    assert motion.status.ending == "finished"
    assert motion.end[x] == pytest.approx(1 - 2.1, abs=1e-9)
