"""A system solved for its acceleration and forces, as expressions of an algebra.

The elimination is unrolled over a chosen independent set of rows:

    λ = S⁻¹ (b − A M⁻¹ Q),   δ = S⁻¹ A M⁻¹ C,   Qᶜ_i = Aᵀ λ,   Qᶜ_ni = C − Aᵀ δ,   q̈ = M⁻¹ (Q + Qᶜ_i + Qᶜ_ni)

with S = A M⁻¹ Aᵀ. Any such set is a {1,4} inverse, so motion and constraint force do not depend on it (Udwadia 2000,
remark 7).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from dalembert.derive.algebra import Algebra, E
from dalembert.derive.elimination import Vector, factor
from dalembert.derive.mechanics import Sparse


@dataclass(frozen=True, eq=False)
class Dynamics(Generic[E]):
    """The solved system: sparse vectors {place: entry} over coordinates, `multipliers` over the chosen rows.

    `pivots` are the D of S = LDLᵀ, one for each chosen row: at most its entry of the `diagonal` of S, and falling
    towards zero where the rows become dependent. `inertia` are the D of M = LDLᵀ, one for each coordinate: positive.
    """

    acceleration: Vector[E]
    ideal: Vector[E]
    nonideal: Vector[E]
    multipliers: Vector[E]
    pivots: Vector[E]
    diagonal: Vector[E]
    inertia: Vector[E]


@dataclass(frozen=True, eq=False)
class Question(Generic[E]):
    """M and A (sparse), Q and b over an algebra, with M positive definite and A only the chosen rows."""

    M: Sparse[E]
    Q: Vector[E]
    A: dict[int, Vector[E]]
    b: Vector[E]


def chosen(
    M: Sparse[E], Q: Sequence[E], A: Sparse[E], b: Sequence[E], rows: Sequence[int], algebra: Algebra[E]
) -> Question[E]:
    """The question restricted to the chosen rows."""
    picked: dict[int, Vector[E]] = {r: {} for r in rows}
    for (r, j), entry in A.items():
        if r in picked:
            picked[r][j] = entry
    impressed = {i: f for i, f in enumerate(Q) if not algebra.is_zero(f)}
    return Question(M, impressed, picked, {r: b[r] for r in rows if not algebra.is_zero(b[r])})


def augmented(question: Question[E], algebra: Algebra[E]) -> Question[E]:
    """M + AᵀA and Q + Aᵀb: the same motion and forces, with a mass matrix the constraints make positive definite."""
    terms: defaultdict[tuple[int, int], list[E]] = defaultdict(list)
    for place, entry in question.M.items():
        terms[place].append(entry)
    forces: defaultdict[int, list[E]] = defaultdict(list)
    for i, f in question.Q.items():
        forces[i].append(f)
    for r, row in question.A.items():
        for i, left in row.items():
            if r in question.b:
                forces[i].append(left * question.b[r])
            for j, right in row.items():
                terms[i, j].append(left * right)
    M = {place: algebra.total(parts) for place, parts in terms.items()}
    return Question(M, {i: algebra.total(parts) for i, parts in forces.items()}, question.A, question.b)


def solve(question: Question[E], work: Callable[[Vector[E]], Vector[E]], algebra: Algebra[E]) -> Dynamics[E]:
    """Unroll the elimination; `work` gives C once the multipliers of the chosen rows are known."""
    mass = factor(question.M)
    inertia = {r: mass.solve(row, algebra) for r, row in question.A.items()}  # M⁻¹ Aᵀ, column by column
    a = mass.solve(question.Q, algebra)
    S = _gram(question.A, inertia, algebra)
    factors = factor(S)
    lam = factors.solve(_minus(question.b, _rows_times(question.A, a, algebra)), algebra)
    C = work(lam)
    nonideal, drop = dict(C), {}
    if C:
        c = mass.solve(C, algebra)
        drop = factors.solve(_rows_times(question.A, c, algebra), algebra)
        nonideal = _minus(C, _combine(question.A, drop, algebra))
        a = _plus(a, c)
    net = _minus(lam, drop)
    return Dynamics(
        acceleration=_plus(a, _combine(inertia, net, algebra)),
        ideal=_combine(question.A, lam, algebra),
        nonideal=nonideal,
        multipliers=lam,
        pivots=factors.pivots,
        diagonal={r: S[r, r] for r in factors.pivots},
        inertia=mass.pivots,
    )


def _gram(
    A: Mapping[int, Vector[E]], inertia: Mapping[int, Vector[E]], algebra: Algebra[E]
) -> dict[tuple[int, int], E]:
    """S = A M⁻¹ Aᵀ, only where two rows meet."""
    meeting: defaultdict[int, list[int]] = defaultdict(list)
    for r, column in inertia.items():
        for j in column:
            meeting[j].append(r)
    S: dict[tuple[int, int], E] = {}
    for r, row in A.items():
        for s in sorted({s for j in row for s in meeting[j] if s <= r}):
            terms = [entry * inertia[s][j] for j, entry in row.items() if j in inertia[s]]
            S[r, s] = S[s, r] = algebra.total(terms)
    return S


def _rows_times(A: Mapping[int, Vector[E]], x: Vector[E], algebra: Algebra[E]) -> Vector[E]:
    parts = {r: [entry * x[j] for j, entry in row.items() if j in x] for r, row in A.items()}
    return {r: algebra.total(terms) for r, terms in parts.items() if terms}


def _combine(columns: Mapping[int, Vector[E]], weights: Vector[E], algebra: Algebra[E]) -> Vector[E]:
    """Σ_r weight_r column_r."""
    parts: defaultdict[int, list[E]] = defaultdict(list)
    for r, column in columns.items():
        if r in weights:
            for j, entry in column.items():
                parts[j].append(entry * weights[r])
    return {j: algebra.total(terms) for j, terms in parts.items()}


def _plus(a: Vector[E], b: Vector[E]) -> Vector[E]:
    return {i: a[i] + b[i] if i in a and i in b else a[i] if i in a else b[i] for i in a | b}


def _minus(a: Vector[E], b: Vector[E]) -> Vector[E]:
    return {i: a[i] - b[i] if i in a and i in b else a[i] if i in a else -b[i] for i in a | b}
