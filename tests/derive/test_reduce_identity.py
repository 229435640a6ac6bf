"""What counts as zero on an embedding: exactly, however small and far away, and on every side of a switch."""

import pytest
from sympy import (
    Abs,
    Float,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    acos,
    atan,
    cos,
    cosh,
    exp,
    floor,
    log,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
)

import dalembert as da
from dalembert.derive.exact.cases import Countless, branches
from dalembert.derive.reducing.identity import vanishes
from reductions import c, g, m, theta, x, y

p, q, t = symbols("p q t", real=True)
a, b = symbols("a b", positive=True)

ZERO = {
    "circle": a**2 * sin(p) ** 2 + a**2 * cos(p) ** 2 - a**2,
    "decimal angle": sin(0.37 * p) ** 2 + cos(0.37 * p) ** 2 - 1,
    "exponentials": 2 * exp(p) * cosh(p) - exp(2 * p) - 1,
    "both sides": Max(p, 0) + Min(p, 0) - p,
    "sign and size": p * sign(p) - Abs(p),
    "steps that meet": Heaviside(p - 1) + Heaviside(1 - p) - 1,
    "cases": Piecewise((p, p > 2), (p + q - q, True)) - p,
    "roots of positive numbers": sqrt(a**2 + 2 * a * b + b**2) - a - b,
    "logarithms": log(a * b) - log(a) - log(b),
    "a seventh of a turn": cos(pi / 7 + p) ** 2 + sin(pi / 7 + p) ** 2 - 1,
}
NOT_ZERO = {
    "small": Float(-1e-14),
    "smaller": -p * Rational(1, 10**35),
    "small ring": 9e-18 * sin(p) ** 2 + 9e-18 * cos(p) ** 2 - 1e-18,
    "far ramp": -(Max(p - 5, 0) ** 2),
    "very far ramp": Max(p - 10**9, 0),
    "late": -Heaviside(t - 10) * p,
    "bump": -a * exp(-50 * (p - 5) ** 2),
    "case": Piecewise((0, p < 10), ((p - 10) ** 2, True)),
    "steps": floor(p),
    "one side": Max(p, q) - p,
    "hidden below 50 digits": a**2 * sin(p) ** 2 + a**2 * cos(p) ** 2 - a**2 + exp(-(10**4)) * p,
    "branch of an inverse": acos(cos(p)) - p,
    "arcs": atan(p) + atan(1 / p) - pi / 2,
}


@pytest.mark.parametrize("expr", ZERO.values(), ids=ZERO)
def test_what_vanishes(expr):
    found = vanishes(expr)
    assert found.vanishes
    assert not found.rounded


@pytest.mark.parametrize("expr", NOT_ZERO.values(), ids=NOT_ZERO)
def test_what_does_not(expr):
    found = vanishes(expr)
    assert not found.vanishes
    assert found.side or found.value != 0 or found.tried > 0
    if found.value and not found.side:
        assert float(expr.xreplace(found.at)) == pytest.approx(found.value, rel=1e-9)


def test_switches_on_one_function_share_their_sign():
    assert set(branches(Max(p, 0) + Abs(2 * p))) == {3 * p, -2 * p}
    assert branches(Piecewise((1, (p > 0) & (p < 0)), (2, True))) == [2]
    with pytest.raises(Countless):
        branches(floor(p))
    with pytest.raises(Countless):
        branches(sum(Abs(s) for s in symbols("s1:8", real=True)))


def plane(expr, **more):
    point = da.Particle(m, [x, y])
    return da.System.from_particles([point], potential=m * g * y, constraints=[da.Holonomic(expr, name="row")], **more)


@pytest.mark.parametrize(
    ("expr", "places"),
    [
        (x**2 + y**2 - 1e-18, {x: 3e-9 * sin(theta), y: -3e-9 * cos(theta)}),
        (x - 1e-14, {x: 0}),
        (y - Max(x - 5, 0) ** 2, {y: 0}),
        (y - Heaviside(da.model.time() - 10) * x, {y: 0}),
        (y - c * exp(-50 * (x - 5) ** 2), {y: 0}),
    ],
)
def test_embeddings_that_nearly_satisfy_a_constraint(expr, places):
    with pytest.raises(da.ModelError, match="does not satisfy the constraint 'row'"):
        plane(expr).reduce(places)


def test_decimal_fractions_are_rounded_but_not_forgiven():
    """0.3 · (1/3 in sixteen digits) is not 0.1, but nearly; a difference in the tenth digit is one."""
    near = plane(0.3 * y - 0.1 * x).reduce({y: x * (1 / 3)})
    assert any("but for the rounding of decimal fractions" in note for note in near.notes)
    exact = plane(0.3 * y - 0.1 * x).reduce({y: x / 3})
    assert not any("rounding" in note for note in exact.notes)
    with pytest.raises(da.ModelError, match="does not satisfy"):
        plane(0.3 * y - 0.1 * x).reduce({y: x * 0.3333333333})
