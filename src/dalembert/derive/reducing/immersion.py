"""Whether an embedding is what it should be: an immersion, onto all that the constraints it satisfies leave free.

Ranks are found in numbers at random states; where the rank drops is found in symbols, from det J or det(JᵀJ) = 0.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
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

from dalembert.derive.deadline import Overtime, deadline
from dalembert.derive.evaluate import Array, row_numbers
from dalembert.derive.reducing.bounds import has_zero, never_zero
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.decimals import exact
from dalembert.derive.reducing.placing import Placing
from dalembert.derive.tidy import tidy
from dalembert.derive.variants import bare
from dalembert.model import name_of

RANK = 1e-9
STATES = 5
SECONDS = 2.0
SHORT = 150  # operations up to which several short forms are tried


def rank_faults(placing: Placing) -> Iterator[str]:
    """A fault where ∂y/∂x has no full rank at any state tried, with the coordinates that do not count."""
    chart = placing.chart
    best, names = -1, ""
    for _, place in placing.states(STATES):
        _, sigma, V = np.linalg.svd(_scaled(place.J))
        rank = _rank(sigma)
        if rank == chart.k:
            return
        if rank > best:
            best = rank
            share = np.abs(V[rank:]).max(axis=0)
            names = ", ".join(name for name, s in zip(chart.names(), share, strict=True) if s > 1e-6)
    if best < 0:
        yield "the embedding has no real value at any of the points tried"
    else:
        yield (
            f"the embedding is not an immersion: ∂y/∂x has rank {best} and {chart.k} new coordinates; "
            f"{names} can change together so that nothing moves"
        )


def count_faults(placing: Placing, eliminated: Sequence[int]) -> Iterator[str]:
    """A fault where the embedding leaves less free than the constraints that it satisfies do."""
    chart = placing.chart
    system = bare(chart.system)
    for state, place in placing.states(STATES, seed=1):
        rows = row_numbers(system, place.y, place.rates, state.t, state.values)
        if rows is None:
            continue
        _, sigma, V = (
            np.linalg.svd(_scaled(rows.A[list(eliminated)])) if eliminated else (0, np.zeros(0), np.eye(chart.n))
        )
        rank = _rank(sigma)
        if chart.k >= chart.n - rank:
            return
        free = V[rank:].T  # (n, n − rank): what the constraints leave free
        J = np.linalg.qr(place.J)[0]
        lost = np.linalg.norm(free - J @ (J.T @ free), axis=1)
        names = ", ".join(
            name_of(q) for q, size in zip(chart.system.coordinates, lost, strict=True) if size > 0.1 * lost.max()
        )
        yield (
            f"the embedding has {chart.k} new coordinate{'s' * (chart.k != 1)}, but the constraints that it satisfies "
            f"leave {chart.n - rank} of {chart.n} free: it would add a constraint that is not stated, on {names}; "
            "state it, or give the embedding more coordinates"
        )
        return


def singular_places(chart: Chart) -> tuple[tuple[Relational, ...], bool]:
    """Where the embedding fails, as far as it is found: where ∂y/∂x loses rank, and where y or ∂y/∂x do not exist.

    Also whether the search came to its end in time.
    """
    found: dict[Relational, None] = {}
    done = False
    moving = {*chart.algebra.q, chart.algebra.t}
    with suppress(Overtime), deadline(SECONDS):
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
    if J.rows == J.cols:
        return _turned(J.det(method="berkowitz"))
    gram = (J.T * J).applyfunc(_turned)
    return _turned(gram.det(method="berkowitz"))


def _turned(e: Expr) -> Expr:
    """A shorter form of an expression of angles: tidy, or with sin² + cos² = 1 used up for each of them."""
    plain = expand_trig(e)
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
    if e.count_ops() <= SHORT:
        forms.append(tidy(e))
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


def _scaled(J: Array) -> Array:
    """J with rows of length one, so that units do not count."""
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(size > 0, size, 1.0)


def _rank(sigma: Array) -> int:
    return int(np.count_nonzero(sigma > RANK * max(np.max(sigma, initial=0.0), 1e-300)))
