"""When a state counts as on its constraints: each residual against the terms that make it up, in any units.

A residual f, the value of a constraint or its rate, counts as zero at a state where

    |f| ≤ CLOSE Σ |terms of f|                             the values were given with ten digits, or
    |f| ≤ ROUNDING Σ_i |∂f/∂x_i| u_i                       rounding of the inputs x_i explains it, or
    f has one coordinate or velocity alone, that is below FAINT of the whole state: the zero it stands for.

The terms of x² + y² − R² are x², y² and −R². u_i is |x_i|, and for a coordinate or velocity the largest that
the constraints can have made of it: in a straight row A x = c that is A_j u_j / A_i, in a curved one the
largest u_j in units in which M is balanced, a length being no longer so than the radius of curvature. A motion
passes through zero, where it has the rounding of where it comes from: so a velocity is also measured by √(a l),
with the accelerations a that forces and rows give it and the lengths l it is tied to, and a length by v²/a, up
to the radius of curvature. M ties accelerations alone. Neither the factor a row is written with, nor units, nor
a large coordinate elsewhere changes the verdict.
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
PATTERNS = 6  # of signs of the changes by which rounding of the inputs is seen
MOMENT = 256 * EPS  # of the size of a state: it moves so far in a moment
HALVINGS = 40  # of the way of a change, to tell a jump
SHAKEN = 2.0**-20  # relative change of an input by which sizes of terms are seen
PASSED_ON = 6  # times, from row to row: how far the size of one coordinate reaches


class Closeness(NamedTuple):
    """Residuals over the size of their terms, |φ| and |φ̇| (or |ψ|), each (m,); zero where rounding explains them."""

    level: Array
    rate: Array


def closeness(system: Statement, inputs: Sequence[float]) -> Closeness:
    """How far a state is off each constraint, relative to the terms of that constraint.

    `inputs` are coordinates, velocities, time, then parameters in the order of `symbols`. At a kink of a constraint the
    rate is that of the side its velocities lead to. Raises `StateError` where a constraint does not exist.
    """
    off, later = _off(system, inputs), moment_later(system, inputs)
    return off if later is inputs else Closeness(off.level, _off(system, later).rate)


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def moment_later(system: Statement, inputs: Sequence[float]) -> Sequence[float]:
    """Where constraints may have kinks, the inputs so little later that all but these is the same to rounding."""
    if not len(system.constraints) or not prepared(system).relations.kinked:
        return inputs
    kept, n = prepared(system), len(system.coordinates)
    q, v = np.array(inputs[:n]), np.array(inputs[n : 2 * n])
    try:
        units = coordinate_units(kept, inputs)
    except StateError:
        units = np.ones(n)
    fastest, largest = float(np.abs(v / units).max()), float(np.abs(q / units).max())
    if not fastest:
        return inputs
    moved: Array = q + v * (MOMENT * (largest or 1.0) / fastest)
    return [*moved.tolist(), *inputs[n:]]


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def _off(system: Statement, inputs: Sequence[float]) -> Closeness:
    """The same with the slopes that functions have at the very place, which are none at a kink."""
    kept, m = prepared(system), len(system.constraints)
    if not m:
        return Closeness(np.zeros(0), np.zeros(0))
    off = _parts(kept.relations, inputs)
    if (off > CLOSE).any():
        for nearby in _readings(kept, inputs, off > CLOSE):
            off = np.where(nearby, 0.0, off)
            if not (off > CLOSE).any():
                break
    return Closeness(off[:m], off[m:])


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def right_sizes(system: Statement, inputs: Sequence[float]) -> Array:
    """How large the terms of the right sides b are (m,): the sum of what every input by itself makes of them.

    Each coordinate and velocity counts as large as it may have been of late, by what is tied to it. Where terms cancel,
    as in φ̇ of a state on φ = 0, b is known to a part of this only.
    """
    kept, given, n = prepared(system), np.array(inputs), len(system.coordinates)
    first = len(kept.derived.A)
    m = len(kept.constraints)
    try:
        units = coordinate_units(kept, inputs)
    except StateError:
        units = np.ones(n)
    known = np.concatenate([_sizes(kept, given, units, np.arange(m)), np.abs(given[2 * n :])])
    middle, out = np.array(kept.rows(given.tolist()))[first : first + m], np.zeros(m)
    for i in np.flatnonzero(known).tolist():
        moved = given.copy()
        moved[i] += SHAKEN * known[i]
        try:
            out += np.abs(np.array(kept.rows(moved.tolist()))[first : first + m] - middle) / SHAKEN
        except StateError:
            continue
    return np.where(np.isfinite(out), out, 0.0)


def _parts(relations: Relations, inputs: Sequence[float]) -> Array:
    """Each residual over the sum of the sizes of its terms (2m,), infinite where there are none and it is not zero."""
    level, rate, level_size, rate_size = relations.values(inputs)
    f, size = np.abs(np.concatenate([level, rate])), np.concatenate([level_size, rate_size])
    parts: Array = np.divide(f, size, out=np.where(f > 0, np.inf, 0.0), where=size > 0)
    return parts


def _readings(kept: Prepared, inputs: Sequence[float], asked: Array) -> Iterator[Array]:
    """Which residuals (2m,) count as zero: by the rounding of the inputs; and with what is rounding taken as zero.

    `asked` (2m,) are those that do not, so far.
    """
    given, n, rows = np.array(inputs), len(kept.form.coordinates), np.flatnonzero(asked[: len(asked) // 2])
    try:
        units = coordinate_units(kept, inputs)
    except StateError:
        units = np.ones(n)
    sizes = _sizes(kept, given, units, rows)
    explained = _within_rounding(kept, given, sizes, asked)
    yield explained
    whole = np.concatenate([units * (part / units).max() for part in (sizes[:n], sizes[n:])])
    if given[n : 2 * n].any() and (_within_rounding(kept, given, whole, asked) & ~explained).any():
        sizes = _sizes(kept, given, units, rows, led=True)
        yield _within_rounding(kept, given, sizes, asked)
    faint = (np.abs(given[: 2 * n]) <= FAINT * whole) & (given[: 2 * n] != 0)
    alone = kept.relations.alone  # a row of several has terms of its own to be measured by, whatever is large elsewhere
    lonely = (alone >= 0) & faint[alone]
    if lonely.any():
        read = given.copy()
        read[alone[lonely]] = 0.0
        try:
            yield lonely & (_parts(kept.relations, read.tolist()) <= CLOSE)
            yield lonely & _within_rounding(kept, read, sizes, asked)
        except StateError:
            return


def _within_rounding(kept: Prepared, given: Array, sizes: Array, asked: Array) -> Array:
    """Whether each residual that is asked for (2m,) is no more than what rounding of the inputs makes of it.

    The inputs are changed by as much as rounding may: by more, what is curved in a row would count for more than it is.
    """
    change = ROUNDING * np.concatenate([sizes, np.abs(given[len(sizes) :])])
    middle = kept.relations.plain(given.tolist())
    explained = np.zeros(len(middle), dtype=bool)
    random = np.random.default_rng(20)  # the same signs always
    for _ in range(PATTERNS):
        way = random.choice((-1.0, 1.0), len(given)) * change
        try:
            moved = kept.relations.plain((given + way).tolist())
        except StateError:
            continue
        enough = asked & ~explained & (np.abs(middle) <= np.abs(moved - middle))
        for r in np.flatnonzero(enough).tolist():
            explained[r] = not _jumps(kept.relations, given, way, r)
    return explained


def _jumps(relations: Relations, given: Array, way: Array, r: int) -> bool:
    """Whether a residual changes by a jump along a way: at the end of a branch, or on both sides of a pole.

    Then it changes by as much over ever less of the way, and nowhere needs to be zero.
    """

    def at(part: float) -> float:
        return float(relations.plain((given + part * way).tolist())[r])

    low, high = 0.0, 1.0
    first, last = at(low), at(high)
    whole = abs(last - first)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        try:
            value = at(middle)
        except StateError:
            return True
        if abs(value - first) < abs(last - value):
            low, first = middle, value
        else:
            high, last = middle, value
    return abs(last - first) > whole / 2


def _sizes(kept: Prepared, given: Array, units: Array, rows: Array, led: bool = False) -> Array:
    """For each coordinate and velocity (2n,) the size it may have had of late, by what is tied to it.

    By the forces, and where bodies are `led` along curved rows, which takes more work, by that too.
    """
    n, ties = len(units), kept.ties
    try:
        A = kept.relations.speeds.at(given.tolist())[1] * units
    except StateError:
        A = np.zeros((0, n))
    bends = _radii(kept, given, units, rows)
    lengths = _passed_on(kept, A, np.abs(given[:n] / units), bends)
    speeds = _passed_on(kept, A, np.abs(given[n : 2 * n] / units), np.full(len(A), np.inf))
    pulls = _pulls(kept, given, units)
    if led:
        pulls = np.maximum(pulls, _led(kept, given, units))
    fastest = np.zeros(n)
    np.maximum.at(fastest, ties, speeds)
    travelled = np.divide(fastest[ties] ** 2, pulls, out=np.zeros(n), where=pulls > 0)
    lengths = np.maximum(lengths, np.minimum(travelled, _radius(kept, A, bends)))
    speeds = np.maximum(speeds, np.sqrt(pulls * lengths))
    return np.concatenate([lengths * units, speeds * units])


def _passed_on(kept: Prepared, A: Array, sizes: Array, most: Array) -> Array:
    """The sizes (n,) that rows A (m, n) can have made of these, in balanced units; a curved row up to `most` (m,).

    None becomes larger than the largest that is tied to it.
    """
    largest = np.zeros(len(sizes))
    np.maximum.at(largest, kept.ties, sizes)
    slopes = np.abs(A)
    straight = kept.relations.straight[: len(A)]
    slopes[~straight] = kept.relations.members[: len(A)][~straight]
    inside = slopes > 0
    for _ in range(PASSED_ON if inside.any() else 0):
        made = np.minimum((slopes * sizes).max(axis=1), np.where(straight, np.inf, most))
        each = np.divide(made[:, None], slopes, out=np.zeros_like(slopes), where=inside)
        grown = np.minimum(np.maximum(sizes, each.max(axis=0)), largest[kept.ties])
        if (grown == sizes).all():
            break
        sizes = grown
    return sizes


def _pulls(kept: Prepared, given: Array, units: Array) -> Array:
    """The accelerations (n,), in balanced units, that forces give what M and rows tie together."""
    pulls = np.zeros(len(units))
    try:
        np.maximum.at(pulls, kept.ties, np.abs(np.array(kept.load(given.tolist()))) * units)
    except StateError:
        pulls[:] = 0.0
    tied: Array = pulls[kept.ties]
    return tied


def _led(kept: Prepared, given: Array, units: Array) -> Array:
    """The largest acceleration (n,) that the force of one row gives, in balanced units, where rows act alone, or zero.

    That is M⁻¹ A_rᵀ λ_r with λ = (A M⁻¹ Aᵀ)⁺ b: what leads a body along a curve. Other rows may keep the balance.
    """
    places, m = kept.derived.A, len(kept.form.constraints)
    try:
        M = units[:, None] * mass(kept, given.tolist()) * units
        out = np.array(kept.rows(given.tolist()))
        A = np.zeros((m, len(units)))
        for place, value in zip(places, out[: len(places)].tolist(), strict=True):
            A[place] = value
        across = np.linalg.pinv(M, hermitian=True) @ (A * units).T
        forces = np.linalg.lstsq((A * units) @ across, out[len(places) : len(places) + m], rcond=None)[0]
        found = np.abs(across * forces).max(axis=1)
    except (StateError, np.linalg.LinAlgError):
        return np.zeros(len(units))
    known: Array = np.where(np.isfinite(found), found, 0.0)
    return known


def _radii(kept: Prepared, given: Array, units: Array, rows: Array) -> Array:
    """The radius of curvature ‖∂φ‖/‖∂²φ‖ of each of these constraints, infinite of all others (m,)."""
    places, found = kept.relations.places, np.full(len(kept.form.constraints), np.inf)
    for r in [r for r in rows.tolist() if r in kept.relations.on_positions][:MOST]:
        row = kept.relations.on_positions.index(r)
        weights = np.zeros(places.count)
        weights[row] = 1.0
        slope = places.at(given.tolist())[1][row] * units
        bend = float(np.linalg.norm(units[:, None] * places.curvature(given.tolist(), weights) * units))
        if bend > 0 and slope.any():
            found[r] = float(np.linalg.norm(slope)) / bend
    return found


def _radius(kept: Prepared, A: Array, bends: Array) -> Array:
    """The smallest radius of curvature of the rows that a coordinate is tied to (n,), or zero."""
    least = np.full(len(kept.ties), np.inf)
    for r in np.flatnonzero(np.isfinite(bends[: len(A)])).tolist():
        if A[r].any():
            group = kept.ties[int(np.argmax(np.abs(A[r])))]
            least[group] = min(least[group], bends[r])
    found: Array = np.where(np.isfinite(least), least, 0.0)[kept.ties]
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
