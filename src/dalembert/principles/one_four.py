"""The explicit equation by any {1,4} generalized inverse; the pseudo-inverse is only one of them."""

from collections.abc import Callable

import numpy as np

from dalembert.principles.answers import answer
from dalembert.principles.errors import Array, InverseError
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import prepare
from dalembert.principles.tolerances import EPS, INVERSE


@in_words
def one_four(now: Instant, inverse: Callable[[Array], Array] | None = None) -> Answer:
    """The explicit equation with any G such that B G B = B (1) and (G B)ᵀ = G B (4); all give one answer.

    M q̈ = Q + Rᵀ G (b − A a) + Rᵀ (I − G B) R⁻ᵀ C, with M = RᵀR, B = A R⁻¹. Any square root R of M serves;
    here it is Cholesky's. `inverse` maps B (m, n), in balanced units, to G (n, m); by default
    `row_inverse`, which is not B⁺ where rows are redundant.
    Raises InverseError where G is not a {1,4} inverse; MassError, ContradictionError.
    Udwadia 2000, (23)-(28) and remark 7.
    """
    ready = prepare(now)
    R = ready.L.T
    B = solve_triangular(R, ready.A.T, trans="T").T  # A R⁻¹
    if inverse is None:
        G = row_inverse(B, ready.rank)
    else:
        G = np.asarray(inverse(B.copy()), dtype=float)
        check_one_four(B, G)

    def solve(load: Array, right: Array) -> tuple[Array, Array]:
        a_s = solve_triangular(R, load, trans="T")  # R a = R⁻ᵀ load
        force_s = G @ (right - B @ a_s)
        return solve_triangular(R, a_s + force_s), G.T @ force_s  # Bᵀ Gᵀ G e = (G B) G e = G e by 4, then 1

    return answer(ready, solve)


def row_inverse(B: Array, rank: int) -> Array:
    """G (n, m): the pseudo-inverse of `rank` independent rows of B, and zero columns for the other rows.

    Pivoted QR picks the rows: B_Iᵀ = Z R₁, G_I = Z R₁⁻ᵀ. Conditions 1 and 4 hold, and 2; 3 does not where
    rows are redundant, so G ≠ B⁺.
    """
    Z, R, order = qr(B.T, mode="economic", pivoting=True)
    G = np.zeros(B.T.shape)
    G[:, order[:rank]] = solve_triangular(R[:rank, :rank], Z[:, :rank].T).T
    return G


def check_one_four(B: Array, G: Array) -> None:
    """Raise InverseError, with every condition that fails, unless G (n, m) is a {1,4} inverse of B (m, n)."""
    if G.shape != B.T.shape:
        raise InverseError([f"shape {B.T.shape} expected, {G.shape} found"])
    if not np.isfinite(G).all():
        raise InverseError(["it has values that are not finite"])
    GB, size = G @ B, np.linalg.norm(B)
    accepted = INVERSE + 100 * EPS * size * np.linalg.norm(G)
    one = np.linalg.norm(B @ GB - B) / (size or 1.0)
    four = np.linalg.norm(GB - GB.T) / (np.linalg.norm(GB) or 1.0)
    misses = {"1, B G B = B,": one, "4, (G B)ᵀ = G B,": four}
    faults = [f"condition {name} is missed by {miss:.2g}" for name, miss in misses.items() if miss > accepted]
    if faults:
        raise InverseError(faults)
