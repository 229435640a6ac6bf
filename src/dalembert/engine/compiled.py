"""Compiled code of a stage: made once for a statement, whatever its values, start and duration.

heyoka keeps compiled code on disk by itself; what is made here is kept in memory, so that a second run of the same
statement compiles nothing.
"""

from functools import cached_property, lru_cache
from itertools import pairwise
from time import perf_counter
from typing import Any

import heyoka as hy
import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.stage import Stage
from dalembert.derive.switching.surfaces import carried_by, moves_by_itself
from dalembert.engine.heyoka_algebra import ROOT
from dalembert.engine.integrator import Integrator
from dalembert.engine.outputs import OFFSET, SLOPE, WEIGHT, Outputs, outputs
from dalembert.engine.protocol import POWERS, Along, Variant, Watch
from dalembert.engine.time_limit import refuse_late
from dalembert.model import ON_POSITIONS

SQUARES = Watch._fields.index("squares")
RADICANDS = Watch._fields.index("radicands")
LARGE = 60  # from so many states on, functions are compiled in compact mode


class Stopwatch:
    """The seconds spent in derivation and compilation by this process; nothing begins after a run is out of time."""

    def __init__(self) -> None:
        self.seconds, self._began = 0.0, 0.0

    def __enter__(self) -> None:
        refuse_late()
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += perf_counter() - self._began


compiling = Stopwatch()


