"""Redundant rows keep the motion, vanishing and surplus ranks included; weights matter only when rows contradict."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Matrix, cos, simplify, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
t = dynamicsymbols._t
m, g, c = symbols("m g c", positive=True)
VALUES = {m: 1.3, g: 9.81, c: 0.7}
STATE = {x: 0.4, y: -0.9, z: 0.2, x.diff(): 0.5, y.diff(): 0.3, z.diff(): -0.8}
sphere = x**2 + y**2 + z**2 - 1
plane = x + 2 * y - z
skate = y.diff() - z**2 * x.diff()


def system(*constraints):
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))], potential=m * g * z, constraints=constraints, parameters=VALUES
    )


def lawful(certificate):
    """Whether every law holds, though the state is off the constraints, as most random states are."""
    return {check.name for check in certificate.checks if not check.passed} <= {"on constraints"}


SETS = {
    "duplicated": ([sphere], [sphere, sphere]),
    "scaled": ([sphere, plane], [sphere, plane, 1e6 * plane, plane / 1000, -3 * sphere]),
    "sums": ([sphere, plane], [sphere, plane, sphere + plane, 2 * sphere - 5 * plane]),
    "squared where it holds": ([plane], [plane, plane.expand() * 7]),
    "more rows than coordinates": ([sphere, plane], [sphere, plane, 2 * sphere, sphere - plane, 3 * plane]),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("nature", [da.Ideal(), da.Viscous(0.3)], ids=["ideal", "viscous"])
def test_redundant_rows_do_not_change_the_motion(name, nature):
    few, many = SETS[name]
    expected = system(*(da.Holonomic(f, nature=nature if i == 0 else da.Ideal()) for i, f in enumerate(few)))
    found = system(*(da.Holonomic(f, nature=nature if i == 0 else da.Ideal()) for i, f in enumerate(many)))
    on = expected.start(STATE).state
    a, b = expected.verify(on), found.verify(on)
    assert b.passed
    assert b.redundant
    assert b.rank == a.rank == len(few)
    for part in ("acceleration", "ideal", "nonideal"):
        mine, other = getattr(a.answer, part), getattr(b.answer, part)
        assert_allclose(other, mine, rtol=1e-10, atol=1e-10 * np.abs(a.answer.ideal).max())


def test_dependent_rows_are_named_with_their_relation():
    certificate = system(
        da.Holonomic(sphere, "sphere"), da.Holonomic(plane, "plane"), da.Holonomic(2 * sphere - 5 * plane, "mix")
    ).verify(STATE)
    text = certificate.text()
    assert len(certificate.dependencies) == 1
    assert "mix" in text


def test_rank_drops_to_zero():
    """At rest Appell's row vanishes: the rank is zero there and the particle falls freely."""
    certificate = system(da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - c**2 * z.diff() ** 2, "cone")).verify(
        STATE | {x.diff(): 0, y.diff(): 0, z.diff(): 0}
    )
    assert certificate.passed
    assert certificate.rank == 0
    assert_allclose(certificate.answer.acceleration, [0, 0, -9.81])
    assert_allclose(certificate.answer.force, 0)


def test_all_coordinates_fixed_by_too_many_rows():
    rows = [da.Holonomic(e) for e in (x - t**2, y, z + t, x + y - t**2, z + y + t)]
    certificate = system(*rows).verify(dict.fromkeys(STATE, 0.0) | {z.diff(): -1.0})
    assert certificate.passed
    assert certificate.degrees_of_freedom == 0
    assert_allclose(certificate.answer.acceleration, [2, 0, 0], atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 0.8, 2.0])
def test_appell_with_its_row_given_twice(angle):
    """x'² + y'² = c²z'² and its square root; z̈ = −g/(1 + c²)."""
    cone = x.diff() ** 2 + y.diff() ** 2 - c**2 * z.diff() ** 2
    state = STATE | {x.diff(): 1.4 * np.cos(angle), y.diff(): 1.4 * np.sin(angle), z.diff(): 2.0}
    along = cos(angle) * x.diff() + sin(angle) * y.diff() - c * z.diff()
    for extra in ([], [cone * 3], [cone, -cone]):
        answer = system(*(da.Nonholonomic(e) for e in [cone, *extra])).verify(state)
        assert answer.passed
        assert_allclose(answer.answer.acceleration[2], -9.81 / (1 + 0.49), rtol=1e-10)
    tangent = system(da.Nonholonomic(cone), da.Nonholonomic(along)).verify(state)
    assert tangent.rank == 1  # both rows have the same direction on the cone
    assert_allclose(tangent.answer.acceleration[2], -9.81 / (1 + 0.49), rtol=1e-9)


def test_closed_form_of_redundant_rows():
    once = system(da.Holonomic(plane)).equations()
    twice = system(da.Holonomic(plane), da.Holonomic(-2 * plane), da.Holonomic(plane / 3)).equations()
    assert simplify(once.acceleration - twice.acceleration) == Matrix([0, 0, 0])
    assert simplify(once.ideal - twice.ideal) == Matrix([0, 0, 0])
    assert twice.independent == (0,)
    assert any("redundant" in note for note in twice.notes)
    numbers = da.principles.explicit(
        system(da.Holonomic(plane), da.Holonomic(-2 * plane), da.Holonomic(plane / 3)).instant(STATE)
    )
    at = {**STATE, **VALUES}
    assert_allclose([float(e.xreplace(at)) for e in twice.multipliers], numbers.multipliers, rtol=1e-12)


class TestWeights:
    """Udwadia, Kalaba and Eun 1997, (37) and (38)."""

    slow, fast = da.Nonholonomic(x.diff() - t, "slow"), da.Nonholonomic(x.diff() - 2 * t, "fast")

    def test_weights_decide_between_rows_that_contradict(self):
        now = system(self.slow, self.fast).instant(STATE)
        found = [da.principles.least_squares(now, [w, 1 / w]).acceleration[0] for w in (1e-4, 1.0, 1e4)]
        assert_allclose(found, [2.0, 1.5, 1.0], atol=1e-3)
        reconciled = da.principles.least_squares(now, [3.0, 1.0])
        assert_allclose(reconciled.unsatisfied, now.A @ reconciled.acceleration - now.b)
        assert np.abs(reconciled.unsatisfied).max() > 0.1

    def test_weights_have_no_influence_when_rows_agree(self):
        now = system(da.Holonomic(sphere), da.Nonholonomic(skate, nature=da.Quadratic(0.2))).instant(STATE)
        expected = da.principles.explicit(now)
        for weights in (None, [1.0, 1.0], [1e-3, 1e3], [50.0, 0.1]):
            found = da.principles.least_squares(now, weights)
            assert_allclose(found.acceleration, expected.acceleration, rtol=1e-9)
            assert_allclose(found.unsatisfied, 0, atol=1e-9)
