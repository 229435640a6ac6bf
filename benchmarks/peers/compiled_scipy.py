"""SciPy's DOP853 on this project's own right-hand side, compiled by heyoka: what the Taylor method adds to the code."""

import heyoka as hy
import numpy as np
from scipy.integrate import solve_ivp

from dalembert.derive.switching.stage import spare, whole
from dalembert.engine import Variant
from dalembert.engine.compiled import Code
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
    moved, n = system(stated), problem.n
    rows = independent_rows(moved.instant(stated.start))
    some = len(rows) < len(moved.constraints)
    stage = (spare if some else whole)(moved.form())
    made = Code(stage, Variant(spare=some))  # derived afresh, whoever ran before
    given = dict(stated.values) | {mask: float(r in rows) for r, mask in enumerate(stage.masks)}
    outputs, numbers = made.outputs, made.numbers(np.array([float(given[s]) for s in stage.statement.symbols]))
    right = [*outputs.variables[n:], *outputs.acceleration]
    function = hy.cfunc(right, vars=outputs.variables, compact_mode=mode == "compact")
    values = numbers[: function.nparams]

    def rhs(_t, y):
        return function(y, pars=values)

    def run(tolerance):
        out = solve_ivp(rhs, (0, problem.until), problem.start, method="DOP853", rtol=tolerance, atol=tolerance)
        if not out.success:
            raise RuntimeError(out.message)
        return Run(out.y[:n].T, out.y[n:].T, len(out.t) - 1)

    return run
