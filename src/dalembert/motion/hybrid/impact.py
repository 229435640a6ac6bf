"""Impacts: velocities that jump where contacts close, by impulses in the metric of M.

    v⁺ = v⁻ + M⁻¹ (AᵀΛ + Jᵀθ),   φ̇⁺ ≥ −e φ̇⁻,   Λ ≥ 0, and only one of the two differs from zero

for all contacts that touch and do not part, while two-sided constraints keep their velocity (Newton's law of
restitution; Moreau 1988; Pfeiffer and Glocker 1996). Where friction acts in the impact, |θ| ≤ μΛ, and θ leaves no
sliding velocity or opposes it. Impulses that part one contact may close another: they follow each other at the same
time until none closes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.hybrid.lcp import lemke
from dalembert.motion.hybrid.programs import Arrays
from dalembert.motion.tolerances import tolerance
from dalembert.principles import balanced_units

ROUNDS = 200  # impacts that follow each other at one time, at most; the rest are without restitution
SWEEPS = 20_000  # of the iteration for friction in impacts
FINE = 1e-15
RANK = 1e-10  # of rows of unit length


class Rubbing(NamedTuple):
    """Friction in an impact: μ times the normal force of a unit impulse, the sliding velocity (d,), its rows (d, n)."""

    mu: float
    speed: Array
    rows: Array


@dataclass(frozen=True, eq=False)
class Hit:
    """The velocities (n,) after, the energy the impulses gave, and the contacts that took part.

    `met`: whether two-sided constraints and contacts allow these velocities; they may contradict each other.
    """

    velocity: Array
    energy: float
    struck: tuple[int, ...]
    met: bool


def hit(
    now: Arrays,
    v: Array,
    touching: Sequence[int],
    hard: Sequence[int],
    restitution: Mapping[int, float],
    friction: Mapping[int, Rubbing],
    slack: Mapping[int, float],
) -> Hit:
    """The impact of contacts that touch, some of which close; `slack` is the rate of each that counts as none.

    `friction` has those in whose impact it acts.
    """
    inverse = mobility(now, hard)
    before, struck = v, set()
    rates = {j: float(now.rate[j]) for j in touching}
    for turn in range(ROUNDS):
        closing = [j for j in touching if rates[j] < -slack[j]]
        if not closing:
            break
        last = turn == ROUNDS - 1  # they would follow each other without end: all that touch come to rest together
        taking = [j for j in touching if last or rates[j] <= slack[j]]
        e = np.array([0.0 if last else restitution[j] for j in taking])
        given = np.array([rates[j] if j in closing or last else min(rates[j], 0.0) for j in taking])
        change, impulses = _solved(now, inverse, taking, given, e, v, before, friction)
        v = v + change
        rows = now.A[taking]
        jumps = impulses * np.sqrt(np.einsum("ij,jk,ik->i", rows, inverse, rows))  # what each does, in the metric of M
        struck |= {j for j, jump in zip(taking, jumps, strict=True) if jump > tolerance("TIE") * jumps.max()}
        moved = now.A[list(touching)] @ change
        rates = {j: rates[j] + float(x) for j, x in zip(touching, moved, strict=True)}
    met = all(rates[j] >= -slack[j] - 1e-9 * abs(float(now.rate[j])) for j in touching)
    energy = 0.5 * float((v - before) @ now.M @ (v + before))
    return Hit(v, energy, tuple(sorted(struck)), met)


def stopped(now: Arrays, v: Array, contacts: Sequence[int], hard: Sequence[int]) -> Hit:
    """All that follow each other without end: contacts are at rest together, by what impulses that takes."""
    change = _undone(now, now.rate, contacts, hard)
    return Hit(v + change, float(change @ now.M @ (2 * v + change)) / 2, tuple(contacts), True)


def put_together(now: Arrays, q: Array, contacts: Sequence[int], hard: Sequence[int]) -> Array:
    """The coordinates (n,) at which contacts all but closed are closed."""
    out: Array = q + _undone(now, now.level, contacts, hard)
    return out


def _undone(now: Arrays, left: Array, contacts: Sequence[int], hard: Sequence[int]) -> Array:
    """The least change (n,), in the metric of M, that undoes what is left of rows: by rows of unit length in it."""
    inverse, A = mobility(now, hard), now.A[list(contacts)]
    squares = np.einsum("ri,ij,rj->r", A, inverse, A)
    scale = 1.0 / np.sqrt(np.where(squares > 0, squares, 1.0))
    A, left = scale[:, None] * A, scale * left[list(contacts)]
    out: Array = -inverse @ A.T @ np.linalg.lstsq(A @ inverse @ A.T, left, rcond=RANK)[0]
    return out


def mobility(now: Arrays, hard: Sequence[int]) -> Array:
    """M⁻¹ on the motions that two-sided constraints leave free: V (VᵀMV)⁻¹ Vᵀ with V spanning null(A)."""
    M, A = now.M, now.A[list(hard)]
    diagonal = np.diag(M)
    if not len(A) and not np.count_nonzero(M - np.diag(diagonal)) and (diagonal > 0).all():
        return np.diag(1.0 / diagonal)
    units = balanced_units(M, A)
    scaled = units[:, None] * M * units
    if len(A):
        B = A * units
        lengths = np.linalg.norm(B, axis=1, keepdims=True)
        _, sigma, Vt = np.linalg.svd(B / np.where(lengths > 0, lengths, 1.0))
        V = Vt[int(np.count_nonzero(sigma > RANK * sigma.max(initial=0.0))) :].T
    else:
        V = np.eye(len(M))
    if not V.shape[1]:
        return np.zeros_like(M)
    inner = np.linalg.inv(V.T @ scaled @ V)
    out: Array = units[:, None] * (V @ inner @ V.T) * units
    return out


def _solved(
    now: Arrays,
    inverse: Array,
    taking: Sequence[int],
    given: Array,
    e: Array,
    v: Array,
    before: Array,
    friction: Mapping[int, Rubbing],
) -> tuple[Array, Array]:
    """The change of velocity and the normal impulses."""
    A = now.A[list(taking)]
    plain = normal_impulses(A @ inverse @ A.T, (1 + e) * given)
    rubbing = {place: friction[j] for place, j in enumerate(taking) if j in friction}
    if not rubbing:
        return inverse @ A.T @ plain, plain
    slides = {place: r.speed + r.rows @ (v - before) for place, r in rubbing.items()}
    normal, change = _sweeps(A, inverse, given, e, np.zeros(len(A)), rubbing, slides, fixed=False)
    gained = float(change @ now.M @ (2 * v + change)) / 2
    if gained > 1e-12 * float(before @ now.M @ before):
        # Newton's restitution would give energy: normal impulses as without friction, then friction that takes most.
        normal, change = _sweeps(A, inverse, given, e, plain, rubbing, slides, fixed=True)
    return change, normal


def normal_impulses(S: Array, right: Array) -> Array:
    """Λ ≥ 0 with SΛ + w ≥ 0 and Λᵀ(SΛ + w) = 0, in units that give S a diagonal of ones."""
    if len(S) == 1:
        return np.array([max(0.0, -right[0] / S[0, 0])]) if S[0, 0] > 0 else np.zeros(1)
    diagonal = np.diag(S)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    size = float(np.abs(scale * right).max()) or 1.0
    z = lemke(S * np.outer(scale, scale), scale * right / size)
    out: Array = np.zeros(len(S)) if z is None else scale * z * size
    return out


def _sweeps(
    A: Array,
    inverse: Array,
    given: Array,
    e: Array,
    normal: Array,
    rubbing: Mapping[int, Rubbing],
    slides: Mapping[int, Array],
    fixed: bool,
) -> tuple[Array, Array]:
    """Normal impulses and the change of velocity, by sweeps over the contacts, each solved with the others held.

    With the normal impulses `fixed`, the tangential ones leave the least kinetic energy.
    """
    normal, change = normal.copy(), inverse @ A.T @ normal
    tangents = {place: np.zeros(len(r.rows)) for place, r in rubbing.items()}
    own = np.einsum("ij,jk,ik->i", A, inverse, A)
    lengths = np.sqrt(np.maximum(own, 0.0))  # of a change by a unit impulse, in the metric of M
    scale = max(float((np.abs(given) / np.where(lengths > 0, lengths, np.inf)).max()), 1e-300)
    for _ in range(SWEEPS):
        moved = 0.0
        for place in range(len(A)):
            if not fixed:
                rate = given[place] + A[place] @ change
                new = max(0.0, normal[place] - (rate + e[place] * given[place]) / own[place])
                moved = max(moved, float(lengths[place] * abs(new - normal[place])))
                change = change + inverse @ A[place] * (new - normal[place])
                normal[place] = new
            if place in rubbing:
                mu, _, J = rubbing[place]
                W, s = J @ inverse @ J.T, slides[place] + J @ change
                wanted = _in_cone(tangents[place], W, s, mu * float(normal[place]))
                more = wanted - tangents[place]
                moved = max(moved, float(np.sqrt(max(more @ W @ more, 0.0))))
                tangents[place], change = wanted, change + inverse @ J.T @ more
        if moved <= FINE * scale:
            break
    return normal, change


def _in_cone(now: Array, W: Array, s: Array, bound: float) -> Array:
    """The impulse that stops sliding, or the largest one that opposes what is left of it."""
    wanted: Array = now - np.linalg.lstsq(W, s, rcond=1e-12)[0]
    if np.linalg.norm(wanted) <= bound:
        return wanted
    if len(wanted) > 1:  # a step towards it, and back into the cone
        wanted = now - s / np.linalg.eigvalsh(W)[-1]
    size = float(np.linalg.norm(wanted))
    return wanted * min(1.0, bound / size) if size > 0 else wanted
