"""Motions across switches: what a switch costs, how exact its time is, what creeps, and what is compiled when.

Friction that holds a bead at last, a belt that catches and lets go a block, a ball that bounces itself to rest, and a
block that must not move for a day; beside the best time of the whole call stands the error against closed forms. The
peers, in the same run, are an event-driven SciPy program as a user would write it, and MuJoCo.

    python benchmarks/switching.py [--small] [--repeats N] [-o FILE]
"""

import argparse
import json
import os
import platform
from collections.abc import Callable
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

import dalembert as da
import many
import switched
import switched_peers
from dalembert import gallery
from figures import Figure, at_least, at_most
from figures import show as show_figures

DAY, HOUR = 86_400.0, 3600.0
ENOUGH = 0.5  # seconds after which more repeats than asked for add nothing
SLOPE, HOLDS = 0.3, 0.5  # tan 0.3 = 0.31 < 0.5
AGAIN = {  # a motion with another start and other values
    "rough-ring": ({}, {"mu": 0.3, "m": 2.0}),
    "belt": ({"x": 0.05}, {"v": 0.25, "k": 18.0}),
    "bouncing-ball": ({"y": 0.6}, {"e": 0.7, "m": 1.0}),
    "incline": ({}, {"mu": 0.41, "v": 0.7}),
    "puck": ({"x'": 1.0, "y'": -2.0}, {"mu": 0.3}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="short runs, each once")
    parser.add_argument("--repeats", type=int, default=9, help="at least so many runs of each, the best counts")
    parser.add_argument("-o", "--output", help="write the results as JSON to this file")
    options = parser.parse_args()
    with TemporaryDirectory() as cache:
        os.environ["HEYOKA_CACHE_DIR"] = (
            cache  # before heyoka is imported (dalembert waits with it): no code compiled earlier is found
        )
        document = run(options.small, 1 if options.small else options.repeats)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1, ensure_ascii=False)
            file.write("\n")


def run(small: bool, repeats: int) -> dict:
    import heyoka

    compiled = [compilation(name) for name in (list(AGAIN)[:2] if small else AGAIN)]  # first: nothing is compiled yet
    rows = [*ring(repeats), *belt(3 if small else 10, repeats), *ball(0.5 if small else 0.9, repeats)]
    crept = [*creep(HOUR if small else DAY, repeats), *creep_by_mujoco(2.0 if small else 60.0)]
    belts = [many.blocks(n) for n in (many.BLOCKS[:3] if small else many.BLOCKS)]
    others = [many.plate(), many.lossless(100.0 if small else 2000.0, min(repeats, 3), best)]
    summary = [*figures(rows, crept, compiled), *crowds(belts, others)]
    show(rows, crept, compiled, belts, others)
    summary = show_figures(summary, small)
    return {
        "benchmark": "switching",
        "small": small,
        "repeats": repeats,
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {"dalembert": da.__version__, "heyoka": heyoka.__version__, **switched_peers.versions()},
        "results": rows,
        "creep": crept,
        "compilation": compiled,
        "blocks": belts,
        "many": others,
        "figures": [f._asdict() for f in summary],
    }


# -- what is measured -----------------------------------------------------------------------------------------


def ring(repeats: int) -> list[dict]:
    """A bead let go on a rough ring, until it is held; and the bead of a smooth one, for as long."""
    rough = model("rough-ring")
    rest = switched.ring(0.2)
    until = rest.time * 1.0001
    smooth = da.System.from_lagrangian(
        rough.unconstrained.function, list(rough.coordinates), parameters=dict(rough.values),
        constraints=[da.Holonomic(c.expr, c.name) for c in rough.constraints], initial=dict(rough.initial),
    )  # fmt: skip
    out = []
    for samples in (2, 201):
        motion, facts = best(lambda s=samples: rough.simulate(until=until, samples=s), repeats)
        last = motion.events[-1]
        error = {"time of rest, s": abs(last.time - rest.time)}
        error["angle of rest"] = abs(float(np.arctan2(*last.state[1::-1])) - rest.angle)
        about = {"case": "rough ring, from rest to rest", "program": "dalembert", "setting": f"{samples} samples"}
        out.append(about | facts | {"errors": error})
        _, facts = best(lambda s=samples: smooth.simulate(until=until, samples=s), repeats)
        out.append(about | {"case": "the same without friction"} | facts)
    return out


