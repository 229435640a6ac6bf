"""What a check of a statement at its start found: the state, its residuals, the certificate, the power."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from dalembert.derive import CLOSE, Residuals
from dalembert.model import StateError
from dalembert.principles import Certificate, ContradictionError, Reconciled
from dalembert.principles.certificate import ON
from dalembert.show.notation import columns, wrapped
from dalembert.show.starting import state_in_words


@dataclass(frozen=True, eq=False)
class Finding:
    """A checked start; `certificate` is None where rows contradict, and then `reconciled` says what least squares makes
    of them with equal trust in all (None where the work-doing forces need the multipliers that do not exist). `power`
    is q̇ᵀQᶜ, the rate at which the constraint forces do work. Contacts that are `apart`, or `let_go` because they would
    have to pull, are not among the constraints. `mode` is that of the motion that begins there, where friction is at
    rest. `solved` has what of the state was not stated but solved from the constraints; where that cannot be done,
    `refused` says why, `state` is what is stated, and there are no residuals."""

    state: Mapping[str, float]
    constraints: tuple[str, ...]
    residuals: Residuals | None
    certificate: Certificate | None
    power: float | None = None
    contradiction: ContradictionError | None = None
    reconciled: Reconciled | None = None
    apart: tuple[str, ...] = ()
    let_go: tuple[str, ...] = ()
    mode: str = ""
    solved: tuple[str, ...] = ()
    refused: StateError | None = None

    @property
    def on_constraints(self) -> bool:
        """Whether the start satisfies every constraint."""
        return self.residuals is not None and bool(self.residuals.on.all())

    @property
    def passed(self) -> bool:
        """Whether the start is on the constraints and every principle gives the same answer there."""
        return self.on_constraints and self.certificate is not None and self.certificate.passed

    @property
    def verdict(self) -> str:
        """PASSED, or FAILED and why."""
        if self.passed:
            return "PASSED"
        if self.refused is not None:
            return f"FAILED: {self.refused.subject}"
        if self.contradiction is not None:
            return "FAILED: constraint rows contradict each other"
        reasons = [] if self.on_constraints else ["the start does not satisfy the constraints"]
        if self.certificate is not None and not all(c.passed for c in self.certificate.checks if c.name != ON):
            reasons.append("not every check holds")
        return f"FAILED: {', and '.join(reasons)}"

    def text(self, width: int = 110) -> str:
        """For a person to read, on lines of at most `width` columns."""
        lines = [f"start: {state_in_words(self.state, self.solved)}"]
        if self.refused is not None:
            shout = self.refused.subject.replace("does not satisfy", "DOES NOT SATISFY", 1)
            shout = shout.replace("no values", "NO VALUES", 1)
            lines.append(f"{shout[:1].upper()}{shout[1:].replace('leaves open', 'LEAVES OPEN', 1)}:")
            lines += [f"  {fault}" for fault in self.refused.faults]
        if self.constraints and self.residuals is not None:
            word = "satisfies every constraint" if self.on_constraints else "DOES NOT SATISFY the constraints"
            lines.append(f"The start {word}:")
            lines += [
                f"  {name}: value {level:.3g}, rate {rate:.3g}, distance {distance:.3g}"
                for name, level, rate, distance in zip(self.constraints, *self.residuals[:3], strict=True)
            ]
        if self.apart:
            lines.append(f"Out of contact, and not in force: {', '.join(self.apart)}")
        if self.mode:
            held = "; what holds it is a row of its own" if "sticks" in self.mode else ""
            lines.append(f"Friction is at rest here; in the motion that begins: {self.mode}{held}")
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
        return "\n".join(fitted(line, width) for line in lines)

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
            "solved": list(self.solved),
            "refused": None if self.refused is None else str(self.refused),
            "on_constraints": self.on_constraints,
            "residuals": []
            if self.residuals is None
            else [
                {
                    "constraint": name,
                    "level": float(level),
                    "rate": float(rate),
                    "distance": float(distance) if isfinite(distance) else None,
                    "part": float(part) if isfinite(part) else None,
                    "satisfied": bool(part <= CLOSE),
                }
                for name, level, rate, distance, part in zip(
                    self.constraints, *self.residuals[:3], self.residuals.part, strict=True
                )
            ],
            "out_of_contact": list(self.apart),
            "let_go": list(self.let_go),
            "mode": self.mode or None,
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


def fitted(line: str, width: int) -> str:
    """A line as it is where it fits; else wrapped, the rest under the words it belongs to."""
    if columns(line) <= width:
        return line
    words = line.rfind("  ") + 2 if line[:1] in "✓✗" else 4
    head, tail = line[:words], line[words:]
    if line[:1] in "✓✗" and width - words >= 20:
        return head + wrapped(tail, width - words).replace("\n", "\n" + " " * words)
    return wrapped(line, width, "    ")
