"""`System`: a statement with the verbs of every room, the one object people hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert import derive, show
from dalembert.model import Statement
from dalembert.principles import Certificate, Instant, certify


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
        return certify(self.instant(state, t, parameters))

    def residuals(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> derive.Residuals:
        """How far a state is off the constraints: `.level` (φ or ψ) and `.rate` (φ̇ or ψ), one for each constraint."""
        return derive.residuals(self, state, t, parameters)
