"""What the geometry of an instant stands on: B = A M^(−1/2), its pseudo-inverse, and M^(−1/2), in stated units."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.explicit import pseudo_inverse
from dalembert.principles.instant import Instant
from dalembert.principles.ready import Ready, prepare
from dalembert.principles.root import root_of


class Frame(NamedTuple):
    """M (n, n), `inverse` = M^(−1/2), Q (n,), B (m, n), its rows times `scale` (m,), and `pseudo` = B⁺ (n, m).

    M and Q are those stated, or where M is not positive definite the equivalent M + γT and Q + γA⁺b.
    """

    ready: Ready
    M: Array
    inverse: Array
    Q: Array
    scale: Array
    B: Array
    pseudo: Array


def frame(now: Instant) -> Frame:
    """The frame of an instant. Raises MassError, ContradictionError."""
    ready = prepare(now, stated=True)
    powers, decided = ready.decided.powers, ready.decided
    inverse = root_of(np.ldexp(ready.L, -powers[:, None])).inverse
    M = np.ldexp(ready.M, -powers - powers[:, None])
    Q = np.ldexp(decided.loaded(ready.Q, ready.b), ready.power - powers)
    scale = ready.rows.scale
    B = scale[:, None] * (now.A @ inverse)
    return Frame(ready, M, inverse, Q, scale, B, pseudo_inverse(B, ready.rank))
