"""Compiled code of a system on chosen rows: made once for a statement, whatever its values, start and duration.

heyoka keeps compiled code on disk by itself; what is made here is kept in memory, so that a second run of the same
statement compiles nothing.
"""

from functools import cached_property, lru_cache
from math import exp, inf, isfinite, isnan, nan
from threading import Lock
from time import perf_counter
from typing import Any

import heyoka as hy
import numpy as np

from dalembert.derive import Array
from dalembert.engine.flow import WORKS, Along, Choice
from dalembert.engine.recipe import Recipe, recipe
from dalembert.model import Statement

BROKEN, STEPS = hy.taylor_outcome.err_nf_state, hy.taylor_outcome.step_limit
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
    """The functions of a statement on one choice of rows, each compiled when first asked for."""

    def __init__(self, form: Statement, choice: Choice) -> None:
        self.form, self.choice = form, choice
        self.n, self.m = len(form.coordinates), len(form.constraints)
        with compiling:
            self.recipe: Recipe = recipe(form, choice.rows, choice.augment)
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
        return self._function([*r.acceleration, *r.ideal, *r.nonideal, *r.multipliers, r.energy])

    def along(self, states: Array, times: Array, values: Array) -> Along:
        """Everything derived, along states (k, 2n)."""
        out = self._along(states, times, values)
        acceleration, ideal, nonideal, rest = np.split(out, [self.n, 2 * self.n, 3 * self.n], axis=1)
        return Along(acceleration, ideal, nonideal, rest[:, :-1], rest[:, -1])

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
    """heyoka's adaptive Taylor integrator of a recipe and the work it counts; one caller at a time."""

    def __init__(self, cooked: Recipe, works: tuple[str, ...], tolerance: float, compact: bool) -> None:
        n = len(cooked.acceleration)
        variables = [*cooked.variables, *(hy.expression(f"w{i}") for i in range(len(works)))]
        right = [*cooked.variables[n:], *cooked.acceleration, *(cooked.powers[w] for w in works)]
        self.lock = Lock()
        # Without the vectoriser of LLVM's highest level, compilation takes half the time and runs no slower.
        options = {"opt_level": 2, "slp_vectorize": False} if compact else {}
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
    ) -> tuple[Any, float, int, Array, float, Array]:
        """propagate_grid from a state at t: outcome, smallest step, steps, states at the times reached, time, end.

        `reach` bounds the first step, `longest` every step.
        """
        with self.lock:
            ta = self._placed(t, state, values)
            first: list[Array] = []
            if not t + reach >= times[-1]:  # NaN where the series does not exist
                outcome, _ = (BROKEN, 0.0) if isnan(reach) else ta.step(max_delta_t=reach, write_tc=True)
                if outcome == BROKEN:
                    return BROKEN, 0.0, 0, np.zeros((0, len(state))), t, state
                first = [ta.update_d_output(at).copy() for at in times[: np.searchsorted(times, ta.time, side="right")]]
                times, t, steps = times[len(first) :], ta.time, steps - 1
            if not steps:
                return STEPS, inf, 1, np.array(first).reshape(len(first), len(state)), ta.time, ta.state.copy()
            outcome, smallest, _, count, _, found = ta.propagate_grid(
                np.concatenate([[t], times]), max_steps=steps, max_delta_t=longest
            )
            reached = np.concatenate([first, found[1:]]) if first else found[1:]
            return outcome, smallest, count + (reach < inf), reached, ta.time, ta.state.copy()

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
                states.append(ta.state.copy())
                if ta.time >= until:
                    break
        return np.array(times), np.array(states)

    def leap(self, t: float, state: Array, times: Array, values: Array) -> tuple[Array, float]:
        """The Taylor polynomial at t, whatever it passes over: states at the times, and the size of its last terms."""
        with self.lock:
            ta = self._placed(t, state, values)
            ta.step(max_delta_t=0.0, write_tc=True)
            terms = ta.tc.copy()
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
        ta.state[:] = state
        ta.pars[:] = values[: len(ta.pars)]
        return ta


@lru_cache(maxsize=64)
def code(form: Statement, choice: Choice) -> Code:
    """The compiled code of a statement without its values, kept for the next run."""
    return Code(form, choice)
