"""Frictions that stick together and hold the same: how they share what they hold, where the rows leave that open.

Two wheels on one axle hold it sideways, and no equation says which of them does. They stick as long as some way to
share it keeps each within its bound. The one that is found brings them nearest to slipping together: the largest of
|f_k|/b_k is as small as it can be (Lawson 1961: a least-squares problem whose weights grow where the quotient is
large), so that all that matter reach their bounds at once, and only where no way is left.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array

ROUNDS = 80  # of weights
NEWTON = 12
ZEROS, CLOSE = 40, 1e-14  # how a time is found
IDLE = 1e-6  # of the largest weight: a friction that does not matter


class Holding(NamedTuple):
    """What a friction holds: f = own + by p for the shares p that are open, each (d,) and (d, i); |f| ≤ `bound`."""

    own: Array
    by: Array
    bound: float


def shares(holding: list[Holding]) -> Array:
    """The shares (i,) by which the largest |f|/bound is least."""
    bounds = np.array([h.bound for h in holding])
    least = 1e-12 * bounds.max(initial=0.0)
    if not least > 0:
        return np.zeros(holding[0].by.shape[1])
    bounds = np.maximum(bounds, least)
    own = [h.own / b for h, b in zip(holding, bounds, strict=True)]
    by = [h.by / b for h, b in zip(holding, bounds, strict=True)]
    weights = np.full(len(own), 1 / len(own))
    p = best = np.zeros(by[0].shape[1])
    lowest = np.inf
    for _ in range(ROUNDS):
        roots = np.sqrt(weights)
        p = np.linalg.lstsq(
            np.vstack([w * B for w, B in zip(roots, by, strict=True)]),
            -np.concatenate([w * f for w, f in zip(roots, own, strict=True)]),
            rcond=1e-12,
        )[0]
        sizes = _sizes(own, by, p)
        if sizes.max() < lowest:
            lowest, best = float(sizes.max()), p
        if not sizes.max() > 0 or sizes.max() ** 2 - float(weights @ sizes**2) <= 1e-15 * sizes.max() ** 2:
            break
        weights = weights * sizes**2
        weights /= weights.sum()
    polished = _polished(own, by, p, weights)
    return polished if _sizes(own, by, polished).max() <= lowest else best


def nearest(holding: list[Holding], p: Array) -> float:
    """The largest |f|/bound."""
    return max(float(np.linalg.norm(h.own + h.by @ p)) / max(h.bound, 1e-300) for h in holding)


def first_zero(what: Callable[[float], tuple[float, Array]], at_zero: float, span: float) -> tuple[float, Array]:
    """Where within a span something that is below zero becomes zero, and what else it says there; its end if nowhere.

    By secants that are halved on the side that stays (Illinois).
    """
    low, below, kept = 0.0, at_zero, None
    high = span
    above, other = what(high)
    if not above > 0:
        return high, other
    weight_below, weight_above = below, above
    for _ in range(ZEROS):
        middle = low + (high - low) * weight_below / (weight_below - weight_above)
        value, p = what(middle)
        if value <= 0:
            low, weight_below, kept = middle, value, p
            weight_above /= 2
        else:
            high, weight_above, other = middle, value, p
            weight_below /= 2
        if abs(value) <= CLOSE or high - low <= CLOSE * span:
            return middle, p
    return (high, other) if kept is None else (low, kept)


def _sizes(own: list[Array], by: list[Array], p: Array) -> Array:
    return np.array([float(np.linalg.norm(f + B @ p)) for f, B in zip(own, by, strict=True)])


def _polished(own: list[Array], by: list[Array], p: Array, weights: Array) -> Array:
    """Newton's method on Σ θ Bᵀf = 0, |f|² = τ for those that matter, Σ θ = 1."""
    mine = [k for k in range(len(own)) if weights[k] > IDLE * weights.max()]
    n, theta = len(p), weights[mine] / weights[mine].sum()
    tau = float((_sizes(own, by, p)[mine] ** 2).mean())
    for _ in range(NEWTON):
        f = [own[k] + by[k] @ p for k in mine]
        slopes = np.array([by[k].T @ g for k, g in zip(mine, f, strict=True)])  # (k, n)
        top = sum(w * by[k].T @ by[k] for k, w in zip(mine, theta, strict=True))
        J = np.zeros((n + len(mine) + 1, n + len(mine) + 1))
        J[:n, :n], J[:n, n:-1] = top, slopes.T
        J[n:-1, :n], J[n:-1, -1] = 2 * slopes, -1.0
        J[-1, n:-1] = 1.0
        left = np.concatenate([theta @ slopes, [g @ g - tau for g in f], [theta.sum() - 1]])
        step = np.linalg.lstsq(J, -left, rcond=1e-13)[0]
        p, theta, tau = p + step[:n], theta + step[n:-1], tau + float(step[-1])
        if not np.isfinite(p).all() or np.abs(step[:n]).max(initial=0.0) <= 1e-15 * np.abs(p).max(initial=1e-300):
            break
    return p if np.isfinite(p).all() else np.zeros(n)
