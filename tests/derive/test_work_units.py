"""What the natures of constraints prescribe at an instant does not depend on units; nor does what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, h, theta = dynamicsymbols("x y z h theta")
m, g, mu, half = symbols("m g mu l", positive=True)
POWERS = [-8, -4, 0, 4, 8]


def ring(factor, mass, rough):
    """A bead on a rough ring, and the same ring times `factor`, which is as rough or ideal."""
    level = x**2 + y**2 - 1
    again = da.Coulomb(mu) if rough else da.Ideal()
    return da.System.from_particles(
        [da.Particle(m, (x, y))],
        potential=m * g * y,
        constraints=[da.Holonomic(level, "ring", da.Coulomb(mu)), da.Holonomic(factor * level, "again", again)],
        parameters={m: mass, g: 9.81, mu: 0.2},
    )


STATE = {x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6}


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("mass", [1e-9, 1.0, 1e9])
def test_rows_as_rough_as_each_other_share_their_load_whatever_their_size(power, mass):
    found = da.principles.explicit(ring(10.0**power, mass, True).instant(STATE))
    normal = mass * (1.0 + 9.81 * 0.8)
    assert_allclose(found.nonideal, -0.2 * normal * np.array([0.8, 0.6]), rtol=1e-9)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("mass", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("coefficient", [0.2, 1e-9])
def test_a_share_that_matters_is_refused_whatever_the_sizes(power, mass, coefficient):
    with pytest.raises(da.StateError, match="redundant"):
        ring(10.0**power, mass, False).instant(STATE, parameters={mu: coefficient})


def test_no_load_has_no_share():
    free = ring(2.0, 1.0, True)
    assert_allclose(free.instant({x: 1.0, y: 0.0, x.diff(): 0.0, y.diff(): 0.0}).C, 0)


def rod(normal="actual", one_sided=False):
    """A uniform rod of length 2 l whose lower end slides on a rough floor."""
    tip, sliding = y - half * sin(theta), x.diff() + half * sin(theta) * theta.diff()
    kinetic = m * (x.diff() ** 2 + y.diff() ** 2) / 2 + m * half**2 * theta.diff() ** 2 / 6
    kind = da.OneSided if one_sided else da.Holonomic
    floor = kind(tip, name="floor", nature=da.Coulomb(mu, normal=normal, sliding=sliding))
    return da.System.from_lagrangian(kinetic - m * g * y, [x, y, theta], constraints=[floor])


def state(angle, speed, turn, length):
    return {
        x: 0.0, y: length * np.sin(angle), theta: angle,
        x.diff(): speed, y.diff(): length * turn * np.cos(angle), theta.diff(): turn,
    }  # fmt: skip


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("mass", [1e-8, 1.0, 1e8])
def test_friction_by_the_actual_force_in_any_units(power, mass):
    """Lengths, and gravity with them, times 10^power: forces go with mass and length, the verdict stays."""
    size = 10.0**power
    values = {m: mass, g: 9.81 * size, half: size, mu: 0.5}
    now = rod().instant(state(1.0, size, -0.3, size), parameters=values)
    s, c = np.sin(1.0), np.cos(1.0)
    N = (9.81 - s * 0.09) / (1 + 3 * c * (c + 0.5 * s))
    assert_allclose(now.C, -0.5 * N * mass * size * np.array([1.0, 0.0, s * size]), rtol=1e-11)
    with pytest.raises(da.StateError, match=r"normal force is possible here \(Painlevé\)"):
        rod().instant(state(1.1, -size, 0.0, size), parameters=values | {mu: 2.0})


@pytest.mark.parametrize("one_sided", [False, True])
def test_without_load_there_is_no_paradox(one_sided):
    values = {m: 1.0, g: 0.0, half: 1.0, mu: 0.5}
    now = rod(one_sided=one_sided).instant(state(1.0, 1.0, 0.0, 1.0), parameters=values)
    assert_allclose(now.C, 0, atol=1e-12)


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_friction_by_the_actual_force_with_a_singular_mass_matrix(mass):
    """The floor carries a plate without mass, which carries the block."""
    rough = da.Coulomb(mu, normal="actual", sliding=x.diff())
    block = da.System.from_lagrangian(
        m * (x.diff() ** 2 + z.diff() ** 2) / 2 - m * g * z,
        [x, z, h],
        constraints=[da.Holonomic(h, "floor", rough), da.Holonomic(z - h, "plate")],
        parameters={m: mass, g: 9.81, mu: 0.5},
    )
    at = dict.fromkeys((x, z, h, z.diff(), h.diff()), 0.0) | {x.diff(): 2.0}
    assert_allclose(block.instant(at).C, [-0.5 * mass * 9.81, 0, 0], rtol=1e-12, atol=1e-12 * mass)
    assert block.verify(at).passed


def test_friction_by_the_actual_force_of_a_redundant_row_is_refused():
    rough = da.Coulomb(mu, normal="actual", sliding=x.diff())
    twice = da.System.from_lagrangian(
        m * (x.diff() ** 2 + z.diff() ** 2) / 2 - m * g * z,
        [x, z],
        constraints=[da.Holonomic(z, "floor", rough), da.Holonomic(2 * z, "again")],
        parameters={m: 1.0, g: 9.81, mu: 0.5},
    )
    with pytest.raises(da.StateError, match="'floor', 'again' are redundant"):
        twice.instant({x: 0, z: 0, x.diff(): 1.0, z.diff(): 0})


def test_a_row_that_has_no_direction_carries_no_friction_it_could_follow():
    lost = da.System.from_lagrangian(
        (x.diff() ** 2 + z.diff() ** 2) / 2 - z + x,
        [x, z],
        constraints=[da.Holonomic(z**2, "square", da.Coulomb(mu, sliding=x.diff())), da.Holonomic(x - z, "line")],
        parameters={mu: 0.5},
    )
    with pytest.raises(da.StateError, match="'square' has no direction at this state"):
        lost.instant({x: 0, z: 0, x.diff(): 1.0, z.diff(): 0.0})


def test_a_force_that_follows_no_multiplier_needs_none():
    """Rows that contradict each other, and a mass matrix that is no metric: the arrays exist all the same."""
    rows = [da.Holonomic(z, "one", da.Viscous(0.3)), da.Holonomic(z - x, "two")]
    odd = da.System.from_lagrangian(x.diff() * z.diff(), [x, z], constraints=rows)
    now = odd.instant({x: 0, z: 0, x.diff(): 1.0, z.diff(): 2.0})
    assert_allclose(now.C, [-0.3, -0.6])
