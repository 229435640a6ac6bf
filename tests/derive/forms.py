"""Forms in numbers of forty digits: a route to ranks and spans that shares nothing with the finder of integrals."""

import random

from mpmath import mp, mpf
from sympy import Matrix, N, Symbol

DIGITS = 40


def place(symbols, seed=0):
    """A random real point, away from zero, with fractions for values."""
    rng = random.Random(seed)
    return {s: mpf(rng.randint(200, 900)) / 503 for s in sorted(symbols, key=lambda s: (s.name, s.sort_key()))}


def rank(rows, variables, seed=0):
    """The rank of expressions in a rectangular table at a random point."""
    table = Matrix([[row.get(x, 0) for x in variables] for row in rows])
    with mp.workdps(DIGITS):
        where = place(table.free_symbols | set(variables), seed)
        left = [[mp.mpmathify(N(e, DIGITS, subs=where)) for e in table.row(i)] for i in range(table.rows)]
        found = 0
        for column in range(len(variables)):
            best = max(left, key=lambda row: abs(row[column]), default=None)
            if best is None or abs(best[column]) < mpf(10) ** -25:
                continue
            left.remove(best)
            left = [[a - b * row[column] / best[column] for a, b in zip(row, best, strict=True)] for row in left]
            found += 1
        return found


def differential(f, variables):
    return {x: f.diff(x) for x in variables}


def mixed(functions, variables, matrix=None):
    """The rows M J of functions with Jacobian J: forms that span their differentials."""
    table = Matrix(functions).jacobian(variables)
    table = table if matrix is None else Matrix(matrix) * table
    return [{x: table[i, j] for j, x in enumerate(variables) if table[i, j] != 0} for i in range(table.rows)]


def names(text):
    return [Symbol(name, real=True) for name in text.split()]
