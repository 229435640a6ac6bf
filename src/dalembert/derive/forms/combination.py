"""A form as a combination of others, in symbols."""

from collections.abc import Sequence
from typing import NamedTuple

from sympy import Dummy, Expr, Matrix, S, Symbol, cancel, cos, degree, expand, expand_trig, fraction, sin, tan, together
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from dalembert.derive.effort import TooMuch, effort, spend, weigh
from dalembert.derive.exact import Untried, is_plainly_zero, vanishes
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.linear import NotSolved, solve
from dalembert.derive.sizes import size_of
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
            if all(e == 0 or is_plainly_zero(e) or _turns_to_zero(e) for e in left):
                return Combination(tuple(c), True)
        return Combination(tuple(c), False) if all(vanishes(e, variables) for e in left) else None
    except (TooMuch, NotSolved, Untried):
        return None


def _turns_to_zero(e: Expr) -> bool:
    """Whether an expression is zero by the addition theorems and sin² + cos² = 1."""
    if not e.has(TrigonometricFunction):
        return False
    weigh(e)
    written = expand_trig(e.rewrite(tan, sin)) if e.has(tan) else expand_trig(e)
    spend(size_of(written).turned)
    top = expand(fraction(together(written))[0])
    for sine in top.atoms(sin):
        s = Dummy("s")
        top = top.xreplace({sine: s})
        terms = {n: top.coeff(s, n) for n in range(int(degree(top, s)) + 1)} if top.has(s) else {}
        top = expand(
            sum((c * (1 - cos(sine.args[0]) ** 2) ** (n // 2) * sine ** (n % 2) for n, c in terms.items()), S.Zero)
        )
    return is_plainly_zero(top)


def _multiple(target: Row, row: Row, pivot: int) -> Expr | None:
    """The factor between two forms, where products written out show that one is a multiple of the other."""
    p, q = row[pivot], target[pivot]
    if not all(is_plainly_zero(e * p - a * q) for e, a in zip(target, row, strict=True)):
        return None
    weigh(q / p)
    factor: Expr = cancel(q / p)
    return factor
