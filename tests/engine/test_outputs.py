"""The compiled algebra against the principles: the same acceleration, forces, multipliers and energy balance."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Abs, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.derive import initial_state
from dalembert.derive.switching.stage import Stage, spare
from dalembert.engine import Choice, NotSmooth, Variant
from dalembert.motion.derived import Derivation
from dalembert.motion.record import Episode
from derive.generator import Generated
from gallery_models import SMOOTH

pytest.importorskip("heyoka", reason="heyoka has wheels for Linux only")
from dalembert.engine.compiled import code
from dalembert.engine.outputs import outputs
from dalembert.engine.taylor import Setup, Taylor

x, y, z, theta = dynamicsymbols("x y z theta")
t = dynamicsymbols._t
m, g, R, k = symbols("m g R k", positive=True)
taylor = Taylor(0.0)


def row_of(system, state):
    return np.array([float(state[key]) for key in (*system.coordinates, *system.velocities)])


def values_of(system):
    return np.array([system.parameters[s] for s in system.symbols])


def set_up(system, state, time=0.0, choice=None):
    """The compiled code with its parameters, on the rows given or on those it chooses."""
    return taylor.setup(system, values_of(system), time, row_of(system, state), choice)


def compare(system, state, time=0.0, choice=None, rtol=1e-10):
    """Everything derived at a state, on the rows given or on those that are chosen, is what the principles say."""
    made, times, states = set_up(system, state, time, choice), np.array([time]), row_of(system, state)[None, :]
    now = system.instant(state, time)
    reference = np.concatenate(da.principles.explicit(now))
    same = {"rtol": rtol, "atol": rtol * np.abs(reference).max()}
    found = Derivation(taylor, system, values_of(system), (Episode(time, made.choice),)).along(times, states)
    assert_allclose(np.hstack(found[:4])[0], reference, **same)
    assert_allclose(now.C + now.A.T @ found.reactions[0], (found.ideal + found.nonideal)[0], **same)
    return made


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
SPHERE, PLANE = x**2 + y**2 + z**2 - 1, x + 2 * y - z


@pytest.mark.parametrize("refinements", [0, 1, 3])
def test_any_independent_rows_give_the_same_answer(refinements):
    """Redundant rows: whichever are chosen, motion, forces and least-norm multipliers are the same."""
    system = particle(*(da.Holonomic(f) for f in (SPHERE, PLANE, SPHERE - 3 * PLANE, 2 * PLANE)))
    for rows in ((0, 1), (0, 2), (1, 2), (2, 3), (0, 3)):
        compare(system, STATE, choice=Choice(rows, False, refinements))
    assert len(compare(system, STATE).choice.rows) == 2


def test_rows_that_are_not_in_force_are_as_if_they_were_not_stated():
    """A mask at run time takes a row off: the multipliers of the others are those of the system without it."""
    stated = [da.Holonomic(SPHERE), da.Holonomic(PLANE), da.Nonholonomic(z.diff() - x * y.diff())]
    whole = particle(*stated)
    stage = spare(whole.form())
    made = code(stage, Variant(spare=True))
    for rows in [rows for count in range(4) for rows in combinations(range(3), count)]:
        expected = da.principles.explicit(particle(*(stated[r] for r in rows)).instant(STATE))
        own = whole.parameters | {mask: float(r in rows) for r, mask in enumerate(stage.masks)}
        numbers = made.numbers(np.array([own[s] for s in stage.statement.symbols]))
        found = taylor.along(Setup(made, numbers, Choice(rows)), np.zeros(1), row_of(whole, STATE)[None, :])
        assert_allclose(found.acceleration[0], expected.acceleration, rtol=1e-10, atol=1e-10)
        assert_allclose(found.ideal[0], expected.ideal, rtol=1e-10, atol=1e-10)
        assert_allclose(found.multipliers[0, list(rows)], expected.multipliers, rtol=1e-10, atol=1e-10)
        assert not np.delete(found.multipliers[0], rows).any()


def test_natures_that_refer_to_the_ideal_force():
    nature = da.Prescribed({x: -k * da.multiplier("a"), y: -k * da.ideal_force(y) * z.diff()})
    compare(particle(da.Holonomic(x**2 + y**2 - 1, "a", nature), da.Nonholonomic(z.diff() - x * y.diff(), "b")), STATE)


def test_mass_that_the_constraints_make_regular():
    tied = da.System.from_lagrangian(
        m * x.diff() ** 2 / 2 - k * y**2 / 2, [x, y], constraints=[da.Holonomic(y - 2 * x)], parameters={m: 2.0, k: 3.0}
    )
    state = {x: 0.3, y: 0.6, x.diff(): 1.0, y.diff(): 2.0}
    assert compare(tied, state).choice == Choice((0,), augment=True)


def test_pivots_tell_when_rows_become_dependent():
    """x = y and x = y cos t: dependent at t = 0, and nearly so just after."""
    system = particle(da.Holonomic(x - y), da.Holonomic(x - y * cos(t)))
    made = set_up(system, STATE, choice=Choice((0, 1)))
    far, near = taylor.watch(made, np.array([1.0, 1e-3]), np.tile(row_of(system, STATE), (2, 1))).pivots.min(axis=1)
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
    at, place, speed = 0.7, 0.5, 0.4
    state = {x: place, y: place * np.sin(at) / 2, x.diff(): speed,
             y.diff(): speed * np.sin(at) / 2 + place * np.cos(at) / 2}  # fmt: skip
    made = set_up(system, state, at)
    acceleration = da.principles.explicit(system.instant(state, at)).acceleration
    q, v = np.split(row_of(system, state), 2)

    def energy(h):
        return taylor.energy(made, at + h, np.concatenate([q + v * h + acceleration * h**2 / 2, v + acceleration * h]))

    slope = (energy(1e-4) - energy(-1e-4)) / 2e-4
    powers = taylor.powers(made, np.array([at]), row_of(system, state)[None, :])[0]
    assert taylor.works(made) == ("force", "ideal", "nonideal")
    assert slope == pytest.approx(powers.sum(), rel=1e-6)


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
        outputs(Stage(system), Variant())


def test_the_work_grows_with_the_chain():
    """A chain of N links has O(N) expressions: the acceleration of one mass does not depend on the far end's symbols
    more than through the multipliers, and the elimination writes no fill."""
    from dalembert.derive.elimination import factor

    tridiagonal = {(i, j): 1.0 + i for i in range(200) for j in (i - 1, i, i + 1) if 0 <= j < 200}
    factors = factor(tridiagonal)
    assert sum(len(below) for below in factors.below.values()) == 199
    arrow = {(i, j): 2.0 + (i == j) for i in range(50) for j in range(50) if i == j or 0 in (i, j)}
    assert sum(len(below) for below in factor(arrow).below.values()) == 49  # the head is eliminated last
