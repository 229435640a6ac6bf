"""A statement with gates is the statement it was made of, wherever its gates have the signs of their functions."""

import pickle

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from mpmath import mp, mpf
from numpy.testing import assert_allclose
from sympy import Abs, Heaviside, Max, Min, Piecewise, sign
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.switching.gates import Gated, gated, mapped
from dalembert.model import all_expressions
from derive import trees
from derive.trees import exact, points

x, y = dynamicsymbols("x y")
u, v = x.diff(), y.diff()
t = dynamicsymbols._t
m, k, c = sp.symbols("m k c", positive=True)
a = sp.Symbol("a", real=True)
STATES = [dict(zip((x, y, u, v), row, strict=True)) for row in np.random.default_rng(7).uniform(-2, 2, (12, 4))]
VALUES = {m: 1.3, k: 0.7, c: 0.4, a: -0.6}


def system(*forces, **more):
    forces = [*forces, *[0] * (2 - len(forces))]
    return da.System.from_lagrangian(m * (u**2 + v**2) / 2, [x, y], forces=forces, **more)


def gates_of(*forces, **more) -> Gated:
    return gated(system(*forces, **more).form())


def force(statement):
    return statement.unconstrained.forces[0]


def with_gates(g, point):
    """The point with the signs of its gates, found one after the other, and how far the next switch is.

    A gate that decides something has a function that exists; what decides nothing may have any sign.
    """
    values = []
    for gate in g.gates:
        value = exact(gate.function, point)
        values.append(value)
        point = point | {gate.symbol: mpf(1 if value is None or value > 0 else -1)}
    live = [values[i] for i in g.live([int(point[h.symbol]) for h in g.gates])]
    assert None not in live
    return point, min(map(abs, live), default=mp.inf)


def at_signs(expr, g, *signs):
    return expr.xreplace({h.symbol: sp.Integer(s) for h, s in zip(g.gates, signs, strict=True)})


# -- the same values, the same slopes -------------------------------------------------------------------------

DOWN = dict(zip((u, x, y), (trees.z, trees.x, trees.y), strict=True))
UP = {s: q for q, s in DOWN.items()}


ANY = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
JUMPS = (sp.floor, sp.ceiling, sp.atan2)  # which are not for gates


def both(tree, point):
    """An expression, a point where it has a value and does not switch, and the same with gates."""
    try:
        form = system(tree.xreplace(UP)).form()
    except da.ModelError:
        assume(False)
    original = force(form)
    point = {UP[s]: value for s, value in point.items()}
    value = exact(original, point)
    assume(value is not None and abs(value) < 1e6)
    g = gated(form)
    at, least = with_gates(g, point)
    assume(least > 1e-5)
    return original, point, force(g.statement), at


@given(trees.trees, points)
@ANY
def test_any_expression_has_the_value_it_had(tree, point):
    original, point, smooth, at = both(tree, point)
    value = exact(original, point)
    assert not [f for f in smooth.atoms(Abs, sign, Max, Min, Heaviside, Piecewise) if f.has(t)]
    assert abs(exact(smooth, at) - value) <= 1e-9 * max(1, abs(value))


@given(trees.trees.filter(lambda e: not e.has(*JUMPS)), points)
@ANY
def test_any_expression_has_the_slope_it_had(tree, point):
    original, point, smooth, at = both(tree, point)
    with mp.workdps(40):
        h = mpf(10) ** -12
        around = [exact(original, point | {x: point[x] + d}) for d in (-h, h)]
        derivative = smooth.xreplace(DOWN).diff(trees.x)
        assume(not derivative.has(sp.I))  # of (-3)**x
        slope = exact(derivative, {DOWN.get(s, s): value for s, value in at.items()})
        assume(None not in (*around, slope) and abs(slope) < 1e6)
        assert abs((around[1] - around[0]) / (2 * h) - slope) <= 1e-6 * max(1, abs(slope))


def ring(nature):
    return da.Holonomic(x**2 + y**2 - 4, name="ring", nature=nature)


