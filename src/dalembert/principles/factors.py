"""The factorisations of `scipy.linalg` the principles stand on.

SciPy loads that part of itself when it is first used, and loading takes longer than a small motion that never needs it.
"""

from typing import Any

import numpy as np
import scipy

Array = np.ndarray

SMALL = 48
"""Up to this size LAPACK needs no blocks."""


def cholesky(a: Array, lower: bool = False) -> Array:
    """The triangular R with a = RᵀR, or L with a = LLᵀ."""
    return scipy.linalg.cholesky(_finite(a), lower=lower, check_finite=False)


def cho_solve(factor: tuple[Array, bool], right: Array) -> Array:
    """x with a x = right, for the factor of a and whether it is the lower one."""
    return scipy.linalg.cho_solve(factor, _finite(right), check_finite=False)


def qr(a: Array, mode: str = "full", pivoting: bool = False) -> Any:
    """a = Q R, or a P = Q R with the order of the columns that makes the diagonal of R fall.

    Small matrices go to LAPACK straight: what SciPy does around it takes longer than the factorisation.
    """
    m, n = _finite(a).shape
    if not pivoting or min(m, n) == 0 or max(m, n) > SMALL:
        return scipy.linalg.qr(a, mode=mode, pivoting=pivoting, check_finite=False)
    packed, order, tau, _, _ = scipy.linalg.lapack.dgeqp3(a)
    order -= 1
    if mode == "r":
        return np.triu(packed), order
    k = m if mode == "full" else min(m, n)
    columns = np.zeros((m, k), order="F")
    columns[:, : min(k, n)] = packed[:, : min(k, n)]
    Q, _, _ = scipy.linalg.lapack.dorgqr(columns, tau, overwrite_a=True)
    return Q, np.triu(packed[:k]), order


def solve_triangular(a: Array, right: Array, trans: str = "N", lower: bool = False) -> Array:
    """x with a x = right, or aᵀ x = right where `trans` is "T"."""
    return scipy.linalg.solve_triangular(_finite(a), _finite(right), trans=trans, lower=lower, check_finite=False)


def block_diagonal(*blocks: Array) -> Array:
    """The blocks along the diagonal of a matrix that is zero elsewhere."""
    return scipy.linalg.block_diag(*blocks)


def _finite(a: Array) -> Array:
    """The array itself. Raises FloatingPointError where a product before it has left the range of floats unnoticed."""
    if not np.isfinite(a).all():
        raise FloatingPointError("a number is not finite")
    return a
