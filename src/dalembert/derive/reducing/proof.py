"""The theorems behind a reduction, checked in numbers: covariance and positive definiteness.

Theorem 1 of Zubelevich: the Lagrangian derivative is a covector, [L']_x = Jᵀ [L]_y. In numbers, at random states,

    M' = Jᵀ M J,   Q' + C' = Jᵀ (Q + C − M γ),   A' = A J,   b' = b − A γ

with M, Q, A, b, C of the system at the lifted state, and M', Q', … of the reduced system, derived by itself.
Theorem 2: M positive definite makes M' positive definite.
"""

from typing import NamedTuple

import numpy as np

from dalembert.derive.evaluate import Array, instant_at
from dalembert.derive.reducing.placing import Place, Placing, State
from dalembert.model import ModelError, Statement
from dalembert.principles import ContradictionError, Instant, MassError

STATES = 5
AGREE = 1e-8


class Proof(NamedTuple):
    """How well a reduction obeys the theorems at `states` random states.

    `covariance` is the largest relative disagreement, `definiteness` the least eigenvalue of M' over its largest
    (entries scaled by the diagonal), None where M itself is not positive definite.
    """

    covariance: float
    definiteness: float | None
    states: int


def prove(placing: Placing, system: Statement, reduced: Statement) -> Proof:
    """Compare the reduced system with the system itself; raises ModelError where they disagree."""
    worst, least, count, why = 0.0, None, 0, ""
    for state, place in placing.states(STATES, seed=2):
        try:
            old, new = _pair(system, reduced, state, place)
        except (ModelError, MassError, ContradictionError) as error:
            why = why or "; ".join(getattr(error, "faults", ())) or str(error)
            continue
        count += 1
        worst = max(worst, disagreement(old, new, place, [c.name for c in reduced.constraints]))
        if _least(old.M) > 0:
            least = min(_least(new.M), np.inf if least is None else least)
    if count == 0:
        fault = "it cannot be proved: one of the systems has no answer at any state tried"
        raise ModelError("the reduction", [f"{fault}; {why}" if why else fault])
    if not worst < AGREE or (least is not None and not least > 0):
        raise ModelError(
            "the reduction",
            [f"it breaks the theorems it stands on: covariance is off by {worst:.3g}, the least eigenvalue is {least}"],
        )
    return Proof(worst, least, count)


def disagreement(old: Instant, new: Instant, place: Place, rows: list[str]) -> float:
    """The largest relative difference between the two sides of the equations above."""
    J, gamma = place.J, place.bias
    at = [old.constraints.index(name) for name in rows]
    A, b = old.A[at], old.b[at]
    pairs = (
        (new.M, J.T @ old.M @ J, np.abs(J.T) @ np.abs(old.M) @ np.abs(J)),
        (new.Q + new.C, J.T @ (old.Q + old.C - old.M @ gamma), _sizes(J, old, gamma)),
        (new.A, A @ J, np.abs(A) @ np.abs(J)),
        (new.b, b - A @ gamma, np.abs(b) + np.abs(A) @ np.abs(gamma)),
    )
    return max(float(np.max(np.abs(x - y), initial=0.0) / (np.max(size, initial=0.0) or 1.0)) for x, y, size in pairs)


def _sizes(J: Array, old: Instant, gamma: Array) -> Array:
    sizes: Array = np.abs(J.T) @ (np.abs(old.Q) + np.abs(old.C) + np.abs(old.M) @ np.abs(gamma))
    return sizes


def _pair(system: Statement, reduced: Statement, state: State, place: Place) -> tuple[Instant, Instant]:
    """Both systems at one state."""
    whole = [*place.y, *place.rates, state.t, *(state.values[s] for s in system.symbols)]
    short = [*state.x, *state.v, state.t, *(state.values[s] for s in reduced.symbols)]
    return instant_at(system, whole), instant_at(reduced, short)


def _least(M: Array) -> float:
    """The least eigenvalue over the largest, the diagonal scaled to one."""
    d = np.sqrt(np.abs(np.diag(M)))
    values = np.linalg.eigvalsh(M / np.outer(d, d)) if (d > 0).all() else np.linalg.eigvalsh(M)
    return float(values[0] / max(abs(values).max(), 1e-300))
