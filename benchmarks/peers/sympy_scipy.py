"""The textbook way: SymPy's LagrangesMethod, `lambdify`, and SciPy's `solve_ivp` with DOP853."""

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import LagrangesMethod

from peers import TOLERANCES, NotApplicable, Plan, Run
from peers.statement import state

NAME = "SymPy LagrangesMethod, SciPy DOP853"
NEEDS = ("sympy", "scipy", "numpy")
LARGEST = 10  # masses; at 30 the derivation takes about a minute, each run as long, both growing with the cube


def plans(problem):
    modes = ["solve", "lstsq"] if problem.redundant else ["solve"]
    return [Plan(mode, TOLERANCES) for mode in modes]


def derive(stated):
    """The functions of the full mass matrix and forcing, of (*q, *v, *parameters)."""
    method = LagrangesMethod(
        stated.lagrangian,
        stated.q,
        hol_coneqs=stated.holonomic or None,
        nonhol_coneqs=stated.pfaffian or None,
    )
    method.form_lagranges_equations()
    arguments = [*stated.q, *stated.v, *stated.values]
    return sp.lambdify(arguments, [method.mass_matrix_full, method.forcing_full], cse=True)


def prepare(problem, mode):
    if problem.size > LARGEST:
        raise NotApplicable(f"not run above {LARGEST} masses: derivation and run take minutes and grow with the cube")
    stated = state(problem)
    function, values, n = derive(stated), list(stated.values.values()), problem.n

    def rhs(_t, y):
        matrix, forcing = function(*y, *values)
        if mode == "lstsq":
            return np.linalg.lstsq(matrix, forcing[:, 0])[0][: 2 * n]
        return np.linalg.solve(matrix, forcing[:, 0])[: 2 * n]

    def run(tolerance):
        out = solve_ivp(rhs, (0, problem.until), problem.start, method="DOP853", rtol=tolerance, atol=tolerance)
        if not out.success:
            raise RuntimeError(out.message)
        return Run(out.y[:n].T, out.y[n:].T, len(out.t) - 1)

    return run
