"""The work-doing force of rows that need not agree: that of the rows as they are reconciled."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dalembert.derive import follows_multipliers, with_work
from dalembert.model import StateError, Statement
from dalembert.principles import Instant, Trust
from dalembert.principles.estimate import Estimate, estimate
from dalembert.principles.ready import decide

Array = np.ndarray

MOST = 40
"""How many Newton steps are made, where what was measured depends on the force."""

SETTLED = 1e-12
"""The force is settled where it is what its multipliers ask for to this part of itself, in natural units."""

SHIFT = 1e-6
"""By how much of itself the force is shifted to see how its multipliers follow it."""


def settled(system: Statement, inputs: Sequence[float], now: Instant, trust: Trust, values: Array) -> Instant:
    """The instant, which comes with C = 0, with the work-doing force C that its rows have once they are reconciled.

    A nature that follows multipliers, as friction does, needs rows that can hold together. Those are the adjusted ones,
    A q̈ = b̂ with b̂ = A q̈ and Q̂ of the estimate: C is that of the multipliers that come back with it. Measured
    constraints and impressed forces give b̂ and Q̂ without C; where accelerations or reactions were measured, which have
    C in them, C, b̂ and Q̂ are found together.
    Raises StateError where no multipliers agree with the force they lead to, and where a nature follows how redundant
    rows share their load, which nothing determines; ContradictionError where exact rows contradict each other.
    """
    if not follows_multipliers(system):
        return with_work(system, inputs, now)

    def asked(C: Array) -> Array:
        """The force that the multipliers reconciled with C ask for."""
        found = estimate(replace(now, C=C), trust, values)
        return with_work(system, inputs, _adjusted(now, trust, values, found)).C

    C = asked(now.C)
    if any(row.kind in ("acceleration", "reaction") for row in trust.rows):
        C = _fixed(asked, C, decide(now).units)
    return replace(now, C=C)


def _fixed(asked: Callable[[Array], Array], C: Array, units: Array) -> Array:
    """The C (n,) with asked(C) = C, by Newton's method: where friction does not turn around, one step is enough."""
    for _ in range(MOST):
        made = asked(C)
        off, size = units * (made - C), float(np.linalg.norm(units * made))
        if np.linalg.norm(off) <= SETTLED * size:
            return made
        steps = np.diag(SHIFT * size / units)
        slope = np.column_stack([units * (asked(C + step) - made) for step in steps]) / (SHIFT * size)
        try:
            C = C + np.linalg.solve(np.eye(len(C)) - slope, off) / units
        except np.linalg.LinAlgError:
            break
    fault = (
        "a work-doing force follows the multipliers, and with what was measured no multipliers agree with the force "
        "they lead to: leave out the measured accelerations and reactions, or give that force by Prescribed"
    )
    raise StateError("the state", [fault])


def _adjusted(now: Instant, trust: Trust, values: Array, found: Estimate) -> Instant:
    """The instant, C = 0, with the right sides and the load that the estimate has."""
    Q = now.Q.copy()
    for (kind, place), value, residual in zip(trust.rows, values, found.residual, strict=True):
        if kind == "force":
            Q[place] = value - residual
    return replace(now, Q=Q, b=now.A @ found.acceleration, C=np.zeros(now.n))
