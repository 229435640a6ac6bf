"""Starts where constraints lose their rank: the run says so, and does not set out."""

import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, k = dynamicsymbols("x y z k")
H = da.Holonomic
NO_DIRECTION = {
    "a crossing": x * y,
    "a square": (y - x) ** 2,
    "a cusp": y**2 - x**3,
    "a cone": x**2 + y**2 - z**2,
}


def falling(*constraints, parameters=()):
    return da.System.from_lagrangian(
        (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - 9.81 * y, [x, y, z], constraints=constraints,
        parameters=dict(parameters),
    )  # fmt: skip


@pytest.mark.parametrize("constraint", NO_DIRECTION.values(), ids=NO_DIRECTION)
@pytest.mark.parametrize("speed", [0.0, 1e-6, 1e6])
def test_a_start_without_direction_is_singular(constraint, speed) -> None:
    """At the origin each has slope zero, and beside it has not."""
    along = {y: 0.0, x: 0.0, x.diff(): speed, y.diff(): speed if constraint == (y - x) ** 2 else 0.0}
    along |= {z.diff(): speed} if constraint.has(z) else {}
    motion = falling(H(constraint, name="it")).simulate(along, until=1.0, throw=False)
    assert motion.status.ending == "singular"
    assert "'it' has no direction" in motion.status
    assert motion.end_time == 0.0


@pytest.mark.parametrize("constraint", [x * y, x**2 + y**2, (y - x) ** 2])
def test_friction_there_is_not_told_as_the_cause(constraint) -> None:
    """A rough ring of radius zero: that it has no direction is why friction can neither hold nor slip."""
    rough = H(constraint, name="it", nature=da.Coulomb(0.2))
    system = da.System.from_lagrangian((x.diff() ** 2 + y.diff() ** 2) / 2 - 9.81 * y, [x, y], constraints=[rough])
    with pytest.raises(da.StateError, match="'it' has no direction") as caught:
        system.simulate({}, until=1.0)
    assert "no motion is possible" not in str(caught.value)


TOUCHING = {
    "circles": ((x**2 + y**2 - 1, (x - 2) ** 2 + y**2 - 1), {x: 1.0}),
    "a sphere and a cylinder": ((x**2 + y**2 + z**2 - 4, (x - 1) ** 2 + y**2 - 1), {x: 2.0}),
    "the same, in motion": ((x**2 + y**2 + z**2 - 4, (x - 1) ** 2 + y**2 - 1), {x: 2.0, z.diff(): 0.5, y.diff(): 0.5}),
}


@pytest.mark.parametrize(("rows", "start"), TOUCHING.values(), ids=TOUCHING)
def test_a_start_where_rows_are_dependent_only_there_is_singular(rows, start) -> None:
    motion = falling(*map(H, rows)).simulate({y: 0.0, z: 0.0, **start}, until=1.0, throw=False)
    assert motion.status.ending == "singular"
    assert "rank of the constraints is 1 at t = 0" in motion.status


OF_HIGHER_ORDER = {
    "a square": (z, z - y**2),
    "a cube": (x + z, x + z + y**3),
    "a fourth power, of rows with factors": (1e6 * z, 1e-3 * (z - y**4)),
}


@pytest.mark.parametrize("rows", OF_HIGHER_ORDER.values(), ids=OF_HIGHER_ORDER)
@pytest.mark.parametrize("until", [0.025, 1.0, 30.0])
@pytest.mark.parametrize("engine", ["taylor", "plain"])
def test_what_rows_ask_for_to_higher_order_is_never_left(rows, until, engine) -> None:
    """The rows allow y = 0 alone, and their forces do not hold it there: no state of the motion has another y."""
    motion = falling(*map(H, rows)).simulate({}, until=until, engine=engine, throw=False)
    assert motion.status.ending == "singular"
    assert motion.end_time == 0.0
    assert not motion.dataset.y.values.any()
    assert not motion.dataset.y_dot.values.any()


def test_a_row_that_a_parameter_takes_away_is_none() -> None:
    from sympy import Symbol

    on = Symbol("on")
    motion = falling(H(on * (y - x)), parameters={on: 0.0}).simulate({x: 0.0}, until=1.0)
    assert motion.status.ok
    assert motion.at(1.0)[1] == pytest.approx(-9.81 / 2)


@pytest.mark.parametrize("nature", [None, da.Coulomb(0.2), da.Coulomb(0.2, normal="actual")])
def test_where_there_is_no_inertia_laws_of_friction_and_contact_are_not_told_as_the_cause(nature) -> None:
    """A rod without length stands on a floor: it has no inertia to turn."""
    length = sympy.Symbol("l")
    kinetic = (x.diff() ** 2 + y.diff() ** 2 + length**2 * z.diff() ** 2) / 2
    floor = da.OneSided(y - length * sympy.sin(z), **({"nature": nature} if nature else {}))
    system = da.System.from_lagrangian(kinetic - y, [x, y, z], constraints=[floor], parameters={length: 0.0})
    with pytest.raises(da.StateError, match="no motion is possible: the mass matrix is singular") as caught:
        system.simulate({z: 1.0, z.diff(): -0.1}, until=1.0)
    assert "friction" not in str(caught.value)
    assert "Painlev" not in str(caught.value)
