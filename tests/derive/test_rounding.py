"""Decimal numbers: what differs by their rounding is no contradiction, what differs by more is; fractions are exact."""

import pytest
from sympy import Rational, pi, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

t = dynamicsymbols._t
x, y, z = dynamicsymbols("x y z")
X, Y, Z = (q.diff(t) for q in (x, y, z))
a, b = symbols("a b", real=True)
TEN = sum([0.1] * 100)  # 9.99999999999998


def found(*constraints, **stated):
    rows = [da.Holonomic(e) if not e.has(X, Y, Z) else da.Nonholonomic(e) for e in constraints]
    return stating(rows, **stated).classify()


def stating(rows, **stated) -> da.System:
    return da.System.from_lagrangian((X**2 + Y**2 + Z**2) / 2, [x, y, z], constraints=rows, **stated)


SAME = {  # what is said twice, but for rounding
    "a sum": (x - 0.1 - 0.2, x - 0.3),
    "a product": (x - 3 * 0.1, x - 0.3),
    "in a sum of coordinates": (x + y - (0.1 + 0.2), x + y - 0.3),
    "a circle": (x**2 + y**2 - 0.1 * 3, x**2 + y**2 - 0.3),
    "a long sum": (x - TEN, x - 10),
    "a long sum and a circle": (x**2 + y**2 - TEN, x**2 + y**2 - 10),
    "a root and a square": (sqrt(x**2 + y**2) - 10**0.5, x**2 + y**2 - TEN),
    "π by sixteen digits": (x - 3.141592653589793, x - pi),
    "√2 by sixteen digits": (x - sqrt(2), x - 2**0.5),
    "velocities": (X - 0.1 - 0.2, X - 0.3),
    "velocities by a long sum": (X - TEN, X - 10),
    "through a coordinate": (z - 0.1, x - z - 0.2, x - 0.3),
    "velocities through a coordinate": (z - 0.1, X - z - 0.2, X - 0.3),
}


@pytest.mark.parametrize("constraints", SAME.values(), ids=SAME)
def test_rounding_is_no_contradiction(constraints) -> None:
    kinds = found(*constraints)
    assert kinds.contradictory == ()
    assert kinds.rank == len(constraints) - 1


def test_what_is_taken_for_rounding_is_told_and_not_called_proved() -> None:
    kinds = found(x - TEN, x - 10)
    assert kinds.dependent == ("constraint 2",)
    assert any("'constraint 2' differs" in note and "rounding" in note for note in kinds.notes)
    assert kinds.evidence.words != "proved"
    rows = found(X - TEN, X - 10, Y - X)
    assert (rows.rank, rows.dependent) == (2, ("constraint 2",))
    assert any("'constraint 2' differs" in note for note in rows.notes)


APART = {  # two statements that no configuration, or no velocity, satisfies
    "in the fourth digit": (x - 0.3, x - 0.3001),
    "in the twelfth digit": (x - 1.0, x - 1.000000000001),
    "fractions": (x - 1, x - 1 - Rational(1, 10**20)),
    "circles of fractions": (x**2 + y**2 - 1, x**2 + y**2 - 1 - Rational(1, 10**20)),
    "circles written differently": (x**2 + y**2 - 1, 3 * x**2 + 3 * y**2 - 3 - Rational(1, 10**20)),
    "a root and a square": (sqrt(x**2 + y**2) - 1, x**2 + y**2 - 1 - Rational(1, 10**20)),
    "velocities": (X - 0.3, X - 0.3001),
    "velocities of fractions": (X - 1, X - 1 - Rational(1, 10**20)),
    "beside a twin": (x - TEN, x - 10, x - 5),
    "velocities beside a twin": (X - TEN, X - 10, X - 5),
}


@pytest.mark.parametrize("constraints", APART.values(), ids=APART)
def test_what_differs_by_more_contradicts(constraints) -> None:
    assert found(*constraints).contradictory == (f"constraint {len(constraints)}",)


@pytest.mark.parametrize(("values", "apart"), [({a: 0.1 + 0.2, b: 0.3}, False), ({a: TEN, b: 10.0}, False),
                                               ({a: 0.3, b: 0.31}, True)])  # fmt: skip
def test_values_of_parameters(values, apart) -> None:
    for constraints in ((x - a, x - b), (X - a, X - b)):
        assert bool(found(*constraints, parameters=values).contradictory) is apart


REDUCED = {name: SAME[name] for name in ("a sum", "a product", "a long sum", "through a coordinate")}


@pytest.mark.parametrize("constraints", REDUCED.values(), ids=REDUCED)
def test_reduction_takes_rounding_for_what_it_is(constraints) -> None:
    system = stating([da.Holonomic(e) for e in constraints])
    reduced = system.reduce()
    assert len(reduced.eliminated) == len(constraints)
    assert any("rounding of decimal fractions" in note for note in reduced.notes)


@pytest.mark.parametrize("apart", [Rational(1, 10**20), 1e-4, 1e-11])
def test_reduction_refuses_what_differs_by_more(apart) -> None:
    with pytest.raises(da.ModelError, match="contradicts the others"):
        stating([da.Holonomic(x - 1), da.Holonomic(x - 1 - apart)]).reduce()
