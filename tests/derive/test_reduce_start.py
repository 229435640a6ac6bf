"""The start of a reduced system: the state it was, or none, with a reason that is true."""

import pytest
from sympy import Rational, atan, cos, exp, pi, sin, sinh, sqrt, symbols, tanh
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, u, v, theta = dynamicsymbols("x y z u v theta")
R = symbols("R", positive=True)
a = symbols("a", real=True)


def free(coordinates, start, **stated):
    kinetic = sum(q.diff() ** 2 for q in coordinates) / 2
    return da.System.from_lagrangian(kinetic, coordinates, initial=start, **stated)


def held(phi, places, start):
    """The reduction, by an embedding, of a system that one constraint holds."""
    return free(list(places), start, constraints=[da.Holonomic(phi, name="c")]).reduce(places)


RING = x**2 + y**2 - 1
SPHERE = RING + z**2
RATIONAL = {x: (1 - u**2) / (1 + u**2), y: 2 * u / (1 + u**2)}
STEREOGRAPHIC = {
    x: 2 * u / (1 + u**2 + v**2),
    y: 2 * v / (1 + u**2 + v**2),
    z: (u**2 + v**2 - 1) / (1 + u**2 + v**2),
}
NOWHERE = {  # places that a chart comes near to, and does not reach
    "the last point of a circle": (RING, RATIONAL, {x: -1, y: 0}),
    "and with a velocity": (RING, RATIONAL, {x: -1, y: 0, y.diff(): 1}),
    "the pole it is projected from": (SPHERE, STEREOGRAPHIC, {x: 0, y: 0, z: 1}),
    "the end of exp": (y - 2 * x, {x: exp(u), y: 2 * exp(u)}, {x: 0, y: 0}),
    "the end of tanh": (y - 3 * x, {x: tanh(u), y: 3 * tanh(u)}, {x: 1, y: 3}),
    "the end of atan": (y - 2 * x, {x: 2 * atan(u), y: 4 * atan(u)}, {x: pi.evalf(), y: 2 * pi.evalf()}),
    "the end of 1/(1 + u²)": (RING + 1 - y, {x: u / (1 + u**2), y: 1 / (1 + u**2)}, {x: 0, y: 0}),
}


@pytest.mark.parametrize(("phi", "places", "start"), NOWHERE.values(), ids=NOWHERE)
def test_a_place_that_is_not_on_the_chart_is_not_a_start(phi, places, start) -> None:
    found = held(phi, places, start)
    assert found.system.initial == ()
    assert any("there is no start in the new coordinates" in note for note in found.notes)


@pytest.mark.parametrize(("phi", "places", "start"), NOWHERE.values(), ids=NOWHERE)
def test_nor_a_state_that_is_lowered(phi, places, start) -> None:
    found = held(phi, places, start)
    whole = {key: start.get(key, 0) for q in places for key in (q, q.diff())}
    with pytest.raises(da.StateError, match="never reaches the place"):
        found.lower(whole)


THERE = {
    "near the last point": (RING, RATIONAL, {x: cos(3.1), y: sin(3.1)}, {u: 48.08}),
    "a tenth": (RING, RATIONAL, {x: Rational(99, 101), y: Rational(20, 101)}, {u: 0.1}),
    "low on the sphere": (SPHERE, STEREOGRAPHIC, {x: 0, y: 0, z: -1}, {u: 0.0, v: 0.0}),
    "far on a line": (y - 2 * x, {x: u, y: 2 * u}, {x: 1e12, y: 2e12}, {u: 1e12}),
    "a small line": (y - 2 * x, {x: u / 10**9, y: 2 * u / 10**9}, {x: 5e-9, y: 1e-8}, {u: 5.0}),
    "exp": (y - 2 * x, {x: exp(u), y: 2 * exp(u)}, {x: 1e-5, y: 2e-5}, {u: -11.5129}),
}


@pytest.mark.parametrize(("phi", "places", "start", "expected"), THERE.values(), ids=THERE)
def test_a_place_on_the_chart_is_found(phi, places, start, expected) -> None:
    found = dict(held(phi, places, start).system.initial)
    for key, value in expected.items():
        assert float(found[key]) == pytest.approx(value, rel=1e-4, abs=1e-9)


FLAT = {"u³": u**3, "u²": u**2, "u⁵": u**5, "u − sin u": u - sin(u), "sin³ u": sin(u) ** 3}


@pytest.mark.parametrize("angle", FLAT.values(), ids=FLAT)
def test_where_an_embedding_is_flat_no_velocity_follows(angle) -> None:
    """The place moves by J u̇ with J = 0 at u = 0: no u̇ moves it at all, and one that moves it slowly is invented."""
    found = held(RING, {x: cos(angle), y: sin(angle)}, {x: 1, y: 0, x.diff(): 0, y.diff(): 1})
    assert found.system.initial == ()
    assert any("at the start the embedding fails" in note for note in found.notes)
    with pytest.raises(da.StateError, match=r"the embedding fails here|is off the embedding"):
        found.lower({x: 1, y: 0, x.diff(): 0, y.diff(): 1})


@pytest.mark.parametrize("angle", FLAT.values(), ids=FLAT)
def test_beside_a_flat_place_it_does(angle) -> None:
    """At u = 1/10 the place moves with the angle, whose rate is 1: u̇ = 1/J."""
    there, slope = (float(e.subs(u, Rational(1, 10))) for e in (angle, angle.diff(u)))
    turned = {x: cos(there), y: sin(there), x.diff(): -sin(there), y.diff(): cos(there)}
    found = dict(held(RING, {x: cos(angle), y: sin(angle)}, turned).system.initial)
    assert abs(float(found[u])) == pytest.approx(0.1, rel=1e-3)
    assert abs(float(found[u.diff()])) == pytest.approx(1 / slope, rel=1e-3)


