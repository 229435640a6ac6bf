"""Natures of constraint forces under reduction: pulled back where a constraint stays, else forces."""

import pytest
from sympy import Abs, cos, sign, simplify, sin, sqrt

import dalembert as da
from dalembert import gallery
from reductions import R, c, g, m, mu, reduction, theta, x, y, z

VALUES = {m: 1.2, g: 9.81, mu: 0.2, c: 0.3, R: 0.11}


def table(*constraints, **more):
    """A mass point over a table, on a rail y = x²/3 along it."""
    return da.System.from_particles(
        [da.Particle(m, [x, y, z])], potential=m * g * z, constraints=constraints, parameters=VALUES, **more
    )


def rail(nature=None):
    return da.Holonomic(y - x**2 / 3, name="rail", nature=nature or da.Ideal())


def plane(nature, scale=1):
    return da.Holonomic(scale * z, name="table", nature=nature)


def test_the_rough_ring_becomes_the_equation_of_the_angle():
    """R θ'' = −g cos θ − μ |R θ'² − g sin θ| sign θ' (Udwadia 2000, section 5)."""
    body = reduction("rough ring").system.unconstrained
    own = {s.name: s for s in reduction("rough ring").system.symbols}
    R, g, m, mu = (own[name] for name in ("R", "g", "m", "mu"))
    assert simplify(body.function - m * R**2 * theta.diff() ** 2 / 2 + m * g * R * sin(theta)) == 0
    friction = -mu * m * R * Abs(R * theta.diff() ** 2 - g * sin(theta)) * sign(theta.diff())
    assert simplify(body.forces[0] - friction) == 0


@pytest.mark.parametrize(
    ("nature", "force"),
    [
        (da.Viscous(c), -c * (1 + 4 * x**2 / 9) * x.diff()),
        (da.Quadratic(c), -c * Abs(x.diff()) * x.diff() * sqrt(1 + 4 * x**2 / 9) ** 3),
        (da.Prescribed({x: -c, y: c * x}), -c + 2 * c * x**2 / 3),
        (da.Prescribed({x: -c * da.multiplier("table")}), -c * m * g),
        (da.Prescribed({y: -c * da.ideal_force(z)}), -c * m * g * 2 * x / 3),
        (da.Coulomb(mu), -mu * m * g * sqrt(1 + 4 * x**2 / 9) * sign(x.diff())),
        (da.Coulomb(mu, sliding=[x.diff(), y.diff()]), -mu * m * g * sqrt(1 + 4 * x**2 / 9) * sign(x.diff())),
    ],
    ids=lambda v: type(v).__name__,
)
def test_of_an_eliminated_constraint(nature, force):
    found = table(plane(nature), rail()).reduce({y: x**2 / 3, z: 0})
    (made,) = found.system.unconstrained.forces
    assert simplify(made - force) == 0
    assert found.proof.covariance < 1e-13  # with C of both systems in it
    assert found.notes == ()


@pytest.mark.parametrize(
    "nature",
    [
        da.Viscous(c),
        da.Quadratic(c),
        da.Prescribed({x: -c * da.multiplier("table") * x.diff(), y: c * x}),
        da.Prescribed({x: -c * da.multiplier("rail") * x.diff()}),
        da.Prescribed({y: -c * da.ideal_magnitude("rail") * y.diff()}),
        da.Coulomb(mu, sliding=[x.diff(), y.diff()]),
        da.Coulomb(mu, 2 * mu, sliding=x.diff()),
        da.Coulomb(mu, normal="actual", sliding=x.diff() + z.diff()),
    ],
    ids=lambda v: type(v).__name__,
)
def test_of_a_constraint_that_stays(nature):
    """C' = Jᵀ C at random states; the proof compares it with the C of the system itself."""
    found = table(plane(nature, scale=3), rail()).reduce({y: x**2 / 3}, keep=["table"])
    assert found.kept == ("table",)
    assert not isinstance(found.system.constraints[0].nature, da.Ideal)
    assert found.proof.covariance < 1e-13


