"""Where constraints are looked at: the space of coordinates and time, values of parameters, and the start."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from sympy import Expr, Rational, S, Symbol

from dalembert.derive.algebra import Symbols
from dalembert.derive.exact import vanishes
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.singular import Place
from dalembert.derive.prepared import prepared
from dalembert.derive.tidy import tidy
from dalembert.model import Statement

NOWHERE = (S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity)


@dataclass(frozen=True, eq=False)
class Ground:
    """Coordinates and time of a statement as symbols, and the values of the parameters that have one."""

    system: Statement
    algebra: Symbols
    values: Mapping[Symbol, Expr]

    @classmethod
    def of(cls, system: Statement) -> Self:
        """The ground of a statement."""
        algebra = prepared(system).algebra
        return cls(system, algebra, {algebra.parameters[s]: Rational(repr(x)) for s, x in system.values})

    @property
    def variables(self) -> list[Symbol]:
        """The coordinates, and the time as the last."""
        return [*self.algebra.q, self.algebra.t]

    @cached_property
    def near(self) -> dict[Symbol, float]:
        """The start, where it is stated and has a value; else nothing."""
        start = self.start
        numbers = {x: e.xreplace(dict(self.values)) for x, e in start.items()}
        return {x: float(e) for x, e in numbers.items()} if all(e.is_number for e in numbers.values()) else {}

    @cached_property
    def start(self) -> dict[Symbol, Expr]:
        """The coordinates at the start and the time then, 0; nothing where no start is stated."""
        if not self.system.initial:
            return {}
        given = dict(self.system.initial)
        places = zip(self.system.coordinates, self.algebra.q, strict=True)
        at = {x: self.algebra.convert(given.get(q, S.Zero)) for q, x in places}
        return {**at, self.algebra.t: S.Zero}

    def constant(self, f: Expr) -> Expr | None:
        """The value of a function of coordinates and time at the start; None where there is none."""
        if not self.start:
            return None
        value = tidy(f.xreplace(self.start))
        return None if value.has(*NOWHERE) else self.algebra.restore(value)

    def named(self, row: Row) -> dict[Symbol, Expr]:
        """The coefficients of a form that are not zero, by variable."""
        return {x: a for x, a in zip(self.variables, row, strict=True) if a != 0}

    def form(self, row: Row) -> tuple[tuple[Expr, Expr], ...]:
        """The same in the statement's own x(t) and t."""
        back = self.algebra.restore
        return tuple((back(x), back(a)) for x, a in self.named(row).items())

    def vanishes(self, e: Expr) -> bool:
        """Whether a function of coordinates and time is identically zero, for the values given."""
        return vanishes(e, self.variables, self.values)

    def differential(self, f: Expr) -> Row:
        """The coefficients of df for a function of coordinates and time."""
        g = self.algebra.gradient(f, self.variables)
        return tuple(g.get(j, S.Zero) for j in range(len(self.variables)))

    def restored(self, places: Iterable[Sequence[Expr]]) -> tuple[Place, ...]:
        """Places in the statement's own x(t)."""
        return tuple(tuple(self.algebra.restore(e) for e in place) for place in places)
