"""Statement to numbers: M, Q, A, b at a state, by this project and by SymPy's LagrangesMethod + lambdify.

Each case is timed from the Lagrangian (already written) to the numbers at one state, with SymPy's cache cleared before
each run, both in the same process; the best of `--repeats` counts. The two answers are compared: `difference` is the
largest relative difference over M, Q, A and b.

    python benchmarks/derivation.py [--small] [--repeats N] [-o FILE]
"""

import argparse
import json
import platform
from collections.abc import Callable
from time import perf_counter

import numpy as np
import sympy as sp
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import dalembert as da
from dalembert import derive

t = dynamicsymbols._t


class Case:
    """A Lagrangian with holonomic constraints, parameter values and a state."""

    def __init__(self, name, L, q, holonomic, values):
        self.name, self.L, self.q, self.holonomic, self.values = name, L, list(q), holonomic, values
        self.v = [x.diff(t) for x in self.q]
        random = np.random.default_rng(0)
        self.state = {s: float(random.uniform(-1, 1)) for s in (*self.q, *self.v)}


def pendulum(n, relative):
    q = dynamicsymbols(f"q1:{n + 1}")
    m, l = sp.symbols(f"m1:{n + 1}", positive=True), sp.symbols(f"l1:{n + 1}", positive=True)  # noqa: E741
    g = sp.Symbol("g", positive=True)
    x = y = L = sp.S.Zero
    for i in range(n):
        angle = sum(q[: i + 1]) if relative else q[i]
        x, y = x + l[i] * sp.sin(angle), y - l[i] * sp.cos(angle)
        L += m[i] * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m[i] * g * y
    values = dict.fromkeys([*m, *l], 1.0) | {g: 9.81}
    return Case(f"{n}-link pendulum, {'relative' if relative else 'absolute'} angles", L, q, [], values)


def chain(n):
    q = dynamicsymbols(f"q1:{3 * n + 1}")
    m, l, g = sp.symbols("m l g", positive=True)  # noqa: E741
    places = [q[3 * k : 3 * k + 3] for k in range(n)]
    L = sum(m * x.diff(t) ** 2 / 2 for x in q) - m * g * sum(p[2] for p in places)
    before = [(0, 0, 0), *places[:-1]]
    rods = [sum((a - b) ** 2 for a, b in zip(p, o, strict=True)) - l**2 for p, o in zip(places, before, strict=True)]
    return Case(f"{n}-mass chain, Cartesian", L, q, rods, {m: 1.0, l: 1.0, g: 9.81})


def ours(case):
    system = da.System.from_lagrangian(
        case.L, case.q, constraints=[da.Holonomic(f) for f in case.holonomic], parameters=case.values
    )
    now = system.instant(case.state)
    return now.M, now.Q, now.A, now.b


def peer(case):
    method = LagrangesMethod(case.L, case.q, hol_coneqs=case.holonomic or None)
    method.form_lagranges_equations()
    arguments = [*case.q, *case.v, *case.values]
    function = sp.lambdify(arguments, [method.mass_matrix_full, method.forcing_full])
    full, forcing = function(*case.state.values(), *case.values.values())
    n, m = len(case.q), len(case.holonomic)
    rows = slice(2 * n, 2 * n + m)
    forcing = np.ravel(forcing)
    return full[n : 2 * n, n : 2 * n], forcing[n : 2 * n], full[rows, n : 2 * n], forcing[rows]


def best(run: Callable, case: Case, repeats: int):
    times, answer = [], None
    for _ in range(repeats):
        clear_cache()
        for kept in derive.caches():
            kept.cache_clear()
        begin = perf_counter()
        answer = run(case)
        times.append(perf_counter() - begin)
    return min(times), answer


def measure(case: Case, repeats: int) -> dict:
    seconds, mine = best(ours, case, repeats)
    peer_seconds, theirs = best(peer, case, repeats)
    scale = max(np.abs(part).max(initial=0) for part in theirs)
    difference = max(np.abs(a - b).max(initial=0) for a, b in zip(mine, theirs, strict=True)) / scale
    return {
        "case": case.name,
        "seconds": seconds,
        "sympy_seconds": peer_seconds,
        "ratio": peer_seconds / seconds,
        "difference": float(difference),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a few small cases, for continuous integration")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("-o", "--output", help="write the results as JSON to this file")
    options = parser.parse_args()
    links = (2, 3) if options.small else range(2, 9)
    cases = [pendulum(n, relative) for n in links for relative in (False, True)]
    cases.append(chain(5 if options.small else 30))
    best(ours, cases[0], 1), best(peer, cases[0], 1)  # warm up imports
    results = []
    for case in cases:
        row = measure(case, options.repeats)
        results.append(row)
        print(
            f"{row['case']:<36} {row['seconds']:8.4f} s   SymPy {row['sympy_seconds']:8.4f} s   "
            f"{row['ratio']:6.1f} ×   difference {row['difference']:.1e}",
            flush=True,
        )
    document = {
        "benchmark": "derivation",
        "python": platform.python_version(),
        "sympy": sp.__version__,
        "dalembert": da.__version__,
        "repeats": options.repeats,
        "results": results,
    }
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.write("\n")
    if wrong := [row["case"] for row in results if row["difference"] > 1e-9]:
        raise SystemExit(f"the two derivations disagree: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
