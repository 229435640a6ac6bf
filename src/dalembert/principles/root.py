"""The symmetric square root of a mass matrix, in which accelerations are scaled."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array


class Root(NamedTuple):
    """M^(1/2) and M^(−1/2), each (n, n), symmetric."""

    half: Array
    inverse: Array


def root_of(L: Array) -> Root:
    """M^(1/2) = U σ Uᵀ from L = U σ Vᵀ, M = L Lᵀ: the singular values of L reach as far as the roots of those of M."""
    U, size, _ = np.linalg.svd(L)
    return Root((U * size) @ U.T, (U / size) @ U.T)
