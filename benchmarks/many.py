"""Systems in which much switches: blocks on a belt, particles that leave a plate together, a lossless ball."""

from collections.abc import Callable
from math import asin, sqrt
from time import perf_counter

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

G, SHAKE, PACE = 9.81, 0.1, 12.0
BLOCKS = (1, 2, 4, 8, 16, 32)
Best = Callable[[Callable, int], tuple]


def blocks(count: int, until: float = 10.0) -> dict:
    """Blocks joined by springs on a belt, with stick and slip: the first call, and one that compiles nothing."""
    x, y = dynamicsymbols(f"x1:{count + 1}"), dynamicsymbols(f"y1:{count + 1}")
    belt, mu, static = sp.Rational(1, 2), sp.Rational(3, 10), sp.Rational(2, 5)
    kinetic = sum(e.diff() ** 2 for e in (*x, *y)) / 2
    own = sum((10 + k) * e**2 for k, e in enumerate(x)) / 2
    between = sum((e - f) ** 2 for e, f in zip(x[1:], x, strict=False)) * sp.Rational(5, 2)
    rows = [
        da.Holonomic(y[k], f"belt {k + 1}", nature=da.Coulomb(mu, static=static, sliding=x[k].diff() - belt))
        for k in range(count)
    ]
    start = {x[k]: 0.02 * k for k in range(count)}
    begin = perf_counter()
    system = da.System.from_lagrangian(kinetic - own - between - G * sum(y), [*x, *y], constraints=rows)
    first = system.simulate(start, until=until, samples=2)
    seconds = perf_counter() - begin
    begin = perf_counter()
    again = system.simulate(start, until=until, samples=2)
    run = perf_counter() - begin
    switches = again.statistics["switches"]
    return {
        "case": f"{count} blocks on a belt, {until:g} s",
        "blocks": count,
        "seconds": seconds,
        "compile_seconds": first.statistics["compile_seconds"],
        "run_seconds": run,
        "switches": switches,
        "seconds_a_switch": run / max(switches, 1),
        "largest_defect": again.statistics["largest_defect"],
        "ending": again.status.ending,
    }


def plate(count: int = 9) -> dict:
    """Particles that rest on a shaken plate and leave it together where it falls faster than they do."""
    y, t = dynamicsymbols(f"y1:{count + 1}"), dynamicsymbols._t
    floor = sp.Rational(1, 10) * sp.sin(12 * t)
    begin = perf_counter()
    system = da.System.from_lagrangian(
        sum(e.diff() ** 2 / 2 - G * e for e in y), list(y), constraints=[da.OneSided(e - floor) for e in y]
    )
    motion = system.simulate({e.diff(): SHAKE * PACE for e in y}, until=1.0, samples=2)
    seconds = perf_counter() - begin
    left = [event.time for event in motion.events if event.kind == "release"][:count]
    exact = asin(G / (SHAKE * PACE**2)) / PACE
    return {
        "case": f"{count} particles that leave a plate together, 1 s",
        "seconds": seconds,
        "events": len(motion.events),
        "errors": {"time they leave, s": max(abs(time - exact) for time in left)},
    }


def lossless(until: float, repeats: int, best: Best) -> dict:
    """A ball that bounces without loss."""
    y = dynamicsymbols("y")
    system = da.System.from_lagrangian(y.diff() ** 2 / 2 - G * y, [y], constraints=[da.OneSided(y, restitution=1)])
    motion, facts = best(lambda: system.simulate({y: 1.0}, until=until, samples=2), repeats)
    times = np.array([event.time for event in motion.events])
    exact = sqrt(2 / G) * (1 + 2 * np.arange(len(times)))
    return {
        "case": f"a ball that loses nothing, {until:g} s",
        **facts,
        "impacts": len(times),
        "impacts_a_second": len(times) / facts["run_seconds"],
        "errors": {"time of an impact, s": float(np.abs(times - exact).max())},
    }
