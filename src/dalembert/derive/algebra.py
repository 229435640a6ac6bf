"""The small calculus over which the mechanics is written once, and its SymPy instance.

The derivation needs an expression type E with + − * / and integer powers, and the few operations below. SymPy is the
instance for equations that people read; an instance over compiled expressions needs these operations and no more.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from sympy import Abs, Add, Basic, Dummy, Expr, MatrixBase, Max, Min, Piecewise, S, Symbol, sqrt
from sympy.core.relational import Relational

from dalembert.derive.differentiate import Differentiator
from dalembert.model import Statement, name_of, time

UNEVALUATED = (Max, Min, Piecewise, Relational)  # SymPy compares their arguments with each other, without limit
E = TypeVar("E", bound=Any)  # an expression: it has + − * / and integer powers


class Algebra(Protocol[E]):
    """Symbols for a statement's coordinates, velocities, time and multipliers, and a calculus over them."""

    q: tuple[E, ...]
    v: tuple[E, ...]
    t: E
    lam: tuple[E, ...]
    zero: E

    def convert(self, expr: Expr, known: Mapping[Expr, E]) -> E:
        """A SymPy expression of the statement in this algebra; `known` gives the reactions in it a value."""
        ...

    def convert_force(self, expr: Expr, known: Mapping[Expr, E]) -> E:
        """The same of a force, which is not differentiated."""
        ...

    def gradient(self, f: E, variables: Sequence[E]) -> dict[int, E]:
        """The derivatives of f that are not identically zero, by the place of the variable."""
        ...

    def total(self, terms: Sequence[E]) -> E:
        """The sum of the terms."""
        ...

    def combine(self, pairs: Sequence[tuple[E, E]]) -> E:
        """The sum of the products of pairs."""
        ...

    def is_zero(self, f: E) -> bool:
        """Whether f is identically zero as far as its form shows."""
        ...

    def sqrt(self, f: E) -> E:
        """The square root."""
        ...

    def abs(self, f: E) -> E:
        """The absolute value."""
        ...


class Symbols:
    """The SymPy algebra: coordinates and velocities become independent real symbols, and can be put back."""

    def __init__(self, system: Statement) -> None:
        self.q = tuple(Dummy(name_of(q), real=True) for q in system.coordinates)
        self.v = tuple(Dummy(name_of(v), real=True) for v in system.velocities)
        self.t = Dummy("t", real=True)
        self.lam = tuple(Dummy(f"lambda_{i}", real=True) for i in range(1, len(system.constraints) + 1))
        self.zero = S.Zero
        # A parameter stated without an assumption stands for a real number all the same.
        self.parameters = {s: s if s.is_real else Dummy(s.name, real=True) for s in system.symbols}
        self._down: dict[Expr, Expr] = {
            **dict(zip(system.velocities, self.v, strict=True)),
            **dict(zip(system.coordinates, self.q, strict=True)),
            **{s: r for s, r in self.parameters.items() if s is not r},
            time(): self.t,
        }
        self._differentiator = Differentiator([*self.q, *self.v, self.t])
        self._up = {symbol: origin for origin, symbol in self._down.items()}

    def convert(self, expr: Expr, known: Mapping[Expr, Expr] | None = None) -> Expr:
        """Replace x(t), ẋ(t), t (and the reactions in `known`) by their symbols."""
        return replaced(expr, {**self._down, **known} if known else self._down)

    convert_force = convert

    def restore(self, expr: Any) -> Any:
        """The inverse of `convert`: back to x(t), ẋ(t) and t, for expressions and matrices."""
        if isinstance(expr, MatrixBase):
            return expr.applyfunc(lambda e: replaced(e, self._up))
        return replaced(expr, self._up)

    def gradient(self, f: Expr, variables: Sequence[Symbol]) -> dict[int, Expr]:
        """The non-zero derivatives; what was differentiated once is remembered."""
        slopes = self._differentiator.slopes(f)
        return {i: slopes[x] for i, x in enumerate(variables) if x in slopes}

    def total(self, terms: Sequence[Expr]) -> Expr:
        """One flat sum."""
        return Add(*terms)

    def combine(self, pairs: Sequence[tuple[Expr, Expr]]) -> Expr:
        """One flat sum."""
        return Add(*(a * b for a, b in pairs))

    def is_zero(self, f: Expr) -> bool:
        """Structural test."""
        return f is S.Zero or f == 0

    def sqrt(self, f: Expr) -> Expr:
        """The square root."""
        return sqrt(f)

    def abs(self, f: Expr) -> Expr:
        """The absolute value."""
        return Abs(f)


def replaced(expr: Expr, rule: Mapping[Expr, Expr]) -> Expr:
    """`expr` with parts replaced, as `xreplace` does, but what SymPy compares at length is rebuilt as it stands."""
    memo: dict[Basic, Basic] = {}

    def go(e: Basic) -> Basic:
        if e in rule:
            return rule[e]
        if not e.args:
            return e
        if e not in memo:
            arguments = [go(a) for a in e.args]
            if all(new is old for new, old in zip(arguments, e.args, strict=True)):
                memo[e] = e
            elif isinstance(e, UNEVALUATED):
                memo[e] = e.func(*arguments, evaluate=False)
            else:
                memo[e] = e.func(*arguments)
        return memo[e]

    return go(expr)
