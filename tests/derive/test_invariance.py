"""What must not change the answer: df/dt added to L, other coordinates, recombined constraint rows."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from derive.generator import Generated, t

SEEDS = range(200, 220)


def tolerance(now):
    return 1e-10 * (1 + max(np.abs(part).max(initial=0) for part in (now.M, now.Q, now.A, now.b)))


@pytest.mark.parametrize("seed", SEEDS)
def test_total_derivative_in_the_lagrangian_changes_nothing(seed):
    """[df/dt] = 0 for any f(q, t) (Zubelevich, section 1)."""
    case = Generated(seed)
    f = case._function(3)
    changed = da.System.from_lagrangian(
        case.L + f.diff(t), case.q, forces=case.forces, constraints=case._constraints(), parameters=case.values
    )
    before, after = (s.instant(case.state, case.time) for s in (case.system, changed))
    assert_allclose(after.M, before.M, atol=tolerance(before))
    assert_allclose(after.Q, before.Q, atol=tolerance(before))


@pytest.mark.parametrize("seed", SEEDS)
def test_other_coordinates_give_the_same_motion(seed):
    """q = Φ(u, t): M and forces transform as tensors (theorems 1 and 2), the motion is the same."""
    case = Generated(seed)
    n = len(case.q)
    u = list(dynamicsymbols(f"u1:{n + 1}"))
    phi = [
        u[i] + sp.sin(u[(i + 1) % n]) / 3 + t * u[i] / 5 if n > 1 else u[i] + u[i] ** 3 / 9 + t / 4 for i in range(n)
    ]
    old = {q.diff(t): p.diff(t) for q, p in zip(case.q, phi, strict=True)} | dict(zip(case.q, phi, strict=True))
    J = sp.Matrix(phi).jacobian(u)
    pulled = [case.forces[q].xreplace(old) for q in case.q]
    system = da.System.from_lagrangian(
        case.L.xreplace(old),
        u,
        forces=list(J.T * sp.Matrix(pulled)),
        constraints=[type(c)(c.expr.xreplace(old)) for c in case.system.constraints],
        parameters=case.values,
    )
    random = np.random.default_rng(seed)
    state = dict(zip([*u, *(x.diff(t) for x in u)], random.uniform(-1, 1, 2 * n), strict=True))
    at = {**state, t: case.time}
    there = {q: float(p.xreplace(at)) for q, p in zip(case.q, phi, strict=True)}
    there |= {q.diff(t): float(p.diff(t).xreplace(at)) for q, p in zip(case.q, phi, strict=True)}
    here = da.principles.explicit(system.instant(state, case.time))
    now = case.system.instant(there, case.time)
    expected = da.principles.explicit(now)

    slope = np.array(J.xreplace(at).tolist(), dtype=float)
    mass = system.instant(state, case.time).M
    assert_allclose(mass, slope.T @ now.M @ slope, atol=tolerance(now))
    assert np.linalg.eigvalsh(mass).min() > 0  # theorem 2
    lifted = {x.diff(t, 2): a for x, a in zip(u, here.acceleration, strict=True)}
    acceleration = [float(p.diff(t, 2).xreplace(lifted).xreplace(at)) for p in phi]
    scale = tolerance(now) * (1 + np.abs(expected.acceleration).max())
    assert_allclose(acceleration, expected.acceleration, atol=100 * scale)
    assert_allclose(here.ideal, slope.T @ expected.ideal, atol=100 * scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_recombined_rows_give_the_same_motion(seed):
    """Any invertible combination of the velocity-level relations, by functions of the place, says the same."""
    case = Generated(seed, linear=True)
    rates = [
        expr.diff(t) if kind == "holonomic" else expr for kind, expr in zip(case.kinds, case.relations, strict=True)
    ]
    if len(rates) < 2:
        rates = [*rates, case._relation("pfaffian"), case._relation("pfaffian")][:2] if len(case.q) > 2 else rates
    m = len(rates)
    mix = sp.Matrix(m, m, lambda i, j: 2 if i == j else sp.sin(case.q[0] + i - j) / (m + 1))
    given = [da.Nonholonomic(e) for e in rates]
    mixed = [da.Nonholonomic(e) for e in mix * sp.Matrix(rates)] if m else []
    state, answers = case.state, []
    if m:  # on the rows themselves: there the derivative of the mixing matrix does not enter
        state = _satisfying(rates, case)
    for constraints in (given, mixed):
        system = da.System.from_lagrangian(
            case.L, case.q, forces=case.forces, constraints=constraints, parameters=case.values
        )
        now = system.instant(state, case.time)
        answers.append(da.principles.explicit(now))
    scale = 1e-9 * (1 + np.abs(answers[0].acceleration).max() + np.abs(answers[0].ideal).max())
    assert_allclose(answers[1].acceleration, answers[0].acceleration, atol=scale)
    assert_allclose(answers[1].ideal, answers[0].ideal, atol=scale)


def _satisfying(rates, case):
    """The state with its velocities moved onto the (linear) velocity relations."""
    at = {**{q: case.state[q] for q in case.q}, **case.values, t: case.time}
    rows = [e.xreplace({v: sp.Symbol(f"w{i}") for i, v in enumerate(case.v)}).xreplace(at) for e in rates]
    w = sp.symbols(f"w0:{len(case.v)}")
    A = np.array([[float(r.diff(s)) for s in w] for r in rows])
    c = np.array([float(r.xreplace(dict.fromkeys(w, 0))) for r in rows])
    v = np.array([case.state[v] for v in case.v])
    v = v - np.linalg.pinv(A) @ (A @ v + c)
    return case.state | dict(zip(case.v, v, strict=True))
