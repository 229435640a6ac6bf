"""JAX and diffrax: derivatives by JAX, the equations of motion solved by LAPACK, Dopri8, compiled by XLA in float64."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

from peers import TOLERANCES, NotApplicable, Plan, Run

NAME = "JAX, diffrax Dopri8"
NEEDS = ("jax", "diffrax")
SHARED = True  # the tolerance is an argument of the compiled code
LARGEST = 30
MOST = 100_000  # steps, so that a matrix without an inverse ends the run

jax.config.update("jax_enable_x64", True)


def plans(problem):
    modes = ["solve", "pinv"] if problem.redundant else ["solve"]
    return [Plan(mode, TOLERANCES) for mode in modes]


def dynamics(problem, mode):
    n, p = problem.n, problem.names

    def lagrangian(q, v):
        return problem.lagrangian(q, v, p, jnp)

    def rates(q, v):
        """The rates of holonomic constraints and the nonholonomic ones."""
        parts = []
        if problem.holonomic(np.zeros(n), p):
            parts.append(jax.jvp(lambda q: jnp.stack(problem.holonomic(q, p)), (q,), (v,))[1])
        if problem.pfaffian(np.zeros(n), np.zeros(n), p, np):
            parts.append(jnp.stack(problem.pfaffian(q, v, p, jnp)))
        return jnp.concatenate(parts) if parts else jnp.zeros(0)

    def rhs(_t, y, _args):
        q, v = y[:n], y[n:]
        momentum = jax.grad(lagrangian, 1)
        M = jax.jacfwd(momentum, 1)(q, v)
        Q = jax.grad(lagrangian)(q, v) - jax.jvp(lambda q: momentum(q, v), (q,), (v,))[1]
        A = jax.jacfwd(rates, 1)(q, v)
        b = -jax.jvp(lambda q: rates(q, v), (q,), (v,))[1]
        m = b.shape[0]
        matrix = jnp.block([[M, -A.T], [A, jnp.zeros((m, m))]])
        right = jnp.concatenate([Q, b])
        answer = jnp.linalg.pinv(matrix) @ right if mode == "pinv" else jnp.linalg.solve(matrix, right)
        return jnp.concatenate([v, answer[:n]])

    return rhs


def prepare(problem, mode):
    if problem.size > LARGEST:
        raise NotApplicable(f"not run above {LARGEST} masses: the dense matrix makes it take minutes")
    n, term = problem.n, diffrax.ODETerm(dynamics(problem, mode))

    @jax.jit
    def move(start, tolerance):
        out = diffrax.diffeqsolve(
            term, diffrax.Dopri8(), 0.0, problem.until, None, start, max_steps=MOST, throw=False,
            stepsize_controller=diffrax.PIDController(rtol=tolerance, atol=tolerance),
        )  # fmt: skip
        return out.ys[-1], out.stats["num_steps"], out.result == diffrax.RESULTS.successful

    def run(tolerance):
        end, steps, done = move(problem.start, tolerance)
        end = np.asarray(end)
        if not done or not np.isfinite(end).all():
            raise RuntimeError("diffrax gave up: the state is not finite")
        return Run(end[:n], end[n:], int(steps))

    return run
