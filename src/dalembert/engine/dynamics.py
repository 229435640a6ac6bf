"""A system solved for its acceleration and forces, as compiled expressions.

The elimination is unrolled over a chosen independent set of rows:

    λ = S⁻¹ (b − A M⁻¹ Q),   δ = S⁻¹ A M⁻¹ C,   Qᶜ_i = Aᵀ λ,   Qᶜ_ni = C − Aᵀ δ,   q̈ = M⁻¹ (Q + Qᶜ_i + Qᶜ_ni)

with S = A M⁻¹ Aᵀ. Any such set is a {1,4} inverse, so motion and constraint force do not depend on it (Udwadia 2000,
remark 7). Where M is diagonal, as for mass points, no product is written twice and equal masses cancel.

Where C has a part D λ̂ that follows the actual multipliers, Qᶜ = C + Aᵀλ̂, these come from (S + A M⁻¹ D) λ̂ = b − A M⁻¹
(Q + C₀), C₀ the rest of C. It need not be symmetric, and where a pivot of it vanishes there is no unique answer.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import frexp

from dalembert.derive.elimination import Factors, Vector, factor, triangles
from dalembert.derive.mechanics import Sparse
from dalembert.engine.expressions import Compiled, Expression, times

Entries = Vector[Expression]
Work = Callable[[Entries], tuple[Entries, dict[int, Entries]]]


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The solved system: sparse vectors {place: entry} over coordinates, `multipliers` over the chosen rows.

    `pivots` are the D of S = LDLᵀ, one for each chosen row: at most its entry of the `diagonal` of S, and falling
    towards zero where the rows become dependent. `inertia` are the D of M = LDLᵀ, one for each coordinate: positive.
    `reactions` are the actual multipliers λ̂; `jams` the pivots that say whether they are unique, over those of S.
    """

    acceleration: Entries
    ideal: Entries
    nonideal: Entries
    multipliers: Entries
    pivots: Entries
    diagonal: Entries
    inertia: Entries
    reactions: Entries
    jams: list[Expression]
    D: dict[int, Entries]


@dataclass(frozen=True, eq=False)
class Question:
    """M and A (sparse), Q and b, with M positive definite and A only the chosen rows."""

    M: Sparse[Expression]
    Q: Entries
    A: dict[int, Entries]
    b: Entries


def chosen(
    M: Sparse[Expression],
    Q: Sequence[Expression],
    A: Sparse[Expression],
    b: Sequence[Expression],
    rows: Sequence[int],
    algebra: Compiled,
) -> Question:
    """The question restricted to the chosen rows."""
    picked: dict[int, Entries] = {r: {} for r in rows}
    for (r, j), entry in A.items():
        if r in picked:
            picked[r][j] = entry
    impressed = {i: f for i, f in enumerate(Q) if not algebra.is_zero(f)}
    return Question(M, impressed, picked, {r: b[r] for r in rows if not algebra.is_zero(b[r])})


def augmented(question: Question, algebra: Compiled) -> Question:
    """M + AᵀA and Q + Aᵀb: the same motion and forces, with a mass matrix the constraints make positive definite."""
    terms: defaultdict[tuple[int, int], list[Expression]] = defaultdict(list)
    for place, entry in question.M.items():
        terms[place].append(entry)
    loads: defaultdict[int, list[Expression]] = defaultdict(list)
    for i, f in question.Q.items():
        loads[i].append(f)
    for r, row in question.A.items():
        for i, left in row.items():
            if r in question.b:
                loads[i].append(left * question.b[r])
            for j, right in row.items():
                terms[i, j].append(left * right)
    M = {place: algebra.total(parts) for place, parts in terms.items()}
    return Question(M, {i: algebra.total(parts) for i, parts in loads.items()}, question.A, question.b)


def solve(question: Question, work: Work, algebra: Compiled) -> Dynamics:
    """Unroll the elimination; `work` gives C and D once the multipliers of the chosen rows are known."""
    mass = factor(question.M)
    if any(mass.below.values()):
        return _coupled(question, mass, work, algebra)
    return _diagonal(question, mass.pivots, work, algebra)


