"""heyoka's adaptive Taylor integrator of a stage: steps as polynomials, until a time or until a guard falls to zero."""

from math import frexp, inf, isfinite, ldexp
from threading import Lock
from typing import Any

import heyoka as hy
import numpy as np

from dalembert.derive import Array
from dalembert.engine.outputs import OFFSET, SLOPE, Outputs
from dalembert.engine.protocol import Steps

hy.set_logger_level_error()  # that a step does not exist is told by a run, not by a warning of the integrator
BROKEN = hy.taylor_outcome.err_nf_state
COLLAPSED = 16 * 2.0**-52  # a step below this fraction of the time no longer moves it
ROOM = 128  # steps there is room for at first
NO_STEP, COLLAPSE = "no finite step can be taken", "the step size collapses"


class Integrator:
    """The integrator of one stage at one tolerance; one caller at a time.

    It stops where slope · guard + offset falls to zero, with the run-time values of the guard: a guard that is not
    looked at has the slope 0 and the offset 1, so that it has no part in the choice of the step. A `scaled` one works
    in units of its own, powers of two given with each call, because heyoka measures the error of a step by the largest
    number in the state.
    """

    def __init__(self, outputs: Outputs, tolerance: float, compact: bool, scaled: bool) -> None:
        n, first = len(outputs.acceleration), outputs.parameters
        self._n, self._scaled = n, scaled
        self.lock = Lock()
        right = [*outputs.motion, *outputs.acceleration]
        guards = {
            i: hy.par[outputs.run_time[f"{SLOPE}{i}"]] * outputs.guards[i] + hy.par[outputs.run_time[f"{OFFSET}{i}"]]
            for i in outputs.turning
        }
        if scaled:
            own = {
                f"{x}{i}": hy.par[first + k * n + i] * hy.expression(f"{x}{i}")
                for k, x in enumerate("qv")
                for i in range(n)
            }
            unit = hy.par[first + 2 * n]
            changed = hy.subs([*right, *guards.values()], {**own}) if n else []
            changed = [_in_time(e, unit) for e in changed]
            right = [unit * e / hy.par[first + k] for k, e in enumerate(changed[: 2 * n])]
            guards = dict(zip(guards, changed[2 * n :], strict=True))
        self._guards = list(guards)
        # Without the vectoriser of LLVM's highest level, compilation takes half the time and runs no slower.
        options: dict[str, Any] = {"opt_level": 2, "slp_vectorize": False} if compact else {}
        if guards:
            falling = hy.event_direction.negative
            options["t_events"] = [hy.t_event(g, direction=falling) for g in guards.values()]
        self._integrator = hy.taylor_adaptive(
            list(zip(outputs.variables, right, strict=True)),
            np.zeros(2 * n),
            tol=tolerance,
            compact_mode=compact,
            **options,
        )
        self._tc = self._integrator.tc
        self.order = self._integrator.order
        self.size = len(self._integrator.decomposition)

    def steps(
        self,
        t: float,
        state: Array,
        until: float,
        values: Array,
        most: int,
        longest: float = inf,
        units: Array | None = None,
    ) -> Steps:
        """At most so many steps from a state (2n,) at t, none longer than `longest`.

        `units` (2n + 1,): powers of two for coordinates, velocities and time, for a scaled integrator.
        """
        unit = 1.0
        if self._scaled:
            assert units is not None
            unit = float(units[-1])
            state, values = state / units[:-1], np.concatenate([values, units])
        with self.lock:
            found = self._steps(t / unit, state, until / unit, values, most, longest / unit)
        if not self._scaled:
            return found
        assert units is not None
        terms = found.coefficients * units[:-1, None]
        return Steps(found.times * unit, terms, found.fired, found.broken, unit)

    def expansion(self, t: float, state: Array, values: Array) -> Array:
        """The Taylor coefficients (2n, p + 1) at a state, in the stated units; not finite where there are none."""
        with self.lock:
            ta = self._placed(t, state, values)
            ta.step(0.0, True)
            terms: Array = self._tc.copy()
        return terms

    def _steps(self, t: float, state: Array, until: float, values: Array, most: int, longest: float) -> Steps:
        ta = self._placed(t, state, values)
        if self._guards:
            return self._walk(ta, t, until, most, longest)
        keeper = _Keeper(self._tc, t, most)
        ta.propagate_until(until, max_steps=most, max_delta_t=longest, callback=keeper, write_tc=True)
        times, terms = keeper.kept()
        if times[-1] != until and until - times[-1] <= COLLAPSED * abs(until) / 4:
            times[-1] = until
        taken = np.diff(times)
        if times[-1] >= until and (not len(taken) or taken[:-1].min(initial=inf) > COLLAPSED * abs(until)):
            return Steps(times, terms)
        small = np.flatnonzero(~(taken > COLLAPSED * np.abs(times[1:])))
        if len(small) and times[small[0] + 1] < until:
            return Steps(times[: small[0] + 1], terms[: small[0]], None, COLLAPSE)
        return Steps(times, terms, None, None if len(terms) == most or times[-1] >= until else NO_STEP)

    def _walk(self, ta: Any, t: float, until: float, most: int, longest: float) -> Steps:
        tc, step = self._tc, ta.step
        times: list[float] = [t]
        terms: list[Array] = []
        fired, broken = None, None
        while len(terms) < most:
            outcome, taken = step(min(longest, until - t), True)
            now = ta.time
            if outcome == BROKEN or not isfinite(now):
                broken = NO_STEP
                break
            number = int(outcome.value)
            if number < 0 and -number - 1 < len(self._guards):
                fired = self._guards[-number - 1]
            if now > t:
                terms.append(tc.copy())
            if fired is None and until - now <= COLLAPSED * abs(until) / 4:
                now = until
            if now > t:
                times.append(now)
            if fired is not None or now >= until:
                break
            if abs(taken) <= COLLAPSED * abs(now):
                broken = COLLAPSE
                break
            t = now
        count = len(terms)
        stacked = np.array(terms) if count else np.zeros((0, 2 * self._n, self.order + 1))
        return Steps(np.array(times), stacked, fired, broken)

    def _placed(self, t: float, state: Array, values: Array) -> Any:
        ta = self._integrator
        ta.time = t
        ta.state[:] = state
        ta.pars[:] = values[: len(ta.pars)]
        if self._guards:
            ta.reset_cooldowns()
        return ta


