"""Where an embedding fails, in symbols: ∂y/∂x loses rank, from det J or det(JᵀJ) = 0, or y has no value."""

from collections.abc import Iterator
from contextlib import suppress

from sympy import (
    Abs,
    Add,
    Eq,
    Expr,
    Ge,
    Le,
    Matrix,
    Mul,
    Pow,
    S,
    acos,
    acosh,
    asin,
    atan2,
    atanh,
    cos,
    cot,
    csc,
    expand_trig,
    factor,
    factor_terms,
    fraction,
    log,
    sec,
    sin,
    tan,
    together,
)  # fmt: skip
from sympy.core.relational import Relational

from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.linear import determinant
from dalembert.derive.reducing.bounds import has_zero, never_zero
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.decimals import exact
from dalembert.derive.tidy import tidy

EFFORT = 2.0
SHORT = 30  # operations up to which another short form is tried


def singular_places(chart: Chart) -> tuple[tuple[Relational, ...], bool]:
    """Where the embedding fails, as far as it is found: where ∂y/∂x loses rank, and where y or ∂y/∂x do not exist.

    Also whether the search came to its end.
    """
    found: dict[Relational, None] = {}
    done = False
    moving = {*chart.algebra.q, chart.algebra.t}
    with suppress(TooMuch), effort(EFFORT):
        for e in [*chart.y, *(g for row in chart.J for g in row.values())]:
            found |= dict.fromkeys(_undefined(e, moving))
        found |= {Eq(f, 0): None for f in _zeros(_gram(chart), moving)}
        done = True
    kept = [r for r in found if r not in (S.true, S.false) and not _covered(r, found)]
    return tuple(chart.algebra.restore(r) for r in kept), done


def _covered(r: Relational, found: dict[Relational, None]) -> bool:
    """Whether u = 0 is said already by u ≤ 0."""
    return isinstance(r, Eq) and any(isinstance(o, Le) and o.lhs in (r.lhs, r.lhs**2) for o in found)


def _gram(chart: Chart) -> Expr:
    """What is zero where the rank of J is below k: det J where that is square, else det(JᵀJ).

    Columns that are plainly independent are left out, and what numbers eliminate: neither changes where rank is lost.
    """
    columns = _coupled(chart)
    J = Matrix(chart.n, len(columns), lambda i, j: chart.J[i].get(columns[j], S.Zero))
    J = _eliminated(J)
    if not J.cols:
        return S.One
    return _shortest(determinant(J if J.rows == J.cols else (J.T * J).applyfunc(_turned)))


def _shortest(e: Expr) -> Expr:
    turned = _turned(e)
    if turned.count_ops() > SHORT or turned.is_Mul:
        return turned
    return min(turned, tidy(turned), key=lambda form: form.count_ops())


def _turned(e: Expr) -> Expr:
    """A shorter form of an expression of angles: tidy, or with sin² + cos² = 1 used up for each of them."""
    plain = expand_trig(e)
    weigh(plain)
    angles = sorted({f.args[0] for f in plain.atoms(sin, cos)}, key=str)
    if not angles or any(plain.has(f(a)) for a in angles for f in (tan, cot, sec, csc)):
        return tidy(e)
    forms = []
    for keep, gone in ((cos, sin), (sin, cos)):
        out = plain.expand()
        for a in angles:
            out = out.replace(
                lambda p, a=a, gone=gone: p.is_Pow and p.base == gone(a) and p.exp.is_Integer and p.exp > 1,
                lambda p, a=a, keep=keep: (1 - keep(a) ** 2) ** (p.exp // 2) * p.base ** (p.exp % 2),
            ).expand()
        forms.append(factor(out))
    return min(forms, key=lambda form: form.count_ops())


def _eliminated(J: Matrix) -> Matrix:
    """J without the columns that have a number in some row, which is subtracted from the others; no rows of zeros."""
    while True:
        spot = next(((i, j) for j in range(J.cols) for i in range(J.rows) if J[i, j].is_number and J[i, j] != 0), None)
        rest = [i for i in range(J.rows) if any(e != 0 for e in J[i, :])]
        if spot is None:
            return J.extract(rest, list(range(J.cols)))
        row, column = spot
        for i in range(J.rows):
            if i != row and J[i, column] != 0:
                share = J[i, column] / J[row, column]
                weigh(*(share * entry for entry in J[row, :]))
                J[i, :] = (J[i, :] - share * J[row, :]).applyfunc(lambda e: e.expand())
        J.row_del(row)
        J.col_del(column)


def _coupled(chart: Chart) -> list[int]:
    """The columns of J that are left when those go that are alone in some rows, and never zero there.

    What is alone in a row is independent of the others; without it another may be alone, as along a chain.
    """
    left = list(range(chart.k))
    while True:
        alone: dict[int, list[Expr]] = {}
        for row in chart.J:
            own = [j for j in row if j in left]
            if len(own) == 1:
                alone.setdefault(own[0], []).append(row[own[0]])
        sure = [j for j, entries in alone.items() if never_zero(tidy(Add(*(e**2 for e in entries))))]
        if not sure:
            return left
        left = [j for j in left if j not in sure]


def _zeros(e: Expr, moving: set[Expr]) -> Iterator[Expr]:
    """The factors of e that depend on coordinates or time and may vanish."""
    top = fraction(together(e))[0]
    weigh(top)
    for part in Mul.make_args(factor(top)):
        base = part.base if isinstance(part, Pow) else part
        if base.free_symbols & moving and has_zero(base, moving):
            yield _plain(base, moving)


def _plain(e: Expr, moving: set[Expr]) -> Expr:
    """Without factors that do not move, and with one sign."""
    e = factor_terms(e)
    e = Mul(*(f for f in Mul.make_args(e) if f.free_symbols & moving))
    return -e if e.could_extract_minus_sign() else e


def _undefined(e: Expr, moving: set[Expr]) -> Iterator[Relational]:
    """Where an expression or its slope does not exist."""
    for part in e.atoms(Pow, tan, sec, cot, csc, log, asin, acos, atanh, acosh, atan2):
        if not part.free_symbols & moving:
            continue
        match part:
            case Pow(base=base, exp=exponent):
                exponent = exact(exponent) if exponent.is_Float else exponent
                if never_zero(base) and not exponent.is_Rational:
                    continue
                if exponent.is_Integer and exponent < 0 and not never_zero(base):
                    yield from (Eq(f, 0) for f in _zeros(base, moving))
                elif exponent.is_Rational and not exponent.is_Integer and not _positive(base):
                    yield Le(base, 0)
            case tan() | sec():
                yield Eq(cos(part.args[0]), 0)
            case cot() | csc():
                yield Eq(sin(part.args[0]), 0)
            case log():
                yield Le(part.args[0], 0)
            case asin() | acos():
                yield Ge(Abs(part.args[0]), 1)
            case atanh():
                yield Ge(Abs(part.args[0]), 1)
            case acosh():
                yield Le(part.args[0], 1)
            case _:
                yield Eq(Abs(part.args[0]) + Abs(part.args[1]), 0)


def _positive(e: Expr) -> bool:
    return bool(e.is_positive) or (never_zero(e) and bool(e.is_nonnegative))
