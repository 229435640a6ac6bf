"""A system solved for its acceleration and forces, as compiled expressions.

The elimination is unrolled over the rows of A:

    λ = S⁻¹ (b − A M⁻¹ Q),   δ = S⁻¹ A M⁻¹ C,   Qᶜ_i = Aᵀ λ,   Qᶜ_ni = C − Aᵀ δ,   q̈ = M⁻¹ (Q + Qᶜ_i + Qᶜ_ni)

with S = A M⁻¹ Aᵀ. Where M is diagonal, as for mass points, no product is written twice and equal masses cancel.

A row r may be in force or not at run time: its mask a_r is 1 or 0. Then S has the entries a_r a_s S_rs and on the
diagonal 1 − a_r more, the right side a_r e_r, so that λ_r = 0 where a_r = 0 and the others solve the system of the rows
in force alone. Any independent set of rows in force that spans the others is a {1,4} inverse, so motion and constraint
force do not depend on which it is (Udwadia 2000, remark 7).

S has the square of the condition of A. Where rows are nearly parallel, λ is refined: S⁻¹ is applied to what is left of
e − A M⁻¹ Aᵀ λ, which is computed without S (the corrected seminormal equations of Björck 1987).

Where forces balance, q̈ is what their rounding leaves, and in a long time that leads off the rows. There what is left
of the rows is taken off once more: q̈ + M⁻¹ Aᵀ S⁻¹ (b − A q̈) obeys them to the rounding of q̈ itself.

Where C has a part D λ̂ that follows the actual multipliers, Qᶜ = C + Aᵀλ̂, these come from (S + A M⁻¹ D) λ̂ = b − A M⁻¹
(Q + C₀), C₀ the rest of C. It need not be symmetric, and where a pivot of it vanishes there is no unique answer.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import frexp

from dalembert.derive.elimination import Vector, factor, triangles
from dalembert.derive.mechanics import Sparse
from dalembert.engine.heyoka_algebra import Expression, HeyokaAlgebra, times
from dalembert.engine.protocol import Variant

Entries = Vector[Expression]
Work = Callable[[Entries], tuple[Entries, dict[int, Entries]]]


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The solved system: sparse vectors {place: entry} over coordinates, `multipliers` and `reactions` over rows.

    `pivots`: for each row the pivot of S = LDLᵀ over its own diagonal entry, at most 1, falling towards zero where the
    rows become dependent. `squares`: A_r M⁻¹ A_rᵀ of each row. `inertia`: for each coordinate the pivot of M over its
    own diagonal entry, and that entry, `masses`. `reactions` are the actual multipliers λ̂; `jams` the pivots that say
    whether they are unique, over those of S. `respond` gives M⁻¹ Aᵀ S⁻¹ e for right sides e over the rows.
    """

    acceleration: Entries
    ideal: Entries
    nonideal: Entries
    multipliers: Entries
    pivots: Entries
    squares: Entries
    inertia: Entries
    masses: Entries
    free: Entries
    reactions: Entries
    jams: list[Expression]
    D: dict[int, Entries]
    respond: Callable[[Entries], Entries]


@dataclass(frozen=True, eq=False)
class EliminationInput:
    """M and A (sparse), Q and b; `masks` of the rows that may be out of force; how often λ is refined; whether what
    is left of the rows is taken off the acceleration.
    """

    M: Sparse[Expression]
    Q: Entries
    A: dict[int, Entries]
    b: Entries
    masks: Entries
    refinements: int = 0
    balanced: bool = False


def stated(
    M: Sparse[Expression],
    Q: Sequence[Expression],
    A: Sparse[Expression],
    b: Sequence[Expression],
    masks: Entries,
    variant: Variant,
    algebra: HeyokaAlgebra,
) -> EliminationInput:
    """The input from the matrices as they are derived."""
    rows: dict[int, Entries] = {r: {} for r in range(len(b))}
    for (r, j), entry in A.items():
        rows[r][j] = entry
    impressed = {i: f for i, f in enumerate(Q) if not algebra.is_zero(f)}
    right = {r: e for r, e in enumerate(b) if not algebra.is_zero(e)}
    return EliminationInput(M, impressed, rows, right, masks, variant.refinements, variant.balanced)


def augmented(given: EliminationInput, weights: Entries, algebra: HeyokaAlgebra) -> EliminationInput:
    """M + AᵀGA and Q + AᵀGb with weights G at run time: the same motion and forces, with a mass matrix that the
    constraints make positive definite. The weight of a row that is not in force must be zero.
    """
    terms: defaultdict[tuple[int, int], list[Expression]] = defaultdict(list)
    for place, entry in given.M.items():
        terms[place].append(entry)
    loads: defaultdict[int, list[Expression]] = defaultdict(list)
    for i, f in given.Q.items():
        loads[i].append(f)
    for r, row in given.A.items():
        for i, left in row.items():
            weighted = weights[r] * left
            if r in given.b:
                loads[i].append(weighted * given.b[r])
            for j, right in row.items():
                terms[i, j].append(weighted * right)
    M = {place: algebra.total(parts) for place, parts in terms.items()}
    Q = {i: algebra.total(parts) for i, parts in loads.items()}
    return replace(given, M=M, Q=Q)


