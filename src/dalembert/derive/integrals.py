"""First integrals of a set of 1-forms: functions whose differentials the forms span."""

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic

from sympy import Dummy, Expr, Float, Function, Pow, Rational, Symbol, log, sympify
from sympy.core.numbers import NumberSymbol

from dalembert.derive.ansatz import combined, exponents, factors, generators
from dalembert.derive.deadline import Overtime, deadline
from dalembert.derive.pfaffian import Basis, Pfaffian, independent
from dalembert.derive.readable import written
from dalembert.derive.residues import Unvalued

PER_CUBE = 2.5e-9  # seconds an elimination takes for each cube of its size


def find_integrals(
    rows: Sequence[Mapping[Symbol, Expr]], variables: Sequence[Symbol], wanted: int, seconds: float
) -> list[Expr]:
    """Up to `wanted` functionally independent f with df = Σ μ_i ω_i, simplest first.

    The forms are ω_i = Σ_x rows[i][x] dx; symbols not among `variables` are constants. Every f given has been verified.
    Fewer come back where the shapes tried do not hold more, or the time is up.
    """
    forms, back = plain(rows, variables)
    found: list[Expr] = []
    if wanted > 0 and forms.moving:
        try:
            with deadline(seconds):
                for f in candidates(forms, found, wanted, monotonic() + seconds):
                    if accepted(forms, found, f):
                        found.append(f)
                    if len(found) >= wanted:
                        break
        except Overtime:
            pass
    return sorted((f.xreplace(back) for f in found), key=lambda f: (f.count_ops(), f.sort_key()))


def accepted(forms: Pfaffian, found: Sequence[Expr], f: Expr) -> bool:
    """Whether f is a new integral; what cannot be tested is not taken."""
    try:
        return independent(forms, found, f)
    except Unvalued:
        return False


def plain(rows: Sequence[Mapping[Symbol, Expr]], variables: Sequence[Symbol]) -> tuple[Pfaffian, dict[Expr, Expr]]:
    """The forms with decimal numbers as fractions and functions of constants as symbols, and the way back."""
    varying, names = set(variables), {}

    def constant(e: Expr) -> bool:
        return not e.free_symbols & varying and (
            isinstance(e, Function | NumberSymbol) or (isinstance(e, Pow) and not e.exp.is_Integer)
        )

    def clean(e: Expr) -> Expr:
        e = sympify(e)
        e = e.xreplace({x: Rational(str(x)) for x in e.atoms(Float)})
        return e.replace(constant, lambda c: names.setdefault(c, Dummy("c", positive=c.is_positive, real=True)))

    out = tuple({x: clean(e) for x, e in row.items() if e != 0 and x in varying} for row in rows)
    forms = Pfaffian(tuple(row for row in out if row), tuple(variables))
    return forms, {name: e for e, name in names.items()}


def candidates(forms: Pfaffian, found: list[Expr], wanted: int, end: float) -> Iterator[Expr]:
    """Functions that may be integrals, from cheap methods to dear ones; `found` grows meanwhile."""
    gens = generators(forms)
    for basis in shapes(forms, gens):
        if len(basis) ** 3 * PER_CUBE > end - monotonic():
            return
        try:
            for terms in combined(forms, basis, found, wanted - len(found)):
                yield written(terms, forms.variables)
        except Unvalued:
            continue


def shapes(forms: Pfaffian, gens: Sequence[Expr]) -> Iterator[Basis]:
    """The shapes tried in turn: linear, quadratic with logarithms, cubic."""
    gens = tuple(gens)
    yield Basis(gens, exponents(gens, 1))
    logs = tuple(log(p) for p in factors(forms, gens))
    yield Basis(gens, exponents(gens, 2), logs)
    for degree in (3, 4, 5):
        yield Basis(gens, exponents(gens, degree), logs)
