"""Sets of constraints that were once classified wrongly, slowly or not at all."""

from time import process_time

import pytest
from sympy import (
    Abs,
    Function,
    GoldenRatio,
    Heaviside,
    Max,
    Piecewise,
    Rational,
    Symbol,
    acos,
    acosh,
    acot,
    asin,
    asinh,
    atan,
    atan2,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
)
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from derive.constraint_table import R, a, c, form, phi, psi, t, theta, trailer, w, x, y, z
from derive.test_classify import system

A, B, K = symbols("A B K", real=True)
X, Y = x.diff(t), y.diff(t)


AT_VALUES = {
    "sin 0": (sin(A), {A: 0.0}),
    "1 - cos 0": (1 - cos(A), {A: 0.0}),
    "tan 0": (tan(A), {A: 0.0}),
    "sinh 0": (sinh(A), {A: 0.0}),
    "exp 0 - 1": (exp(A) - 1, {A: 0.0}),
    "log 1": (log(a), {a: 1.0}),
    "16 - 4^2": (16 - a**B, {a: 4.0, B: 2.0}),
    "root of 0": (sqrt(a), {a: 0.0}),
    "|a - b|": (Abs(A - B), {A: 2.0, B: 2.0}),
    "a third": (3 * A - 1, {A: 1 / 3}),
}


@pytest.mark.parametrize(("factor", "values"), AT_VALUES.values(), ids=AT_VALUES)
def test_values_reach_inside_functions(factor, values) -> None:
    found = system([x, y, z], [form({x: 1, y: factor * z})], parameters=values).classify()
    assert found.holonomic
    assert found.integrals == (x,)
    other = {s: value + 0.25 * (i + 1) for i, (s, value) in enumerate(values.items())}
    assert not system([x, y, z], [form({x: 1, y: factor * z})], parameters=other).classify().holonomic


def test_integrals_that_degenerate_for_the_values_given_are_not_used() -> None:
    rows = [form({x: 1, theta: -R * cos(phi)}), form({y: 1, theta: -R * sin(phi)}), form({phi: 1, theta: -K})]
    start = {theta: 0, phi: Rational(1, 2)}
    turning = system([x, y, theta, phi], rows, parameters={R: 1.0, K: 0.0}, initial=start)
    same = turning.integrate_constraints()
    v = {theta.diff(t): 1.0, x.diff(t): float(cos(0.5)), y.diff(t): float(sin(0.5))}
    one = turning.simulate({**start, **v}, until=1.0)
    other = same.simulate({**start, **v}, until=1.0)
    assert abs(one.y - other.y).max() < 1e-10
    linear = system([x, y], [form({x: 1, y: A * x + B}, "r")], parameters={A: 0.0, B: 1.0}).classify()
    assert linear["r"].integral == x + y
    gone = system([x, y], [form({x: 1, y: (A - B) * x}, "r")], parameters={A: 2.0, B: 2.0}).classify()
    assert gone["r"].integral == x


NOT_LINEAR = [Abs(X) - Y, sqrt(X**2) - Y, Max(X, Y), Y - Max(0, X), Abs(X) - Abs(Y)]


@pytest.mark.parametrize("psi", NOT_LINEAR, ids=str)
def test_kinks_in_velocities_are_not_linear(psi) -> None:
    found = system([x, y], [da.Nonholonomic(psi, name="r")]).classify()
    assert not found["r"].linear
    assert found["r"].integral is None
    assert found.evidence.words == "not tried"


ZEROS = [
    log(x**2) - 2 * log(x),
    log(2 * x) - log(x) - log(2),
    log(sqrt(x**2 + y**2)) - log(x**2 + y**2) / 2,
    asin(x / 9) + acos(x / 9) - pi / 2,
    cos(2 * acos(x / 9)) - 2 * x**2 / 81 + 1,
    sin(2 * asin(x / 9)) - 2 * x / 9 * sqrt(1 - x**2 / 81),
    cosh(2 * acosh(2 + x**2)) - 2 * (2 + x**2) ** 2 + 1,
    asinh(x) - log(x + sqrt(x**2 + 1)),
    atan2(y, 1 + x**2) - atan(y / (1 + x**2)),
    cos(pi / 7) - cos(3 * pi / 7) * 0 - cos(pi / 7),
]


