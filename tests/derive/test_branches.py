"""Integrals that are angles: they have a value at the start, and no motion ends where one leaves its branch."""

import pytest
from numpy.testing import assert_allclose
from sympy import AccumBounds, I, Rational, atan, atan2, cos, exp, log, nan, oo, pi, sin, symbols, tan, zoo
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.forms.branches import left_branch

t = dynamicsymbols._t
x, y, z, theta = dynamicsymbols("x y z theta")
k = symbols("k", real=True)
r2 = x**2 + y**2


def free(coordinates, rows, **stated):
    kinetic = sum(q.diff(t) ** 2 for q in coordinates) / 2
    return da.System.from_lagrangian(kinetic, coordinates, constraints=rows, **stated)


ANGLES = {  # forms whose integral has an angle, and velocities (ẋ, ẏ) in polar directions that lead around the origin
    "spiral": da.Differential({x: x + y / 4, y: y - x / 4}, name="r"),
    "screw": da.Differential({x: -y / r2, y: x / r2, z: -2}, name="r"),
    "ellipse": da.Differential({x: -2 * y / (x**2 + 4 * y**2), y: 2 * x / (x**2 + 4 * y**2), z: -1}, name="r"),
    "shifted": da.Differential({x: 1 - y, y: x - 2, z: -((x - 2) ** 2) - (y - 1) ** 2}, name="r"),
    "screw with time": da.Differential({x: -y / r2, y: x / r2, t: -1}, name="r"),
}
STARTS = [(1, 0), (0, 1), (-1, 0), (0, -1), (Rational(3, 5), Rational(-4, 5))]


@pytest.mark.parametrize("row", ANGLES.values(), ids=ANGLES)
@pytest.mark.parametrize("place", STARTS, ids=str)
def test_an_angle_has_a_value_at_every_start(row, place) -> None:
    found = free([x, y, z], [row], initial={x: place[0], y: place[1]}).classify()["r"]
    assert found.holonomic
    assert found.integral is not None
    assert found.constant is not None
    assert found.constant.is_number
    assert found.constant.is_finite
    assert not found.constant.has(AccumBounds, I, nan, oo, zoo)


@pytest.mark.parametrize("place", STARTS, ids=str)
def test_no_motion_ends_where_an_angle_leaves_its_branch(place) -> None:
    """A point is led around the axis of a screw several times."""
    a, b = place
    start = {x: a, y: b, x.diff(t): -3 * b, y.diff(t): 3 * a, z.diff(t): Rational(3, 2)}
    held = [da.Holonomic(r2 - 1, name="cylinder"), ANGLES["screw"]]
    screw = free([x, y, z], held, initial=start)
    with pytest.warns(UserWarning, match="where the row goes on"):
        same = screw.integrate_constraints()
    one, other = (s.simulate(until=6.0, samples=61) for s in (screw, same))
    assert other.status.ok
    assert_allclose(other.y, one.y, atol=1e-9)
    assert_allclose(other.y[2], 1.5 * other.t, atol=1e-9)  # a turn of 18 rad: z is half the angle


def test_rows_that_have_such_an_integral_only_together_stay() -> None:
    rows = [
        da.Differential({x: -y / r2, y: x / r2, z: -1, theta: x}, name="a"),
        da.Differential({theta: 1}, name="b"),
    ]
    stated = free([x, y, z, theta], rows, initial={x: 1, y: 0})
    with pytest.warns(UserWarning, match="where the row goes on"):
        same = stated.integrate_constraints()
    assert same.constraints[0] == stated.constraints[0]
    assert isinstance(same.constraints[1], da.Holonomic)


LEFT = {
    atan(x / y) + z: atan(x / y),
    atan(2 * tan(x)): atan(2 * tan(x)),
    atan2(y, x) - z: atan2(y, x),
    atan(x) + y: None,
    atan(x / (1 + y**2)): None,
    atan(x / (2 + cos(y))): None,
    atan2(y, 1 + x**2): None,
    x * y + atan(k / 3): None,
    log(x) + exp(y): None,
}


@pytest.mark.parametrize(("f", "part"), LEFT.items(), ids=map(str, LEFT))
def test_which_functions_leave_a_branch(f, part) -> None:
    symbols_of = {q: symbols(str(q.func), real=True) for q in (x, y, z)}
    found = left_branch(f.xreplace(symbols_of), set(symbols_of.values()))
    assert found == (None if part is None else part.xreplace(symbols_of))


def test_angles_that_stay_on_their_branch_are_integrated() -> None:
    row = da.Differential({x: 1 / (1 + x**2), y: -1}, name="r")
    stated = free([x, y], [row], initial={x: 1, x.diff(t): 1, y.diff(t): Rational(1, 2)})
    same = stated.integrate_constraints()
    assert same.constraints[0].expr == atan(x) - y - pi / 4
    assert_allclose(same.simulate(until=2.0).y, stated.simulate(until=2.0).y, atol=1e-10)


@pytest.mark.parametrize("values", [{k: 0.5}, {k: 1 / 3}, {k: 2.0}, {}], ids=str)
@pytest.mark.parametrize("place", [(-2, 3), (2, -3), (-2, -3), (2, 3)], ids=str)
def test_powers_of_what_is_negative_have_real_constants(values, place) -> None:
    """k y dx + x dy = 0: x^k y, or of −x where x is negative."""
    stated = free([x, y], [da.Differential({x: k * y, y: x}, name="r")], parameters=values,
                  initial={x: place[0], y: place[1]})  # fmt: skip
    found = stated.classify()["r"]
    constant = found.constant.subs(values or {k: 0.5})
    assert constant.is_real
    (same,) = stated.integrate_constraints().constraints
    slopes = [same.expr.diff(q).subs({x: place[0], y: place[1], **(values or {k: 0.5})}) for q in (x, y)]
    assert float(slopes[0] * place[0]) == pytest.approx(float(slopes[1] * (values or {k: 0.5})[k] * place[1]))


def test_sines_stay_as_they_are() -> None:
    row = da.Differential({x: cos(x), y: -1}, name="r")
    (same,) = free([x, y], [row], initial={x: 0, y: 0}).integrate_constraints().constraints
    assert same.expr == sin(x) - y
