"""Sparse gradients over the graph: the same numbers as SymPy's own derivative, and nothing that is zero."""

import pytest
import sympy as sp
from hypothesis import HealthCheck, given, settings
from mpmath import mpf

from dalembert.derive.differentiate import Differentiator
from derive.trees import exact, points, symbols, trees, x, y, z

H = mpf("1e-9")


def quotient(expr, point, s, h):
    """(f(s + h) − f(s − h)) / 2h in 40 digits; None where f does not exist."""
    up, down = (exact(expr, {**point, s: point[s] + d}) for d in (h, -h))
    return None if up is None or down is None else (up - down) / (2 * h)


def one_sided(expr, point, s):
    here, steps = exact(expr, point), (H, -H)
    there = [exact(expr, {**point, s: point[s] + d}) for d in steps]
    return None if None in (here, *there) else [(f - here) / d for f, d in zip(there, steps, strict=True)]


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(trees, points)
def test_equals_the_difference_quotient(expr, point):
    """Wherever f is smooth: there both sides have the same slope, and it is the same for another step."""
    slopes = Differentiator(symbols).slopes(expr)
    assert set(slopes) <= expr.free_symbols
    for s in symbols:
        expected, wider, sides = quotient(expr, point, s, H), quotient(expr, point, s, 3 * H), one_sided(expr, point, s)
        if None in (expected, wider, sides) or abs(expected) > 1e6:
            continue
        if max(abs(expected - other) for other in (wider, *sides)) > 1e-4 * (1 + abs(expected)):
            continue  # a kink or a jump: nothing has a derivative there
        found = exact(slopes.get(s, sp.S.Zero), point)
        if found is None:
            continue  # the formula is 0/0 at this very point, as SymPy's is
        assert float(found) == pytest.approx(float(expected), rel=1e-5, abs=1e-5)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(trees, points)
def test_equals_sympy(expr, point):
    """Wherever SymPy's derivative has a number (it writes Dirac's delta and bare Derivatives for steps)."""
    slopes = Differentiator(symbols).slopes(expr)
    for s in symbols:
        theirs = sp.diff(expr, s)
        if theirs.has(sp.DiracDelta, sp.Derivative, sp.Subs):
            continue
        sides = one_sided(expr, point, s)
        if expr.has(sp.Max, sp.Min) and (sides is None or abs(sides[0] - sides[1]) > 1e-4 * (1 + abs(sides[0]))):
            continue  # two arguments are equal there: a kink, for which SymPy takes the mean of both slopes
        expected, found = exact(theirs, point), exact(slopes.get(s, sp.S.Zero), point)
        if expected is None or found is None:
            continue  # a form that is 0/0 there for one of them
        assert float(found) == pytest.approx(float(expected), rel=1e-10, abs=1e-10)


AWAY = {x: mpf("0.7"), y: mpf("-1.3"), z: mpf("0.2")}


@pytest.mark.parametrize(
    ("expr", "slope"),
    [
        (sp.Abs(x * y), {x: -y, y: -x}),
        (sp.Abs(x) * x, {x: 2 * x}),
        (sp.sign(x - y) * x**2, {x: 2 * x}),
        (sp.Heaviside(x) * x**3, {x: 3 * x**2}),
        (sp.floor(3 * x) * y, {y: sp.Integer(2)}),
        (sp.Max(x, y) * z, {x: z, z: x}),
        (sp.Min(x, y, z) ** 2, {y: 2 * y}),
        (sp.atan2(y, x), {x: -y / (x**2 + y**2), y: x / (x**2 + y**2)}),
        (x**y, {x: y * x ** (y - 1), y: sp.log(x) * x**y}),
        (sp.Piecewise((x**2, x > y), (y**3, True)), {x: 2 * x}),
        (sp.Piecewise((x**2, x < y), (y**3, True)), {y: 3 * y**2}),
        (2**x, {x: sp.log(2) * 2**x}),
        (sp.sqrt(x**2 + y**2), {x: x / sp.sqrt(x**2 + y**2), y: y / sp.sqrt(x**2 + y**2)}),
    ],
)
def test_by_hand(expr, slope):
    found = Differentiator(symbols).slopes(expr)
    for s in symbols:
        ours, theirs = (float(exact(slopes.get(s, sp.S.Zero), AWAY)) for slopes in (found, slope))
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_only_what_is_not_zero_is_kept():
    d = Differentiator([x, y])
    assert d.slopes(sp.sin(x) * z) == {x: z * sp.cos(x)}
    assert d.slopes(z**2 + 1) == {}
    assert d.slopes(x - x + y) == {y: sp.S.One}
    assert d.slopes((x + 1) ** 2 - (x + 1) ** 2) == {}


def test_second_derivatives_of_steps_are_flat():
    d = Differentiator([x])
    (first,) = d.slopes(sp.Abs(x)).values()
    assert d.slopes(first) == {}


def test_a_function_of_the_users_own():
    """An undefined F(x, y) is differentiated as such, by its own variables only."""
    F = sp.Function("F")(x, y)
    found = Differentiator(symbols).slopes(F * z)
    assert found == {x: z * F.diff(x), y: z * F.diff(y), z: F}


def test_a_shared_part_is_differentiated_once(monkeypatch):
    asked = []
    original = Differentiator._rule
    monkeypatch.setattr(Differentiator, "_rule", lambda self, f: asked.append(f) or original(self, f))
    part = sp.sin(x * y)
    d = Differentiator(symbols)
    d.slopes(part**2 + sp.exp(part))
    d.slopes(part * z)
    assert asked.count(part) == 1