def _diagonal(question: Question, masses: Entries, work: Work, algebra: Compiled) -> Dynamics:
    """M diagonal. Where all masses are one m, S = A Aᵀ, λ/m stands for λ, and m is seen again only in the forces."""
    scale, A, b = _plain_rows(question.A, question.b, algebra)
    one = len(set(masses.values())) == 1
    m = {i: algebra.constant(d) for i, d in masses.items()}
    w = {i: algebra.constant(1.0 / d) for i, d in masses.items()}
    a = {i: f * w[i] if algebra.moves(f) else algebra.constant(f / masses[i]) for i, f in question.Q.items() if i in w}
    S = _weighted_gram(A, None if one else w, algebra)
    factors = factor(S)
    mass = next(iter(m.values())) if one else None

    def whole(x: Entries) -> Entries:
        """From λ/m and rows without their factors to λ of the rows as they are."""
        full = x if mass is None else {r: mass * entry for r, entry in x.items()}
        return {r: times(1.0 / scale[r], entry) for r, entry in full.items()}

    lam = factors.solve(minus(b, _rows_times(A, a, algebra)), algebra)
    C, D = work(whole(lam))
    if D:
        return _coupled(question, factor(question.M), work, algebra)
    c = {i: f * w[i] for i, f in C.items() if i in w}
    drop = factors.solve(_rows_times(A, c, algebra), algebra) if c else {}
    net = forces(A, minus(lam, drop), algebra)
    pushed = net if one else {i: f * w[i] for i, f in net.items()}
    return Dynamics(
        reactions=whole(minus(lam, drop)),
        jams=[],
        D={},
        acceleration=plus(plus(a, c), pushed),
        ideal=forces(question.A, whole(lam), algebra),
        nonideal=minus(C, forces(question.A, whole(drop), algebra)),
        multipliers=whole(lam),
        pivots=factors.pivots,
        diagonal={r: S[r, r] for r in factors.pivots},
        inertia=masses,
    )


def _plain_rows(
    A: Mapping[int, Entries], b: Entries, algebra: Compiled
) -> tuple[dict[int, float], dict[int, Entries], Entries]:
    """Each row over the power of two its entries share, and that number: 2 (x − y) costs more than x − y."""
    scale: dict[int, float] = {}
    rows: dict[int, Entries] = {}
    right: Entries = {}
    for r, row in A.items():
        scaled = {j: algebra.scaled(entry) for j, entry in row.items()}
        sizes = {abs(ratio) for ratio, _ in scaled.values()}
        size = sizes.pop() if len(sizes) == 1 else 1.0
        scale[r] = size if frexp(size)[0] == 0.5 else 1.0
        rows[r] = {j: times(ratio / scale[r], base) for j, (ratio, base) in scaled.items()}
        if r in b:
            ratio, base = algebra.scaled(b[r])
            right[r] = times(ratio / scale[r], base)
    return scale, rows, right


def _coupled(question: Question, mass: Factors[Expression], work: Work, algebra: Compiled) -> Dynamics:
    """Any M, by its factors."""
    A = question.A
    inertia = {r: mass.solve(row, algebra) for r, row in A.items()}  # M⁻¹ Aᵀ, column by column
    a = mass.solve(question.Q, algebra)
    S = {(r, r): algebra.zero for r in A} | _gram(A, inertia, algebra)  # a row of massless coordinates meets none
    factors = factor(S)
    lam = factors.solve(minus(question.b, _rows_times(A, a, algebra)), algebra)
    C, D = work(lam)
    nonideal, drop = dict(C), {}
    jams: list[Expression] = []
    if C or D:
        drop = factors.solve(_rows_times(A, mass.solve(C, algebra), algebra), algebra) if C else {}
        if D:
            actual, jams = _actual(question, D, mass, S, minus(lam, drop), algebra)
            C = plus(C, forces(D, actual, algebra))
            drop = minus(lam, actual)
        nonideal = minus(C, forces(A, drop, algebra))
        a = plus(a, mass.solve(C, algebra))
    return Dynamics(
        acceleration=plus(a, forces(inertia, minus(lam, drop), algebra)),
        ideal=forces(A, lam, algebra),
        nonideal=nonideal,
        multipliers=lam,
        pivots=factors.pivots,
        diagonal={r: S[r, r] for r in factors.pivots},
        inertia=mass.pivots,
        reactions=minus(lam, drop),
        jams=jams,
        D=D,
    )


