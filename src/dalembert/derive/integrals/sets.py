"""A set of 1-forms, and the conditions it puts on the coefficients of a first integral of a stated shape."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from sympy import (
    Dummy,
    Expr,
    Float,
    Function,
    Mul,
    Pow,
    Rational,
    Symbol,
    cos,
    cosh,
    exp,
    log,
    sin,
    sinh,
    sympify,
    tan,
)
from sympy.core.numbers import NumberSymbol

from dalembert.derive.exact import PRIMES, Points, Unvalued
from dalembert.derive.integrals.nullspace import annihilator, contract, rank

SPARE = 8  # conditions beyond the number of unknowns
ADDED: dict[type, Callable[[Expr, Callable[[type], Expr]], Expr]] = {  # f(v + c), by v and what gives g(c)
    sin: lambda v, at: sin(v) * at(cos) + cos(v) * at(sin),
    cos: lambda v, at: cos(v) * at(cos) - sin(v) * at(sin),
    tan: lambda v, at: (sin(v) * at(cos) + cos(v) * at(sin)) / (cos(v) * at(cos) - sin(v) * at(sin)),
    sinh: lambda v, at: sinh(v) * at(cosh) + cosh(v) * at(sinh),
    cosh: lambda v, at: cosh(v) * at(cosh) + sinh(v) * at(sinh),
    exp: lambda v, at: exp(v) * at(exp),
}
DRAWS = (2, 16, 128)  # points drawn for each one wanted: square roots exist at one of two


@dataclass(frozen=True)
class Pfaffian:
    """1-forms ω_i = Σ_x rows[i][x] dx; `variables` are all that vary, other symbols are constants."""

    rows: tuple[Mapping[Symbol, Expr], ...]
    variables: tuple[Symbol, ...]

    @cached_property
    def moving(self) -> tuple[Symbol, ...]:
        """The variables whose differentials occur; an integral depends on no others."""
        return tuple(x for x in self.variables if any(row.get(x, 0) != 0 for row in self.rows))

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The constants in the coefficients, by name."""
        symbols = set().union(*(e.free_symbols for row in self.rows for e in row.values())) if self.rows else set()
        return tuple(sorted(symbols - set(self.variables), key=lambda s: s.sort_key()))

    def at(self, points: Points) -> np.ndarray:
        """The rows at points, shape (count, m, moving)."""
        out = np.zeros((points.count, len(self.rows), len(self.moving)), dtype=np.int64)
        for i, row in enumerate(self.rows):
            for j, x in enumerate(self.moving):
                if row.get(x, 0) != 0:
                    out[:, i, j] = points.of(row[x])
        return out


def plain(rows: Sequence[Mapping[Symbol, Expr]], variables: Sequence[Symbol]) -> tuple[Pfaffian, dict[Expr, Expr]]:
    """The forms with decimal numbers as fractions and functions of constants as symbols, and the way back.

    Constants in angles and exponents are taken out of them, cos(θ + α) = cos θ cos α − sin θ sin α: so functions of θ
    that differ by such constants are seen to be combinations of few.
    """
    varying = set(variables)
    names: dict[Expr, Expr] = {}

    def constant(e: Expr) -> bool:
        return not e.free_symbols & varying and (
            isinstance(e, Function | NumberSymbol) or (isinstance(e, Pow) and not e.exp.is_Integer)
        )

    def name(c: Expr) -> Expr:
        if not constant(c):
            return c
        # each with a name of its own: where two are alike, SymPy orders them by their places in memory
        return names.setdefault(c, Dummy(f"constant_{len(names)}", positive=c.is_positive, real=True))

    def clean(e: Expr) -> Expr:
        e = sympify(e, strict=True)  # numbers too, but no text
        return e.xreplace({x: Rational(str(x)) for x in e.atoms(Float)})

    whole = [{x: clean(e) for x, e in row.items() if e != 0 and x in varying} for row in rows]
    rule = apart([e for row in whole for e in row.values()], varying, name)
    out = tuple({x: e.xreplace(rule).replace(constant, name) for x, e in row.items()} for row in whole)
    forms = Pfaffian(tuple(row for row in out if row), tuple(variables))
    back: dict[Expr, Expr] = {}
    for e, name in names.items():  # what is inside comes first
        back[name] = e.xreplace(back)
    return forms, back


def apart(entries: Sequence[Expr], varying: Set[Symbol], name: Callable[[Expr], Expr]) -> dict[Expr, Expr]:
    """How functions of v + c, for the same v, are said by those of v + c₀; `name` is put on functions of c − c₀."""
    functions = sorted({f for e in entries for f in e.atoms(*ADDED)}, key=lambda f: f.sort_key())
    split = {f: f.args[0].as_independent(*varying, as_Add=True) for f in functions}
    least: dict[Expr, Expr] = {}
    for c, v in split.values():
        least[v] = min(least.get(v, c), c, key=lambda c: (c != 0, c.sort_key()))

    def at(d: Expr) -> Callable[[type], Expr]:
        return lambda g: name(g(d))

    return {f: ADDED[f.func](v + least[v], at(c - least[v])) for f, (c, v) in split.items() if v != 0 and c != least[v]}


