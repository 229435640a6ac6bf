"""What must not vanish along a motion: pivots and squares of rows, and one over these; pivots and entries of M."""

from collections.abc import Callable

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Watch


def pivots(watch: Watch) -> Array:
    """Of each row against its own diagonal."""
    return watch.pivots


def squares(watch: Watch) -> Array:
    """A M⁻¹ Aᵀ of each row."""
    return watch.squares


def poles(watch: Watch) -> Array:
    """What vanishes where a row grows without bound; infinite where it is not in force."""
    with np.errstate(all="ignore"):
        return np.where(np.isinf(watch.squares), np.inf, 1 / watch.squares)


def inertia(watch: Watch) -> Array:
    """The pivots of M."""
    return watch.inertia


def masses(watch: Watch) -> Array:
    """The diagonal of M, and what else must not vanish in it."""
    return watch.masses


WATCHED: dict[str, Callable[[Watch], Array]] = {
    "dependent": pivots,
    "row": squares,
    "massless": inertia,
    "mass": masses,
}
EVERY: dict[str, Callable[[Watch], Array]] = {**WATCHED, "pole": poles}  # all that may vanish where steps end

PIVOTS = ("dependent",)  # kinds that are measured against one
SIGNED = (inertia, masses)  # these may go through zero, and be negative beyond it