slip = Piecewise((k, x < 0), (2 * k, (x >= 0) & (y < 1)), (k / 2, True))
huber = Piecewise((x**2 / (2 * c), Abs(x) < c), (Abs(x) - c / 2, True))
SYSTEMS = {
    "Lagrangian": da.System.from_lagrangian(
        m * (u**2 + v**2) / 2 - k * Max(x - y, 0, c) - Abs(y) ** 3, [x, y], forces={x: -c * sign(u - a), y: Min(x, y)}
    ),
    "mass and forces": da.System.from_forces(
        [[m + k * Abs(x), 0], [0, Max(m, k)]], [Heaviside(x - t, 1), -sign(v) * v**2], [x, y]
    ),
    "particles": da.System.from_particles([da.Particle(Abs(a), (x, y), (-sign(u), 0))], potential=huber),
    "holonomic": system(constraints=[da.Holonomic(y - Abs(x))]),
    "nonholonomic": system(constraints=[da.Nonholonomic(u - Abs(x) * v - Max(y, 0))]),
    "differential": system(constraints=[da.Differential({x: 1 + Abs(y), y: Max(x, 0), t: sign(x - y)})]),
    "one-sided": system(constraints=[da.OneSided(y - Max(x, 0), restitution=Abs(a))]),
    "prescribed": system(constraints=[ring(da.Prescribed({x: -c * Abs(da.multiplier("ring")) * sign(u)}))]),
    "viscous": system(constraints=[ring(da.Viscous(slip))]),
    "quadratic": system(constraints=[ring(da.Quadratic(slip))]),
    "Coulomb": system(constraints=[ring(da.Coulomb(slip, static=slip + Abs(x), sliding=u + Abs(x) * v))]),
    "choice": system(Piecewise((sp.sqrt(x), x > 0), (1 / (x - 1), True)), huber),
    "choice in a choice": system(Piecewise((Piecewise((sp.log(y), y > 0), (y, True)) / x, x > 1), (sp.exp(x), True))),
    "choice in a gate": system(Abs(Piecewise((sp.sqrt(x), x > 0), (-1, True)) - 1)),
}


@pytest.mark.parametrize("stated", SYSTEMS.values(), ids=SYSTEMS)
def test_every_part_of_a_statement_is_what_it_was(stated):
    stated = stated.with_parameters({s: VALUES[s] for s in stated.symbols})
    g = gated(stated.form())
    assert g.gates
    reactions = stated.constraints and next(iter(stated.constraints)).nature
    for state in STATES:
        if isinstance(reactions, da.Prescribed):
            lam = da.principles.explicit(stated.instant(state)).multipliers[0]
            state = state | {da.multiplier("ring"): float(lam)}
        point = {s: mpf(float(value)) for s, value in {**state, **VALUES, t: 0.0}.items()}
        at, _ = with_gates(g, point)
        values = {s: float(at[s]) for s in g.statement.symbols}
        now = g.statement.with_parameters(values).instant({q: state[q] for q in (x, y, u, v)})
        then = stated.instant({q: state[q] for q in (x, y, u, v)})
        for name in ("M", "Q", "A", "b", "C"):
            assert_allclose(getattr(now, name), getattr(then, name), rtol=1e-12, atol=1e-12)


# -- which gates there are ------------------------------------------------------------------------------------


def test_what_does_not_switch_is_left_as_it_is():
    form = system(-k * x + sp.Function("V")(x), Abs(a - k) * Max(a, k) * Piecewise((x, True)) + sp.floor(x)).form()
    g = gated(form)
    assert g.statement is form
    assert (g.gates, g.live(())) == ((), ())


def test_one_gate_for_a_function_and_its_opposite():
    g = gates_of(Abs(x - y) + sign(y - x), Max(2 * x, 2 * y) + Heaviside(y - x) + Piecewise((1, x > y), (2, True)))
    (gate,) = g.gates
    s = gate.symbol
    assert gate.function in (x - y, y - x)
    assert gate.places == ("the force on coordinate 1", "the force on coordinate 2")
    o = 1 if gate.function == x - y else -1
    assert force(g.statement) - (o * s * (x - y) - o * s) == 0


def test_switches_in_switches():
    g = gates_of(Abs(x - Max(y, 0)))
    inner, outer = g.gates
    assert (inner.function, inner.words) == (y, "max(0, y)")
    assert inner.symbol in outer.function.free_symbols
    assert outer.words in ("abs(x - max(0, y))", "abs(max(0, y) - x)")
    assert not outer.function.has(Max)


