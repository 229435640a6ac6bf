"""From the old coordinates to the new: the state of a reduced system that a state of the system is, and its start."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from sympy import Expr, Float, S, Symbol

from dalembert.derive import Array
from dalembert.derive.reducing.beginning import exact_start, is_start
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.placing import Placing
from dalembert.model import ModelError, StateError, Statement, is_coordinate, name_of, refuse
from dalembert.motion.starts import begun
from dalembert.principles import InstantError

CLOSE = 1e-9
SETTLED = 1e-3  # of a new coordinate: a step that changes the place, where that determines it
TRIES = 16
FAR = 1e6
POLE = "at the start the embedding fails, as at a pole: there is none in the new coordinates; begin elsewhere"
FLAT = "the embedding fails here: ∂y/∂x has lost its rank"
TURNS = tuple(2 * np.pi * part for part in (1 / 4, 1 / 3, 1 / 2, 1, 2, 3, 4))  # after which angles may be the same


def lowered(
    placing: Placing, place: Array, t: float, values: Mapping[Symbol, float], near: Array | None = None
) -> tuple[Array, Array]:
    """x and ẋ (k,) with y(x, t) = y and J ẋ + y_t = ẏ, `place` (2n,) being y and ẏ.

    Where several x are found it is the least, by the sum of squares; `near` is where to look first. Raises `StateError`
    with what is left where the state is not on the embedding.
    """
    n, chart = placing.chart.n, placing.chart
    rates, size = place[n:], 1 + np.abs(place).max()
    x = located(placing, place[:n], t, values, near, size)
    y, J, drift = placing.where(x, t, values)
    v = np.linalg.lstsq(J, rates - drift, rcond=1e-12)[0]
    off = J @ v + drift - rates
    if np.abs(off).max() > CLOSE * size:
        names = map(name_of, chart.system.velocities)
        faults = [
            f"{name} is off the embedding by {r:.6g}"
            for name, r in zip(names, off, strict=True)
            if abs(r) > CLOSE * size
        ]
        refuse(StateError, "no velocity of the new coordinates is this one", faults)
    if v.any() and placing.flat(x, t, values, y - place[:n]) and not placing.fails(J):
        refuse(StateError, "no velocity of the new coordinates is this one", [FLAT])
    return x, v


def located(
    placing: Placing,
    y: Array,
    t: float,
    values: Mapping[Symbol, float],
    near: Array | None = None,
    size: float | None = None,
) -> Array:
    """x (k,) with y(x, t) = y, the least of those found.

    Raises `StateError` where y is not on the embedding, and where it does not determine x: a place that is reached only
    as x goes to infinity is none.
    """
    n, chart = placing.chart.n, placing.chart
    size = size or 1 + np.abs(y).max()

    def gap(x: Array) -> Array:
        try:
            off: Array = placing.where(x, t, values)[0] - y
            return off
        except ModelError:
            return np.full(n, FAR * size)

    def slope(x: Array) -> Array:
        try:
            return placing.where(x, t, values)[1]
        except ModelError:
            return np.eye(n, chart.k)

    found: list[Array] = []
    open_: list[str] = []
    best, left = np.inf, np.zeros(n)
    for guess in _guesses(placing, y, near):
        answer = least_squares(gap, guess, jac=slope, method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15)
        x = _polished(answer.x, gap, slope)
        rest = gap(x)
        if np.abs(rest).max() <= CLOSE * size:
            x = _polished(_unwound(x, placing, t, values, CLOSE * size), gap, slope)
            if faults := _undetermined(chart, x, gap, y):
                open_ = open_ or faults
                continue
            found.append(x)
            if near is not None:
                break
        elif np.abs(rest).max() < best:
            best, left = float(np.abs(rest).max()), rest
    if not found and open_:
        refuse(StateError, "no state of the new coordinates is this one", open_)
    if not found:
        names = map(name_of, chart.system.coordinates)
        faults = [
            f"{name} is off the embedding by {r:.6g}"
            for name, r in zip(names, left, strict=True)
            if abs(r) > CLOSE * size
        ]
        refuse(StateError, "no state of the new coordinates is this one", faults or ["none was found"])
    return min(found, key=lambda one: (round(float(one @ one), 9), tuple(-one)))


def _undetermined(chart: Chart, x: Array, gap: Any, y: Array) -> list[str]:
    """What a short step leaves at the place though a wide one does not: a coordinate, or all of them together.

    An angle at a pole is not among them, which no step takes away.
    """
    rest, wide = gap(x), np.copysign(1 + np.abs(x), x)
    slack = 2 * np.abs(rest) + 4 * np.finfo(float).eps * np.abs(y)

    def stays(step: Array) -> list[bool]:
        return [bool(np.all(np.abs(gap(x + side * step) - rest) <= slack)) for side in (-1, 1)]

    for step in (*np.diag(wide), wide):
        if any(stays(SETTLED * step)) and not all(stays(step)):
            at = ", ".join(f"{name_of(q)} = {x[j]:.6g}" for j, q in enumerate(chart.embedding.new) if step[j])
            return [f"{at} could as well be others: the embedding is flat there, or never reaches the place"]
    return []


def _pole(placing: Placing, x: Array, place: Array, values: Mapping[Symbol, float]) -> bool:
    """Whether the embedding fails at t = 0 and these coordinates of a place."""
    return placing.flat(x, 0.0, values, placing.where(x, 0.0, values)[0] - place[: placing.chart.n])


def _guesses(placing: Placing, y: Array, near: Array | None) -> list[Array]:
    """Where to look for the new coordinates: those that are old ones are known."""
    embedding = placing.chart.embedding
    known = {
        j: y[i]
        for j, q in enumerate(embedding.new)
        for i, (o, e) in enumerate(zip(embedding.old, embedding.places, strict=True))
        if q == o == e
    }
    random = np.random.default_rng(0)
    out = [] if near is None else [near]
    out += [np.zeros(placing.chart.k), *(random.uniform(-np.pi, np.pi, (TRIES, placing.chart.k)))]
    for guess in out:
        for j, value in known.items():
            guess[j] = value
    return out


def _unwound(x: Array, placing: Placing, t: float, values: Mapping[Symbol, float], close: float) -> Array:
    """The same place with every angle as near to zero as turns, or parts of a turn, bring it."""
    y = placing.where(x, t, values)[0]
    for j, angle in enumerate(x.tolist()):
        for turn in TURNS:
            moved = x.copy()
            moved[j] = angle - turn * round(angle / turn)
            with suppress(ModelError):
                if abs(moved[j]) < abs(x[j]) and np.abs(placing.where(moved, t, values)[0] - y).max() <= close:
                    x = moved
    return x


def _polished(x: Array, gap: Any, slope: Any) -> Array:
    """A few steps of Newton's method, which end at rounding."""
    for _ in range(4):
        step = np.linalg.lstsq(slope(x), -gap(x), rcond=1e-12)[0]
        if not np.abs(gap(x + step)).max() < np.abs(gap(x)).max():
            break
        x = x + step
    return x


