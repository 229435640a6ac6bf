"""The certificate of a motion: what holds along it, from beginning to end."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.model import StateError
from dalembert.motion.look import Look
from dalembert.motion.proofs import PROOFS
from dalembert.principles.certificate import Check

if TYPE_CHECKING:
    from dalembert.motion.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class MotionCertificate:
    """What was checked along a motion, and what there was nothing to check of.

    `checks`: each has `name`, `value`, `bound`, `meaning` and `passed`. `left_out`: why a check does not apply, by its
    name. `times`: from when to when; `status`: how the run ended. What is certified is what there is of the motion:
    one that ended early passes where all of it up to there holds.
    """

    name: str
    times: tuple[float, float]
    status: str
    ended: bool
    checks: tuple[Check, ...]
    left_out: Mapping[str, str]

    @property
    def passed(self) -> bool:
        """Whether every check passed; where there is none, nothing did."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def __bool__(self) -> bool:
        """Whether it passed."""
        return self.passed

    def text(self) -> str:
        """The certificate for a person to read, in plain Unicode."""
        good = sum(check.passed for check in self.checks)
        span = f"from t = {self.times[0]:.6g} to {self.times[1]:.6g}"
        early = "" if self.ended else " (the run ended early)"
        lines = [
            f"{'PASSED' if self.passed else 'FAILED'}: {good} of {len(self.checks)} checks hold along the motion",
            f"{span}; {self.status}{early}",
            "",
        ]
        for check in self.checks:
            mark, relation = ("✓", "≤") if check.passed else ("✗", ">")
            lines.append(f"{mark} {check.name:<16} {check.value:8.1e} {relation} {check.bound:.1e}  {check.meaning}")
        lines += [f"- {name:<16} {why}" for name, why in self.left_out.items()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def as_dict(self) -> dict[str, Any]:
        """The certificate for a program to read; a value that is not finite is None."""
        return {
            "passed": self.passed,
            "time": {"start": self.times[0], "end": self.times[1]},
            "status": self.status,
            "ended": self.ended,
            "checks": [
                {**check._asdict(), "value": check.value if isfinite(check.value) else None, "passed": check.passed}
                for check in self.checks
            ],
            "left_out": dict(self.left_out),
        }


@np.errstate(all="ignore")  # what is not finite is looked for and told
def certify(motion: "Trajectory") -> MotionCertificate:
    """The certificate of a motion. Raises StateError where a motion without its steps cannot be gone over again."""
    checks: list[Check] = []
    left_out: dict[str, str] = {}
    moved = len(motion.t) > 0 or motion.end_time != motion.begin_time
    with motion._lent():
        look = Look.of(motion) if moved else None
        for name, proof in PROOFS.items():
            try:
                found = proof(look) if look is not None else "nothing but the start is known of the motion"
            except StateError as error:  # a number of the motion that does not exist: its energy, by overflow
                found = str(error)
            if isinstance(found, str):
                left_out[name] = found
            else:
                checks.append(found if found.value == found.value else found._replace(value=float("inf")))
    return MotionCertificate(
        motion.system.name,
        (motion.begin_time, motion.end_time),
        str(motion.status),
        motion.status.ok,
        tuple(checks),
        left_out,
    )
