"""Weights of rows, as people give them, as a factor F with W = FᵀF."""

import numpy as np
from numpy.typing import ArrayLike

from dalembert.principles.errors import Array, InstantError
from dalembert.principles.factors import block_diagonal
from dalembert.principles.tolerances import DEFINITE, WEIGHTS


def weight_root(weights: ArrayLike | None, n: int, m: int, free: int) -> Array:
    """F with W = FᵀF over all n + m + free rows, from weights in any accepted form.

    Raises InstantError with every fault.
    """
    size = n + m + free
    if weights is None:
        return np.eye(size)
    try:
        W = np.array(weights, dtype=float)
    except (TypeError, ValueError) as error:
        raise InstantError([f"weights: not an array of real numbers ({error})"]) from None
    faults = []
    if W.ndim not in (1, 2) or any(length not in (m, size) for length in W.shape) or len({*W.shape}) > 1:
        forms = f"({m},) or ({m}, {m}) for the constraint rows, ({size},) or ({size}, {size}) for all rows"
        faults.append(f"weights: shape {W.shape} found; {forms if m < size else f'({m},) or ({m}, {m}) expected'}")
    if not np.isfinite(W).all():
        faults.append("weights: some are not finite")
    elif W.ndim == 1 and (W <= 0).any():
        i = int(np.argmin(W))
        faults.append(f"weights: weights[{i}] = {W[i]:.6g} is not positive; leave a row out to distrust it")
    elif W.ndim == 2 and W.shape[0] == W.shape[1] and W.size:
        faults += _not_definite(W)
    if faults:
        raise InstantError(faults)
    F = np.diag(np.sqrt(W)) if W.ndim == 1 else _matrix_root(W)
    return F if F.shape[0] == size else block_diagonal(np.eye(n), F, np.eye(free))


def _not_definite(W: Array) -> list[str]:
    """What is wrong with a square W, seen with its diagonal brought to one: units of rows decide nothing."""
    i = int(np.argmin(np.diag(W)))
    if W[i, i] <= 0:
        return [f"weights: the matrix is not positive definite, weights[{i}][{i}] = {W[i, i]:.6g}"]
    size = np.sqrt(np.diag(W))
    shape = W / size / size[:, None]
    if np.max(np.abs(shape - shape.T)) > WEIGHTS:
        return ["weights: the matrix is not symmetric"]
    if (least := float(np.linalg.eigvalsh(shape)[0])) <= W.shape[0] * DEFINITE:
        return [f"weights: the matrix is not positive definite, least eigenvalue {least:.6g} with a diagonal of ones"]
    return []


def _matrix_root(W: Array) -> Array:
    """The upper triangular F with W = FᵀF, W (u, u) positive definite."""
    size = np.sqrt(np.diag(W))
    shape = W / size / size[:, None]
    return np.asarray(np.linalg.cholesky((shape + shape.T) / 2).T * size, dtype=float)
