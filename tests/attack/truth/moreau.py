"""Moreau's time stepping for many frictionless contacts at once; its error by halving the step.

Over a step the velocity without contacts is v* = v + h M⁻¹F; contacts that a half step forward would close take it to
v⁺ = −e v + (1 + e) proj((v* + e v)/(1 + e)), the projection onto the velocities that close none of them, in the metric
of M (Moreau 1988; Acary and Brogliato 2008, 10.1). First order in h, and no event is looked for.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ..case import Truth


class Contacts(NamedTuple):
    """Masses (n,) of the coordinates, forces on them, gaps and their gradient, restitution."""

    mass: np.ndarray
    force: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    gaps: Callable[[np.ndarray], np.ndarray]
    gradient: Callable[[np.ndarray], np.ndarray]
    e: float

    def run(self, start, times, h) -> np.ndarray:
        """States (k, 2n) at the times, by steps of about h that end on each of them."""
        n = len(self.mass)
        root = np.sqrt(self.mass)
        q, v = np.array(start[:n], float), np.array(start[n:], float)
        out, t = [np.r_[q, v]], float(times[0])
        for until in np.asarray(times, float)[1:]:
            count = int(np.ceil((until - t) / h))
            d = (until - t) / count
            for _ in range(count):
                middle = q + d / 2 * v
                free = v + d * self.force(t + d / 2, middle, v) / self.mass
                near = self.gaps(middle) <= 0
                if near.any():
                    target = root * (free + self.e * v) / (1 + self.e)
                    B = (self.gradient(middle)[near] / root).T
                    push, _ = nnls(B, -target)
                    free = -self.e * v + (1 + self.e) * (target + B @ push) / root
                q, v, t = middle + d / 2 * free, free, t + d
            t = float(until)
            out.append(np.r_[q, v])
        return np.array(out)

    def truth(self, start, times, h) -> Truth:
        """The states by steps of h/4, and twice the difference from those by h/2 as their error."""
        rough, fine = self.run(start, times, h / 2), self.run(start, times, h / 4)
        size = np.abs(fine).max()
        return Truth(fine, 2 * float(np.abs(fine - rough).max()) / size)
