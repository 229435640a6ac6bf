"""A form as a combination of others, in symbols."""

from collections.abc import Sequence
from typing import NamedTuple

from sympy import Expr, Matrix, Symbol, cancel

from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.exact import Untried, is_plainly_zero, vanishes
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.linear import NotSolved, solve
from dalembert.derive.tidy import tidy

EFFORT = 1.0


class Combination(NamedTuple):
    """ω = Σ c_i ω_i: the coefficients, and whether that is proved in symbols or tried at random points."""

    coefficients: tuple[Expr, ...]
    proved: bool


def combination(
    target: Row, rows: Sequence[Row], pivots: Sequence[int], variables: Sequence[Symbol], units: float = EFFORT
) -> Combination | None:
    """How a form is made of independent others, which have regular columns at `pivots`; None where it is not."""
    try:
        with effort(units):
            if len(rows) == 1 and (c := _multiple(target, rows[0], pivots[0])) is not None:
                return Combination((c,), True)
            square = Matrix(len(rows), len(rows), lambda i, j: rows[j][pivots[i]])
            c = [tidy(e) for e in solve(square, Matrix([target[p] for p in pivots]))]
            left = [target[j] - sum(x * row[j] for x, row in zip(c, rows, strict=True)) for j in range(len(target))]
            left = [tidy(e) for j, e in enumerate(left) if j not in pivots]
        if all(e == 0 or is_plainly_zero(e) for e in left):
            return Combination(tuple(c), True)
        return Combination(tuple(c), False) if all(vanishes(e, variables) for e in left) else None
    except (TooMuch, NotSolved, Untried):
        return None


def _multiple(target: Row, row: Row, pivot: int) -> Expr | None:
    """The factor between two forms, where products written out show that one is a multiple of the other."""
    p, q = row[pivot], target[pivot]
    if not all(is_plainly_zero(e * p - a * q) for e, a in zip(target, row, strict=True)):
        return None
    weigh(q / p)
    factor: Expr = cancel(q / p)
    return factor
