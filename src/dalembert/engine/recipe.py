"""Everything the engine compiles of a system, as heyoka expressions, on a chosen set of independent rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.derive.elimination import Vector, factor
from dalembert.derive.mechanics import Sparse, constraint_rates, rows, unconstrained
from dalembert.derive.natures import work_doing
from dalembert.engine.dynamics import Dynamics, augmented, chosen, solve
from dalembert.engine.expressions import Compiled, Expression
from dalembert.model import Lagrangian, MassAndForce, Particles, Statement


@dataclass(frozen=True, eq=False)
class Recipe:
    """Lists of expressions in q0…, v0…, time and the parameters (in the order of `Statement.symbols`).

    n entries: acceleration, ideal, nonideal. m entries: level, rate, multipliers (of least norm where not unique). One
    for each chosen row: pivots. energy: Σ q̇ ∂L/∂q̇ − L, or ½ q̇ᵀMq̇ where there is no Lagrangian; it changes at the rate
    force_power + constraint_power, the second being q̇ᵀQᶜ.
    """

    variables: list[Expression]
    acceleration: list[Expression]
    ideal: list[Expression]
    nonideal: list[Expression]
    multipliers: list[Expression]
    pivots: list[Expression]
    level: list[Expression]
    rate: list[Expression]
    energy: Expression
    force_power: Expression
    constraint_power: Expression


def recipe(system: Statement, independent: Sequence[int], augment: bool) -> Recipe:
    """Derive in the compiled algebra and unroll the elimination; `augment` where M alone is not positive definite."""
    algebra = Compiled(system)
    n, m = len(system.coordinates), len(system.constraints)
    M, Q = unconstrained(system, algebra)
    level, rate = constraint_rates(system, algebra)
    A, b = rows(rate, algebra)
    question = chosen(M, Q, A, b, independent, algebra)
    every: dict[int, Expression] = {}

    def work(lam: Vector[Expression]) -> Vector[Expression]:
        every.update(_least_norm(A, question.A, lam, m, algebra))
        algebra.lam = tuple(every.get(r, algebra.zero) for r in range(m))
        C, _ = work_doing(system, algebra, M, A)
        return {i: c for i, c in enumerate(C) if not algebra.is_zero(c)}

    solved: Dynamics[Expression] = solve(augmented(question, algebra) if augment else question, work, algebra)
    ideal, nonideal = (_dense(part, n, algebra) for part in (solved.ideal, solved.nonideal))
    energy, force_power = _energy(system, algebra, M, Q)
    power = algebra.total([v * (f + g) for v, f, g in zip(algebra.v, ideal, nonideal, strict=True)])
    return Recipe(
        variables=[*algebra.q, *algebra.v],
        acceleration=algebra.finished(_dense(solved.acceleration, n, algebra)),
        ideal=algebra.finished(ideal),
        nonideal=algebra.finished(nonideal),
        multipliers=algebra.finished(_dense(every, m, algebra)) if m else [],
        pivots=algebra.finished([solved.pivots[r] for r in independent]) if independent else [],
        level=algebra.finished(level) if m else [],
        rate=algebra.finished(rate) if m else [],
        energy=algebra.finished([energy])[0],
        force_power=algebra.finished([force_power])[0],
        constraint_power=algebra.finished([power])[0],
    )


def _dense(sparse: Vector[Expression], size: int, algebra: Compiled) -> list[Expression]:
    return [sparse.get(i, algebra.zero) for i in range(size)]


def _least_norm(
    A: Sparse[Expression], own: dict[int, Vector[Expression]], lam: Vector[Expression], m: int, algebra: Compiled
) -> Vector[Expression]:
    """The multipliers of all rows: λ itself, or R (RᵀR)⁻¹ λ with A = R A_I, of least norm, where rows are redundant."""
    if len(own) == m:
        return lam
    table: dict[int, Vector[Expression]] = {r: {} for r in range(m)}
    for (r, j), entry in A.items():
        table[r][j] = entry
    gram = factor(_products(own, own, algebra))
    meets = _products(table, own, algebra)
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


def _energy(
    system: Statement, algebra: Compiled, M: Sparse[Expression], Q: Sequence[Expression]
) -> tuple[Expression, Expression]:
    """The energy, and the rate at which everything but the constraints changes it."""
    body = system.unconstrained
    n = len(algebra.q)
    if isinstance(body, MassAndForce):
        kinetic = algebra.total([algebra.v[i] * entry * algebra.v[j] for (i, j), entry in M.items()]) / 2.0
        slope = algebra.gradient(kinetic, [*algebra.q, algebra.t])
        carried = [g * algebra.v[j] if j < n else g for j, g in slope.items()]
        return kinetic, algebra.total([*(v * f for v, f in zip(algebra.v, Q, strict=True)), *carried])
    stated: Lagrangian = body.lagrangian if isinstance(body, Particles) else body
    L = algebra.convert(stated.function, {})
    slope = algebra.gradient(L, [*algebra.v, algebra.t])
    energy = algebra.total([algebra.v[i] * slope[i] for i in range(n) if i in slope] or [algebra.zero]) - L
    forces = [algebra.convert(f, {}) for f in stated.forces]
    power = algebra.total([v * f for v, f in zip(algebra.v, forces, strict=True)])
    return energy, power - slope[n] if n in slope else power
