"""Impacts: velocities that jump where contacts close, by impulses in the metric of M.

    v⁺ = v⁻ + M⁻¹ (AᵀΛ + Jᵀθ),   φ̇⁺ ≥ −e φ̇⁻,   Λ ≥ 0, and only one of the two differs from zero

for all contacts that touch and do not part, while two-sided constraints keep their velocity. Where friction acts in the
impact, |θ| ≤ μΛ, and θ leaves no sliding velocity or opposes it. Impulses that part one contact may close another: they
follow each other at the same time until none closes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

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
    rubbing = [(place, *friction[j]) for place, j in enumerate(taking) if j in friction]
    if not rubbing:
        return inverse @ A.T @ plain, plain
    impulses, tangents = _with_friction(A, inverse, before, e, v, rubbing)
    change = inverse @ (A.T @ impulses + sum(lay.J.T @ x for (_, _, lay), x in zip(rubbing, tangents, strict=True)))
    M = scene.now.M
    lost = (change @ M @ (2 * v + change)) / 2
    scale = v @ M @ v
    if lost <= 1e-12 * scale or not scale:
        return change, impulses
    # Newton's restitution would give energy here: normal impulses as without friction, then the friction that takes most.
    impulses = plain
    tangents = _damping(A, inverse, impulses, v, rubbing)
    return inverse @ (
        A.T @ impulses + sum(lay.J.T @ x for (_, _, lay), x in zip(rubbing, tangents, strict=True))
    ), impulses


def _normal(A: Array, inverse: Array, right: Array) -> Array:
    """Λ ≥ 0 with SΛ + w ≥ 0 and Λᵀ(SΛ + w) = 0, as the nearest point of a cone: S = KᵀK, w = −Kᵀy."""
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


def _with_friction(A, inverse, before, e, v, rubbing):  # type: ignore[no-untyped-def]
    """Normal and tangential impulses by sweeps over the contacts, each solved with the others held."""
    normal = np.zeros(len(A))
    tangents = [np.zeros(len(lay.J)) for _, _, lay in rubbing]
    change = np.zeros(len(v))
    of = {place: i for i, (place, _, _) in enumerate(rubbing)}
    own = np.einsum("ij,jk,ik->i", A, inverse, A)
    for _ in range(SWEEPS):
        moved = 0.0
        for place in range(len(A)):
            rate = before[place] + A[place] @ change
            new = max(0.0, normal[place] - (rate + e[place] * before[place]) / own[place])
            step = inverse @ A[place] * (new - normal[place])
            normal[place], change = new, change + step
            moved = max(moved, float(np.abs(step).max()))
            if place in of:
                _, mu, lay = rubbing[of[place]]
                W = lay.J @ inverse @ lay.J.T
                s = lay.s + lay.J @ change
                wanted = tangents[of[place]] - np.linalg.lstsq(W, s, rcond=1e-12)[0]
                wanted = _in_cone(wanted, W, s, tangents[of[place]], mu * normal[place])
                step = inverse @ lay.J.T @ (wanted - tangents[of[place]])
                tangents[of[place]], change = wanted, change + step
                moved = max(moved, float(np.abs(step).max()))
        if moved <= FINE * max(float(np.abs(v).max()), 1e-300):
            break
    return normal, tangents


def _in_cone(wanted: Array, W: Array, s: Array, now: Array, bound: float) -> Array:
    """The impulse that stops sliding, or the largest one that opposes what is left of it."""
    if np.linalg.norm(wanted) <= bound:
        return wanted
    if len(wanted) == 1:
        return np.sign(wanted) * bound
    pace = 1.0 / np.linalg.eigvalsh(W)[-1]
    step = now - pace * s
    size = np.linalg.norm(step)
    out: Array = step * min(1.0, bound / size) if size > 0 else step
    return out


def _damping(A, inverse, impulses, v, rubbing):  # type: ignore[no-untyped-def]
    """Tangential impulses within their cones, for given normal ones, that leave the least kinetic energy."""
    tangents = [np.zeros(len(lay.J)) for _, _, lay in rubbing]
    change = inverse @ A.T @ impulses
    for _ in range(SWEEPS):
        moved = 0.0
        for i, (place, mu, lay) in enumerate(rubbing):
            W = lay.J @ inverse @ lay.J.T
            s = lay.s + lay.J @ change
            wanted = _in_cone(
                tangents[i] - np.linalg.lstsq(W, s, rcond=1e-12)[0], W, s, tangents[i], mu * impulses[place]
            )
            step = inverse @ lay.J.T @ (wanted - tangents[i])
            tangents[i], change = wanted, change + step
            moved = max(moved, float(np.abs(step).max()))
        if moved <= FINE * max(float(np.abs(v).max()), 1e-300):
            break
    return tangents
