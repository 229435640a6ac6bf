"""What gives a run its legs: a smooth system, moved as it is."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.derive.scales import coordinate_units, mass
from dalembert.derive.switching.modes import Mode
from dalembert.engine import Steps
from dalembert.model import Statement
from dalembert.motion.blame import FAILURES, Blame, blame
from dalembert.motion.smooth.left_open import left_open
from dalembert.motion.smooth.leg import Leg
from dalembert.motion.smooth.projection import distance, put_back
from dalembert.motion.smooth.roots import leave_roots
from dalembert.motion.status import Status
from dalembert.motion.tolerances import EPS, tolerance

MANY = 16  # steps
FADE = 2.0**-0.125  # at every step: by so much sizes that were are forgotten
GIVEN = 2.0**-5  # of what a number makes up for in its rows: with DRIFT, what is left of it by rounding
FAINT = 2.0**-16  # of what it was: where all of a state is so small, it is measured by what it is


class Moved(NamedTuple):
    """Legs not yet looked at, and how they ended: why no step can be taken, or how the run ends there."""

    legs: list[Leg]
    broken: str | None = None
    status: Status | None = None


class OnRows(NamedTuple):
    """A state (2n,) put on its rows, and how far off them it was before and is after, relative to their terms."""

    state: Array
    before: float
    after: float


class Mover(Protocol):
    """Gives legs from a state on.

    `setup` and `mode` are those of the last, `sizes` (2n,) how large the state has been of late, `count` how often it
    has switched.
    """

    setup: Any
    mode: Mode | None
    sizes: Array
    count: int

    def on_rows(self, t: float, state: Array, allowed: float) -> OnRows | None:
        """A start put on its rows; None where it is no further off them than is allowed."""
        ...

    def legs(self, t: float, state: Array, until: float, most: int, longest: float) -> Moved:
        """Legs from a state on, at most so many steps, none longer than `longest`."""
        ...

    def memo(self) -> Any:
        """What is known here, to go on from here again."""
        ...

    def resume(self, memo: Any) -> None:
        """Go on in the mode of a leg before, by its memo."""
        ...

    def rest(self, roots: Sequence[int]) -> None:
        """From now on these roots are zero."""
        ...

    def wake(self, roots: Sequence[int]) -> None:
        """From now on these roots are no longer zero."""
        ...

    def choose(self, t: float, state: Array, avoided: int | None = None) -> bool:
        """Choose rows afresh for a state, without one if possible; whether the choice changed."""
        ...

    def weigh(self, setup: Any) -> None:
        """From now on with the weights of rows of a setup, the same but for these."""
        ...

    def balance(self, t: float, state: Array) -> None:
        """From now on accelerations obey the rows to their own rounding, not to that of forces in balance."""
        ...

    def carry(self, t: float, state: Array, until: float) -> Leg | None:
        """A moment up to what ends the mode, or away from where it began, where steps are too short for that."""
        ...

    def beyond(self, leg: Leg, t: float, state: Array) -> Leg | None:
        """The leg in the mode that holds at a state beyond a singular place; None where none does."""
        ...

    def lacks_mass(self, t: float, state: Array) -> bool:
        """Whether a pivot of S = A M⁻¹ Aᵀ vanishes for want of mass, and not of rank."""
        ...

    def blame(self, t: float, state: Array) -> Blame:
        """What does not exist at a state, or just beyond it."""
        ...


class SmoothMover:
    """Moves a system in which nothing switches."""

    mode: Mode | None = None
    count = 0

    def __init__(self, engine: Any, system: Statement, values: Array, t: float, state: Array, sizes: Array) -> None:
        self._engine, self._system, self._values = engine, system, values
        self.sizes = sizes
        self.setup = engine.setup(system, values, t, state)
        self._fresh, self._resting = True, set[int]()

    def on_rows(self, t: float, state: Array, allowed: float) -> OnRows | None:
        """A start put on its constraints; None where it is no further off them than is allowed."""
        scales = np.append(self.sizes + GIVEN * left_open(self._engine, self.setup, t, state), abs(t))
        before = distance(self._engine, self.setup, t, state, scales)
        if before <= allowed:
            return None
        place = put_back(self._engine, self.setup, t, state, None)
        return OnRows(place, before, distance(self._engine, self.setup, t, place, scales))

    def legs(self, t: float, state: Array, until: float, most: int, longest: float) -> Moved:
        """One leg; at the beginning, and where a root is zero there, a moment before it."""
        legs: list[Leg] = []
        if self._fresh and len(self._engine.roots(self.setup)):
            moment, rest = leave_roots(self._engine, self.setup, t, state, until)
            if rest:
                self.rest(rest)
            if moment is not None:
                legs.append(Leg(self.setup, moment, memo=self.setup, brief=True))
                t, state = float(moment.times[-1]), moment.end
        self._fresh = False
        units = self._engine.units(self.setup, t, state, np.maximum(self.sizes, np.abs(state)), until - t)
        steps = self._engine.steps(self.setup, t, state, until, most, longest, units)
        if faint := _faint(steps):
            steps = steps.part(0, faint)
            self.sizes = np.abs(steps.end)
        elif steps.count:
            many = steps.count > MANY  # then where they begin says enough
            largest = np.abs(steps.coefficients[:, :, 0]).max(axis=0) if many else steps.largest()
            self.sizes = np.maximum(largest, FADE**steps.count * self.sizes)
        legs.append(Leg(self.setup, steps, memo=self.setup, start=None if steps.count else state))
        return Moved(legs, steps.broken)

    def memo(self) -> Any:
        """The setup: a smooth system has nothing else."""
        return self.setup

    def resume(self, memo: Any) -> None:
        """Go on as in a leg before."""
        self.setup = memo

    def rest(self, roots: Sequence[int]) -> None:
        """From now on these roots are zero."""
        self._resting |= set(roots)
        self.setup = self.setup.resting(sorted(self._resting))

    def wake(self, roots: Sequence[int]) -> None:
        """From now on these roots are no longer zero."""
        self._resting -= set(roots)
        self.setup = self.setup.resting(sorted(self._resting))

    def choose(self, t: float, state: Array, avoided: int | None = None) -> bool:
        """Choose rows afresh for a state, without one if possible; whether the choice changed."""
        try:
            rank = len(self.setup.choice.rows)
            new = self._engine.setup(self._system, self._values, t, state, avoided=avoided, rank=rank)
        except FAILURES:  # what stops the motion is told by its own check
            return False
        if self.setup.choice.balanced and not new.choice.balanced:
            new = self._engine.balanced(new, self._system, self._values, t, state)
        if new.choice == self.setup.choice and not (new.choice.augment and new.weighs_more(self.setup)):
            return False
        self.setup = new.resting(sorted(self._resting)) if self._resting else new
        return True

    def weigh(self, setup: Any) -> None:
        """From now on with the weights of rows of a setup, the same but for these."""
        self.setup = setup

    def balance(self, t: float, state: Array) -> None:
        """From now on accelerations obey the rows to their own rounding."""
        new = self._engine.balanced(self.setup, self._system, self._values, t, state)
        self.setup = new.resting(sorted(self._resting)) if self._resting else new

    def carry(self, t: float, state: Array, until: float) -> Leg | None:  # noqa: ARG002
        """Nothing switches."""
        return None

    def beyond(self, leg: Leg, t: float, state: Array) -> Leg:  # noqa: ARG002
        """The leg: nothing switches."""
        return leg

    def lacks_mass(self, t: float, state: Array) -> bool:
        """Whether M is indefinite at a state, and the rows in force are clearly independent of each other there."""
        kept, inputs = prepared(self._system), [*state.tolist(), t, *self._values.tolist()]
        try:
            M, units = mass(kept, inputs), coordinate_units(kept, inputs)
            rows = kept.relations.speeds.at(inputs)[1][list(self.setup.choice.rows)] * units
        except FAILURES:
            return False
        e = np.linalg.eigvalsh(units[:, None] * M * units)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        if e[0] >= -len(e) * EPS * e[-1] or not length.all():
            return False
        return bool(np.linalg.svd(rows / length, compute_uv=False)[-1] ** 2 > tolerance("SOUND"))

    def blame(self, t: float, state: Array) -> Blame:
        """What does not exist at a state, or just beyond it."""
        return blame(self._system, self._values, t, state)


def _faint(steps: Steps) -> int:
    """Where a motion that dies away has become so small that steps are to be measured afresh; 0: nowhere."""
    begins = np.abs(steps.coefficients[:, :, 0])
    falls = begins <= FAINT * np.maximum.accumulate(begins, axis=0)
    found = np.flatnonzero(falls.all(axis=1) & begins.any(axis=1))
    return int(found[0]) if len(found) else 0
