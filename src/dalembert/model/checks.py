"""Checks every expression of a statement must pass; each returns faults in words instead of raising.

A statement is written in SymPy: coordinates are `dynamicsymbols` x(t), velocities x.diff(), everything else is a
plain symbol (a parameter), time, or a function of these.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from sympy import Derivative, Eq, Expr, I, Symbol, nan, oo, preorder_traversal, sympify, zoo
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.core.sympify import SympifyError

from dalembert.model.clock import time
from dalembert.model.reactions import Reaction
from dalembert.model.writing import canonical


def velocity(coordinate: Expr) -> Expr:
    """The velocity ẋ of a coordinate x(t)."""
    return Derivative(coordinate, time())


def is_coordinate(value: object) -> bool:
    """Whether `value` has the form x(t) of a dynamicsymbol."""
    return isinstance(value, AppliedUndef) and value.args == (time(),)


def is_velocity(value: object) -> bool:
    """Whether `value` has the form x.diff() of a dynamicsymbol."""
    return isinstance(value, Derivative) and is_coordinate(value.expr) and value.variables == (time(),)


@lru_cache(maxsize=8192)
def name_of(symbol: Expr) -> str:
    """How a coordinate, a velocity or a parameter is called: x, x' or m."""
    if is_velocity(symbol):
        return f"{name_of(symbol.expr)}'"
    return str(symbol.func if isinstance(symbol, AppliedUndef) else symbol)


def expression(value: object, what: str) -> tuple[Expr | None, list[str]]:
    """`value` as a canonical SymPy expression, or None with what is wrong with it."""
    if isinstance(value, Relational) and not isinstance(value, Eq):
        return None, [f"{what} is the relation {value}, an expression is meant: what it states is set to zero"]
    if isinstance(value, Eq):
        lhs, rhs = value.args
        return None, [
            f"{what} is the relation {value}, an expression is meant: write ({lhs}) - ({rhs}), which is set to zero"
        ]
    if isinstance(value, str):
        return None, [f"{what} is the text {value!r}, a SymPy expression is meant (text belongs in model files)"]
    try:
        result = sympify(value, strict=True)
    except (SympifyError, TypeError):
        return None, [f"{what} is {value!r}, a SymPy expression or a number is meant"]
    if not isinstance(result, Expr) or result.is_Matrix:
        return None, [f"{what} is {result}, a scalar expression is meant"]
    if any(not is_velocity(d) and not _is_free_slope(d) for d in result.atoms(Derivative)):
        result = result.doit()
    return canonical(result), list(_form(result, what))


def _is_free_slope(derivative: Derivative) -> bool:
    """A derivative of a user's own function of the coordinates, such as V(x, y) by x."""
    return isinstance(derivative.expr, AppliedUndef) and not is_coordinate(derivative.expr)


def _form(expr: Expr, what: str) -> Iterator[str]:
    if expr.has(nan, oo, -oo, zoo):
        yield f"{what} contains a value that is not finite: {expr}"
    if expr.has(I):
        yield f"{what} contains the imaginary unit: {expr}"
    for derivative in sorted(expr.atoms(Derivative), key=str):
        order = sum(count for variable, count in derivative.variable_count if variable == time())
        if is_coordinate(derivative.expr) and order > 1:
            yield (
                f"{what} contains an acceleration or higher derivative, {derivative}: "
                "a statement may use coordinates, velocities and time only"
            )
        elif not is_velocity(derivative) and not _is_free_slope(derivative):
            yield f"{what} contains the derivative {derivative}, which is not a velocity"


def has_plain_sign(expr: Expr) -> bool:
    """Whether SymPy can be asked for the sign of `expr`: on more than a few sums and products it may think for ever."""
    parts = list(islice(preorder_traversal(expr), 21))
    powers = [p for p in parts if p.is_Pow]
    simple = all(p.is_Atom or p.is_Add or p.is_Mul or p.is_Pow for p in parts)
    return simple and len(parts) <= 20 and all(p.exp.is_Rational and abs(p.exp) <= 10 for p in powers)


def coordinates_in(expr: Expr) -> set[Expr]:
    """Every x(t) in an expression, also where only its velocity stands there."""
    return {f for f in expr.atoms(AppliedUndef) if is_coordinate(f)}


def velocities_in(expr: Expr) -> set[Expr]:
    """Every velocity in an expression."""
    return {d for d in expr.atoms(Derivative) if is_velocity(d)}


def parameters_in(exprs: Iterable[Expr]) -> set[Symbol]:
    """Every plain symbol but time in the expressions."""
    return {s for expr in exprs for s in expr.free_symbols} - {time()}


def unknown_coordinates(expr: Expr, coordinates: Iterable[Expr], what: str) -> Iterator[str]:
    """A fault for every x(t) in `expr` that is not among the coordinates of the system."""
    known = set(coordinates)
    for foreign in sorted(coordinates_in(expr) - known, key=str):
        yield (
            f"{what} uses {foreign}, which is not a coordinate of the system "
            f"({', '.join(name_of(q) for q in coordinates)}): add it to the coordinates or write it out"
        )


def no_reactions(expr: Expr, what: str) -> Iterator[str]:
    """A fault for every reaction in `expr`: only the nature of a constraint may refer to constraint forces."""
    for reaction in sorted(expr.atoms(Reaction), key=str):
        yield f"{what} refers to the constraint force {reaction}: only the nature of a constraint may"


def names_once(names: Iterable[str], what: str) -> Iterator[str]:
    """A fault for every name that occurs more than once."""
    for name, count in Counter(names).items():
        if count > 1:
            yield f"the {what} name {name!r} is used {count} times; names must differ"


def against_assumptions(symbol: Expr, value: float) -> Iterator[str]:
    """A fault where a value breaks what its symbol is declared to be: sqrt(R**2) has become R already.

    Zero passes for positive and negative ones: it is their limit, and "no gravity" or "no friction" is a fair question.
    """
    declared = ""
    if value < 0 and symbol.is_nonnegative:
        declared = "positive" if symbol.is_positive else "nonnegative"
    elif value > 0 and symbol.is_nonpositive:
        declared = "negative" if symbol.is_negative else "nonpositive"
    elif symbol.is_integer and not value.is_integer():
        declared = "integer"
    if declared:
        yield f"{name_of(symbol)} is declared {declared}, but has the value {value:g}"


def not_real(symbols: Iterable[Symbol]) -> Iterator[str]:
    """A fault for every symbol that cannot stand for a real number."""
    for s in symbols:
        if s.is_real is False or not s.is_commutative:
            yield f"the parameter {s} is declared to be something else than a real number"