class Code:
    """The functions of a stage in one variant, each compiled when first asked for.

    States are (k, 2n), times (k,), values all parameters of the code: (p,), or (k, p) where they differ from state to
    state.
    """

    def __init__(self, stage: Stage, variant: Variant) -> None:
        self.stage, self.variant, form = stage, variant, stage.statement
        self.n, self.m = len(form.coordinates), len(form.constraints)
        with compiling:
            self.outputs: Outputs = outputs(stage, variant)
        self.works = tuple(name for name in POWERS if name in self.outputs.powers)
        self._integrators: dict[tuple[float, bool, bool], Integrator] = {}

    def numbers(self, values: Array) -> Array:
        """All parameters of the code, by the values of those of the statement; roots are on, guards are off."""
        out = np.zeros(self.outputs.parameters)
        own = len(values)
        out[:own] = values
        if self.outputs.constants:
            found = self._constants(np.zeros((1, 2 * self.n)), np.zeros(1), values)[0]
            out[own : own + len(found)] = found
        out[self.places(ROOT)] = 1.0
        out[self.places(WEIGHT)] = 1.0
        out[self.places(OFFSET)] = 1.0
        return out

    def places(self, what: str) -> Array:
        """Where the run-time values of roots, weights or guards stand among the parameters."""
        return self._places[what]

    @cached_property
    def _places(self) -> dict[str, Array]:
        counts = {ROOT: len(self.outputs.radicands), SLOPE: len(self.outputs.guards), OFFSET: len(self.outputs.guards)}
        counts[WEIGHT] = self.m if self.variant.augment else 0
        return {
            what: np.array([self.outputs.run_time[f"{what}{i}"] for i in range(count)], dtype=int)
            for what, count in counts.items()
        }

    @cached_property
    def stated(self) -> Array:
        """1 for the parameters that stand for what was stated, 0 for run-time values."""
        out = np.zeros(self.outputs.parameters)
        symbols = self.stage.statement.symbols
        out[: len(symbols) + len(self.outputs.constants)] = 1.0
        out[[i for i, s in enumerate(symbols) if s in self.stage.run_time]] = 0.0
        return out

    @cached_property
    def masks(self) -> Array:
        """Where the mask of each row stands among the parameters (m,), −1 for a row that is always in force."""
        places = {s: i for i, s in enumerate(self.stage.statement.symbols)}
        masks = self.stage.masks or (None,) * self.m
        return np.array([-1 if mask is None else places[mask] for mask in masks], dtype=int)

    def watch(self, states: Array, times: Array, values: Array) -> Watch:
        """Everything that is watched along states; the square of a row that is not in force is infinite.

        So is what stands under a root that is taken as zero: one would be a size beside which others are none.
        """
        every = self._watch(states, times, values)
        for columns, switches in self._switched:
            if (off := values[..., switches] < 0.5).any():  # a mask and a root are 1, or 0
                if off.ndim == 1:
                    every[:, columns[off]] = np.inf
                else:
                    every[:, columns] = np.where(off, np.inf, every[:, columns])
        return Watch._make([every[:, part] for part in self._watch_parts])

    @cached_property
    def _switched(self) -> list[tuple[Array, Array]]:
        """What is watched only where it is on: its columns, and the places of the parameters that say so."""
        masked, roots = np.flatnonzero(self.masks >= 0), np.arange(len(self.outputs.radicands))
        squares, radicands = (self._watch_parts[k].start for k in (SQUARES, RADICANDS))
        pairs = (squares + masked, self.masks[masked]), (radicands + roots, self.places(ROOT))
        return [pair for pair in pairs if len(pair[0])]

    def gap(self, state: Array, t: float, values: Array, row: int) -> tuple[float, float]:
        """The level and the rate of one row at one state (2n,)."""
        found, (level, rate) = self._watch.alone(state, t, values), self._watch_parts[1:3]
        return float(found[level.start + row]), float(found[rate.start + row])

    @cached_property
    def _watched(self) -> list[list[Any]]:
        o = self.outputs
        inertia, masses = list(o.inertia.values()), list(o.masses.values())
        return [o.acceleration, o.level, o.rate, o.pivots, o.squares, inertia, masses, o.radicands, o.resting, o.jumps]

    @cached_property
    def _watch(self) -> "Function":
        return self._function([e for part in self._watched for e in part])

    @cached_property
    def _watch_parts(self) -> list[slice]:
        ends = [0, *(int(k) for k in np.cumsum([len(part) for part in self._watched]))]
        return [slice(begin, end) for begin, end in pairwise(ends)]

    def sizes(self, states: Array, times: Array, values: Array, scales: Array) -> Array:
        """The sizes of the terms of the constraints and of their rates, (k, 2m); `scales` (2n + 1,) or (k, 2n + 1)."""
        return self._sizes(_beside(states, scales), times, values)

    @cached_property
    def _sizes(self) -> "Function":
        o = self.outputs
        return self._function([*o.level_sizes, *o.rate_sizes], scaled=True)

    def rounding_error(self, states: Array, times: Array, values: Array, found: Array) -> Array | None:
        """How far accelerations found at states are from those computed with longer numbers, where there are any."""
        if self._long is None:
            return None
        given = {"pars": np.ascontiguousarray(values[:, : self._long.nparams].T, dtype=np.longdouble)}
        if not self._long.nparams:
            given = {}
        if self._long.is_time_dependent:
            given["time"] = np.ascontiguousarray(times, dtype=np.longdouble)
        exact = self._long(np.ascontiguousarray(states.T, dtype=np.longdouble), **given).T
        error: Array = np.abs(found - exact).astype(float)
        return error

    @cached_property
    def _long(self) -> Any:
        """The accelerations in the longest numbers of the machine, where they are longer and heyoka has them."""
        if np.finfo(np.longdouble).eps >= np.finfo(float).eps:
            return None
        with compiling:
            try:
                return hy.cfunc(
                    self.outputs.acceleration, vars=self.outputs.variables, fp_type=np.longdouble, compact_mode=True
                )
            except (TypeError, ValueError, RuntimeError, NotImplementedError):
                return None

    @cached_property
    def guards(self) -> "Function":
        """What must stay positive."""
        return self._function(self.outputs.guards)

    def guard_sizes(self, states: Array, times: Array, values: Array, scales: Array) -> Array:
        """The sizes of the terms of the guards (k, g)."""
        return self._guard_sizes(_beside(states, scales), times, values)

    @cached_property
    def _guard_sizes(self) -> "Function":
        return self._function(self.outputs.guard_sizes, scaled=True)

    @cached_property
    def levels(self) -> "Function":
        """The left-hand sides of the constraints of the system, in force or not."""
        return self._function(self.outputs.levels)

    @cached_property
    def paces(self) -> "Function":
        """The accelerations (n) that forces as large as those that act could give each coordinate."""
        return self._function(self.outputs.paces)

    @cached_property
    def looked(self) -> "Function":
        """What else is looked at."""
        return self._function(self.outputs.looked)

    @cached_property
    def powers(self) -> "Function":
        """The power of each of `works`."""
        return self._function([self.outputs.powers[name] for name in self.works])

    @cached_property
    def energy(self) -> "Function":
        """The energy, then the momenta."""
        return self._function([self.outputs.energy, *self.outputs.momenta])

    @cached_property
    def settle(self) -> "Function":
        """What leads back onto the rows in force, to be taken off: places, speeds (n); and the free velocity (n)."""
        o = self.outputs
        return self._function([*o.settle_places, *o.settle_speeds, *o.free_speeds])

    @cached_property
    def arrays(self) -> "Function":
        """The entries of M and A, then b, Q, level, rate."""
        o = self.outputs
        return self._function([*o.M.values(), *o.A.values(), *o.b, *o.Q, *o.level, *o.rate])

    @cached_property
    def mass_places(self) -> tuple[list[int], list[int]]:
        """The rows and columns of the entries of M."""
        return [i for i, _ in self.outputs.M], [j for _, j in self.outputs.M]

    @cached_property
    def row_places(self) -> tuple[list[int], list[int]]:
        """The rows and columns of the entries of A."""
        return [i for i, _ in self.outputs.A], [j for _, j in self.outputs.A]

    @cached_property
    def pattern(self) -> Array:
        """Which coordinates each row contains, whatever their values, (m, n)."""
        out = np.zeros((self.m, self.n), dtype=bool)
        out[self.row_places] = True
        return out

    @cached_property
    def carrying(self) -> Array:
        """By the places of which coordinates each row asks for velocities though all are at rest, (m, n)."""
        form, out = self.stage.statement, np.zeros((self.m, self.n), dtype=bool)
        for r, c in enumerate(form.constraints):
            if not isinstance(c, ON_POSITIONS):
                by = carried_by(c.expr)
                out[r] = [q in by for q in form.coordinates]
        return out

    @cached_property
    def moving_rows(self) -> tuple[bool, ...]:
        """Which rows time moves by itself."""
        return tuple(moves_by_itself(c.expr) for c in self.stage.statement.constraints)

    @cached_property
    def _along(self) -> "Function":
        o = self.outputs
        return self._function([*o.acceleration, *o.ideal, *o.nonideal, *o.multipliers, *o.reactions, o.energy])

    def along(self, states: Array, times: Array, values: Array) -> Along:
        """Everything derived, along states."""
        out = self._along(states, times, values)
        n, m = self.n, self.m
        a, ideal, nonideal, lam, actual = np.split(out[:, :-1], [n, 2 * n, 3 * n, 3 * n + m], axis=1)
        return Along(a, ideal, nonideal, lam, actual, out[:, -1])

    def integrator(self, tolerance: float, compact: bool, scaled: bool) -> Integrator:
        """The compiled integrator for a tolerance, made once."""
        key = (tolerance, compact, scaled)
        if key not in self._integrators:
            with compiling:
                self._integrators[key] = Integrator(self.outputs, tolerance, compact, scaled)
        return self._integrators[key]

    @cached_property
    def _constants(self) -> "Function":
        return self._function(self.outputs.constants)

    def _function(self, expressions: list[Any], scaled: bool = False) -> "Function":
        variables = [*self.outputs.variables, *(self.outputs.scales if scaled else ())]
        with compiling:
            return Function(expressions, variables)


