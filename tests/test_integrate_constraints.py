"""Constraints stated holonomically: the same motion, the same forces, multipliers scaled as the theory says."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, Rational, cos, exp, log, sign, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery

t = dynamicsymbols._t
x, y, z, w, theta, phi = dynamicsymbols("x y z w theta phi")
m, g, R, a, v = symbols("m g R a v", positive=True)
VALUES = {m: 2.0, g: 9.81, R: 0.5, a: 0.3}


def moved(system: da.System, until: float = 3.0):
    return system.simulate(until=until, samples=31)


def assert_same_motion(one: da.System, other: da.System) -> None:
    first, second = moved(one), moved(other)
    assert_allclose(first.y, second.y, atol=1e-10, rtol=1e-10)
    for name in ("ideal_force", "nonideal_force"):
        assert_allclose(first.dataset[name], second.dataset[name], atol=1e-9, rtol=1e-9)


def disk(nature=None) -> da.System:
    L = m * y.diff(t) ** 2 / 2 + m * R**2 * theta.diff(t) ** 2 / 4 + m * g * y * sin(a)
    row = da.Differential({y: 1, theta: -R}, name="rolling", nature=nature or da.Ideal())
    return da.System.from_lagrangian(
        L, [y, theta], constraints=[row], parameters=VALUES, initial={y: Rational(1, 4), theta: 1}
    )


def test_the_rolling_disk() -> None:
    same = disk().integrate_constraints()
    (row,) = same.constraints
    assert isinstance(row, da.Holonomic)
    assert (row.expr - (y - R * theta - (Rational(1, 4) - R))).expand() == 0
    assert_same_motion(disk(), same)
    one, other = moved(disk()).dataset, moved(same).dataset
    assert_allclose(one["multiplier"], other["multiplier"], rtol=1e-10)
    assert_allclose(one["multiplier"], -VALUES[m] * VALUES[g] * np.sin(VALUES[a]) / 3, rtol=1e-10)


def test_work_is_kept() -> None:
    assert_same_motion(disk(da.Viscous(0.4)), disk(da.Viscous(0.4)).integrate_constraints())


def factor_case(nature=None) -> da.System:
    """2y dx + x dy = 0, whose integral is x² y, under gravity."""
    L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * g * y
    row = da.Differential({x: 2 * y, y: x}, name="wire", nature=nature or da.Ideal())
    start = {x: 1, y: 2, x.diff(t): Rational(1, 2), y.diff(t): -2}
    return da.System.from_lagrangian(L, [x, y], constraints=[row], parameters=VALUES, initial=start)


def test_multipliers_scale_with_the_integrating_factor() -> None:
    one = factor_case()
    other = one.integrate_constraints()
    assert_same_motion(one, other)
    kind = one.classify()["wire"]
    first, second = moved(one).dataset, moved(other).dataset
    factor = np.array([float(kind.factor.subs({x: p, y: q})) for p, q in first[["x", "y"]].to_array().values.T])
    assert_allclose(second["multiplier"][:, 0] * factor, first["multiplier"][:, 0], rtol=1e-8)


def test_friction_that_follows_a_multiplier_keeps_its_row() -> None:
    rough = factor_case(da.Coulomb(Rational(1, 10), sliding=x.diff(t)))
    with pytest.warns(UserWarning, match="multiplier"):
        assert rough.integrate_constraints().constraints == rough.constraints


def test_rows_that_are_integrable_only_together() -> None:
    L = sum(q.diff(t) ** 2 for q in (x, y, theta, phi)) / 2 - g * x
    rows = [
        da.Differential({x: 1, theta: -R * cos(phi)}, name="along x"),
        da.Differential({y: 1, theta: -R * sin(phi)}, name="along y"),
        da.Differential({phi: 1}, name="heading"),
    ]
    start = {phi: 0.4, theta: 1, theta.diff(t): 2, x.diff(t): 2 * R * cos(0.4), y.diff(t): 2 * R * sin(0.4)}
    one = da.System.from_lagrangian(L, [x, y, theta, phi], constraints=rows, parameters=VALUES, initial=start)
    other = one.integrate_constraints()
    assert all(isinstance(c, da.Holonomic) for c in other.constraints)
    assert [c.name for c in other.constraints] == ["along x", "along y", "heading"]
    assert_same_motion(one, other)


def test_rows_that_cannot_be_integrated_stay() -> None:
    L = sum(q.diff(t) ** 2 for q in (x, y, z, w)) / 2 - x - z
    rows = [da.Differential({x: 1, y: w}, name="a"), da.Differential({x: 1, y: w, z: 1}, name="b")]
    start = {w: 1, x.diff(t): -1, y.diff(t): 1, w.diff(t): 1}
    one = da.System.from_lagrangian(L, [x, y, z, w], constraints=rows, initial=start)
    other = one.integrate_constraints()
    assert sorted(type(c).__name__ for c in other.constraints) == ["Differential", "Holonomic"]
    assert_same_motion(one, other)


TURNING = {
    "with time": ([{x: 1, t: -y}, {y: 1, t: x}], {x: 1, y: 1, x.diff(t): 1, y.diff(t): -1}),
    "with a coordinate": ([{x: 1, z: -y}, {y: 1, z: x}], {x: 1, y: 1, x.diff(t): 1, y.diff(t): -1, z.diff(t): 1}),
    "in small units": (
        [{x: 1, z: -(10**6) * y}, {y: 1, z: 10**6 * x}],
        {x: 1, y: 1, x.diff(t): 1, y.diff(t): -1, z.diff(t): Rational(1, 10**6)},
    ),
    "part of a set": (
        [{x: 1, w: -y * z}, {y: 1, w: x * z}],
        {x: 1, y: 1, z: 2, x.diff(t): 2, y.diff(t): -2, z.diff(t): 1, w.diff(t): 1},
    ),
    "on a sphere": (
        [{x: 1, t: -y}, {y: 1, t: x - z}, {z: 1, t: y}],
        {x: 1, y: 1, z: Rational(1, 2), x.diff(t): 1, y.diff(t): -Rational(1, 2), z.diff(t): -1},
    ),
}


@pytest.mark.parametrize(("rows", "start"), TURNING.values(), ids=TURNING)
def test_an_integral_takes_no_row_that_it_does_not_replace_everywhere(rows, start) -> None:
    """x dx + y dy = x (dx − y dt) + y (dy + x dt) replaces neither row where its part vanishes."""
    L = sum(q.diff(t) ** 2 for q in (x, y, z, w)) / 2 + x
    given = [da.Differential(row, name=f"r{i}") for i, row in enumerate(rows)]
    one = da.System.from_lagrangian(L, [x, y, z, w], constraints=given, initial=start)
    with pytest.warns(UserWarning, match="left as it is") as told:
        other = one.integrate_constraints()
    assert any("in the place of whichever row" in str(w.message) for w in told)
    assert moved(one).status.ending == "finished"
    assert_same_motion(one, other)


def test_an_integral_takes_a_row_whose_part_never_vanishes_on_it() -> None:
    """On x² − y² = 3/4 there is no x = 0, though there is y = 0."""
    rows = [da.Differential({x: 1, z: -y}, name="a"), da.Differential({y: 1, z: -x}, name="b")]
    start = {x: 1, y: -Rational(1, 2), x.diff(t): -Rational(1, 2), y.diff(t): 1, z.diff(t): 1}
    L = sum(q.diff(t) ** 2 for q in (x, y, z)) / 2 + x - y
    one = da.System.from_lagrangian(L, [x, y, z], constraints=rows, initial=start)
    with pytest.warns(UserWarning, match="more than was found"):  # (x + y) exp(−z) too
        other = one.integrate_constraints()
    assert [type(c).__name__ for c in other.constraints] == ["Holonomic", "Differential"]
    assert_same_motion(one, other)


def test_a_row_stays_where_its_integral_says_nothing() -> None:
    """2y dx + x dy keeps x at 0; x² y = 0 has no direction there."""
    L = (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - x
    row = da.Differential({x: 2 * y, y: x}, name="r")
    one = da.System.from_lagrangian(L, [x, y], constraints=[row], initial={x: 0, y: 1, y.diff(t): 1})
    with pytest.warns(UserWarning, match="says nothing where"):
        other = one.integrate_constraints()
    assert_same_motion(one, other)
    assert_allclose(moved(one).y[0], 0, atol=1e-15)


def test_a_start_is_needed_for_the_constant() -> None:
    bare = da.System.from_lagrangian(
        x.diff(t) ** 2 + y.diff(t) ** 2, [x, y], constraints=[da.Differential({x: 1, y: -a})]
    )
    with pytest.raises(da.ModelError, match="comes from a start"):
        bare.integrate_constraints()
    given = bare.integrate_constraints({"x": 3, y: 1})
    assert given.constraints[0].expr.subs({x: 3, y: 1}) == 0
    with pytest.raises(da.ModelError, match="names q"):
        bare.integrate_constraints({"q": 3})


def test_an_integral_that_does_not_exist_at_the_start() -> None:
    row = da.Differential({x: y, y: -x}, name="ray")
    system = da.System.from_lagrangian(x.diff(t) ** 2 + y.diff(t) ** 2, [x, y], constraints=[row], initial={x: 0})
    with pytest.raises(da.ModelError, match="does not exist at the start"):
        system.integrate_constraints()
    other = replace(system, initial=((x, Rational(0)), (y, Rational(1))))
    assert other.classify()["ray"].integral == x / y  # it exists where y/x does not
    with pytest.warns(UserWarning, match="no value, or no direction"):  # at the origin, where the row vanishes
        assert other.integrate_constraints().constraints == (row,)


OTHERWISE = {  # coefficients of dx and dy, a start, a place on the integral's level where the row is another
    "a factor that vanishes": ({x: x, y: -x}, {x: 1, y: 0}, "says nothing where x"),
    "a square that vanishes": ({x: x**2, y: -(x**2)}, {x: 1, y: 0}, "says nothing where x"),
    "far away": ({x: x - 50, y: -(x - 50)}, {x: 1, y: 0}, "says nothing where x"),
    "a sine": ({x: sin(x), y: -2 * sin(x)}, {x: 1, y: 0}, "says nothing where sin"),
    "a ray": ({x: y, y: -x}, {x: 1, y: 1}, "no value, or no direction"),
    "a jump": ({x: 1, y: -sign(y)}, {x: 0, y: -1}, "coefficients jump where y"),
    "a jump far away": ({x: 1, y: -sign(y - 30)}, {x: 0, y: -1}, "coefficients jump where y"),
    "a jump along the row": ({x: 1, y: -sign(x + y - 30)}, {x: 0, y: -1}, "says nothing on one side"),
    "the other side of it": ({x: 1, y: -sign(x + y - 30)}, {x: 40, y: -1}, "says nothing on one side"),
    "in small units": ({x: x / 10**8, y: -x / 10**8}, {x: 1, y: 0}, "says nothing where x"),
    "on a moving level": ({x: x, y: -x, t: x}, {x: 1, y: 0}, "says nothing where x"),
    "at a time": ({x: t - 2, y: 2 - t}, {x: 1, y: 0}, "another where t"),
    "a pole at a time": ({x: 1 / (t - 2), y: 1 / (2 - t)}, {x: 1, y: 0}, "row ends where 2 - t"),
    "an edge": ({x: 2 + log(y) ** 2, y: -(2 + log(y) ** 2)}, {x: 1, y: 1}, "row ends where y"),
    "a root": ({x: sqrt(y), y: -sqrt(y)}, {x: 1, y: 1}, "where y"),
}


@pytest.mark.parametrize(("form", "start", "said"), OTHERWISE.values(), ids=OTHERWISE)
def test_a_row_stays_where_its_integral_says_something_else(form, start, said) -> None:
    row = da.Differential(form, name="r")
    one = da.System.from_lagrangian(x.diff(t) ** 2 + y.diff(t) ** 2, [x, y], constraints=[row], initial=start)
    with pytest.warns(UserWarning, match=said.replace("where x", r"where x\(t\)").replace("where y", r"where y\(t\)")):
        assert one.integrate_constraints().constraints == (row,)


ALIKE = {  # rows that say everywhere what their integrals say
    "a factor without zeros": ({x: 2 + sin(x), y: -(2 + sin(x))}, {x: 1, y: 0}),
    "an exponential": ({x: exp(y), y: x * exp(y)}, {x: 1, y: 0}),
    "a kink in a coefficient": ({x: 1, y: -Abs(y)}, {x: 1, y: 1}),
    "a circle": ({x: x, y: y}, {x: 1, y: 0}),
    "what fades with time": ({x: exp(-t), y: -exp(-t)}, {x: 1, y: 0}),
    "small units": ({x: 2 * y / 10**8, y: x / 10**8}, {x: 1, y: 2}),
    "large units": ({x: 2 * y * 10**8, y: x * 10**8}, {x: 1, y: 2}),
    "a pole of both": ({x: 1 / x, y: 1 / y}, {x: 1, y: 1}),
    "a zero that is never reached": ({x: 2 * y, y: x}, {x: 1, y: 2}),
    "a jump that is never reached": ({x: 1, y: sign(x**2 + y**2 + 1)}, {x: 1, y: 2}),
}


@pytest.mark.parametrize(("form", "start"), ALIKE.values(), ids=ALIKE)
def test_a_row_gives_way_where_its_integral_says_the_same(form, start) -> None:
    row = da.Differential(form, name="r")
    one = da.System.from_lagrangian(x.diff(t) ** 2 + y.diff(t) ** 2, [x, y], constraints=[row], initial=start)
    assert isinstance(one.integrate_constraints().constraints[0], da.Holonomic)


def test_a_motion_that_breaks_at_a_jump_breaks_when_it_is_integrated_too() -> None:
    """ẋ = sign(y) ẏ jumps at y = 0, which no force states; x − |y| = −1 has but a kink."""
    row = da.Differential({x: 1, y: -sign(y)}, name="r")
    start = {x: 0, y: -1, y.diff(t): 1, x.diff(t): -1}
    energy = (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
    one = da.System.from_lagrangian(energy, [x, y], constraints=[row], initial=start)
    with pytest.warns(UserWarning, match="jump"):
        other = one.integrate_constraints()
    first, second = (each.simulate(until=2.0, throw=False) for each in (one, other))
    assert first.status.ending == second.status.ending == "broken"


def test_coordinates_left_open_are_solved_first() -> None:
    """z is left to the plane z = 2 x; the constant of the other row must see the solved value."""
    rows = [da.Holonomic(z - 2 * x - 1, name="plane"), da.Nonholonomic(y.diff(t) - z.diff(t), name="rate")]
    L = sum(q.diff(t) ** 2 for q in (x, y, z)) / 2
    system = da.System.from_lagrangian(L, [x, y, z], constraints=rows, initial={x: 1, y: 0})
    (_, rate) = system.integrate_constraints().constraints
    assert rate.expr.subs({y: 0, z: 3}) == 0


def test_what_is_holonomic_already_is_left() -> None:
    ring = da.System.load(gallery.path("rough-ring"))
    assert ring.integrate_constraints() == ring
