"""From a statement to M, Q, A, b and C, written once over an algebra (THEORY sections 2 and 3).

Matrices are sparse, {(row, column): entry} with only the entries that are not identically zero, so that a long chain
costs what its non-zero entries cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

from dalembert.derive.algebra import Algebra, E
from dalembert.derive.natures import Friction, work_doing
from dalembert.model import ON_POSITIONS, Lagrangian, MassAndForce, Particles, Statement

Sparse = dict[tuple[int, int], E]


@dataclass(frozen=True, eq=False)
class Derived(Generic[E]):
    """The explicit equation's ingredients for n coordinates and m constraints, in some algebra.

    M {(i, j)} and A {(r, j)} are sparse; Q has n entries, b has m. C is given in two parts: `C`, n smooth entries
    (which may contain the multipliers `lam`), and `friction`, the terms whose direction is undefined at rest.
    `level` holds each constraint's own left-hand side, φ or ψ, and `rate` its first time derivative where it is
    holonomic (φ̇), else ψ again: both vanish on the constraints.
    """

    M: Sparse[E]
    Q: list[E]
    A: Sparse[E]
    b: list[E]
    C: list[E]
    friction: list[Friction[E]]
    level: list[E]
    rate: list[E]


def derive(system: Statement, algebra: Algebra[E]) -> Derived[E]:
    """M, Q from the unconstrained system; A, b from the constraints; C from the natures of their forces."""
    M, Q = unconstrained(system, algebra)
    level, rate = constraint_rates(system, algebra)
    A, b = rows(rate, algebra)
    C, friction = work_doing(system, algebra, M, A)
    return Derived(M, Q, A, b, C, friction, level, rate)


def unconstrained(system: Statement, algebra: Algebra[E]) -> tuple[Sparse[E], list[E]]:
    """M and Q of the system without its constraints."""
    body = system.unconstrained
    if isinstance(body, MassAndForce):
        n = len(system.coordinates)
        entries = {(i, j): algebra.convert(body.mass[i, j], {}) for i in range(n) for j in range(n)}
        M = {place: entry for place, entry in entries.items() if not algebra.is_zero(entry)}
        return M, [algebra.convert_force(f, {}) for f in body.forces]
    stated: Lagrangian = body.lagrangian if isinstance(body, Particles) else body
    forces = [algebra.convert_force(f, {}) for f in stated.forces]
    return lagrange(algebra.convert(stated.function, {}), forces, algebra)


def lagrange(L: E, F: Sequence[E], algebra: Algebra[E]) -> tuple[Sparse[E], list[E]]:
    """M = ∂²L/∂q̇∂q̇ and Q = F + ∂L/∂q − (∂²L/∂q̇∂q) q̇ − ∂²L/∂q̇∂t, from [L] = F (Zubelevich, definition 1)."""
    n, zero = len(algebra.q), algebra.zero
    M: Sparse[E] = {}
    Q: list[E] = []
    slope = algebra.gradient(L, [*algebra.q, *algebra.v])  # ∂L/∂q, then the momenta p = ∂L/∂q̇
    for i in range(n):
        p = algebra.gradient(slope.get(n + i, zero), [*algebra.q, *algebra.v, algebra.t])
        M |= {(i, j): p[n + j] for j in range(n) if n + j in p}
        carried = algebra.combine([(p[j], algebra.v[j]) for j in range(n) if j in p])
        Q.append(_sum(algebra, [F[i], slope.get(i, zero)]) - _sum(algebra, [carried, p.get(2 * n, zero)]))
    return M, Q


def constraint_rates(system: Statement, algebra: Algebra[E]) -> tuple[list[E], list[E]]:
    """Each constraint's left-hand side, and the velocity-level relation it implies: φ̇ for φ, else ψ itself."""
    level = [algebra.convert(c.expr, {}) for c in system.constraints]
    rate = [
        time_derivative(f, algebra) if isinstance(c, ON_POSITIONS) else f
        for c, f in zip(system.constraints, level, strict=True)
    ]
    return level, rate


def time_derivative(f: E, algebra: Algebra[E]) -> E:
    """df/dt = f_q q̇ + f_t of a function of q and t."""
    g = algebra.gradient(f, [*algebra.q, algebra.t])
    n = len(algebra.q)
    carried = algebra.combine([(g[j], algebra.v[j]) for j in range(n) if j in g])
    rate: E = _sum(algebra, [carried, g.get(n, algebra.zero)])
    return rate


def rows(rate: Sequence[E], algebra: Algebra[E]) -> tuple[Sparse[E], list[E]]:
    """A = ∂ψ/∂q̇ and b = −(∂ψ/∂q) q̇ − ∂ψ/∂t, so that ψ̇ = A q̈ − b.

    For a holonomic φ, ψ = φ_q q̇ + φ_t gives A = φ_q and b = −[(φ_q q̇)_q q̇ + 2 φ_qt q̇ + φ_tt].
    """
    n = len(algebra.q)
    A: Sparse[E] = {}
    b: list[E] = []
    for r, psi in enumerate(rate):
        g = algebra.gradient(psi, [*algebra.q, *algebra.v, algebra.t])
        A |= {(r, j): g[n + j] for j in range(n) if n + j in g}
        carried = algebra.combine([(g[j], algebra.v[j]) for j in range(n) if j in g])
        b.append(-_sum(algebra, [carried, g.get(2 * n, algebra.zero)]))
    return A, b


class Energy(NamedTuple, Generic[E]):
    """The energy, the rate at which all but the constraints changes it, and the momenta (none without a Lagrangian)."""

    total: E
    power: E
    momenta: list[E]


def energy(system: Statement, algebra: Algebra[E], M: Sparse[E], Q: Sequence[E]) -> Energy[E]:
    """Σ q̇ ∂L/∂q̇ − L and q̇ᵀF − ∂L/∂t, or ½ q̇ᵀMq̇ and q̇ᵀQ + ½ q̇ᵀṀq̇ where there is no Lagrangian."""
    body, n, v = system.unconstrained, len(algebra.q), algebra.v

    def power(forces: Sequence[E]) -> list[E]:
        return [rate * f for rate, f in zip(v, forces, strict=True)]

    if isinstance(body, MassAndForce):
        kinetic = _sum(algebra, [v[i] * entry * v[j] / 2 for (i, j), entry in M.items()])
        slope = algebra.gradient(kinetic, [*algebra.q, algebra.t])
        carried = [g * v[j] if j < n else g for j, g in slope.items()]
        return Energy(kinetic, _sum(algebra, [*power(Q), *carried]), [])
    stated: Lagrangian = body.lagrangian if isinstance(body, Particles) else body
    L = algebra.convert(stated.function, {})
    slope = algebra.gradient(L, [*v, algebra.t])
    rates = [*power([algebra.convert_force(f, {}) for f in stated.forces]), -slope.get(n, algebra.zero)]
    momenta = [slope.get(i, algebra.zero) for i in range(n)]
    total = _sum(algebra, [v[i] * slope[i] for i in range(n) if i in slope]) - L
    return Energy(total, _sum(algebra, rates), momenta)


def _sum(algebra: Algebra[E], terms: Sequence[E]) -> E:
    return algebra.total([term for term in terms if not algebra.is_zero(term)])