def test_friction_of_mass_points_keeps_the_length_of_its_gradient():
    found = table(plane(da.Coulomb(mu, 2 * mu, sliding=x.diff()), scale=3), rail()).reduce({y: x**2 / 3}, keep="table")
    (row,) = found.system.constraints
    assert row.nature == da.Coulomb(3 * mu, 6 * mu, sliding=x.diff())


def test_two_directions_cannot_stick_and_it_is_said():
    found = da.System.load(gallery.path("puck")).reduce()
    assert any("cannot stick" in note for note in found.notes)
    speed = sqrt(x.diff() ** 2 + y.diff() ** 2)
    own = {s.name: s for s in found.system.symbols}
    weight = own["mu"] * own["m"] * own["g"]
    assert [simplify(f) for f in found.system.unconstrained.forces] == [-weight * v.diff() / speed for v in (x, y)]


def test_a_belt_keeps_its_own_velocity():
    belt = da.Holonomic(y, name="belt", nature=da.Coulomb(mu, sliding=x.diff() - c))
    system = da.System.from_lagrangian(m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y, [x, y], constraints=[belt])
    (force,) = system.reduce().system.unconstrained.forces
    assert simplify(force + mu * m * g * sign(x.diff() - c)) == 0


@pytest.mark.parametrize(
    ("rows", "keep", "words"),
    [
        ([plane(da.Coulomb(mu, 2 * mu)), rail()], (), "'table'.*at rest no better"),
        ([plane(da.Coulomb(mu, normal="actual")), rail()], (), "'table'.*actual normal force"),
        ([plane(da.Coulomb(mu)), rail()], ["table"], "'table'.*one particle.*sliding"),
        ([plane(da.Coulomb(mu, sliding=x.diff(), of=["rail"])), rail()], ["table"], "pressed by 'rail'.*eliminates"),
        ([plane(da.Coulomb(mu, sliding=x.diff())), rail(da.Viscous(c))], ["table"], "'table' depends on.*'rail'"),
        ([plane(da.Coulomb(mu, sliding=y.diff() - 2 * x * x.diff() / 3)), rail()], ["table"], "nothing slides"),
        ([plane(da.Coulomb(mu)), rail(), da.Holonomic(2 * z, name="twice")], (), "'table'.*redundant"),
        ([plane(da.Coulomb(mu)), rail(), da.OneSided(x + 5, name="wall")], (), "'table'.*which of the contacts"),
    ],
)
def test_what_cannot_be_said_exactly_is_refused(rows, keep, words):
    places = {y: x**2 / 3} if keep else {y: x**2 / 3, z: 0}
    with pytest.raises(da.ModelError, match=words):
        table(*rows).reduce(places, keep=keep)


def test_a_relation_that_loses_its_velocities_is_refused():
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2,
        [x, y, z],
        constraints=[da.Nonholonomic(y.diff() + x - z, name="row"), da.Holonomic(y - R, name="still")],
    )
    with pytest.raises(da.ModelError, match=r"'row': no velocity is left.*Holonomic"):
        system.reduce({y: R})


def test_drag_of_both_kinds_of_constraint_in_numbers():
    """The reduced system at a state against the principles on the system itself, all natures at once."""
    system = table(plane(da.Prescribed({x: -mu * da.multiplier("table") * x.diff()})), rail(da.Quadratic(c)))
    found = system.reduce({y: x**2 / 3, z: 0})
    lifted = found.lift({x: 0.7, x.diff(): -1.3})
    answer = system.verify(lifted).answer
    assert lifted.acceleration == pytest.approx(answer.acceleration, abs=1e-13)
    assert lifted.nonideal_force == pytest.approx(answer.nonideal, abs=1e-13)
    assert lifted.multipliers == pytest.approx(answer.multipliers, abs=1e-13)


def test_at_rest_a_friction_has_no_direction():
    with pytest.raises(da.StateError, match=r"'ring' has no direction at rest.*lift a motion"):
        reduction("rough ring").lift({theta: -1.0, theta.diff(): 0.0})
    assert reduction("rough ring").lift({theta: -1.0, theta.diff(): 0.1})["x"] == pytest.approx(float(cos(-1.0)))