FACTORS = {
    "two": (sign((x - 1) * (y + 2)), {x - 1, y + 2}),
    "a number between them": (Heaviside(-3 * (x - 1) * y), {x - 1, y}),
    "a modulus": (Abs(u * (x - y)), {u, x - y}),
    "the larger of two": (Max(0, (t - 1) * (2 - t)), {t - 1, t - 2}),
    "squares": (sign(c**2 - (x - y) ** 2), {c - x + y, c + x - y}),
    "an interval": (Piecewise((1, x**2 < k), (2, True)), {sp.sqrt(k) - x, sp.sqrt(k) + x}),
    "three": (Piecewise((x, x * y * u > 0), (-y, True)), {x, y, u}),
    "what keeps its sign": (sign((1 + x**2) * y * (x - 2)), {(1 + x**2) * (x - 2), y}),
    "with a divisor": (sign(y / x), {y / x}),
    "of one that switches": (sign(x**2 * y), {x**2 * y}),
}


@pytest.mark.parametrize("name", FACTORS)
def test_a_product_switches_where_its_factors_do(name):
    stated, functions = FACTORS[name]
    g = gates_of(stated)
    assert {abs(value) for value in map(_at_a_point, functions)} == {abs(_at_a_point(h.function)) for h in g.gates}
    for state in STATES:
        point = {**VALUES, **state, t: 1.5 + state[x] / 4}
        now, far = with_gates(g, point)
        assert far > 0
        assert abs(exact(force(g.statement), now) - exact(stated, point)) < 1e-12


def _at_a_point(e):
    """A value that tells one function from another."""
    return round(float(exact(e, {**VALUES, **STATES[0], t: 0.3})), 12)


def test_gates_are_in_the_order_of_their_places_and_words_but_after_what_they_depend_on():
    g = gates_of(sign(v) + Abs(y), sign(u) + Abs(sign(x) - y))
    assert [h.words for h in g.gates] == ["abs(y)", "sign(y')", "sign(x')", "sign(x)", "abs(y - sign(x))"]
    assert [h.symbol.name for h in g.gates] == [f"switch {i}" for i in range(1, 6)]
    assert g.gates[2].places == ("the force on coordinate 2",)


def test_a_name_that_is_taken_gets_a_prime():
    taken = sp.Symbol("switch 1", real=True)
    (gate,) = gates_of(taken * Abs(x)).gates
    assert gate.symbol.name == "switch 1'"
    assert gate.symbol.is_real


def test_an_even_power_of_a_size_does_not_switch():
    g = gates_of(Abs(x) ** 2 + Abs(y) ** 3)
    assert [h.function for h in g.gates] == [y]


def test_what_parameters_decide_is_a_gate_where_something_moves():
    (gate,) = gates_of(Piecewise((x, a > 0), (y, True))).gates
    assert gate.function == a


def test_a_reaction_may_stand_in_a_switch():
    g = gates_of(constraints=[ring(da.Prescribed({x: Max(da.multiplier("ring"), u)}))])
    (gate,) = g.gates
    assert gate.function in (da.multiplier("ring") - u, u - da.multiplier("ring"))
    assert gate.places == ("the nature of constraint 'ring'",)


def test_friction_that_depends_on_the_place():
    mu = Piecewise((k, x < 0), (2 * k, True))
    g = gates_of(constraints=[ring(da.Coulomb(mu))])
    (gate,) = g.gates
    assert (gate.function, gate.words) == (x, "x < 0")
    coefficient = g.statement.constraints[0].nature.coefficient
    assert [coefficient.xreplace({gate.symbol: sp.Integer(s)}) for s in (-1, 1)] == [k, 2 * k]


def test_the_first_case_that_holds_is_taken_and_what_cannot_hold_is_dropped():
    g = gates_of(Piecewise((x, x < 1), (sp.sqrt(y), (x < 1) & (y > 0)), (y, x >= 1), (sp.log(x), True)))
    assert len(g.gates) == 1
    assert not force(g.statement).atoms(sp.log, sp.Pow)
    assert [at_signs(force(g.statement), g, s) for s in (-1, 1)] == [x, y]


def test_more_pieces_than_their_combinations_could_be_listed():
    knots = range(40)
    g = gates_of(Piecewise(*((i * x, x < i) for i in knots), (0, True)))
    assert len(g.gates) == 40
    at = {h.symbol: sp.Integer(1 if -h.function.xreplace({x: sp.S.Zero}) < 16.5 else -1) for h in g.gates}
    assert force(g.statement).xreplace(at) == 17 * x


