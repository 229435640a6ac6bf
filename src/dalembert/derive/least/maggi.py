"""Maggi's equations in symbols, over the algebra of a statement, and the effort there is to write them.

With K = [A; U] square and regular, K V = [0; I] and K p = [b; −U̇q̇ − u̇₀]; see `derive.minimal`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from sympy import Add, Expr, Matrix, Mul, S, cos, count_ops, eye, factor, fraction, sin, tan, together, zeros
from sympy.polys.polyerrors import PolynomialError
from sympy.simplify.fu import TR2

from dalembert.derive.algebra import Symbols
from dalembert.derive.closed import MOST_OPERATIONS_IN, MOST_OPERATIONS_OUT, Unreadable, operations
from dalembert.derive.effort import TooMuch, effort, weigh
from dalembert.derive.least.pivots import never_zero
from dalembert.derive.least.quasi import Chosen, is_linear
from dalembert.derive.linear import MOST_TERMS, NotSolved, determinant, solve
from dalembert.derive.mechanics import rows
from dalembert.derive.prepared import Prepared
from dalembert.derive.tidy import tidy

T = TypeVar("T")
MOST_OPERATIONS_TURNED = 60  # of an entry whose angles are tried one by one


class Stacked(NamedTuple):
    """[A; U] (n, n), its right sides [b; −U̇q̇ − u̇₀] and, at zero velocity, [−β; −u₀] (n, 1), in the algebra."""

    K: Matrix
    right: Matrix
    still: Matrix


def stack(kept: Prepared, used: Sequence[int], chosen: Chosen, parts: Mapping[str, Matrix]) -> tuple[Stacked, bool]:
    """The rows used over those of the velocities, and whether they are linear in velocity."""
    a, n = kept.algebra, len(kept.form.coordinates)
    definitions = [a.convert(e) for e in chosen.definitions]
    slopes, drift = rows(definitions, a)
    U = zeros(len(definitions), n)
    for place, entry in slopes.items():
        U[place] = entry
    A, b = (parts[name].extract(list(used), list(range(parts[name].cols))) for name in "Ab")
    linear = all(is_linear(kept.derived.rate[r], a) for r in used)
    rest = dict.fromkeys(a.v, S.Zero)
    still = [-e.xreplace(rest) for e in (*(kept.derived.rate[r] for r in used), *definitions)] if linear else [0] * n
    return Stacked(A.col_join(U), b.col_join(Matrix(len(drift), 1, drift)), Matrix(n, 1, still)), linear


def kinematics(stacked: Stacked, u: Sequence[Expr], linear: bool, algebra: Symbols) -> dict[str, Matrix]:
    """V, w and p; with linear rows p is written in u, as the time derivative of V u + w while u rests."""
    n, r = stacked.K.rows, len(u)
    chosen = zeros(n - r, r).col_join(eye(r))
    if not linear:
        solution = reduced(stacked.K, Matrix.hstack(chosen, stacked.right))
        return {"V": short(solution[:, :r]), "p": short(solution[:, r:])}
    solution = reduced(stacked.K, Matrix.hstack(chosen, stacked.still))
    V, w = short(solution[:, :r]), short(solution[:, r:])
    rates = [*_in_u(V, w, u, algebra).values(), S.One]
    slopes = [algebra.gradient(e, [*algebra.q, algebra.t]) for e in rates[:-1]]
    p = [Add(*(slope * rates[j] for j, slope in own.items())) for own in slopes]
    return {"V": V, "w": w, "p": short(Matrix(n, 1, p))}


def dynamics(
    parts: Mapping[str, Matrix], found: Mapping[str, Matrix], u: Sequence[Expr], linear: bool, algebra: Symbols
) -> dict[str, Matrix]:
    """VᵀMV and Vᵀ(Q + C − M p); with linear rows written in u."""
    V, p = found["V"], found["p"]
    M, load = parts["M"], parts["Q"] + parts["C"]
    if linear:
        known = _in_u(V, found["w"], u, algebra)
        M, load = M.xreplace(known), load.xreplace(known)
    if (size := operations(M, load, V, p)) > 2 * MOST_OPERATIONS_IN:
        raise Unreadable(f"M, Q, C, V, p hold {size} operations; it is written out up to {2 * MOST_OPERATIONS_IN}")
    momentum = short(M * V)
    return {"mass": short(V.T * momentum), "force": short(V.T * load - momentum.T * p)}


def _in_u(V: Matrix, w: Matrix, u: Sequence[Expr], algebra: Symbols) -> dict[Expr, Expr]:
    """q̇ = V u + w, by velocity."""
    return dict(zip(algebra.v, V * Matrix(len(u), 1, list(u)) + w, strict=True))


def reduced(K: Matrix, right: Matrix) -> Matrix:
    """X with K X = `right`: rows with one entry are solved at once, which leaves few that are coupled."""
    X, rest, left = zeros(K.cols, right.cols), list(range(K.rows)), list(range(K.cols))
    while single := [(i, js[0]) for i in rest if len(js := [j for j in left if K[i, j] != 0]) == 1]:
        i, j = single[0]
        X[j, :] = right[i, :] / K[i, j]
        right = right - K[:, j] * X[j, :]
        rest.remove(i)
        left.remove(j)
    if left:
        coupled = solve(K.extract(rest, left), right.extract(rest, list(range(right.cols))))
        for row, j in enumerate(left):
            X[j, :] = coupled[row, :]
    return X


def singular(K: Matrix, algebra: Symbols) -> list[Expr]:
    """The factors of det [A; U] that may vanish."""
    top, _ = fraction(together(tidy(determinant(K))))
    weigh(top)
    bases = [f.base if f.is_Pow and f.exp.is_positive else f for f in Mul.make_args(factor(tidy(top)))]
    return [f for f in dict.fromkeys(bases) if not never_zero(f, algebra)]


def short(matrix: Matrix) -> Matrix:
    """Each entry in a short form."""
    out = matrix.applyfunc(lambda e: min(_forms(e), key=count_ops))
    if (size := operations(out)) > MOST_OPERATIONS_OUT:
        raise Unreadable(f"it would take {size} operations to write one part; the limit is {MOST_OPERATIONS_OUT}")
    return out


def _forms(e: Expr) -> Iterator[Expr]:
    """Short forms of an entry: tangents written as quotients, and multiples of angles undone, may let more cancel."""
    yield (form := tidy(TR2(e) if e.has(tan) else e))
    if form.has(sin, cos) and form.count_ops() <= MOST_OPERATIONS_TURNED:
        with suppress(PolynomialError, TooMuch):
            turned = form.expand(trig=True)
            weigh(turned, most=MOST_TERMS)
            yield factor(together(turned))


class Attempts:
    """Pieces of symbolic work, each with as many `units` of effort."""

    def __init__(self, units: float) -> None:
        self.units = units

    def attempt(self, what: str, work: Callable[[], T], notes: list[str] | None) -> T | None:
        """What `work` gives; None, and why in the notes, where it is too long or takes too much."""
        try:
            with effort(self.units):
                return work()
        except (Unreadable, NotSolved, TooMuch) as error:
            if notes is not None:
                notes.append(f"{what} is not written out: {error}; numbers do not need it")
        return None