@pytest.mark.parametrize("zero", ZEROS, ids=str)
def test_identities_among_inverse_functions_and_logarithms(zero) -> None:
    assert system([x, y, z], [form({z: 1, x: y * zero})]).classify().holonomic
    assert not system([x, y, z], [form({z: 1, x: y * (zero + x)})]).classify().holonomic


BOUND = {
    "prescribed": da.Prescribed({x: -da.multiplier("held") * x.diff(t) / 2}),
    "friction": da.Coulomb(Rational(1, 5), sliding=x.diff(t)),
}


@pytest.mark.parametrize("nature", BOUND.values(), ids=BOUND)
def test_joint_integrals_leave_multipliers_that_forces_follow(nature) -> None:
    rows = [form({x: sin(phi), y: -cos(phi)}, "blade"), da.Differential({phi: 1}, name="held", nature=nature)]
    stated = system([x, y, phi], rows, initial={phi: Rational(1, 2)})
    with pytest.warns(UserWarning, match="multiplier"):
        same = stated.integrate_constraints()
    assert same.constraints[0] == stated.constraints[0]


def test_rank_where_the_relations_hold() -> None:
    found = system([x, y], [da.Holonomic(x, name="line"), form({y: x}, "empty there")]).classify()
    assert (found.rank, found.degrees_of_freedom, found.dependent) == (1, 1, ("empty there",))
    ring = system([x, y, z], [da.Holonomic(x**2 + y**2 - 1), form({z: x**2 + y**2 - 1})]).classify()
    assert (ring.rank, ring.degrees_of_freedom) == (1, 2)


def test_one_rank_in_one_answer() -> None:
    third = system([x, theta], [form({x: 1, theta: -A}), form({x: 3, theta: -1})], parameters={A: 1 / 3}).classify()
    assert (third.rank, third.integrable, third.degrees_of_freedom, third.configuration_freedom) == (1, 1, 1, 1)
    near = system([x, theta], [form({x: 1}), form({x: 1, theta: -Rational(1, 10**12)})]).classify()
    assert (near.rank, near.integrable) == (2, 2)
    far = system([x, y], [form({x: 1, y: sqrt(x - 10)}), form({x: 2, y: 2 * sqrt(x - 10)})]).classify()
    assert (far.rank, far.integrable, far.degrees_of_freedom) == (1, 1, 1)


@pytest.mark.parametrize("factor", [Max(z - 2, 0), Piecewise((z, z < 0), (0, True)), z * Heaviside(z - 5)], ids=str)
def test_what_switches_far_away_is_seen(factor) -> None:
    assert not system([x, y, z], [form({y: 1, x: factor})]).classify().holonomic


def test_many_trailers() -> None:
    case = trailer(5)
    begin = process_time()
    found = system(case.coordinates, case.constraints).classify()
    assert process_time() - begin < 15
    assert (found.integrable, found.rank, found.evidence.words) == (0, 6, "proved")


def test_brackets_that_are_not_followed_to_their_end_are_said_to_be_so(monkeypatch) -> None:
    monkeypatch.setattr("dalembert.derive.forms.closure.MOST_PAIRS", 30)
    case = trailer(2)
    found = system(case.coordinates, case.constraints).classify()
    assert found.evidence.words == "not tried"
    assert any("at most" in note for note in found.notes)


def test_constants_see_what_the_constraints_determine() -> None:
    rows = [da.Holonomic(y - x**2 - 1), form({z: 1, y: -1}, "r")]
    found = system([x, y, z], rows, initial={x: Rational(3, 5)}).classify()
    assert abs(float(found["r"].constant) + 1.36) < 1e-12


def test_integrals_are_real_at_the_start() -> None:
    found = system([x, y], [form({x: 1 + y**2, y: cos(x)}, "r")], initial={x: 0, y: 0}).classify()["r"]
    assert found.holonomic
    assert found.constant is None or found.constant.is_real


def test_factors_that_vanish_nowhere_are_divided_out() -> None:
    for relation in (exp(X) * (X - Y), (X - Y) * (1 + Y**2), Y / X - 1):
        found = system([x, y], [da.Nonholonomic(relation, name="r")]).classify()["r"]
        assert found.linear
        assert found.integral in (x - y, y - x)


