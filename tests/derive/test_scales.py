"""When a state is on its constraints: in any units, whatever the factor of a row, and whatever else is large."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Rational, exp, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive import CLOSE, closeness, prepared
from dalembert.derive.relations import addends
from motion.units import units

x, y, z = q = dynamicsymbols("x y z")
X, Y, Z = v = tuple(c.diff() for c in q)
t = dynamicsymbols._t
FREE = sum(u**2 for u in v) / 2
RING, H, N = x**2 + y**2 - 1, da.Holonomic, da.Nonholonomic


def parts(constraints, state, lagrangian=FREE, now=0.0):
    system = da.System.from_lagrangian(lagrangian, list(q), constraints=constraints)
    return closeness(system, [*(float(state.get(key, 0.0)) for key in (*q, *v)), now])


ON = {
    "exactly": (RING, {x: 0.6, y: 0.8}),
    "ten digits": (RING, {x: 0.5403023059, y: 0.8414709848}),
    "a large coordinate elsewhere": (RING, {x: 0.6, y: 0.8, z: 1e16}),
    "large velocities": (RING, {x: 0.6, y: 0.8, X: 8e9, Y: -6e9}),
    "rounding of zero": (y, {x: 1.0, y: np.sin(np.pi)}),
    "rounding where terms vanish": (RING, {x: 1.0, y: np.cos(np.pi / 2), X: 1.2e-16, Y: 1.0}),
    "noise of a run near an axis": (RING, {x: 1.0, y: 1e-11, X: -1e-11 + 1e-16, Y: 1.0}),
    "a product": ((x - 1) * (y - 2), {x: 1 + 1e-10, y: 5.0}),
    "a function": (sin(x - y), {x: 1.0, y: 1 + 1e-10}),
    "far from the origin": ((x - 10**8) ** 2 + y**2 - 1, {x: 1e8 + 0.6, y: 0.8}),
    "nothing": (x * y, {}),
}
OFF = {
    "beside a large coordinate": (RING, {x: 4.0, z: 1e10}),
    "a little, beside a large coordinate": (RING, {x: 1.00001, z: 1e10}),
    "beside a coordinate larger than any rounding": (RING, {x: 4.0, z: 1e17}),
    "two small ones, beside a large one": (x - y, {x: 0.4, y: 0.5, z: 1e10}),
    "beside large velocities": (RING, {x: 0.6, y: 0.8, X: 1.0, Y: -0.7, Z: 1e12}),
    "in place, moving fast": (RING, {x: 1.1, X: 0.0, Y: 1e12}),
    "off, far from the origin": ((x - 10**8) ** 2 + y**2 - 1, {x: 1e8 + 0.6, y: 0.7}),
    "nine digits": (RING, {x: 0.54030231, y: 0.84147098}),
    "small beside nothing": (y, {x: 1.0, y: 1e-12}),
    "all of it small": (RING - Rational(-1) - Rational(1, 10**20), {x: 1e-10 * (1 + 1e-6)}),
    "nothing to measure by": (RING, {}),
    "velocities of its own, beside one larger than any rounding": (RING, {x: 0.6, y: 0.8, X: 1.0, Y: 1.0, Z: 1e15}),
    "one velocity of its own": (RING, {x: 0.6, y: 0.8, X: 1e-3, Z: 1e12}),
    "coordinates of its own, beside one larger than any rounding": (x - y, {x: 1.0, y: 2.0, z: 1e16}),
}


@pytest.mark.parametrize("case", ON)
def test_on(case):
    relation, state = ON[case]
    off = parts([H(relation)], state)
    assert max(off.level.max(), off.rate.max()) <= CLOSE


@pytest.mark.parametrize("case", OFF)
def test_off(case):
    relation, state = OFF[case]
    off = parts([H(relation)], state)
    assert max(off.level.max(), off.rate.max()) > CLOSE


@settings(max_examples=80, deadline=None)
@given(case=st.sampled_from([*ON, *OFF]), changed=units(rows=1))
def test_units_and_factors_do_not_decide(case, changed):
    relation, state = (ON | OFF)[case]
    system = changed.system(list(q), FREE, [(H, relation)])
    said = changed.state(list(q), dict.fromkeys((*q, *v), 0.0) | state)
    off = closeness(system, [*(said[key] for key in (*q, *v)), 0.0])
    assert bool(max(off.level.max(), off.rate.max()) <= CLOSE) is (case in ON)


CART = (Z**2 + (X + Z) ** 2 + Y**2) / 2 - 9.81 * y  # z is the place of a cart, x and y are relative to it
SPEED = X**2 + Y**2 - 1
BESIDE = {  # one row, M or another row ties it to what is large, and no rounding of that moves it
    "a rod on a cart far away": (CART, [H(RING)], {x: 0.6, y: 0.8, z: 1e10}, y),
    "a rod on a fast cart": (CART, [H(RING)], {x: 0.6, y: 0.8, X: 0.8, Y: -0.6, Z: 1e8}, Y),
    "a speed beside a fast cart": (CART, [N(SPEED)], {X: 0.6, Y: 0.8, Z: 1e8}, Y),
    "a gear": (FREE, [H(RING), H(z - 10**9 * x)], {x: 0.6, y: 0.8, z: 6e8}, y),
    "a gear and its rate": (FREE, [H(RING), H(z - 10**9 * x)], {x: 0.6, y: 0.8, z: 6e8, X: 0.8, Y: -0.6, Z: 8e8}, Y),
    "the gear itself": (FREE, [H(z - 10**9 * x)], {x: 0.6, z: 6e8}, z),
}


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
@pytest.mark.parametrize("case", BESIDE)
def test_rounding_of_what_is_large_counts_only_where_it_moves_the_row(case, scale):
    lagrangian, rows, state, key = BESIDE[case]
    L = scale * lagrangian
    assert max(map(np.max, parts(rows, state, L))) <= CLOSE
    assert max(map(np.max, parts(rows, state | {key: state[key] * (1 + 1e-8)}, L))) > CLOSE


@pytest.mark.parametrize("centre", [1e6, 1e8])
def test_rounding_of_a_far_centre_counts_to_first_order(centre):
    """What is left of (x − c)² + y² − 1 when x and c change by 256 ε of c is 5e-14 c, and not of c²."""
    ring = H((x - int(centre)) ** 2 + y**2 - 1)
    for off, on in ((0.0, True), (1e-14 * centre, True), (4e-13 * centre, False)):
        assert bool(parts([ring], {x: centre + 0.6, y: 0.8 + off}).level[0] <= CLOSE) is on


def test_a_row_that_stands_still_for_a_moment_has_the_rounding_of_what_leads_it():
    """Two rods, the second relative to the first and swinging about it: forces of the rods alone move the first."""
    u, w = dynamicsymbols("u w")
    L = (X**2 + Y**2 + (X + u.diff()) ** 2 + (Y + w.diff()) ** 2) / 2
    rods = da.System.from_lagrangian(L, [x, y, u, w], constraints=[H(RING), H(u**2 + w**2 - 1)])
    at = {x: 1.0, y: 1e-9, u: 0.6, w: 0.8, X: 1e-17, Y: 1e-9, u.diff(): 0.8, w.diff(): -0.6}
    assert max(map(np.max, closeness(rods, [*at.values(), 0.0]))) <= CLOSE


def test_what_falls_to_rest_is_not_measured_by_its_last_noise():
    """At g = 9.81 and a radius of 1, a speed of 1e-17 is none; without any force, nothing says what it is to be
    compared with.
    """
    state = {x: 0.6, y: -0.8, X: 1e-17, Y: 1e-17}
    assert parts([H(RING)], state, FREE - 9.81 * y).rate[0] == 0
    assert parts([H(RING)], state).rate[0] > CLOSE


def test_what_passes_through_zero_has_the_rounding_of_where_it_comes_from():
    """At the lowest point of a bowl all lengths vanish: by speed and weight, and by its curvature, it is one of metres.

    Not so where the row is straight, or the speed says nothing of the place.
    """
    low = {x: 2e-6, y: 1e-12 + 1.5e-16, X: 2.0, Y: 2e-6}
    assert parts([H(y - x**2 / 4)], low, FREE - 9.81 * y).level[0] == 0
    assert parts([H(y - x)], {x: 2e-6, y: 2e-6 + 1e-14, X: 1e10, Y: 1e10}, FREE - 9.81 * y).level[0] > CLOSE
    assert parts([H(RING)], {x: 4.0, Y: 1e10}, FREE - 9.81 * y).level[0] > CLOSE


def test_time_and_parameters_are_inputs_too():
    w = symbols("w")
    system = da.System.from_lagrangian(FREE, list(q), constraints=[H(x - sin(w * t))])
    moment, speed = 1e6, 3.3
    place, rate = np.sin(speed * moment), speed * np.cos(speed * moment)
    off = closeness(system, [place * (1 + 1e-12), 0, 0, rate, 0, 0, moment, speed])
    assert max(off.level[0], off.rate[0]) <= CLOSE
    assert closeness(system, [place + 1e-6, 0, 0, rate, 0, 0, moment, speed]).level[0] > CLOSE


def test_each_constraint_is_judged_by_itself():
    off = parts([H(RING), H(z - 10**10), N(X - Y)], {x: 4.0, z: 1e10 * (1 + 1e-11), X: 1.0, Y: 1.0 + 1e-11})
    assert (off.level <= CLOSE).tolist() == [False, True, True]
    assert (off.rate <= CLOSE).tolist() == [False, True, True]


def test_a_state_where_a_term_does_not_exist():
    """√(x² + y²) − 1 has terms everywhere; their slopes do not exist at the origin, where it is not zero."""
    assert parts([H((x**2 + y**2) ** Rational(1, 2) - 1)], {x: 0.6, y: 0.8}).level[0] <= CLOSE
    with pytest.raises(da.StateError, match="does not exist"):
        parts([H((x**2 + y**2) ** Rational(1, 2) - 1)], {})


@pytest.mark.parametrize(
    ("f", "terms"),
    [
        (RING, {x**2, y**2, -1}),
        (x * RING, {x**3, x * y**2, -x}),
        ((x - y) ** 2, {2 * (x - y) * x, -2 * (x - y) * y}),
        (exp(x - y), {exp(x - y) * x, -exp(x - y) * y}),
        (Abs(x - y), {x, -y}),
        (x * y, {x * y}),
    ],
)
def test_terms(f, terms):
    plain = dict(zip((x, y), symbols("x y", real=True), strict=True))
    assert {e.expand() for e in addends(f.xreplace(plain))} == {(e * x**0).xreplace(plain).expand() for e in terms}


def test_groups_are_what_rows_and_mass_tie_together():
    a, b, c, d = dynamicsymbols("a b c d")
    L = (a.diff() ** 2 + (b.diff() + c.diff()) ** 2 + c.diff() ** 2 + d.diff() ** 2) / 2
    system = da.System.from_lagrangian(L, [a, b, c, d], constraints=[H(a - b)])
    ties = prepared(system).ties
    assert len({*ties[:3].tolist()}) == 1
    assert ties[3] not in ties[:3]
