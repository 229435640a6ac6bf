"""SciPy's DOP853 on this project's own right-hand side, compiled by heyoka: what the Taylor method adds to the code."""

import heyoka as hy
import numpy as np
from scipy.integrate import solve_ivp

from dalembert.engine.recipe import recipe
from dalembert.principles import independent_rows
from peers import TOLERANCES, Plan, Run
from peers.ours import system
from peers.statement import state

NAME = "SciPy DOP853 on the compiled right-hand side"
NEEDS = ("dalembert", "scipy", "heyoka")


def plans(problem):
    return [Plan("full" if problem.size <= 10 else "compact", TOLERANCES)]


def prepare(problem, mode):
    stated = state(problem)
    moved = system(stated)
    rows = independent_rows(moved.instant(stated.start))
    cooked, n = recipe(moved, rows, augment=False), problem.n
    right = [*cooked.variables[n:], *cooked.acceleration]
    function = hy.cfunc(right, vars=cooked.variables, compact_mode=mode == "compact")
    values = np.array([stated.values[s] for s in moved.symbols])
    if cooked.constants:  # what is made of parameters alone
        constants = hy.cfunc(cooked.constants, vars=cooked.variables[:1])
        values = np.append(values, constants(np.zeros(1), pars=values[: constants.nparams]))
    values = values[: function.nparams]

    def rhs(_t, y):
        return function(y, pars=values)

    def run(tolerance):
        out = solve_ivp(rhs, (0, problem.until), problem.start, method="DOP853", rtol=tolerance, atol=tolerance)
        if not out.success:
            raise RuntimeError(out.message)
        return Run(out.y[:n].T, out.y[n:].T, len(out.t) - 1)

    return run