def belt(periods: int, repeats: int) -> list[dict]:
    """Stick and slip for some periods, by this project and by a program with events written for it."""
    stated, block = switched.Belt(), model("belt")
    exact = stated.slips(periods + 1)
    until = exact[-1] + 0.05
    case = {"case": f"belt, {periods} periods of stick and slip"}
    values = {"k": stated.k, "v": stated.v, "mu": stated.mu, "mu_s": stated.static, "m": 1.0}

    def ours():
        return block.simulate({"x": 0.0, "x'": stated.v}, until=until, samples=2, parameters=values)

    motion, facts = best(ours, repeats)
    mine = [event.time for event in motion.events if event.kind == "slip"]
    theirs, peer = best(lambda: switched_peers.belt(stated, until), repeats)
    return [
        case | {"program": "dalembert", "setting": "2 samples"} | facts | {"errors": off(mine, exact)},
        case
        | {"program": "SciPy DOP853 with events, by hand", "setting": f"{switched_peers.RTOL:g}"}
        | peer
        | {"errors": off(theirs, exact), "switches": 2 * len(theirs) - 1},
    ]


def off(found: list[float], exact: list[float]) -> dict:
    """How far the mean period is off, and the latest of the times."""
    if len(found) != len(exact):
        return {"missing": len(exact) - len(found)}
    periods = len(exact) - 1
    mean = abs((found[-1] - found[0]) - (exact[-1] - exact[0])) / periods
    return {"period, s": mean, "last slip, s": abs(found[-1] - exact[-1])}


def ball(e: float, repeats: int) -> list[dict]:
    """A ball let go from 1 m until it has bounced itself to rest."""
    rest = switched.ball(1.0, e)
    start = {"y": 1.0, "x'": 0.0}
    dropped = model("bouncing-ball")
    motion, facts = best(lambda: dropped.simulate(start, rest * 1.01, samples=2, parameters={"e": e}), repeats)
    found = next((event.time for event in motion.events if event.kind == "rest"), float("nan"))
    about = {"case": f"bouncing ball, e = {e:g}, until rest", "program": "dalembert", "setting": "2 samples"}
    return [about | facts | {"events": len(motion.events), "errors": {"time of rest, s": abs(found - rest)}}]


def creep(until: float, repeats: int) -> list[dict]:
    """A block on an incline below its static limit: how far it moves."""
    block = model("incline")
    out = []
    for setting, start in (("at rest", {}), ("after it has slid", None)):
        motion, facts = best(lambda s=start: block.simulate(s, until, parameters={"mu_s": HOLDS}), repeats)
        held = np.array([e.state for e in motion.events if e.kind == "stick"] or [motion.begin_values])[-1]
        moved = float(np.abs(motion.end_values - held)[:2].max())
        out.append({"program": "dalembert", "setting": setting, "lasts": until, "moved": moved} | facts)
    return out


def creep_by_mujoco(until: float) -> list[dict]:
    """The same block by MuJoCo, for a minute."""
    out = []
    for setting in switched_peers.MUJOCO:
        about = {"program": "MuJoCo", "setting": setting}
        try:
            crept = switched_peers.mujoco_creep(setting, SLOPE, HOLDS, until)
        except ImportError as missing:
            return [about | {"reason": str(missing)}]
        out.append(about | {"lasts": crept.lasts, "moved": abs(crept.metres), "run_seconds": crept.run_seconds})
    return out


def compilation(name: str) -> dict:
    """A model of the gallery moved for the first time, and again with another start and other values."""
    system = model(name)
    start, values = AGAIN[name]
    with counted() as first:
        begin = perf_counter()
        motion = system.simulate()
        seconds = perf_counter() - begin
    with counted() as again:
        other = system.simulate(start or None, parameters=values)
    modes = {episode.mode for episode in (*motion.episodes, *other.episodes)}
    return {
        "model": name,
        "modes": len(modes),
        "compile_seconds": motion.statistics["compile_seconds"],
        "seconds": seconds - motion.statistics["run_seconds"],
        "integrators": first["taylor_adaptive"],
        "again": again["taylor_adaptive"] + again["cfunc"],
    }


# -- how it is measured ---------------------------------------------------------------------------------------


def model(name: str):
    return da.System.load(gallery.path(name))


def best(run: Callable, repeats: int) -> tuple:
    """What a run returns, and its facts: the best of its times after a first, and what it says of itself."""
    result = run()
    times, inner = [], []
    while len(times) < repeats or (repeats > 1 and sum(times) < ENOUGH):
        begin = perf_counter()
        result = run()
        times.append(perf_counter() - begin)
        inner.append(getattr(result, "statistics", {}).get("run_seconds"))
    facts = {"run_seconds": min(times)}
    if said := getattr(result, "statistics", None):
        facts |= {"integration_seconds": min(inner), "steps": said["steps"], "switches": said["switches"]}
    return result, facts


@contextmanager
def counted():
    """How many integrators and functions heyoka compiles."""
    import heyoka as hy

    count, kept = {"taylor_adaptive": 0, "cfunc": 0}, {name: getattr(hy, name) for name in ("taylor_adaptive", "cfunc")}

    def counting(name):
        def call(*arguments, **options):
            count[name] += 1
            return kept[name](*arguments, **options)

        return call

    try:
        for name in kept:
            setattr(hy, name, counting(name))
        yield count
    finally:
        for name, original in kept.items():
            setattr(hy, name, original)


