"""Compiled code of a system on chosen rows: made once for a statement, whatever its values, start and duration.

heyoka keeps compiled code on disk by itself; what is made here is kept in memory, so that a second run of the same
statement compiles nothing.
"""

from functools import cached_property, lru_cache
from math import exp, inf, isfinite, isnan, nan
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import heyoka as hy
import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.stage import Stage
from dalembert.engine.flow import WORKS, Along, Choice
from dalembert.engine.recipe import Recipe, recipe

hy.set_logger_level_error()  # that a step does not exist is told by a run, not by a warning of the integrator
BROKEN = hy.taylor_outcome.err_nf_state
ARMED, BLIND = 1e-300, 1e300  # a guard that is exactly zero at the start of a step would hide its next root
GAPS = 8  # how many orders of a series may be missing before its end
LARGE = 60  # from so many states on, functions are compiled in compact mode


class Clock:
    """The seconds spent in derivation and compilation by this process."""

    def __init__(self) -> None:
        self.seconds, self._began = 0.0, 0.0

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += perf_counter() - self._began


compiling = Clock()


class Code:
    """The functions of a stage on one choice of rows, each compiled when first asked for."""

    def __init__(self, stage: Stage, choice: Choice) -> None:
        self.choice, form = choice, stage.statement
        self.n, self.m = len(form.coordinates), len(form.constraints)
        with compiling:
            self.recipe: Recipe = recipe(stage, choice.rows, choice.augment)
        self.works = tuple(name for name in WORKS if name in self.recipe.powers)
        self._integrators: dict[tuple[float, bool], Integrator] = {}

    def numbers(self, values: Array) -> Array:
        """The values of all parameters of the code: those of the statement, and what is made of them alone."""
        if not self.recipe.constants:
            return values
        return np.concatenate([values, self._constants(np.zeros((1, 2 * self.n)), np.zeros(1), values)[0]])

    @cached_property
    def _constants(self) -> "Function":
        return self._function(self.recipe.constants)

    @cached_property
    def watch(self) -> "Function":
        """level, rate, length (m each), inertia, pivots, radicands, energy, kinetic, diagonal."""
        r = self.recipe
        rows = [*r.level, *r.rate, *r.length]
        return self._function([*rows, *r.inertia.values(), *r.pivots, *r.radicands, r.energy, r.kinetic, *r.diagonal])

    @cached_property
    def _along(self) -> "Function":
        r = self.recipe
        return self._function([*r.acceleration, *r.ideal, *r.nonideal, *r.multipliers, *r.reactions, r.energy])

    @cached_property
    def guards(self) -> "Function":
        """What must stay positive."""
        return self._function(self.recipe.guards)

    @cached_property
    def levels(self) -> "Function":
        """The left-hand sides of the constraints of the system, in force or not."""
        return self._function(self.recipe.levels)

    def along(self, states: Array, times: Array, values: Array) -> Along:
        """Everything derived, along states (k, 2n)."""
        out = self._along(states, times, values)
        n, m = self.n, self.m
        a, ideal, nonideal, lam, actual = np.split(out[:, :-1], [n, 2 * n, 3 * n, 3 * n + m], axis=1)
        return Along(a, ideal, nonideal, lam, actual, out[:, -1])

    def integrator(self, tolerance: float, compact: bool) -> "Integrator":
        """The compiled integrator for a tolerance, made once."""
        key = (tolerance, compact)
        if key not in self._integrators:
            with compiling:
                self._integrators[key] = Integrator(self.recipe, self.works, tolerance, compact)
        return self._integrators[key]

    def _function(self, outputs: list[Any]) -> "Function":
        with compiling:
            return Function(outputs, self.recipe.variables)


class Function:
    """A compiled function of states, times and parameter values, evaluated along many states at once."""

    def __init__(self, outputs: list[Any], variables: list[Any]) -> None:
        self._size, self._inputs = len(outputs), len(variables)
        self._call = hy.cfunc(outputs, vars=variables, compact_mode=len(variables) > LARGE) if outputs else None

    def __call__(self, states: Array, times: Array, values: Array) -> Array:
        """The outputs (k, size) along states (k, ≥ 2n) at times (k,); what does not exist comes out as NaN."""
        if self._call is None or not len(states):
            return np.zeros((len(states), self._size))
        inputs = np.ascontiguousarray(states[:, : self._inputs].T)
        given: dict[str, Array] = {}
        if self._call.nparams:
            given["pars"] = np.repeat(values[: self._call.nparams, None], len(states), axis=1)
        if self._call.is_time_dependent:
            given["time"] = np.ascontiguousarray(times, dtype=float)
        out: Array = self._call(inputs, **given).T
        return out


