"""The relations a statement makes among positions and among velocities, in numbers: values, slopes, curvatures, terms.

    φ(q, t) = 0 of every constraint on positions,      ψ(q, q̇, t) = 0 of every constraint, ψ = φ̇ for a φ

Nothing else of the statement is derived for them, so that a start can be judged where forces do not exist.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from sympy import Abs, Add, Expr, Function, Heaviside, Max, Min, Mul, Piecewise, Pow, ceiling, floor, sign

from dalembert.derive.algebra import Symbols
from dalembert.derive.edges import edges
from dalembert.derive.intervals import UNBROKEN, bounds
from dalembert.derive.mechanics import constraint_rates
from dalembert.derive.tape import Tape, short
from dalembert.model import ON_POSITIONS, StateError, Statement

Array = np.ndarray
KINKS = (Abs, sign, Heaviside, Max, Min, Piecewise, floor, ceiling)  # where these stand, slopes jump


class Relation:
    """Functions f (m,) of some variables x (k,), with ∂f/∂x and ∂²f/∂x∂x, as tapes over all inputs of a statement."""

    def __init__(self, algebra: Symbols, inputs: Sequence[Expr], functions: Sequence[Expr], variables: Sequence[Expr]):
        self.count, self._size = len(functions), len(variables)
        self._functions, self._inputs = list(functions), inputs
        self._algebra, self._variables = algebra, list(variables)
        self._slopes = [algebra.gradient(f, self._variables) for f in functions]
        self._places = [(r, j) for r, row in enumerate(self._slopes) for j in row]
        self._flat = np.array([r * len(variables) + j for r, j in self._places], dtype=int)

    @cached_property
    def edges(self) -> "list[Relation]":
        """What must be positive where the functions exist, each as a relation of its own."""
        return [Relation(self._algebra, self._inputs, [e], self._variables) for e in edges(self._functions)]

    @cached_property
    def _first(self) -> Tape:
        return Tape(self._inputs, [*self._functions, *(self._slopes[r][j] for r, j in self._places)])

    @cached_property
    def _second(self) -> Mapping[tuple[int, int, int], Expr]:
        """The second derivatives that are not identically zero, (row, i, j) with i ≤ j."""
        found: dict[tuple[int, int, int], Expr] = {}
        for r, i in self._places:
            further = self._algebra.gradient(self._slopes[r][i], self._variables)
            found |= {(r, i, j): g for j, g in further.items() if i <= j}
        return found

    @cached_property
    def _bends(self) -> Tape:
        return Tape(self._inputs, list(self._second.values()))

    @cached_property
    def _index(self) -> Array:
        return np.array(list(self._second), dtype=int).reshape(-1, 3).T

    @property
    def words(self) -> str:
        """The functions as they are written."""
        return ", ".join(map(short, self._functions))

    def variables_by_row(self) -> list[tuple[int, ...]]:
        """The variables each function depends on, by their place; functions of none are left out."""
        return [tuple(row) for row in self._slopes if row]

    def slopes(self, row: int) -> Mapping[int, Expr]:
        """The slopes of a function that are not identically zero, by the place of the variable."""
        return self._slopes[row]

    def depends(self, row: int, free: Array) -> bool:
        """Whether a function depends on any of the free variables."""
        return any(free[j] for j in self._slopes[row])

    def at(self, inputs: Sequence[float]) -> tuple[Array, Array]:
        """f (m,) and ∂f/∂x (m, k) at bare numbers; raises `StateError` where they do not exist."""
        out = self._first(inputs)
        slopes = np.zeros(self.count * self._size)
        slopes[self._flat] = out[self.count :]
        return np.array(out[: self.count]), slopes.reshape(self.count, self._size)

    def over(self, low: Array, high: Array) -> tuple[Array, Array, Array, Array]:
        """Bounds of f (m, count) and of ∂f/∂x (m, k, count) over boxes of inputs (·, count): least, greatest of each.

        Where f may jump, as tan, sign and branches do, its slopes are not bounded: no two values are held together.
        """
        least, most = bounds(self._first, low, high)
        count, m = low.shape[1], self.count
        flat = np.zeros((2, m * self._size, count))
        flat[:, self._flat] = least[m:], most[m:]
        slopes = flat.reshape(2, m, self._size, count)
        slopes[0, self._jumping], slopes[1, self._jumping] = -np.inf, np.inf
        return least[:m], most[:m], slopes[0], slopes[1]

    def bends_over(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Bounds of ∂²f/∂x∂x (m, k, k) over one box of inputs; infinite where f has kinks."""
        found = np.zeros((2, self.count, self._size, self._size))
        if len(self._second):
            r, i, j = self._index
            found[:, r, i, j] = found[:, r, j, i] = np.stack(bounds(self._bends, low[:, None], high[:, None]))[:, :, 0]
        found[0, self._broken], found[1, self._broken] = -np.inf, np.inf
        return found[0], found[1]

    @cached_property
    def _jumping(self) -> Array:
        return np.array([any(type(e) not in UNBROKEN for e in f.atoms(Function)) for f in self._functions], dtype=bool)

    @cached_property
    def _broken(self) -> Array:
        """Which functions have kinks or jumps: what holds of their derivatives does not hold of them."""
        kinked: Array = np.array([f.has(*KINKS) for f in self._functions], dtype=bool)
        return np.asarray(self._jumping | kinked)

    def curvature(self, inputs: Sequence[float], weights: Array) -> Array:
        """Σ_r weights_r ∂²f_r/∂x∂x, shape (k, k)."""
        H = np.zeros((self._size, self._size))
        if len(self._second):
            r, i, j = self._index
            values = weights[r] * np.array(self._bends(inputs))
            np.add.at(H, (i, j), values)
            off = i != j
            np.add.at(H, (j[off], i[off]), values[off])
        return H

    def degree(self, rows: Iterable[int], free: Array) -> int:
        """1 where these rows are affine in the free variables, 2 where they are quadratic, 3 for anything else."""
        chosen = set(rows)
        if any(self._broken[r] for r in chosen):
            return 3
        moving = {x for x, is_free in zip(self._variables, free, strict=True) if is_free}
        bent = [g for (r, i, j), g in self._second.items() if r in chosen and free[i] and free[j]]
        if not bent:
            return 1
        return 3 if any(g.free_symbols & moving for g in bent) else 2