def test_a_deep_expression_needs_no_recursion():
    deep = x
    for _ in range(100):
        deep = sp.sin(y + Abs(deep, evaluate=False), evaluate=False)  # SymPy would think for long
    g = gates_of(deep)
    assert len(g.gates) == 100
    assert [h.symbol.name for h in g.gates if h.function == x] == ["switch 1"]


# -- cases that do not exist everywhere -----------------------------------------------------------------------


def test_a_case_that_does_not_exist_everywhere_is_asked_where_it_does():
    """√x where x > 0, else 0: where it does not hold, neither its value nor its slope is that of a root below zero."""
    g = gates_of(Piecewise((sp.sqrt(x), x > 0), (0, True)))
    (gate,) = g.gates
    assert (gate.function, gate.words, gate.contexts) == (x, "x > 0", (1,))
    assert [at_signs(force(g.statement), g, s) for s in (1, -1)] == [sp.sqrt(x), 0]
    assert set(g.statement.symbols) == {m, gate.symbol}
    down = force(g.statement).xreplace(DOWN)
    for place in (-2.0, 0.0, 3.0):
        point = {trees.x: mpf(place), gate.symbol: mpf(-1)}
        assert exact(down, point) == exact(down.diff(trees.x), point) == 0


@pytest.mark.parametrize("name", ["choice", "choice in a choice", "choice in a gate", "particles"])
def test_what_a_statement_is_made_of_has_slopes_wherever_it_does_not_switch(name):
    """A Taylor series is made of them: a case that does not hold must not spoil it."""
    g = gated(SYSTEMS[name].form())
    down = DOWN | {v: sp.Symbol("w", real=True)}
    for state in STATES:
        at, _ = with_gates(g, {s: mpf(float(value)) for s, value in {**state, **VALUES, t: 0.0}.items()})
        point = {down.get(s, s): value for s, value in at.items()}
        for _, e in all_expressions(g.statement):
            slopes = [e.xreplace(down).diff(s) for s in (trees.x, trees.y, trees.z)]
            assert None not in [exact(slope, point) for slope in slopes]


def test_a_case_in_a_case():
    g = gates_of(Piecewise((1 / Piecewise((sp.log(y), y > 2), (y, True)), x > 0), (0, True)))
    place = {h.function: i for i, h in enumerate(g.gates)}
    for right, above, value in ((1, 1, 1 / sp.log(y)), (1, -1, 1 / y), (-1, 1, 0), (-1, -1, 0)):
        signs = [right if i == place[x] else above for i in range(2)]
        assert at_signs(force(g.statement), g, *signs) == value
        assert g.live(signs) == ((0, 1) if right > 0 else (place[x],))
    assert place.keys() == {x, y - 2}


def test_a_gate_counts_only_in_the_cases_it_stands_in():
    """|y| is asked for between 1 and 3, |u| beyond, and max(u, v) everywhere."""
    middle = Piecewise((k, x < 1), (Abs(y), x < 3), (Abs(u), True))
    g = gates_of(middle + Max(u, v))
    place = {h.function: i for i, h in enumerate(g.gates)}
    difference = next(f for f in place if f in (u - v, v - u))
    for beyond, own in (([], set()), ([x - 1], {y}), ([x - 1, x - 3], {u})):
        signs = [1 if h.function in beyond else -1 for h in g.gates]
        decides = {x - 1, difference} | ({x - 3} if beyond else set()) | own
        assert {g.gates[i].function for i in g.live(signs)} == decides
    assert g.gates[place[difference]].contexts == (1,)


def test_a_gate_counts_in_its_own_case_where_another_case_cannot_hold():
    """The second case is a part of the first, written otherwise: it is dropped, the others keep their conditions."""
    g = gates_of(Piecewise((k, x < y), (m, (x - y < 0) & (y > 5)), (Abs(v), x < 2 * y + 6), (0, True)))
    for state, decides in (({x: 2, y: 1}, True), ({x: 1, y: 2}, False), ({x: 9, y: 1}, False)):
        at, _ = with_gates(g, {s: mpf(value) for s, value in {**state, v: 1}.items()})
        live = g.live([int(at[h.symbol]) for h in g.gates])
        assert (v in {g.gates[i].function for i in live}) is decides


