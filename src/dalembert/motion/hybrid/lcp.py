"""Linear complementarity: z ≥ 0, w = M z + q ≥ 0, zᵀw = 0, by Lemke's method (Cottle, Pang and Stone 2009, 4.4)."""

import numpy as np

from dalembert.derive import Array

ROUNDING = 1e-12  # of the largest entry of a column: what is no pivot


def lemke(M: Array, q: Array) -> Array | None:
    """A solution z (k,), or None where the method finds none; one always exists for positive semidefinite M that is
    feasible, and it is the only w = M z + q then.

    Ties in the ratio test are broken by the order of rows of the inverse of the basis, so that it does not cycle.
    """
    k = len(q)
    if not k or (q >= 0).all():
        return np.zeros(k)
    # The tableau: w − M z − z₀ 1 = q; columns w (k), z (k), z₀, then the right side.
    T = np.hstack([np.eye(k), -M, -np.ones((k, 1)), q[:, None]]).astype(float)
    basis = list(range(k))
    row, entering = int(np.argmin(q)), 2 * k
    for _ in range(50 * (k + 2)):
        leaving = basis[row]
        T[row] /= T[row, entering]
        for i in range(k):
            if i != row and T[i, entering]:
                T[i] -= T[i, entering] * T[row]
        basis[row] = entering
        if leaving == 2 * k:
            break
        entering = leaving + k if leaving < k else leaving - k  # the complement of what has left
        column = T[:, entering]
        good = np.flatnonzero(column > ROUNDING * max(1e-300, float(np.abs(column).max())))
        if not len(good):
            return None
        ratios = T[good, -1] / column[good]
        least = ratios.min()
        if not np.isfinite(least):  # by pivots of rounding
            return None
        tied = good[ratios <= least + 1e-14 * (abs(least) + 1e-300)]
        artificial = [i for i in tied if basis[i] == 2 * k]
        row = int(artificial[0] if artificial else min(tied, key=lambda i: tuple(T[i, :k] / column[i])))
    else:
        return None
    z = np.zeros(2 * k + 1)
    z[basis] = T[:, -1]
    out: Array = np.maximum(z[k : 2 * k], 0.0)
    return out
