"""Relations that meet only where they touch, those that never meet, and those of which nothing was found."""

import pytest
from sympy import Rational, cosh, exp, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, w = dynamicsymbols("x y z w")
X, Z = x.diff(), z.diff()


def stating(relations, start=None, coordinates=(x, y, z, w)):
    energy = sum(q.diff() ** 2 for q in coordinates) / 2
    return da.System.from_lagrangian(energy, list(coordinates), constraints=relations, initial=start or {})


def holding(*relations):
    return [da.Holonomic(phi, name=f"r{i}") for i, phi in enumerate(relations)]


TOUCHING = {  # relations, a place where all hold, the rank of their gradients there
    "stretched rods": ([x**2 + y**2 - 1, (x - 2) ** 2 + y**2 - 1], {x: 1, y: 0}, 1),
    "sphere in a tube": ([x**2 + y**2 + z**2 - 1, x**2 + y**2 - 1], {x: 1}, 1),
    "hyperbola and circle": ([x * y - Rational(1, 2), x**2 + y**2 - 1], {x: sqrt(2) / 2, y: sqrt(2) / 2}, 1),
    "another": ([x * y - 1, x**2 + y**2 - 2], {x: 1, y: 1}, 1),
    "ellipse in a circle": ([x**2 / 4 + y**2 - 1, x**2 + y**2 - 4], {x: 2}, 1),
    "cosh": ([y**2 - cosh(x) ** 2, y**2 - 1], {y: 1}, 1),
    "stretched chain": ([x**2 + y**2 - 1, (x - z) ** 2 + y**2 - 4, z - 3], {x: 1, z: 3}, 2),
    "one point": ([x**2 + y**2 + z**2], {}, 0),
    "a line twice": ([(x - y) ** 2], {x: 1, y: 1}, 0),
    "of fourth order": ([y - x**4 + z**2, y + z**2], {}, 1),
    "small": ([x**2 + y**2 - Rational(1, 10**16), (x - Rational(2, 10**8)) ** 2 + y**2 - Rational(1, 10**16)],
              {x: Rational(1, 10**8)}, 1),
    "large": ([x**2 + y**2 - 10**12, (x - 2 * 10**6) ** 2 + y**2 - 10**12], {x: 10**6}, 1),
}  # fmt: skip


@pytest.mark.parametrize("started", [True, False], ids=["from a start", "without"])
@pytest.mark.parametrize(("relations", "place", "rank"), TOUCHING.values(), ids=TOUCHING)
def test_where_relations_only_touch_they_are_degenerate_and_not_contradictory(relations, place, rank, started) -> None:
    at = {q: place.get(q, 0) for q in (x, y, z, w)}
    assert all(phi.subs(at, simultaneous=True).expand() == 0 for phi in relations)
    found = stating(holding(*relations), at if started else None).classify()
    assert found.contradictory == ()
    assert found.dependent == ()
    assert found.rank == rank
    assert set(found.touching) == {f"r{i}" for i in range(len(relations))}
    assert "Degenerate" in found.text()
    assert "proved" not in found.evidence.words.replace("not proved", "")


REGULAR = {  # what nearly touches, and crosses
    "rods": [x**2 + y**2 - 1, (x - 2) ** 2 + y**2 - 1 - Rational(1, 10**6)],
    "nearer": [x**2 + y**2 - 1, (x - 2) ** 2 + y**2 - 1 - Rational(1, 10**12)],
    "two circles": [x**2 + y**2 - 1, (x - 1) ** 2 + y**2 - 1],
}


@pytest.mark.parametrize("relations", REGULAR.values(), ids=REGULAR)
def test_what_crosses_does_not_touch(relations) -> None:
    found = stating(holding(*relations)).classify()
    assert (found.contradictory, found.touching, found.rank) == ((), (), 2)


