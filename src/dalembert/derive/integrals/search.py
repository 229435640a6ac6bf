"""First integrals of a set of 1-forms: functions whose differentials the forms span."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any

from sympy import Expr, Mul, Symbol
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.effort import TooMuch, affordable, effort, spend
from dalembert.derive.exact import Untried, Unvalued
from dalembert.derive.integrals.ansatz import combined
from dalembert.derive.integrals.factor import factor_of, reduced
from dalembert.derive.integrals.levels import combinations_of, levels
from dalembert.derive.integrals.potential import primitive
from dalembert.derive.integrals.readable import restored, rewritten, shortened, written
from dalembert.derive.integrals.sets import Basis, Pfaffian, independent, plain
from dalembert.derive.integrals.shapes import exponents, factored, factors, generators, large, simple

UNABLE = (
    TooMuch,
    Unvalued,
    Untried,
    BasePolynomialError,
    NotImplementedError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
LONG = 15  # operations from which an integral is also sought by integration
PER_CUBE = 2e-6  # steps an elimination takes for each cube of its size
PER_POINT = 2e-4  # steps that each of its entries takes


def find_integrals(
    rows: Sequence[Mapping[Symbol, Expr]], variables: Sequence[Symbol], wanted: int, units: float
) -> list[Expr]:
    """Up to `wanted` functionally independent f with df = Σ μ_i ω_i, simplest first.

    The forms are ω_i = Σ_x rows[i][x] dx; symbols not among `variables` are constants. Every f given has been verified.
    Fewer come back where the shapes tried do not hold more, or the effort is used up: `units` of it.
    """
    forms, back = plain(rows, variables)
    found: list[Expr] = []
    if wanted > 0 and forms.moving:
        with effort(units):
            for f in candidates(forms, found, wanted):
                if accepted(forms, found, f):
                    found.append(f)
                if len(found) >= wanted:
                    break
            found = shortened(found, forms.variables)
    return sorted((restored(f, back, variables) for f in found), key=lambda f: (f.count_ops(), f.sort_key()))


def accepted(forms: Pfaffian, found: Sequence[Expr], f: Expr) -> bool:
    """Whether f is a new integral; what cannot be tested is not taken."""
    try:
        return independent(forms, found, f)
    except Unvalued:
        return False


def candidates(forms: Pfaffian, found: list[Expr], wanted: int) -> Iterator[Expr]:
    """Functions that may be integrals, from cheap methods to dear ones; `found` grows meanwhile."""
    gens = generators(forms)
    for basis in simple(gens):
        yield from shaped(forms, basis, found, wanted)
    for row in forms.rows:
        yield from potentials(row, forms)
    yield from on_levels(forms, found, wanted)
    for basis in factored(forms, gens, found):
        yield from shaped(forms, basis, found, wanted)
    yield from quadratures(forms, wanted)
    yield from on_levels(forms, found, wanted)
    for basis in large(forms, gens):
        yield from shaped(forms, basis, found, wanted)


def told(method: Callable[..., Iterator[Expr]]) -> Callable[..., Iterator[Expr]]:
    """The method, ending where SymPy says in one of its ways that it cannot do more."""

    @wraps(method)
    def ending(*stated: Any) -> Iterator[Expr]:
        with suppress(*UNABLE):
            yield from method(*stated)

    return ending


@told
def shaped(forms: Pfaffian, basis: Basis, found: list[Expr], wanted: int) -> Iterator[Expr]:
    """Integrals that are combinations of a basis, where that is not too much."""
    n = len(basis)
    steps = PER_CUBE * n**3 + PER_POINT * n**2 * len(forms.moving)
    if n and affordable(steps):
        spend(steps)
        for terms in combined(forms, basis, found, wanted - len(found)):
            yield written(terms, forms.variables)


@told
def potentials(row: Mapping[Symbol, Expr], forms: Pfaffian) -> Iterator[Expr]:
    """The potential of a form that is closed."""
    f = primitive(row, forms)
    if f is not None:
        yield rewritten(f, forms.variables)


@told
def quadratures(forms: Pfaffian, wanted: int) -> Iterator[Expr]:
    """Integrals of single forms of the set that have an integrating factor."""
    for row in combinations_of(forms, wanted):
        yield from quadrature(row, forms)


@told
def quadrature(row: Mapping[Symbol, Expr], forms: Pfaffian) -> Iterator[Expr]:
    """The integral of one form by its integrating factor: of the shape that this has, else by integration."""
    one = reduced(row, forms)
    factor = factor_of(one)
    if factor is None:
        return
    powers = (p for p in Mul.make_args(factor) if not p.is_number)
    gens = tuple(dict.fromkeys((*generators(one), *(1 / p for p in factors(one, ())), *powers)))
    found = list(shaped(one, Basis(gens, exponents(gens, 3)), [], 1))
    if not found or found[0].count_ops() > LONG:
        found += potentials({x: e * factor for x, e in one.rows[0].items()}, one)
    yield from sorted(found, key=lambda f: f.count_ops())


@told
def on_levels(forms: Pfaffian, found: list[Expr], wanted: int) -> Iterator[Expr]:
    """Integrals of the forms on f = c for an f found, with c replaced by f again."""
    for f in tuple(found):
        for level in levels(forms, f):
            inner: list[Expr] = []
            for g in candidates(level.forms, inner, wanted - len(found)):
                if accepted(level.forms, inner, g):
                    inner.append(g)
                    yield rewritten(g.xreplace({level.constant: f}), forms.variables)
                if len(found) >= wanted:
                    return
            if inner:
                break
