"""The constraint rows in natural units, where their rank is decided, and in the metric of M⁻¹, where it is used."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.tolerances import RANK
from dalembert.principles.units import Powers, Units


class NaturalRows(NamedTuple):
    """The rows of length one in natural units, and their rank, which is that of A alone: M has no say in it.

    Shapes: A (m, n), A_ij = 2^logs_j/size_i of the stated A_ij; size_i = length_i 2^−powers_i, both (m,), the length of
    a stated row; left (m, k) and off (m, m − k) orthonormal bases of range(A) and null(Aᵀ), sigma (k,), right (n, k)
    and free (n, n − k): A = left sigma rightᵀ, A free = 0, [right free] orthogonal. Rows of zeros have size one.
    """

    A: Array
    length: Array
    powers: Powers
    rank: int
    left: Array
    off: Array
    sigma: Array
    right: Array
    free: Array

    def of_length_one(self, b: Array, power: int = 0) -> Array:
        """The right sides (m,) that belong to these rows, from those of the stated ones, by 2^power."""
        return np.ldexp(b / self.length, self.powers - power)


class Rows(NamedTuple):
    """The rows in the metric of M⁻¹, with the rank that every principle shares.

    Shapes: A (m, n) the rows divided by their length in the metric of M⁻¹ and `powers` (m,) of two, what they were
    multiplied by; span (m, k) and left (m, m − k) orthonormal bases of range(A) and null(Aᵀ);
    virtual (n, n − k) a basis of null(A) and held (n, k) one of its complement, together orthonormal in the metric
    of M; sigma (k,) the singular values of A M^(−1/2) that count: A held = span sigma.
    """

    A: Array
    powers: Powers
    rank: int
    span: Array
    left: Array
    virtual: Array
    held: Array
    sigma: Array

    @property
    def scale(self) -> Array:
        """What the rows were multiplied by, (m,)."""
        return np.ldexp(1.0, self.powers)


def natural_rows(A: Array, units: Units) -> NaturalRows:
    """Rows A (m, n) in natural units, each of length one, and how many of them are independent."""
    with np.errstate(divide="ignore"):
        size = np.log2(np.abs(A)) + units.powers
    powers = _nearest(np.max(size, axis=1, initial=-np.inf))
    with np.errstate(under="ignore"):
        balanced = np.ldexp(A, units.powers + powers[:, None]) / units.nearest
    length = np.linalg.norm(balanced, axis=1)
    length[length == 0] = 1.0
    balanced /= length[:, None]
    left, sigma, right = np.linalg.svd(balanced)
    k = rank_of(sigma)
    return NaturalRows(balanced, length, powers, k, left[:, :k], left[:, k:], sigma[:k], right[:k].T, right[k:].T)


def rank_of(sigma: Array) -> int:
    """How many singular values count."""
    return int(np.count_nonzero(sigma > RANK * np.max(sigma, initial=0.0)))


def decide_rows(A: Array, units: Units, natural: NaturalRows, L: Array) -> Rows:
    """The stated rows A (m, n) in the metric of M⁻¹, in units of powers of two: B = A L⁻ᵀ with M = L Lᵀ (n, n)."""
    # np.linalg.solve, not solve_triangular: this is called at every step of the plain engine, and SciPy's threads cost
    # a hundred times the work of a small system on a machine that is busy.
    with np.errstate(under="ignore"):
        balanced = np.ldexp(A, units.powers + natural.powers[:, None])
    B = np.linalg.solve(L, balanced.T).T
    with np.errstate(divide="ignore"):
        powers = _nearest(np.log2(np.linalg.norm(B, axis=1)))
    B = np.ldexp(B, powers[:, None])
    U, sigma, Vt = np.linalg.svd(B)
    k = natural.rank
    basis = np.linalg.solve(L.T, Vt.T)
    balanced = np.ldexp(balanced, powers[:, None])
    return Rows(balanced, natural.powers + powers, k, U[:, :k], U[:, k:], basis[:, k:], basis[:, :k], sigma[:k])


def _nearest(logs: Array) -> Powers:
    """The powers of two nearest to the inverse of what has these logarithms; none where it is zero."""
    return -np.round(np.where(np.isfinite(logs), logs, 0.0)).astype(np.int32)