def _actual(
    question: Question,
    D: Mapping[int, Entries],
    mass: Factors[Expression],
    S: Sparse[Expression],
    before: Entries,
    algebra: Compiled,
) -> tuple[Entries, list[Expression]]:
    """λ̂ of (S + A M⁻¹ D) λ̂ = S λ, λ the multipliers without D; and the pivots of that matrix over the diagonal of S."""
    A = question.A
    pushed = {r: mass.solve(d, algebra) for r, d in D.items() if r in A}
    matrix = {place: [entry] for place, entry in S.items()}
    for s, column in pushed.items():
        for r, row in A.items():
            if terms := [(entry, column[j]) for j, entry in row.items() if j in column]:
                matrix.setdefault((r, s), []).append(algebra.combine(terms))
    right: dict[int, list[Expression]] = {}
    for (r, s), entry in S.items():
        if s in before:
            right.setdefault(r, []).append(entry * before[s])
    factors = triangles({place: algebra.total(terms) for place, terms in matrix.items()})
    found = factors.solve({r: algebra.total(terms) for r, terms in right.items()}, algebra)
    return found, [factors.pivots[r] / S[r, r] for r in A]


def _meeting(A: Mapping[int, Entries], columns: Mapping[int, Entries]) -> dict[int, list[int]]:
    """For each row, the rows up to it whose column it meets."""
    at: defaultdict[int, list[int]] = defaultdict(list)
    for r, column in columns.items():
        for j in column:
            at[j].append(r)
    return {r: sorted({s for j in row for s in at[j] if s <= r}) for r, row in A.items()}


def _gram(A: Mapping[int, Entries], inertia: Mapping[int, Entries], algebra: Compiled) -> Sparse[Expression]:
    """S = A M⁻¹ Aᵀ, only where two rows meet."""
    S: Sparse[Expression] = {}
    for r, others in _meeting(A, inertia).items():
        for s in others:
            terms = [entry * inertia[s][j] for j, entry in A[r].items() if j in inertia[s]]
            S[r, s] = S[s, r] = algebra.total(terms)
    return S


def _weighted_gram(A: Mapping[int, Entries], w: Entries | None, algebra: Compiled) -> Sparse[Expression]:
    """S = A W Aᵀ with W diagonal (or one), each product of two functions written once, whatever its factors."""
    scaled = {r: {j: algebra.scaled(entry) for j, entry in row.items()} for r, row in A.items()}
    one = algebra.zero + 1.0
    S: Sparse[Expression] = {}
    for r, others in _meeting(A, A).items():
        for s in others:
            shares: dict[tuple[Expression, Expression], dict[Expression, float]] = {}
            for j, (left, f) in scaled[r].items():
                if j in scaled[s] and (w is None or j in w):
                    right, g = scaled[s][j]
                    pair = (g, f) if (g, f) in shares else (f, g)
                    share = shares.setdefault(pair, defaultdict(float))
                    share[one if w is None else w[j]] += left * right
            S[r, s] = S[s, r] = _weighted_sum(shares, one, algebra)
    return S


def _weighted_sum(
    shares: Mapping[tuple[Expression, Expression], Mapping[Expression, float]], one: Expression, algebra: Compiled
) -> Expression:
    """Σ share · f g, the products with the same share taken together."""
    groups: dict[tuple[tuple[Expression, float], ...], list[Expression]] = {}
    for (f, g), share in shares.items():
        key = tuple((weight, count) for weight, count in share.items() if count)
        if key:
            groups.setdefault(key, []).append(f * g)
    terms = []
    for key, products in groups.items():
        ((weight, count), *more), product = key, algebra.total(products)
        if not more and weight == one:
            terms.append(times(count, product))
        else:
            terms.append(algebra.total([times(n, e) for e, n in key]) * product)
    return algebra.total(terms)


def _rows_times(A: Mapping[int, Entries], x: Entries, algebra: Compiled) -> Entries:
    pairs = {r: [(entry, x[j]) for j, entry in row.items() if j in x] for r, row in A.items()}
    return {r: algebra.combine(terms) for r, terms in pairs.items() if terms}


def forces(columns: Mapping[int, Entries], weights: Entries, algebra: Compiled) -> Entries:
    """Σ_r weight_r column_r."""
    parts: defaultdict[int, list[Expression]] = defaultdict(list)
    for r, column in columns.items():
        if r in weights:
            for j, entry in column.items():
                ratio, base = algebra.scaled(entry)
                parts[j].append(times(ratio, base * weights[r]))
    return {j: algebra.total(terms) for j, terms in parts.items()}


def plus(a: Entries, b: Entries) -> Entries:
    """a + b."""
    return {i: a[i] + b[i] if i in a and i in b else a[i] if i in a else b[i] for i in a | b}


def minus(a: Entries, b: Entries) -> Entries:
    """a − b."""
    return {i: a[i] - b[i] if i in a and i in b else a[i] if i in a else -b[i] for i in a | b}
