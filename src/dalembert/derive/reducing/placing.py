"""An embedding in numbers: places, J, velocities and bias at a state of the new coordinates; and random such states."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Symbol

from dalembert.derive.evaluate import Array
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.identity import random_points
from dalembert.derive.relations import addends
from dalembert.derive.tape import Tape
from dalembert.model import ModelError

TRIES = 60
LOST = 1e-9
KNOWN = 0.25  # of J: by how much it may change within the rounding of x; at a root of u³ or u² it changes by more
EPS = float(np.finfo(float).eps)


class Place(NamedTuple):
    """The old coordinates at a state of the new ones: y, ẏ and γ = ÿ − Jẍ (n,), J (n, k)."""

    y: Array
    J: Array
    rates: Array
    bias: Array


class State(NamedTuple):
    """A state of the new coordinates: x, ẋ (k,), the time, and the parameters by symbol."""

    x: Array
    v: Array
    t: float
    values: Mapping[Symbol, float]


class Placing:
    """The numbers of a chart; its inputs are x, ẋ, t and the parameters by symbol."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.symbols = tuple(chart.algebra.parameters)
        self._spots = [(i, j) for i, row in enumerate(chart.J) for j in row]

    @cached_property
    def _tape(self) -> Tape:
        slopes = [self.chart.J[i][j] for i, j in self._spots]
        return Tape(self._inputs, [*self.chart.y, *self.chart.rates, *self.chart.bias, *slopes])

    @cached_property
    def _where(self) -> Tape:
        """Places, slopes and ∂y/∂t alone, for the way back from y to x."""
        slopes = [self.chart.J[i][j] for i, j in self._spots]
        return Tape(self._inputs, [*self.chart.y, *self.chart.drift, *slopes])

    @property
    def _inputs(self) -> list[Expr]:
        a = self.chart.algebra
        return [*a.q, *a.v, a.t, *a.parameters.values()]

    def at(self, state: State) -> Place:
        """The place at a state; raises `StateError` where the embedding has no value."""
        n = self.chart.n
        out = self._tape(self._numbers(state))
        return Place(
            np.array(out[:n]), self._slopes(out[3 * n :]), np.array(out[n : 2 * n]), np.array(out[2 * n : 3 * n])
        )

    def where(self, x: Array, t: float, values: Mapping[Symbol, float]) -> tuple[Array, Array, Array]:
        """y (n,), J (n, k) and ∂y/∂t (n,) at new coordinates."""
        n = self.chart.n
        out = self._where(self._numbers(State(x, np.zeros(len(x)), t, values)))
        return np.array(out[:n]), self._slopes(out[2 * n :]), np.array(out[n : 2 * n])

    @staticmethod
    def fails(J: Array) -> bool:
        """Whether J (n, k) has lost its rank, rows scaled so that units do not count."""
        rows = np.linalg.norm(J, axis=1, keepdims=True)
        sigma = np.linalg.svd(J / np.where(rows > 0, rows, 1.0), compute_uv=False)
        return bool(len(sigma) and sigma[-1] <= LOST * sigma[0])

    @np.errstate(over="ignore", invalid="ignore")
    def flat(self, x: Array, t: float, values: Mapping[Symbol, float], off: Array) -> bool:
        """Whether J (n, k) is not known at x, or has lost its rank, because the place y does not tell x well enough.

        `off` (n,) is how far y(x) is from the place. Coordinates that differ from x by no more than that, or by the
        rounding of the terms of y, are the same: where J is another there, nothing follows from it. So it is at u = 0
        of u³, where no step of Newton's method ends at rounding.
        """
        J = self.where(x, t, values)[1]
        if self.fails(J):
            return True
        columns = np.linalg.norm(J, axis=0)
        back = np.linalg.pinv(J / columns)
        step = np.abs(back) @ (np.abs(off) + 4 * EPS * self._sizes(x, t, values)) / columns
        for side in (-1, 1):
            try:
                other = self.where(x + side * step, t, values)[1]
            except ModelError:
                return True
            if not np.abs(back @ ((other - J) / columns)).max() < KNOWN:
                return True
        return False

    def _sizes(self, x: Array, t: float, values: Mapping[Symbol, float]) -> Array:
        """The sum of the sizes of the terms of every y_i (n,)."""
        parts = [addends(y) for y in self.chart.y]
        tape = Tape(self._inputs, [e for part in parts for e in part])
        try:
            terms = np.abs(tape(self._numbers(State(x, np.zeros(len(x)), t, values))))
        except ModelError:  # a term may not exist where the whole does
            return np.asarray(np.abs(self.where(x, t, values)[0]))
        owner = np.repeat(np.arange(len(parts)), list(map(len, parts)))
        return np.asarray(np.bincount(owner, terms, minlength=len(parts)))

    def _numbers(self, state: State) -> list[float]:
        return [*state.x, *state.v, state.t, *(state.values[s] for s in self.symbols)]

    def _slopes(self, out: Sequence[float]) -> Array:
        J = np.zeros((self.chart.n, self.chart.k))
        for spot, value in zip(self._spots, out, strict=True):
            J[spot] = value
        return J

    def states(
        self, count: int, seed: int = 0, known: Mapping[Symbol, float] | None = None
    ) -> Iterator[tuple[State, Place]]:
        """Random states at which the embedding exists; parameters have the values of the system, or those `known`."""
        a, known = self.chart.algebra, dict(self.chart.system.values) if known is None else known
        symbols: list[Any] = [*a.q, *a.v, a.t, *a.parameters.values()]
        found = 0
        for point in random_points(symbols, TRIES, seed):
            values = {s: known.get(s, point[r]) for s, r in a.parameters.items()}
            x, v = np.array([point[q] for q in a.q]), np.array([point[u] for u in a.v])
            state = State(x, v, point[a.t], values)
            try:
                yield state, self.at(state)
            except ModelError:
                continue
            found += 1
            if found == count:
                return