class _Keeper:
    """Keeps the polynomial of every step: called by heyoka after each."""

    def __init__(self, tc: Array, t: float, most: int) -> None:
        self._tc, self._most = tc, most
        self._times = [t]
        self._terms = np.empty((min(most, ROOM), *tc.shape))

    def __call__(self, ta: Any) -> bool:
        count = len(self._times) - 1
        if count == len(self._terms):
            self._terms = np.concatenate([self._terms, np.empty_like(self._terms)])
        self._terms[count] = self._tc
        self._times.append(ta.time)
        return True

    def kept(self) -> tuple[Array, Array]:
        """The times (s + 1,) and coefficients (s, 2n, p + 1), as far as they are finite."""
        times, terms = np.array(self._times), self._terms[: len(self._times) - 1]
        good = np.isfinite(times[1:]) & np.isfinite(terms).all(axis=(1, 2)) & (np.diff(times) > 0)
        count = int(good.cumprod().sum())
        return times[: count + 1], terms[:count]


def _in_time(expression: Any, unit: Any) -> Any:
    """An expression with a unit of time: t becomes unit · t."""
    return hy.subs(expression, {hy.time: unit * hy.time})


def power_of_two(x: float) -> float:
    """The power of two next to a positive number."""
    return ldexp(1.0, frexp(x)[1])
