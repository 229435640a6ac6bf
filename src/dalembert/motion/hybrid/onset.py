"""Frictions at rest that begin to slip together: which way, and how fast.

With f_k the force of each against the way it slips, |f_k| ≤ b_k, the sliding velocities grow as ṡ = c − Y f, and ṡ_k
points along f_k with |f_k| = b_k, or is zero. These are the conditions of the least ½ fᵀYf − cᵀf, so that ṡ is unique
whatever rows the frictions share; f is not where they share some, and is taken as in `sharing`.
"""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.hybrid.sharing import Holding, shares

SWEEPS = 400  # of Gauss-Seidel where Newton's method does not do by itself
NEWTON = 30
FINE = 1e-13  # of the largest rate: none
LEFT = 1e-10  # of the largest rate: what may be left of the conditions
RANK = 1e-11  # of Y with a diagonal of ones


class Slipping(NamedTuple):
    """Directions f_k/b_k (K, d), |ṡ_k| along each (K,), and whether the conditions were met."""

    ways: Array
    rates: Array
    met: bool


def together(Y: Array, c: Array, bounds: Array) -> Slipping:
    """How K frictions begin to slip: Y (K d, K d) symmetric, c (K d,), bounds (K,)."""
    d = len(c) // len(bounds)
    size = np.repeat(bounds, d)
    G, size_c = Y * size, float(np.abs(c).max(initial=0.0))
    free = (np.diag(Y) * size)[None, :]
    scale = max(size_c, float(free.max(initial=0.0))) or 1.0
    G, c = G / scale, c / scale
    first = _least(Y, G, c, bounds, d)
    if np.linalg.norm(first, axis=1).max() <= 1 and np.abs(c - G @ first.ravel()).max() <= FINE:
        return Slipping(first, np.zeros(len(first)), True)  # they hold, all of them
    lengths = np.linalg.norm(first, axis=1, keepdims=True)
    first = np.where(lengths > 1, first / np.where(lengths > 0, lengths, 1.0), first)
    best = _newton(G, c, first, d)
    if not best.met:
        best = _newton(G, c, _swept(G, c, first, d), d)
    ways, rates = best.ways, best.rates
    resting = [k for k in range(len(ways)) if rates[k] <= FINE]
    if resting:
        ways = _shared(Y, ways, bounds, resting)
    return Slipping(ways, rates * scale, best.met)


def _shared(Y: Array, ways: Array, bounds: Array, mine: list[int]) -> Array:
    """The directions where those of frictions that do not move yet are shared so that they slip together."""
    d = ways.shape[1]
    columns = [k * d + i for k in mine for i in range(d)]
    null = _null(Y[np.ix_(columns, columns)], d)
    if not null.shape[1]:
        return ways
    fixed = np.zeros(null.shape[1])
    holding = [
        Holding(bounds[k] * ways[k], null[i * d : (i + 1) * d], float(bounds[k]), fixed)
        for i, k in enumerate(mine)
        if np.abs(null[i * d : (i + 1) * d]).max() > 0
    ]
    p, _ = shares(holding)
    out = ways.copy()
    for i, k in enumerate(mine):
        out[k] = ways[k] + null[i * d : (i + 1) * d] @ p / bounds[k]
    return out


def _null(Y: Array, d: int) -> Array:
    """A basis of what Y does not see (m, i)."""
    scale, values, vectors = _modes(Y, d)
    out: Array = scale[:, None] * vectors[:, values <= RANK * max(values[-1], 1e-300)]
    return out


def moving(Y: Array, d: int = 2) -> tuple[Array, Array]:
    """A basis (K d, m) of what can move of K frictions, and the scales (K d,) in which it is one of unit length."""
    scale, values, vectors = _modes(Y, d)
    return vectors[:, values > RANK * max(values[-1], 1e-300)], scale


def _modes(Y: Array, d: int) -> tuple[Array, Array, Array]:
    """Scales that make the largest entry of each block one, and the eigenvalues and -vectors of Y in them."""
    scale = scales_of(Y, d)
    values, vectors = np.linalg.eigh(Y * np.outer(scale, scale))
    return scale, values, vectors