class Values(NamedTuple):
    """level and rate of every constraint (m,), and for each the sum of the sizes of its terms (m,)."""

    level: Array
    rate: Array
    level_size: Array
    rate_size: Array


class Relations:
    """All relations of a statement: `places`, those among positions; `speeds`, those among velocities; their terms.

    `on_positions` has the constraints that are rows of `places`, in their order; every constraint is a row of `speeds`.
    """

    def __init__(self, form: Statement, algebra: Symbols, inputs: Sequence[Expr]) -> None:
        self._algebra, self._inputs = algebra, inputs
        self.level, self.rate = constraint_rates(form, algebra)
        self.on_positions = tuple(r for r, c in enumerate(form.constraints) if isinstance(c, ON_POSITIONS))

    @cached_property
    def places(self) -> Relation:
        """φ of the constraints on positions, as functions of the positions."""
        return Relation(self._algebra, self._inputs, [self.level[r] for r in self.on_positions], self._algebra.q)

    @cached_property
    def speeds(self) -> Relation:
        """ψ of every constraint, as functions of the velocities."""
        return Relation(self._algebra, self._inputs, self.rate, self._algebra.v)

    @cached_property
    def together(self) -> Relation:
        """φ of the constraints on positions, then ψ of every constraint, as functions of positions and velocities."""
        functions = [*(self.level[r] for r in self.on_positions), *self.rate]
        return Relation(self._algebra, self._inputs, functions, [*self._algebra.q, *self._algebra.v])

    @cached_property
    def alone(self) -> Array:
        """For each level, then each rate (2m,), the place of the one coordinate or velocity in it; −1 for any other."""
        places = {x: i for i, x in enumerate([*self._algebra.q, *self._algebra.v])}
        found = [[places[x] for x in f.free_symbols if x in places] for f in (*self.level, *self.rate)]
        return np.array([inside[0] if len(inside) == 1 else -1 for inside in found], dtype=int)

    @cached_property
    def kinked(self) -> bool:
        """Whether some slope may jump where a function does or has a kink."""
        return any(f.has(*KINKS) for f in self.rate)

    @cached_property
    def members(self) -> Array:
        """Whether a velocity stands in a rate (m, n)."""
        found = np.zeros((len(self.rate), len(self._algebra.v)), dtype=bool)
        for r in range(len(self.rate)):
            found[r, list(self.speeds.slopes(r))] = True
        return found

    @cached_property
    def straight(self) -> Array:
        """Which constraints (m,) have the same slopes everywhere."""
        moving = {*self._algebra.q, *self._algebra.v}
        slopes = [self.speeds.slopes(r).values() for r in range(len(self.rate))]
        return np.array([not any(e.free_symbols & moving for e in row) for row in slopes], dtype=bool)

    @cached_property
    def _plain(self) -> Tape:
        return Tape(self._inputs, [*self.level, *self.rate])

    @cached_property
    def _termed(self) -> tuple[Tape, Array]:
        """Values and terms; and for each term the row it belongs to."""
        parts = [addends(f) for f in (*self.level, *self.rate)]
        owner = np.repeat(np.arange(len(parts)), list(map(len, parts)))
        return Tape(self._inputs, [*self.level, *self.rate, *(e for part in parts for e in part)]), owner

    def values(self, inputs: Sequence[float]) -> Values:
        """level and rate with the sizes of their terms; raises `StateError` where a constraint does not exist."""
        tape, owner = self._termed
        m = 2 * len(self.level)
        try:
            out = np.array(tape(inputs))
            f, sizes = out[:m], np.bincount(owner, np.abs(out[m:]), minlength=m)
        except StateError:  # a term may not exist where the whole does: then the whole is all that can be told
            f = np.array(self._plain(inputs))
            sizes = np.abs(f)
        level, rate = f.reshape(2, -1)
        return Values(level, rate, *sizes.reshape(2, -1))

    def plain(self, inputs: Sequence[float]) -> Array:
        """level, then rate (2m,)."""
        return np.array(self._plain(inputs))


def addends(f: Expr) -> list[Expr]:
    """The terms f is the sum of; of a product, a power or a function, what is inside is taken apart, to first order.

    What must cancel for f to be zero: x (x² + y² − 1) has the terms x x², x y², −x, and sin(a − b) has cos(a − b) a
    and −cos(a − b) b.
    """
    if isinstance(f, Add):
        return list(f.args)
    if isinstance(f, Mul):
        parts = [(i, addends(a)) for i, a in enumerate(f.args)]
        return [Mul(*f.args[:i], e, *f.args[i + 1 :]) for i, part in parts if len(part) > 1 for e in part] or [f]
    if isinstance(f, Pow) and f.exp.is_Integer and f.exp > 1:
        return [f.exp * f.base ** (f.exp - 1) * e for e in addends(f.base)]
    if isinstance(f, Abs):
        return addends(f.args[0])
    if isinstance(f, Function) and len(f.args) == 1 and not isinstance(f, KINKS) and len(addends(f.args[0])) > 1:
        return [f.fdiff() * e for e in addends(f.args[0])]
    return [f]
