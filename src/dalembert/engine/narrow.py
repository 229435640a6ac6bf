"""Which statements have narrow places: what is next to nothing over most of the way, and then acts all at once.

A high power of a bounded quantity (sin(t)³⁰), a wall or a pulse (1/(1 + u⁸), exp(−u²), 1/cosh u), a step (tanh u). From
afar the Taylor series of a motion shows nothing of them, however short its steps, so they are looked for more closely.
"""

from functools import lru_cache

import sympy as sp
from sympy import Expr

from dalembert.derive import form
from dalembert.engine.smoothness import moves
from dalembert.model import Statement, all_expressions

HIGH, INNER = 8, 4  # a power, and one below a fraction stroke: those that are lower show in the series from afar
STEPS = (sp.exp, sp.tanh, sp.cosh, sp.sinh)  # they grow by orders within a small part of the way
PULSES = (sp.tanh, sp.sech, sp.csch, sp.coth)
NODES = (sp.Pow, sp.exp, *PULSES)


def is_narrow(system: Statement) -> bool:
    """Whether something in a statement may act within a small part of the way."""
    return _found(form(system))


@lru_cache(maxsize=64)
def _found(system: Statement) -> bool:
    return any(_narrow(node) for _, e in all_expressions(system) for node in e.atoms(*NODES))


def _narrow(node: Expr) -> bool:
    if isinstance(node, PULSES):
        return moves(node.args[0])
    if isinstance(node, sp.exp) or not moves(node.args[0]):  # eᵘ, aᵘ: of something linear it shows in the series
        return any(moves(inner) for inner in node.args[-1].atoms(sp.Pow, *STEPS, sp.sin, sp.cos))
    base, power = node.args
    if not power.is_number or abs(power) >= HIGH:
        return True
    return bool(power < 0) and any(moves(inner) for inner in base.atoms(sp.Pow, *STEPS) if _grows(inner))


def _grows(node: Expr) -> bool:
    return not isinstance(node, sp.Pow) or not node.exp.is_number or bool(node.exp >= INNER)
