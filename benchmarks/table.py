"""Write docs/benchmarks.md from the results in benchmarks/results.

python benchmarks/table.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "benchmarks" / "results", ROOT / "docs" / "benchmarks.md"


def page() -> str:
    run = json.loads((RESULTS / "derivation.json").read_text(encoding="utf-8"))
    lines = [
        "# Benchmarks",
        "",
        "Made by `python benchmarks/table.py` from `benchmarks/results`; each program measures this project and its",
        "peer in the same run, so that the ratio means something on any machine.",
        "",
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
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
