"""The way back while friction sticks, and what a motion brings by itself."""

import pytest
from numpy.testing import assert_allclose
from sympy import cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from reductions import c, g, l, m, mu, t, theta, w, x, y, z

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
k, h = symbols("k h", positive=True)
s = dynamicsymbols("s")
VALUES = {m: 1.3, g: 9.81, c: 0.3, mu: 0.2, k: 11.0, w: 1.1}


def point(potential, *rows):
    known = {*potential.free_symbols, *(a for r in rows for e in r.expressions() for a in e.free_symbols), mu, m}
    values = {a: v for a, v in VALUES.items() if a in known}
    return da.System.from_particles(
        [da.Particle(m, [x, y, z])], potential=potential, constraints=list(rows), parameters=values
    )


def kept():
    """The table stays, with friction that sees how the slot turns it."""
    rows = (
        da.Holonomic(y - c * x, name="slot"),
        da.Holonomic(z - c * x / 2, name="table", nature=da.Coulomb(mu, sliding=x.diff())),
    )
    return point(m * g * z, *rows).reduce({y: c * x}, keep=["table"]), {x: 0, z: 0, x.diff(): 1, z.diff(): 0.15}


def eliminated():
    """Friction along x alone, in a slot across: what holds it loads the slot."""
    table = da.Holonomic(z, name="table", nature=da.Coulomb(mu, sliding=x.diff()))
    system = point(m * g * z + k * x**2 / 2, da.Holonomic(y - c * x, name="slot"), table)
    return system.reduce({y: c * x, z: 0}), {x: 0.8, x.diff(): 0.1}


def rod():
    """Two frictions along a rod that turns, one of them as large as the speed."""
    along = da.Coulomb(mu / 3, sliding=x.diff() * cos(w * t) + y.diff() * sin(w * t))
    rows = (
        da.Holonomic(z, name="table", nature=along),
        da.Holonomic(x * sin(w * t) - y * cos(w * t), name="rod", nature=along),
    )
    found = point(m * g * z, *rows).reduce({x: s * cos(w * t), y: s * sin(w * t), z: 0})
    return found, {s: 0.5, s.diff(): -0.4}


@pytest.mark.parametrize("case", [kept, eliminated, rod])
def test_it_agrees_with_the_motion_of_the_system(case):
    found, start = case()
    reduced = found.system.simulate(start, until=3.0, samples=13)
    whole = found.original.simulate(found.lift(start), until=3.0, samples=13)
    assert "stick" in [e.kind for e in whole.events]
    lifted = found.lift(reduced)
    assert_allclose(lifted.y, whole.y, atol=1e-10)
    for name in ("multiplier", "ideal_force", "nonideal_force"):
        assert_allclose(lifted[name], whole.dataset[name], atol=1e-10)


def test_a_contact_that_never_touches_has_no_force_along_a_motion():
    rows = [da.Holonomic(y - h, name="guide"), da.OneSided(y, name="floor")]
    system = da.System.from_particles(
        [da.Particle(m, [x, y])], potential=m * g * y, constraints=rows, parameters={m: 1.3, g: 9.81, h: 0.5}
    )
    found = system.reduce({y: h})
    lifted = found.lift(found.system.simulate({x.diff(): 1.0}, until=1.0, samples=3))
    whole = system.simulate({x: 0, y: 0.5, x.diff(): 1.0}, until=1.0, samples=3)
    assert_allclose(lifted["multiplier"], whole.dataset.multiplier, atol=1e-12)


def test_a_motion_brings_its_own_times_and_values():
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - l**2, name="rod")],
        parameters={m: 1.0, g: 9.81, l: 1.0},
    )
    found = system.reduce({x: l * sin(theta), y: -l * cos(theta)})
    motion = found.system.simulate({theta: 1.0}, until=0.1)
    with pytest.raises(da.StateError, match=r"its own g = 9.81"):
        found.lift(motion, parameters={g: 1.0})
    with pytest.raises(da.StateError, match="its own times"):
        found.lift(motion, t=5.0)
