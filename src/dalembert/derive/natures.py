"""The work-doing vector C of a system: the sum of what the nature of each constraint contributes.

C may contain the multipliers λ of the ideal constraint force, Qᶜ_i = Aᵀ λ, as symbols of the algebra: they are known
as soon as the ideal problem is solved, before C is needed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from sympy import Expr

from dalembert.derive.algebra import Algebra, E
from dalembert.derive.elimination import factor
from dalembert.model import (
    Constraint,
    Coulomb,
    Following,
    Ideal,
    IdealForce,
    IdealMagnitude,
    ModelError,
    Multiplier,
    Particles,
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
    """C_i = −size · along_i / speed: at rest (speed 0) the direction is undefined unless size is zero too.

    `row` is the constraint whose actual multiplier stands in the size for λ, None where it is the ideal one.
    """

    constraint: str
    size: E
    along: dict[int, E]
    speed: E
    row: int | None = None


def work_doing(
    system: Statement, algebra: Algebra[E], M: Mapping[tuple[int, int], E], A: Mapping[tuple[int, int], E]
) -> tuple[list[E], list[Friction[E]]]:
    """C, and the friction terms apart, from the natures of all constraints."""
    natures = [e for c in system.constraints for e in c.nature.expressions()]
    known = reactions(system, algebra, A, natures)
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
                    parts[i].append(algebra.convert_force(value, known))
            case Viscous(coefficient=c):
                drag = algebra.convert_force(c, known)
                for i in slides:
                    parts[i].append(-drag * v[i])
            case Quadratic(coefficient=c):
                drag = algebra.convert_force(c, known) * _norm(algebra, v.values())
                for i in slides:
                    parts[i].append(-drag * v[i])
            case Coulomb() as nature:
                mu = algebra.convert_force(nature.coefficient, known)
                if nature.sliding is None:
                    refuse(ModelError, _subject(constraint), _bare(system, slides, M))
                    friction.append(_coulomb(system, row, mu, slides, algebra, M, A))
                else:
                    friction.append(_given(system, row, mu, algebra, A))
    return [algebra.total(p) for p in parts], friction


def following(system: Statement, algebra: Algebra[E], A: Mapping[tuple[int, int], E]) -> dict[int, dict[int, E]]:
    """The d of every constraint whose nature is `Following`, {row: {coordinate: entry}}."""
    natures = [e for c in system.constraints for e in c.nature.expressions()]
    known = reactions(system, algebra, A, natures)
    return {
        row: {i: algebra.convert_force(value, known) for i, value in c.nature.components}
        for row, c in enumerate(system.constraints)
        if isinstance(c.nature, Following)
    }


def coulomb(system: Statement, row: int) -> Coulomb:
    """The friction of a constraint that has one."""
    nature = system.constraints[row].nature
    assert isinstance(nature, Coulomb)
    return nature


def pressing(system: Statement, row: int) -> list[int]:
    """The rows whose joint force presses in the friction of a constraint."""
    names = coulomb(system, row).of
    return [r for r, c in enumerate(system.constraints) if c.name in names] if names else [row]


def _bare(system: Statement, slides: Sequence[int], M: Mapping[tuple[int, int], Any]) -> Iterator[str]:
    for i in slides:
        if (i, i) not in M:
            yield f"{name_of(system.coordinates[i])} has no inertia to measure it by; give the sliding velocity"


def _subject(constraint: Constraint) -> str:
    return f"the Coulomb friction of constraint {constraint.name!r}"


def _given(system: Statement, row: int, mu: Any, algebra: Algebra[Any], A: Any) -> Friction[Any]:
    """−μ N Jᵀ s/|s| with the sliding velocity s as it was given, J = ∂s/∂q̇."""
    constraint = system.constraints[row]
    s = [algebra.convert(e, {}) for e in coulomb(system, row).sliding or ()]
    J = [algebra.gradient(f, algebra.v) for f in s]
    reach = sorted({i for slope in J for i in slope})
    along = {i: algebra.total([slope[i] * f for slope, f in zip(J, s, strict=True) if i in slope]) for i in reach}
    rows = pressing(system, row)
    points = isinstance(system.unconstrained, Particles)
    size = [list({i: A[r, i] for i in range(len(algebra.q)) if (r, i) in A}.items()) for r in rows]
    if len(rows) == 1:
        length = _norm(algebra, [entry for _, entry in size[0]]) if points else 1
        normal = algebra.abs(algebra.lam[rows[0]]) * length
    elif points:
        parts: dict[int, list[Any]] = {}
        for r, entries in zip(rows, size, strict=True):
            for i, entry in entries:
                parts.setdefault(i, []).append(entry * algebra.lam[r])
        normal = _norm(algebra, [algebra.total(p) for p in parts.values()])
    else:
        normal = _norm(algebra, [algebra.lam[r] for r in rows])
    return Friction(constraint.name, mu * normal, along, _norm(algebra, s), _actual_row(system, row))


def _coulomb(
    system: Statement, row: int, mu: Any, slides: Sequence[int], algebra: Algebra[Any], M: Any, A: Any
) -> Friction[Any]:
    """−μ ‖Σ λ_r A_r‖ M q̇/‖q̇‖ with ‖Q‖² = QᵀM⁻¹Q and ‖q̇‖² = q̇ᵀM q̇, over the particle that slides.

    Where M is one mass times the identity, the mass cancels: −μ |λ_j A_j| q̇/|q̇|.
    """
    constraint = system.constraints[row]
    rows = pressing(system, row)
    v = {i: algebra.v[i] for i in slides}
    block = {(i, j): M[i, j] for i in slides for j in slides if (i, j) in M}
    masses = [block.get((i, i), algebra.zero) for i in slides]
    plain = len(block) == len(slides) and all(m == masses[0] for m in masses)
    if plain:
        along, speed = v, _norm(algebra, v.values())
    else:
        moving = [algebra.gradient(entry, [*algebra.q, *algebra.v, algebra.t]) for entry in block.values()]
        if len(block) == len(slides) and not any(moving):
            raise ModelError(
                f"the friction of constraint {constraint.name!r}",
                [
                    "the masses along the coordinates differ, so this is not one particle and which body slides cannot "
                    "be told; state it by from_particles, or give the sliding velocity: Coulomb(mu, sliding=…)"
                ],
            )
        along = {i: algebra.total([block[i, j] * v[j] for j in slides if (i, j) in block]) for i in slides}
        speed = algebra.sqrt(algebra.total([v[i] * along[i] for i in slides]))

    def norm(a: dict[int, Any]) -> Any:
        if plain:
            return _norm(algebra, a.values())
        w = factor(block).solve(a, algebra)
        return algebra.sqrt(algebra.total([a[i] * w[i] for i in a]))

    parts = {r: {i: A[r, i] for i in slides if (r, i) in A} for r in rows}
    if len(rows) == 1:
        normal = algebra.abs(algebra.lam[rows[0]]) * norm(parts[rows[0]])
    else:
        reach = sorted({i for part in parts.values() for i in part})
        normal = norm({i: algebra.total([p[i] * algebra.lam[r] for r, p in parts.items() if i in p]) for i in reach})
    return Friction(constraint.name, mu * normal, along, speed, _actual_row(system, row))


def _actual_row(system: Statement, row: int) -> int | None:
    return row if coulomb(system, row).normal == "actual" else None


def reactions(
    system: Statement, algebra: Algebra[E], A: Mapping[tuple[int, int], E], expressions: Iterable[Expr]
) -> dict[Expr, E]:
    """The value of every reaction that expressions refer to, by the multipliers and the rows of A."""
    row_of = {c.name: r for r, c in enumerate(system.constraints)}

    def component(i: int, rows: Sequence[int]) -> E:
        return algebra.total([A[r, i] * algebra.lam[r] for r in rows if (r, i) in A])

    known: dict[Expr, E] = {}
    everything, n = list(row_of.values()), len(system.coordinates)
    for expr in expressions:
        for reaction in expr.atoms(IdealForce, IdealMagnitude, Multiplier):
            match reaction:
                case Multiplier(args=(of,)):
                    known[reaction] = algebra.lam[row_of[str(of)]] if str(of) in row_of else algebra.zero
                case IdealForce(args=(coordinate, *of)):
                    rows = [row_of[str(o)] for o in of if str(o) in row_of] if of else everything
                    known[reaction] = component(system.coordinates.index(coordinate), rows)
                case IdealMagnitude(args=of):
                    rows = [row_of[str(o)] for o in of if str(o) in row_of] if of else everything
                    known[reaction] = _norm(algebra, [component(i, rows) for i in range(n)])
    return known


def _norm(algebra: Algebra[Any], components: Any) -> Any:
    return algebra.sqrt(algebra.total([c**2 for c in components]))