class Function:
    """A compiled function of states, times and parameter values, evaluated along many states at once."""

    def __init__(self, expressions: list[Any], variables: list[Any]) -> None:
        self._size, self._inputs = len(expressions), len(variables)
        self._call = hy.cfunc(expressions, vars=variables, compact_mode=len(variables) > LARGE) if expressions else None
        self._pars = self._call.nparams if self._call is not None else 0
        self._timed = self._call is not None and self._call.is_time_dependent

    def __call__(self, states: Array, times: Array, values: Array) -> Array:
        """The outputs (k, size) along states (k, ≥ inputs); what does not exist comes out as NaN."""
        call, count = self._call, len(states)
        if call is None or not count:
            return np.zeros((count, self._size))
        if count == 1 and values.ndim == 1:
            return self.alone(states[0], float(times[0]), values)[None, :]
        given: dict[str, Any] = {}
        if self._pars:
            pars = np.empty((self._pars, count))
            pars.T[:] = values[..., : self._pars]
            given["pars"] = pars
        if self._timed:
            given["time"] = np.ascontiguousarray(times, dtype=float)
        out: Array = call(np.ascontiguousarray(states[:, : self._inputs].T), **given).T
        return out

    def alone(self, state: Array, t: float, values: Array) -> Array:
        """The outputs (size,) at one state (≥ inputs,)."""
        if self._call is None:
            return np.zeros(self._size)
        given: dict[str, Any] = {}
        if self._pars:
            given["pars"] = values[: self._pars]
        if self._timed:
            given["time"] = t
        out: Array = self._call(np.ascontiguousarray(state[: self._inputs]), **given)
        return out


def _beside(states: Array, scales: Array) -> Array:
    """States and the natural scales at them in one table."""
    n2 = scales.shape[-1] - 1
    out = np.empty((len(states), 2 * n2 + 1))
    out[:, :n2] = states[:, :n2]
    np.abs(out[:, :n2], out=out[:, n2:-1])
    np.maximum(out[:, n2:-1], scales[..., :n2], out=out[:, n2:-1])
    np.maximum(scales[..., n2], 0.0, out=out[:, -1])
    return out


@lru_cache(maxsize=256)
def code(stage: Stage, variant: Variant) -> Code:
    """The compiled code of a stage, kept for the next run."""
    return Code(stage, variant)
