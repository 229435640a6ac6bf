"""Places where the rank of constraints drops: where all coefficients of a row, or all minors of a set, vanish."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from sympy import (
    Expr,
    Matrix,
    Poly,
    PolynomialError,
    S,
    Symbol,
    cos,
    expand,
    factor_list,
    fraction,
    sin,
    solve,
    together,
)
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from dalembert.derive.effort import TooMuch, effort, spend, weigh
from dalembert.derive.linear import determinant
from dalembert.derive.tidy import tidy

MOST_MINORS = 40
MOST_ROWS = 4
MOST_SHOWN = 20  # operations of equations that are given as the answer
MOST_OPERATIONS = 60  # of all minors, beyond which their common zeros are not looked for
MOST_TERMS = 200  # of a minor that is written out
MOST_UNKNOWNS, MOST_DEGREE = 3, 2  # of equations that are solved together
SOLVING = 40  # steps that it takes to solve equations
EFFORT = 0.5

Place = tuple[Expr, ...]
"""Expressions that vanish there, all of them."""


def singular_places(
    rows: Sequence[Sequence[Expr]],
    variables: Sequence[Symbol],
    relations: Sequence[Expr] = (),
    units: float = EFFORT,
) -> tuple[Place, ...]:
    """Where the rank of rows is less than their number, on relations φ = 0, as far as that is found."""
    try:
        with effort(units):
            minors = list(_minors(rows))
            if not minors or any(_never(m) for m in minors) or sum(m.count_ops() for m in minors) > MOST_OPERATIONS:
                return ()
            return tuple(_places(minors, variables, relations))
    except (TooMuch, PolynomialError, NotImplementedError, TypeError, ValueError):  # SymPy cannot tell
        return ()


def _minors(rows: Sequence[Sequence[Expr]]) -> Iterator[Expr]:
    """The determinants of all choices of as many columns as rows that are not identically zero."""
    k, n = len(rows), len(rows[0]) if rows else 0
    if not k or k > min(n, MOST_ROWS):
        return
    used = [j for j in range(n) if any(row[j] != 0 for row in rows)]
    for number, columns in enumerate(combinations(used, k)):
        if number >= MOST_MINORS:
            raise NotImplementedError
        minor = determinant(Matrix([[row[j] for j in columns] for row in rows]), MOST_TERMS)
        if k > 1 and minor != 0:
            minor = tidy(minor)
        if minor != 0:
            yield minor


def _never(e: Expr) -> bool:
    """Whether an expression plainly vanishes nowhere."""
    return bool(e.is_number or e.is_positive or e.is_negative or e.is_nonzero)


def _places(minors: Sequence[Expr], variables: Sequence[Symbol], relations: Sequence[Expr]) -> Iterator[Place]:
    """Zeros of a factor that all minors share, then common zeros of what is left of them."""
    factored = [_factors(m, variables) for m in minors]
    shared = [f for f in factored[0] if all(f in other for other in factored[1:])]
    for f in shared:
        if relations:
            yield from _solved([f, *relations], variables)
        else:
            yield (f,)
    rest = [[f for f in one if f not in shared] for one in factored]
    if all(rest):
        left = [S.One] * len(rest)
        for i, one in enumerate(rest):
            for f in one:
                left[i] *= f
        yield from _solved([*dict.fromkeys(left), *relations], variables)


def _factors(e: Expr, variables: Sequence[Symbol]) -> list[Expr]:
    """The factors of a numerator that can vanish, each once."""
    top = fraction(together(e))[0]
    weigh(top, most=MOST_TERMS)
    _, parts = factor_list(top)
    return [f for f, _ in parts if f.free_symbols & set(variables) and not _never(f)]


def _solved(equations: Sequence[Expr], variables: Sequence[Symbol]) -> Iterator[Place]:
    """Common real zeros of expressions, each as differences x − value that vanish there."""
    used = set().union(*(e.free_symbols for e in equations))
    wanted = [x for x in variables if x in used]
    linear = [e for e in equations if e.is_polynomial(*wanted) and Poly(e, *wanted).total_degree() == 1]
    weigh(*linear)
    for first in solve(linear, wanted, dict=True) if linear else [{}]:
        rest = [left for e in equations if (left := expand(e.xreplace(first))) != 0]
        if any(_never(e) or not e.free_symbols & set(wanted) for e in rest):
            continue
        if any(part.free_symbols & set(wanted) for e in rest for part in e.atoms(TrigonometricFunction)):
            yield from ((*(x - value for x, value in first.items()), *place) for place in _trigonometric(rest))
            continue
        for second in _explicit(rest, [x for x in wanted if x not in first]) if rest else [{}]:
            solution = {**{x: value.xreplace(second) for x, value in first.items()}, **second}
            if all(value.is_real is not False for value in solution.values()):
                yield tuple(x - value for x, value in solution.items())


def _explicit(equations: Sequence[Expr], unknowns: Sequence[Symbol]) -> list[dict[Symbol, Expr]]:
    """Solutions of equations that are few, of few unknowns and of low degree; raises TooMuch for others."""
    own = [x for x in unknowns if any(e.has(x) for e in equations)]
    degrees = [Poly(e, *own).total_degree() for e in equations]
    if len(own) > MOST_UNKNOWNS or max(degrees) > MOST_DEGREE + 2 * (len(own) == 1):
        raise TooMuch(f"{len(equations)} equations of degree {max(degrees)} in {len(own)} unknowns")
    weigh(*equations)
    spend(SOLVING * len(own) ** 2)
    return list(solve(equations, own, dict=True))


def _trigonometric(equations: Sequence[Expr]) -> Iterator[Place]:
    """Periodic zeros are not listed: the equations say where, unless they ask for sin u = 0 and cos u = 0 at once."""
    turning: dict[Expr, set[type]] = {}
    for e in equations:
        rest, own = e.as_independent(TrigonometricFunction, as_Add=False)
        if _never(rest) and isinstance(own, (sin, cos)):
            turning.setdefault(own.args[0], set()).add(type(own))
    if all(len(kinds) < 2 for kinds in turning.values()) and sum(e.count_ops() for e in equations) <= MOST_SHOWN:
        yield tuple(equations)
