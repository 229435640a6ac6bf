"""This project: `System.simulate`, from the statement in SymPy."""

import dalembert as da
from dalembert import derive
from dalembert.engine.compiled import code
from peers import Run, heyoka_by_hand
from peers.heyoka_by_hand import GRID, plans  # noqa: F401 - the same modes, to be compared one by one
from peers.statement import state

NAME = "dalembert"
NEEDS = ("dalembert", "heyoka")


def forget():
    """Drop what was derived and compiled, so that setup is measured cold."""
    heyoka_by_hand.forget()
    for kept in (*derive.caches(), code):
        kept.cache_clear()


def system(stated):
    """A problem stated in SymPy as a `System`."""
    constraints = [da.Holonomic(f, name=f"constraint {k}") for k, f in enumerate(stated.holonomic)]
    constraints += [da.Nonholonomic(f, name=f"blade {k}") for k, f in enumerate(stated.pfaffian)]
    return da.System.from_lagrangian(stated.lagrangian, stated.q, constraints=constraints, parameters=stated.values)


def prepare(problem, mode):
    stated = state(problem)
    moved = system(stated)
    how = mode.split(", ")[0]
    samples = GRID if "samples" in mode else 2

    def run(tolerance):
        motion = moved.simulate(stated.start, until=problem.until, tolerance=tolerance, samples=samples, compile=how)
        n = problem.n
        return Run(motion.y[:n].T, motion.y[n:].T, motion.statistics["steps"], motion.statistics["run_seconds"])

    return run
