"""What the measurements are asked to show: each figure with its target and whether it is met.

A figure whose measurements are missing (a peer not installed, a short run) has no value and is neither met nor missed.
"""

from collections.abc import Iterable
from math import log
from operator import itemgetter
from typing import NamedTuple

from fresh import MODEL

TIGHT = 1e-9  # the tolerance at which this project is compared


class Figure(NamedTuple):
    """A number, what it should be, and whether it is; `note` says what was compared with what."""

    name: str
    value: float | None
    target: str
    met: bool | None
    note: str = ""


def at_least(name: str, value: float | None, bound: float, note: str = "") -> Figure:
    return Figure(name, value, f"≥ {bound:g}", None if value is None else value >= bound, note)


def at_most(name: str, value: float | None, bound: float, note: str = "") -> Figure:
    return Figure(name, value, f"≤ {bound:g}", None if value is None else value <= bound, note)


def show(summary: list[Figure], small: bool) -> list[Figure]:
    """Print figures, and give them back; a small run meets and misses nothing: targets are set for the long ones."""
    if small:
        summary = [f._replace(met=None) for f in summary]
    wide = max((len(f.name) for f in summary), default=0)
    for f in summary:
        said = {True: "met", False: "MISSED", None: ""}[f.met]
        value = "not measured" if f.value is None else f"{f.value:.3g}"
        print(f"{f.name:<{wide}} {value:>12}  {f.target:<9} {said:<7} {f.note}".rstrip())
    return summary


def figures(rows: list[dict], compiled: list[dict], command: dict | None, statements: list[dict]) -> list[Figure]:
    """All figures, in the order of the questions they answer."""
    return [*speed(rows), *precision(rows), *growth(rows, compiled), *beginning(command), *derivation(statements)]


def speed(rows: list[dict]) -> Iterable[Figure]:
    """The chain of 3 masses at 1e-9: how much faster than peers at equal or smaller error, how far from the limit."""
    chain = _chain(rows, 3)
    mine = _one(chain, "dalembert", "full", TIGHT)
    rivals = (("sympy", None, 100), ("casadi", None, 15), ("casadi", ("bdf",), None), ("jax", None, None))
    for peer, modes, bound in rivals:
        rival = _rival(chain, peer, mine, modes)
        ratio = rival["run_seconds"] / mine["run_seconds"] if rival and mine else None
        name = f"chain of 3, times faster than {peer}{f' ({modes[0]})' if modes else ''} at no larger error"
        note = f"{rival['mode']} at {rival['accuracy']:g}, error {rival['error']:.1e}" if rival else ""
        if rival and rival["error"] > mine["error"]:
            note += f", which stays above {mine['error']:.1e}"
        yield at_least(name, ratio, bound, note) if bound else Figure(name, ratio, "", None, note)
    for mode in ("full", "compact"):
        own, limit = _one(chain, "dalembert", mode, TIGHT), _one(chain, "by-hand", mode, TIGHT)
        for what, seconds, bound in (
            ("integration", "integration_seconds", 1.3 if mode == "full" else None),
            ("whole call", "run_seconds", None),
        ):
            ratio = own[seconds] / limit["run_seconds"] if own and limit else None
            name = f"chain of 3, {what} over heyoka by hand, {mode}"
            yield at_most(name, ratio, bound) if bound else Figure(name, ratio, "", None)


def precision(rows: list[dict]) -> Iterable[Figure]:
    """The same chain at the default, machine precision."""
    chain = _chain(rows, 3)
    mine, tight = _one(chain, "dalembert", "full", None), _one(chain, "dalembert", "full", TIGHT)
    along = _one(chain, "dalembert", "full, 501 samples", None)
    yield at_most("chain of 3, position error at the end, m", mine and mine["error"], 1e-11)
    yield at_most("chain of 3, largest drift off the constraints, m²", along and along["drift"], 1e-13)
    ratio = mine["run_seconds"] / tight["run_seconds"] if mine and tight else None
    yield at_most("chain of 3, time over that at 1e-9", ratio, 3)


def growth(rows: list[dict], compiled: list[dict]) -> Iterable[Figure]:
    """From 10 to 300 masses, in one mode."""
    cold = {c["masses"]: c["cold"]["compile_seconds"] for c in compiled}
    yield at_most("10 to 300 masses, exponent of compile time", _exponent(cold, 10, 300), 1.1)
    for tolerance, bound in ((None, 1.3), (TIGHT, None)):
        steps = {}
        for n in (10, 300):
            if row := _one(_chain(rows, n), "dalembert", "compact", tolerance):
                steps[n] = row["integration_seconds"] / row["steps"]
        name = f"10 to 300 masses, exponent of time per step, {'default' if tolerance is None else 'at 1e-9'}"
        value = _exponent(steps, 10, 300)
        yield at_most(name, value, bound) if bound else Figure(name, value, "", None)
    largest = next((c for c in compiled if c["masses"] == 300), None)
    for kind, bound in (("cold", 40), ("warm", 2)):
        yield at_most(f"300 masses, compilation {kind}, s", largest and largest[kind]["compile_seconds"], bound)
        name = f"300 masses, statement to ready {kind}, s"
        yield Figure(name, largest and largest[kind]["seconds"], "", None)


def beginning(command: dict | None) -> Iterable[Figure]:
    """The command line in a fresh process, over importing what it stands on."""
    for kind, bound in (("warm", 1.5), ("cold", 3)):
        ratio = command[kind] / command["imports"] if command and command.get("imports") else None
        yield at_most(f"dalembert run {MODEL}, {kind}, over importing SymPy and heyoka", ratio, bound)


def derivation(statements: list[dict]) -> Iterable[Figure]:
    """Statement to compiled code, cold; the target holds where the peer takes over 5 s."""
    for s in statements:
        name = f"{s['case']}, statement to code, times faster than LagrangesMethod and lambdify"
        known = s.get("ratio") is not None
        note = f"{s['seconds']:.2f} s against {s['sympy_seconds']:.2f} s" if known else s.get("reason", "")
        if known and s["sympy_seconds"] > 5:
            yield at_least(name, s["ratio"], 5, note)
        else:
            yield Figure(name, s.get("ratio"), "", None, note)


def _chain(rows: list[dict], masses: int) -> list[dict]:
    return [r for r in rows if r["problem"].startswith(f"chain of {masses} masses") and r["status"] == "done"]


def _one(rows: list[dict], peer: str, mode: str, accuracy: float | None) -> dict | None:
    return next((r for r in rows if (r["peer"], r["mode"], r["accuracy"]) == (peer, mode, accuracy)), None)


def _rival(rows: list[dict], peer: str, mine: dict | None, modes: tuple[str, ...] | None) -> dict | None:
    """The fastest setting whose error is no larger than ours, or the fastest of all where none is."""
    those = [r for r in rows if r["peer"] == peer and (modes is None or r["mode"] in modes)]
    equal = [r for r in those if mine and r["error"] <= mine["error"]]
    return min(equal or those, key=itemgetter("run_seconds"), default=None)


def _exponent(values: dict[int, float], few: int, many: int) -> float | None:
    return log(values[many] / values[few]) / log(many / few) if few in values and many in values else None