def test_a_row_of_zeros_says_nothing() -> None:
    found = system([x, y], [form({x: A, y: B}, "r")], parameters={A: 0.0, B: 0.0}).classify()
    assert (found.rank, found.degrees_of_freedom) == (0, 2)
    assert "It says nothing" in found.text()


def test_large_coefficients() -> None:
    for prime in (2147431439, 2147403719, 2147394479):
        assert not system([x, y, z], [form({z: 1, x: prime * y})]).classify().holonomic


QUICK = {
    "nested angles": [form({x: 1, theta: cos(theta + asin(sin(theta) / 3))})],
    "powers of parameters": [form({x: x**a * y, y: y**a})],
    "large exponents": [form({x: x**1000, y: y**999})],
    "very large exponents": [form({x: (x + y) ** 10**6, y: 1})],
    "steep": [form({x: exp(1000 * x), y: 1}), form({x: 2 * exp(1000 * x), y: 2})],
    "huge": [form({x: 10**300, y: 1})],
    "error function": [form({x: erf(x), y: 1}), form({theta: 1})],
    "angle of seven": [form({x: cos(pi / 7), y: sin(pi / 7)})],
}


@pytest.mark.parametrize("rows", QUICK.values(), ids=QUICK)
def test_nothing_breaks_or_takes_long(rows) -> None:
    begin = process_time()
    found = system([x, y, theta], rows).classify()
    assert process_time() - begin < 12
    assert found.holonomic


def test_deep_nesting() -> None:
    e = x
    for _ in range(60):
        e = sin(e)
    assert system([x, y], [form({x: e, y: 1})]).classify().holonomic


def test_functions_without_a_definition_are_told() -> None:
    f = Function("f")
    with pytest.raises(da.ModelError, match="only named"):
        system([x, y], [form({x: f(x).diff(x), y: 1}, "r")]).classify()


WORDS = {
    "across": (form({x: cos(phi), y: sin(phi)}), "heading", False),
    "blade": (form({x: sin(phi), y: -cos(phi)}), "knife edge, skate or wheel with the heading phi", True),
    "no spin": (form({phi: 1, psi: cos(theta)}), "rolling", False),
    "no circle": (da.Holonomic(x**2 + y**2 + 1), "circle", False),
    "no rod": (da.Holonomic((x - y) ** 2), "rod", False),
    "rod": (da.Holonomic((x - z) ** 2 + (y - w) ** 2 - c**2), "two points kept at a distance", True),
    "no speed": (da.Nonholonomic(X**2 + X + Y), "speed", False),
    "speed": (da.Nonholonomic(X**2 + Y**2 - c**2), "a speed that is prescribed", True),
    "double angle": (form({x: sin(2 * phi), y: -cos(2 * phi)}), "heading", False),
}


@pytest.mark.parametrize(("constraint", "words", "said"), WORDS.values(), ids=WORDS)
def test_mechanisms_are_not_misnamed(constraint, words, said) -> None:
    text = " ".join(system([x, y, z, w, theta, phi, psi], [constraint]).classify().text().split())
    assert (words in text) is said


def test_singular_places_are_on_the_constraints() -> None:
    moving = system([x, y], [da.Holonomic((x - sin(t)) ** 2 + y**2 - 1)]).classify()
    assert moving.singular == ()
    angles = system([x, theta], [form({x: 1 - cos(theta), theta: sin(theta)})]).classify()
    assert all(e.subs(theta, 2 * pi) == 0 for place in angles.singular for e in place)


def test_exact_rows_keep_their_multipliers() -> None:
    row = form({x: 1 / x, y: 1}, "r")
    one = system([x, y], [row], initial={x: 1, y: 0, X: 1, Y: -1}).simulate(until=0.5, samples=5)
    same = system([x, y], [row], initial={x: 1, y: 0, X: 1, Y: -1}).integrate_constraints()
    other = same.simulate(until=0.5, samples=5)
    assert abs(one.dataset.multiplier - other.dataset.multiplier).max() < 1e-9


def test_the_rank_at_the_start_is_told_where_it_is_lower() -> None:
    rows = [form({x: y, y: -x}), form({z: 1})]
    found = system([x, y, z], rows, initial={x: 0, y: 0, z: 1}).classify()
    assert any("at the start the rank is 1" in note for note in found.notes)


