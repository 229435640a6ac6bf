"""Natural units of coordinates: the size of motion that masses and constraints allow each of them.

Ranks and signs are decided in these units, so that the ones a system was stated in decide nothing. They follow every
change of units exactly, because they are made of ratios alone: q_i = c x_i divides the unit of q_i by c, whatever the
others are, and factors on rows, on M or on time change nothing.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.principles.errors import Array
from dalembert.principles.tolerances import CONDITIONED, RANK, SYMMETRY, TIED

Powers = NDArray[np.int32]
"""Exponents of two, as `np.ldexp` takes them on every machine."""

STEP = 2.1
"""In powers of two: what a coordinate may be above the others of its row before its unit is brought down.

No whole number, which simple rows would meet exactly, to be decided by rounding."""


EQUAL = 12
"""How often rows and columns are balanced against each other where M has no diagonal to go by."""


class Units(NamedTuple):
    """Natural units of n coordinates: q̈_i = 2^logs_i x_i, in which x_i = 1 is a motion of natural size.

    Decisions are taken in them. Numbers are computed in the nearest powers of two, 2^powers, which round nothing, and
    `nearest` (n,) = 2^(powers − logs), between 0.7 and 1.5, leads from one to the other. Coordinates that are `loose`
    (n,) have no mass and are tied to none that has: their unit is arbitrary, and forces say nothing of accelerations.
    """

    logs: Array
    powers: Powers
    nearest: Array
    loose: NDArray[np.bool_]


def natural_units(M: Array, A: Array) -> Units:
    """The natural units of an instant with M (n, n) symmetric and A (m, n).

    Three rules, one after the other:
    1. A coordinate with mass has the unit in which M_ii is ±1: in it motions have equal energy.
    2. A coordinate without (M_ii = 0) takes the unit in which it stands in the rows of A as large as those it shares
       them with; where rows tell nothing, the unit in which its largest M_ij is one.
    3. A row that a coordinate dominates holds it to what the others do: its unit is brought down to theirs. So a light
       coordinate that is tied to heavy ones passes without a jump into one that has no mass.
    """
    rows, logs, loose = _balanced(M, A)
    if len(rows):
        logs = _held(rows, logs)
    powers = np.round(logs).astype(np.int32)
    return Units(logs, powers, np.exp2(powers - logs), loose)


def held_units(M: Array, A: Array) -> Array:
    """The natural units as numbers, (n,)."""
    found: Array = np.exp2(natural_units(M, A).logs)
    return found


def shaken(M: Array, A: Array, q: Array) -> Array:
    """Coordinates (n,) changed by a part of the largest of them, in units in which M is balanced.

    A row that is small along a coordinate where the system happens to stand is not so there.
    """
    units = balanced_units(M, A)
    found: Array = q + _signs(len(q)) * units * float(np.max(np.abs(q / units), initial=0.0))
    return found


@lru_cache(maxsize=64)
def _signs(n: int) -> Array:
    out: Array = np.random.default_rng(0).choice((-0.3, 0.3), n)
    return out


def lacks_mass(M: Array, A: Array) -> bool:
    """Whether M is small, or nothing, along directions that rows hold, so that digits would be lost with it alone."""
    if not len(A):
        return False
    units = held_units(M, A)
    scaled = units[:, None] * M * units
    own = np.diag(scaled)
    values = np.sort(own) if np.count_nonzero(scaled) <= np.count_nonzero(own) else np.linalg.eigvalsh(scaled)
    return not bool(values[0] > CONDITIONED * values[-1])


class Dominance(NamedTuple):
    """Which coordinate stands out of each row before the third rule, `first` (m,), and by how many powers of two.

    `excess` (m,) is infinite where a row has but one entry, zero where it has none. `logs` (n,): the units by the first
    two rules; those of coordinates that are `loose` (n,) are arbitrary.
    """

    first: NDArray[np.int_]
    excess: Array
    logs: Array
    loose: NDArray[np.bool_]


def dominance(M: Array, A: Array) -> Dominance:
    """How uneven the rows A (m, n) are in units in which coordinates of M (n, n) have equal energy."""
    rows, logs, loose = _balanced(M, A)
    size = rows + logs
    first = np.argmax(size, axis=1)
    ordered = np.sort(np.hstack([np.full((len(A), 1), -np.inf), size]), axis=1)
    with np.errstate(invalid="ignore"):
        excess = np.nan_to_num(ordered[:, -1] - ordered[:, -2], nan=0.0, posinf=np.inf)
    excess[(np.isfinite(rows) & loose).any(axis=1)] = np.inf
    return Dominance(first, excess, logs, loose)


def natural_weights(M: Array, A: Array, force: NDArray[np.bool_]) -> Array:
    """Weights (m,) of the rows in `force`, zero of the others: one over the square of their length in natural units."""
    found = natural_units(M, A)
    units = np.exp2(found.logs)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        lengths = ((A * units) ** 2).sum(axis=1)
        weights = np.where(force, 1.0 / np.where(lengths > 0, lengths, 1.0), 0.0)
        if found.loose.any():  # their unit is arbitrary, and so is the size of M in it
            mass = units[:, None] * M * units
            for r in np.flatnonzero(force & ~((A != 0) & ~found.loose).any(axis=1)).tolist():
                weights[r] *= float(np.max(np.abs(mass[A[r] != 0]), initial=0.0)) or 1.0
    return weights


def made_definite(M: Array, A: Array, weights: Array) -> Array:
    """Weights (m,) of rows, all larger by a factor where M is negative along what these hold."""
    units = held_units(M, A)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        mass, held = units[:, None] * M * units, A * units * np.sqrt(weights)[:, None]
    if not (np.isfinite(held).all() and np.isfinite(mass).all()):
        return weights
    return weights * enough(mass, held)


def held_weights(M: Array, A: Array, force: NDArray[np.bool_]) -> Array:
    """Weights G (m,) of the rows in `force`, zero of the others, with which M + AᵀGA is positive definite.

    It is where M is positive along the directions that those rows leave free, and they add no more than that asks for,
    lest digits are lost: each is one over the square of its length in natural units, which is much beside M nowhere;
    where M is negative along what rows hold, all are larger by a factor. With V spanning the free directions and U
    their complement, that is when UᵀAᵀGAU exceeds −S, S = UᵀMU − UᵀMV (VᵀMV)⁻¹ VᵀMU.
    """
    return made_definite(M, A, natural_weights(M, A, force))


def enough(M: Array, B: Array) -> float:
    """A factor f, one where that is enough, with which M + f BᵀB is positive definite, M so where B v = 0."""
    if not len(B) or np.linalg.eigvalsh(M)[0] >= 0:
        return 1.0
    sigma, right = np.linalg.svd(B)[1:]
    k = int(np.count_nonzero(sigma > RANK * np.max(sigma, initial=0.0)))
    U, V = right[:k].T / sigma[:k], right[k:].T
    along = V.T @ M @ V
    if not k or (len(along) and not np.linalg.eigvalsh(along)[0] > 0):
        return 1.0  # it is refused elsewhere, in words
    across = U.T @ M @ V
    S = U.T @ M @ U - (across @ np.linalg.solve(along, across.T) if len(along) else 0.0)
    return 1.0 + 2.0 * max(0.0, -float(np.linalg.eigvalsh((S + S.T) / 2)[0]))


def balanced_units(M: Array, A: Array) -> Array:
    """Units (n,) in which M is balanced, whatever the rows hold: by the first two rules.

    Where M cannot be positive definite (some M_ij² > M_ii M_jj), the largest entry of a row stands for its diagonal.
    """
    root = np.sqrt(np.abs(np.diag(M)))
    with np.errstate(all="ignore"):
        definite = bool((np.abs(M) <= np.outer(root, root) * (1 + SYMMETRY)).all())
        if definite or not M.any(axis=1).all():
            found: Array = np.exp2(_balanced(M, A)[1])
            return found
        size = np.ones(len(M))
        for _ in range(EQUAL):  # until the largest entry of every row is one, nearly (Ruiz 2001)
            size = size * np.sqrt(np.max(np.abs(M) / np.outer(size, size), axis=1))
    return 1 / size


def _balanced(M: Array, A: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The logarithms of the rows' entries, and of the units by the first two rules, and which units are arbitrary."""
    with np.errstate(divide="ignore"):
        mass, rows = np.log2(np.abs(M)), np.log2(np.abs(A))
    own = np.diag(mass)
    known = np.isfinite(own)
    logs, loose = np.where(known, -own / 2, 0.0), np.zeros(len(own), dtype=bool)
    if not known.all():
        logs, loose = _shared(mass, rows, logs, known)
    return rows, logs, loose


