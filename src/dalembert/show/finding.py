"""What a check of a statement at its start found: the state, its residuals, the certificate, the power."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from dalembert.derive import Residuals, allowance
from dalembert.principles import Certificate, ContradictionError, Reconciled
from dalembert.show.notation import columns, wrapped


@dataclass(frozen=True, eq=False)
class Finding:
    """A checked start; `certificate` is None where rows contradict, and then `reconciled` says what least squares makes
    of them with equal trust in all (None where the work-doing forces need the multipliers that do not exist).
    `power` is q̇ᵀQᶜ, the rate at which the constraint forces do work. Contacts that are `apart` are not among the
    constraints.
    """

    state: Mapping[str, float]
    constraints: tuple[str, ...]
    residuals: Residuals
    certificate: Certificate | None
    power: float | None = None
    contradiction: ContradictionError | None = None
    reconciled: Reconciled | None = None
    apart: tuple[str, ...] = ()

    @property
    def on_constraints(self) -> bool:
        """Whether the start satisfies every constraint."""
        most = allowance(self.state.values())
        return all(d <= most for d in self.residuals.distance)

    @property
    def passed(self) -> bool:
        """Whether the start is on the constraints and every principle gives the same answer there."""
        return self.on_constraints and self.certificate is not None and self.certificate.passed

    @property
    def verdict(self) -> str:
        """PASSED, or FAILED and why."""
        if self.passed:
            return "PASSED"
        if self.contradiction is not None:
            return "FAILED: constraint rows contradict each other"
        reasons = [] if self.on_constraints else ["the start does not satisfy the constraints"]
        if self.certificate is not None and any(not c.passed for c in self.certificate.checks if c.name != "state"):
            reasons.append("not every check holds")
        return f"FAILED: {', and '.join(reasons)}"

    def text(self, width: int = 110) -> str:
        """For a person to read, on lines of at most `width` columns."""
        lines = ["start: " + ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())]
        if self.constraints:
            word = "satisfies every constraint" if self.on_constraints else "DOES NOT SATISFY the constraints"
            lines.append(f"The start {word}:")
            lines += [
                f"  {name}: value {level:.3g}, rate {rate:.3g}, distance {distance:.3g}"
                for name, level, rate, distance in zip(self.constraints, *self.residuals, strict=True)
            ]
        if self.apart:
            lines.append(f"Out of contact, and not in force: {', '.join(self.apart)}")
        if self.certificate is not None:
            lines += ["", *self.certificate.text().splitlines()]
        if self.power is not None and self.constraints:
            lines += ["", f"Power of the constraint forces, q̇ᵀQᶜ: {self.power:.6g}"]
        if self.contradiction is not None:
            lines += ["", str(self.contradiction)]
        if self.reconciled is not None:
            unsatisfied = zip(self.constraints, self.reconciled.unsatisfied, strict=True)
            lines += [
                "",
                "Least squares with equal trust in every row gives",
                f"  acceleration {', '.join(f'{x:.6g}' for x in self.reconciled.acceleration)}",
                *(f"  {name}: A q̈ − b = {gap:.6g}" for name, gap in unsatisfied),
            ]
        lines += ["", self.verdict]
        return "\n".join(_fitted(line, width) for line in lines)

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def as_dict(self) -> dict[str, Any]:
        """For a program to read."""
        return {
            "passed": self.passed,
            "state": dict(self.state),
            "on_constraints": self.on_constraints,
            "residuals": [
                {
                    "constraint": name,
                    "level": float(level),
                    "rate": float(rate),
                    "distance": float(distance) if isfinite(distance) else None,
                }
                for name, level, rate, distance in zip(self.constraints, *self.residuals, strict=True)
            ],
            "out_of_contact": list(self.apart),
            "certificate": None if self.certificate is None else self.certificate.as_dict(),
            "power": self.power,
            "contradiction": None if self.contradiction is None else str(self.contradiction),
            "reconciled": None
            if self.reconciled is None
            else {
                "acceleration": self.reconciled.acceleration.tolist(),
                "unsatisfied": self.reconciled.unsatisfied.tolist(),
            },
        }


def _fitted(line: str, width: int) -> str:
    """A line as it is where it fits; else wrapped, the rest under the words it belongs to."""
    if columns(line) <= width:
        return line
    words = line.rfind("  ") + 2 if line[:1] in "✓✗" else 4
    head, tail = line[:words], line[words:]
    if line[:1] in "✓✗" and width - words >= 20:
        return head + wrapped(tail, width - words).replace("\n", "\n" + " " * words)
    return wrapped(line, width, "    ")
