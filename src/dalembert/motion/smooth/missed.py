"""Singular places that a coarse tolerance steps past: near them, and to what the motion is known, it goes through them.

Where two branches of constraints cross, a motion that is off its constraints by δ passes the crossing at a distance of
about √δ, from one branch to the other. Whether there is such a place does not depend on the motion: it is where some
combination c of the rows has no direction and the constraints hold,

    c_r ∂φ_r/∂q = 0,  φ_r = 0,  |c| = 1,

one equation more than unknowns, so that they have a solution only where branches cross.
"""

import numpy as np

from dalembert.derive import Array
from dalembert.model import ON_POSITIONS
from dalembert.motion.smooth.leg import Setup
from dalembert.motion.smooth.minima import Minimum
from dalembert.motion.smooth.view import View
from dalembert.motion.tolerances import EPS, tolerance

WIDE = 16.0  # times how far off the constraints a motion may be: the square of how near a place is looked for
MOST = 2.0**-4  # of natural sizes, squared: no place is so far
NEWTON, LEAST = 24, 2.0**-24  # steps, and what is left of the equations, of their terms, where there is a place
STEP = 2.0**-20  # of natural sizes: by so much coordinates are changed to see slopes


def nearness(view: View) -> float:
    """The square of how far, of natural sizes, a singular place may be missed by; zero at machine precision."""
    coarse = view.bound > tolerance("TIE") and view.engine.name != "plain"
    return reach(view.bound) if coarse else 0.0


def reach(bound: float) -> float:
    """The same where a motion may be so far off its constraints."""
    return min(WIDE * bound, MOST)


def is_missed(view: View, found: Minimum, near: float | None = None) -> bool:
    """Whether constraints have a singular place, to rounding, near where something is small.

    `near`: the square of how near, of natural sizes; that of the view where none is given.
    """
    near = nearness(view) if near is None else near
    course, n = view.course, len(view.sizes) // 2
    setup = course.legs[int(course.leg_of[found.place])].setup
    rows = _rows(view, setup)
    if not 0 < len(rows) <= n:
        return False
    state = course.states(np.array([found.time]), np.array([found.place]))[0]
    units = np.where(view.sizes[:n] > 0, view.sizes[:n], 1.0)

    times, constraints = np.array([found.time]), setup.code.stage.statement.constraints
    holds = np.array([float(isinstance(constraints[r], ON_POSITIONS)) for r in rows.tolist()])
    scales = np.append(view.sizes[: 2 * n], abs(found.time))
    terms = view.engine.sizes(setup, times, state[None, :], scales)[0, rows]
    lengths = np.linalg.norm(view.engine.rows(setup, times, state[None, :])[0, rows] * units, axis=1)
    sizes = np.where(holds * terms > 0, terms, np.where(lengths > 0, lengths, 1.0))

    def at(x: Array) -> tuple[Array, Array]:
        """The values (r,) and the rows (r, n) of unit size, at coordinates in natural units."""
        there = np.concatenate([x * units, state[n:]])[None, :]
        level = view.engine.watch(setup, times, there).level[0, rows]
        return holds * level / sizes, view.engine.rows(setup, times, there)[0, rows] * units / sizes[:, None]

    x = begin = state[:n] / units
    if not np.isfinite(at(x)[1]).all():  # the edge of where the rows exist: no branches cross there
        return False
    c = np.linalg.svd(at(x)[1].T)[2][-1]
    for _ in range(NEWTON):
        level, A = at(x)
        f = np.concatenate([A.T @ c, level, [(c @ c - 1) / 2]])
        slopes = np.zeros((len(f), n + len(c)))
        for i in range(n):
            moved = x.copy()
            moved[i] += STEP
            slopes[:n, i] = (at(moved)[1].T @ c - f[:n]) / STEP
        slopes[:n, n:], slopes[n:-1, :n], slopes[-1, n:] = A.T, holds[:, None] * A, c
        if not (np.isfinite(f).all() and np.isfinite(slopes).all()):
            return False
        change = np.linalg.lstsq(slopes, -f, rcond=EPS)[0]
        x, c = x + change[:n], c + change[n:]
        if float((x - begin) @ (x - begin)) > 4 * near:
            return False
        if np.abs(change).max() <= STEP:
            break
    level, A = at(x)
    there = float((x - begin) @ (x - begin)) <= near
    return there and bool(np.abs(np.concatenate([A.T @ c, level])).max() <= LEAST)


def _rows(view: View, setup: Setup) -> Array:
    """The rows that are in force, by place."""
    force = view.engine.in_force([setup])[0] > 0
    chosen = np.zeros(len(force), dtype=bool)
    chosen[list(setup.choice.rows)] = True
    found: Array = np.flatnonzero(force & chosen)
    return found
