"""Where functions end: what must not fall below zero for an expression to be a real number, as x for √x and log x."""

from collections.abc import Iterable, Iterator

from sympy import Expr, Piecewise, Pow, acos, acosh, acsc, asec, asin, atanh, log

WITHIN_ONE, BEYOND_ONE = (asin, acos, atanh), (asec, acsc)  # functions of −1 ≤ x ≤ 1, and of all others


def edges(functions: Iterable[Expr]) -> list[Expr]:
    """What must be positive where functions exist, what stands inside of others first.

    Cases are left out: one that is not taken need not exist.
    """
    found: dict[Expr, None] = {}
    for f in functions:
        found |= dict.fromkeys(e for e in _inside(f, set()) if e.free_symbols)
    return list(found)


def _inside(f: Expr, seen: set[Expr]) -> Iterator[Expr]:
    if f in seen or isinstance(f, Piecewise):
        return
    seen.add(f)
    for part in f.args:
        yield from _inside(part, seen)
    if isinstance(f, Pow) and f.exp.is_number and f.exp.is_integer is not True:
        yield f.base
    elif isinstance(f, log):
        yield f.args[0]
    elif isinstance(f, acosh):
        yield f.args[0] - 1
    elif isinstance(f, WITHIN_ONE):
        yield 1 - f.args[0] ** 2
    elif isinstance(f, BEYOND_ONE):
        yield f.args[0] ** 2 - 1
