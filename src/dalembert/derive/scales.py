"""When a state counts as on its constraints: each residual against the terms that make it up, in any units.

A residual f, the value of a constraint or its rate, counts as zero at a state where

    |f| ≤ CLOSE Σ |terms of f|                             the values were given with ten digits, or
    |f| ≤ ROUNDING Σ_i |∂f/∂x_i| u_i                       rounding of the inputs x_i explains it, or
    f has one coordinate or velocity alone, that is below FAINT of the whole state: the zero it stands for.

The terms of x² + y² − R² are x², y² and −R². u_i is |x_i|, and for a coordinate or velocity the largest of those that
constraints or M tie it to, in units in which M is balanced. A motion passes through zero, where it has the rounding of
where it comes from: so a velocity is also measured by √(a l), with the accelerations a and lengths l it is tied to, and
a length by v²/a, if that is not longer than the radius of curvature of the constraint. Neither the factor a row is
written with, nor units, nor a large coordinate elsewhere changes the verdict.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.relations import Relations
from dalembert.model import StateError, Statement
from dalembert.principles.tolerances import ON_CONSTRAINTS
from dalembert.principles.units import balanced_units

Array = np.ndarray
CLOSE = float(ON_CONSTRAINTS)  # of its terms: how far from zero a residual of values that a person gave may be, 1e-9
EPS = float(np.finfo(float).eps)
ROUNDING = 256 * EPS  # of what is tied together: what a run at machine precision may leave
FAINT = 8 * EPS  # of the largest of the whole state: a value that is nothing but rounding
MOST = 16  # constraints whose curvature is looked at
STEP = 2.0**-20  # relative change of the inputs by which the size of what they make up is seen
PATTERNS = 6  # of signs of these changes


class Closeness(NamedTuple):
    """Residuals over the size of their terms, |φ| and |φ̇| (or |ψ|), each (m,); zero where rounding explains them."""

    level: Array
    rate: Array


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def closeness(system: Statement, inputs: Sequence[float]) -> Closeness:
    """How far a state is off each constraint, relative to the terms of that constraint.

    `inputs` are coordinates, velocities, time, then parameters in the order of `symbols`. Raises `StateError` where a
    constraint does not exist.
    """
    kept, m = prepared(system), len(system.constraints)
    if not m:
        return Closeness(np.zeros(0), np.zeros(0))
    off = _parts(kept.relations, inputs)
    if (off > CLOSE).any():
        for nearby in _readings(kept, inputs, np.flatnonzero(off[:m] > CLOSE)):
            off = np.where(nearby, 0.0, off)
            if not (off > CLOSE).any():
                break
    return Closeness(off[:m], off[m:])


def _parts(relations: Relations, inputs: Sequence[float]) -> Array:
    """Each residual over the sum of the sizes of its terms (2m,), infinite where there are none and it is not zero."""
    level, rate, level_size, rate_size = relations.values(inputs)
    f, size = np.abs(np.concatenate([level, rate])), np.concatenate([level_size, rate_size])
    parts: Array = np.divide(f, size, out=np.where(f > 0, np.inf, 0.0), where=size > 0)
    return parts


def _readings(kept: Prepared, inputs: Sequence[float], rows: Array) -> Iterator[Array]:
    """Which residuals (2m,) count as zero: by the rounding of the inputs; and with what is rounding taken as zero.

    `rows` are the constraints whose level does not, so far.
    """
    given, n = np.array(inputs), len(kept.form.coordinates)
    try:
        units = coordinate_units(kept, inputs)
    except StateError:
        units = np.ones(n)
    sizes = np.concatenate(_tied_sizes(kept, given, units, rows))
    yield _within_rounding(kept, given, sizes)
    whole = np.concatenate([units * (part / units).max() for part in (sizes[:n], sizes[n:])])
    faint = (np.abs(given[: 2 * n]) <= FAINT * whole) & (given[: 2 * n] != 0)
    alone = kept.relations.alone  # a row of several has terms of its own to be measured by, whatever is large elsewhere
    lonely = (alone >= 0) & faint[alone]
    if lonely.any():
        read = given.copy()
        read[alone[lonely]] = 0.0
        try:
            yield lonely & (_parts(kept.relations, read.tolist()) <= CLOSE)
            yield lonely & _within_rounding(kept, read, sizes)
        except StateError:
            return


def _within_rounding(kept: Prepared, given: Array, sizes: Array) -> Array:
    """Whether each residual (2m,) is no more than what rounding of the inputs makes of it."""
    change = np.concatenate([sizes, np.abs(given[len(sizes) :])])
    middle = kept.relations.plain(given.tolist())
    size = np.zeros(len(middle))
    random = np.random.default_rng(20)  # the same signs always
    for _ in range(PATTERNS):
        signs = random.choice((-1.0, 1.0), len(given))
        try:
            moved = kept.relations.plain((given + STEP * signs * change).tolist())
        except StateError:
            continue
        size = np.maximum(size, np.abs(moved - middle) / STEP)
    explained: Array = np.abs(middle) <= ROUNDING * size
    return explained


def _tied_sizes(kept: Prepared, given: Array, units: Array, rows: Array) -> tuple[Array, Array]:
    """For each coordinate, and for each velocity, the size of what is tied to it, in its own unit, (n,) each."""
    n = len(units)
    try:
        pull = np.abs(np.array(kept.load(given.tolist()))) * units
    except StateError:
        pull = np.zeros(n)
    largest = np.zeros((3, n))
    for place, values in enumerate((given[:n] / units, given[n : 2 * n] / units, pull)):
        np.maximum.at(largest[place], kept.ties, np.abs(values))
    lengths, speeds, pulls = largest
    travelled = np.divide(speeds**2, pulls, out=np.zeros(n), where=pulls > 0)
    lengths = np.maximum(lengths, np.minimum(travelled, _radii(kept, given, units, rows)))
    speeds = np.maximum(speeds, np.sqrt(pulls * lengths))
    return lengths[kept.ties] * units, speeds[kept.ties] * units


def _radii(kept: Prepared, given: Array, units: Array, rows: Array) -> Array:
    """The smallest radius of curvature ‖∂φ‖/‖∂²φ‖ of these constraints, for each group of coordinates (n,), or zero."""
    places, found = kept.relations.places, np.zeros(len(units))
    for row in (kept.relations.on_positions.index(r) for r in rows[:MOST] if r in kept.relations.on_positions):
        weights = np.zeros(places.count)
        weights[row] = 1.0
        slope = places.at(given.tolist())[1][row] * units
        bend = float(np.linalg.norm(units[:, None] * places.curvature(given.tolist(), weights) * units))
        if bend > 0 and slope.any():
            group, radius = kept.ties[int(np.argmax(np.abs(slope)))], float(np.linalg.norm(slope)) / bend
            found[group] = min(found[group], radius) if found[group] else radius
    return found


def coordinate_units(kept: Prepared, inputs: Sequence[float]) -> Array:
    """A unit for each coordinate (n,) in which M is balanced; one without mass takes its unit from the constraints.

    Raises `StateError` where M does not exist.
    """
    M = mass(kept, inputs)
    try:
        A = kept.relations.speeds.at(inputs)[1]
    except StateError:
        A = np.zeros((0, len(M)))
    return balanced_units(M, A)


def mass(kept: Prepared, inputs: Sequence[float]) -> Array:
    """M (n, n) at bare numbers; raises `StateError` where it does not exist."""
    n = len(kept.form.coordinates)
    places, tape = kept.mass
    M = np.zeros((n, n))
    for place, value in zip(places, tape(inputs), strict=True):
        M[place] = value
    return (M + M.T) / 2
