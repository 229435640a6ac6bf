"""The multipliers of least norm where redundant rows leave them open."""

import numpy as np

from dalembert.principles.dependence import heavy_first
from dalembert.principles.errors import Array
from dalembert.principles.factors import solve_triangular
from dalembert.principles.rows import NaturalRows

PASSES = 3
"""One to solve and two to correct: each part of λ is then right to its own size, however light its row is."""


def least_norm(natural: NaturalRows, multipliers: Array) -> Array:
    """The λ (m,) of least Euclidean norm, from any λ (m,) that exerts the same force; both of the stated rows.

    An independent set I of rows, heavy ones (as they are stated) first, makes the others: A_O = F A_I. The force of λ
    is A_Iᵀh with h = λ_I + Fᵀλ_O. The shortest λ lies in the range of A, (λ_I, λ_O) = (g, F g), so (1 + FᵀF) g = h:
    the normal equations of G = (1; F), solved by QR and corrected by their own residual (Björck 1987). F has entries of
    moderate size, because no row is made of lighter ones.
    """
    if natural.rank == len(multipliers):
        return multipliers
    made = heavy_first(natural)
    I, O = made.chosen, made.others  # noqa: E741
    length = natural.length[O] / natural.length[I][:, None]
    with np.errstate(under="ignore"):
        F = np.ldexp(made.factors * length, natural.powers[I][:, None] - natural.powers[O]).T
    h = multipliers[I] + F.T @ multipliers[O]
    _, R = np.linalg.qr(np.vstack([np.eye(natural.rank), F]))
    g: Array = np.zeros(natural.rank)
    for _ in range(PASSES):
        g = g + solve_triangular(R, solve_triangular(R, h - (g + F.T @ (F @ g)), trans="T"))
    lam: Array = np.zeros(len(multipliers))
    lam[I], lam[O] = g, F @ g
    return lam
