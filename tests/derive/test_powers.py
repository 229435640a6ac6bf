"""Powers of |u| beside powers of u: whatever way they are stated, one form with the same values."""

import numpy as np
import pytest
from sympy import Abs, Float, Pow, Rational, lambdify, preorder_traversal, sign, sin, symbols

import dalembert as da
from dalembert.derive.switching.gates import gated
from motion.systems import x, y

X, Y = x.diff(), y.diff()
p, c, d = symbols("p c d")
VALUES = {p: 0.6, c: 1.7, d: -0.4}
u, v = X + 2 * x, X - Rational(1, 3)
STATED = [
    -x * Abs(x) ** Rational(-1, 2),
    -X * Abs(X) ** Rational(-2, 3),
    -X * Abs(X) ** -0.6,
    X / Abs(X),
    u / Abs(u),
    (2 * X + 4 * x) / Abs(u),
    (0.5 * X + x) / Abs(u),
    -(c * X + 2 * c * x) / Abs(u) ** Rational(3, 5),
    v / Abs(v),
    (3 * X - 1) / Abs(v) ** p,
    d * X / Abs(d * X),
    X / Abs(d * X),
    x * Abs(x) ** (p - 1),
    X * (X**2) ** ((p - 1) / 2),
    X * (X**2) ** Rational(-1, 3),
    X * (d**2 * X**2) ** Rational(-1, 3),
    x * y / Abs(x * y),
    x**2 * y / Abs(x * y),
    x**2 / Abs(x) ** Rational(1, 2),
    (x**2 / Abs(x)) ** Rational(1, 3),
    (x / Abs(x) ** Rational(1, 2) + 1) ** 2,
    x / (Abs(x) + Abs(x) ** 2),
    x / (d * Abs(x) + x**2),
    sign(X) ** 3 * Abs(X) ** Rational(1, 3),
    sign(X) * Abs(X),
    (y - x) / Abs(x - y),
    sin(x) / Abs(sin(x)),
    (X**4) ** Rational(1, 4) / X,
    x**3 / Abs(x) ** Rational(2, 5),
]


@pytest.mark.parametrize("stated", STATED, ids=str)
def test_the_form_has_the_values_of_what_was_stated(stated):
    form = da.System.from_forces([[1, 0], [0, 1]], [stated, 0], [x, y], parameters=VALUES)
    found = gated(form)
    (force, _) = found.statement.unconstrained.forces
    for place in np.random.default_rng(3).normal(size=(8, 4)):
        state = dict(zip((X, Y, x, y), place, strict=True))
        signs: dict = {}
        for gate in found.gates:
            signs[gate.symbol] = float(np.sign(_value(gate.function, state | signs)))
        assert _value(force, state | signs) == pytest.approx(_value(stated, state), rel=1e-12)


@pytest.mark.parametrize("stated", STATED, ids=str)
def test_no_power_below_zero_is_left_of_what_vanishes_where_it_switches(stated):
    """Beside |u|, however little it is raised to, u itself has no power left: neither a zero nor a pole of its own."""
    form = da.System.from_forces([[1, 0], [0, 1]], [stated, 0], [x, y], parameters=VALUES)
    found = gated(form)
    (force, _) = found.statement.unconstrained.forces
    switches = {gate.symbol for gate in found.gates}
    for node in preorder_traversal(force):
        if isinstance(node, Pow) and node.base.free_symbols & switches:
            exponent = float(node.exp.xreplace({s: Float(e) for s, e in VALUES.items()}))
            assert exponent > 0 or _value(node.base, {X: 0, Y: 0, x: 0, y: 0} | dict.fromkeys(switches, 1.0)) != 0


def _value(expr, state):
    known = {**VALUES, **state}
    names = symbols(f"a:{len(known)}")
    plain = expr.subs({v: n for v, n in zip(known, names, strict=True) if v in (X, Y)})
    plain = plain.xreplace(dict(zip(known, names, strict=True)))
    return float(lambdify(names, plain)(*map(float, known.values())))
