"""The symmetric square root of a mass matrix, in which accelerations are scaled."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array


class Root(NamedTuple):
    """M^(1/2) and M^(−1/2), each (n, n), symmetric."""

    half: Array
    inverse: Array


def root(M: Array) -> Root:
    """M^(1/2) = U √Λ Uᵀ from M = U Λ Uᵀ, M (n, n) positive definite."""
    eigenvalues, U = np.linalg.eigh(M)
    size = np.sqrt(eigenvalues)
    return Root((U * size) @ U.T, (U / size) @ U.T)
