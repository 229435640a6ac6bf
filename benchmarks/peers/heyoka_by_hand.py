"""heyoka with equations an expert wrote and eliminated on paper for this one problem: the limit for this project."""

import heyoka as hy
import numpy as np

from by_hand import equations
from peers import Plan, Run

NAME = "heyoka, written by hand"
NEEDS = ("heyoka",)
FULL_UP_TO = 3  # masses: at 10, straight-line code already takes a minute to compile
GRID = 501  # samples, where a run is asked for more than its end


def plans(problem):
    """heyoka's two ways to compile; the smallest chain also with samples along the way, as a user would want them."""
    if problem.size > FULL_UP_TO:
        return [Plan("compact", (1e-9, None))]
    modes = ["full", "compact"]
    if problem.size == 3:
        modes += [f"{mode}, {GRID} samples" for mode in modes]
    return [Plan(mode, (1e-9, None)) for mode in modes]


def forget():
    """Drop compiled code, so that setup is measured cold."""
    hy.llvm_state.clear_memcache()
    hy.llvm_state.clear_diskcache()


def prepare(problem, mode):
    n, integrators = problem.n, {}
    grid = np.linspace(0.0, problem.until, GRID)

    def run(tolerance):
        if tolerance not in integrators:
            integrators[tolerance] = hy.taylor_adaptive(
                equations(problem), problem.start, tol=tolerance or 0.0, compact_mode=mode.startswith("compact")
            )
        ta = integrators[tolerance]
        ta.time = 0.0
        ta.state[:] = problem.start
        if "samples" in mode:
            outcome, _, _, steps, _, states = ta.propagate_grid(grid)
        else:
            outcome, _, _, steps, *_ = ta.propagate_until(problem.until)
            states = ta.state.copy()[None]
        if outcome != hy.taylor_outcome.time_limit:
            raise RuntimeError(f"heyoka stopped: {outcome}")
        return Run(states[:, :n], states[:, n:], steps)

    return run