def _shared(mass: Array, rows: Array, logs: Array, known: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
    """The logarithms of all units, and which are arbitrary; those not known come from the rows or entries of M that
    they share with known ones.
    """
    logs, known = logs.copy(), known.copy()
    loose = np.zeros_like(known)
    while not known.all():
        told = np.max((rows + logs)[:, known], axis=1, initial=-np.inf)  # (m,), −∞ where a row has no known unit
        shares = np.isfinite(rows) & np.isfinite(told)[:, None] & ~known
        if found := np.flatnonzero(shares.any(axis=0)).tolist():
            # The median: one entry that is rounding where zero is meant does not set a unit.
            values = [float(np.median(told[shares[:, i]] - rows[shares[:, i], i])) for i in found]
        elif found := np.flatnonzero(~known & np.isfinite(mass[:, known]).any(axis=1)).tolist():
            values = [-float(np.max((mass[i] + logs)[known])) for i in found]
        else:  # tied to nothing that is known: any unit will do, and those tied to it follow
            loose |= ~known
            found = [int(np.argmin(known))]
            values = [0.0]
        logs[found] = values
        known[found] = True
    return logs, loose


def _held(rows: Array, logs: Array) -> Array:
    """The units with those brought down that dominate a row, by no more than 1/TIED in all.

    What the others do in a row below TIED of its largest part may be rounding, and holds nothing.
    """
    least = logs + np.log2(TIED)
    logs = logs.copy()
    for _ in range(len(logs)):
        size = rows + logs
        first = np.argmax(size, axis=1)
        largest = np.take_along_axis(size, first[:, None], axis=1)[:, 0]
        np.put_along_axis(size, first[:, None], -np.inf, axis=1)
        second = np.max(size, axis=1)
        with np.errstate(invalid="ignore"):
            excess = largest - second  # NaN in a row of zeros, ∞ in a row with one entry
        lowered = np.flatnonzero((excess > STEP) & (excess <= -np.log2(TIED)))
        if not len(lowered):
            break
        wanted = logs.copy()
        for r in lowered.tolist():
            wanted[first[r]] = min(wanted[first[r]], logs[first[r]] - excess[r])
        wanted = np.maximum(wanted, least)
        if np.array_equal(wanted, logs):
            break
        logs = wanted
    return logs