def scales_of(Y: Array, d: int = 2) -> Array:
    """Scales (K d,) in which the largest diagonal entry of each friction is one: in its plane all ways count alike."""
    sizes = np.diag(Y).reshape(-1, d).max(axis=1)
    out: Array = np.repeat(1.0 / np.sqrt(np.where(sizes > 0, sizes, 1.0)), d)
    return out


def _least(Y: Array, G: Array, c: Array, bounds: Array, d: int) -> Array:
    """Directions (K, d) to begin with: those of the forces that would hold, shared as well as they can be."""
    e = np.linalg.lstsq(G, c, rcond=RANK)[0].reshape(-1, d)
    return _shared(Y, e, bounds, list(range(len(e))))


def _swept(G: Array, c: Array, e: Array, d: int) -> Array:
    """Directions by sweeps over the frictions, each solved with the others held."""
    e, own = e.copy(), [np.linalg.eigh(_block(G, k, d)) for k in range(len(e))]
    for _ in range(SWEEPS):
        before = e.copy()
        for k in range(len(e)):
            mine = slice(k * d, (k + 1) * d)
            left = c[mine] - G[mine] @ e.ravel() + _block(G, k, d) @ e[k]
            e[k] = _in_disc(*own[k], left)
        if np.abs(e - before).max() < 1e-14:
            break
    return e


def _block(G: Array, k: int, d: int) -> Array:
    """The block of a friction, which is symmetric."""
    mine = G[k * d : (k + 1) * d, k * d : (k + 1) * d]
    out: Array = (mine + mine.T) / 2
    return out


def _in_disc(values: Array, vectors: Array, c: Array) -> Array:
    """e with (r + G) e = c, r ≥ 0 and |e| = 1, or r = 0 and |e| ≤ 1; G by its eigenvalues and -vectors."""
    along = vectors.T @ c
    values = np.maximum(values, 0.0)
    seen = values > RANK * max(float(values.max(initial=0.0)), 1e-300)

    def size(r: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(along != 0, along / (values + r), 0.0)
        return float(np.sqrt((parts**2).sum()))

    if np.abs(along[~seen]).max(initial=0.0) <= FINE:
        e = np.where(seen, along / np.where(seen, values, 1.0), 0.0)
        if np.linalg.norm(e) <= 1:
            out: Array = vectors @ e
            return out
    low, high = 0.0, float(np.linalg.norm(along))
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if size(middle) > 1 else (low, middle)
    wide: Array = vectors @ (along / (values + high))
    return _unit(wide)


def _unit(x: Array) -> Array:
    out: Array = x / np.linalg.norm(x)
    return out


def _newton(G: Array, c: Array, e: Array, d: int) -> Slipping:
    """Newton's method on c − G e = r e, |e| = 1 for those that slip, r = 0 for the others."""
    K = len(e)
    slips = np.linalg.norm(e, axis=1) >= 1 - 1e-9
    rates = np.where(slips, ((c - G @ e.ravel()).reshape(K, d) * e).sum(axis=1), 0.0)
    n = K * d
    for _ in range(NEWTON):
        J = np.zeros((n + K, n + K))
        J[:n, :n] = G + np.diag(np.repeat(rates, d))
        for k in range(K):
            mine = slice(k * d, (k + 1) * d)
            if slips[k]:
                J[mine, n + k], J[n + k, mine] = e[k], 2 * e[k]
            else:
                J[n + k, n + k] = 1.0
        lengths = np.where(slips, 1 - (e**2).sum(axis=1), -rates)
        left = np.concatenate([c - G @ e.ravel() - np.repeat(rates, d) * e.ravel(), lengths])
        if not np.isfinite(left).all():
            return Slipping(np.zeros((K, d)), np.zeros(K), False)
        step = np.linalg.lstsq(J, left, rcond=1e-14)[0]
        e, rates = e + step[:n].reshape(K, d), rates + step[n:]
        if np.abs(step).max() < 1e-15:
            break
    left = c - G @ e.ravel() - np.repeat(rates, d) * e.ravel()
    met = np.abs(left).max(initial=0.0) <= LEFT and (rates >= -LEFT).all()
    met = met and bool((np.linalg.norm(e, axis=1) <= 1 + LEFT).all())
    return Slipping(e, np.maximum(rates, 0.0), bool(met))
