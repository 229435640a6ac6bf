"""A system reduced to generalized coordinates by an embedding: what is eliminated, what stays, and the new statement.

Zubelevich, section 3 (theorems 6 to 8): geometric constraints that y = y(x, t) satisfies identically disappear, the
others are pulled back, Ω = ω J, and the reduced equations are those of x.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sympy import Expr, Ge, Le
from sympy.core.relational import Relational

from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.embedding import Embedding, names_of, said, subject
from dalembert.derive.reducing.identity import Verdict, vanishes
from dalembert.derive.reducing.immersion import count_faults, rank_faults, singular_places
from dalembert.derive.reducing.placing import Placing
from dalembert.derive.reducing.pullback import Shortener, constraint, restored, unconstrained
from dalembert.derive.reducing.pulled_natures import asks_for_reactions, kept_nature
from dalembert.derive.reducing.worked import Rubbing, eliminated
from dalembert.model import (
    Holonomic,
    Ideal,
    Lagrangian,
    MassAndForce,
    ModelError,
    OneSided,
    Statement,
    name_of,
    refuse,
)
from dalembert.model.constraints import Stated

SIGNS = {Le: "≤", Ge: "≥"}


@dataclass(frozen=True, eq=False)
class Reduced:
    """What a reduction finds: the constraints `eliminated` and `kept` by name, and the parts of the new statement.

    `rubs` are the frictions of eliminated constraints, now active forces, and `singular` where the embedding fails.
    """

    chart: Chart
    placing: Placing
    eliminated: tuple[str, ...]
    kept: tuple[str, ...]
    body: Lagrangian | MassAndForce
    constraints: tuple[Stated, ...]
    rubs: tuple[Rubbing, ...]
    singular: tuple[Relational, ...]
    notes: tuple[str, ...]


class Fate(NamedTuple):
    """What becomes of a constraint: whether it vanishes on the embedding, and what is left of it if not."""

    constraint: Any
    left: Expr
    verdict: Verdict


def reduced(system: Statement, embedding: Embedding, keep: Iterable[str] = ()) -> Reduced:
    """The system on the embedding; constraints named in `keep` may stay though they are holonomic.

    Raises ModelError with the constraints that do not hold and their residuals; where the embedding is not an
    immersion, or freezes more than the constraints do; and where a nature cannot be pulled back exactly.
    """
    chart = Chart(system, embedding)
    placing = Placing(chart)
    held = _kept_names(system, keep)
    refuse(ModelError, subject(system), rank_faults(placing))
    fates = [Fate(c, chart.pull(c.expr), vanishes(*chart.pull_exact(c.expr))) for c in system.constraints]
    refuse(ModelError, subject(system), (f for fate in fates for f in _faults(chart, fate, held)))
    gone = [j for j, fate in enumerate(fates) if fate.verdict.vanishes]
    refuse(ModelError, subject(system), count_faults(placing, gone))
    open_ = [j for j, fate in enumerate(fates) if _always_open(chart, fate)]
    stay = [j for j in range(len(fates)) if j not in gone and j not in open_]
    refuse(ModelError, subject(system), _entangled(chart, stay, gone))
    short = Shortener()
    worked = eliminated(chart, gone, short)
    rows = tuple(constraint(chart, system.constraints[j], kept_nature(chart, j, gone, short), short) for j in stay)
    body = restored(chart, unconstrained(chart, worked.forces, short))
    places, searched = singular_places(chart)
    notes = [*embedding.local, *worked.notes, *_told(system, fates, gone, open_)]
    if places:
        notes.append("the embedding fails where " + ", or where ".join(map(_where, places)))
    if not searched:
        notes.append("where else the embedding fails was not found in time")
    if short.overtime:
        notes.append("not everything was brought into a short form in time")
    names = [c.name for c in system.constraints]
    up = chart.algebra.restore
    rubs = tuple(Rubbing(r.constraint, up(r.size), up(r.speed)) for r in worked.rubs)
    return Reduced(
        chart,
        placing,
        tuple(names[j] for j in gone),
        tuple(names[j] for j in stay),
        body,
        rows,
        rubs,
        places,
        tuple(notes),
    )


def _kept_names(system: Statement, keep: Any) -> tuple[str, ...]:
    names = names_of(system, keep)
    known = [c.name for c in system.constraints]
    listed = ", ".join(map(repr, known)) or "it has none"
    refuse(
        ModelError,
        subject(system),
        (
            f"keep names {name!r}, which is not a constraint of the system ({listed})"
            for name in names
            if name not in known
        ),
    )
    return names


def _faults(chart: Chart, fate: Fate, held: Collection[str]) -> Iterable[str]:
    """Why a constraint makes the embedding wrong."""
    c, verdict = fate.constraint, fate.verdict
    if not verdict.vanishes and verdict.tried == 0 and not verdict.side:
        yield f"constraint {c.name!r} has no real value on the embedding at any of the points tried"
    elif isinstance(c, Holonomic) and not verdict.vanishes and c.name not in held:
        residual, point = _residual(chart, fate)
        hint = _hint(chart, fate)
        yield (
            f"the embedding does not satisfy the constraint {c.name!r}: {residual} is left of it, {_size(verdict)}"
            f"{point}; {hint}correct the embedding, or let it stay: keep=[{c.name!r}]"
        )


def _residual(chart: Chart, fate: Fate) -> tuple[str, str]:
    """What is left of a constraint, in words, and the point at which it was evaluated."""
    up = chart.algebra.restore
    text = said(up(Shortener(1.0)(fate.left)))
    values = ", ".join(f"{name_of(up(s))} = {v:.6g}" for s, v in fate.verdict.at.items())
    return text, f" at {values}" if values else ""


def _size(verdict: Verdict) -> str:
    """How much is left, where a number says it."""
    if not verdict.side:
        return f"which is {verdict.value:.6g}"
    return f"which is {verdict.value:.6g} on one side of its switches" if verdict.value else "which switches"


def _hint(chart: Chart, fate: Fate) -> str:
    """Whether it would hold for the values given of the parameters."""
    own = chart.algebra.parameters
    values = {own[s]: value for s, value in chart.system.values}
    if values and vanishes(fate.left.xreplace(values)).vanishes:
        return "it holds for the values given of the parameters only, so write the parameters in the embedding; "
    return ""


def _always_open(chart: Chart, fate: Fate) -> bool:
    """Whether nothing that moves is left of a contact, and it is open."""
    moving = {*chart.algebra.q, chart.algebra.t}
    plain = isinstance(fate.constraint, OneSided) and not fate.left.free_symbols & moving
    return plain and not fate.verdict.vanishes and bool(fate.left.is_positive)


def _entangled(chart: Chart, stay: Collection[int], gone: Collection[int]) -> Iterable[str]:
    """Natures that could be pulled back one by one, but not together."""
    constraints = chart.system.constraints
    rough = [constraints[j].name for j in gone if not isinstance(constraints[j].nature, Ideal)]
    asking = [constraints[j].name for j in stay if asks_for_reactions(chart, j)]
    if rough and asking:
        yield (
            f"the nature of {', '.join(map(repr, asking))} depends on the ideal constraint force, which the active "
            f"force that the nature of {', '.join(map(repr, rough))} becomes would change: eliminate both, or neither"
        )


def _told(system: Statement, fates: list[Fate], gone: list[int], open_: list[int]) -> Iterable[str]:
    """What is to be known of the constraints that are no longer there."""
    for j in gone:
        name = system.constraints[j].name
        if isinstance(system.constraints[j], OneSided):
            yield f"the contact {name!r} is taken as closed: as it is while it pushes, λ ≥ 0 in the lifted motion"
        verdict = fates[j].verdict
        if verdict.rounded:
            yield f"{name!r} holds but for the rounding of decimal fractions, which 13 digits of its terms do not show"
        elif not verdict.shown:
            yield f"that {name!r} holds was seen in numbers of 50 digits at {verdict.tried} random points, not exactly"
    for j in open_:
        yield f"the contact {system.constraints[j].name!r} is always open on the embedding, and left out"


def _where(relation: Relational) -> str:
    return f"{said(relation.lhs)} {SIGNS.get(type(relation), '=')} {said(relation.rhs)}"
