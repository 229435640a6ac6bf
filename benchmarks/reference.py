"""The end of a motion in long double, against which every error is measured.

The equations are those written by hand, integrated by heyoka's Taylor method in 80-bit numbers at their precision. How
far the answer can be trusted is measured, not assumed: by a second run of a lower order, by the closed form where there
is one, and by every peer, whose equations come from elsewhere.
"""

from typing import NamedTuple

import heyoka as hy
import numpy as np

from by_hand import equations
from problems import Problem


class Reference(NamedTuple):
    """Positions at the end in long double, and how far another way of computing them is from these."""

    positions: np.ndarray
    doubt: float


def reference(problem: Problem) -> Reference:
    if np.finfo(np.longdouble).eps > 1e-18:
        raise SystemExit("the reference needs an 80-bit or longer long double, which this machine does not have")
    positions = problem.positions(_end(problem, 1e-19)[: problem.n])
    other = _closed(problem) if problem.kind == "knife edge" else _end(problem, 1e-17)[: problem.n]
    return Reference(positions, float(np.abs(problem.positions(other) - positions).max()))


def _end(problem: Problem, tolerance: float) -> np.ndarray:
    long = np.longdouble
    ta = hy.taylor_adaptive(
        equations(problem),
        problem.start.astype(long),
        fp_type=long,
        tol=long(tolerance),
        compact_mode=True,
    )
    outcome, *_ = ta.propagate_until(long(problem.until))
    if outcome != hy.taylor_outcome.time_limit:
        raise RuntimeError(f"the reference of {problem.name} stopped: {outcome}")
    return ta.state.copy()


def _closed(problem: Problem) -> np.ndarray:
    """The blade turns evenly, θ = ωt, and its speed along itself is u = u₀ + (s/ω) sin θ."""
    s, t = np.longdouble(problem.parameters["s"]), np.longdouble(problem.until)
    u, w = (np.longdouble(problem.start[k]) for k in (3, 5))
    h = w * t
    x = u * np.sin(h) / w + s * np.sin(h) ** 2 / (2 * w**2)
    y = u * (1 - np.cos(h)) / w + s * (h - np.sin(h) * np.cos(h)) / (2 * w**2)
    return np.array([x, y, h])
