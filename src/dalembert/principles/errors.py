"""What is raised when arrays cannot be decided: the rows and coordinates at fault are named."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class InstantError(ValueError):
    """Arrays that do not make an instant; `.faults` lists everything found wrong with them."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return self.faults[0]
        return "\n".join([f"{len(self.faults)} faults", *(f"  - {fault}" for fault in self.faults)])


class InverseError(ValueError):
    """A matrix offered as a {1,4} inverse that is not one; `.faults` says which conditions fail."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "not a {1,4} inverse of B: " + "; ".join(self.faults)


class MassError(ValueError):
    """The constraints leave free a direction v in which M is not positive.

    `.direction` is v, shape (n,), in the stated coordinates, its largest entry ±1; `.inertia` is vᵀ M v, zero where it
    is rounding; `.coordinates` names those that take part in v. Where `.regular` is false, some direction has no
    inertia and the motion is not unique; where it is true, M is regular on the free directions but not positive: the
    motion is unique, and no principle of least constraint holds for it.
    """

    def __init__(
        self, direction: Array, inertia: float, coordinates: Sequence[str], reason: str = "", regular: bool = False
    ) -> None:
        self.direction = direction
        self.inertia = inertia
        self.coordinates = tuple(coordinates)
        self.reason = reason
        self.regular = regular
        super().__init__(direction, inertia, self.coordinates, reason, regular)

    def __str__(self) -> str:
        return self.reason


class ContradictionError(ValueError):
    """Constraint rows that no acceleration can satisfy together.

    `.rows` are their indices, `.names` their names, `.coefficients` w and `.gap` such that
    Σ w_i A_i = 0 while Σ w_i b_i = gap ≠ 0.
    """

    def __init__(self, rows: Iterable[int], names: Sequence[str], coefficients: Iterable[float], gap: float) -> None:
        self.rows = tuple(rows)
        self.names = tuple(names[i] for i in self.rows)
        self.coefficients = tuple(coefficients)
        self.gap = gap
        super().__init__(self.rows, tuple(names), self.coefficients, gap)

    def __str__(self) -> str:
        quoted = [f"“{name}”" for name in self.names]
        if len(quoted) == 1:
            said = f"constraint row {quoted[0]} cannot hold: all its coefficients are zero and it"
        else:
            said = f"constraint rows {', '.join(quoted[:-1])} and {quoted[-1]} contradict each other: "
            said += combination(self.coefficients, quoted)
        return (
            f"{said} asks 0 = {self.gap:.6g}. Correct or remove one; "
            "if they were measured, da.reconcile(system, state, weights) reconciles them; "
            "principles.least_squares(now, weights) does so for bare arrays."
        )


def combination(coefficients: Iterable[float], names: Iterable[str]) -> str:
    """The linear combination in words: `combination([1, -0.5], ["x", "y"])` is "x − 0.5 y"."""
    text = ""
    for coefficient, name in zip(coefficients, names, strict=True):
        size = f"{abs(coefficient):.4g}"
        term = name if size == "1" else f"{size} {name}"
        sign = "−" if coefficient < 0 else "+"
        text += f" {sign} {term}" if text else (term if sign == "+" else f"−{term}")
    return text or "0"
