"""Which statements are smooth: those whose motion has a Taylor series everywhere it is defined.

A function of parameters alone does not switch, whatever it is.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import sympy as sp
from sympy import Expr
from sympy.core.function import AppliedUndef

from dalembert.derive import form
from dalembert.model import (
    Coulomb,
    ModelError,
    OneSided,
    Reaction,
    Statement,
    all_expressions,
    is_coordinate,
    refuse,
    time,
)

SMOOTH_FUNCTIONS = (
    sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc,
    sp.asin, sp.acos, sp.atan, sp.atan2, sp.acot, sp.asec, sp.acsc,
    sp.sinh, sp.cosh, sp.tanh, sp.sech, sp.csch, sp.coth, sp.asinh, sp.acosh, sp.atanh,
    sp.exp, sp.log,
)  # fmt: skip

SWITCHES = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Heaviside, sp.Piecewise)


class NotSmooth(ModelError):
    """A statement with something that the engine cannot move across: what switches, for the plain one."""


def refuse_switches(system: Statement) -> None:
    """Raise NotSmooth with everything in the statement that switches, by name."""
    subject = f"{_subject(system)} cannot be moved by the plain engine, which takes only what is smooth"
    refuse(NotSmooth, subject, _found(form(system)))


def refuse_unknown(system: Statement) -> None:
    """Raise NotSmooth with every function in the statement that no engine can move."""
    unknown = [words for words in _found(form(system)) if words.endswith(UNKNOWN)]
    refuse(NotSmooth, f"{_subject(system)} cannot be moved", unknown)


UNKNOWN = "is not a function that can be moved"


def _subject(system: Statement) -> str:
    return f"System {system.name!r}" if system.name else "System"


@lru_cache(maxsize=64)
def _found(system: Statement) -> tuple[str, ...]:
    """What switches in a statement, in words."""
    friction = (
        f"the friction of constraint {c.name!r} switches where its normal force or its sliding velocity vanishes"
        for c in system.constraints
        if isinstance(c.nature, Coulomb)
    )
    contacts = (
        f"the one-sided constraint {c.name!r} switches where it closes and where it releases"
        for c in system.constraints
        if isinstance(c, OneSided)
    )
    functions = (f"{what}: {_told(f)}" for what, e in all_expressions(system) for f in _switches(e))
    return tuple(dict.fromkeys(chain(contacts, friction, functions)))


def moves(e: Expr) -> bool:
    """Whether an expression changes along a motion: it contains a coordinate, time or a reaction."""
    return e.has(time()) or any(is_coordinate(f) for f in e.atoms(sp.Function)) or bool(e.atoms(Reaction))


def _told(f: Expr) -> str:
    return f"{f} switches" if isinstance(f, SWITCHES) else f"{f} {UNKNOWN}"


def _switches(root: Expr) -> Iterator[Expr]:
    for e in sorted(root.atoms(sp.Function, sp.Max, sp.Min), key=str):
        known = isinstance(e, (*SMOOTH_FUNCTIONS, Reaction, AppliedUndef))
        if not known and moves(e):
            yield e
