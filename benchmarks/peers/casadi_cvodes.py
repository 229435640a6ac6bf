"""CasADi: SX expressions, the equations of motion solved symbolically by a sparse LDLᵀ, SUNDIALS CVODES."""

import casadi as ca
import numpy as np

from peers import Plan, Run

NAME = "CasADi CVODES"
NEEDS = ("casadi",)
LARGEST_BDF = 30  # masses; at 100 a run takes seconds, at 300 minutes
TOLERANCES = (1e-9, 1e-10, 1e-11, 1e-12, 3e-13, 1e-13)


def plans(problem):
    """Adams by functional iteration needs no Jacobian; BDF, the default, factors one."""
    return [Plan(method, TOLERANCES) for method in ("bdf", "adams") if method == "adams" or problem.size <= LARGEST_BDF]


def dynamics(problem):
    """M q̈ − Aᵀλ = Q and A q̈ = b, differentiated by CasADi; M first, so that no pivot of LDLᵀ vanishes."""
    n = problem.n
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    each, rate = ca.vertsplit(q), ca.vertsplit(v)
    L = problem.lagrangian(each, rate, problem.names, ca)
    momentum = ca.gradient(L, v)
    M = ca.jacobian(momentum, v)
    Q = ca.gradient(L, q) - ca.jtimes(momentum, q, v)
    levels = problem.holonomic(each, problem.names)
    rates = [ca.jtimes(ca.vertcat(*levels), q, v)] if levels else []
    rates += problem.pfaffian(each, rate, problem.names, ca)
    if not rates:
        return q, v, solve(M, Q)
    rates = ca.vertcat(*rates)
    A, b = ca.jacobian(rates, v), -ca.jtimes(rates, q, v)
    m = rates.shape[0]
    matrix = ca.blockcat([[M, -A.T], [-A, ca.SX(m, m)]])
    return q, v, solve(matrix, ca.vertcat(Q, -b))[:n]


def solve(matrix, right):
    D, LT, p = ca.ldl(matrix, False)
    return ca.ldl_solve(right, D, LT, p)


def prepare(problem, mode):
    q, v, acceleration = dynamics(problem)
    n = problem.n
    ode = {"x": ca.vertcat(q, v), "ode": ca.vertcat(v, acceleration)}
    integrators = {}

    def run(tolerance):
        if tolerance not in integrators:
            options = {"abstol": tolerance, "reltol": tolerance, "max_num_steps": 1_000_000}
            options |= {"linear_multistep_method": mode}
            if mode == "adams":
                options["nonlinear_solver_iteration"] = "functional"
            integrators[tolerance] = ca.integrator("motion", "cvodes", ode, 0, problem.until, options)
        end = np.array(integrators[tolerance](x0=problem.start)["xf"]).ravel()
        if not np.isfinite(end).all():
            raise RuntimeError("the state is not finite")
        return Run(end[:n], end[n:], integrators[tolerance].stats().get("nsteps"))

    return run
