"""Frictions that stick together and hold the same: how they share what they hold, where the rows leave that open.

Two wheels on one axle hold it sideways, and no equation says which of them does. They stick as long as some way to
share it keeps each within its bound. The one that is found brings them nearest to slipping together: they all hold
|f_k| ≤ b_k + (τ − 1) B_k for the least τ, so that all that matter reach their bounds at once, and only where no way is
left. Those that do not matter are as far from theirs as they can be, by the logarithms of a barrier (Nesterov and
Nemirovskii 1994).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from dalembert.derive import Array

NARROW, GAP, ROUNDS = 16.0, 1e-10, 20  # of the barrier: by what it narrows, how far, and with how many steps each time
NEAR, NEWTON = 0.25, 12
LITTLE, FINE = 1e-3, 1e-12  # of the largest bound: the least B, where shares change bounds and where they do not
ZEROS, CLOSE = 40, 1e-14  # how a time is found
IDLE = 1e-6  # of the largest weight: a friction that does not matter


class Holding(NamedTuple):
    """What a friction holds: f = own + by p for the shares p that are open, each (d,) and (d, i); |f| ≤ b.

    With b = bound + gains p, gains (i,): what a friction holds may press another, or itself.
    """

    own: Array
    by: Array
    bound: float
    gains: Array


class _Cones(NamedTuple):
    """All of them over their B, in two directions each: |own + by x| ≤ τ + above + gains x, shapes as (k, 2, i)."""

    own: Array
    by: Array
    above: Array
    gains: Array

    def tightness(self, x: Array) -> float:
        """The least τ that some shares allow."""
        sizes = np.linalg.norm(self.own + self.by @ x, axis=1)
        return float((sizes - self.above - self.gains @ x).max())


def shares(holding: list[Holding]) -> tuple[Array, float]:
    """The shares (i,) for the least τ, and τ: they can hold where it is at most one."""
    count, open_shares = len(holding), holding[0].by.shape[1]
    bounds, gains = np.array([h.bound for h in holding]), np.array([h.gains for h in holding])
    own, by = np.zeros((count, 2)), np.zeros((count, 2, open_shares))
    for k, h in enumerate(holding):
        own[k, : len(h.own)], by[k, : len(h.own)] = h.own, h.by
    first = np.linalg.lstsq(by.reshape(-1, open_shares), -own.ravel(), rcond=FINE)[0]
    whole = bounds + gains @ first
    largest = float(whole.max())
    if not largest > 0:
        return np.zeros(open_shares), np.inf if own.any() else 0.0
    if gains.any():
        sizes = np.maximum(whole, LITTLE * largest)
    else:
        bounds = sizes = np.maximum(bounds, FINE * largest)
    rows = np.concatenate([by / sizes[:, None, None], (gains / sizes[:, None])[:, None]], axis=1)
    U, s, V = np.linalg.svd(rows.reshape(-1, open_shares), full_matrices=False)
    known = s > FINE * s[0]
    U = U[:, known].reshape(count, 3, -1)  # p = V s⁻¹ x: in x all directions are alike
    cones = _Cones(own / sizes[:, None], U[:, :2], bounds / sizes - 1, U[:, 2])
    x, weights = _centred(cones)
    polished = _polished(cones, x, weights)
    x = min(polished, x, key=cones.tightness)
    return V[known].T @ (x / s[known]), cones.tightness(x)


def _centred(cones: _Cones) -> tuple[Array, Array]:
    """The shares (i,) about which frictions (k,) are nearest to slipping together, and how much each matters.

    Newton's method on s τ − Σ log(e² − |f|²) over the shares and τ, for ever larger s, with e = τ + above + gains x.
    With u = f/|f| its curvature is JᵀJ, the rows of J being the slopes of e ∓ |f| over e ∓ |f|, and those of f across u
    times √2 over √(e² − |f|²). Where shares can raise all bounds it ends as soon as there is ample room.
    """
    own, by, above, gains = cones
    count, n = len(own), by.shape[2]
    x = np.linalg.lstsq(by.reshape(2 * count, n), -own.ravel(), rcond=FINE)[0]
    loads, tight = float(np.linalg.norm(own + by @ x, axis=1).max()), cones.tightness(x)
    if not loads > 0:
        return x, np.ones(count)
    tau = tight + max(abs(tight), loads)
    s = count / (tau - tight)
    h = np.repeat([1.0, 1.0, 0.0], count)
    J = np.zeros((3, count, n + 1))
    while True:
        for _ in range(ROUNDS):
            f, e = own + by @ x, tau + above + gains @ x
            a = np.linalg.norm(f, axis=1)
            u = np.where(a[:, None] > 0, f / np.where(a > 0, a, 1.0)[:, None], [1.0, 0.0])
            along = np.einsum("kd,kdi->ki", u, by)
            across = u[:, :1] * by[:, 1] - u[:, 1:] * by[:, 0]
            J[0, :, :-1], J[0, :, -1] = (gains - along) / (e - a)[:, None], 1 / (e - a)
            J[1, :, :-1], J[1, :, -1] = (gains + along) / (e + a)[:, None], 1 / (e + a)
            J[2, :, :-1] = across * np.sqrt(2 / ((e - a) * (e + a)))[:, None]
            Q, R = np.linalg.qr(J.reshape(3 * count, -1))
            way = Q.T @ h
            way[-1] -= s / R[-1, -1]
            step, size = solve_triangular(R, way), float(np.linalg.norm(way))
            step /= 1 + size if size > NEAR else 1.0  # so no bound is passed
            x, tau = x + step[:-1], tau + float(step[-1])
            if size <= NEAR:
                break
        if 2 * count <= GAP * s * max(tau, 1.0) or tau <= 0:
            break
        s *= NARROW
    e, a = tau + above + gains @ x, np.linalg.norm(own + by @ x, axis=1)
    weights: Array = 1 / ((e - a) * (e + a))
    return x, weights / weights.sum()


def _polished(cones: _Cones, x: Array, weights: Array) -> Array:
    """Newton's method on Σ θ (Bᵀf − e gains) = 0, |f|² = e² for those that matter, Σ θ = 1."""
    own, by, above, gains = cones
    mine = np.flatnonzero(weights > IDLE * weights.max())
    own, by, above, gains = own[mine], by[mine], above[mine], gains[mine]
    n, k, theta, tau, begin = len(x), len(mine), weights[mine] / weights[mine].sum(), cones.tightness(x), x
    for _ in range(NEWTON):
        f, e = own + by @ x, tau + above + gains @ x
        slopes = np.einsum("kdi,kd->ki", by, f) - e[:, None] * gains
        J = np.zeros((n + k + 1, n + k + 1))
        J[:n, :n] = np.einsum("k,kdi,kdj->ij", theta, by, by) - np.einsum("k,ki,kj->ij", theta, gains, gains)
        J[:n, n:-1], J[:n, -1] = slopes.T, -theta @ gains
        J[n:-1, :n], J[n:-1, -1] = 2 * slopes, -2 * e
        J[-1, n:-1] = 1.0
        left = np.concatenate([theta @ slopes, (f**2).sum(axis=1) - e**2, [theta.sum() - 1]])
        step = np.linalg.lstsq(J, -left, rcond=1e-13)[0]
        x, theta, tau = x + step[:n], theta + step[n:-1], tau + float(step[-1])
        if not np.isfinite(x).all():
            return begin
        if np.abs(step[:n]).max(initial=0.0) <= 1e-15 * np.abs(x).max(initial=1e-300):
            break
    return x


def first_zero(what: Callable[[float], tuple[Array, float]], at_zero: float, span: float) -> tuple[float, Array]:
    """Where within a span something that is below zero becomes zero, and what else it says there; its end if nowhere.

    By secants that are halved on the side that stays (Illinois).
    """
    low, below, kept = 0.0, at_zero, None
    high = span
    other, above = what(high)
    if not above > 0:
        return high, other
    weight_below, weight_above = below, above
    for _ in range(ZEROS):
        middle = low + (high - low) * weight_below / (weight_below - weight_above)
        p, value = what(middle)
        if value <= 0:
            low, weight_below, kept = middle, value, p
            weight_above /= 2
        else:
            high, weight_above, other = middle, value, p
            weight_below /= 2
        if abs(value) <= CLOSE or high - low <= CLOSE * span:
            return middle, p
    return (high, other) if kept is None else (low, kept)
