"""Moving constrained systems: this project and what a user would pick instead, on the same problems in one run.

Every peer runs every problem it can state, at several accuracies; beside the best time stand the error of the final
positions against a reference in long double and the largest residual of a constraint. Setup is from the statement to a
compiled program, with nothing kept from before. At the end stand the figures asked of this project, each with its
target.

    python benchmarks/motion.py [--small] [--repeats N] [--only PEER/PROBLEM] [-o FILE]
"""

import argparse
import json
import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from tempfile import TemporaryDirectory


@dataclass(frozen=True)
class Selection:
    """Which peers and problems to run: `PEER`, `/PROBLEM` or `PEER/PROBLEM`, a problem by the start of its name."""

    peer: str = ""
    problem: str = ""

    @classmethod
    def of(cls, text: str) -> "Selection":
        peer, _, problem = text.partition("/")
        return cls(peer, problem)

    @property
    def everything(self) -> bool:
        return not (self.peer or self.problem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="short runs of the small problems, each once")
    parser.add_argument("--repeats", type=int, default=5, help="at least so many runs of each, the best counts")
    parser.add_argument("--only", type=Selection.of, default=Selection(), metavar="PEER/PROBLEM")
    parser.add_argument("-o", "--output", help="write the results as JSON to this file")
    options = parser.parse_args()
    with TemporaryDirectory() as cache:
        os.environ["HEYOKA_CACHE_DIR"] = cache  # before heyoka is imported: no code compiled earlier is found
        document = run(options)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")


def run(options: argparse.Namespace) -> dict:
    from figures import figures
    from figures import show as show_figures
    from measure import measure
    from peers import PEERS
    from problems import problems
    from reference import reference

    repeats = 1 if options.small else options.repeats
    rows, stated = [], []
    for problem in problems(options.small):
        if not problem.name.startswith(options.only.problem):
            continue
        truth = reference(problem)
        print(f"\n{problem.name}   (reference known to {truth.doubt:.0e} m)", flush=True)
        mine = []
        for key in PEERS:
            if options.only.peer in ("", key):
                mine += measure(key, problem, truth, repeats, options.small)
                show(mine, key)
        rows += mine
        stated.append(
            {
                "name": problem.name,
                "about": problem.about,
                "parameters": problem.parameters,
                "until": problem.until,
                "reference_doubt": truth.doubt,
                "confirmed": confirmed(mine),
            }
        )
    compiled, command, statements = apart(options, repeats)
    summary = figures(rows, compiled, command, statements)
    print()
    summary = show_figures(summary, options.small)
    return {
        "benchmark": "motion",
        "small": options.small,
        "repeats": repeats,
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
        "peers": {key: about(key) for key in PEERS},
        "problems": stated,
        "results": rows,
        "compilation": compiled,
        "command": command,
        "statements": statements,
        "figures": [f._asdict() for f in summary],
    }


def apart(options: argparse.Namespace, repeats: int) -> tuple[list[dict], dict | None, list[dict]]:
    """What fresh processes measure; only in a run of everything."""
    import fresh

    if not options.only.everything:
        return [], None, []
    compiled = [fresh.compilation(n) for n in ((3,) if options.small else (10, 30, 100, 300))]
    try:
        command = fresh.command(repeats)
    except fresh.Failed as reason:
        command = {"reason": str(reason)}
    cases = [*fresh.SMALL_PENDULUMS, "chain 3"] if options.small else [*fresh.PENDULUMS, "chain 30"]
    statements = []
    for case in cases:
        try:
            statements.append(fresh.statement(case))
        except fresh.Failed as reason:
            statements.append({"case": case, "reason": str(reason)})
    return compiled, command, statements


def confirmed(rows: list[dict]) -> dict | None:
    """The peer with equations of its own that comes nearest to the reference: an independent word on it."""
    others = [r for r in rows if r["status"] == "done" and r["peer"] not in ("by-hand", "dalembert", "compiled-scipy")]
    if not others:
        return None
    nearest = min(others, key=lambda r: r["error"])
    return {key: nearest[key] for key in ("peer", "mode", "accuracy", "error")}


def about(key: str) -> dict:
    """The name and the versions of a peer, as far as it is installed."""
    from peers import load

    try:
        peer = load(key)
    except ImportError as missing:
        return {"name": key, "missing": str(missing)}
    return {"name": peer.NAME, "versions": {need: release(need) for need in peer.NEEDS}}


def release(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:  # this project on the path, not installed
        import dalembert

        return dalembert.__version__


def show(rows: list[dict], key: str) -> None:
    for r in rows:
        if r["peer"] != key:
            continue
        where = f"  {key:<15} {r.get('mode', ''):<36}"
        if "run_seconds" not in r:
            print(f"{where} {r['status']}: {r['reason']}", flush=True)
            continue
        accuracy = "default" if r["accuracy"] is None else f"{r['accuracy']:g}"
        print(
            f"{where} {accuracy:>8} {1e3 * r['run_seconds']:10.3f} ms   setup {r['setup_seconds']:7.2f} s   "
            f"error {r['error']:.1e}   drift {r['drift']:.1e}   {r['steps'] or '?'} steps"
            f"{'   ' + r['status'] + ': ' + r['reason'] if 'reason' in r else ''}",
            flush=True,
        )


if __name__ == "__main__":
    main()
