"""Theorems 1 and 2 of the reduction for random Lagrangians and random embeddings (Hypothesis)."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Add, Function, Matrix, Rational, cos, exp, sin, sympify
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.reducing import pullback

t = dynamicsymbols._t
OLD = dynamicsymbols("y1:4")
NEW = dynamicsymbols("q1:4")
small = st.integers(-3, 3)


@st.composite
def smooth(draw, variables):
    """A smooth function of some variables: a few products of powers, sines and cosines."""
    terms = []
    for _ in range(draw(st.integers(1, 2))):
        factor = Rational(draw(small), draw(st.integers(1, 3)))
        for v in draw(st.lists(st.sampled_from(variables), max_size=2)):
            factor *= draw(st.sampled_from([v, v**2, sin(v), cos(v)]))
        terms.append(factor)
    return Add(*terms)


@st.composite
def lagrangians(draw):
    """½ q̇ᵀ M q̇ + Bᵀ q̇ − V with M = 3 n I + Gᵀ G, positive definite."""
    variables = [*OLD, t]
    G = Matrix(3, 3, [draw(smooth(variables)) if i == 0 else draw(small) for i in range(9)])
    v = Matrix([q.diff(t) for q in OLD])
    kinetic = (v.T * (9 * Matrix.eye(3) + G.T * G) * v)[0] / 2
    return kinetic + draw(smooth(variables)) * v[0] + draw(smooth(variables))


@st.composite
def embeddings(draw, k):
    """y_i = x_i + …, so that it is an immersion: the first k by triangular functions, the others by any."""
    new = NEW[:k]
    places = [new[i] + (draw(smooth([*new[:i], t])) if i else draw(smooth([t]))) for i in range(k)]
    return [*places, *(draw(smooth([*new, t])) for _ in range(3 - k))], new


@pytest.mark.parametrize(("units", "examples"), [(0.0, 10), (0.5, 3)], ids=["as it comes", "made short"])
def test_the_lagrangian_derivative_is_a_covector(units, examples):
    """Whether or not it is too much to bring what comes out into a short form."""
    with patch.object(pullback, "EFFORT", units):
        settings(max_examples=examples, deadline=None)(given(st.data())(covariant))()


def covariant(data):
    """[L']_x = Jᵀ [L]_y by SymPy's own derivatives along a curve, against M' ẍ − Q' of the reduced system."""
    k = data.draw(st.integers(1, 2))
    L = data.draw(lagrangians())
    places, new = data.draw(embeddings(k))
    rows = [da.Holonomic(y - e, name=f"row {i}") for i, (y, e) in enumerate(zip(OLD, places, strict=True)) if i >= k]
    rows = [da.Holonomic(_inverted(row.expr, places, new), name=row.name) for row in rows]
    system = da.System.from_lagrangian(L, list(OLD), constraints=rows)
    found = system.reduce(dict(zip(OLD, places, strict=True)), list(new))
    assert found.proof.covariance < 1e-11
    assert found.proof.definiteness > 0
    curve = [Rational(data.draw(small), 4) + Rational(data.draw(small), 3) * t + sin(t) / (i + 2) for i in range(k)]
    along = dict(zip(new, curve, strict=True))
    moment = Rational(data.draw(small), 5)
    lifted = [sympify(e).xreplace(along) for e in places]
    force = [_lagrangian_derivative(L, OLD, lifted, i, moment) for i in range(3)]
    J = [[sympify(e).diff(x).xreplace(along).subs(t, moment) for x in new] for e in places]
    expected = np.array(J, dtype=float).T @ np.array(force, dtype=float)
    state = {q: float(c.subs(t, moment)) for q, c in along.items()}
    state |= {q.diff(t): float(c.diff(t).subs(t, moment)) for q, c in along.items()}
    now = found.system.instant(state, float(moment))
    second = np.array([float(c.diff(t, 2).subs(t, moment)) for c in curve])
    scale = 1 + np.abs(now.M).max() * (1 + np.abs(second).max()) + np.abs(now.Q).max()
    assert now.M @ second - now.Q == pytest.approx(expected, abs=1e-10 * scale)


def _inverted(e, places, new):
    """A relation among x and y with x written by y: x_i = y_i − … one after the other."""
    known = {}
    for i, x in enumerate(new):
        known[x] = OLD[i] - (places[i] - x).xreplace(known)
    return sympify(e).xreplace(known)


def _lagrangian_derivative(L, coordinates, curve, i, moment):
    """d/dt ∂L/∂q̇_i − ∂L/∂q_i along a curve q(t), at a time."""
    q, v = coordinates[i], coordinates[i].diff(t)
    stand_in = Function("stand_in")(t)
    place = {c.diff(t): e.diff(t) for c, e in zip(coordinates, curve, strict=True)}
    place |= dict(zip(coordinates, curve, strict=True))
    momentum = L.xreplace({v: stand_in}).diff(stand_in).xreplace({stand_in: v}).xreplace(place)
    frozen = L.xreplace({c.diff(t): Function(f"v{j}")(t) for j, c in enumerate(coordinates)})
    slope = (
        frozen.diff(q).xreplace({Function(f"v{j}")(t): c.diff(t) for j, c in enumerate(coordinates)}).xreplace(place)
    )
    return (momentum.diff(t) - slope).subs(t, moment)


def test_a_product_of_exponentials_is_no_exception():
    x, y, s = dynamicsymbols("x y s")
    system = da.System.from_lagrangian(
        x.diff() ** 2 * exp(y) + y.diff() ** 2 * exp(-x), [x, y], constraints=[da.Holonomic(x + y, name="line")]
    )
    found = system.reduce({x: s, y: -s})
    assert found.system.unconstrained.function.equals(2 * s.diff() ** 2 * exp(-s))
