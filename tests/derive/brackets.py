"""Rank and integrals of forms by Lie brackets written out in SymPy and evaluated with sixty digits of mpmath.

A route that shares nothing with the project: fields from the null space at a point, brackets by differentiation, ranks
by elimination of numbers. It sees what holds near the points it is given, and nothing else.
"""

from itertools import combinations

import mpmath
from sympy import Expr, Matrix, Symbol, lambdify

DIGITS = 60
SMALL = mpmath.mpf(10) ** -35


def numbers(expressions: list[Expr], variables: list[Symbol], at: dict[Symbol, object]) -> list[object]:
    """Expressions at a point, with sixty digits."""
    f = lambdify(variables, list(expressions), modules="mpmath")
    return [mpmath.mpf(v) for v in f(*(at[x] for x in variables))]


def rank(rows: list[list[object]]) -> int:
    """The rank of numbers, by elimination with the largest pivot; what is far below the largest number is zero."""
    left = [list(row) for row in rows]
    found, least = 0, SMALL * max((abs(e) for row in rows for e in row), default=0)
    while left:
        size, i, j = max((abs(e), i, j) for i, row in enumerate(left) for j, e in enumerate(row))
        if size <= least:
            break
        pivot = left.pop(i)
        left = [[a - b * row[j] / pivot[j] for a, b in zip(row, pivot, strict=True)] for row in left]
        found += 1
    return found


def truth(rows: list[list[Expr]], variables: list[Symbol], at: dict[Symbol, float], depth: int = 3) -> tuple[int, int]:
    """(rank, number of integrals) of independent forms near a point: `rows` by coefficients, brackets to a depth."""
    with mpmath.workdps(DIGITS):
        place = {x: mpmath.mpf(v) for x, v in at.items()}
        A = Matrix(rows)
        values = numbers(list(A), variables, place)
        table = [values[i * A.cols : (i + 1) * A.cols] for i in range(A.rows)]
        k = rank(table)
        if k < A.rows:
            kept = next(c for c in combinations(range(A.rows), k) if rank([table[i] for i in c]) == k) if k else ()
            if not kept:
                return 0, 0
            return truth([rows[i] for i in kept], variables, at, depth)
        pivots = next(c for c in combinations(range(A.cols), k) if rank([[row[j] for j in c] for row in table]) == k)
        free = [j for j in range(A.cols) if j not in pivots]
        solved = A.extract(list(range(k)), list(pivots)).inv() * A.extract(list(range(k)), free)
        fields = []
        for n, j in enumerate(free):
            field = [0] * A.cols
            field[j] = 1
            for r, p in enumerate(pivots):
                field[p] = -solved[r, n]
            fields.append(field)
        every, newest = list(fields), list(fields)
        size = len(fields)
        for _ in range(depth):
            brackets = [bracket(x, y, variables) for x in fields for y in newest if x is not y]
            kept = []
            for b in brackets:
                table = [numbers(v, variables, place) for v in (*every, *kept, b)]
                if rank(table) == len(table):
                    kept.append(b)
            if not kept:
                break
            every, newest = every + kept, kept
        return k, A.cols - len(every) if size else k


def bracket(x: list[Expr], y: list[Expr], variables: list[Symbol]) -> list[Expr]:
    """[X, Y] = X(Y) − Y(X)."""
    out = []
    for p in range(len(variables)):
        total = 0
        for q, s in enumerate(variables):
            dy = y[p].diff(s) if isinstance(y[p], Expr) else 0
            dx = x[p].diff(s) if isinstance(x[p], Expr) else 0
            total = total + x[q] * dy - y[q] * dx
        out.append(total)
    return out
