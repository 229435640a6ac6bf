"""`System`: a statement with the verbs of every room, the one object people hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import derive, motion, show
from dalembert.model import Statement, name_of
from dalembert.principles import Certificate, ContradictionError, Instant, MassError, certify, least_squares


@dataclass(frozen=True)
class System(Statement):
    """A constrained mechanical system: state it once, then ask.

    Make one by `from_lagrangian`, `from_forces`, `from_particles` or `load`. M q̈ = Q + Qᶜ with Qᶜ = Qᶜ_i + Qᶜ_ni, and
    Qᶜ_i = Aᵀ λ with A = ∂f/∂q (∂f/∂q̇ for a nonholonomic f) for f = 0 as it was stated.
    """

    def equations(self) -> show.Equations:
        """The explicit equation of motion in symbols: closed forms where they can be read, else factored."""
        return show.Equations.of(derive.closed_form(self))

    def instant(self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None) -> Instant:
        """M, Q, A, b, C as arrays at a state, a mapping from every coordinate and velocity to its value.

        Raises `StateError` with all that is missing, foreign or does not exist at this state.
        """
        return derive.instant(self, state, t, parameters)

    def verify(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> Certificate:
        """Every principle's answer at a state, side by side, with the laws they must obey."""
        now = self.instant(state, t, parameters)
        return certify(now, distance=self.residuals(state, t, parameters).distance.tolist())

    def residuals(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> derive.Residuals:
        """How far a state is off the constraints: `.level`, `.rate` and `.distance` of each constraint."""
        return derive.residuals(self, state, t, parameters)

    def start(
        self,
        guess: Mapping[Any, Any],
        fixed: Iterable[Any] = (),
        t: float = 0.0,
        parameters: Mapping[Any, Any] | None = None,
    ) -> motion.Start:
        """The consistent state nearest to `guess` in the metric of M, what is `fixed` held; says what was moved.

        What the guess does not name is taken as zero. Raises `StateError` with each residual where there is none.
        """
        return motion.start(self, guess, fixed, t, parameters)

    def check(self) -> show.Finding:
        """Whether the start satisfies the constraints and every principle gives the same answer there."""
        state = derive.initial_state(self)
        named = {name_of(key): value for key, value in state.items()}
        off = self.residuals(state)
        names = tuple(c.name for c in self.constraints)
        try:
            certificate = self.verify(state)
        except ContradictionError as error:
            try:
                reconciled = least_squares(self.instant(state))
            except (ContradictionError, MassError):  # work-doing forces that need the multipliers, or no metric
                reconciled = None
            return show.Finding(named, names, off, None, None, error, reconciled)
        velocity = np.array([state[v] for v in self.velocities])
        power = float(velocity @ certificate.answer.force)
        return show.Finding(named, names, off, certificate, power)
