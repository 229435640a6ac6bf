"""How a friction lies in a statement: the directions it slides in, the rows that stop it, and what presses."""

from dataclasses import dataclass
from typing import Any

from sympy import Abs, Add, Expr, S, sqrt
from sympy.core.symbol import Str

from dalembert.derive.elimination import factor
from dalembert.derive.natures import coulomb, pressing
from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.switching.modes import Rub
from dalembert.derive.tape import GuardedRoot
from dalembert.derive.variants import bare
from dalembert.model import Multiplier, Particles, Statement


@dataclass(frozen=True, eq=False)
class Geometry:
    """How a friction lies: covectors {place: entry}, and the velocity s = d·q̇ + drift along each.

    One direction: `directions` (d) and `holds` are the same. Two: `along`/√`square` is the direction of sliding,
    `holds` the rows that stop it, `gram` their products. `lengths` turn a multiplier into a normal force.
    """

    directions: list[dict[int, Expr]]
    drifts: list[Expr]
    along: dict[int, Expr]
    square: Expr
    holds: list[dict[int, Expr]]
    gram: dict[tuple[int, int], Expr]
    lengths: dict[int, Expr]

    def weight(self, j: int, sign: Expr) -> Expr:
        """The normal force over the multiplier that presses, or all of it where several press together."""
        return sign * self.lengths[j]


def geometry(base: Statement, rub: Rub, basis: tuple[int, ...], chart: int, off: Expr = S.Zero) -> Geometry:
    """The geometry of a friction, of a particle held by the rows of `basis` or with a given sliding velocity.

    `off` is 1 while there is no friction, else 0: then its directions need not exist, and are finite all the same.
    """
    kept = prepared(bare(base))
    if rub.sliding:
        return _of_velocity(base, rub, kept)
    return _of_particle(base, rub, kept, basis, chart, off)


def _of_velocity(base: Statement, rub: Rub, kept: Prepared) -> Geometry:
    given = coulomb(base, rub.members[0]).sliding or ()
    rows = [{i: s.diff(v) for i, v in enumerate(base.velocities) if s.has(v)} for s in given]
    rest = dict.fromkeys(base.velocities, S.Zero)
    drifts = [s.xreplace(rest) for s in given]
    places = sorted({i for row in rows for i in row})
    along = {i: Add(*(row[i] * s for row, s in zip(rows, given, strict=True) if i in row)) for i in places}
    gram = {(i, i): S.One for i in range(len(rows))}
    metric = _points if isinstance(base.unconstrained, Particles) else _bare_length
    lengths = {j: metric(base, kept, pressing(base, j)) for j in rub.members}
    return Geometry(rows, drifts, along, Add(*(s**2 for s in given)), rows, gram, lengths)


def _of_particle(base: Statement, rub: Rub, kept: Prepared, basis: tuple[int, ...], chart: int, off: Expr) -> Geometry:
    derived, P = kept.derived, rub.particle
    M = {(i, j): kept.algebra.restore(derived.M[i, j]) for i in P for j in P if (i, j) in derived.M}
    masses = [M.get((i, i)) for i in P]
    plain = len(M) == len(P) and all(m == masses[0] for m in masses)
    if plain:  # the mass cancels
        M = {(i, i): S.One for i in P}

    def times_mass(x: dict[int, Expr]) -> dict[int, Expr]:
        return {i: Add(*(M[i, j] * x[j] for j in x if (i, j) in M)) for i in P if any((i, j) in M for j in x)}

    def dot(x: dict[int, Expr], y: dict[int, Expr]) -> Expr:
        return Add(*(x[i] * y[i] for i in x if i in y))

    A = {
        r: {i: kept.algebra.restore(derived.A[r, i]) for i in P if (r, i) in derived.A}
        for r in range(len(base.constraints))
    }
    rates = {i: base.velocities[i] for i in P}
    momentum = times_mass(rates)
    square = dot(rates, momentum)
    lengths = {
        j: _length([A[r] for r in pressing(base, j)], base, pressing(base, j), M, kept, off) for j in rub.members
    }
    if len(P) - len(basis) == 1:
        tangent = _cross([A[r] for r in basis], P)
        covector = times_mass(tangent)
        size = _root(dot(tangent, covector) + off)
        d = {i: e / size for i, e in covector.items()}
        return Geometry([d], [S.Zero], momentum, square, [d], {(0, 0): S.One}, lengths)
    (row,) = basis
    free = [i for i in P if i != chart]
    depth = (1 - off) * A[row][chart] + off
    tangents = [{i: S.One, chart: -A[row][i] / depth} if i in A[row] else {i: S.One} for i in free]
    holds = [times_mass(x) for x in tangents]
    gram = {(a, b): dot(x, y) for a, x in enumerate(tangents) for b, y in enumerate(holds)}
    return Geometry([{}, {}], [S.Zero, S.Zero], momentum, square, holds, gram, lengths)


def _cross(rows: list[dict[int, Expr]], P: tuple[int, ...]) -> dict[int, Expr]:
    """The direction that p − 1 rows leave free among p ≤ 3 coordinates."""
    a = [[row.get(i, S.Zero) for i in P] for row in rows]
    if len(P) == 1:
        out = [S.One]
    elif len(P) == 2:
        out = [-a[0][1], a[0][0]]
    else:
        (x, y, z), (u, v, w) = a
        out = [y * w - z * v, z * u - x * w, x * v - y * u]
    return {i: e for i, e in zip(P, out, strict=True) if e != 0}


def _length(
    rows: list[dict[int, Expr]], base: Statement, names: list[int], M: Any, kept: Prepared, off: Expr = S.Zero
) -> Expr:
    """‖A_r‖ in the metric of M⁻¹, or ‖Σ λ_r A_r‖ where several rows press."""
    if len(rows) > 1:
        whole: dict[int, list[Expr]] = {}
        for r, row in zip(names, rows, strict=True):
            for i, e in row.items():
                whole.setdefault(i, []).append(e * Multiplier(Str(base.constraints[r].name)))
        vector = {i: Add(*terms) for i, terms in whole.items()}
    else:
        (vector,) = rows
    raised = factor(M).solve(vector, kept.algebra)
    return _root(Add(off, *(vector[i] * raised[i] for i in vector)))


def _root(square: Expr) -> Expr:
    """The length of a row, which vanishes with the row alone. Of u² it is √(u²): |u|, where u is real, would switch."""
    root: Expr = sqrt(square)
    return root.replace(Abs, lambda u: GuardedRoot(u**2)) if root.has(Abs) else root


def _points(base: Statement, kept: Prepared, rows: list[int]) -> Expr:
    """Among mass points: the Euclidean length of the force on them."""
    n, A = len(base.coordinates), kept.derived.A
    own = [{i: kept.algebra.restore(A[r, i]) for i in range(n) if (r, i) in A} for r in rows]
    identity = {(i, i): S.One for i in range(n)}
    return _length(own, base, rows, identity, kept)


def _bare_length(base: Statement, kept: Prepared, rows: list[int]) -> Expr:  # noqa: ARG001
    """Elsewhere the multiplier itself, of a constraint stated as a distance."""
    if len(rows) == 1:
        return S.One
    return sqrt(Add(*(Multiplier(Str(base.constraints[r].name)) ** 2 for r in rows)))
