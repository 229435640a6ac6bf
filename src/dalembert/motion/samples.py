"""The arrays of a reconciled series, from what was found at each of its times."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from dalembert.derive import Array
from dalembert.principles import Instant, Trust
from dalembert.principles.estimate import Estimate, estimate
from dalembert.principles.snooping import Standing, standing


class Moment(NamedTuple):
    """One time of a series: what the rows read, what they say together, and how each stands."""

    values: Array
    found: Estimate
    stand: Standing

    @classmethod
    def of(cls, now: Instant, trust: Trust, values: Array) -> Self:
        """Reconcile one instant."""
        found = estimate(now, trust, values)
        return cls(values, found, standing(found.shown, found.seen, trust.factor, found.rounding))


class Samples(NamedTuple):
    """The arrays of a series of k times, read-only. Shapes, with n coordinates, m constraints and u uncertain rows:

    acceleration, acceleration_sigma, force, force_sigma, ideal, nonideal (k, n), multipliers (k, m); measured,
    residual, studentized, redundancy, fault, fault_sigma (k, u); chi_square and its degrees (k,).
    """

    acceleration: Array
    acceleration_sigma: Array
    force: Array
    force_sigma: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    measured: Array
    residual: Array
    studentized: Array
    redundancy: Array
    fault: Array
    fault_sigma: Array
    chi_square: Array
    degrees: Array

    @classmethod
    def of(cls, moments: Sequence[Moment]) -> Self:
        """All times, of which there is one at least."""
        found, stand = [m.found for m in moments], [m.stand for m in moments]
        made = cls(
            acceleration=np.array([f.acceleration for f in found]),
            acceleration_sigma=np.array([np.linalg.norm(f.acceleration_root, axis=1) for f in found]),
            force=np.array([f.ideal + f.nonideal for f in found]),
            force_sigma=np.array([np.linalg.norm(f.force_root, axis=1) for f in found]),
            ideal=np.array([f.ideal for f in found]),
            nonideal=np.array([f.nonideal for f in found]),
            multipliers=np.array([f.multipliers for f in found]),
            measured=np.array([m.values for m in moments]),
            residual=np.array([f.residual for f in found]),
            studentized=np.array([s.studentized for s in stand]),
            redundancy=np.array([s.redundancy for s in stand]),
            fault=np.array([s.fault for s in stand]),
            fault_sigma=np.array([s.fault_sigma for s in stand]),
            chi_square=np.array([f.seen @ f.seen for f in found]),
            degrees=np.array([len(f.seen) for f in found]),
        )
        for array in made:
            array.setflags(write=False)
        return made
