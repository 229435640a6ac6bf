"""Multipliers of least norm: Qᶜ = Aᵀλ, from rows and a force that are known."""

import numpy as np


def least_norm(rows, force) -> np.ndarray:
    """λ (m,) of least norm with Aᵀλ nearest to the force (n,), by the singular values of A in double precision.

    Rows are brought to one length for the decision on rank; the norm is that of λ as stated.
    """
    A, f = np.asarray(rows, float), np.asarray(force, float)
    size = np.sqrt((A * A).sum(axis=1))
    size[size == 0] = 1.0
    unit = A / size[:, None]
    _, s, vt = np.linalg.svd(unit, full_matrices=False)
    rank = int((s > 1e-11 * s[0]).sum())
    basis = vt[:rank]  # an orthonormal basis of the row space
    B = basis @ A.T  # f = Aᵀλ in that basis: B λ = basis f, B of full rank and fewest rows
    scaled = np.abs(B).max(axis=1, keepdims=True)
    return np.linalg.pinv(B / scaled, rcond=1e-14) @ ((basis @ f) / scaled[:, 0])
