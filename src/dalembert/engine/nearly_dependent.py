"""Rows that are independent to a few digits only: which these are, and what can be done about it, in words."""

from collections.abc import Sequence

import numpy as np

from dalembert.principles import Instant, held_units

TAKES_PART = 0.1  # of the largest share: a row with less of one has no part in it
SHOWN = 6  # rows that are named; the rest is counted


def nearly_dependent(now: Instant, rows: Sequence[int], names: Sequence[str]) -> str:
    """The rows that nearly make one another up, how nearly, and what to state instead; else that M does not do.

    S = A M⁻¹ Aᵀ has the square of the angle between them, of which too few digits are left.
    """
    with np.errstate(all="ignore"):
        A = _in_the_metric(now.M, now.A[list(rows)])
        A = A / np.linalg.norm(A, axis=1, keepdims=True)
    if not len(A) or not np.isfinite(A).all():
        return "the elimination on its independent rows breaks down here"
    U, sizes, _ = np.linalg.svd(A)
    shares = np.abs(U[:, -1])
    part = [repr(names[r]) for r, share in zip(rows, shares.tolist(), strict=True) if share > TAKES_PART * shares.max()]
    if len(part) < 2:
        return "the elimination on its independent rows breaks down here: M is nearly singular beside them"
    more = f" and {len(part) - SHOWN} more" if len(part) > SHOWN else ""
    digits = f"{float(sizes[len(A) - 1]):.1g}"
    return (
        f"the rows of {', '.join(part[:SHOWN])}{more} are independent to {digits} of their "
        "length only, too little for a run: leave one of them out where they mean the same, or state in its place "
        "what they differ by, divided by how small that is; where they are so near this place alone, begin farther off"
    )


def _in_the_metric(M: np.ndarray, A: np.ndarray) -> np.ndarray:
    """A M^(−1/2), rows whose angles are those that count; where M is singular, in natural units."""
    if (np.diag(M) > 0).all():
        units = 1 / np.sqrt(np.diag(M))
        try:
            return np.asarray(np.linalg.solve(np.linalg.cholesky(M * np.outer(units, units)), (A * units).T).T)
        except np.linalg.LinAlgError:
            pass
    return A * held_units(M, A)
