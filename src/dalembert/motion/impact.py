"""Impacts: velocities that jump where contacts close, by impulses in the metric of M.

    v⁺ = v⁻ + M⁻¹ (AᵀΛ + Jᵀθ),   φ̇⁺ ≥ −e φ̇⁻,   Λ ≥ 0, and only one of the two differs from zero

for all contacts that touch and do not part, while two-sided constraints keep their velocity. Where friction acts in the
impact, |θ| ≤ μΛ, and θ leaves no sliding velocity or opposes it. Impulses that part one contact may close another: they
follow each other at the same time until none closes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.laws import Lay, Scene

ROUNDS = 200  # impacts that follow each other at one time, at most; the rest are without restitution
SWEEPS = 20_000  # of the iteration for friction in impacts
FINE = 1e-15


@dataclass(frozen=True, eq=False)
class Hit:
    """The velocities (n,) after, the energy the impulses gave, and the contacts that took part."""

    velocity: Array
    energy: float
    struck: tuple[int, ...]


def hit(
    scene: Scene,
    touching: list[int],
    hard: list[int],
    restitution: dict[int, float],
    friction: dict[int, tuple[float, Lay]],
    slack: Callable[[int], float],
) -> Hit:
    """The impact of contacts that touch, some of which close; `slack` is the rate of a contact that counts as none.

    `friction` has μ and the lay of those in whose impact it acts.
    """
    now = scene.now
    inverse = _free_inverse(scene, hard)
    v, struck = now.v.copy(), set()
    rates = {j: float(now.rate[j]) for j in touching}
    for turn in range(ROUNDS):
        closing = [j for j in touching if rates[j] < -slack(j)]
        if not closing:
            break
        taking = [j for j in touching if rates[j] <= slack(j)]
        e = np.array([restitution[j] if turn < ROUNDS - 1 else 0.0 for j in taking])
        before = np.array([rates[j] if j in closing else min(rates[j], 0.0) for j in taking])
        moved = {j: (mu, lay._replace(s=lay.s + lay.J @ (v - now.v))) for j, (mu, lay) in friction.items()}
        change, impulses = _solved(scene, inverse, taking, before, e, v, moved)
        v = v + change
        struck |= {j for j, Lam in zip(taking, impulses, strict=True) if Lam > 0}
        rates = {j: rates[j] + float(now.A[j] @ change) for j in touching}
    energy = 0.5 * float((v - now.v) @ now.M @ (v + now.v))
    return Hit(v, energy, tuple(sorted(struck)))


def _free_inverse(scene: Scene, hard: list[int]) -> Array:
    """M⁻¹ on the motions that two-sided constraints leave free."""
    inverse = scene.mobility
    if not hard:
        return inverse
    A = scene.now.A[hard]
    out: Array = inverse - inverse @ A.T @ np.linalg.pinv(A @ inverse @ A.T, rcond=1e-10, hermitian=True) @ A @ inverse
    return out


class Rubbing(NamedTuple):
    """Friction in an impact: the place of its contact, μ times the normal force of a unit impulse, and how it lies."""

    place: int
    mu: float
    lay: Lay


def _solved(
    scene: Scene,
    inverse: Array,
    taking: list[int],
    before: Array,
    e: Array,
    v: Array,
    friction: dict[int, tuple[float, Lay]],
) -> tuple[Array, Array]:
    """The change of velocity and the normal impulses."""
    A = scene.now.A[taking]
    plain = _normal(A, inverse, (1 + e) * before)
    rubbing = [Rubbing(place, *friction[j]) for place, j in enumerate(taking) if j in friction]
    if not rubbing:
        return inverse @ A.T @ plain, plain
    normal, change = _sweeps(A, inverse, before, e, np.zeros(len(A)), rubbing, fixed=False)
    M = scene.now.M
    gained = float(change @ M @ (2 * v + change)) / 2
    if gained > 1e-12 * float(v @ M @ v):
        # Newton's restitution would give energy: normal impulses as without friction, then friction that takes most.
        normal, change = _sweeps(A, inverse, before, e, plain, rubbing, fixed=True)
    return change, normal


def _normal(A: Array, inverse: Array, right: Array) -> Array:
    """Λ ≥ 0 with SΛ + w ≥ 0 and Λᵀ(SΛ + w) = 0, as the nearest point of a cone: S = KᵀK, w = −Kᵀy."""
    from scipy.optimize import nnls  # slow to import, and only needed where something hits

    values, vectors = np.linalg.eigh(inverse)
    K = (vectors * np.sqrt(np.maximum(values, 0.0))).T @ A.T
    size = np.linalg.norm(K, axis=0)
    size = np.where(size > 0, size, 1.0)
    y = -np.linalg.pinv((K / size).T, rcond=1e-10) @ (right / size)
    x, _ = nnls(K / size, y)
    found = x > 0
    if found.any():  # once more on those that push, to full precision
        part = (K / size)[:, found]
        better = np.linalg.lstsq(part.T @ part, -(right / size)[found], rcond=1e-10)[0]
        if (better >= 0).all():
            x[found] = better
    out: Array = x / size
    return out


def _sweeps(
    A: Array, inverse: Array, before: Array, e: Array, normal: Array, rubbing: list[Rubbing], fixed: bool
) -> tuple[Array, Array]:
    """Normal impulses and the change of velocity, by sweeps over the contacts, each solved with the others held.

    With the normal impulses `fixed`, the tangential ones leave the least kinetic energy.
    """
    normal, change = normal.copy(), inverse @ A.T @ normal
    tangents = {r.place: np.zeros(len(r.lay.J)) for r in rubbing}
    of = {r.place: r for r in rubbing}
    own = np.einsum("ij,jk,ik->i", A, inverse, A)
    scale = max(float(np.abs(before).max()), 1e-300) / float(np.abs(A).max())
    for _ in range(SWEEPS):
        moved = 0.0
        for place in range(len(A)):
            if not fixed:
                rate = before[place] + A[place] @ change
                new = max(0.0, normal[place] - (rate + e[place] * before[place]) / own[place])
                step = inverse @ A[place] * (new - normal[place])
                normal[place], change = new, change + step
                moved = max(moved, float(np.abs(step).max()))
            if place in of:
                _, mu, lay = of[place]
                W, s = lay.J @ inverse @ lay.J.T, lay.s + lay.J @ change
                wanted = _in_cone(tangents[place], W, s, mu * float(normal[place]))
                step = inverse @ lay.J.T @ (wanted - tangents[place])
                tangents[place], change = wanted, change + step
                moved = max(moved, float(np.abs(step).max()))
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