# -- what it is to show ---------------------------------------------------------------------------------------


def figures(rows: list[dict], crept: list[dict], compiled: list[dict]) -> list[Figure]:
    rough, smooth = (r for r in rows if r["setting"] == "2 samples" and ("ring" in r["case"] or "same" in r["case"]))
    mine, theirs = (r for r in rows if r["case"].startswith("belt"))
    bounces = next(r for r in rows if r["case"].startswith("bouncing"))
    out = [
        at_most(f"rough ring over smooth ring, {what}", rough[key] / smooth[key], 5)
        for what, key in (("whole call", "run_seconds"), ("integration", "integration_seconds"))
    ]
    out += [
        at_most("rough ring, error of the time of rest, s", rough["errors"]["time of rest, s"], 1e-11),
        at_most("rough ring, error of the angle of rest", rough["errors"]["angle of rest"], 1e-11),
        Figure("belt, times faster than SciPy with events", theirs["run_seconds"] / mine["run_seconds"], "", None),
        at_most("belt, error of the period, s", mine["errors"].get("period, s"), 1e-11),
        Figure("belt, the same of SciPy with events, s", theirs["errors"].get("period, s"), "", None),
        Figure("bouncing ball, events a second", bounces["events"] / bounces["run_seconds"], "", None),
        at_most("bouncing ball, error of the time of rest, s", bounces["errors"]["time of rest, s"], 1e-10),
    ]
    held = [r for r in crept if r["program"] == "dalembert"]
    out.append(at_most("block on an incline, moved while held, m", max(r["moved"] for r in held), 0))
    out.append(at_most("block on an incline, wall time, s", max(r["run_seconds"] for r in held), 1))
    slid = [r["moved"] / r["lasts"] * DAY for r in crept if r["program"] == "MuJoCo" and "moved" in r]
    out.append(Figure("the same by MuJoCo at its default, m in a day", slid[0] if slid else None, "", None))
    out.append(at_most("compiled when a model is visited again", sum(c["again"] for c in compiled), 0))
    return out


def crowds(belts: list[dict], others: list[dict]) -> list[Figure]:
    """Where much switches: blocks on a belt, particles on a plate, a ball that loses nothing."""
    plate, ball = others
    known = {r["blocks"]: r for r in belts}
    least, most = min(known), max(known)
    slope = np.log(known[most]["seconds_a_switch"] / known[least]["seconds_a_switch"]) / np.log(most / least)
    out = [at_most(f"{least} to {most} blocks, exponent of the time of a switch", float(slope), 1)]
    if 16 in known:
        out.append(at_most("16 blocks, compilation, s", known[16]["compile_seconds"], 5))
        out.append(at_most("16 blocks, in all, s", known[16]["seconds"], 10))
    out.append(at_most(f"{plate['case']}, in all, s", plate["seconds"], 5))
    out.append(at_least("a ball that loses nothing, impacts a second", ball["impacts_a_second"], 5000))
    return out


def show(
    rows: list[dict],
    crept: list[dict],
    compiled: list[dict],
    belts: list[dict],
    others: list[dict],
) -> None:
    for r in rows:
        errors = ", ".join(f"{what} {value:.1e}" for what, value in r.get("errors", {}).items())
        where = f"{r['case']:<40} {r['program']:<34} {r['setting']:<11}"
        print(f"{where} {1e3 * r['run_seconds']:9.3f} ms   {r.get('switches', '?')} switches   {errors}".rstrip())
    for r in crept:
        said = (
            f"{r['lasts']:g} s: moved {r['moved']:.2e} m in {1e3 * r['run_seconds']:.3f} ms"
            if "moved" in r
            else r["reason"]
        )
        print(f"{'block on an incline':<40} {r['program']:<10} {r['setting']:<36} {said}")
    for c in compiled:
        print(
            f"{c['model']:<16} {c['modes']} modes   compiled in {c['compile_seconds']:.2f} s of "
            f"{c['seconds']:.2f} s, {c['integrators']} integrators   again: {c['again']}"
        )
    for r in belts:
        cost = (
            f"{r['seconds']:.2f} s in all, {r['compile_seconds']:.2f} s compiled, then {1e3 * r['run_seconds']:.1f} ms"
        )
        each = f"{r['switches']} switches, {1e3 * r['seconds_a_switch']:.2f} ms each"
        print(f"{r['case']:<40} {cost}   {each}   {r['ending']}")
    for r in others:
        errors = ", ".join(f"{what} {value:.1e}" for what, value in r["errors"].items())
        print(f"{r['case']:<46} {r.get('seconds', r.get('run_seconds')):.3f} s   {errors}")
    print()


if __name__ == "__main__":
    main()
