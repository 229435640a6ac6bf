"""The compiled algebra against the principles: the same acceleration, forces, multipliers and energy balance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.derive import initial_state
from dalembert.derive.switching.stage import Stage
from derive.generator import Generated
from gallery_models import SMOOTH

hy = pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
from dalembert.engine import NotSmooth  # noqa: E402
from dalembert.engine.recipe import recipe  # noqa: E402

x, y, z, theta = dynamicsymbols("x y z theta")
t = dynamicsymbols._t
m, g, R, k = symbols("m g R k", positive=True)


def evaluated(system, outputs, cooked, state, time=0.0):
    """The outputs compiled and called at a state."""
    function = hy.cfunc(outputs, vars=cooked.variables, compact_mode=True)
    values = np.array([system.parameters[s] for s in system.symbols])
    if cooked.constants:
        constants = hy.cfunc(cooked.constants, vars=cooked.variables[:1])
        values = np.append(values, constants(np.zeros(1), pars=values[: constants.nparams]))
    values = values[: function.nparams]
    place = np.array([float(state[key]) for key in (*system.coordinates, *system.velocities)])
    return function(place, pars=values, time=time) if function.is_time_dependent else function(place, pars=values)


def compare(system, state, time=0.0, rows=None, augment=False, rtol=1e-10):
    rows = tuple(range(len(system.constraints))) if rows is None else rows
    cooked = recipe(Stage(system), rows, augment)
    expected = da.principles.explicit(system.instant(state, time))
    outputs = [*cooked.acceleration, *cooked.ideal, *cooked.nonideal, *cooked.multipliers]
    found = evaluated(system, outputs, cooked, state, time)
    reference = np.concatenate(expected)
    assert_allclose(found, reference, rtol=rtol, atol=rtol * np.abs(reference).max())
    return cooked


@pytest.mark.parametrize("name", SMOOTH)
def test_gallery(name):
    system = da.System.load(gallery.path(name))
    compare(system, initial_state(system))


@pytest.mark.parametrize("seed", range(300, 312))
def test_generated_systems(seed):
    case = Generated(seed)
    compare(case.system, case.state, case.time, rtol=1e-8)


def particle(*constraints):
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))],
        potential=m * g * z,
        constraints=constraints,
        parameters={m: 1.3, g: 9.81, k: 0.2},
    )


STATE = {x: 0.4, y: -0.9, z: 0.2, x.diff(): 0.5, y.diff(): 0.3, z.diff(): -0.8}


def test_any_independent_rows_give_the_same_answer():
    """Redundant rows: whichever are chosen, motion, forces and least-norm multipliers are the same."""
    sphere, plane = x**2 + y**2 + z**2 - 1, x + 2 * y - z
    system = particle(*(da.Holonomic(f) for f in (sphere, plane, sphere - 3 * plane, 2 * plane)))
    for rows in ((0, 1), (0, 2), (1, 2), (2, 3), (0, 3)):
        compare(system, STATE, rows=rows)


def test_natures_that_refer_to_the_ideal_force():
    nature = da.Prescribed({x: -k * da.multiplier("a"), y: -k * da.ideal_force(y) * z.diff()})
    compare(particle(da.Holonomic(x**2 + y**2 - 1, "a", nature), da.Nonholonomic(z.diff() - x * y.diff(), "b")), STATE)


def test_mass_that_the_constraints_make_regular():
    tied = da.System.from_lagrangian(
        m * x.diff() ** 2 / 2 - k * y**2 / 2, [x, y], constraints=[da.Holonomic(y - 2 * x)], parameters={m: 2.0, k: 3.0}
    )
    compare(tied, {x: 0.3, y: 0.6, x.diff(): 1.0, y.diff(): 2.0}, augment=True)


def test_pivots_tell_when_rows_become_dependent():
    """x = y and x = y cos t: dependent at t = 0, and nearly so just after."""
    system = particle(da.Holonomic(x - y), da.Holonomic(x - y * cos(t)))
    cooked = recipe(Stage(system), (0, 1), False)
    far, near = (float(min(evaluated(system, cooked.pivots, cooked, STATE, time))) for time in (1.0, 1e-3))
    assert 0 < near < 1e-9 < 1e-2 < far <= 1


def test_energy_changes_by_the_power_of_forces_and_constraints():
    """dE/dt along the motion, by differences of the compiled energy, is the compiled power: moving and work-doing."""
    system = da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y + sin(t) * x,
        [x, y],
        forces={x: -k * x.diff()},
        constraints=[da.Holonomic(y - x * sin(t) / 2, nature=da.Viscous(0.3))],
        parameters={m: 1.3, g: 9.81, k: 0.2},
    )
    at = 0.7
    place, speed = 0.5, 0.4
    state = {x: place, y: place * np.sin(at) / 2, x.diff(): speed,
             y.diff(): speed * np.sin(at) / 2 + place * np.cos(at) / 2}  # fmt: skip
    cooked = recipe(Stage(system), (0,), False)
    acceleration = da.principles.explicit(system.instant(state, at)).acceleration
    q, v = np.array([state[x], state[y]]), np.array([state[x.diff()], state[y.diff()]])

    def energy(h):
        moved = dict(
            zip(
                (x, y, x.diff(), y.diff()),
                (*(q + v * h + acceleration * h**2 / 2), *(v + acceleration * h)),
                strict=True,
            )
        )
        return float(evaluated(system, [cooked.energy], cooked, moved, at + h)[0])

    slope = (energy(1e-4) - energy(-1e-4)) / 2e-4
    power = evaluated(system, [hy.sum(list(cooked.powers.values()))], cooked, state, at)[0]
    assert slope == pytest.approx(float(power), rel=1e-6)


@pytest.mark.parametrize(
    "system",
    [
        da.System.load(gallery.path("rough-ring")),
        da.System.from_lagrangian(x.diff() ** 2 - Abs(x), [x]),
    ],
    ids=["friction", "absolute value"],
)
def test_what_switches_is_refused_by_name(system):
    with pytest.raises(NotSmooth):
        recipe(Stage(system), tuple(range(len(system.constraints))), False)


def test_the_work_grows_with_the_chain():
    """A chain of N links has O(N) expressions: the acceleration of one mass does not depend on the far end's symbols
    more than through the multipliers, and the elimination writes no fill."""
    from dalembert.derive.elimination import factor

    tridiagonal = {(i, j): 1.0 + i for i in range(200) for j in (i - 1, i, i + 1) if 0 <= j < 200}
    factors = factor(tridiagonal)
    assert sum(len(below) for below in factors.below.values()) == 199
    arrow = {(i, j): 2.0 + (i == j) for i in range(50) for j in range(50) if i == j or 0 in (i, j)}
    assert sum(len(below) for below in factor(arrow).below.values()) == 49  # the head is eliminated last
