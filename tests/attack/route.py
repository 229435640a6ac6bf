"""A second route for smooth cases: M, Q, A, b by SymPy's own derivatives, forces by least squares, SciPy in time.

Slow, in double precision, and made of nothing the truths are made of: it tests them. Constraints are stabilised
(Baumgarte) so that their drift does not count.
"""

import numpy as np
from scipy.integrate import solve_ivp
from sympy import Matrix, lambdify, symbols, sympify
from sympy.physics.mechanics import dynamicsymbols

from .case import Case

t = dynamicsymbols._t
PULL = 20.0  # how fast a drift off the constraints decays


def second_route(case: Case, count: int) -> np.ndarray:
    """States (count, 2n) at the first times of a smooth case whose natures are ideal or drag."""
    statement = case.statement
    q = list(statement.coordinates)
    v = [e.diff(t) for e in q]
    n = len(q)
    flat = symbols(f"s1:{2 * n + 1}", real=True)
    values = dict(statement.parameters)
    swap = {**dict(zip(v, flat[n:], strict=True)), **values}
    swap_places = dict(zip(q, flat[:n], strict=True))

    def plain(expr):
        return sympify(expr).subs(swap).subs(swap_places)

    if statement.lagrangian is not None:
        L = plain(statement.lagrangian)
        p = Matrix([L.diff(e) for e in flat[n:]])
        M = p.jacobian(flat[n:])
        given = dict(statement.forces)
        Q = Matrix([plain(given[e]) if e in given else 0 for e in q])
        Q += Matrix([L.diff(e) for e in flat[:n]]) - p.jacobian(flat[:n]) * Matrix(flat[n:]) - p.diff(t)
    else:
        M = Matrix(statement.mass).applyfunc(plain)
        Q = Matrix([plain(f) for f in statement.forces])
    A, b = [], []
    for row in statement.rows:
        f = plain(row.expr)
        if row.kind == "Holonomic":
            rate = sum(f.diff(e) * w for e, w in zip(flat[:n], flat[n:], strict=True)) + f.diff(t)
            slope = Matrix([f.diff(e) for e in flat[:n]])
            extra = 2 * PULL * rate + PULL**2 * f
        else:
            rate, slope = f, Matrix([f.diff(e) for e in flat[n:]])
            extra = PULL * f
        bent = sum(rate.diff(e) * w for e, w in zip(flat[:n], flat[n:], strict=True)) + rate.diff(t)
        A.append(slope.T)
        b.append(-bent - extra)
    drag = Matrix([0] * n)
    for row in statement.rows:
        if row.nature.name in ("Viscous", "Quadratic"):
            speed = sum(w**2 for w in flat[n:]) ** 0.5 if row.nature.name == "Quadratic" else 1
            drag -= plain(row.nature.arguments[0]) * speed * Matrix(flat[n:])
    rows = Matrix.vstack(*A) if A else Matrix.zeros(0, n)
    made = lambdify([t, flat], [M, Q + drag, rows, Matrix(b) if b else Matrix.zeros(0, 1)], "numpy")

    def rate(time, state):
        m, force, a, right = (np.asarray(e, float) for e in made(time, state))
        a, k = a.reshape(-1, n), a.reshape(-1, n).shape[0]
        size = np.sqrt((a * a).sum(axis=1, keepdims=True))
        a, right = a / size, right.reshape(-1) / size[:, 0]
        scale = np.abs(m).max()
        whole = np.block([[m / scale, -a.T], [a, np.zeros((k, k))]])
        found = np.linalg.lstsq(whole, np.r_[force.reshape(-1) / scale, right], rcond=1e-13)[0]
        return np.r_[state[n:], found[:n]]

    keys = [*q, *v]
    start = [float(case.start[key]) for key in keys]
    times = np.asarray(case.times, float)[:count]
    done = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", t_eval=times, rtol=1e-10, atol=1e-13, max_step=0.1)
    return done.y.T
