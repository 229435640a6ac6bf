"""Multipliers of redundant rows along a motion are those of least norm, at any scale of rows and of coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import exp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.motion.certificate import certify

x, y, z = dynamicsymbols("x y z")
X, Y, Z = x.diff(), y.diff(), z.diff()
t = dynamicsymbols._t

SCALES = [
    ((1e8, 1e7, 1e-6), (1e3, 1e2, 1e6)),
    ((1, 1, 1), (1e6, 1e6, 1e-3)),
    ((1e-4, 1e7, 1e-8), (1e6, 1e6, 1e-3)),
    ((1, 1e9, 1), (1, 1, 1)),
    *(tuple(map(tuple, 10.0 ** np.random.default_rng(seed).integers(-8, 9, (2, 3)))) for seed in range(4)),
]


def tilted(rows, units, engine="taylor"):
    """A body on a plane and a cylinder, the plane stated twice, with factors on rows and other units of coordinates."""
    a, b, c = x / units[0], y / units[1], z / units[2]
    system = da.System.from_lagrangian(
        ((X / units[0]) ** 2 + (Y / units[1]) ** 2 + 2 * (Z / units[2]) ** 2) / 2 - 9.81 * c,
        [x, y, z],
        constraints=[
            da.Holonomic(rows[0] * (a + b + c - 1)),
            da.Holonomic(rows[1] * (2 * a + 2 * b + 2 * c - 2)),
            da.Holonomic(rows[2] * (a**2 + b**2 - 1)),
        ],
    )
    start = dict(zip((x, y, z, X, Y, Z), np.array([0.6, 0.8, -0.4, 0.8, -0.6, -0.2]) * np.tile(units, 2), strict=True))
    return system.simulate(start, until=0.2 if engine == "plain" else 2.0, engine=engine)


@pytest.mark.parametrize(("rows", "units", "engine"), [*((*each, "taylor") for each in SCALES), (*SCALES[0], "plain")])
def test_shares_are_those_of_parallel_rows(rows, units, engine):
    """Both rows are parallel, so the shortest is r (r·λ)/|r|², r = (r₀, 2 r₁); and r·λ is the reaction of the plane."""
    found, bare = tilted(rows, units, engine), tilted((1, 1, 1), (1, 1, 1), engine)
    r = np.array([rows[0], 2 * rows[1]])
    plane = bare.along.multipliers[:, 0] + 2 * bare.along.multipliers[:, 1]
    want = np.column_stack([*(plane[:, None] * (r / (r @ r))).T, bare.along.multipliers[:, 2] / rows[2]])
    size = np.abs(want).max(axis=0)
    np.testing.assert_allclose(found.along.multipliers / size, want / size, rtol=0, atol=1e-9)
    assert found.verify().passed, found.verify().text()


def test_what_cancels_in_the_force_is_no_least_norm():
    """λ₀ = 5.5e-9 where it is 3.4e-18: of no size beside the others, and it cancels in the force."""
    found = tilted((1, 1e9, 1), (1, 1, 1))
    lam = found.along.multipliers.copy()
    lam[:, 0] += 5e-9
    lam[:, 1] -= 5e-9 / 2e9
    told = replace(found)
    vars(told)["_dense"] = vars(found)["_dense"]
    vars(told)["along"] = found.along._replace(multipliers=lam)
    assert [check.name for check in certify(told).checks if not check.passed] == ["forces"]


@pytest.mark.parametrize("engine", ["taylor", "plain"])
def test_factors_that_are_left_out_of_a_run_count_in_the_norm(engine):
    """Of rows a φ and b φ with a = e^(−t), b = 2e6, λ is (a, b) λφ/(a² + b²)."""
    ring = x**2 + y**2 - 1
    systems = [
        da.System.from_lagrangian((X**2 + Y**2) / 2 - y, [x, y], constraints=[da.Holonomic(row) for row in rows])
        for rows in ([ring], [exp(-t) * ring, 2e6 * ring])
    ]
    plain, both = (s.simulate({x: 1}, until=0.3, engine=engine) for s in systems)
    a, b, whole = np.exp(-both.t), 2e6, plain.along.multipliers[:, 0]
    want = np.column_stack([a * whole, b * whole]) / (a**2 + b**2)[:, None]
    size = np.abs(want).max(axis=0)
    np.testing.assert_allclose(both.along.multipliers / size, want / size, rtol=0, atol=1e-8)
    assert both.verify().passed
