"""Time and functions of it, as SymPy's `dynamicsymbols` makes them.

They are made here because importing `sympy.physics` takes half as long as importing SymPy itself.
"""

import sys

from sympy import Expr, Function, Symbol

_T = Symbol("t")


def time() -> Symbol:
    """The symbol of time that `dynamicsymbols` uses, `dynamicsymbols._t`: t, unless someone has set another."""
    theirs = sys.modules.get("sympy.physics.vector.functions")  # where nobody has imported it, nobody has changed it
    return _T if theirs is None else getattr(getattr(theirs, "dynamicsymbols", None), "_t", _T)


def function_of_time(name: str) -> Expr:
    """x(t), equal to `dynamicsymbols(name)`."""
    return Function(name)(time())
