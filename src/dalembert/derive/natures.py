"""The work-doing vector C of a system: the sum of what the nature of each constraint contributes.

C may contain the multipliers λ of the ideal constraint force, Qᶜ_i = Aᵀ λ, as symbols of the algebra: they are known
as soon as the ideal problem is solved, before C is needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from sympy import Expr

from dalembert.derive.algebra import Algebra, E
from dalembert.derive.elimination import factor
from dalembert.model import (
    Constraint,
    Coulomb,
    Ideal,
    IdealForce,
    IdealMagnitude,
    ModelError,
    Multiplier,
    Prescribed,
    Quadratic,
    Statement,
    Viscous,
    name_of,
    refuse,
    sliding,
)


@dataclass(frozen=True, eq=False)
class Friction(Generic[E]):
    """C_i = −size · along_i / speed: at rest (speed 0) the direction is undefined unless size is zero too."""

    constraint: str
    size: E
    along: dict[int, E]
    speed: E


def work_doing(
    system: Statement, algebra: Algebra[E], M: Mapping[tuple[int, int], E], A: Mapping[tuple[int, int], E]
) -> tuple[list[E], list[Friction[E]]]:
    """C, and the friction terms apart, from the natures of all constraints."""
    known = _reactions(system, algebra, A)
    parts: list[list[E]] = [[] for _ in system.coordinates]
    friction: list[Friction[E]] = []
    for row, constraint in enumerate(system.constraints):
        slides = sliding(system, constraint) or ()
        v = {i: algebra.v[i] for i in slides}
        match constraint.nature:
            case Ideal():
                continue
            case Prescribed(components=components):
                for place, (coordinate, value) in enumerate(components):
                    i = place if coordinate is None else system.coordinates.index(coordinate)
                    parts[i].append(algebra.convert(value, known))
            case Viscous(coefficient=c):
                drag = algebra.convert(c, known)
                for i in slides:
                    parts[i].append(-drag * v[i])
            case Quadratic(coefficient=c):
                drag = algebra.convert(c, known) * _norm(algebra, v.values())
                for i in slides:
                    parts[i].append(-drag * v[i])
            case Coulomb(coefficient=mu):
                bare = [name_of(system.coordinates[i]) for i in slides if (i, i) not in M]
                subject = f"the Coulomb friction of constraint {constraint.name!r}"
                refuse(ModelError, subject, [f"{q} has no inertia to measure it by; use Prescribed" for q in bare])
                friction.append(_coulomb(constraint, row, algebra.convert(mu, known), slides, algebra, M, A))
    return [algebra.total(p) for p in parts], friction


def _coulomb(
    constraint: Constraint, row: int, mu: Any, slides: Sequence[int], algebra: Algebra[Any], M: Any, A: Any
) -> Friction[Any]:
    """−μ ‖λ_j A_j‖ M q̇/‖q̇‖ with ‖Q‖² = QᵀM⁻¹Q and ‖q̇‖² = q̇ᵀM q̇, over the particle that slides.

    Where M is one mass times the identity, the mass cancels: −μ |λ_j A_j| q̇/|q̇|.
    """
    a = {i: A[row, i] for i in slides if (row, i) in A}
    v = {i: algebra.v[i] for i in slides}
    block = {(i, j): M[i, j] for i in slides for j in slides if (i, j) in M}
    masses = [block.get((i, i), algebra.zero) for i in slides]
    if len(block) == len(slides) and all(m == masses[0] for m in masses):
        normal, along, speed = _norm(algebra, a.values()), v, _norm(algebra, v.values())
    else:
        moving = [algebra.gradient(entry, [*algebra.q, *algebra.v, algebra.t]) for entry in block.values()]
        if len(block) == len(slides) and not any(moving):
            raise ModelError(
                f"the friction of constraint {constraint.name!r}",
                [
                    "the masses along the coordinates differ, so this is not one particle and which body slides cannot "
                    "be told; state it by from_particles, or by Prescribed with the multiplier of the constraint"
                ],
            )
        along = {i: algebra.total([block[i, j] * v[j] for j in slides if (i, j) in block]) for i in slides}
        w = factor(block).solve(a, algebra)
        normal = algebra.sqrt(algebra.total([a[i] * w[i] for i in a]))
        speed = algebra.sqrt(algebra.total([v[i] * along[i] for i in slides]))
    return Friction(constraint.name, mu * algebra.abs(algebra.lam[row]) * normal, along, speed)


def _reactions(system: Statement, algebra: Algebra[E], A: Mapping[tuple[int, int], E]) -> dict[Expr, E]:
    """The value of every reaction the natures refer to, by the multipliers and the rows of A."""
    row_of = {c.name: r for r, c in enumerate(system.constraints)}

    def component(i: int, rows: Sequence[int]) -> E:
        return algebra.total([A[r, i] * algebra.lam[r] for r in rows if (r, i) in A])

    known: dict[Expr, E] = {}
    everything, n = list(row_of.values()), len(system.coordinates)
    for c in system.constraints:
        for expr in c.nature.expressions():
            for reaction in expr.atoms(IdealForce, IdealMagnitude, Multiplier):
                match reaction:
                    case Multiplier(args=(of,)):
                        known[reaction] = algebra.lam[row_of[str(of)]]
                    case IdealForce(args=(coordinate, *of)):
                        rows = [row_of[str(o)] for o in of] or everything
                        known[reaction] = component(system.coordinates.index(coordinate), rows)
                    case IdealMagnitude(args=of):
                        rows = [row_of[str(o)] for o in of] or everything
                        known[reaction] = _norm(algebra, [component(i, rows) for i in range(n)])
    return known


def _norm(algebra: Algebra[Any], components: Any) -> Any:
    return algebra.sqrt(algebra.total([c**2 for c in components]))
