"""Closed forms that people read: acceleration, constraint forces and multipliers as symbolic expressions.

No generalized inverse is formed. On an independent set of rows S = A M⁻¹ Aᵀ is regular, and

    λ = S⁻¹ (b − A M⁻¹ Q),   Qᶜ_i = Aᵀ λ,   Qᶜ_ni = C − Aᵀ S⁻¹ A M⁻¹ C,   q̈ = M⁻¹ (Q + Qᶜ_i + Qᶜ_ni).

The answer does not depend on which independent rows are taken (Udwadia 2000, remark 7). Where the closed form would be
unreadable, the factored form stands in its place and says so.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sympy import Expr, ImmutableDenseMatrix, Matrix, S, zeros

from dalembert.derive.algebra import Symbols
from dalembert.derive.effort import TooMuch, effort
from dalembert.derive.independence import independence
from dalembert.derive.linear import NotSolved, blocks, determinant, is_zero, solve
from dalembert.derive.mechanics import Derived
from dalembert.derive.prepared import prepared
from dalembert.derive.tidy import tidy
from dalembert.model import OneSided, Statement, multiplier

MOST_ROWS = 4
MOST_OPERATIONS_IN = 600
MOST_OPERATIONS_OUT = 500
EFFORT = 5.0


@dataclass(frozen=True)
class ClosedForm:
    """Symbolic M, Q, A, b, C and, where they can be read, acceleration, forces and multipliers.

    M is (n, n), A (m, n); Q, C, acceleration, ideal, nonideal are (n, 1); b and multipliers (m, 1). M q̈ = Q + Qᶜ,
    Qᶜ_i = Aᵀ λ with A = ∂f/∂q for f = 0 as stated. Acceleration, forces and multipliers are None in the factored form,
    where rows (`contradictory`) contradict others, and where M leaves q̈ `undetermined`. `independent` are the rows the
    closed form stands on. Among the rows are those of the `contacts`, which hold while they are closed.
    """

    coordinates: tuple[Expr, ...]
    constraints: tuple[str, ...]
    M: ImmutableDenseMatrix
    Q: ImmutableDenseMatrix
    A: ImmutableDenseMatrix
    b: ImmutableDenseMatrix
    C: ImmutableDenseMatrix
    acceleration: ImmutableDenseMatrix | None
    ideal: ImmutableDenseMatrix | None
    nonideal: ImmutableDenseMatrix | None
    multipliers: ImmutableDenseMatrix | None
    independent: tuple[int, ...]
    contradictory: tuple[int, ...]
    undetermined: bool
    notes: tuple[str, ...] = field(default=())
    contacts: tuple[OneSided, ...] = field(default=())

    @property
    def factored(self) -> bool:
        """Whether only the factored form is given."""
        return self.acceleration is None


class Undetermined(Exception):
    """No acceleration follows from what is stated; the reason is the message."""


class Unreadable(Exception):
    """The closed form is too long to be read; the reason is the message."""


def closed_form(system: Statement, units: float = EFFORT) -> ClosedForm:
    """The symbolic equation of motion of a statement, closed where that can be read, else factored.

    `units` is the effort that may be spent on it; see `effort`.
    """
    kept = prepared(system)
    algebra, parts = kept.algebra, shortened(dense(kept.derived), units / 3)
    rows, contradictory, notes = independence(system)
    names = tuple(c.name for c in system.constraints)
    contacts = tuple(c for c in system.constraints if isinstance(c, OneSided))
    solved: dict[str, Matrix] = {}
    undetermined = False
    if contradictory:
        against = ", ".join(repr(names[i]) for i in contradictory)
        notes = (f"no acceleration satisfies all rows: the rows before contradict {against}",)
    else:
        if len(rows) < len(names):
            left = ", ".join(repr(name) for i, name in enumerate(names) if i not in rows)
            notes = (*notes, f"redundant rows: {left} follow from the others; the multipliers of least norm are given")
        try:
            if len(rows) < len(names) and parts["C"].free_symbols & set(algebra.lam):
                raise Unreadable("a nature refers to multipliers, which are not unique where rows are redundant")
            if any(f.row is not None for f in kept.derived.friction):
                raise Unreadable(
                    "friction follows the actual normal force, which it changes itself; in C, λ of such a constraint "
                    "is the actual one, Qᶜ = C + Aᵀλ, found together with the acceleration"
                )
            with effort(units):
                solved = _solve(parts, rows, algebra)
        except Undetermined as reason:
            notes, undetermined = (*notes, str(reason)), True
        except (Unreadable, NotSolved, TooMuch) as reason:
            notes = (*notes, f"shown in factored form: {reason}")
    shown = {name: ImmutableDenseMatrix(algebra.restore(matrix)) for name, matrix in {**parts, **solved}.items()}
    if not solved:
        shown |= dict.fromkeys(("acceleration", "ideal", "nonideal", "multipliers"))
        shown["C"] = shown["C"].xreplace({lam: multiplier(name) for lam, name in zip(algebra.lam, names, strict=True)})
    return ClosedForm(
        system.coordinates,
        names,
        **shown,
        independent=rows,
        contradictory=contradictory,
        undetermined=undetermined,
        notes=(*notes, *while_in_contact(contacts)),
        contacts=contacts,
    )


def while_in_contact(contacts: Sequence[OneSided]) -> Iterator[str]:
    """When the equations hold, where there are contacts."""
    listed = ", ".join(repr(c.name) for c in contacts)
    if len(contacts) == 1:
        yield f"this holds while {listed} is in contact; out of contact its row and its multiplier are left out"
    elif contacts:
        yield f"this holds while all of {listed} are in contact; of those that are not, row and multiplier are left out"


def shortened(parts: dict[str, Matrix], units: float) -> dict[str, Matrix]:
    """M, Q, A, b, C made shorter, entry by entry, with so much effort."""
    short = {name: matrix.copy() for name, matrix in parts.items()}
    with suppress(TooMuch), effort(units):
        for matrix in short.values():
            for place, entry in enumerate(matrix):
                matrix[place] = tidy(entry)
    return short


def dense(d: Derived[Expr]) -> dict[str, Matrix]:
    """M, Q, A, b and the whole of C, friction in it, as matrices."""
    n, m = len(d.Q), len(d.b)
    M, A = zeros(n, n), zeros(m, n)
    for place, entry in d.M.items():
        M[place] = entry
    for place, entry in d.A.items():
        A[place] = entry
    C = Matrix(d.C)
    for f in d.friction:
        for i, along in f.along.items():
            C[i] -= f.size * along / f.speed
    return {"M": M, "Q": Matrix(n, 1, d.Q), "A": A, "b": Matrix(m, 1, d.b), "C": Matrix(n, 1, list(C))}


def _solve(parts: dict[str, Matrix], rows: Sequence[int], algebra: Symbols) -> dict[str, Matrix]:
    """The closed forms, on the given independent rows; raises `Unreadable` when that does not pay."""
    M, Q, A, b, C = (parts[name] for name in "MQAbC")
    if len(rows) > MOST_ROWS:
        raise Unreadable(f"{len(rows)} independent constraints; closed forms are given up to {MOST_ROWS}")
    if (size := operations(M, Q, A, b, C)) > MOST_OPERATIONS_IN:
        raise Unreadable(f"M, Q, A, b, C hold {size} operations; closed forms are given up to {MOST_OPERATIONS_IN}")
    n, k = Q.rows, len(rows)
    own, right = A.extract(list(rows), list(range(n))), b.extract(list(rows), [0])

    def short(matrix: Matrix) -> Matrix:
        out = matrix.applyfunc(tidy)
        if (size := operations(out)) > MOST_OPERATIONS_OUT:
            raise Unreadable(f"it would take {size} operations to write one part; the limit is {MOST_OPERATIONS_OUT}")
        return out

    if singular(M):  # the equivalent mass matrix that the constraints make regular
        M, Q = M + own.T * own, Q + own.T * right
        if singular(M):
            raise Undetermined(
                "M is singular and the constraints do not make up for it: the acceleration is not determined"
            )
    inverted = solve(M, Matrix.hstack(Q, C, own.T))  # M⁻¹ Q, M⁻¹ C, M⁻¹ Aᵀ
    a, c, w = inverted[:, 0], inverted[:, 1], inverted[:, 2:]
    lam, drop = zeros(k, 1), zeros(k, 1)
    if k:
        pair = solve(short(own * w), Matrix.hstack(short(right - own * a), short(own * c)))
        lam, drop = short(pair[:, 0]), short(pair[:, 1])
    known = dict(zip(algebra.lam, _least_norm(A, own, lam), strict=True))
    nonideal = short(short(C - own.T * drop).xreplace(known))
    ideal = short(own.T * lam)
    acceleration = short(a + w * lam) + short((c - w * drop).xreplace(known))
    return {
        "acceleration": acceleration.applyfunc(tidy),
        "ideal": ideal,
        "nonideal": nonideal,
        "multipliers": short(Matrix(A.rows, 1, list(known.values()))),
        "C": short(C.xreplace(known)),
    }


def singular(M: Matrix) -> bool:
    """Whether a matrix has no inverse, block by block. Raises TooMuch where a determinant would be too long."""
    return any(is_zero(determinant(M.extract(block, block))) for block in blocks(M))


def _least_norm(A: Matrix, own: Matrix, lam: Matrix) -> list[Expr]:
    """The least-norm multipliers of all rows: with A = R A_I, λ = R (RᵀR)⁻¹ λ_I."""
    if own.rows == A.rows:
        return list(lam)
    if own.rows == 0:
        return [S.Zero] * A.rows
    R = solve(own * own.T, own * A.T).T.applyfunc(tidy)
    return list(R * solve(R.T * R, lam))


def operations(*matrices: Matrix) -> int:
    """How many operations it takes to write the entries."""
    return sum(int(e.count_ops()) for matrix in matrices for e in matrix)