def solve(given: EliminationInput, work: Work, algebra: HeyokaAlgebra) -> Dynamics:
    """Unroll the elimination; `work` gives C and D once the multipliers are known."""
    diagonal = all(i == j for i, j in given.M) and len(given.M) == len(algebra.q)
    found = (_diagonal(given, work, algebra) if diagonal else None) or _coupled(given, work, algebra)
    if not given.balanced:
        return found
    left = minus(given.b, _rows_times(given.A, found.acceleration, algebra))
    return replace(found, acceleration=plus(found.acceleration, found.respond(left)))


class _RowSystem:
    """S with its masks, factored once; `raised` applies M⁻¹, up to a factor all coordinates share."""

    def __init__(
        self,
        S: Sparse[Expression],
        A: Mapping[int, Entries],
        raised: Callable[[Entries], Entries],
        given: EliminationInput,
        algebra: HeyokaAlgebra,
    ) -> None:
        self._A, self._raised, self._given, self._algebra = A, raised, given, algebra
        self.S = _masked(S, given.masks)
        self._factors = factor(self.S)
        self.pivots = {r: _over(d, self.S[r, r], algebra) for r, d in self._factors.pivots.items()}

    def solve(self, e: Entries) -> Entries:
        """λ with S λ = e over the rows in force, zero on the others."""
        algebra, masks = self._algebra, self._given.masks
        e = {r: masks[r] * x if r in masks else x for r, x in e.items()}
        lam = self._factors.solve(e, algebra)
        for _ in range(self._given.refinements):
            back = _rows_times(self._A, self._raised(forces(self._A, lam, algebra)), algebra)
            left = minus(e, {r: masks[r] * x if r in masks else x for r, x in back.items()})
            lam = plus(lam, self._factors.solve(left, algebra))
        return lam


def _over(pivot: Expression, entry: Expression, algebra: HeyokaAlgebra) -> Expression:
    """The ratio, one where the two are the same."""
    return algebra.zero + 1.0 if pivot == entry else pivot / entry


def _masked(S: Sparse[Expression], masks: Entries) -> Sparse[Expression]:
    """a_r a_s S_rs, and 1 − a_r more on the diagonal."""
    if not masks:
        return S
    out: Sparse[Expression] = {}
    for (r, s), entry in S.items():
        if r == s:
            out[r, r] = masks[r] * entry + (1.0 - masks[r]) if r in masks else entry
        elif (s, r) in out and S[s, r] == entry:
            out[r, s] = out[s, r]
        else:
            own = [masks[k] for k in (r, s) if k in masks]
            out[r, s] = own[0] * entry if len(own) == 1 else (own[0] * own[1]) * entry if own else entry
    return out


def _diagonal(given: EliminationInput, work: Work, algebra: HeyokaAlgebra) -> Dynamics | None:
    """M diagonal. Where all masses are one m, S = A Aᵀ, λ/m stands for λ, and m is seen again only in the forces.

    None where C follows the actual multipliers.
    """
    masses = {i: given.M[i, i] for i in range(len(algebra.q))}
    scale, A, b = _plain_rows(given.A, given.b, algebra)
    one = len(set(masses.values())) == 1
    m = {i: algebra.constant(d) for i, d in masses.items()}
    w = {i: algebra.constant(1.0 / d) for i, d in masses.items()}
    a = {i: f * w[i] if algebra.moves(f) else algebra.constant(f / masses[i]) for i, f in given.Q.items()}
    mass = m[0] if one else None

    def raised(x: Entries) -> Entries:
        return x if one else {i: f * w[i] for i, f in x.items()}

    S = {(r, r): algebra.zero for r in A} | _weighted_gram(A, None if one else w, algebra)
    rows = _RowSystem(S, A, raised, given, algebra)

    def whole(x: Entries) -> Entries:
        """From λ/m and rows without their factors to λ of the rows as they are."""
        full = x if mass is None else {r: mass * entry for r, entry in x.items()}
        return {r: times(1.0 / scale[r], entry) for r, entry in full.items()}

    lam = rows.solve(minus(b, _rows_times(A, a, algebra)))
    C, D = work(whole(lam))
    if D:
        return None
    c = {i: f * w[i] for i, f in C.items()}
    drop = rows.solve(_rows_times(A, c, algebra)) if c else {}
    net = forces(A, minus(lam, drop), algebra)
    own = {r: times(scale[r] ** 2, S[r, r]) for r in A}
    return Dynamics(
        reactions=whole(minus(lam, drop)),
        jams=[],
        D={},
        acceleration=plus(plus(a, c), raised(net)),
        ideal=forces(given.A, whole(lam), algebra),
        nonideal=minus(C, forces(given.A, whole(drop), algebra)),
        multipliers=whole(lam),
        pivots=rows.pivots,
        squares=own if mass is None else {r: entry / mass for r, entry in own.items()},
        inertia=dict.fromkeys(masses, algebra.zero + 1.0),
        masses=masses,
        free=a,
        respond=lambda e: raised(forces(A, rows.solve({r: times(1.0 / scale[r], x) for r, x in e.items()}), algebra)),
    )


