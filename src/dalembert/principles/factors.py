"""The factorisations of `scipy.linalg` the principles stand on.

SciPy loads that part of itself when it is first used, and loading takes longer than a small motion that never needs it.
"""

from typing import Any

import numpy as np
import scipy

Array = np.ndarray


def cholesky(a: Array, lower: bool = False) -> Array:
    """The triangular R with a = RᵀR, or L with a = LLᵀ."""
    return scipy.linalg.cholesky(a, lower=lower)


def cho_solve(factor: tuple[Array, bool], right: Array) -> Array:
    """x with a x = right, for the factor of a and whether it is the lower one."""
    return scipy.linalg.cho_solve(factor, right)


def qr(a: Array, mode: str = "full", pivoting: bool = False) -> Any:
    """a = Q R, or a P = Q R with the order of the columns that makes the diagonal of R fall."""
    return scipy.linalg.qr(a, mode=mode, pivoting=pivoting)


def solve_triangular(a: Array, right: Array, trans: str = "N", lower: bool = False) -> Array:
    """x with a x = right, or aᵀ x = right where `trans` is "T"."""
    return scipy.linalg.solve_triangular(a, right, trans=trans, lower=lower)


def block_diagonal(*blocks: Array) -> Array:
    """The blocks along the diagonal of a matrix that is zero elsewhere."""
    return scipy.linalg.block_diag(*blocks)
