"""Fewer variables and forms: level sets of integrals already found, and combinations without some differentials."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, permutations
from typing import NamedTuple

from sympy import Dummy, Expr, Matrix, S, Symbol, cancel, fraction, together, zeros

from dalembert.derive.effort import weigh
from dalembert.derive.exact import vanishes
from dalembert.derive.integrals.sets import Pfaffian

ORDERS = 12  # of the variables, in which a set is brought to echelon form
MOST_TERMS = 300  # of an entry that is cancelled

Rows = list[list[Expr]]


class Level(NamedTuple):
    """The forms on a level set f = `constant`, where `gone` is a function of the other variables."""

    forms: Pfaffian
    constant: Symbol


def levels(forms: Pfaffian, f: Expr) -> Iterator[Level]:
    """The forms on f = c, for each variable in which f is linear, those with the simplest coefficient first."""
    slopes = {x: f.diff(x) for x in forms.moving if f.has(x)}
    linear = [x for x, s in slopes.items() if not s.has(x)]
    for x in sorted(linear, key=lambda x: (bool(slopes[x].free_symbols & set(forms.variables)), slopes[x].count_ops())):
        constant = Dummy(f"level_{len(forms.variables)}", real=True)  # a level within a level has another name
        place = _cancelled((constant - f.subs(x, 0)) / slopes[x])
        rows = []
        for row in forms.rows:
            own = row.get(x, 0)
            whole = {y: row.get(y, 0) - own * slopes.get(y, 0) / slopes[x] for y in forms.variables if y != x}
            kept = {y: _cancelled(e.subs(x, place)) for y, e in whole.items() if e != 0}
            rows.append({y: e for y, e in kept.items() if e != 0})
        yield Level(Pfaffian(tuple(r for r in rows if r), tuple(y for y in forms.variables if y != x)), constant)


def _cancelled(e: Expr) -> Expr:
    weigh(e, most=MOST_TERMS)
    out: Expr = cancel(together(e))
    return out


def combinations_of(forms: Pfaffian, wanted: int) -> Iterator[Mapping[Symbol, Expr]]:
    """Combinations of the forms that may have an integral alone: with as few differentials as elimination can leave.

    Where there are more forms than integrals wanted, these are sought in the derived sets, which hold them all.
    """
    while len(forms.rows) > wanted:
        within = derived(forms)
        if len(within.rows) >= len(forms.rows):
            break
        forms = within
    seen = set()
    for order in islice(_orders(forms.moving), ORDERS):
        for row in _echelon(forms, order):
            key = frozenset(row.items())
            if key not in seen:
                seen.add(key)
                yield row


def derived(forms: Pfaffian) -> Pfaffian:
    """The combinations Σ a_i ω_i with Σ a_i dω_i = 0 on the forms: every integral of the set is one of theirs.

    dω(X, Y) = Σ (∂ω_y/∂x − ∂ω_x/∂y) X_x Y_y vanishes for all fields X, Y that the forms annihilate.
    """
    order = forms.variables
    rows = Matrix(_matrix(forms, order))
    fields = _annihilated(rows.tolist(), order)
    turns = []
    for i in range(rows.rows):
        turn = Matrix(len(order), len(order), lambda j, k, i=i: rows[i, k].diff(order[j]) - rows[i, j].diff(order[k]))
        turns.append([_short((a.T * turn * b)[0]) for a, b in combinations(fields, 2)])
    if not turns or not turns[0]:
        return forms
    sums = _annihilated(Matrix(turns).T.tolist(), order)
    combined = [(a.T * rows).applyfunc(_short) for a in sums]
    kept = [{x: e for x, e in zip(order, row, strict=True) if e != 0} for row in combined]
    return Pfaffian(tuple(row for row in kept if row), order)


def _orders(variables: Sequence[Symbol]) -> Iterator[tuple[Symbol, ...]]:
    """Orders that put each variable first and last early on."""
    n = len(variables)
    if n <= 3:
        yield from permutations(variables)
        return
    for k in range(n):
        turned = (*variables[k:], *variables[:k])
        yield turned
        yield turned[::-1]


def _echelon(forms: Pfaffian, order: Sequence[Symbol]) -> Iterator[dict[Symbol, Expr]]:
    reduced, pivots = _reduced(_matrix(forms, order), forms.variables)
    for row in reduced[: len(pivots)]:
        yield {x: e for x, e in zip(order, row, strict=True) if e != 0}


def _matrix(forms: Pfaffian, order: Sequence[Symbol]) -> Rows:
    return [[row.get(x, S.Zero) for x in order] for row in forms.rows]


def _reduced(rows: Rows, variables: Sequence[Symbol]) -> tuple[Rows, list[int]]:
    """The reduced echelon form of rows, and the columns of its pivots."""
    rows, pivots = [*rows], list[int]()
    for j in range(len(rows[0]) if rows else 0):
        k = len(pivots)
        i = next((i for i in range(k, len(rows)) if rows[i][j] != 0 and not vanishes(rows[i][j], variables)), None)
        if i is None:
            continue
        rows[k], rows[i] = rows[i], rows[k]
        rows[k] = own = [_short(e / rows[k][j]) for e in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[j] != 0:
                rows[i] = [_short(e - row[j] * p) for e, p in zip(row, own, strict=True)]
        pivots.append(j)
    return rows, pivots


def _annihilated(rows: Rows, variables: Sequence[Symbol]) -> list[Matrix]:
    """Columns that span what the rows annihilate."""
    reduced, pivots = _reduced(rows, variables)
    out = []
    for j in (j for j in range(len(rows[0])) if j not in pivots):
        column = zeros(len(rows[0]), 1)
        column[j] = S.One
        for row, pivot in zip(reduced, pivots, strict=False):
            column[pivot] = -row[j]
        out.append(column)
    return out


def _short(e: Expr) -> Expr:
    weigh(e, most=MOST_TERMS)
    top, bottom = fraction(cancel(together(e)))
    return top / bottom
