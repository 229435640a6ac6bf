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
    lines += ["", "### Figures", "", "| figure | value | target | |", "|---|---:|---:|---|"]
    said = {True: "met", False: "missed", None: ""}
    for f in run["figures"]:
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