@lru_cache(4096)
def slope(e: Expr, x: Symbol) -> Expr:
    """∂e/∂x, kept: the same functions are evaluated at many sets of points."""
    return e.diff(x)


def gradient(e: Expr, variables: Sequence[Symbol], points: Points) -> np.ndarray:
    """∂e/∂x at points, shape (count, n); that of a logarithm by d log u = du/u."""
    if isinstance(e, log):
        inner = e.args[0]
        inside: np.ndarray = gradient(inner, variables, points) * points.power(points.of(inner), -1)[:, None]
        return points.reduce(inside)
    out = np.zeros((points.count, len(variables)), dtype=np.int64)
    for k, x in enumerate(variables):
        if x in e.free_symbols:
            out[:, k] = 1 if x == e else points.of(slope(e, x))
    return out


@dataclass(frozen=True)
class Basis:
    """Functions to combine: the monomials of `generators` with these `exponents`, and `others` as they are.

    With each exponent tuple, the ones below it must be among `exponents` before it.
    """

    generators: tuple[Expr, ...]
    exponents: tuple[tuple[int, ...], ...]
    others: tuple[Expr, ...] = ()

    def __len__(self) -> int:
        return len(self.exponents) + len(self.others)

    def function(self, k: int) -> Expr:
        """The function of column k."""
        if k >= len(self.exponents):
            return self.others[k - len(self.exponents)]
        return Mul(*(g**e for g, e in zip(self.generators, self.exponents[k], strict=True)))

    def gradients(self, variables: Sequence[Symbol], points: Points) -> np.ndarray:
        """The gradients of all functions, shape (count, n, len(self)), by d(m g) = m dg + g dm."""
        p = points.prime
        values = [points.of(g)[:, None] for g in self.generators]
        steps = [gradient(g, variables, points) for g in self.generators]
        one, zero = np.ones((points.count, 1), dtype=np.int64), np.zeros((points.count, len(variables)), dtype=np.int64)
        known = {(0,) * len(self.generators): (one, zero)}
        for exponents in self.exponents:
            i = next(i for i, e in enumerate(exponents) if e)
            value, slope = known[(*exponents[:i], exponents[i] - 1, *exponents[i + 1 :])]
            known[exponents] = value * values[i] % p, (value * steps[i] % p + slope * values[i] % p) % p
        columns = [known[e][1] for e in self.exponents] + [gradient(e, variables, points) for e in self.others]
        return np.stack(columns, axis=2)


class Conditions(NamedTuple):
    """X_j m_k = `matrix` (points, fields, columns) and dm_k = `gradients` (points, n, columns), modulo `prime`."""

    matrix: np.ndarray
    gradients: np.ndarray
    points: Points
    good: np.ndarray
    prime: int


def conditions(forms: Pfaffian, basis: Basis, unknowns: int, **drawn: Any) -> Conditions:
    """What Σ c_k m_k must satisfy to be an integral, at enough points for so many unknowns; `drawn` is for Points.

    f is an integral when X f = 0 for every field X that the forms annihilate. Raises Unvalued.
    """
    free = max(1, len(forms.moving) - len(forms.rows))
    wanted = (unknowns + SPARE) // free + 2
    for times in DRAWS:
        points = Points(forms.variables, wanted * times if times > DRAWS[0] else wanted + 3, **drawn)
        rows = forms.at(points)
        gradients = basis.gradients(forms.moving, points)
        fields = annihilator(rows, points.prime)
        good = np.flatnonzero(points.good & fields.good)
        if good.size >= wanted:
            good = good[:wanted]
            slopes = gradients[good]
            return Conditions(contract(fields.fields[good], slopes, points.prime), slopes, points, good, points.prime)
    raise Unvalued("too few points where all coefficients are defined")


def independent(forms: Pfaffian, found: Sequence[Expr], new: Expr) -> bool:
    """Whether `new` is an integral of the forms and no function of those found: dnew ∈ span ω, rank one higher.

    Tested at random points modulo a prime no integral was computed with.
    """
    free = max(1, len(forms.moving) - len(forms.rows))
    for times in DRAWS:
        points = Points(forms.variables, (SPARE + 2 * free) * times, PRIMES[2], seed=7, vary=True)
        rows = forms.at(points)
        slopes = np.stack([gradient(f, forms.moving, points) for f in (*found, new)], axis=1)
        fields = annihilator(rows, points.prime)
        good = np.flatnonzero(points.good & fields.good)[:SPARE]
        if good.size == SPARE:
            if new.free_symbols & set(forms.variables) - set(forms.moving):
                return False
            if np.any(contract(fields.fields[good], slopes[good, -1:].transpose(0, 2, 1), points.prime)):
                return False
            return all(rank(slopes[k], points.prime) == len(found) + 1 for k in good[:2])
    raise Unvalued("too few points where all coefficients are defined")