def old_start(system: Statement) -> Array | None:
    """The start of a statement in numbers (2n,), what it leaves open solved; None where there is none."""
    if not system.initial or any(s not in system.parameters for s in system.symbols):
        return None
    values = dict(system.values)
    try:
        stated = {key: float(e.xreplace(values)) for key, e in system.initial}
        return begun(system, stated, 0.0, np.array([values[s] for s in system.symbols])).state
    except (ModelError, InstantError, TypeError):
        return None


def lowered_start(placing: Placing, system: Statement) -> tuple[dict[Expr, Expr], str]:
    """The start in the new coordinates, exactly where that is possible, and a note where there is none."""
    if not system.initial:
        return {}, ""
    place = old_start(system)
    keys = (*system.coordinates, *system.velocities)
    stated = dict(system.initial)
    known = {key: stated.get(key, S.Zero) for key in keys}
    if place is None:
        exact = exact_start(placing.chart, known) if not system.values else None
        if exact is not None and is_start(placing.chart, exact, known):
            return exact, ""
        return {}, "the start could not be said in the new coordinates"
    known = {key: e for key, e in known.items() if key in stated or place[keys.index(key)] == 0}
    exact = exact_start(placing.chart, known)
    values = dict(system.values)
    try:
        same = exact is not None and _same(placing, exact, place, values)
    except StateError:  # as at the edge of a root, where there are no slopes
        return {}, POLE
    if exact is not None and same:
        x = np.array([float(exact[q].xreplace(values)) for q in placing.chart.embedding.new])
        if _pole(placing, x, place, values):
            return {}, POLE
        return {key: e for key, e in exact.items() if e != 0 or is_coordinate(key)}, ""
    try:
        x, v = lowered(placing, place, 0.0, values)
    except StateError as error:
        with suppress(StateError):
            if _pole(placing, located(placing, place[: placing.chart.n], 0.0, values), place, values):
                return {}, POLE
        return {}, f"there is no start in the new coordinates: {'; '.join(error.faults)}"
    if _pole(placing, x, place, values):
        return {}, POLE
    new = (*placing.chart.embedding.new, *(q.diff() for q in placing.chart.embedding.new))
    return {key: Float(value) for key, value in zip(new, [*x, *v], strict=True) if value != 0 or is_coordinate(key)}, ""


def _same(placing: Placing, exact: Mapping[Expr, Expr], place: Array, values: Mapping[Symbol, float]) -> bool:
    """Whether an exact start is the start in numbers."""
    numbers = np.array([float(e.xreplace(dict(values))) for e in exact.values()])
    k = placing.chart.k
    y, J, drift = placing.where(numbers[:k], 0.0, values)
    there = np.concatenate([y, J @ numbers[k:] + drift])
    return bool(np.abs(there - place).max() <= CLOSE * (1 + np.abs(place).max()))
