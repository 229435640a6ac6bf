"""What constraints are: a table of known answers, generated sets, and each property by itself."""

from itertools import product
from time import process_time

import numpy as np
import pytest
from sympy import Abs, Expr, Function, Integer, Matrix, Rational, S, Symbol, cos, exp, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.forms.closure import closure
from derive.constraint_table import CASES, Case, R, a, c, form, phi, t, theta, v, w, x, y, z


def system(coordinates: list[Expr], constraints: list, **more) -> da.System:
    kinetic = sum(q.diff(t) ** 2 for q in coordinates) / 2
    return da.System.from_lagrangian(kinetic, coordinates, constraints=constraints, **more)


def rank_of_gradients(functions: list[Expr], coordinates: list[Expr]) -> int:
    """The number of independent functions, by plain differentiation and numbers."""
    plain = {q: Symbol(f"u{i}") for i, q in enumerate([*coordinates, t])}
    rows = [[f.xreplace(plain).diff(u) for u in plain.values()] for f in functions]
    random = np.random.default_rng(5)
    free = sorted(Matrix(rows).free_symbols, key=str) if rows else []
    at = {s: random.uniform(0.4, 1.2) for s in free}
    numbers = np.array([[complex(e.subs(at)).real for e in row] for row in rows])
    return int(np.linalg.matrix_rank(numbers, tol=1e-9)) if rows else 0


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_set_is_what_it_is_known_to_be(case: Case) -> None:
    found = system(case.coordinates, case.constraints).classify()
    assert (found.holonomic, found.integrable, found.rank) == (case.holonomic, case.integrable, case.rank)
    assert found.degrees_of_freedom == len(case.coordinates) - case.rank
    alone = case.alone or (case.holonomic,) * len(case.constraints)
    if case.alone or len(case.constraints) == 1:
        assert tuple(kind.holonomic for kind in found.constraints) == alone
    assert len(found.integrals) == case.integrable
    assert rank_of_gradients(list(found.integrals), case.coordinates) == case.integrable
    assert rank_of_gradients([*found.integrals, *case.integrals], case.coordinates) == case.integrable


def test_the_table_is_classified_in_a_few_seconds() -> None:
    assert len(CASES) >= 40
    begin = process_time()
    for case in CASES:
        system(case.coordinates, case.constraints).classify()
    assert process_time() - begin < 20


def mixed(seed: int) -> tuple[list[Symbol], list[list[Expr]], list[list[Expr]]]:
    """Variables, differentials of random functions mixed by a random invertible matrix, and the same with a row that
    is not integrable modulo them.
    """
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 7))
    k = int(random.integers(1, n - 2))
    variables = [*symbols(f"u:{n}", real=True), Symbol("t", real=True)]
    angle = variables[0]

    def function() -> Expr:
        picks = [variables[i] for i in random.integers(0, n + 1, 3)]
        coefficients = [Integer(int(i)) for i in random.integers(-3, 4, 4)]
        extra = [sin(angle), cos(2 * angle), exp(variables[1]), sqrt(1 + variables[2] ** 2), S.Zero][random.integers(5)]
        terms = [picks[0] * picks[1], picks[1] * picks[2] ** 2, extra * picks[0], variables[int(random.integers(n))]]
        return sum(factor * term for factor, term in zip(coefficients, terms, strict=True)) + variables[2 % n]

    functions = [function() + 7 * variables[i] for i in range(k)]
    gradients = Matrix([[f.diff(u) for u in variables] for f in functions])
    lower, upper = Matrix.eye(k), Matrix.eye(k)
    for i, j in product(range(k), range(k)):
        entry = Rational(int(random.integers(-2, 3)), 2) * variables[int(random.integers(n))]
        if i > j:
            lower[i, j] = entry
        if i < j:
            upper[i, j] = entry
    rows = (lower * Matrix.diag(*[1 + variables[i % n] ** 2 for i in range(k)]) * upper * gradients).tolist()
    e, f, g = (variables[i] for i in (n - 1, n - 2, n - 3))
    generic = [S.Zero] * (n + 1)
    for place, value in ((e, g + f * f), (f, S.One + e * g), (g, f - e * e + 3), (variables[0], e * f)):
        generic[variables.index(place)] += value
    return variables, rows, [*rows, generic]


