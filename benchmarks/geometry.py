"""Geometry: what constraints are, reduction to generalized coordinates, and reconciliation of measured series.

How many integrals a set of constraints has is asked of `system.classify()` and, in the same process, of brackets in
symbols with SymPy as one would by hand (null space, Lie brackets, rank by `simplify`); both must agree. A reduction is
timed with its proof; `difference` is the largest difference of the reduced motion, lifted, from the unreduced one.

    python benchmarks/geometry.py [--small] [--repeats N] [-o FILE]
"""

import argparse
import json
import platform
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np
import sympy as sp
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import derive

t = dynamicsymbols._t
x, y, z, theta, phi, psi = dynamicsymbols("x y z theta phi psi")
R, a, l, m, g = sp.symbols("R a l m g", positive=True)  # noqa: E741
PATIENCE = 60.0  # seconds for the peer


class Overtime(BaseException):
    """The time is up. Not an `Exception`, so that no handler inside SymPy takes it for its own."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `Overtime` inside the block once `seconds` have passed."""

    def ring(*_: object) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def system(coordinates, rows):
    kinetic = sum(q.diff(t) ** 2 for q in coordinates) / 2
    constraints = [da.Differential(row) if isinstance(row, dict) else da.Holonomic(row) for row in rows]
    return da.System.from_lagrangian(kinetic, coordinates, constraints=constraints)


def trailers(count):
    angles = dynamicsymbols(f"beta0:{count + 1}")
    px, py, rows = x, y, []
    for i, angle in enumerate(angles):
        if i:
            px, py = px - a * sp.cos(angle), py - a * sp.sin(angle)
        row = {q: sp.sin(angle) * px.diff(q) - sp.cos(angle) * py.diff(q) for q in (x, y, *angles)}
        rows.append({q: e for q, e in row.items() if e != 0})
    return [x, y, *angles], rows


def squeezer():
    """The loops of Andrews' squeezing mechanism: 7 angles, 6 equations."""
    q = beta, Theta, gamma, Phi, delta, Omega, epsilon = dynamicsymbols("beta Theta gamma Phi delta Omega epsilon")
    rr, d, ss, e, zf, zt, u, xa, ya, xb, yb = sp.symbols("rr d ss e zf zt u xa ya xb yb", positive=True)
    hub = rr * sp.cos(beta) - d * sp.cos(beta + Theta), rr * sp.sin(beta) - d * sp.sin(beta + Theta)
    loops = [
        hub[0] - ss * sp.sin(gamma) - xb,
        hub[1] + ss * sp.cos(gamma) - yb,
        hub[0] - e * sp.sin(Phi + delta) - zt * sp.cos(delta) - xa,
        hub[1] + e * sp.cos(Phi + delta) - zt * sp.sin(delta) - ya,
        hub[0] - zf * sp.cos(Omega + epsilon) - u * sp.sin(epsilon) - xa,
        hub[1] - zf * sp.sin(Omega + epsilon) + u * sp.cos(epsilon) - ya,
    ]
    return list(q), loops


def cases():
    disk = [{x: 1, theta: -R * sp.cos(phi)}, {y: 1, theta: -R * sp.sin(phi)}]
    sphere = [
        {x: 1, theta: -R * sp.sin(psi), phi: R * sp.sin(theta) * sp.cos(psi)},
        {y: 1, theta: R * sp.cos(psi), phi: R * sp.sin(theta) * sp.sin(psi)},
    ]
    loops = squeezer()
    rates = [{q: e for q in loops[0] if (e := f.diff(q)) != 0} for f in loops[1]]
    return {
        "knife edge": ([x, y, phi], [{x: sp.sin(phi), y: -sp.cos(phi)}]),
        "upright rolling disk": ([x, y, theta, phi], disk),
        "the same, heading held": ([x, y, theta, phi], [*disk, {phi: 1}]),
        "sphere on a plane": ([x, y, theta, phi, psi], sphere),
        "car with 1 trailer": trailers(1),
        "car with 3 trailers": trailers(3),
        "car with 5 trailers": trailers(5),
        "squeezing mechanism, stated by positions": loops,
        "squeezing mechanism, stated by velocities": (loops[0], rates),
    }


