"""Steps of a mode until a guard falls to zero, and the time of the zero itself."""

from math import inf

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.guard_kinds import HELD
from dalembert.engine import Steps
from dalembert.engine.outputs import SLOPE
from dalembert.engine.taylor import Setup
from dalembert.motion.hybrid.guard_watch import closed_before, key_of
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.tolerances import EPS, tolerance

SHORT = 1.0 / 16.0  # of a step: an event before it is found again with a shorter one
NEWTON, ULPS = 6, 4
NOISE = 2.0**-8  # of the slack of a guard: near a zero what is less may change by rounding alone


class Walk:
    """Walks in the modes of one system."""

    def __init__(self, programs: Programs) -> None:
        self._programs, self._engine = programs, programs.engine

    def until_zero(
        self, setup: Setup, t: float, state: Array, until: float, most: int, longest: float, sizes: Array
    ) -> Steps:
        """Steps until a guard falls, its time refined to that of the zero itself; `sizes` (2n,) are those of late."""
        units = self._engine.units(setup, t, state, sizes, until - t)
        steps = self.until_guard(setup, t, state, until, most, longest, units)
        return steps if steps.fired is None or not steps.count else self.refined(setup, steps)

    def until_guard(
        self, setup: Setup, t: float, state: Array, until: float, most: int, longest: float, units: Array | None
    ) -> Steps:
        """Steps until a guard falls, by its slack; one that falls early in a long step is found with a shorter one."""
        steps = self._engine.steps(setup, t, state, until, most, longest, units)
        if steps.fired is not None and steps.count == 1:
            span, way = _full_span(steps), float(steps.times[-1]) - t
            if way < SHORT * span < inf:
                again = self._engine.steps(setup, t, state, until, most, min(longest, 2 * way), units)
                if again.fired == steps.fired and again.count == 1:
                    return again
        return steps

    def refined(self, setup: Setup, steps: Steps) -> Steps:
        """The steps up to the zero of the guard that fell: it was given a slack.

        Another contact may have closed a little before, within its own slack; then it is the one that fell.
        """
        guard, last = steps.fired, steps.count - 1
        assert guard is not None
        begin = float(steps.times[last])
        time = self._zero(setup, steps, guard, float(steps.times[-1]))
        contacts = self._contacts(setup)
        for _ in contacts:
            earlier = closed_before(setup, self._guards(setup, steps, time), contacts, guard)
            if earlier is None:
                break
            guard, time = earlier, min(time, self._zero(setup, steps, earlier, time))
        guard = self._cause(setup, steps, guard, time)
        if key_of(self._programs.staged_of(setup), guard).kind == "side":
            for _ in range(ULPS):  # what a mode is made of need not exist beyond the zero, not even by rounding
                if time <= begin or self._guards(setup, steps, time)[guard] >= 0:
                    break
                time = float(np.nextafter(time, begin))
        count = steps.count if time > begin else last
        return steps.until(count, time if time > begin else None, guard)

    def _zero(self, setup: Setup, steps: Steps, guard: int, end: float) -> float:
        """When a guard that has fallen by some time in the last step was zero."""
        begin, fallen = float(steps.times[steps.count - 1]), end
        one = max(begin, end - max(1e-3 * (end - begin), 64 * EPS * abs(end)))
        two, at_one, at_two = end, *(self._guards(setup, steps, time)[guard] for time in (one, end))
        nothing = NOISE * abs(at_two)
        for _ in range(NEWTON):
            if at_two == at_one or not at_two:
                break
            new = min(max(two - at_two * (two - one) / (at_two - at_one), begin), end)
            if abs(new - two) <= EPS * abs(two) or (abs(at_two) <= nothing and abs(new - two) >= abs(two - one)):
                break
            one, at_one, two = two, at_two, new
            at_two = self._guards(setup, steps, two)[guard]
        else:
            return self._halved(setup, steps, guard, begin, fallen)
        return two if abs(at_two) <= abs(at_one) else one

    def _halved(self, setup: Setup, steps: Steps, guard: int, begin: float, end: float) -> float:
        """The same where it leaves zero by a high power: its last change of sign before it has fallen, by halves."""
        low, way = begin, EPS * max(abs(begin), abs(end))
        while end - way > begin:
            if self._guards(setup, steps, end - way)[guard] >= 0:
                low = end - way
                break
            end, way = end - way, 2 * way
        while end - low > EPS * max(abs(low), abs(end)):
            middle = (low + end) / 2
            if not low < middle < end:
                break
            low, end = (middle, end) if self._guards(setup, steps, middle)[guard] >= 0 else (low, middle)
        return end

    def _cause(self, setup: Setup, steps: Steps, guard: int, time: float) -> int:
        """What has fallen by itself: what a friction can hold falls with what presses in it, which turns round."""
        staged, slopes = self._programs.staged_of(setup), setup.numbers[setup.code.places(SLOPE)]
        key = key_of(staged, guard)
        if key.kind not in HELD:
            return guard
        members = staged.switches.rubs[key.place].members
        normals = [g for g, k in enumerate(staged.keys) if k.kind == "normal" and k.place in members and slopes[g] > 0]
        if not normals:
            return guard
        states = np.vstack([steps.coefficients[:, :, 0], steps.within(steps.count - 1, time)])
        values = np.abs(setup.code.guards(states, np.append(steps.times[:-1], time), setup.numbers))
        return next((g for g in normals if values[-1, g] <= tolerance("TIE") * values[:, g].max()), guard)

    def _guards(self, setup: Setup, steps: Steps, time: float) -> list[float]:
        """All guards at a time of the last step."""
        place = steps.within(steps.count - 1, time)
        found: list[float] = setup.code.guards(place[None, :], np.array([time]), setup.numbers)[0].tolist()
        return found

    def _contacts(self, setup: Setup) -> list[int]:
        """The guards of contacts that are open, where there are several."""
        slopes = setup.numbers[setup.code.places(SLOPE)]
        mine = [
            g for g, key in enumerate(self._programs.staged_of(setup).keys) if key.kind == "touch" and slopes[g] > 0
        ]
        return mine if len(mine) > 1 else []


def _full_span(steps: Steps) -> float:
    """How long a step could have been, about: where its terms are no longer small."""
    if not steps.coefficients[0, :, -2:].any():
        return inf
    terms = np.abs(steps.coefficients[0])
    order = terms.shape[1] - 1
    size = terms[:, 0].max()
    top = terms[:, -2:].max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = (size / top) ** (1.0 / np.array([order - 1, order]))
    return float(radii.min()) * 0.13 * steps.unit if np.isfinite(radii).all() else inf
