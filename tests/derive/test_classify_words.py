"""What is said of constraints is as sure as it is known: by dimension, by real values, by what was not tried."""

from itertools import islice, permutations

import pytest
from sympy import Max, Rational, acosh, asin, cos, exp, log, pi, sin, sqrt, symbols, tan
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, w, theta = dynamicsymbols("x y z w theta")
X, Y, Z = x.diff(), y.diff(), z.diff()
a = symbols("a", positive=True)


def system(rows, coordinates=(x, y, z)):
    energy = sum(q.diff() ** 2 for q in coordinates) / 2
    return da.System.from_lagrangian(energy, list(coordinates), constraints=rows)


FORMS = {
    "a cone": (X**2 + Y**2 - a**2 * Z**2, "a cone of velocities"),
    "a cone of an angle": (X**2 + Y**2 - tan(a) ** 2 * Z**2, "a cone of velocities"),
    "a plane twice": ((X - Z) ** 2, "a plane of velocities, stated as a square"),
    "two planes": (X**2 - Y**2, "two planes"),
    "a product": ((X - Z) * (Y - Z), "two planes"),
    "rest": (X**2 + Y**2 + Z**2, "rest"),
    "a line": ((X + Y) ** 2 + Z**2, ""),
}


@pytest.mark.parametrize(("psi", "said"), FORMS.values(), ids=FORMS)
def test_quadratic_forms_are_called_by_their_shape(psi, said) -> None:
    found = system([da.Nonholonomic(psi)]).classify().as_dict()["constraints"][0]["recognised"]
    assert found.startswith(said) if said else found == ""


def test_what_was_not_tried_is_not_asserted() -> None:
    """x − z is kept, though the set has no form that is looked at."""
    said = " ".join(system([da.Nonholonomic((X - Z) ** 2)]).classify().text().split())
    assert "was not tried" in said
    assert "no combination" not in said


@pytest.mark.parametrize("root", [log(-1 - y**2), sqrt(-1 - y**2), asin(2 + y**2)])
def test_a_form_without_real_values_is_told(root) -> None:
    found = system([da.Differential({x: root, z: 1})]).classify()
    assert any("real value" in note for note in found.notes)
    assert "not proved" in found.evidence.words
    assert "not proved" in found.constraints[0].evidence.words


@pytest.mark.parametrize("root", [log(y - 100), sqrt(x * y - 1000), asin(y), acosh(y), log(-y), y ** Rational(1, 3)])
def test_a_form_with_real_values_somewhere_is_not(root) -> None:
    assert not system([da.Differential({x: root, z: 1})]).classify().notes


PLAIN = {  # rows that leave one direction, or none: there is no bracket, and as many integrals as rows
    "two of three": [{x: y, y: -x, z: x**2 + y**2}, {x: 1, y: x, z: z * y}],
    "one of two": [{x: sin(x * y), y: exp(x) - y**3}],
    "three of three": [{x: y, y: -x, z: x**2 + y**2}, {x: 1, y: x, z: z * y}, {z: 1, x: sin(y)}],
}


@pytest.mark.parametrize("rows", PLAIN.values(), ids=PLAIN)
def test_too_few_directions_for_a_bracket_are_a_proof(rows) -> None:
    used = [q for q in (x, y, z) if any(q in row for row in rows)]
    found = system([da.Differential(row) for row in rows], used).classify()
    assert found.holonomic and found.integrable == len(rows)  # noqa: PT018
    assert found.evidence.words == "proved"


def test_the_order_of_coordinates_changes_no_evidence() -> None:
    """An omnidirectional robot: the three wheels together keep a₁ + a₂ + a₃ − 18 θ, and nothing else."""
    wheels = dynamicsymbols("a1:4")
    angles = (0, 2 * pi / 3, 4 * pi / 3)
    rows = [
        da.Differential({x: -sin(theta + b), y: cos(theta + b), theta: 2, q: -Rational(1, 3)})
        for b, q in zip(angles, wheels, strict=True)
    ]
    for order in islice(permutations((x, y, theta, *wheels)), 0, 720, 97):
        found = system(rows, order).classify()
        assert (found.rank, found.integrable, found.evidence.words) == (3, 1, "proved")


def test_what_switches_or_fades_far_away_is_seen() -> None:
    """max(y − 50, 0) is zero nearly everywhere it may be tried; e^(−100 z) is as good as zero."""
    far = system([da.Differential({x: Max(y - 50, 0), z: 1})]).classify()
    faint = system([da.Differential({x: log(2 + x**2), y: exp(-100 * z)})]).classify()
    assert not far.holonomic
    assert not faint.holonomic


@pytest.mark.parametrize("n", [3, 13])
def test_many_stated_relations_do_not_turn_the_answer(n) -> None:
    """Points on circles: z' + x₀ w' = 0 keeps nothing more, z' + x₀ x₀' = 0 does."""
    xs, ys = dynamicsymbols(f"x:{n}"), dynamicsymbols(f"y:{n}")
    circles = [da.Holonomic(p**2 + q**2 - 1) for p, q in zip(xs, ys, strict=True)]
    places = (*xs, *ys, z, w)
    open_ = system([*circles, da.Differential({z: 1, w: xs[0]})], places).classify()
    kept = system([*circles, da.Differential({z: 1, xs[0]: xs[0]})], places).classify()
    assert (open_.rank, open_.integrable, open_.holonomic) == (n + 1, n, False)
    assert (kept.rank, kept.integrable, kept.holonomic) == (n + 1, n + 1, True)
