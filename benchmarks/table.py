"""Write docs/benchmarks.md from the results in benchmarks/results.

python benchmarks/table.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "benchmarks" / "results", ROOT / "docs" / "benchmarks.md"


def page() -> str:
    lines = [
        "# Benchmarks",
        "",
        "Made by `python benchmarks/table.py` from `benchmarks/results`; each program measures this project and its",
        "peer in the same run, so that the ratio means something on any machine.",
        "",
        *derivation(json.loads((RESULTS / "derivation.json").read_text(encoding="utf-8"))),
    ]
    if (RESULTS / "motion.json").exists():
        lines += ["", *motion(json.loads((RESULTS / "motion.json").read_text(encoding="utf-8")))]
    if (RESULTS / "verification.json").exists():
        lines += ["", *verification(json.loads((RESULTS / "verification.json").read_text(encoding="utf-8")))]
    if (RESULTS / "switching.json").exists():
        lines += ["", *switching(json.loads((RESULTS / "switching.json").read_text(encoding="utf-8")))]
    if (RESULTS / "geometry.json").exists():
        lines += ["", *geometry(json.loads((RESULTS / "geometry.json").read_text(encoding="utf-8")))]
    return "\n".join(lines) + "\n"


def derivation(run: dict) -> list[str]:
    lines = [
        "## Statement to numbers",
        "",
        "`python benchmarks/derivation.py -o benchmarks/results/derivation.json`: from a Lagrangian to numeric M, Q,",
        f"A, b at one state, caches cleared, the best of {run['repeats']}; the peer is `LagrangesMethod` with",
        f"`lambdify` (SymPy {run['sympy']}, Python {run['python']}). The difference is the largest over M, Q, A, b,",
        "relative to the largest entry.",
        "",
        "| system | dalembert, s | SymPy, s | ratio | difference |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r['case']} | {r['seconds']:.3f} | {r['sympy_seconds']:.2f} | {r['ratio']:.0f} | {r['difference']:.0e} |"
        for r in run["results"]
    ]
    return lines


def geometry(run: dict) -> list[str]:
    lines = [
        "## Geometry",
        "",
        "`python benchmarks/geometry.py -o benchmarks/results/geometry.json`, caches cleared, the best of",
        f"{run['repeats']}. What constraints are, by `classify` with everything it says (integrals in symbols, rank,",
        "relations, singular places), and the number of integrals alone by brackets in symbols, as one would compute",
        f"them by hand with SymPy {run['sympy']}; both agree.",
        "",
        "| constraints | coordinates | rows | integrals | found | `classify`, s | by hand, s |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for r in run["classification"]:
        peer = "not in 60 s" if r["sympy_seconds"] is None else f"{r['sympy_seconds']:.2f}"
        lines.append(
            f"| {r['case']} | {r['coordinates']} | {r['rows']} | {r['integrable']} | {r['integrals']} "
            f"| {r['seconds']:.2f} | {peer} |"
        )
    lines += [
        "",
        "Reduction with its proof, from Cartesian coordinates to angles; how far the lifted motion and its constraint",
        "forces are from the unreduced ones, both at machine precision.",
        "",
        "| system | coordinates | reduction, s | motion over | differs by | forces by | lifting, ms a sample |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r['case']} | {r['from']} to {r['to']} | {r['seconds']:.2f} | {r['until']:g} s | {r['difference']:.0e} "
        f"| {r['force_difference']:.0e} | {1e3 * r['lift_seconds'] / r['samples']:.2f} |"
        for r in run["reduction"]
    ]
    r = run["reconciliation"]
    lines += [
        "",
        f"Reconciliation of a pendulum with two accelerometers, {r['times']} times: {r['seconds']:.2f} s, the error of",
        f"the acceleration {r['rms_of_error_over_sigma']:.2f} times the standard deviation that is given with it. Of",
        f"{r['trials']} cases in which one of eight drives was off by 5 σ, the right one was named in {r['named']}.",
    ]
    return lines


def motion(run: dict) -> list[str]:
    names = {key: peer["name"] for key, peer in run["peers"].items()}
    versions = {name: v for peer in run["peers"].values() for name, v in peer.get("versions", {}).items()}
    lines = [
        "## Motion",
        "",
        "`python benchmarks/motion.py -o benchmarks/results/motion.json`: the same problems by this project and by",
        f"what one would pick instead, the best of at least {run['repeats']} runs after a first one. Error is that of",
        "the final positions against a reference in long double; drift is the largest residual of a constraint, where",
        "the peer gives samples along the way, else at the end; setup is from the statement to a compiled program,",
        "nothing being kept from before. Of each peer stands the fastest setting whose error is no larger than this",
        "project's at 1e-9 or, where none reaches that, its most exact one.",
        "",
        f"Python {run['machine']['python']}, {', '.join(f'{n} {v}' for n, v in versions.items())}.",
    ]
    for problem in run["problems"]:
        rows = [r for r in run["results"] if r["problem"] == problem["name"]]
        lines += [
            "",
            f"### {problem['name'][0].upper()}{problem['name'][1:]}",
            "",
            f"{problem['about']} The reference is known to {problem['reference_doubt']:.0e} m.",
            "",
            "| program | setting | time, ms | error, m | drift | setup, s |",
            "|---|---|---:|---:|---:|---:|",
        ]
        lines += [line(r, names) for r in chosen(rows)]
    return [*lines, "", "### Figures", "", *figures(run["figures"])]


def switching(run: dict) -> list[str]:
    lines = [
        "## Motion across switches",
        "",
        "`python benchmarks/switching.py -o benchmarks/results/switching.json`: friction that holds, contacts that",
        f"close, at the default precision, the best of at least {run['repeats']} runs after a first one, the whole",
        "call; errors are against closed forms. The peer on the belt is a program with events as a user would write",
        "it, the peer on the incline MuJoCo, whose block is let settle for a second before it is looked at.",
        "",
        f"Python {run['machine']['python']}, {', '.join(f'{n} {v}' for n, v in run['versions'].items())}.",
        "",
        "| motion | program | setting | time, ms | switches | error |",
        "|---|---|---|---:|---:|---|",
    ]
    for r in run["results"]:
        errors = ", ".join(f"{what}: {value:.0e}" for what, value in r.get("errors", {}).items())
        where = f"| {r['case']} | {r['program']} | {r['setting']} |"
        lines.append(f"{where} {1e3 * r['run_seconds']:.3g} | {r['switches']} | {errors} |")
    lines += [
        "",
        "### A block on an incline that friction holds",
        "",
        "| program | setting | lasts, s | moves, m | time, ms |",
        "|---|---|---:|---:|---:|",
    ]
    for r in run["creep"]:
        said = (
            f"{r['lasts']:g} | {r['moved']:.0e} | {1e3 * r['run_seconds']:.3g}"
            if "moved" in r
            else f"{r['reason']} | |"
        )
        lines.append(f"| {r['program']} | {r['setting']} | {said} |")
    modes = "modes" if "modes" in run["compilation"][0] else "kinds_of_modes"  # as older results call them
    lines += [
        "",
        "### Compilation",
        "",
        "The first motion of a model, nothing being kept from before, and what is compiled when it is moved again with",
        "another start and other values.",
        "",
        f"| model | {modes.replace('_', ' ')} | integrators | compilation, s | all of setup, s | compiled again |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for c in run["compilation"]:
        made = f"{c['integrators']} | {c['compile_seconds']:.2f} | {c['seconds']:.2f} | {c['again']}"
        lines.append(f"| {c['model']} | {c[modes]} | {made} |")
    lines += [
        "",
        "### Much that switches",
        "",
        "Blocks joined by springs on a belt, with stick and slip for 10 s: from the statement to the end of the first",
        "motion, what of it was compilation, and a second motion. One program serves all modes.",
        "",
        "| blocks | in all, s | compilation, s | again, ms | switches | ms a switch | largest defect |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for r in run["blocks"]:
        cost = f"{r['seconds']:.2f} | {r['compile_seconds']:.2f} | {1e3 * r['run_seconds']:.3g}"
        each = f"{r['switches']} | {1e3 * r['seconds_a_switch']:.3g} | {r['largest_defect']:.0e}"
        lines.append(f"| {r['blocks']} | {cost} | {each} |")
    lines += ["", "| motion | time, s | events | error |", "|---|---:|---:|---|"]
    for r in run["many"]:
        errors = ", ".join(f"{what}: {value:.0e}" for what, value in r["errors"].items())
        seconds, events = r.get("seconds", r.get("run_seconds")), r.get("events", r.get("impacts"))
        lines.append(f"| {r['case']} | {seconds:.3g} | {events} | {errors} |")
    return [*lines, "", "### Figures of switching", "", *figures(run["figures"])]


def verification(run: dict) -> list[str]:
    lines = [
        "## What looking costs",
        "",
        "`python benchmarks/verification.py -o benchmarks/results/verification.json`: every step is looked at, by its",
        "defect at points the step rule never saw, by its constraints and its pivots. The seconds spent so within the",
        "run, at machine precision, over all others of it.",
        "",
        "| motion | run, ms | looking, ms | share | steps | points | largest defect |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for r in run["results"]:
        cost = f"{1e3 * r['run_seconds']:.3g} | {1e3 * r['looking_seconds']:.3g} | {r['share']:.2f}"
        lines.append(f"| {r['case']} | {cost} | {r['steps']} | {r['looked_at']} | {r['largest_defect']:.0e} |")
    return [*lines, "", *figures(run["figures"])]


def figures(asked: list[dict]) -> list[str]:
    """What was asked of a benchmark, with its targets."""
    lines = ["| figure | value | target | |", "|---|---:|---:|---|"]
    said = {True: "met", False: "missed", None: ""}
    for f in asked:
        value = "not measured" if f["value"] is None else f"{f['value']:.3g}"
        name = f"{f['name']} ({f['note']})" if f["note"] else f["name"]
        lines.append(f"| {name} | {value} | {f['target']} | {said[f['met']]} |")
    return lines


def chosen(rows: list[dict]) -> list[dict]:
    """Everything of this project and of the limit, the best comparable setting of each peer, and every failure."""
    done = [r for r in rows if "run_seconds" in r]
    mine = [r for r in done if r["peer"] == "dalembert" and r["accuracy"] is not None]
    bound = max((r["error"] for r in mine), default=0.0)
    out = []
    for key in dict.fromkeys(r["peer"] for r in rows):
        own = [r for r in done if r["peer"] == key]
        if key in ("dalembert", "by-hand"):
            out += own
        elif equal := [r for r in own if r["error"] <= bound]:
            out.append(min(equal, key=lambda r: r["run_seconds"]))
        elif own:
            out.append(min(own, key=lambda r: r["error"]))
        out += [r for r in rows if r["peer"] == key and "run_seconds" not in r]
    return out


def line(r: dict, names: dict[str, str]) -> str:
    if "run_seconds" not in r:
        return f"| {names[r['peer']]} | {r.get('mode', '')} | {r['status']}: {r['reason']} | | | |"
    accuracy = "default" if r["accuracy"] is None else f"{r['accuracy']:g}"
    wrong = f" ({r['status']})" if r["status"] != "done" else ""
    return (
        f"| {names[r['peer']]} | {r['mode']}, {accuracy} | {1e3 * r['run_seconds']:.3g} | {r['error']:.0e}{wrong} | "
        f"{r['drift']:.0e} | {r['setup_seconds']:.2f} |"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
