"""A hundred generated systems: derived by us, and by SymPy's own mechanics or by plain differentiation."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose
from sympy.physics.mechanics import LagrangesMethod, ReferenceFrame

import dalembert as da
from derive.generator import Generated, t


@pytest.mark.parametrize("seed", range(100))
def test_derivation_is_plain_differentiation_along_a_path(seed):
    """[L]_i − F_i = (M q̈ − Q)_i and f̈ (or ψ̇) = A q̈ − b for any acceleration, differentiated along a path."""
    case = Generated(seed)
    acceleration = np.random.default_rng(seed).normal(size=len(case.q))
    now = case.system.instant(case.state, case.time)
    lagrange = [
        case.along_path(sp.diff(case.L, v), acceleration, 1)
        - case.along_path(sp.diff(case.L, q), acceleration, 0)
        - case.along_path(case.forces[q], acceleration, 0)
        for q, v in zip(case.q, case.v, strict=True)
    ]
    scale = 1 + np.abs(now.M).max() + np.abs(now.Q).max()
    assert_allclose(now.M @ acceleration - now.Q, lagrange, atol=1e-11 * scale)
    rates = [
        case.along_path(expr, acceleration, 2 if kind == "holonomic" else 1)
        for kind, expr in zip(case.kinds, case.relations, strict=True)
    ]
    scale = 1 + np.abs(now.A).max(initial=0) + np.abs(now.b).max(initial=0)
    assert_allclose(now.A @ acceleration - now.b, rates, atol=1e-11 * scale)


@pytest.mark.parametrize("seed", range(100, 125))
def test_acceleration_is_that_of_sympy_mechanics(seed):
    """The same accelerations as `LagrangesMethod`, which knows holonomic and Pfaffian constraints."""
    case = Generated(seed, linear=True)
    frame = ReferenceFrame("N")
    relations = list(zip(case.kinds, case.relations, strict=True))
    method = LagrangesMethod(
        case.L,
        case.q,
        hol_coneqs=[e for kind, e in relations if kind == "holonomic"],
        nonhol_coneqs=[e for kind, e in relations if kind != "holonomic"],
        forcelist=[(frame, 0 * frame.x)],
        frame=frame,
    )
    method.form_lagranges_equations()
    at = {**case.state, **case.values, t: case.time}
    n = len(case.q)
    matrix = np.array(sp.Matrix(method.mass_matrix_full).xreplace(at).xreplace(at).tolist(), dtype=float)
    forcing = np.array(sp.Matrix(method.forcing_full).xreplace(at).xreplace(at).tolist(), dtype=float).ravel()
    # their forcing leaves our active forces out: they enter the momentum rows
    forcing[n : 2 * n] += [float(case.forces[q].xreplace(at).xreplace(at)) for q in case.q]
    expected = np.linalg.solve(matrix, forcing)[n : 2 * n]
    answer = da.principles.explicit(case.system.instant(case.state, case.time))
    assert_allclose(answer.acceleration, expected, rtol=1e-8, atol=1e-8)