def _plain_rows(
    A: Mapping[int, Entries], b: Entries, algebra: HeyokaAlgebra
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


def _coupled(given: EliminationInput, work: Work, algebra: HeyokaAlgebra) -> Dynamics:
    """Any M, by its factors."""
    A, n = given.A, len(algebra.q)
    mass = factor({(i, i): algebra.zero for i in range(n)} | dict(given.M))

    def raised(x: Entries) -> Entries:
        return mass.solve(x, algebra)

    inertia = {r: raised(row) for r, row in A.items()}  # M⁻¹ Aᵀ, column by column
    a = raised(given.Q)
    S = {(r, r): algebra.zero for r in A} | _gram(A, inertia, algebra)
    rows = _RowSystem(S, A, raised, given, algebra)
    lam = rows.solve(minus(given.b, _rows_times(A, a, algebra)))
    C, D = work(lam)
    nonideal, drop = dict(C), {}
    jams: list[Expression] = []
    free = a
    if C or D:
        drop = rows.solve(_rows_times(A, raised(C), algebra)) if C else {}
        if D:
            actual, jams = _actual(given, D, raised, S, minus(lam, drop), algebra)
            C = plus(C, forces(D, actual, algebra))
            drop = minus(lam, actual)
        nonideal = minus(C, forces(A, drop, algebra))
        a = plus(a, raised(C))
    diagonal = {i: given.M.get((i, i), algebra.zero) for i in range(n)}
    return Dynamics(
        acceleration=plus(a, forces(inertia, minus(lam, drop), algebra)),
        ideal=forces(A, lam, algebra),
        nonideal=nonideal,
        multipliers=lam,
        pivots=rows.pivots,
        squares={r: S[r, r] for r in A},
        inertia={i: _over(d, diagonal[i], algebra) for i, d in mass.pivots.items()},
        masses=diagonal,
        free=free,
        reactions=minus(lam, drop),
        jams=jams,
        D=D,
        respond=lambda e: forces(inertia, rows.solve(e), algebra),
    )


def _actual(
    given: EliminationInput,
    D: Mapping[int, Entries],
    raised: Callable[[Entries], Entries],
    S: Sparse[Expression],
    before: Entries,
    algebra: HeyokaAlgebra,
) -> tuple[Entries, list[Expression]]:
    """λ̂ of (S + A M⁻¹ D) λ̂ = S λ, λ the multipliers without D; and the pivots of that matrix over the diagonal of S."""
    A = given.A
    pushed = {r: raised(d) for r, d in D.items() if r in A}
    matrix = {place: [entry] for place, entry in S.items()}
    for s, column in pushed.items():
        for r, row in A.items():
            if terms := [(entry, column[j]) for j, entry in row.items() if j in column]:
                matrix.setdefault((r, s), []).append(algebra.combine(terms))
    right: dict[int, list[Expression]] = {}
    for (r, s), entry in S.items():
        if s in before:
            right.setdefault(r, []).append(entry * before[s])
    whole = _masked({place: algebra.total(terms) for place, terms in matrix.items()}, given.masks)
    factors = triangles(whole)
    own = _masked({(r, r): S[r, r] for r in A}, given.masks)
    given_right = {r: algebra.total(terms) for r, terms in right.items()}
    found = factors.solve({r: given.masks[r] * x if r in given.masks else x for r, x in given_right.items()}, algebra)
    return found, [factors.pivots[r] / own[r, r] for r in A]


def _meeting(A: Mapping[int, Entries], columns: Mapping[int, Entries]) -> dict[int, list[int]]:
    """For each row, the rows up to it whose column it meets."""
    at: defaultdict[int, list[int]] = defaultdict(list)
    for r, column in columns.items():
        for j in column:
            at[j].append(r)
    return {r: sorted({s for j in row for s in at[j] if s <= r}) for r, row in A.items()}


def _gram(A: Mapping[int, Entries], inertia: Mapping[int, Entries], algebra: HeyokaAlgebra) -> Sparse[Expression]:
    """S = A M⁻¹ Aᵀ, only where two rows meet."""
    S: Sparse[Expression] = {}
    for r, others in _meeting(A, inertia).items():
        for s in others:
            terms = [entry * inertia[s][j] for j, entry in A[r].items() if j in inertia[s]]
            S[r, s] = S[s, r] = algebra.total(terms)
    return S


def _weighted_gram(A: Mapping[int, Entries], w: Entries | None, algebra: HeyokaAlgebra) -> Sparse[Expression]:
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
    shares: Mapping[tuple[Expression, Expression], Mapping[Expression, float]], one: Expression, algebra: HeyokaAlgebra
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


def _rows_times(A: Mapping[int, Entries], x: Entries, algebra: HeyokaAlgebra) -> Entries:
    pairs = {r: [(entry, x[j]) for j, entry in row.items() if j in x] for r, row in A.items()}
    return {r: algebra.combine(terms) for r, terms in pairs.items() if terms}


def forces(columns: Mapping[int, Entries], weights: Entries, algebra: HeyokaAlgebra) -> Entries:
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