def test_symbols_of_the_same_name_as_values() -> None:
    found = system([x, y], [form({x: Symbol("k"), y: 1})], parameters={Symbol("k"): 0.1}).classify()
    assert found.integrals == (y + Symbol("k") * x,)


def test_integrals_are_those_on_the_relations() -> None:
    """Rows that duplicate others, or vanish, where a relation holds keep nothing of their own there."""
    twice = [da.Holonomic(w - y, name="h"), form({z: z, x: y}, "a"), form({w: y**2, y: -(y**2), z: w - y}, "b")]
    start = {x: Rational(1, 4), y: Rational(1, 2), z: Rational(1, 2), w: Rational(1, 2)}
    stated = system([x, y, z, w], twice, initial=start)
    found = stated.classify()
    assert (found.rank, found.integrable, found.holonomic, found.integrals) == (2, 1, False, (w - y,))
    assert stated.integrate_constraints().constraints == stated.constraints
    idle = system([x, y, z, w], [da.Holonomic(w - y), form({z: w - y, x: w - y}, "idle")], initial=start)
    assert idle.classify().integrals == (w - y,)
    with pytest.warns(UserWarning, match="says less"):
        assert idle.integrate_constraints().constraints == idle.constraints
    other = [da.Holonomic(w - y), form({z: (w - y) * w, w: w - y}), form({z: 1, x: w - y})]
    kept = system([x, y, z, w], other).classify()
    assert kept.integrable == 2
    assert all(f.subs(w, y).has(z) or f.subs(w, y) == 0 for f in kept.integrals)


def test_special_functions_are_not_given_as_integrals() -> None:
    found = system([x, y, z], [form({x: 1, z: sin(z) * cos(y), y: z}), form({x: 1})]).classify()
    assert (found.holonomic, found.integrals) == (True, (x,))
    stated = system([x, z], [form({x: z, z: sin(z)}, "r")], initial={x: 1, z: Rational(1, 2)})
    assert stated.classify()["r"].holonomic
    with pytest.warns(UserWarning, match="not found in closed form"):
        assert stated.integrate_constraints().constraints == stated.constraints


def test_long_chains_of_rows_take_a_few_seconds() -> None:
    places = dynamicsymbols("q1:13")
    rows = [form({places[i]: 1, places[i + 1]: -sin(places[i + 2])}) for i in range(10)]
    begin = process_time()
    found = system(list(places), rows).classify()
    assert process_time() - begin < 15
    assert found.rank == 10


HYPERBOLIC = {
    "of a logarithm": cosh(log(x)) - x / 2 - 1 / x / 2,
    "twice": sinh(2 * log(x)) - (x**2 - x**-2) / 2,
    "of a number": cosh(log(3)) - Rational(5, 3),
    "tanh of a number": tanh(log(2)) - Rational(3, 5),
    "half": sinh(log(2) / 2) - sqrt(2) / 4,
    "of a parameter": tanh(log(a)) - (a - 1 / a) / (a + 1 / a),
    "with pi": cosh(pi + log(2)) - exp(pi) - exp(-pi) / 4,
}


@pytest.mark.parametrize("zero", HYPERBOLIC.values(), ids=HYPERBOLIC)
def test_hyperbolic_functions_of_logarithms(zero) -> None:
    """SymPy writes their exponentials as powers: e^(log x) is x, and x has a value too."""
    assert system([x, y, z], [form({z: 1, x: y * zero})]).classify().holonomic
    assert not system([x, y, z], [form({z: 1, x: y * (zero + x)})]).classify().holonomic


APART = {
    "surd": [sqrt(2) * x - y - 1, x - y / sqrt(2)],
    "golden ratio": [2 * cos(pi / 5) * x - y - 1, GoldenRatio * x - y],
    "cubic": [2 ** Rational(1, 3) * x - y - 1, x - y / 2 ** Rational(1, 3)],
    "under a function": [sqrt(2) * sin(x) - y - 1, sin(x) - y / sqrt(2)],
    "three": [sqrt(2) * x - y - z, z - 1, x - y / sqrt(2)],
    "large": [10**6 * sqrt(3) * x - y - 1, x - y / (10**6 * sqrt(3))],
    "circles": [x**2 + sqrt(2) * y - 1, x**2 / sqrt(2) + y],
}


