"""The compiled engine: heyoka's adaptive Taylor method on the explicit equation of motion.

The elimination is unrolled on an independent set of rows. All rows are tried first; where their pivots say that they
are dependent, or that M alone is singular, the principles decide on the numbers which rows to take and whether M must
be replaced by M + AᵀA. Any such choice gives the same motion and forces.
"""

from collections.abc import Iterable
from math import inf

import numpy as np

from dalembert.derive import Array, form, instant_at
from dalembert.derive.switching.stage import Stage, whole
from dalembert.engine.flow import Along, Choice, Piece, Watch
from dalembert.engine.program import ARMED, BLIND, Code, code
from dalembert.model import StateError, Statement, name_of
from dalembert.principles import explicit, independent_rows

SOUND = 1e-8  # pivots above this are those of independent rows and a regular M
COLLAPSED = 16 * 2.0**-52  # a step below this fraction of the time no longer moves it
EPS = float(np.finfo(float).eps)
FINEST = 1e-18  # the tolerance of machine precision: two orders above what eps asks, so that no bias of a step adds up
FAINT = 1e-6  # a row whose gradient is this much shorter than it was is taken only for want of another
WORTH = 3.0  # full compilation is worth its time where a run takes so many times longer


class Taylor:
    """One system with its values, compiled; `compact` is heyoka's mode, None to choose by size and length."""

    def __init__(
        self,
        system: Statement,
        values: Array,
        t: float,
        state: Array,
        tolerance: float,
        compact: bool | None = None,
        choice: Choice | None = None,
        stage: Stage | None = None,
    ) -> None:
        self._stage = stage or whole(form(system))
        self._system, self._values = system if stage is None else stage.statement, values
        self._form = self._stage.statement
        self._blind: tuple[int, ...] = ()
        self._tolerance = max(tolerance, EPS)
        self._fresh = True
        self._reached: float | None = None  # of the first step
        self._longest = np.zeros(len(self._form.constraints))  # each row's gradient, as long as it has been
        self._compact, self._may_change = compact is not False, compact is None
        everything = Choice(tuple(range(len(self._form.constraints))), False)
        self._take(choice or everything)
        if choice is None and not self._sound(t, state):
            self.choose(t, state)

    @property
    def works(self) -> tuple[str, ...]:
        """Which works are counted in the state."""
        return self._code.works

    @property
    def choice(self) -> Choice:
        """The chosen rows, and whether M is replaced."""
        return self._code.choice

    @property
    def pivots(self) -> tuple[str, ...]:
        """Inertia by coordinate, then the chosen rows."""
        inertia = [f"the inertia of {name_of(self._form.coordinates[i])}" for i in self._code.recipe.inertia]
        return (*inertia, *(f"constraint {self._form.constraints[r].name!r}" for r in self.choice.rows))

    first = 512

    @property
    def steep(self) -> bool:
        """Whether the statement has functions that can be fainter than any power."""
        return self._code.recipe.steep

    @property
    def masses(self) -> int:
        """How many pivots are of M."""
        return len(self._code.recipe.inertia)

    @property
    def rows(self) -> int:
        """How many pivots are of chosen rows."""
        return len(self.choice.rows)

    @property
    def roots(self) -> int:
        """How many radicands are watched."""
        return len(self._code.recipe.radicands)

    @property
    def facts(self) -> dict[str, object]:
        """How it was compiled."""
        return {
            "engine": "taylor",
            "tolerance": self._tolerance,
            "compile": "compact" if self._compact else "full",
        }

    def choose(self, t: float, state: Array) -> bool:
        """Choose the rows for a state by rank-revealing factorisation; whether the choice changed.

        Raises ContradictionError, MassError, StateError as the principles do where no motion exists or is unique.
        """
        n = len(self._form.coordinates)
        now = instant_at(self._system, [*state[: 2 * n], t, *self._values])
        explicit(now)
        length = np.linalg.norm(now.A, axis=1)
        weights = np.divide(length, self._longest, out=np.ones_like(length), where=self._longest > 0)
        found = Choice(independent_rows(now, np.maximum(weights, FAINT)), _singular(now.M))
        if found == self._code.choice:
            return False
        self._take(found)
        if not np.isfinite(self.watch(np.array([t]), state[None, :]).pivots).all():
            raise StateError("the state", ["the elimination on its independent rows breaks down here"])
        return True

    def advance(self, t: float, state: Array, times: Array, steps: int, longest: float = inf) -> Piece:
        """Through the times by `propagate_grid`; where that breaks, single steps find the last state that exists."""
        # Work so far is set aside: heyoka measures its tolerance by the largest of all states.
        done: Array | float = 0.0
        if self.works:
            done = state.copy()
            done[: 2 * len(self._form.coordinates)] = 0.0
        begin, integrator = state - done, self._integrator
        first = min(self.reach(t, begin), longest) if self._fresh else inf
        self._fresh = False
        course = integrator.grid(t, begin, times, self._numbers, steps, first, longest)
        found, end, time = course.reached, course.end, course.time
        collapsed = course.smallest <= COLLAPSED * abs(time) and course.fired is None
        if not course.broken and not collapsed and np.isfinite(found).all():
            if self.works:
                found, end = found + done, end + done
            return Piece(times[: len(found)], found, time, end, course.steps, fired=course.fired)
        walked, states = integrator.walk(t, begin, times[-1], self._numbers, steps)
        small = np.flatnonzero(np.diff(walked) <= COLLAPSED * np.abs(walked[1:]))
        small = small[walked[small + 1] < times[-1]]
        last = int(small[0]) if len(small) else len(walked) - 1
        reason = "the step size collapses" if len(small) else "no finite step can be taken"
        broken = None if not len(small) and (walked[-1] >= times[-1] or last == steps) else reason
        good = found[: min(len(found), int(np.searchsorted(times, walked[last], side="right")))]
        good = good[: int(np.isfinite(good).all(axis=1).cumprod().sum())]
        return Piece(times[: len(good)], good + done, float(walked[last]), states[last] + done, last, broken)

    def reach(self, t: float, state: Array) -> float:
        """About how long a step from a state is."""
        if self._reached is None:
            self._reached = self._integrator.reach(t, state, self._numbers)
        return self._reached

    def leap(self, t: float, state: Array, times: Array) -> tuple[Array, float]:
        """By the Taylor polynomial: at an isolated singular place the motion is smooth, only its equation is not."""
        return self._integrator.leap(t, state, times, self._numbers)

    def guards(self, times: Array, states: Array) -> Array:
        """What must stay positive, along states (k, g)."""
        return self._code.guards(states, times, self._numbers)

    def levels(self, times: Array, states: Array) -> Array:
        """The left-hand sides of all constraints of the system a stage is of, along states."""
        return self._code.levels(states, times, self._numbers)

    def renew(self) -> None:
        """Begin again, from another state."""
        self._fresh, self._reached = True, None
        self.look_away()

    def look_away(self, guards: Iterable[int] = ()) -> None:
        """From now on do not stop at these guards; at all others."""
        self._blind = tuple(guards)
        self._numbers[self._code.recipe.parameters :] = ARMED
        for g in self._blind:
            self._numbers[self._code.recipe.parameters + g] = BLIND

    def watch(self, times: Array, states: Array) -> Watch:
        """The constraints and pivots along states."""
        m, roots = len(self._form.constraints), len(self._code.recipe.radicands)
        out = self._code.watch(states, times, self._numbers)
        first, last = 3 * m + self.masses + self.rows, 3 * m + self.masses + self.rows + roots
        rows = out[:, :m], out[:, m : 2 * m], out[:, 2 * m : 3 * m]
        watched = Watch(*rows, out[:, 3 * m : first], out[:, first:last], out[:, last], out[:, last + 1])
        self._longest = np.fmax(self._longest, watched.length.max(axis=0, initial=0.0))
        return watched

    def along(self, times: Array, states: Array) -> Along:
        """Everything derived, along states."""
        return self._code.along(states, times, self._numbers)

    def expect(self, seconds: float) -> None:
        """Compile in full where that pays for itself in what is left of the run."""
        if self._may_change and self._compact and seconds > WORTH * _full_seconds(self._integrator.size):
            self._compact = False
            self._compile()

    def _take(self, choice: Choice) -> None:
        self._code: Code = code(self._stage, choice)
        numbers = self._code.numbers(self._values)
        self._numbers = np.concatenate([numbers, np.full(len(self._code.recipe.guards), ARMED)])
        self.look_away(self._blind)
        self._compile()

    def _compile(self) -> None:
        tolerance = FINEST if self._tolerance <= EPS else self._tolerance
        self._integrator = self._code.integrator(tolerance, self._compact)

    def _sound(self, t: float, state: Array) -> bool:
        pivots = self.watch(np.array([t]), state[None, :]).pivots[0]
        diagonal = self._code.watch(state[None, :], np.array([t]), self._numbers)[0, -self.rows :] if self.rows else 1.0
        inertia, rows = pivots[: self.masses], pivots[self.masses :]
        return bool((inertia > 0).all() and (rows > SOUND * diagonal).all())  # false for NaN too


def _singular(M: Array) -> bool:
    """Whether M alone is not positive definite, in units that give it a diagonal of ones."""
    diagonal = np.diag(M)
    if not (diagonal > 0).all():
        return True
    values = np.linalg.eigvalsh(M / np.sqrt(np.outer(diagonal, diagonal)))
    return bool(values[0] < SOUND * values[-1])


def _full_seconds(size: int) -> float:
    """About how long full compilation takes, by the size of the decomposition (measured)."""
    return 0.2 + 6e-5 * size**2