@pytest.mark.parametrize("start", [{x: 1, y: 0}, {x: 1, y: 0, y.diff(): 1}, {x: -1, y: 0, y.diff(): 1}])
def test_at_the_edge_of_a_root_there_is_no_start(start) -> None:
    """y = √(1 − x²) has no slope at x = ±1."""
    ring = da.Holonomic(RING, name="c")
    found = free([x, y], start, constraints=[ring]).reduce({y: sqrt(1 - x**2)})
    assert found.system.initial == ()
    assert any("at the start the embedding fails" in note for note in found.notes)


CIRCLE = {x: R * cos(theta), y: R * sin(theta)}
OPEN = {  # of parameters without values
    "on it": ({x: R * cos(a), y: R * sin(a), x.diff(): -R * sin(a), y.diff(): R * cos(a)}, True),
    "beside it": ({x: 2 * R, y: 0}, False),
    "across it": ({x: R, y: 0, x.diff(): 1}, False),
    "along it": ({x: R, y: 0, y.diff(): 1}, True),
    "one alone": ({x: R * cos(a)}, False),
}


@pytest.mark.parametrize(("start", "there"), OPEN.values(), ids=OPEN)
def test_starts_by_parameters_without_values(start, there) -> None:
    ring = da.Holonomic(x**2 + y**2 - R**2, name="ring")
    found = free([x, y], start, constraints=[ring]).reduce(CIRCLE)
    assert bool(found.system.initial) is there
    assert any("could not be said" in note for note in found.notes) is not there


REASONS = {  # a constraint that cannot be solved, its start, and the reason for each coordinate
    "several functions": (x + exp(x) + y + exp(y) - 2, {x: 0, y: 0}, ["for x, it stands inside exp and outside"]),
    "a high degree": (x**5 + x + y**5 + 2 * y, {x: 0, y: 0}, ["for y, it stands in a polynomial of degree 5"]),
    "an angle and outside": (x + 2 * sin(x) + y + 2 * sin(y), {x: 0, y: 0}, ["for x, it stands inside an angle"]),
    "one side of a root": (sqrt(x) + sqrt(y) - 2, {x: 1, y: 1}, ["for x, its solution satisfies it on one side"]),
    "where branches meet": (x**2 + y**2, {x: 0, y: 0}, ["for x, the start is where its branches meet"]),
}


@pytest.mark.parametrize(("phi", "start", "reasons"), REASONS.values(), ids=REASONS)
def test_the_reason_why_a_constraint_is_not_solved(phi, start, reasons) -> None:
    with pytest.raises(da.ModelError) as error:
        free([x, y], start, constraints=[da.Holonomic(phi, name="c")]).reduce()
    for reason in reasons:
        assert reason in str(error.value)
    assert "second" not in str(error.value)


def test_without_a_start_the_reason_is_that() -> None:
    ring = da.Holonomic(x**2 + y**2 - 1, name="ring")
    with pytest.raises(da.ModelError, match="no start chooses among branches"):
        da.System.from_lagrangian(x.diff() ** 2 + y.diff() ** 2, [x, y], constraints=[ring]).reduce()


def test_a_start_that_is_not_on_the_constraints_chooses_nothing() -> None:
    ring = da.Holonomic(x**2 + y**2 - 1, name="ring")
    with pytest.raises(da.ModelError, match="no start with numbers that satisfies the constraints chooses"):
        free([x, y], {x: 2, y: 1}, constraints=[ring]).reduce()


SOLVED = {  # relations that a formula solves, and a start on them
    "circle": (x**2 + y**2 - 1, {x: 0.6, y: -0.8}),
    "rod": ((x - 2) ** 2 + (y - 1) ** 2 - 4, {x: 2, y: 3}),
    "crank": (cos(x) + 3 * cos(y) - 2, {x: 0, y: 1.2309594173407747}),
    "fourth power": (x**4 + y**4 - 17, {x: 2, y: 1}),
    "exponential": (exp(2 * x) + exp(2 * y) - 2, {x: 0, y: 0}),
    "product": ((x + y) * (x**2 + y**2 - 5), {x: 2, y: -2}),
    "root": (sqrt(x**2 + y**2) - 1, {x: 0.6, y: 0.8}),
    "fractional powers": (x ** Rational(2, 3) + y ** Rational(2, 3) - 2, {x: 1, y: 1}),
    "odd": (sinh(x) + sinh(y), {x: 1, y: -1}),
    "odd and bounded": (2 * tanh(x) - 2 * tanh(y), {x: 1, y: 1}),
    "arm": (2 * cos(x) + sin(x) + 3 * cos(y) + 2 * sin(y) - 5, {x: 0, y: 0}),
}


@pytest.mark.parametrize(("phi", "start"), SOLVED.values(), ids=SOLVED)
def test_relations_solved_by_formula_hold(phi, start) -> None:
    found = free([x, y], start, constraints=[da.Holonomic(phi, name="c")]).reduce()
    assert len(found.system.coordinates) == 1
    (kept,) = found.system.coordinates
    for off in (0, Rational(1, 50), -Rational(1, 50)):
        at = {kept: dict(found.system.initial)[kept] + off}
        (gone,) = found.embedding
        place = {**at, gone: found.embedding[gone].subs(at)}
        assert float(phi.subs(place)) == pytest.approx(0, abs=1e-12)
