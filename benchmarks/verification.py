"""What it costs that a motion is looked at: the chain of 3 and of 30 masses at machine precision.

Every step is looked at by its defect, its constraints, its pivots; the seconds spent so are counted within the run and
stand beside all others of it. The best of the repeats counts, each with its own share.

    python benchmarks/verification.py [--small] [--repeats N] [-o FILE]
"""

import argparse
import json
import os
import platform
from contextlib import contextmanager
from time import perf_counter

import dalembert as da
import problems
from dalembert.motion.smooth import monitors
from dalembert.motion.smooth import run as running
from figures import at_most
from figures import show as show_figures
from peers import ours
from peers.statement import state

CASES = ((3, 10.0), (3, 100.0), (30, 1.0), (30, 10.0))
TARGET = 0.25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="the short runs, twice each")
    parser.add_argument("--repeats", type=int, default=15, help="runs of each, the best counts")
    parser.add_argument("-o", "--output", help="write the results as JSON to this file")
    options = parser.parse_args()
    cases = [case for case in CASES if case[1] * case[0] <= 30] if options.small else CASES
    rows = [measured(n, until, 2 if options.small else options.repeats) for n, until in cases]
    summary = [at_most(f"{r['case']}, looking over the rest", r["share"], TARGET) for r in rows]
    show(rows)
    summary = show_figures(summary, options.small)
    if options.output:
        document = {
            "benchmark": "verification",
            "small": options.small,
            "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
            "versions": {"dalembert": da.__version__},
            "results": rows,
            "figures": [f._asdict() for f in summary],
        }
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1, ensure_ascii=False)
            file.write("\n")


def measured(masses: int, until: float, repeats: int) -> dict:
    """The best run of a chain, and what of it was spent looking."""
    problem = problems.chain(masses, until)
    stated = state(problem)
    system = ours.system(stated)

    def once():
        return system.simulate(stated.start, until=until, samples=2, compile="full" if masses < 10 else "compact")

    once()
    best: dict = {}
    for _ in range(repeats):
        with looking() as spent:
            motion = once()
        seconds = motion.statistics["run_seconds"]
        if not best or seconds < best["run_seconds"]:
            best = {"run_seconds": seconds, "looking_seconds": spent["seconds"]}
    said = motion.statistics
    return {
        "case": f"chain of {masses} masses, {until:g} s",
        **best,
        "share": best["looking_seconds"] / (best["run_seconds"] - best["looking_seconds"]),
        "steps": said["steps"],
        "looked_at": said["looked_at"],
        "largest_defect": said["largest_defect"],
    }


@contextmanager
def looking():
    """The seconds spent looking at courses: at their points, for problems, and for the largest defect and drift."""
    spent = {"seconds": 0.0}

    def counted(function):
        def call(*arguments):
            begin = perf_counter()
            try:
                return function(*arguments)
            finally:
                spent["seconds"] += perf_counter() - begin

        return call

    kept = running.Run._view, running.first_problem
    running.Run._view, running.first_problem = counted(kept[0]), counted(monitors.first_problem)
    try:
        yield spent
    finally:
        running.Run._view, running.first_problem = kept


def show(rows: list[dict]) -> None:
    for r in rows:
        cost = f"{1e3 * r['run_seconds']:8.2f} ms, looking {1e3 * r['looking_seconds']:7.2f} ms"
        print(f"{r['case']:<28} {cost}   {r['steps']} steps, {r['looked_at']} points, defect {r['largest_defect']:.1e}")


if __name__ == "__main__":
    main()