def by_hand(coordinates, rows):
    """The number of integrals by brackets in symbols: the corank of the closure of the free directions."""
    variables = [sp.Symbol(f"u{i}", real=True) for i in range(len(coordinates) + 1)]
    names = dict(zip([*coordinates, t], variables, strict=True))
    forms = [row if isinstance(row, dict) else {q: row.diff(q) for q in coordinates} for row in rows]
    matrix = sp.Matrix([[sp.sympify(f.get(q, 0)).xreplace(names) for q in [*coordinates, t]] for f in forms])
    own = matrix.nullspace(simplify=True)

    def bracket(one, other):
        return (other.jacobian(variables) * one - one.jacobian(variables) * other).applyfunc(sp.simplify)

    span, newest = sp.Matrix.hstack(*own), own
    while newest:
        found = []
        for v in newest:
            for w in own:
                wider = sp.Matrix.hstack(span, extra := bracket(w, v))
                if wider.rank(simplify=True) > span.shape[1]:
                    span, found = wider, [*found, extra]
        newest = found
    return len(variables) - span.shape[1]


def classified(name, coordinates, rows, repeats):
    times = []
    for _ in range(repeats):
        clear_cache()
        for cache in derive.caches():
            cache.cache_clear()
        stated = system(coordinates, rows)
        begin = perf_counter()
        found = stated.classify()
        times.append(perf_counter() - begin)
    out = {
        "case": name, "coordinates": len(coordinates), "rows": len(rows), "seconds": min(times), "rank": found.rank,
        "integrable": found.integrable, "integrals": len(found.integrals), "evidence": found.evidence.words,
    }  # fmt: skip
    clear_cache()
    begin = perf_counter()
    try:
        with deadline(PATIENCE):
            peer = by_hand(coordinates, rows)
    except Overtime:
        return out | {"sympy_seconds": None}
    if peer != found.integrable:
        raise AssertionError(f"{name}: {found.integrable} integrals found, {peer} by hand")
    return out | {"sympy_seconds": perf_counter() - begin}


def reductions():
    """Systems of Cartesian coordinates with embeddings, and how long to move them."""
    angle, other = dynamicsymbols("alpha beta")
    places = dynamicsymbols("x1 y1 x2 y2")
    x1, y1, x2, y2 = places
    values, weight = {m: 1.0, g: 9.81, l: 1.0}, [da.Particle(m, [x1, y1]), da.Particle(m, [x2, y2])]
    bob = da.System.from_particles(
        [da.Particle(m, [x, y, z])], potential=m * g * z, parameters=values,
        constraints=[da.Holonomic(x**2 + y**2 + z**2 - l**2)],
        initial={x: l * sp.sin(1), z: -l * sp.cos(1), y.diff(t): 2},
    )  # fmt: skip
    double = da.System.from_particles(
        weight, potential=m * g * (y1 + y2), parameters=values,
        constraints=[da.Holonomic(x1**2 + y1**2 - l**2), da.Holonomic((x2 - x1) ** 2 + (y2 - y1) ** 2 - l**2)],
        initial={x1: l * sp.sin(0.3), y1: -l * sp.cos(0.3), x2: 2 * l * sp.sin(0.3), y2: -2 * l * sp.cos(0.3)},
    )  # fmt: skip
    ends = l * sp.sin(angle), -l * sp.cos(angle)
    tips = ends[0] + l * sp.sin(other), ends[1] - l * sp.cos(other)
    ball = l * sp.sin(theta) * sp.cos(phi), l * sp.sin(theta) * sp.sin(phi), -l * sp.cos(theta)
    return {
        "spherical pendulum": (bob, dict(zip((x, y, z), ball, strict=True)), 10.0),
        "double pendulum": (double, dict(zip(places, (*ends, *tips), strict=True)), 10.0),
    }