@pytest.mark.parametrize("relations", APART.values(), ids=APART)
def test_relations_that_contradict_each_other_through_roots(relations) -> None:
    found = system([x, y, z], [da.Holonomic(f, name=f"r{i}") for i, f in enumerate(relations)]).classify()
    assert (found.contradictory, found.dependent) == ((f"r{len(relations) - 1}",), ())
    assert "Redundant" not in found.text()


SINGULAR_STARTS = {
    "cross": ([da.Holonomic(x * y, name="r")], {x: 0, y: 0}, 0),
    "cusp": ([da.Holonomic(x**2 - y**3, name="r")], {x: 0, y: 0}, 0),
    "cone": ([da.Holonomic(x**2 + y**2 - z**2, name="r")], {x: 0}, 0),
    "tangent": ([da.Holonomic(x - y, name="r"), da.Holonomic(x - y + z * w, name="s")], {x: 1, y: 1}, 1),
    "with a form": ([da.Holonomic(x * y, name="r"), form({z: 1, x: w}, "s")], {x: 0, y: 0}, 1),
}


@pytest.mark.parametrize(("rows", "start", "rank"), SINGULAR_STARTS.values(), ids=SINGULAR_STARTS)
def test_a_start_at_a_singular_place_of_relations_is_told(rows, start, rank) -> None:
    found = system([x, y, z, w], rows, initial=start).classify()
    assert any(f"at the start the rank is {rank}" in note for note in found.notes)
    other = system([x, y, z, w], rows[:1], initial={x: 1, y: 1 if rows[0].expr.subs({x: 1, y: 1}) == 0 else 0, z: 1})
    assert not any("at the start" in note for note in other.classify().notes)


ROOT = 1.4142135623730951
SAME = {
    "root": [da.Holonomic(x - sqrt(2) * y), da.Holonomic(x - ROOT * y)],
    "the decimal first": [da.Holonomic(x - ROOT * y), da.Holonomic(x - sqrt(2) * y)],
    "twice": [da.Holonomic(2 * x - 2.8284271247461903 * y), da.Holonomic(x - sqrt(2) * y)],
    "in small units": [da.Holonomic(x - 1e-6 * ROOT * y), da.Holonomic(x - sqrt(2) * y / 10**6)],
    "decimals of 16 digits": [form({x: 1, y: -ROOT}), form({x: 1, y: -1.4142135623730950})],
    "decimals next to each other": [form({x: 1, y: -ROOT}), form({x: 1, y: -1.4142135623730954})],
    "pi": [da.Holonomic(x - pi * y), da.Holonomic(x - float(pi) * y)],
    "an angle": [da.Holonomic(x - cos(pi / 7) * y), da.Holonomic(x - float(cos(pi / 7)) * y)],
    "in a sine": [da.Holonomic(x - sin(sqrt(2) * y)), da.Holonomic(x - sin(ROOT * y))],
}


@pytest.mark.parametrize("rows", SAME.values(), ids=SAME)
def test_decimals_are_not_proved_to_differ_from_what_they_are_but_for_rounding(rows) -> None:
    found = system([x, y], rows).classify()
    assert (found.rank, found.degrees_of_freedom, len(found.dependent)) == (1, 1, 1)
    assert found.evidence.chance
    assert any("but for rounding" in note for note in found.notes)


def test_decimals_that_differ_by_more_than_rounding_are_others() -> None:
    for other in (1.41421356, 1.4142135623731, ROOT + 1e-14):
        found = system([x, y], [da.Holonomic(x - sqrt(2) * y), da.Holonomic(x - other * y)]).classify()
        assert (found.rank, found.evidence.words) == (2, "proved")


@pytest.mark.parametrize("scale", [1, 10**6, Rational(1, 10**6)])
def test_brackets_of_decimals(scale) -> None:
    found = system([x, y, z], [form({z: 1, x: scale * sqrt(2) * y, y: scale * ROOT * x}, "r")]).classify()
    assert found.holonomic
    assert not system([x, y, z], [form({z: 1, x: sqrt(2) * y, y: 1.41421356 * x}, "r")]).classify().holonomic


