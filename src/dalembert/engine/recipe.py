"""Everything the engine compiles of a system, as heyoka expressions, on a chosen set of independent rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sympy.core.symbol import Str

from dalembert.derive.elimination import Vector, factor
from dalembert.derive.mechanics import Sparse, constraint_rates, energy, rows, unconstrained
from dalembert.derive.natures import following, reactions, work_doing
from dalembert.derive.switching.stage import Actual, Stage
from dalembert.engine.dynamics import Dynamics, Question, augmented, chosen, forces, minus, plus, solve
from dalembert.engine.expressions import Compiled, Expression
from dalembert.model import ON_POSITIONS, Held, Statement


@dataclass(frozen=True, eq=False)
class Recipe:
    """Lists of expressions in q0…, v0…, time and the parameters (in the order of `Statement.symbols`).

    n entries: acceleration, ideal, nonideal. m entries: level, rate, length (of the gradient), multipliers (of least
    norm where not unique). One for each chosen row: pivots, diagonal. `inertia`: the different pivots of M, each by a
    coordinate it belongs to. `radicands`: what stands under a root and moves. `constants`: what further parameters,
    after those of the statement, stand for. `steep`: whether there are exponentials of what moves.

    energy: Σ q̇ ∂L/∂q̇ − L, or ½ q̇ᵀMq̇ where there is no Lagrangian; kinetic: q̇ᵀMq̇. powers: the rates at which active
    forces, ideal and work-doing constraint forces change that energy, only those that are not identically zero.

    reactions: the actual multipliers, m. guards: what must stay positive; turning: which of them change at all; clocks:
    the slopes of those in which time stands by itself, which the step must see too. levels: the left-hand sides of
    constraints that are only looked at. still: the places of coordinates that do not move. parameters: how many there
    are, the constants too.
    """

    variables: list[Expression]
    acceleration: list[Expression]
    ideal: list[Expression]
    nonideal: list[Expression]
    multipliers: list[Expression]
    pivots: list[Expression]
    diagonal: list[Expression]
    inertia: dict[int, Expression]
    level: list[Expression]
    rate: list[Expression]
    length: list[Expression]
    radicands: list[Expression]
    constants: list[Expression]
    steep: bool
    energy: Expression
    kinetic: Expression
    powers: dict[str, Expression]
    reactions: list[Expression]
    guards: list[Expression]
    turning: list[int]
    clocks: list[Expression]
    levels: list[Expression]
    still: tuple[int, ...]
    parameters: int


def recipe(stage: Stage, independent: Sequence[int], augment: bool) -> Recipe:
    """Derive in the compiled algebra and unroll the elimination; `augment` where M alone is not positive definite."""
    system = stage.statement
    algebra = Compiled(system)
    n, m = len(system.coordinates), len(system.constraints)
    M, Q = unconstrained(system, algebra)
    level, rate = constraint_rates(system, algebra)
    A, b = rows(rate, algebra)
    question = chosen(M, Q, A, b, independent, algebra)
    every: dict[int, Expression] = {}

    def work(lam: Vector[Expression]) -> tuple[Vector[Expression], dict[int, Vector[Expression]]]:
        every.update(_least_norm(A, question.A, lam, m, algebra))
        algebra.lam = tuple(every.get(r, algebra.zero) for r in range(m))
        C, _ = work_doing(system, algebra, M, A)
        return {i: c for i, c in enumerate(C) if not algebra.is_zero(c)}, following(system, algebra, A)

    solved: Dynamics = solve(augmented(question, algebra) if augment else question, work, algebra)
    shares = _shares(system, question, solved, every, algebra)
    total, force_power = energy(system, algebra, M, Q)
    kinetic = algebra.total([algebra.v[i] * entry * algebra.v[j] for (i, j), entry in M.items()])
    lent = _virtual_rates(system, algebra, level, rate, A)

    def power(forces: Vector[Expression]) -> Expression:
        return algebra.total([algebra.v[i] * f for i, f in forces.items()])

    powers = {
        "force": algebra.total([force_power, power(shares.force)]) if shares.force else force_power,
        "ideal": algebra.total([every[r] * s for r, s in lent.items() if r in every and r not in shares.held]),
        "nonideal": power(shares.nonideal),
    }
    actual = {Actual(Str(c.name)): solved.reactions.get(r, algebra.zero) for r, c in enumerate(system.constraints)}
    known = reactions(system, algebra, A, stage.guards) | actual
    guards = [algebra.convert(g, known) for g in stage.guards] + solved.jams
    slopes = [algebra.gradient(g, [algebra.t]).get(0) for g in guards]
    done = algebra.finished
    return Recipe(
        variables=[*algebra.q, *algebra.v],
        acceleration=done(_dense({i: a for i, a in solved.acceleration.items() if i not in stage.still}, n, algebra)),
        ideal=done(_dense(shares.ideal, n, algebra)),
        nonideal=done(_dense(shares.nonideal, n, algebra)),
        multipliers=done(_dense(every, m, algebra)),
        pivots=done([solved.pivots[r] for r in independent]),
        diagonal=done([solved.diagonal[r] for r in independent]),
        inertia=_different(done([solved.inertia.get(i, algebra.zero) for i in range(n)])),
        level=done(level),
        rate=done(rate),
        length=done([algebra.length(list(row.values())) for row in _table(A, m).values()]),
        radicands=done([r for r in dict.fromkeys(algebra.radicands) if algebra.moves(r)]),
        constants=algebra.constants,
        steep=algebra.steep,
        energy=done([total])[0],
        kinetic=done([kinetic])[0],
        powers={name: done([p])[0] for name, p in powers.items() if not algebra.is_zero(p)},
        reactions=done(_dense(solved.reactions, m, algebra)),
        guards=done(guards),
        turning=[i for i, g in enumerate(guards) if algebra.moves(g)],
        clocks=done([slope for slope in slopes if slope is not None]),
        levels=done([algebra.convert(e, {}) for e in stage.levels]),
        still=stage.still,
        parameters=len(system.symbols) + len(algebra.constants),
    )


class _Shares(NamedTuple):
    """Whose force is whose, where some rows are held by friction or by an active force: sparse over coordinates."""

    held: set[int]
    ideal: Vector[Expression]
    nonideal: Vector[Expression]
    force: Vector[Expression]


def _shares(
    system: Statement, question: Question, solved: Dynamics, lam: Vector[Expression], algebra: Compiled
) -> _Shares:
    """The ideal force Aᵀλ of rows that are constraints, what held rows add to active forces, and the rest."""
    held = {r: c.by for r, c in enumerate(system.constraints) if isinstance(c, Held)}
    if not held:
        return _Shares(set(), solved.ideal, solved.nonideal, {})
    own = {r: row for r, row in question.A.items() if r not in held}
    ideal = forces(own, lam, algebra)
    driven = {r for r, by in held.items() if by == "force"}
    force: Vector[Expression] = {}
    for columns in (question.A, solved.D):
        force = plus(force, forces({r: c for r, c in columns.items() if r in driven}, solved.reactions, algebra))
    rest = minus(minus(plus(solved.ideal, solved.nonideal), ideal), force)
    return _Shares(set(held), ideal, rest, force)


def _dense(sparse: Vector[Expression], size: int, algebra: Compiled) -> list[Expression]:
    return [sparse.get(i, algebra.zero) for i in range(size)]


def _different(pivots: Sequence[Expression]) -> dict[int, Expression]:
    """Each expression once, by its first place: a chain of equal masses has one pivot, not 900."""
    seen: dict[Expression, int] = {}
    for i, pivot in enumerate(pivots):
        seen.setdefault(pivot, i)
    return {i: pivot for pivot, i in seen.items()}


def _table(A: Sparse[Expression], m: int) -> dict[int, Vector[Expression]]:
    """A row by row."""
    out: dict[int, Vector[Expression]] = {r: {} for r in range(m)}
    for (r, j), entry in A.items():
        out[r][j] = entry
    return out


def _virtual_rates(
    system: Statement,
    algebra: Compiled,
    level: Sequence[Expression],
    rate: Sequence[Expression],
    A: Sparse[Expression],
) -> Vector[Expression]:
    """(A q̇)_r on the constraints, by which an ideal force does work; rows where it is identically zero are left out.

    A moving holonomic row has A q̇ = −φ_t, one affine in the velocities A q̇ + a₀ = 0 has −a₀.
    """
    out: Vector[Expression] = {}
    still = {f"v{i}": algebra.zero for i in range(len(algebra.v))}
    for (r, row), constraint in zip(_table(A, len(level)).items(), system.constraints, strict=True):
        if isinstance(constraint, ON_POSITIONS):
            own = -algebra.gradient(level[r], [algebra.t]).get(0, algebra.zero)
        elif any(algebra.gradient(entry, algebra.v) for entry in row.values()):
            own = algebra.total([entry * algebra.v[j] for j, entry in row.items()])
        else:
            own = -algebra.substituted(rate[r], still)
        if not algebra.is_zero(own):
            out[r] = own
    return out


def _least_norm(
    A: Sparse[Expression], own: dict[int, Vector[Expression]], lam: Vector[Expression], m: int, algebra: Compiled
) -> Vector[Expression]:
    """The multipliers of all rows: λ itself, or R (RᵀR)⁻¹ λ with A = R A_I, of least norm, where rows are redundant."""
    if len(own) == m:
        return lam
    gram = factor(_products(own, own, algebra))
    meets = _products(_table(A, m), own, algebra)
    R = {r: gram.solve({s: meets[r, s] for s in own if (r, s) in meets}, algebra) for r in range(m)}
    columns = {s: {r: row[s] for r, row in R.items() if s in row} for s in own}
    weights = factor(_products(columns, columns, algebra)).solve(lam, algebra)
    terms = {r: [entry * weights[s] for s, entry in row.items() if s in weights] for r, row in R.items()}
    return {r: algebra.total(parts) for r, parts in terms.items() if parts}


def _products(
    left: dict[int, Vector[Expression]], right: dict[int, Vector[Expression]], algebra: Compiled
) -> dict[tuple[int, int], Expression]:
    """The scalar products of rows that meet."""
    out: dict[tuple[int, int], Expression] = {}
    for r, row in left.items():
        for s, other in right.items():
            if terms := [entry * other[j] for j, entry in row.items() if j in other]:
                out[r, s] = algebra.total(terms)
    return out
