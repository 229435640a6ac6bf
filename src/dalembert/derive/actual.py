"""Friction that follows the actual normal force, at an instant: force and multiplier are found together."""

from collections.abc import Collection, Mapping
from itertools import product

import numpy as np

from dalembert.model import StateError
from dalembert.principles import Instant
from dalembert.principles.ready import Ready, prepare
from dalembert.principles.tolerances import RANK

Array = np.ndarray

NOTHING = 1e-12
"""A normal force below this part of the forces at work, in the metric of M⁻¹, is none."""

SAME = 1e-9
"""Two sets of signs that lead to forces which differ by this part of those at work lead to the same."""


def following_actual(now: Instant, C: Array, units: Mapping[int, Array], one_sided: Collection[int]) -> Array:
    """The friction (n,) D|λ̂| with Qᶜ = C + D|λ̂| + Aᵀλ̂; `units` is each column of D, by its row of A.

    For a set of signs s of λ̂, with D s in the columns of those rows,
        A M⁻¹ (Aᵀ + D s) λ̂ = b − A M⁻¹ (Q + C),
    in the units in which the principles decide; M may be one that only the constraints make regular. A set counts where
    the λ̂ it leads to have its signs. Rows that are `one_sided` only push.
    Raises StateError where no set counts, or sets that count lead to different forces (Painlevé); MassError,
    ContradictionError.
    """
    ready = prepare(Instant(now.M, now.Q, now.A, now.b, C, now.coordinates, now.constraints, now.sizes))
    rows = list(units)
    D = np.zeros((now.n, now.m))
    for row, column in units.items():  # a unit of the balanced multiplier is 2^powers of the stated one
        D[:, row] = np.ldexp(column, ready.decided.powers + ready.rows.powers[row])
    found: list[Array] = []
    for signs in product((1.0, -1.0), repeat=len(rows)):
        if any(s < 0 and row in one_sided for s, row in zip(signs, rows, strict=True)):
            continue
        signed = D.copy()
        signed[:, rows] *= signs
        force = _consistent(ready, signed, rows, signs)
        if force is not None:
            found.append(force)
    size = _size(ready)
    apart = [float(np.linalg.norm(np.linalg.solve(ready.L, other - found[0]))) for other in found[1:]]
    if not found or any(gap > SAME * size for gap in apart):
        many = "more than one normal force is" if found else "no normal force is"
        raise StateError("the state", [f"with its friction {many} possible here (Painlevé)"])
    friction: Array = np.ldexp(found[0], ready.power - ready.decided.powers)
    return friction


def exerted(now: Instant, D: Array) -> Array:
    """The force (n,) D λ̂ with Qᶜ = C + D λ̂ + Aᵀλ̂, for D (n, m) with its signs: A M⁻¹ (Aᵀ + D) λ̂ = b − A M⁻¹ (Q + C).

    Raises StateError where there is none; MassError, ContradictionError.
    """
    ready = prepare(now)
    force = _consistent(ready, np.ldexp(D, ready.decided.powers[:, None] + ready.rows.powers), [], ())
    if force is None:
        raise StateError("the state", ["no reaction is possible here that a force follows"])
    found: Array = np.ldexp(force, ready.power - ready.decided.powers)
    return found


def _consistent(ready: Ready, signed: Array, rows: list[int], signs: tuple[float, ...]) -> Array | None:
    """The friction (n,), in balanced units, that signs of λ̂ lead to; None where they lead to other signs."""
    rows_, L = ready.rows, ready.L

    def accelerated(forces: Array) -> Array:
        return np.asarray(np.linalg.solve(L.T, np.linalg.solve(L, forces)), dtype=float)

    # k independent combinations of the rows, which leave out what redundant ones repeat
    held = rows_.span.T @ ready.A
    matrix = held @ accelerated(ready.A.T + signed)
    load = ready.decided.loaded(ready.Q + ready.C, ready.b)
    right = rows_.span.T @ ready.b - held @ accelerated(load)
    left, sigma, across = np.linalg.svd(matrix, full_matrices=False)
    keep = sigma > RANK * np.max(sigma, initial=0.0)
    lam = across[keep].T @ ((left[:, keep].T @ right) / sigma[keep])
    size = _size(ready)
    if np.linalg.norm(matrix @ lam - right) > SAME * size:  # where friction makes it singular there is none
        return None
    if any(s * lam[row] < -NOTHING * size for s, row in zip(signs, rows, strict=True)):
        return None
    return np.asarray(signed @ lam, dtype=float)


def _size(ready: Ready) -> float:
    """The forces at work, in the metric of M⁻¹: loads, and what the right sides of the rows ask for."""
    loads = sum(float(np.linalg.norm(np.linalg.solve(ready.L, load))) for load in (ready.Q, ready.C))
    return loads + float(np.linalg.norm(ready.b))
