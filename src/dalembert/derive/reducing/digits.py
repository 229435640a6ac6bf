"""The value of an expression at a point to fifty digits, beside the size of the terms that cancel in it."""

import operator
from collections.abc import Mapping
from typing import Any

from sympy import (
    Abs,
    And,
    Basic,
    Eq,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Not,
    Or,
    Piecewise,
    Pow,
    Symbol,
    ceiling,
    cos,
    exp,
    floor,
    log,
    sign,
    sin,
)
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair

from dalembert.derive.exact.reals import CONTEXT as mp
from dalembert.derive.exact.reals import DIGITS
from dalembert.model.writing import leaves_first

ROUNDED = 1e-13  # of the terms that cancel, where decimal fractions stand in them
NAMES = {Abs: "fabs", floor: "floor", ceiling: "ceil", log: "ln"}
BROKEN = (ValueError, ArithmeticError, TypeError, AttributeError, LookupError)
COMPARED = {Gt: operator.gt, Ge: operator.ge, Lt: operator.lt, Le: operator.le, Eq: operator.eq, Ne: operator.ne}


def value_and_size(e: Expr, point: Mapping[Symbol, Any]) -> tuple[Any, Any] | None:
    """The value, and the size of what it is the sum of; None where it has no real value.

    The size of a sum is that of its terms together, of a product the product; a sine is off by as much as its argument.
    """
    made: dict[Basic, tuple[Any, Any]] = {}
    try:
        for part in leaves_first(e):
            if part not in made:
                made[part] = _one(part, [made[a] for a in part.args], point)
    except BROKEN:
        return None
    value, size = made[e]
    return (value, size) if mp.isfinite(value) and mp.isfinite(size) else None


def is_rounding(e: Expr, point: Mapping[Symbol, Any]) -> bool:
    """Whether the value of an expression is no more than decimal numbers, of the size of its terms, are rounded by."""
    found = value_and_size(e, point)
    return found is not None and abs(found[0]) <= ROUNDED * found[1]


def _one(e: Basic, parts: list[tuple[Any, Any]], point: Mapping[Symbol, Any]) -> tuple[Any, Any]:
    values, sizes = [value for value, _ in parts], [size for _, size in parts]
    if isinstance(e, Symbol):
        return _alone(_number(point[e]))
    if e.is_Rational:
        return _alone(_number(e))
    if not parts:
        return _alone(mp.mpf(str(e.evalf(DIGITS + 5)))) if isinstance(e, Expr) else (bool(e), None)
    if e.is_Add:
        return mp.fsum(values), mp.fsum(sizes)
    if e.is_Mul:
        return mp.fprod(values), mp.fprod(sizes)
    if isinstance(e, Pow):
        value = _real(mp.power(*values))
        grown = e.exp.is_Integer and e.exp > 0
        return value, mp.power(sizes[0], values[1]) if grown else abs(value)
    if isinstance(e, (sin, cos)):
        value = getattr(mp, e.func.__name__)(values[0])
        return value, max(abs(value), sizes[0])
    value = _applied(e, values)
    return value, abs(value) if isinstance(e, Expr) else None


def _number(x: Any) -> Any:
    """A float, or a rational number of SymPy's."""
    return mp.mpf(int(x.p)) / int(x.q) if isinstance(x, Basic) else mp.mpf(x)


def _alone(value: Any) -> tuple[Any, Any]:
    return value, abs(value)


def _applied(e: Basic, values: list[Any]) -> Any:
    """A function, by its name in mpmath; those that switch as they are defined."""
    match e:
        case sign():
            return mp.sign(values[0])
        case Heaviside():
            return mp.mpf(values[0] > 0)
        case Max():
            return max(values)
        case Min():
            return min(values)
        case exp():
            return mp.exp(values[0])
        case Piecewise():
            held = [value for value, holds in values if holds]
            return held[0]
        case ExprCondPair():
            return tuple(values)
        case Relational():
            return COMPARED[e.func](*values)
        case And() | Or():
            return all(values) if isinstance(e, And) else any(values)
        case Not():
            return not values[0]
    name = NAMES.get(e.func, e.func.__name__)
    return _real(getattr(mp, name)(*values))


def _real(value: Any) -> Any:
    if not isinstance(value, mp.mpf):
        raise ValueError("no real number")
    return value
