"""Which rows of an instant are uncertain, and how much each of them is trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from dalembert.principles.errors import Array, InstantError
from dalembert.principles.instant import Instant
from dalembert.principles.weights import weight_root

Kind = Literal["constraint", "force", "acceleration", "reaction"]
"""A row of A q̈ = b; of M q̈ − Qᶜ = Q, with Q measured; q̈_i, by an accelerometer; Qᶜ_i, by a load cell."""

KINDS: tuple[Kind, ...] = get_args(Kind)


class Row(NamedTuple):
    """An uncertain row: its kind, and the place of its constraint or coordinate, counted from 0."""

    kind: Kind
    place: int


@dataclass(frozen=True, eq=False, init=False)
class Trust:
    """The uncertain rows, u of them, and the weight of each; rows that are not among them are exact.

    `weights` is W = Σ⁻¹ over these rows, Σ the covariance of their errors: a vector of 1/σ² or a positive definite
    matrix; all ones where it is left out. It is kept as factor F (u, u) with W = FᵀF, and sigma (u,), the roots of the
    diagonal of Σ. Raises InstantError with every fault.
    """

    rows: tuple[Row, ...]
    factor: Array
    sigma: Array

    def __init__(self, rows: Iterable[tuple[Kind, int]], weights: ArrayLike | None = None) -> None:
        listed = tuple(Row(*row) for row in rows)
        faults = [f"rows: {row.kind!r} is none of {', '.join(KINDS)}" for row in listed if row.kind not in KINDS]
        faults += [f"rows: {row.kind} {row.place} is given twice" for row in _twice(listed)]
        factor = np.eye(len(listed))
        try:
            factor = weight_root(weights, 0, len(listed), 0)
        except InstantError as error:
            faults += error.faults
        if faults:
            raise InstantError(faults)
        sigma = np.linalg.norm(np.linalg.inv(factor), axis=1) if listed else np.zeros(0)  # Σ = F⁻¹F⁻ᵀ
        for name, array in (("factor", factor), ("sigma", sigma)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "rows", listed)

    def __len__(self) -> int:
        return len(self.rows)

    def places(self, kind: Kind) -> tuple[int, ...]:
        """The places of the constraints or coordinates that have an uncertain row of a kind."""
        return tuple(row.place for row in self.rows if row.kind == kind)

    def outside(self, now: Instant) -> list[str]:
        """What is wrong with the rows for an instant: places that it does not have."""
        faults = []
        for kind, place in self.rows:
            count = now.m if kind == "constraint" else now.n
            if not 0 <= place < count:
                faults.append(f"rows: {kind} {place} is not there, places go from 0 to {count - 1}")
        return faults

    def names(self, now: Instant) -> tuple[str, ...]:
        """What the rows are called: a constraint by its name, else force_x, x_ddot, reaction_x."""
        pattern = {"force": "force_{}", "acceleration": "{}_ddot", "reaction": "reaction_{}"}
        return tuple(
            now.constraints[i] if kind == "constraint" else pattern[kind].format(now.coordinates[i])
            for kind, i in self.rows
        )


def _twice(rows: Sequence[Row]) -> list[Row]:
    return [row for place, row in enumerate(rows) if row in rows[:place]]
