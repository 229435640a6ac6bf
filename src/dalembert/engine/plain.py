"""The plain twin: SciPy's DOP853 on M, Q, A, b, C evaluated in NumPy and decided by the explicit equation.

Slow, readable, portable: the specification of the compiled engine, and what runs where that cannot be installed.
Smooth systems only; switches are refused by name.
"""

from collections.abc import Iterable
from math import inf

import numpy as np
from scipy.integrate import DOP853

from dalembert.derive import Array, energy_and_power, instant_at, mass_and_rows
from dalembert.engine.flow import POWERS, Along, Choice, Piece, Watch
from dalembert.model import StateError, Statement
from dalembert.principles import Answer, ContradictionError, Instant, InstantError, MassError, explicit
from dalembert.principles.ready import decide

FINEST = 100 * float(np.finfo(float).eps)  # SciPy's smallest relative tolerance
FAILURES = (StateError, ContradictionError, MassError, InstantError)
LEAP = 1000  # steps at most over a singular place


class Plain:
    """One system with its values, ready to move."""

    works = POWERS
    pivots = ("the mass matrix", "the constraints")
    masses, rows, roots, first = 1, 1, 0, 8
    steep = False

    def __init__(self, system: Statement, values: Array, t: float, state: Array, tolerance: float) -> None:
        self._system, self._values = system, values
        self._n = len(system.coordinates)
        self.choice = Choice(tuple(range(len(system.constraints))), False)
        self._tolerance = max(tolerance, FINEST)
        self._failure = ""
        now, _ = self._decide(t, state)  # raises where there is no motion from this state
        decided = decide(now)
        self._units, self._scale = decided.units, decided.rows.scale  # natural ones at the start, kept through the run
        self._augment, self._rank = bool(decided.mass.gamma), decided.rows.rank

    @property
    def facts(self) -> dict[str, object]:
        """How it integrates."""
        return {"engine": "plain", "tolerance": self._tolerance}

    def advance(self, t: float, state: Array, times: Array, steps: int, longest: float = inf) -> Piece:
        """Step by step, the wanted times by the dense output of each step."""
        try:
            solver = DOP853(self._rate, t, state, times[-1], longest, rtol=self._tolerance, atol=self._tolerance)
        except FloatingPointError:
            return Piece(times[:0], np.zeros((0, len(state))), t, state, 0, self._failure)
        found: list[Array] = []
        good = (t, state)
        for count in range(1, steps + 1):
            solver.step()
            if solver.status == "failed":
                return Piece(times[: len(found)], _stacked(found, state), *good, count, "the step size collapses")
            good = (solver.t, solver.y)
            wanted = times[len(found) :]
            inside = wanted[wanted <= solver.t]
            if len(inside):
                found.extend(solver.dense_output()(inside).T)
            if solver.status == "finished":
                found[-1] = solver.y
                break
        return Piece(times[: len(found)], _stacked(found, state), *good, count)

    def reach(self, t: float, state: Array) -> float:  # noqa: ARG002
        """Not known before a step is taken."""
        return np.inf

    def leap(self, t: float, state: Array, times: Array) -> tuple[Array, float]:
        """As any other stretch: the pseudo-inverse is at no loss where the rank drops."""
        piece = self.advance(t, state, times, LEAP)
        return piece.states, np.inf if len(piece.states) < len(times) else 0.0

    def watch(self, times: Array, states: Array) -> Watch:
        """The constraints, the smallest eigenvalue of M and the smallest singular value that counts, along states."""
        parts = [self._watched(t, state) for t, state in zip(times, states, strict=True)]
        level, rate, length, pivots = (np.array(column) for column in zip(*parts, strict=True))
        energy = [energy_and_power(self._system, self._inputs(t, y))[0] for t, y in zip(times, states, strict=True)]
        return Watch(level, rate, length, pivots[:, :2], np.zeros((len(times), 0)), np.array(energy), pivots[:, 2])

    def along(self, times: Array, states: Array) -> Along:
        """Everything derived, along states."""
        answers = [self._decide(t, state)[1] for t, state in zip(times, states, strict=True)]
        energy = [energy_and_power(self._system, self._inputs(t, y))[0] for t, y in zip(times, states, strict=True)]
        acceleration, ideal, nonideal, multipliers = (np.array(column) for column in zip(*answers, strict=True))
        reactions = np.array([self._reactions(t, state) for t, state in zip(times, states, strict=True)])
        return Along(acceleration, ideal, nonideal, multipliers, reactions, np.array(energy))

    def guards(self, times: Array, states: Array) -> Array:  # noqa: ARG002
        """None: it moves no stages."""
        return np.zeros((len(times), 0))

    def levels(self, times: Array, states: Array) -> Array:
        """The left-hand sides of the constraints."""
        return self.watch(times, states).level

    def renew(self) -> None:
        """There is nothing to forget."""

    def look_away(self, guards: Iterable[int] = ()) -> None:
        """There is nothing to look at."""

    def choose(self, t: float, state: Array) -> bool:  # noqa: ARG002
        """Nothing is chosen: the pseudo-inverse takes all rows."""
        return False

    def expect(self, seconds: float) -> None:
        """Nothing to prepare."""

    def _inputs(self, t: float, state: Array) -> list[float]:
        return [*state[: 2 * self._n], t, *self._values]

    def _decide(self, t: float, state: Array) -> tuple[Instant, Answer]:
        now = instant_at(self._system, self._inputs(t, state))
        return now, explicit(now)

    def _reactions(self, t: float, state: Array) -> Array:
        """The actual multipliers, Qᶜ = C + Aᵀλ̂: those of an ideal system that C is an active force of."""
        now = instant_at(self._system, self._inputs(t, state))
        names = now.coordinates, now.constraints
        return explicit(Instant(now.M, now.Q + now.C, now.A, now.b, np.zeros(now.n), *names)).multipliers

    def _rate(self, t: float, state: Array) -> Array:
        """d/dt of coordinates, velocities and works; NaN where it does not exist, so that the step is made smaller."""
        v = state[self._n : 2 * self._n]
        try:
            _, answer = self._decide(t, state)
            power = energy_and_power(self._system, self._inputs(t, state))[1]
        except FAILURES as error:
            self._failure = str(error)
            return np.full_like(state, np.nan)
        return np.concatenate([v, answer.acceleration, [power, v @ answer.ideal, v @ answer.nonideal]])

    def _watched(self, t: float, state: Array) -> tuple[Array, Array, Array, Array]:
        M, rows = mass_and_rows(self._system, self._inputs(t, state))
        M, A = self._units[:, None] * M * self._units, self._scale[:, None] * rows.A * self._units
        if self._augment:
            M = M + A.T @ A
        smallest = np.linalg.eigvalsh(M)[0]
        sigma = _singular_values(M, A) if smallest > 0 else np.zeros(self._rank)
        weakest = sigma[self._rank - 1] ** 2 if self._rank else 1.0
        v = state[self._n : 2 * self._n] / self._units
        return rows.level, rows.rate, np.linalg.norm(rows.A, axis=1), np.array([smallest, weakest, v @ M @ v])


def _singular_values(M: Array, A: Array) -> Array:
    """Those of the rows in the metric of M⁻¹; zero where rounding leaves M no metric."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.zeros(min(A.shape))
    values: Array = np.linalg.svd(np.linalg.solve(L, A.T), compute_uv=False)
    return values


def _stacked(found: list[Array], state: Array) -> Array:
    return np.array(found).reshape(len(found), len(state))