@pytest.mark.parametrize("c", [ROOT, 2.718281828459045, 3.141592653589793, 0.1234567890123456, 1.2345678901234567e-8])
def test_decimals_stand_in_integrals_as_they_were_written(c) -> None:
    found = system([x, y], [form({x: 1, y: c})]).classify()
    (f,) = found.integrals
    assert float(f.diff(y) / f.diff(x)) == c
    assert found.evidence.words == "proved"


JUMPS = {
    "step": Heaviside(y),
    "sign": sign(y),
    "piecewise": Piecewise((1, y < 0), (2, True)),
    "quotient": Abs(y) / y,
    "one side": Max(y, 0) / y,
    "slanted": Heaviside(x - y),
    "far away": Heaviside(y - 10**6),
    "near": Heaviside(10**6 * y - 1),
    "sign of a sine": sign(sin(y)),
    "angle": atan(tan(y)) - y,
    "angle of two": atan2(sin(y), cos(y)) - y,
}


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_a_form_that_jumps_is_integrable_on_each_side_and_not_across(jump) -> None:
    """A way about the place of the jump and back, with z alone changed, leaves no function of z."""
    found = system([x, y, z], [form({z: 1, x: jump}, "r")], initial={y: 1}).classify()
    assert (found.holonomic, found.integrable, found.configuration_freedom) == (False, 0, 3)
    assert not found["r"].holonomic
    assert any("jump where" in note for note in found.notes)
    stated = system([x, y, z], [form({z: 1, x: jump}, "r")], initial={y: 1})
    assert stated.integrate_constraints() == stated


CONTINUOUS = {
    "along the step": ([form({z: 1, x: sign(x)})], 1, 1),
    "size": ([form({z: 1, x: Abs(x)})], 1, 1),
    "a factor that jumps": ([form({z: 2 + sign(y), x: (2 + sign(y)) * x})], 1, 1),
    "held by a relation": ([da.Holonomic(y - 1), form({z: 1, x: Heaviside(y)})], 2, 2),
    "held by a form": ([form({y: 1}), form({z: 1, x: Heaviside(y)})], 2, 1),
    "nothing to jump": ([form({x: 1}), form({z: 1, x: Heaviside(y)})], 2, 1),
    "one of two": ([form({z: 1, x: Heaviside(y)}), form({w: 1, x: 1})], 1, 1),
    "an angle without a cut": ([form({z: 1, x: atan2(x, 3)})], 1, 1),
}


@pytest.mark.parametrize(("rows", "integrable", "found"), CONTINUOUS.values(), ids=CONTINUOUS)
def test_what_is_kept_across_a_jump(rows, integrable, found) -> None:
    kinds = system([x, y, z, w], rows, initial={y: 1, x: 1}).classify()
    assert (kinds.integrable, len(kinds.integrals)) == (integrable, found)
    assert kinds.holonomic is (integrable == len(rows))


def test_rows_that_are_dependent_where_the_relations_hold_are_those_named() -> None:
    """Of z = 0, dx, dx + z dy and dy the third says what the second says; elsewhere the fourth follows."""
    rows = [da.Holonomic(z, name="h"), form({x: 1}, "a"), form({x: 1, y: z}, "b"), form({y: 1}, "c")]
    found = system([x, y, z], rows).classify()
    assert (found.rank, found.integrable, found.dependent) == (3, 3, ("b",))
    assert found.relations[0].coefficients == (1, z)


ALIKE = [
    atan(1 / y) + atan(y) - pi * sign(y) / 2,
    acot(y) - atan(1 / y),
    sign(y**3) - sign(y),
    atan2(y, z) - atan2(2 * y, 2 * z),
]


@pytest.mark.parametrize("zero", ALIKE, ids=str)
def test_jumps_that_cancel_prove_nothing(zero) -> None:
    """z' = 0 in other words: it may be called nonholonomic where that is not seen, but not as proved."""
    found = system([x, y, z], [form({z: 1, x: zero})]).classify()
    assert found.holonomic or found.evidence.words != "proved"


@pytest.mark.parametrize("jump", [sign(y), atan(1 / y), atan2(y, z), Max(y, 0) / y, 10**-6 * sign(y - 10**6)], ids=str)
def test_jumps_that_are_there_are_proved(jump) -> None:
    found = system([x, y, z], [form({z: 1, x: jump})]).classify()
    assert (found.holonomic, found.evidence.words) == (False, "proved")
