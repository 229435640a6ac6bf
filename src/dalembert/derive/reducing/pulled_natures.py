"""The natures of constraints that stay, pulled back along y = y(x, t): C' = Jᵀ C.

The multiplier of a constraint that stays is the same in both systems, because Ω = ω J; that of an eliminated one stands
in C' as a function of x, ẋ, t.
"""

from collections.abc import Collection, Iterator, Sequence

from sympy import Add, Expr, S, sqrt

from dalembert.derive.natures import coulomb
from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.pullback import Shortener
from dalembert.derive.reducing.release import NoClosedForm, multipliers
from dalembert.derive.variants import in_force, with_constraints
from dalembert.model import (
    Coulomb,
    Ideal,
    ModelError,
    Nature,
    OneSided,
    Particles,
    Prescribed,
    Reaction,
    multiplier,
)


def kept_nature(chart: Chart, row: int, rows: Collection[int], short: Shortener) -> Nature:
    """The nature of a constraint that stays while `rows` are eliminated, in the new coordinates."""
    constraint = chart.system.constraints[row]
    nature = constraint.nature
    if isinstance(nature, Ideal):
        return nature
    if isinstance(nature, Coulomb):
        return _kept_friction(chart, row, rows, short)
    kept = alone(chart, [row])
    lam = known(chart, kept, kept.derived.C, rows, constraint.name, named=True)
    C = {i: chart.pull_from(kept.algebra, e, lam) for i, e in enumerate(kept.derived.C) if e != 0}
    pulled = [short(e) for e in chart.covector(C)]
    if all(e == 0 for e in pulled):
        return Ideal()
    return Prescribed({q: chart.algebra.restore(e) for q, e in zip(chart.embedding.new, pulled, strict=True) if e != 0})


def asks_for_reactions(chart: Chart, row: int) -> bool:
    """Whether the nature of a constraint depends on the ideal constraint force."""
    nature = chart.system.constraints[row].nature
    if isinstance(nature, Coulomb):
        return nature.normal == "ideal"
    return any(e.has(Reaction) for e in nature.expressions())


def _kept_friction(chart: Chart, row: int, rows: Collection[int], short: Shortener) -> Coulomb:
    system = chart.system
    constraint, nature = system.constraints[row], coulomb(system, row)
    faults = list(_friction_faults(chart, row, rows))
    if faults:
        raise ModelError(f"the friction of constraint {constraint.name!r}", faults)
    length: Expr = S.One
    if isinstance(system.unconstrained, Particles):  # there N is |λ| times the length of the gradient
        own = prepared(with_constraints(system, [in_force(constraint)]))
        square = Add(*(entry**2 for entry in own.derived.A.values()))
        length = sqrt(short(chart.pull_from(own.algebra, square)))
    up, a = chart.algebra.restore, chart.algebra
    slides = []
    for s in nature.sliding or ():
        pulled = chart.pull(s)
        slope = a.gradient(pulled, a.v)
        steady = pulled.xreplace(dict.fromkeys(a.v, S.Zero))
        slides.append(up(Add(*(short(g) * a.v[j] for j, g in slope.items()), short(steady))))
    coefficient = up(short(chart.pull(nature.coefficient) * length))
    static = None if nature.static is None else up(short(chart.pull(nature.static) * length))
    return Coulomb(coefficient, static, nature.normal, sliding=slides, of=nature.of)


def _friction_faults(chart: Chart, row: int, rows: Collection[int]) -> Iterator[str]:
    """Why a friction cannot be said in the new coordinates, and what to do."""
    system, nature = chart.system, coulomb(chart.system, row)
    if nature.sliding is None:
        yield (
            "it is the friction of one particle, whose velocity the new coordinates do not show; give its sliding "
            "velocity, Coulomb(mu, sliding=…), and it can be pulled back"
        )
        return
    gone = [system.constraints[j].name for j in rows if system.constraints[j].name in nature.of]
    if gone:
        yield f"it is pressed by {', '.join(map(repr, gone))}, which the embedding eliminates; keep them"
    elif len(nature.of) > 1 and isinstance(system.unconstrained, Particles):
        yield "several constraints press on it among mass points, and their joint force is not a pulled-back one"
    if any(e.has(Reaction) for e in nature.expressions()):
        yield "its coefficient depends on constraint forces; write it as Prescribed"
    if not any(chart.pull(s).has(*chart.algebra.v) for s in nature.sliding):
        yield "its sliding velocity vanishes in the new coordinates: nothing slides there"


def alone(chart: Chart, rows: Sequence[int]) -> Prepared:
    """The system with only the natures of some rows, the others ideal, prepared."""
    stated = chart.system.constraints
    natures = [in_force(c, c.nature if j in rows else Ideal()) for j, c in enumerate(stated)]
    return prepared(with_constraints(chart.system, natures))


def known(
    chart: Chart, kept: Prepared, expressions: Sequence[Expr], rows: Collection[int], subject: str, *, named: bool
) -> dict[Expr, Expr]:
    """What stands for the multipliers in C while `rows` are eliminated: functions of x, ẋ, t.

    Those of the constraints that stay are `named` where C stays the nature of one of them.
    """
    names = [c.name for c in chart.system.constraints]
    used = [j for j, lam in enumerate(kept.algebra.lam) if any(e.has(lam) for e in expressions)]
    own: dict[Expr, Expr] = {kept.algebra.lam[j]: multiplier(names[j]) for j in used if named and j not in rows}
    rest = [j for j in used if kept.algebra.lam[j] not in own]
    if not rest:
        return own
    if any(isinstance(c, OneSided) for j, c in enumerate(chart.system.constraints) if j not in rows):
        raise cannot(subject, "it depends on constraint forces, and those on which of the contacts are closed")
    try:
        solved = multipliers(chart)
    except NoClosedForm as reason:
        raise cannot(subject, f"it depends on constraint forces that have no closed form: {reason}") from None
    return own | {kept.algebra.lam[j]: solved[j] for j in rest}


def cannot(name: str, why: str) -> ModelError:
    """The error that a nature cannot become an active force, and what to do."""
    return ModelError(
        f"the nature of constraint {name!r}",
        [f"{why}; it cannot become an active force: leave the constraint out of the embedding, or make it ideal"],
    )
