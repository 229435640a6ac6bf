"""What the geometry of an instant stands on: B = A M^(−1/2), its pseudo-inverse, and M^(−1/2), in stated units."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.explicit import pseudo_inverse
from dalembert.principles.instant import Instant
from dalembert.principles.ready import Ready, prepare
from dalembert.principles.root import root


class Frame(NamedTuple):
    """M (n, n), `inverse` = M^(−1/2), B (m, n), its rows times `scale` (m,), `pseudo` = B⁺ (n, m); what is ready."""

    ready: Ready
    M: Array
    inverse: Array
    scale: Array
    B: Array
    pseudo: Array


def frame(now: Instant) -> Frame:
    """The frame of an instant. Raises MassError, ContradictionError."""
    ready = prepare(now)
    M = ready.M / np.outer(ready.units, ready.units)
    inverse = root(M).inverse
    scale = ready.rows.scale
    B = scale[:, None] * (now.A @ inverse)
    return Frame(ready, M, inverse, scale, B, pseudo_inverse(B, ready.rank))