class Integrator:
    """heyoka's adaptive Taylor integrator of a recipe and the work it counts; one caller at a time.

    It stops where a guard falls to zero. heyoka's own parameters come after those of the recipe: one for each guard,
    added to it, `ARMED` or, where the guard is not to be looked at, `BLIND`.
    """

    def __init__(self, cooked: Recipe, works: tuple[str, ...], tolerance: float, compact: bool) -> None:
        n = len(cooked.acceleration)
        extra = [hy.expression(f"w{i}") for i in range(len(works) + len(cooked.clocks))]
        variables = [*cooked.variables, *extra]
        speeds = [0.0 * v if i in cooked.still else v for i, v in enumerate(cooked.variables[n:])]
        right = [*speeds, *cooked.acceleration, *(cooked.powers[w] for w in works), *cooked.clocks]
        self.lock = Lock()
        self._guards: list[int] = []  # those that can change at all
        # Without the vectoriser of LLVM's highest level, compilation takes half the time and runs no slower.
        options: dict[str, Any] = {"opt_level": 2, "slp_vectorize": False} if compact else {}
        if cooked.turning:
            first = cooked.parameters
            self._guards = cooked.turning
            options["t_events"] = [
                hy.t_event(cooked.guards[i] + hy.par[first + i], direction=hy.event_direction.negative)
                for i in self._guards
            ]
        self.integrator = hy.taylor_adaptive(
            list(zip(variables, right, strict=True)),
            np.zeros(len(variables)),
            tol=tolerance,
            compact_mode=compact,
            **options,
        )
        self.size = len(self.integrator.decomposition)

    def grid(
        self, t: float, state: Array, times: Array, values: Array, steps: int, reach: float, longest: float
    ) -> "Course":
        """propagate_grid from a state at t, until the last of the times or until a guard falls to zero.

        `reach` bounds the first step, `longest` every step.
        """
        d = len(state)
        with self.lock:
            ta = self._placed(t, state, values)
            first: list[Array] = []
            if not t + reach >= times[-1]:  # NaN where the series does not exist
                outcome, _ = (BROKEN, 0.0) if isnan(reach) else ta.step(max_delta_t=reach, write_tc=True)
                if outcome == BROKEN:
                    return Course(True, None, 0.0, 0, np.zeros((0, d)), t, state)
                passed = times[: np.searchsorted(times, ta.time, side="right")]
                first = [ta.update_d_output(at)[:d].copy() for at in passed]
                times, t, steps = times[len(first) :], ta.time, steps - 1
                fired = self._fired(outcome)
                if not steps or fired is not None or not len(times):
                    reached = np.array(first).reshape(len(first), d)
                    return Course(False, fired, inf, 1, reached, ta.time, ta.state[:d].copy())
            outcome, smallest, _, count, _, found = ta.propagate_grid(
                np.concatenate([[t], times]), max_steps=steps, max_delta_t=longest
            )
            found = found[1:, :d]
            reached = np.concatenate([first, found]) if first else found
            fired = self._fired(outcome)
            counted = count + (reach < inf)
            return Course(outcome == BROKEN, fired, smallest, counted, reached, ta.time, ta.state[:d].copy())

    def _fired(self, outcome: Any) -> int | None:
        """Which guard an outcome stands for."""
        place = -int(outcome.value) - 1
        return self._guards[place] if 0 <= place < len(self._guards) else None

    def walk(self, t: float, state: Array, until: float, values: Array, steps: int) -> tuple[Array, Array]:
        """Single steps from a state at t, for as long as they are finite: times (k,) and states (k, d)."""
        times, states = [t], [state]
        with self.lock:
            ta = self._placed(t, state, values)
            reach = self._reach(ta)
            for _ in range(0 if isnan(reach) else steps):
                outcome, _ = ta.step(max_delta_t=min(reach, until - ta.time))
                reach = inf
                if outcome == BROKEN or not np.isfinite(ta.state).all():
                    break
                times.append(ta.time)
                states.append(ta.state[: len(state)].copy())
                if ta.time >= until:
                    break
        return np.array(times), np.array(states)

    def leap(self, t: float, state: Array, times: Array, values: Array) -> tuple[Array, float]:
        """The Taylor polynomial at t, whatever it passes over: states at the times, and the size of its last terms."""
        with self.lock:
            ta = self._placed(t, state, values)
            ta.step(max_delta_t=0.0, write_tc=True)
            terms = ta.tc[: len(state)].copy()
        if not np.isfinite(terms).all():
            return np.full((len(times), len(state)), nan), inf
        powers = (times - t)[:, None] ** np.arange(terms.shape[1])
        last = np.abs(terms[:, -2:] * powers[-1, -2:]).max() / max(1.0, np.abs(state).max())
        return powers @ terms.T, float(last) if isfinite(last) else inf

    def reach(self, t: float, state: Array, values: Array) -> float:
        """About how long a step from a state is."""
        with self.lock:
            return self._reach(self._placed(t, state, values))

    def _reach(self, ta: Any) -> float:
        """How far the first step from a state may go, by the last coefficients of its series that are not zero.

        heyoka judges by the last two alone, and both vanish where a series has gaps: from rest where the force is
        stationary (a pendulum let go at a right angle), the angle has only the orders 2, 6, 10, …
        """
        ta.step(max_delta_t=0.0, write_tc=True)
        sizes = np.abs(ta.tc).max(axis=0).tolist()
        if not all(map(isfinite, sizes)):
            return nan
        scale = max(1.0, sizes[0])
        last = range(max(1, ta.order - GAPS), ta.order + 1)
        radius = min(((scale / sizes[k]) ** (1.0 / k) for k in last if sizes[k] > 0), default=inf)
        return radius * exp(-2.0 - 0.7 / (ta.order - 1))

    def _placed(self, t: float, state: Array, values: Array) -> Any:
        ta = self.integrator
        ta.time = t
        ta.state[: len(state)] = state
        ta.state[len(state) :] = 0.0
        ta.pars[:] = values[: len(ta.pars)]
        if self._guards:
            ta.reset_cooldowns()
        return ta


class Course(NamedTuple):
    """How an integrator went: whether it broke, which guard fell, its smallest step and how many, and where it came to.

    `reached` are the states (k, d) at those of the times that it came to, `end` the last.
    """

    broken: bool
    fired: int | None
    smallest: float
    steps: int
    reached: Array
    time: float
    end: Array


@lru_cache(maxsize=256)
def code(stage: Stage, choice: Choice) -> Code:
    """The compiled code of a stage, kept for the next run."""
    return Code(stage, choice)
