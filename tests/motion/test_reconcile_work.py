"""`da.reconcile` where constraint forces do work: rows that contradict, and forces that follow multipliers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import root

import dalembert as da
from dalembert.principles import Trust
from motion.systems import g, m, t, x, y, z
from principles.evidence import textbook

ROUGH = da.Coulomb(0.25, sliding=[x.diff(), y.diff()])
STATE = {x: 0, y: 0, z: 0, x.diff(): 3.0, y.diff(): 4.0, z.diff(): 0}


def lifted(one=None, two=None, extra=()):
    """A mass on a table that rises with 2 m/s² says one gauge, with 0.5 m/s² says the other, geared by two."""
    natures = [{} if nature is None else {"nature": nature} for nature in (one, two)]
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))],
        potential=m * g * z,
        constraints=[
            da.Holonomic(z - t**2, "one", **natures[0]),
            da.Holonomic(2 * z - t**2 / 2, "two", **natures[1]),
            *extra,
        ],
        parameters={m: 2.0, g: 9.81},
    )


def expected(system, found, sigma):
    """The Karush-Kuhn-Tucker matrix of the same rows, with the C that came back."""
    trust = Trust([("constraint", 0), ("constraint", 1)], 1 / np.array(sigma) ** 2)
    return textbook(found.now, trust, found.now.b)


@pytest.mark.parametrize(
    ("nature", "C"),
    [
        (da.Viscous(0.3), [-0.9, -1.2, 0]),
        (da.Quadratic(0.3), [-4.5, -6.0, 0]),
        (da.Prescribed({x: -7 * x.diff(), z: 5}), [-21, 0, 5]),
    ],
    ids=["viscous", "quadratic", "prescribed"],
)
def test_a_force_that_follows_no_multiplier_is_no_obstacle(nature, C):
    system, sigma = lifted(nature), (0.1, 0.2)
    found = da.reconcile(system, STATE, sigma=dict(zip(("one", "two"), sigma, strict=True)))
    w = 1 / np.array(sigma) ** 2
    rise = (w[0] * 2 + w[1] * 2 * 1) / (w[0] + 4 * w[1])
    assert_allclose(found.now.C, C)
    assert_allclose(found.acceleration, [C[0] / 2, C[1] / 2, rise], rtol=1e-12)
    assert_allclose(found.nonideal, [C[0], C[1], 0], atol=1e-12)
    assert_allclose(found.ideal, [0, 0, 2 * (rise + 9.81)], atol=1e-12)
    true = expected(system, found, sigma)
    assert_allclose(found.acceleration_covariance, true.acceleration_covariance, atol=1e-12)
    assert found.detected


def test_friction_of_rows_that_contradict_is_that_of_the_adjusted_rows():
    """Both rows are as rough: however they share the load, friction is μ m (g + z̈), z̈ as it was reconciled."""
    system = lifted(ROUGH, ROUGH)
    found = da.reconcile(system, STATE, sigma={"one": 0.1, "two": 0.1})
    rise = (2 + 2 * 1) / 5
    normal = 2 * (9.81 + rise)
    assert_allclose(found.acceleration, [-0.25 * normal / 2 * 0.6, -0.25 * normal / 2 * 0.8, rise], rtol=1e-12)
    assert_allclose(found.ideal, [0, 0, normal], atol=1e-12)
    sharp = da.reconcile(system, STATE, sigma={"one": 1e-5, "two": 0.1})
    assert_allclose(sharp.nonideal[:2], -0.25 * 2 * 11.81 * np.array([0.6, 0.8]), rtol=1e-6)


def test_a_measured_right_side_and_a_measured_load_press_too():
    system = lifted(ROUGH, ROUGH)
    read = {"one": 3.0, "two": 6.0, "force_z": -30.0}
    found = da.reconcile(system, STATE, sigma={"force_z": 0.1}, measured=read)
    assert_allclose(np.linalg.norm(found.nonideal), 0.25 * (2 * 3.0 + 30.0), rtol=1e-12)


def test_a_force_that_follows_the_whole_ideal_force():
    nature = da.Prescribed({x: -da.ideal_magnitude() / 10, y: 0, z: 0})
    found = da.reconcile(lifted(nature), STATE, sigma={"one": 0.1, "two": 0.1})
    assert_allclose(found.now.C, [-np.linalg.norm(found.ideal) / 10, 0, 0], rtol=1e-12)


def test_a_share_that_nothing_determines_is_refused_for_that_reason():
    rough = lifted(ROUGH)
    with pytest.raises(da.StateError, match="'one', 'two' are redundant, so the force of each alone is not determined"):
        da.reconcile(rough, STATE)


def incline(coefficient):
    """A wedge: z = x moves by gravity, with a force along x that follows the multiplier, and accelerometers on both."""
    return da.System.from_particles(
        [da.Particle(m, (x, z))],
        potential=m * g * z,
        constraints=[
            da.Holonomic(z - x, "plane", nature=da.Prescribed({x: coefficient * da.multiplier("plane"), z: 0}))
        ],
        parameters={m: 2.0, g: 9.81},
    )


@pytest.mark.parametrize("coefficient", [0.2, -0.7, 3.0, -8.0])
def test_measured_accelerations_and_the_force_are_found_together(coefficient):
    """Against SciPy: the C whose estimate, by the textbook's matrix, has the multiplier that C follows."""
    system = incline(coefficient)
    state = {x: 0, z: 0, x.diff(): 1.0, z.diff(): 1.0}
    sigma = {"plane": 0.5, "x_ddot": 0.1, "z_ddot": 0.3, "reaction_x": 2.0}
    read = {"x_ddot": -4.0, "z_ddot": -5.5, "reaction_x": -9.0}
    found = da.reconcile(system, state, sigma=sigma, measured=read)
    rows = [("constraint", 0), ("acceleration", 0), ("acceleration", 1), ("reaction", 0)]
    trust = Trust(rows, [1 / sigma[k] ** 2 for k in ("plane", "x_ddot", "z_ddot", "reaction_x")])
    values = np.array([0.0, -4.0, -5.5, -9.0])
    now = found.now

    def off(lam):
        C = [coefficient * lam[0], 0.0]
        one = textbook(da.Instant(now.M, now.Q, now.A, now.b, C), trust, values)
        # λ of the ideal force of the adjusted rows: A M⁻¹ Aᵀ λ = A q̈ − A M⁻¹ Q
        free = now.A @ np.linalg.solve(now.M, now.Q)
        right = now.A @ one.acceleration - free
        return np.linalg.solve(now.A @ np.linalg.solve(now.M, now.A.T), right) - lam

    lam = root(off, [1.0], tol=1e-14).x
    assert_allclose(found.multipliers, lam, rtol=1e-9)
    assert_allclose(now.C, [coefficient * lam[0], 0], rtol=1e-9)
    true = textbook(now, trust, values)
    assert_allclose(found.acceleration, true.acceleration, rtol=1e-9)
    assert_allclose(found.force, true.force, rtol=1e-9)


