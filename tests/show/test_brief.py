"""Constraints in a few words: what was stated is said, and what was not is not."""

import pytest
from sympy import Rational, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.show.brief import Brief

x, y = dynamicsymbols("x y")
R, mu, e, v = symbols("R mu e v", real=True)

BRIEFS = [
    (da.Holonomic(x**2 + y**2 - R**2, "ring"), ("holonomic", "x^2 + y^2 - R^2 = 0"), "holonomic, ideal"),
    (
        da.Nonholonomic(x.diff() - y, "skate", da.Viscous(2)),
        ("nonholonomic", "x' - y = 0"),
        "nonholonomic, viscous drag, c = 2",
    ),
    (da.Differential({x: 1, y: -R}, "rolling"), ("differential", "x' - R*y' = 0"), "differential, ideal"),
    (da.OneSided(y - x, name="table"), ("one-sided", "y - x ≥ 0"), "one-sided, ideal"),
    (da.OneSided(y, 0.0, "table"), ("one-sided", "y ≥ 0"), "one-sided, ideal"),
    (da.OneSided(y, Rational(4, 5), "table"), ("one-sided", "y ≥ 0"), "one-sided, restitution 4/5, ideal"),
    (
        da.OneSided(y, e, "table", da.Coulomb(mu), True),
        ("one-sided", "y ≥ 0"),
        "one-sided, restitution e, Coulomb friction, mu = mu, in impacts too",
    ),
    (
        da.Holonomic(y, "belt", da.Coulomb(0.3, 0.4, sliding=x.diff() - v)),
        ("holonomic", "y = 0"),
        "holonomic, Coulomb friction, mu = 0.3, static 0.4, sliding velocity x' - v",
    ),
    (
        da.Holonomic(y, "groove", da.Coulomb(mu, normal="actual", sliding=[x.diff(), y.diff()], of=["groove", "lid"])),
        ("holonomic", "y = 0"),
        "holonomic, Coulomb friction, mu = mu, sliding velocity (x', y'), pressed by groove, lid, "
        "by the actual normal force",
    ),
]


@pytest.mark.parametrize(("constraint", "stated", "words"), BRIEFS, ids=[words for _, _, words in BRIEFS])
def test_a_constraint_in_words(constraint, stated, words):
    brief = Brief.of(constraint)
    assert (brief.kind, brief.relation) == stated
    assert brief.words == words
    assert brief.name == constraint.name
    assert bool(brief.restitution) is isinstance(constraint, da.OneSided)
