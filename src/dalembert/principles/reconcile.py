"""What rows that need not agree say together: acceleration and force with their covariance, and which row to doubt."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.principles.errors import Array, InstantError
from dalembert.principles.estimate import estimate
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Instant
from dalembert.principles.reconcile_text import reconciliation_text
from dalembert.principles.snooping import LEVEL, POWER, chance, quantile, snoop, standing
from dalembert.principles.trust import Kind, Trust

FAR = 1e100
"""So many σ no value may be: the squares of larger ones are no numbers any more."""

ANSWER = ("acceleration", "ideal", "nonideal", "multipliers")
COVARIANCES = ("acceleration_covariance", "force_covariance")


class ReconciledRow(NamedTuple):
    """An uncertain row: what it read and what it should have read.

    residual = measured − adjusted; normalized = residual/σ; studentized is normalized/√redundancy for a row with an
    error of its own, a standard normal number when nothing is wrong; redundancy, from 0 (nothing else speaks of it) to
    1; fault ± fault_sigma, how far the row alone would be off to explain what is wrong. Where redundancy is 0,
    studentized, fault and fault_sigma are 0: no fault of such a row can show.
    """

    name: str
    kind: Kind
    measured: float
    sigma: float
    adjusted: float
    residual: float
    normalized: float
    studentized: float
    redundancy: float
    fault: float
    fault_sigma: float

    @property
    def checkable(self) -> bool:
        """Whether other rows speak of the same thing, so that a fault would show."""
        return self.redundancy > 0


@dataclass(frozen=True, eq=False, repr=False)
class Reconciliation:
    """The least-squares answer of exact and uncertain rows at an instant, and how well they agree.

    acceleration, ideal, nonideal (n,), multipliers (m,) as in Answer (those of least norm where they are not unique),
    and the covariances (n, n) of acceleration and of force = ideal + nonideal; rows, one for each uncertain row;
    chi_square, a number of χ² of `redundancy` degrees when nothing is wrong, and p_value, the probability that it is so
    large or larger; level of the test, critical value of |studentized|; suspects, the names of rows found at fault;
    notes, what else is to be known of the state. Arrays are read-only.
    """

    now: Instant
    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    acceleration_covariance: Array
    force_covariance: Array
    rows: tuple[ReconciledRow, ...]
    chi_square: float
    redundancy: int
    p_value: float
    level: float
    critical: float
    suspects: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*ANSWER, *COVARIANCES):
            getattr(self, name).setflags(write=False)

    @property
    def force(self) -> Array:
        """The whole constraint force Qᶜ = ideal + nonideal, shape (n,)."""
        return self.ideal + self.nonideal

    @property
    def acceleration_sigma(self) -> Array:
        """The standard deviation of each acceleration, shape (n,)."""
        return np.sqrt(np.diag(self.acceleration_covariance))

    @property
    def force_sigma(self) -> Array:
        """The standard deviation of each constraint force, shape (n,)."""
        return np.sqrt(np.diag(self.force_covariance))

    @property
    def suspect(self) -> str | None:
        """The row most likely at fault; None where none is, or where `suspects` cannot be told apart."""
        return self.suspects[0] if len(self.suspects) == 1 else None

    @property
    def detected(self) -> bool:
        """Whether some row is found at fault, even if it cannot be told which."""
        return bool(self.suspects)

    @property
    def not_checkable(self) -> tuple[str, ...]:
        """The rows of which nothing else speaks: a fault in them cannot show."""
        return tuple(row.name for row in self.rows if not row.checkable)

    @property
    def detectable(self) -> dict[str, float]:
        """The size of a fault, by row, that the test finds with probability 0.95; only rows that can be checked.

        Baarda's smallest detectable fault, (critical value + 1.645) · fault_sigma.
        """
        enough = self.critical + quantile(POWER)
        return {row.name: enough * row.fault_sigma for row in self.rows if row.checkable}

    def text(self) -> str:
        """For a person to read, in plain Unicode."""
        return reconciliation_text(self)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        known = f"{len(self.rows)} rows, redundancy {self.redundancy}, suspects {list(self.suspects)}"
        return f"<{type(self).__name__}: {known}>"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def as_dict(self) -> dict[str, Any]:
        """For a program to read: only dicts, lists, strings, numbers, booleans and None."""
        arrays = (*ANSWER, "force", *COVARIANCES)
        plain = ("chi_square", "redundancy", "p_value", "level", "critical", "detected", "suspect")
        return {
            "coordinates": list(self.now.coordinates),
            "constraints": list(self.now.constraints),
            **{name: getattr(self, name).tolist() for name in arrays},
            "rows": [{**row._asdict(), "checkable": row.checkable} for row in self.rows],
            **{name: getattr(self, name) for name in plain},
            "suspects": list(self.suspects),
            "detectable": self.detectable,
            "not_checkable": list(self.not_checkable),
            "notes": list(self.notes),
        }


@in_words
def reconcile(
    now: Instant, trust: Trust, values: ArrayLike, level: float = LEVEL, names: tuple[str, ...] = ()
) -> Reconciliation:
    """The answer nearest to all uncertain rows that satisfies every exact one, and the rows to doubt.

    `values` (u,) is what the rows of `trust` read, `names` what they are called (`trust.names` where left out); see
    `estimate` for the equations and `snooping` for the test, two-sided, with `level` the probability that a fault is
    found where there is none. Raises InstantError with every fault of the input, ContradictionError, MassError.
    """
    y = np.array(values, dtype=float)
    faults = trust.outside(now)
    if y.shape != (len(trust),):
        faults.append(f"values: shape {y.shape} found, ({len(trust)},) expected, one for each row of the trust")
    elif not np.isfinite(y).all():
        faults.append(f"values: values[{int(np.argmin(np.isfinite(y)))}] is not finite")
    elif (far := np.flatnonzero(np.abs(y) > FAR * trust.sigma)).size:
        faults.append(f"values: values[{far[0]}] = {y[far[0]]:.6g} is more than {FAR:g} times its σ")
    if not 0 < level < 1:
        faults.append(f"level: {level!r} is not between 0 and 1")
    if faults:
        raise InstantError(faults)
    found = estimate(now, trust, y)
    stand = standing(found.shown, found.seen, trust.factor, found.rounding)
    suspects, critical = snoop(stand, level)
    called = names or trust.names(now)
    chi_square = float(found.seen @ found.seen)
    columns = (y, trust.sigma, y - found.residual, found.residual, found.residual / trust.sigma, stand.studentized)
    numbers = np.array([*columns, stand.redundancy, stand.fault, stand.fault_sigma]).T.tolist()
    return Reconciliation(
        now=now,
        acceleration=found.acceleration,
        ideal=found.ideal,
        nonideal=found.nonideal,
        multipliers=found.multipliers,
        acceleration_covariance=found.acceleration_root @ found.acceleration_root.T,
        force_covariance=found.force_root @ found.force_root.T,
        rows=tuple(ReconciledRow(name, row.kind, *r) for name, row, r in zip(called, trust.rows, numbers, strict=True)),
        chi_square=chi_square,
        redundancy=len(found.seen),
        p_value=chance(chi_square, len(found.seen)),
        level=level,
        critical=critical,
        suspects=tuple(called[i] for i in suspects),
    )