def test_friction_by_the_actual_normal_force():
    nature = da.Coulomb(0.25, normal="actual", sliding=x.diff())
    floor = da.System.from_particles(
        [da.Particle(m, (x, z))],
        potential=m * g * z,
        constraints=[da.Holonomic(z - t**2, "floor", nature=nature)],
        parameters={m: 2.0, g: 9.81},
    )
    state = {x: 0, z: 0, x.diff(): 1.0, z.diff(): 0}
    found = da.reconcile(floor, state, sigma={"floor": 0.1, "z_ddot": 0.1}, measured={"z_ddot": 1.0})
    assert_allclose(found.acceleration, [-0.25 * (9.81 + 1.5), 1.5], rtol=1e-12)


def test_exact_rows_that_contradict_are_told_as_such():
    system = lifted(ROUGH, ROUGH)
    with pytest.raises(da.ContradictionError, match="“one” and “two”") as caught:
        da.reconcile(system, STATE, sigma={"z_ddot": 0.1}, measured={"z_ddot": 2.0})
    assert "need not hold exactly" in caught.value.__notes__[0]


def test_a_series_and_a_check_go_the_same_way():
    system = lifted(ROUGH, ROUGH)
    keys = ("x", "y", "z", "x_dot", "y_dot", "z_dot")
    table = {"time": [0.0, 1.0]} | {key: [v, v] for key, v in zip(keys, STATE.values(), strict=True)}
    series = da.reconcile(system, table, sigma={"one": 0.1, "two": 0.1})
    once = da.reconcile(system, STATE, sigma={"one": 0.1, "two": 0.1})
    assert_allclose(series.dataset.nonideal_force[0], once.nonideal, rtol=1e-12)
    begun = da.System.from_particles(
        [da.Particle(m, (x, y, z))],
        potential=m * g * z,
        constraints=system.constraints,
        parameters={m: 2.0, g: 9.81},
        initial={x.diff(): 3.0, y.diff(): 4.0},
    )
    finding = begun.check()
    assert finding.contradiction is not None
    assert_allclose(finding.reconciled.acceleration, da.reconcile(system, STATE).acceleration, rtol=1e-12)
    assert "Least squares with equal trust" in finding.text()