def reduced(name, stated, embedding, until, repeats):
    times = []
    for _ in range(repeats):
        clear_cache()
        begin = perf_counter()
        found = stated.reduce(embedding)
        times.append(perf_counter() - begin)
    motion, whole = found.system.simulate(until=until), stated.simulate(until=until)
    begin = perf_counter()
    lifted = found.lift(motion)
    lift = perf_counter() - begin
    forces = lifted.dataset.ideal_force.values - whole.dataset.ideal_force.values
    return {
        "case": name, "from": len(stated.coordinates), "to": len(found.system.coordinates), "seconds": min(times),
        "covariance": found.proof.covariance, "until": until, "difference": float(np.abs(lifted.y - whole.y).max()),
        "force_difference": float(np.abs(forces).max()), "lift_seconds": lift, "samples": len(lifted.t),
    }  # fmt: skip


def reconciled(times, trials):
    """A pendulum watched by two accelerometers and a load cell along a motion; and which of eight drives is off."""
    rod = da.System.from_lagrangian(
        m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * g * y, [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - l**2, name="rod")], parameters={m: 1.0, g: 9.81, l: 1.0},
    )  # fmt: skip
    motion = rod.simulate({x: 0.6, y: -0.8}, until=5.0, samples=times)
    random, data = np.random.default_rng(0), motion.dataset
    log = {"time": data.time.values} | {
        name: data[name].values + 0.05 * random.normal(size=times) for name in ("x_ddot", "y_ddot")
    }
    log["rod"] = -2 * (data.x_dot**2 + data.y_dot**2).values + 0.1 * random.normal(size=times)
    begin = perf_counter()
    found = da.reconcile(rod, motion, sigma={"rod": 0.1, "x_ddot": 0.05, "y_ddot": 0.05}, measured=log)
    seconds = perf_counter() - begin
    off = np.array([(found.dataset[n] - data[n]).values for n in ("x_ddot", "y_ddot")]).T
    trusted = found.dataset.acceleration_sigma.values
    names = [f"drive {i}" for i in range(8)]
    lift = da.System.from_lagrangian(
        m * y.diff(t) ** 2 / 2 - m * g * y, [y], parameters={m: 3.0, g: 9.81},
        constraints=[da.Holonomic(y - t**2 / 2, name=name) for name in names],
    )  # fmt: skip
    right = 0
    for trial in range(trials):
        wrong = names[trial % 8]
        read = {name: 1.0 + 0.1 * random.normal() + 0.5 * (name == wrong) for name in names}
        right += da.reconcile(lift, {y: 0, y.diff(t): 0}, sigma=[0.1] * 8, measured=read).suspect == wrong
    return {
        "times": times, "seconds": seconds, "rms_of_error_over_sigma": float(np.sqrt(np.mean((off / trusted) ** 2))),
        "trials": trials, "named": right,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="the smallest cases only, as in continuous integration")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("-o", "--output", help="write the results as JSON to this file")
    asked = parser.parse_args()
    sets = {n: c for n, c in cases().items() if not asked.small or n in ("knife edge", "the same, heading held")}
    moved = {n: c for n, c in reductions().items() if not asked.small or n == "spherical pendulum"}
    system([x, y], [{x: y, y: -x}]).classify()  # what is imported when first used
    run = {
        "sympy": sp.__version__, "python": platform.python_version(), "repeats": asked.repeats,
        "classification": [classified(name, *case, asked.repeats) for name, case in sets.items()],
        "reduction": [reduced(name, *case, asked.repeats) for name, case in moved.items()],
        "reconciliation": reconciled(50 if asked.small else 1001, 16 if asked.small else 1000),
    }  # fmt: skip
    text = json.dumps(run, indent=2)
    if asked.output:
        with open(asked.output, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