@pytest.mark.parametrize("seed", range(200))
def test_mixed_differentials_are_found_integrable_and_a_generic_row_spoils_it(seed: int) -> None:
    variables, rows, spoiled = mixed(seed)
    found = closure(rows, variables)
    assert found.rank == found.integrals == len(rows)
    other = closure(spoiled, variables)
    assert other.rank == len(spoiled)
    assert len(rows) <= other.integrals < other.rank


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_classify_agrees_on_mixed_differentials(seed: int) -> None:
    variables, rows, _ = mixed(seed)
    places = {u: dynamicsymbols(u.name) for u in variables[:-1]}
    back = {**places, variables[-1]: t}
    constraints = [form({back[u]: e.xreplace(back) for u, e in zip(variables, row, strict=True)}) for row in rows]
    found = system(list(places.values()), constraints).classify()
    assert found.holonomic
    assert found.integrable == found.rank == len(rows)


def test_exact_and_integrating_factor() -> None:
    found = system([x, y], [form({x: 2 * y, y: x}, "form")], initial={x: R, y: 2}).classify()["form"]
    assert found.holonomic
    assert not found.exact
    assert found.factor is not None
    df = [found.integral.diff(q) - found.factor * e for q, e in ((x, 2 * y), (y, x))]
    assert [e.expand() for e in df] == [0, 0]
    assert found.constant == 2 * R**2
    exact = system([y, theta], [form({y: 1, theta: -R}, "form")]).classify()["form"]
    assert (exact.exact, exact.factor, exact.integral) == (True, 1, y - R * theta)


def test_time_and_rest() -> None:
    moving = system([x, y], [form({x: y, y: x, t: -2 * t}, "a"), da.Holonomic(x - 3, name="b")]).classify()
    assert (moving["a"].rheonomic, moving["a"].catastatic) == (True, False)
    assert (moving["b"].rheonomic, moving["b"].catastatic) == (False, True)
    steered = system([x, y, z], [form({x: sin(t), y: -cos(t)}, "a"), form({z: 1, x: -y, t: v}, "b")]).classify()
    assert (steered["a"].rheonomic, steered["a"].catastatic, steered["a"].holonomic) == (True, True, False)
    assert (steered["b"].rheonomic, steered["b"].catastatic) == (False, False)
    both = form({x: t * sin(phi), y: -t * cos(phi)}, "scaled")  # a factor t changes nothing
    assert not system([x, y, phi], [both]).classify()["scaled"].rheonomic


def test_dependent_rows_and_their_relation() -> None:
    rows = [form({x: 1, y: z}, "a"), form({z: 1}, "b"), form({x: 2, y: 2 * z, z: y}, "c")]
    found = system([x, y, z], rows).classify()
    assert found.dependent == ("c",)
    (relation,) = found.relations
    assert dict(zip(relation.on, relation.coefficients, strict=True)) == {"a": 2, "b": y}
    assert (found.rank, found.degrees_of_freedom, found.integrable) == (2, 1, 2)


def test_rank_is_that_on_the_constraints() -> None:
    """A parallelogram of bars with a middle bar of the same length: where three loops close, so does the fourth."""
    loops = [
        da.Holonomic(x**2 + y**2 - 1, name="left"),
        da.Holonomic((z - 2) ** 2 + w**2 - 1, name="right"),
        da.Holonomic((x - z) ** 2 + (y - w) ** 2 - 4, name="top"),
        da.Holonomic(((x + z) / 2 - 1) ** 2 + ((y + w) / 2) ** 2 - 1, name="middle"),
    ]
    start = {x: Rational(3, 5), y: Rational(4, 5), z: Rational(13, 5), w: Rational(4, 5)}
    found = system([x, y, z, w], loops, initial=start).classify()
    assert (found.rank, found.integrable, found.holonomic) == (3, 3, True)
    assert found.dependent == ("middle",)
    assert found.degrees_of_freedom == 1


def test_integrable_only_where_the_relations_hold() -> None:
    rows = [da.Holonomic(x - y, name="plane"), form({z: 1, x: -(x - y) * w}, "form")]
    found = system([x, y, z, w], rows).classify()
    assert found.holonomic
    assert found.integrable == 2
    assert not found["form"].holonomic
    assert found.integrals == (x - y, z)
    assert found.evidence.words == "proved"
    assert any("stated relations" in note for note in found.notes)