APART = {  # no real solution: by elimination on paper
    "far rods": [x**2 + y**2 - 1, (x - 3) ** 2 + y**2 - 1],
    "by a millionth": [x**2 + y**2 - 1, (x - 2 - Rational(1, 10**6)) ** 2 + y**2 - 1],
    "by nearly nothing": [x**2 + y**2 - 1, (x - 2 - Rational(1, 10**12)) ** 2 + y**2 - 1],
    "an overlong chain": [x**2 + y**2 - 1, (x - z) ** 2 + y**2 - 4, z - 4],
    "by itself": [x**2 + y**2 + 1],
    "a root": [sqrt(x**2 + y**2) - 1, x**2 + y**2 - 2],
    "planes": [z - 1, z - 2],
    "three spheres": [x**2 + y**2 + z**2 - 1, (x - 1) ** 2 + y**2 + z**2 - 1, (2 * x - 1) ** 2 + y**2 + z**2 - 1],
    "cosh": [y**2 - cosh(x) ** 2, y**2 - Rational(1, 2)],
    "hyperbola inside": [x * y - 1, x**2 + y**2 - 1],
}  # fmt: skip


@pytest.mark.parametrize("relations", APART.values(), ids=APART)
def test_what_is_proved_to_be_apart_contradicts_by_positions(relations) -> None:
    found = stating(holding(*relations)).classify()
    assert len(found.contradictory) == 1
    assert found.apart == found.contradictory
    assert "no configuration satisfies" in found.text()
    assert "no velocity" not in found.text()


def test_velocities_contradict_by_velocities() -> None:
    found = stating([da.Nonholonomic(X - 1), da.Nonholonomic(X - 2)]).classify()
    assert found.apart == ()
    assert found.contradictory == ("constraint 2",)
    assert "no velocity satisfies" in found.text()


def test_what_was_only_not_found_is_no_contradiction() -> None:
    found = stating(holding(exp(x) + exp(-x) + sin(y) - 4, x**4 + x * sin(y) - 60)).classify()
    assert found.contradictory == ()
    assert any("no configuration" in note and "there may be none" in note for note in found.notes)
    assert "not proved" in found.evidence.words


def test_rows_that_agree_where_the_relations_hold_do_not_contradict() -> None:
    """Where z = 1, ẋ = z and ẋ = 1 are the same."""
    rows = [da.Holonomic(z - 1), da.Nonholonomic(X - z), da.Nonholonomic(X - 1)]
    found = stating(rows, coordinates=(x, y, z)).classify()
    assert found.contradictory == ()
    assert found.rank == 2


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_scale_of_a_row_changes_nothing(scale) -> None:
    def classified(factor):
        rows = [da.Holonomic(factor * (x**2 + y**2 - 1)), da.Holonomic((x - 2) ** 2 + y**2 - 1),
                da.Differential({z: factor, x: factor * y})]  # fmt: skip
        return stating(rows).classify()

    one, other = classified(1), classified(scale)
    assert (one.rank, one.touching, one.contradictory, one.integrable) == (
        other.rank,
        other.touching,
        other.contradictory,
        other.integrable,
    )
    free = [stating([da.Differential({z: f, x: f * y}), da.Nonholonomic(f * X - f)]).classify() for f in (1, scale)]
    assert free[0].rank == free[1].rank == 2
    assert free[0].integrable == free[1].integrable


NOWHERE = {
    "exponential": [exp(x)],
    "bell": [exp(-(x**2))],
    "with another": [exp(x), y],
    "of two": [exp(x) - y, y],
    "steep": [exp(-(10**5) * x)],
}


@pytest.mark.parametrize("relations", NOWHERE.values(), ids=NOWHERE)
def test_what_only_tends_to_zero_touches_nothing(relations) -> None:
    found = stating(holding(*relations), coordinates=(x, y)).classify()
    assert len(found.contradictory) == 1
    assert found.touching == ()


@pytest.mark.parametrize("order", [2, 4, 8, 12, 16])
def test_touches_of_high_order(order) -> None:
    found = stating(holding(y - x**order, y), coordinates=(x, y)).classify()
    assert len(found.touching) == 2
