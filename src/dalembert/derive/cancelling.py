"""Constraints with a coefficient whose terms cancel, whatever the state: sin² y + cos² y says nothing of y.

In numbers such a coefficient is not zero but the rounding of its terms.
"""

from functools import lru_cache

import numpy as np
from sympy import Add, Expr, Float, Mul, Pow, Symbol

from dalembert.derive.algebra import Symbols
from dalembert.derive.tape import Tape
from dalembert.model import ON_POSITIONS, StateError, Statement, is_coordinate

TRIALS = 3  # random points at which a coefficient is looked at
FAINT = 1e-6  # of the largest of its row: a coefficient below this everywhere is looked at closer
DIGITS, NOTHING = 60, 1e-45  # so many digits, and what is left of a sum that cancels


@lru_cache(maxsize=64)
def cancelling(form: Statement) -> frozenset[int]:
    """The places of the constraints on positions with such a coefficient, of a coordinate or of time."""
    return frozenset(
        r for r, c in enumerate(form.constraints) if isinstance(c, ON_POSITIONS) and _cancels(form, c.expr)
    )


def _cancels(form: Statement, expr: Expr) -> bool:
    if all(_monomial(term) for term in Add.make_args(expr)):  # terms that differ have slopes that differ
        return False
    algebra = Symbols(form)
    symbols = [*algebra.q, algebra.t, *algebra.parameters.values()]
    slopes = list(algebra.gradient(algebra.convert(expr), [*algebra.q, algebra.t]).values())
    tape, random = Tape(symbols, slopes), np.random.default_rng(7)  # the same points always
    faint = np.ones(len(slopes), dtype=bool)
    for point in random.uniform(0.1, 0.9, (TRIALS, len(symbols))):
        try:
            sizes = np.abs(tape(point.tolist()))
        except StateError:
            continue
        faint &= sizes <= FAINT * sizes.max(initial=0.0)
    return any(_nothing(slopes[i], dict(zip(symbols, point, strict=True))) for i in np.flatnonzero(faint).tolist())


def _monomial(term: Expr) -> bool:
    """Whether a term is a number or parameters times whole powers of single coordinates and of time."""
    bases = [f.base if isinstance(f, Pow) and f.exp.is_Integer else f for f in Mul.make_args(term)]
    return all(b.is_number or isinstance(b, Symbol) or is_coordinate(b) for b in bases)


def _nothing(slope: Expr, point: dict[Expr, float]) -> bool:
    """Whether the value at a point is nothing in many digits."""
    value = slope.xreplace({x: Float(v, DIGITS) for x, v in point.items()}).evalf(DIGITS)
    return bool(value.is_number and abs(value) <= NOTHING)