def test_values_of_parameters_can_make_it_integrable() -> None:
    k = Symbol("k")
    rows = [form({z: 1, x: -k * y}, "form")]
    assert not system([x, y, z], rows).classify().holonomic
    assert not system([x, y, z], rows, parameters={k: 2.0}).classify().holonomic
    special = system([x, y, z], rows, parameters={k: 0.0}).classify()
    assert special.holonomic
    assert any("values given" in note for note in special.notes)


def test_proofs_and_trials_are_told_apart() -> None:
    assert system([x, y, z], [form({y: 1, x: -(z**2)})]).classify().evidence.words == "proved"
    switching = system([x, y, z], [form({y: 1, x: -Abs(z)})]).classify()
    assert not switching.holonomic
    f, g, h = (Function(name) for name in "fgh")
    unknown = system([x, y, z], [form({x: f(x), y: g(y), z: h(z)}, "f")]).classify()
    assert unknown.holonomic
    assert "random points" in unknown.evidence.words or unknown.integrals


def test_contacts_are_counted_as_open() -> None:
    found = system([x, y], [da.OneSided(y, name="floor"), da.Holonomic(x - 1, name="wall")]).classify()
    assert found.contacts == ("floor",)
    assert (found.rank, found.degrees_of_freedom) == (1, 1)
    assert found["floor"].holonomic


def test_contradictory_rows_are_named() -> None:
    rows = [da.Nonholonomic(x.diff(t) - v, name="one"), da.Nonholonomic(x.diff(t) - 2 * v, name="two")]
    found = system([x, y], rows).classify()
    assert found.contradictory == ("two",)
    assert not found.holonomic


def test_singular_places() -> None:
    origin = system([x, y], [form({x: y, y: -x}, "form")]).classify()
    assert [set(place) for place in origin.singular] == [{x, y}]
    common = system([x, phi, z], [form({x: sin(phi), z: sin(phi) * x}, "form")]).classify()
    assert (sin(phi),) in common.singular
    ring = system([x, y], [da.Holonomic(x**2 + y**2 - R**2)]).classify()
    assert ring.singular == ()  # the centre is not on the ring
    cone = system([x, y, z], [da.Holonomic(x**2 + y**2 - c**2 * z**2)]).classify()
    assert [set(place) for place in cone.singular] == [{x, y, z}]
    pair = system([x, y, z], [form({x: 1, y: a}), form({x: 1, y: z})]).classify()
    assert len(pair.singular) == 1
    assert pair.singular[0][0].subs(z, a) == 0


def test_a_mechanism_of_seven_coordinates_is_classified_within_five_seconds() -> None:
    angles = dynamicsymbols("beta Theta gamma Phi delta Omega epsilon")
    beta, Theta, gamma, Phi, delta, Omega, epsilon = angles
    rr, d, ss, e, zf, zt, u, xa, ya, xb, yb = symbols("rr d s_s e zf zt u xa ya xb yb", positive=True)
    loops = [
        rr * cos(beta) - d * cos(beta + Theta) - ss * sin(gamma) - xb,
        rr * sin(beta) - d * sin(beta + Theta) + ss * cos(gamma) - yb,
        rr * cos(beta) - d * cos(beta + Theta) - e * sin(Phi + delta) - zt * cos(delta) - xa,
        rr * sin(beta) - d * sin(beta + Theta) + e * cos(Phi + delta) - zt * sin(delta) - ya,
        rr * cos(beta) - d * cos(beta + Theta) - zf * cos(Omega + epsilon) - u * sin(epsilon) - xa,
        rr * sin(beta) - d * sin(beta + Theta) - zf * sin(Omega + epsilon) + u * cos(epsilon) - ya,
    ]
    squeezer = system(list(angles), [da.Holonomic(f) for f in loops])
    begin = process_time()
    found = squeezer.classify()
    assert process_time() - begin < 5
    assert (found.rank, found.integrable, found.holonomic, found.degrees_of_freedom) == (6, 6, True, 1)
    rates = [form({q: e for q in angles if (e := f.diff(q)) != 0}) for f in loops]
    begin = process_time()
    hidden = system(list(angles), rates).classify()
    assert process_time() - begin < 5
    assert (hidden.rank, hidden.integrable, hidden.holonomic) == (6, 6, True)
    assert all(kind.exact and kind.integral is not None for kind in hidden.constraints)
