"""What else is to be known of reconciled states: that they are off the constraints, or that a contact would open."""

from collections.abc import Iterator, Sequence

import numpy as np

from dalembert.derive import CLOSE, Array, Residuals
from dalembert.model import OneSided, Statement
from dalembert.principles import Reconciliation
from dalembert.principles.ready import decide, length

ROUNDING = 1e-9
"""A contact that pulls by less than this part of the forces at work is one that carries nothing."""


def off_note(system: Statement, off: Residuals) -> Iterator[str]:
    """A note where a state is off the constraints; A and b are those at the state all the same."""
    for c, level, part in zip(system.constraints, off.level, off.level_part, strict=True):
        if isinstance(c, OneSided) and level < 0 and part > CLOSE:
            yield f"The state is inside the contact “{c.name}” ({level:.3g}, not below 0): it is taken as closed."
    far = [
        (float(d), c.name)
        for c, d, on in zip(system.constraints, off.distance, off.on, strict=True)
        if not isinstance(c, OneSided) and not on
    ]
    if far:
        yield f"The state is off the constraints, {_worst(*max(far))}: what is said here is about it all the same."


def off_series_note(system: Statement, times: Array, off: Sequence[Residuals]) -> Iterator[str]:
    """The same along a series: the worst of its states."""
    if not system.constraints or not len(off):
        return
    beyond = np.array([not here.on.all() for here in off])
    if beyond.any():
        distance = np.array([np.where(here.on, 0.0, here.distance) for here in off])
        at, row = divmod(int(np.argmax(distance)), distance.shape[1])
        where = f"{_worst(float(distance[at, row]), system.constraints[row].name)}, t = {times[at]:.6g}"
        count = int(beyond.sum())
        yield (
            f"{count} of {len(times)} states {'is' if count == 1 else 'are'} off the constraints, the worst {where}: "
            "what is said here is about them all the same."
        )


def pulling_notes(system: Statement, found: Reconciliation) -> Iterator[str]:
    """A note for every closed contact whose multiplier is negative: it would have to pull, and opens instead.

    λ = (Aᵀ)⁺ Qᶜ has the covariance (Aᵀ)⁺ cov(Qᶜ) A⁺. What pulls is measured in the metric of M⁻¹, against the forces.
    """
    sided = [i for i, c in enumerate(system.constraints) if isinstance(c, OneSided)]
    if not sided:
        return
    decided = decide(found.now)
    share = decided.multipliers_of_forces()  # (m, n)
    sigma = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", share, found.force_covariance, share), 0.0))
    size = sum(length(decided.L, decided.units * force) for force in (found.now.Q, found.force))
    for i in sided:
        lam = float(found.multipliers[i])
        if lam / decided.rows.scale[i] < -ROUNDING * size:
            yield (
                f"The contact “{system.constraints[i].name}” pulls (multiplier {lam:.4g} ± {sigma[i]:.2g}) and can "
                "only push: it would open. Reconcile the state without it."
            )


def _worst(distance: float, name: str) -> str:
    return f"by {distance:.2g} at “{name}”" if np.isfinite(distance) else f"at “{name}”, which has no direction there"
