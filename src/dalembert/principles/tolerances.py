"""Every tolerance of the principles: what it decides, and what it is relative to.

Nothing here has a unit. Each number is a fraction of the natural size of the very quantity it judges, so that a factor
on a row, or another unit of mass, time or of a coordinate, changes no decision. "Natural units" are those of
`units.py`; rows "of length one" are measured in them.
"""

from collections.abc import Mapping
from typing import Self

import numpy as np

EPS = float(np.finfo(float).eps)


class Tolerance(float):
    """A number without unit that knows what it decides: whether a quantity is below this part of something natural."""

    decides: str
    quantity: str
    relative_to: str

    def __new__(cls, value: float, decides: str, quantity: str, relative_to: str) -> Self:
        """A float with three phrases."""
        made = super().__new__(cls, value)
        made.decides = decides
        made.quantity = quantity
        made.relative_to = relative_to
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[float, str, str, str]]:
        return type(self), (float(self), self.decides, self.quantity, self.relative_to)


SYMMETRY = Tolerance(1e-9, "M is symmetric", "M_ij − M_ji", "the largest of abs(M_ij), abs(M_ji) and √abs(M_ii M_jj)")
RANK = Tolerance(
    1e-11, "rows depend on each other", "a singular value of the rows of length one", "the largest singular value"
)
TIED = Tolerance(
    1e-11, "a row holds nothing but one coordinate", "the parts of the others in the row", "the part of that coordinate"
)
CONSISTENT = Tolerance(
    1e-8, "dependent rows agree", "what their right sides are apart", "the right sides, of rows of length one"
)
ROUNDING = Tolerance(
    1e-13,
    "dependent rows agree, where right sides are small",
    "what their right sides are apart",
    "the accelerations at work",
)
NAMED = Tolerance(
    1e-6, "a row takes no part in a contradiction", "its part in it, for rows of length one", "the largest part"
)
COEFFICIENT = Tolerance(
    1e-8, "a dependent row does not depend on another", "the coefficient between them, for rows of length one", "one"
)
EARLIER = Tolerance(
    1e-6, "of two choices the earlier is taken", "what two rows, directions or inertias differ by", "their size"
)
POSITIVE = Tolerance(
    1e-13,
    "M is not positive along v",
    "the sum vᵀMv, v in natural units",
    "the sizes of its terms, abs(v)ᵀ abs(M) abs(v), and the masses",
)
CONDITIONED = Tolerance(
    1e-4, "an equivalent mass matrix is computed with", "an eigenvalue of M in natural units", "the largest eigenvalue"
)
CORRECTION = Tolerance(
    1e-4,
    "a correction of an answer is rounding, and made",
    "the correction, in the metric of M",
    "the accelerations at work",
)
INVERSE = Tolerance(1e-9, "a matrix is a {1,4} inverse of B", "B G B − B, and G B − (G B)ᵀ", "B, and G B")
SHOWN = Tolerance(
    1e-3, "a direction does not name a coordinate", "its component in natural units", "the largest component"
)
SAFETY = Tolerance(
    100 * EPS, "a check of a certificate passes", "what is left of the law", "what acts, times (n + m)(cond M + cond B)"
)
LOOSEST = Tolerance(1e-5, "the same, however large the conditions are", "what is left of the law", "what acts")
ON_CONSTRAINTS = Tolerance(
    1e-9, "a state is on a constraint", "the value or the rate of the constraint", "the sizes of its terms"
)
PUSHES = Tolerance(
    1e-12,
    "a contact bears nothing",
    "what it pulls, or its gap closes, in the metric of M",
    "the accelerations at work",
)
WEIGHTS = Tolerance(1e-9, "a matrix of weights is symmetric", "W_ij − W_ji", "√(W_ii W_jj)")
DEFINITE = Tolerance(
    EPS, "a matrix of weights is not positive definite", "its least eigenvalue, with a diagonal of ones", "its order u"
)
DIRECTION = Tolerance(
    2e-12, "a fault in an uncertain row cannot show", "what shows of it, in standard units", "the whole fault"
)
SPREAD = Tolerance(
    2e-14,
    "the same, beside rows that are trusted more",
    "what shows of it, in standard units",
    "what rounding of them moves",
)
ALIKE = Tolerance(
    1e-6, "two uncertain rows cannot be told apart", "sin² of the angle between what their faults show", "one"
)


def table() -> Mapping[str, Tolerance]:
    """All of them by name, in the order in which they are read."""
    return {name: value for name, value in globals().items() if isinstance(value, Tolerance)}