def test_division_by_a_parameter_is_as_stated_unless_the_conditions_are_about_it():
    """A parameter that is zero is a fault of its own; but x/a where a > 1 has a value for a = 0 where that is not."""
    for plain in (x / m, x * sp.sqrt(k / m)):
        g = gates_of(Piecewise((plain, x > 0), (0, True)))
        assert force(g.statement) == (1 + g.gates[0].symbol) / 2 * plain
    for case, condition, nowhere in (
        (x * sp.sqrt(a), x > 0, {a: -1, x: -1}),
        (x / a, a > 1, {a: 0, x: 1}),
        (huber.args[0][0], huber.args[0][1], {c: 0, x: 1}),
    ):
        g = gates_of(Piecewise((case, condition), (0, True)))
        point, _ = with_gates(g, {s: mpf(value) for s, value in nowhere.items()})
        assert exact(case, point) is None
        assert exact(force(g.statement), point) == 0


def test_a_gate_with_a_case_in_its_function():
    g = gates_of(Abs(Piecewise((sp.sqrt(x), x > 0), (-1, True)) - 1))
    assert g.gates[0].symbol in g.gates[1].function.free_symbols
    right, left = (at_signs(g.gates[1].function, g, s, 1) for s in (1, -1))
    assert (right, left) in ((sp.sqrt(x) - 1, -2), (1 - sp.sqrt(x), 2))


# -- what is refused ------------------------------------------------------------------------------------------


def unchecked(expr):
    """A form with any force, as if it had been accepted."""
    return mapped(system(k * x).form(), lambda e: expr if e == k * x else e)


def test_a_piecewise_without_a_value_somewhere_is_refused_where_it_stands():
    gap = Piecewise((x, x < 0), (y, x > 1))
    with pytest.raises(da.ModelError, match=r"force on coordinate 1.*x < 0.*x = 0\.5"):
        gated(unchecked(gap))
    with pytest.raises(da.ModelError, match="force on coordinate 1"):
        gates_of(gap)


@pytest.mark.parametrize("ends", [(x, x >= 1), (sp.sqrt(x), ~(x < 0))])
def test_cases_that_cover_everything_need_no_last_one(ends):
    assert gated(unchecked(Piecewise((y, x < 1), ends))).gates


def test_conditions_that_hold_at_a_point_only_are_refused_with_all_other_faults():
    faulty = Piecewise((1, sp.Eq(x, 0)), (y, True)) + Piecewise((2, sp.Ne(u, 0)), (x, True)) + Piecewise((3, x > y))
    with pytest.raises(da.ModelError, match="force on coordinate 1") as caught:
        gated(unchecked(faulty))
    text = str(caught.value)
    assert len(caught.value.faults) == 3
    assert "x == 0" in text
    assert "x' != 0" in text
    assert "Piecewise((3, x > y))" in text


def test_conditions_of_another_kind_are_refused():
    with pytest.raises(da.ModelError, match="not made of <"):
        gated(unchecked(Piecewise((x, sp.Xor(x > 0, y > 0)), (0, True))))


# -- a statement like any other -------------------------------------------------------------------------------


@pytest.mark.parametrize("stated", SYSTEMS.values(), ids=SYSTEMS)
def test_a_statement_with_gates_is_a_value(stated):
    g = gated(stated.form())
    assert gated(stated.form()) is g
    extra = {h.symbol for h in g.gates}
    assert set(g.statement.symbols) == set(stated.symbols) | extra
    assert g.statement.values == tuple((s, 0.0) for s in g.statement.symbols)
    assert type(g.statement) is da.System
    again = pickle.loads(pickle.dumps(g.statement))
    assert again == g.statement
    assert hash(again) == hash(g.statement)
    assert again.form() == g.statement


def test_mapped_with_nothing_to_change_is_equal():
    for stated in SYSTEMS.values():
        form = stated.form()
        assert mapped(form, lambda e: e) == form


def test_mapped_changes_every_expression():
    mark = sp.Symbol("mark")
    for stated in SYSTEMS.values():
        form = mapped(stated.form(), lambda e: e + mark)
        assert all(e.has(mark) for _, e in all_expressions(form))
        assert mark in form.symbols
