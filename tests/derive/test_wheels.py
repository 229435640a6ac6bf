"""Wheels at fixed angles on a body: their integrals are found however the angles are written."""

import pytest
from sympy import Dummy, Expr, Matrix, Rational, cos, cosh, exp, pi, sin, sqrt, symbols, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.integrals.levels import derived
from dalembert.derive.integrals.sets import plain

t = dynamicsymbols._t
x, y, z, theta = dynamicsymbols("x y z theta")
L, r = symbols("L r", positive=True)
a, b = symbols("a b", real=True)


def robot(angles, written=lambda e: e):
    """A body on rollers: each wheel turns with the speed of its point along its own direction."""
    wheels = dynamicsymbols(f"p1:{len(angles) + 1}")
    rows = [
        da.Differential({x: written(-sin(theta + angle)), y: written(cos(theta + angle)), theta: L, wheel: -r})
        for angle, wheel in zip(angles, wheels, strict=True)
    ]
    kinetic = sum(q.diff(t) ** 2 for q in (x, y, theta, *wheels)) / 2
    return da.System.from_lagrangian(kinetic, [x, y, theta, *wheels], constraints=rows), wheels


def kept(system, f: Expr) -> bool:
    """Whether df is a combination of the rows, at points of forty digits."""
    q = system.coordinates
    rows = [[dict(c.coefficients).get(s, 0) for s in q] for c in system.constraints]
    place = {s: Rational(3 * i + 2, 7 + i) for i, s in enumerate([*q, L, r, a, b])}
    whole = Matrix([*rows, [f.diff(s) for s in q]]).subs(place).evalf(40)
    return (whole * whole.T).det() < 1e-30 < (whole[:-1, :] * whole[:-1, :].T).det()


ANGLES = {
    "three": [0, 2 * pi / 3, 4 * pi / 3],
    "three turned": [pi / 5, pi / 5 + 2 * pi / 3, pi / 5 - 2 * pi / 3],
    "four": [0, pi / 2, pi, 3 * pi / 2],
    "five": [2 * pi * i / 5 for i in range(5)],
    "by parameters": [0, a, b],
    "by degrees": [Rational(i) for i in (0, 2, 4)],
}


@pytest.mark.parametrize("angles", ANGLES.values(), ids=ANGLES)
def test_all_integrals_are_found(angles) -> None:
    system, _ = robot(angles)
    found = system.classify()
    assert not found.holonomic
    assert found.integrable == len(found.integrals) == len(angles) - 2
    assert all(kept(system, f) for f in found.integrals)


@pytest.mark.parametrize("written", [lambda e: e, lambda e: e.expand(trig=True)], ids=["as it is", "expanded"])
def test_the_three_wheels(written) -> None:
    system, wheels = robot(ANGLES["three"], written)
    assert system.classify().integrals == ((3 * L * theta - r * sum(wheels)).expand(),)


ADDED = {  # two rows that are one but for a constant in an angle or exponent: their integral
    "exponents": ({x: exp(z + 1), y: 1}, {x: exp(z + a), theta: 1}, y - exp(1 - a) * theta),
    "hyperbolic": ({x: cosh(z + a) + cosh(z - a), y: 1}, {x: cosh(z), theta: 1}, y - 2 * cosh(a) * theta),
    "tangents": ({x: tan(z + pi / 4), y: 1}, {x: (1 + tan(z)) / (1 - tan(z)), theta: 1}, y - theta),
    "cosines": ({x: cos(z + pi / 3) + cos(z - pi / 3), y: 1}, {x: cos(z), theta: 1}, y - theta),
    "roots": ({x: cos(z + pi / 4), y: 1}, {x: cos(z) - sin(z), theta: 1}, y - sqrt(2) * theta / 2),
}


@pytest.mark.parametrize(("one", "other", "f"), ADDED.values(), ids=ADDED)
def test_constants_are_taken_out_of_functions(one, other, f) -> None:
    rows = [da.Differential(one), da.Differential(other)]
    q = [x, y, z, theta]
    system = da.System.from_lagrangian(sum(s.diff(t) ** 2 for s in q), q, constraints=rows)
    (found,) = system.classify().integrals
    ratio = found.diff(y) / f.diff(y)
    at = {a: Rational(1, 3), z: Rational(1, 5)}
    assert all(abs((found.diff(s) - ratio * f.diff(s)).subs(at).evalf(30)) < 1e-25 for s in q)


def test_the_way_there_is_the_same_wherever_names_lie_in_memory(monkeypatch) -> None:
    """SymPy numbers its dummies from a random start, and sets of them go by that: nothing may follow it."""
    system, _ = robot(ANGLES["by degrees"])
    rows = [dict(c.coefficients) for c in system.constraints]
    found = set()
    for start in range(10**6, 9 * 10**6, 2 * 10**6):
        monkeypatch.setattr(Dummy, "_base_dummy_index", start)
        names = {q: Dummy(str(q.func), real=True) for q in system.coordinates}
        forms, back = plain([{names[q]: e.xreplace(names) for q, e in row.items()} for row in rows], [*names.values()])
        assert len({str(s) for s in forms.parameters}) == len(forms.parameters)
        found.add(str([{x: e.xreplace(back) for x, e in row.items()} for row in derived(forms).rows]))
    assert len(found) == 1
