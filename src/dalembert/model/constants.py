"""Constants in an expression: the value of each as a float, and what is refused for having none."""

import math
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import sympy
from sympy import Basic, Expr, Function, S

MAX_MAGNITUDE = 1e300  # of any constant; no constant but 0 is below 1/MAX_MAGNITUDE
CANCELLED = 1e-12  # a sum of constants below this part of its terms cannot be told from zero


class Refused(Exception):
    """A node that is not built, and why; whoever reads the text adds the place."""


class Elementary(NamedTuple):
    """A function of one argument: its SymPy class, its value at a float, +1 if even, -1 if odd, 0 if neither."""

    node: type[Function]
    value: Callable[[float], float]
    parity: int


ELEMENTARY: dict[str, Elementary] = {
    "sin": Elementary(sympy.sin, math.sin, -1),
    "cos": Elementary(sympy.cos, math.cos, 1),
    "tan": Elementary(sympy.tan, math.tan, -1),
    "cot": Elementary(sympy.cot, lambda a: 1 / math.tan(a), -1),
    "sec": Elementary(sympy.sec, lambda a: 1 / math.cos(a), 1),
    "csc": Elementary(sympy.csc, lambda a: 1 / math.sin(a), -1),
    "asin": Elementary(sympy.asin, math.asin, -1),
    "acos": Elementary(sympy.acos, math.acos, 0),
    "atan": Elementary(sympy.atan, math.atan, -1),
    "sinh": Elementary(sympy.sinh, math.sinh, -1),
    "cosh": Elementary(sympy.cosh, math.cosh, 1),
    "tanh": Elementary(sympy.tanh, math.tanh, -1),
    "asinh": Elementary(sympy.asinh, math.asinh, -1),
    "acosh": Elementary(sympy.acosh, math.acosh, 0),
    "atanh": Elementary(sympy.atanh, math.atanh, -1),
    "exp": Elementary(sympy.exp, math.exp, 0),
    "log": Elementary(sympy.log, math.log, 0),
    "abs": Elementary(sympy.Abs, abs, 1),
    "sign": Elementary(sympy.sign, lambda a: math.copysign(1.0, a) if a else 0.0, -1),
}
NAME_OF = {elementary.node: name for name, elementary in ELEMENTARY.items()}


def evaluate(node: Basic, arguments: Sequence[float | None]) -> float | None:
    """The value of `node`, if it is constant, from those of its arguments."""
    if not arguments:
        constants = {S.Pi: math.pi, S.Exp1: math.e}
        return float(node) if node.is_Number and node.is_finite else constants.get(node)
    values = [value for value in arguments if value is not None]
    if len(values) < len(arguments) or not isinstance(node, Expr):
        return None
    if node.is_Add:
        value = math.fsum(values)
        if abs(value) <= CANCELLED * math.fsum(map(abs, values)):
            raise Refused(f"{shown(node)} cannot be told from zero: simplify it")
    elif node.is_Mul:
        value = math.prod(values)
    elif node.is_Pow:
        value = real(math.pow, *values, name="the power")
    elif type(node) in NAME_OF:
        name = NAME_OF[type(node)]
        value = real(ELEMENTARY[name].value, *values, name=name)
    elif isinstance(node, sympy.atan2):
        value = math.atan2(*values)
    else:
        return None
    if value and abs(value) < 1 / MAX_MAGNITUDE:
        raise Refused(f"{shown(node)} is too small to be told from zero")
    return finite(value)


def real(function: Callable[..., float], *values: float, name: str) -> float:
    """function(*values), refused where it has no value."""
    try:
        return finite(function(*values))
    except (ValueError, ZeroDivisionError, OverflowError):
        arguments = ", ".join(f"{value:.6g}" for value in values)
        raise Refused(f"{name}({arguments}) is not a finite real number") from None


def finite(value: float) -> float:
    """`value`, refused beyond MAX_MAGNITUDE and where it is not a number."""
    if not abs(value) <= MAX_MAGNITUDE:
        raise Refused(f"a constant beyond {MAX_MAGNITUDE:g} in magnitude")
    return value


def shown(node: Basic) -> str:
    """`node` in a few characters; printing a large one would take long."""
    if node.is_Float:
        return repr(float(node))
    small = sum(1 for _ in islice(sympy.preorder_traversal(node), 20)) < 20
    return str(node) if small else "this constant" if node.is_number else "this expression"
