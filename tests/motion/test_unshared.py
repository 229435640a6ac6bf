"""Friction on rows that redundant rows relieve of a part of the load that nothing determines: refused, in any order."""

import pytest
from sympy import Rational
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z = dynamicsymbols("x y z")
MU = Rational(1, 5)


def rough(kind, name, mu=MU, expr=y):
    return kind(expr, name=name, nature=da.Coulomb(mu, sliding=x.diff()))


def pushed(*constraints):
    L = (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2 - 10 * y
    return da.System.from_lagrangian(L, [x, y, z], forces={x: 3}, constraints=constraints)


UNSHARED = {
    "beside a smooth row": (rough(da.Holonomic, "a"), da.Holonomic(y, "b")),
    "of other roughness": (rough(da.Holonomic, "a"), rough(da.Holonomic, "b", MU / 2)),
    "contacts": (rough(da.OneSided, "a"), da.OneSided(y, name="b")),
    "one of three": (rough(da.Holonomic, "a"), da.Holonomic(y - z, "b"), da.Holonomic(y + z, "c")),
}


@pytest.mark.parametrize("rows", UNSHARED.values(), ids=UNSHARED)
@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("turned", [False, True])
def test_friction_of_a_share_that_nothing_determines_is_refused(rows, speed, turned) -> None:
    system = pushed(*(rows[::-1] if turned else rows))
    with pytest.raises(da.StateError, match="redundant, so the force of each alone is not determined"):
        system.simulate({x.diff(): speed}, until=1.0)


@pytest.mark.parametrize(
    "rows",
    [
        (rough(da.Holonomic, "a"), rough(da.Holonomic, "b")),
        (rough(da.OneSided, "a"), rough(da.OneSided, "b")),
        (rough(da.Holonomic, "a"), da.Holonomic(z, "b"), da.Holonomic(2 * z, "c")),
    ],
    ids=["both rows rough", "both contacts rough", "redundant elsewhere"],
)
def test_what_the_share_does_not_change_runs(rows) -> None:
    """ẍ = 3 − μ 10 = 1."""
    motion = pushed(*rows).simulate({x.diff(): 1.0}, until=2.0)
    assert motion.y[0, -1] == pytest.approx(4.0, abs=1e-13)
