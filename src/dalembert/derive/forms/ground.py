"""Where constraints are looked at: the space of coordinates and time, values of parameters, and the start."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

from sympy import (
    AccumBounds,
    Expr,
    Float,
    Function,
    Heaviside,
    I,
    Max,
    Min,
    Mul,
    Piecewise,
    PolynomialError,
    Pow,
    S,
    Symbol,
    atan,
    atan2,
    factor,
    log,
)
from sympy.core.function import AppliedUndef

from dalembert.derive.algebra import Symbols
from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.exact import Together, exact, settled, vanishes
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.pfaff import Form, form_of
from dalembert.derive.forms.singular import Place
from dalembert.derive.mechanics import constraint_rates
from dalembert.derive.prepared import prepared
from dalembert.derive.tidy import tidy
from dalembert.model import Statement
from dalembert.model.constants import NAME_OF

if TYPE_CHECKING:
    from dalembert.derive.forms.relations import Relations

NOWHERE = (S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity, AccumBounds)
SAYABLE = (*NAME_OF, Max, Min, Piecewise, Heaviside, atan2, AppliedUndef)
EFFORT = 0.5
MOST_TERMS = 60  # of a radicand that is factored


@dataclass(frozen=True, eq=False)
class Ground:
    """Coordinates and time of a statement as symbols, with values `given` to some parameters and numbers exact."""

    system: Statement
    algebra: Symbols
    given: Mapping[Symbol, Expr]
    numbers: Together
    _relations: "dict[tuple[int, ...], Relations]" = field(default_factory=dict)

    @classmethod
    def of(cls, system: Statement, *, valued: bool = False) -> Self:
        """The ground of a statement: for all values of its parameters, or for those it gives."""
        algebra = prepared(system).algebra
        values = [x for _, x in system.values] if valued else []
        numbers = Together([*(c.expr for c in system.constraints), *map(Float, values)])
        given = {algebra.parameters[s]: numbers.told(Float(x)) for s, x in system.values} if valued else {}
        return cls(system, algebra, given, numbers)

    @property
    def variables(self) -> list[Symbol]:
        """The coordinates, and the time as the last."""
        return [*self.algebra.q, self.algebra.t]

    def stated(self, e: Expr) -> Expr:
        """An expression of the statement in these symbols, its numbers exact."""
        return self.clean(self.algebra.convert(e))

    def clean(self, e: Expr) -> Expr:
        """The values given in place of parameters, fractions in place of decimals, and constants in one form."""
        e = self.numbers.of(e)
        e = settled(e.xreplace(dict(self.given)) if self.given else e)
        hidden = [r for r in e.atoms(Pow) if r.exp.is_Rational and not r.exp.is_Integer and r.base.is_Add]
        return e.xreplace({r: factored(r.base) ** r.exp for r in hidden})

    @cached_property
    def forms(self) -> list[Form]:
        """The form of every constraint: dφ of a relation among coordinates, ψ dt of one among velocities."""
        _, rates = constraint_rates(self.system, self.algebra)
        return [form_of(self.clean(psi), self.algebra) for psi in rates]

    @cached_property
    def decimal(self) -> bool:
        """Whether decimal numbers stand in the constraints: these are rounded, and so is what follows from them."""
        used = set().union(*(c.expr.free_symbols for c in self.system.constraints))
        return any(c.expr.has(Float) for c in self.system.constraints) or any(
            s in used and not float(x).is_integer() for s, x in self.system.values
        )

    @cached_property
    def at_values(self) -> "Ground":
        """The same ground for the values given of the parameters."""
        return Ground.of(self.system, valued=True)

    def relations(self, places: Sequence[int]) -> "Relations":
        """The relations at some places of the statement, and where they hold; found once."""
        from dalembert.derive.forms.relations import Relations

        own = tuple(places)
        if own not in self._relations:
            stated = [self.stated(self.system.constraints[i].expr) for i in own]
            self._relations[own] = Relations(stated, self.variables, self.near, decimal=self.decimal)
        return self._relations[own]

    @cached_property
    def near(self) -> dict[Symbol, float]:
        """The start, where it is stated and has a value; else nothing."""
        values = {self.algebra.parameters[s]: exact(x) for s, x in self.system.values}
        numbers = {x: e.xreplace(values) for x, e in self.start.items()}
        return {x: float(e) for x, e in numbers.items()} if all(e.is_number for e in numbers.values()) else {}

    @cached_property
    def start(self) -> dict[Symbol, Expr]:
        """The coordinates at the start and the time then, 0; nothing where no start is stated."""
        if not self.system.initial:
            return {}
        given = dict(self.system.initial)
        places = zip(self.system.coordinates, self.algebra.q, strict=True)
        at = {x: self.stated(given.get(q, S.Zero)) for q, x in places}
        return {**at, self.algebra.t: S.Zero}

    def fit(self, f: Expr) -> Expr:
        """An integral that exists at the start where f does not.

        1/f at a pole, log(−u) and products with (−u)^a where u is negative, −atan(1/u) where u is infinite.
        """
        if not self.start:
            return f
        at = {x: Float(v) for x, v in self.near.items()} if self.near else self.start
        for part in f.atoms(log):
            if part.args[0].xreplace(at).is_negative:
                f = f.xreplace({part: log(-part.args[0])})
        for part in Mul.make_args(f):
            if isinstance(part, Pow) and not part.exp.is_Integer and part.base.xreplace(at).is_negative:
                f = f.xreplace({part: Pow(-part.base, part.exp)})
        for part in f.atoms(atan):
            if part.args[0].xreplace(self.start).has(*NOWHERE):
                f = f.xreplace({part: -atan(1 / part.args[0])})
        if f.xreplace(self.start).has(*NOWHERE) and not (1 / f).xreplace(self.start).has(*NOWHERE):
            return 1 / f
        return f

    def constant(self, f: Expr) -> Expr | None:
        """The value of a function of coordinates and time at the start; None where there is none."""
        if not self.start:
            return None
        value = shortened(f.xreplace(self.start))
        return None if value.has(*NOWHERE) or not self._is_real(value) else self.algebra.restore(value)

    def _is_real(self, value: Expr) -> bool:
        """Whether a constant is real for the values given, or plainly not of others."""
        if value.is_real is not None:
            return bool(value.is_real)
        values = {self.algebra.parameters[s]: exact(x) for s, x in self.system.values}
        number = value.xreplace(values)
        if number.is_number:
            return bool(number.is_real or not number.evalf().has(I))
        return not any(p.base.is_negative and not p.exp.is_integer for p in value.atoms(Pow))

    def named(self, row: Row) -> dict[Symbol, Expr]:
        """The coefficients of a form that are not zero, by variable."""
        return named(row, self.variables)

    def form(self, row: Row) -> tuple[tuple[Expr, Expr], ...]:
        """The same in the statement's own x(t) and t."""
        back = self.algebra.restore
        return tuple((back(x), back(a)) for x, a in self.named(row).items())

    def vanishes(self, e: Expr) -> bool:
        """Whether a function of coordinates and time is identically zero."""
        return vanishes(e, self.variables)

    def differential(self, f: Expr) -> Row:
        """The coefficients of df for a function of coordinates and time."""
        g = self.algebra.gradient(f, self.variables)
        return tuple(g.get(j, S.Zero) for j in range(len(self.variables)))

    def restored(self, places: Iterable[Sequence[Expr]]) -> tuple[Place, ...]:
        """Places in the statement's own x(t)."""
        return tuple(tuple(self.algebra.restore(e) for e in place) for place in places)


def named(row: Row, variables: Sequence[Symbol]) -> dict[Symbol, Expr]:
    """The coefficients of a form that do not vanish, by variable."""
    pairs = zip(variables, row, strict=True)
    return {x: a for x, a in pairs if a != 0 and (a.is_Rational or not vanishes(a, variables))}


def is_sayable(f: Expr) -> bool:
    """Whether a function is made of what a statement may contain: the elementary functions, and those only named."""
    return all(isinstance(part, SAYABLE) for part in f.atoms(Function))


def factored(e: Expr) -> Expr:
    """The factors of what stands under a root, where it is not too long: a square may be hidden in it."""
    try:
        weigh(e, most=MOST_TERMS)
        whole: Expr = factor(e)
        return whole
    except (TooMuch, PolynomialError):
        return e


def shortened(e: Expr) -> Expr:
    """An expression in a short form, where it is not too long."""
    try:
        with effort(EFFORT):
            return tidy(e)
    except TooMuch:
        return e
