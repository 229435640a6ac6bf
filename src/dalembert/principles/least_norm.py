"""The multipliers of least norm where redundant rows leave them open."""

import numpy as np

from dalembert.principles.dependence import combinations, heavy_first
from dalembert.principles.errors import Array
from dalembert.principles.rows import NaturalRows
from dalembert.principles.units import Powers, natural_units

PASSES = 3
"""One to solve and two to correct: each part of λ is then right to its own size, however light its row is."""


def least_norm(natural: NaturalRows, multipliers: Array) -> Array:
    """The λ (m,) of least Euclidean norm, from any λ (m,) that exerts the same force; both of the stated rows."""
    if natural.rank == len(multipliers):
        return multipliers
    sizes = natural.length[None], natural.powers[None]
    return _shortest(natural.A[None], *sizes, natural.rank, multipliers[None, None])[0, 0]


def least_norm_along(M: Array, A: Array, rank: int, *multipliers: Array) -> tuple[Array, ...]:
    """The same at s instants with M (s, n, n), stated rows A (s, m, n) of known rank and multipliers (s, m) of each."""
    if not len(A) or rank == A.shape[1]:
        return multipliers
    powers = np.array([natural_units(*each).powers for each in zip(M, A, strict=True)])[:, None, :]
    with np.errstate(divide="ignore"):
        largest = np.max(np.log2(np.abs(A)) + powers, axis=2)
    shift = -np.round(np.where(np.isfinite(largest), largest, 0.0)).astype(np.int32)
    with np.errstate(under="ignore"):
        unit = np.ldexp(A, powers + shift[:, :, None])
    length = np.linalg.norm(unit, axis=2)
    length[length == 0] = 1.0
    found = _shortest(unit / length[:, :, None], length, shift, rank, np.stack(multipliers, axis=1))
    return tuple(found.transpose(1, 0, 2))


def off_range(natural: NaturalRows, multipliers: Array) -> float:
    """How far λ (m,) is from the range of the stated rows, where the shortest λ with its force lies.

    Each dependent row, A_d = Σ c_j A_j, gives a y = e_d − Σ c_j e_j with Aᵀy = 0. The largest |yᵀλ|, as a part of
    Σ |y_i| |λ_i|, which no factor on a row changes; or of |Aᵀy|, for rows of length one, which must vanish.
    """
    power = np.frexp(multipliers)[1] + natural.powers
    largest = int(np.max(power[multipliers != 0])) if multipliers.any() else 0
    with np.errstate(under="ignore"):
        share = np.ldexp(multipliers / natural.length, natural.powers - largest)  # λ_i over the size of its row
    made = heavy_first(natural)
    worst = 0.0
    for d, factors in zip(made.others.tolist(), made.factors.T, strict=True):
        terms = np.append(factors * share[made.chosen], -share[d])
        size = float(np.sum(np.abs(terms)))
        held = float(np.linalg.norm(factors @ natural.A[made.chosen] - natural.A[d]))
        worst = max(worst, held, abs(float(np.sum(terms))) / size if size else 0.0)
    return worst


def _shortest(unit: Array, length: Array, powers: Powers, rank: int, multipliers: Array) -> Array:
    """The λ (s, p, m) of least norm that exert the forces of others; rows `unit` (s, m, n) of length one, stated ones
    length 2^−powers (s, m) times as long, in units of coordinates in which `unit` are well conditioned.

    An independent set I of rows, heavy ones (as they are stated) first, makes the others: A_O = F A_I. The force of λ
    is A_Iᵀh with h = λ_I + Fᵀλ_O. The shortest λ lies in the range of A, (λ_I, λ_O) = (g, F g), so (1 + FᵀF) g = h:
    the normal equations of G = (1; F), solved by QR and corrected by their own residual (Björck 1987). F has entries of
    moderate size, because no row is made of lighter ones.
    """
    made = combinations(unit, np.log2(length) - powers, rank)
    heavy, light = (np.take_along_axis(length, at, 1) for at in made[:2])
    more, fewer = (np.take_along_axis(powers, at, 1) for at in made[:2])
    with np.errstate(under="ignore"):
        ratio = made.factors.transpose(0, 2, 1) * (light[:, :, None] / heavy[:, None, :])
        F: Array = np.ldexp(ratio, more[:, None, :] - fewer[:, :, None])
    one = np.broadcast_to(np.eye(rank), (len(F), rank, rank))
    R: Array = np.linalg.qr(np.concatenate([one, F], axis=1)).R
    chosen, others = (np.repeat(at[:, None, :], multipliers.shape[1], axis=1) for at in made[:2])
    h = np.take_along_axis(multipliers, chosen, 2) + np.take_along_axis(multipliers, others, 2) @ F
    g: Array = np.zeros_like(h)
    for _ in range(PASSES):
        left = h - (g + (g @ F.transpose(0, 2, 1)) @ F)
        below = np.linalg.solve(R.transpose(0, 2, 1), left.transpose(0, 2, 1))
        g = g + np.linalg.solve(R, below).transpose(0, 2, 1)
    out = np.zeros_like(multipliers)
    np.put_along_axis(out, chosen, g, 2)
    np.put_along_axis(out, others, g @ F.transpose(0, 2, 1), 2)
    return out
