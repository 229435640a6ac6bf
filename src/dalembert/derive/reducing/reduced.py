"""A system reduced to generalized coordinates by an embedding: what is eliminated, what stays, and the new statement.

Zubelevich, section 3 (theorems 6 to 8): geometric constraints that y = y(x, t) satisfies identically disappear, the
others are pulled back, Ω = ω J, and the reduced equations are those of x.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Ge, Le
from sympy.core.relational import Relational

from dalembert.derive.prepared import prepared
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.embedding import Embedding, names_of, said, subject
from dalembert.derive.reducing.fates import fate_faults, fate_of, remarks
from dalembert.derive.reducing.identity import vanishes
from dalembert.derive.reducing.immersion import count_faults, place_faults, rank_faults
from dalembert.derive.reducing.placing import Placing
from dalembert.derive.reducing.pullback import Shortener, constraint, restored, unconstrained
from dalembert.derive.reducing.pulled_natures import asks_for_reactions, kept_nature
from dalembert.derive.reducing.singular import singular_places
from dalembert.derive.reducing.worked import Rubbing, eliminated
from dalembert.derive.variants import bare
from dalembert.model import Ideal, Lagrangian, MassAndForce, ModelError, OneSided, Statement, refuse
from dalembert.model.constraints import Stated

SIGNS = {Le: "≤", Ge: "≥"}


@dataclass(frozen=True, eq=False)
class Reduced:
    """What a reduction finds: the constraints `eliminated` and `kept` by name, and the parts of the new statement.

    `rubs` are the frictions of eliminated constraints, now active forces, `singular` where the embedding fails, and
    `open` contacts that never touch on it.
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
    open: tuple[str, ...]


def reduced(system: Statement, embedding: Embedding, keep: Iterable[str] = ()) -> Reduced:
    """The system on the embedding; constraints named in `keep` may stay though they are holonomic.

    Raises ModelError with the constraints that do not hold and their residuals; where the embedding is not an
    immersion, or freezes more than the constraints do; and where a nature cannot be pulled back exactly.
    """
    chart = Chart(system, embedding)
    placing = Placing(chart)
    refuse(ModelError, subject(system), place_faults(chart))
    held = _kept_names(system, keep)
    refuse(ModelError, subject(system), rank_faults(placing))
    fates = [fate_of(chart, c) for c in system.constraints]
    refuse(ModelError, subject(system), (f for fate in fates for f in fate_faults(chart, fate, held)))
    gone = [j for j, fate in enumerate(fates) if fate.verdict.vanishes]
    refuse(ModelError, subject(system), count_faults(placing, gone))
    open_ = [j for j, fate in enumerate(fates) if fate.open]
    stay = [j for j in range(len(fates)) if j not in gone and j not in open_]
    refuse(ModelError, subject(system), (*_flat(chart, gone), *_entangled(chart, stay, gone)))
    short = Shortener()
    worked = eliminated(chart, gone, short)
    rows = tuple(constraint(chart, system.constraints[j], kept_nature(chart, j, gone, short), short) for j in stay)
    body = restored(chart, unconstrained(chart, worked.forces, short))
    places, searched = singular_places(chart)
    notes = [*embedding.local, *worked.notes, *(told for fate in fates for told in remarks(fate, held))]
    if places:
        notes.append("the embedding fails where " + ", or where ".join(map(_where, places)))
    if not searched:
        notes.append(f"where {'else ' * bool(places)}the embedding fails was not found: it takes too many steps")
    if short.exhausted:
        notes.append("not everything was brought into a short form: it takes too many steps")
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
        tuple(names[j] for j in open_),
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


def _flat(chart: Chart, gone: Collection[int]) -> Iterable[str]:
    """Constraints that are met with a vanishing gradient: they have no force there, and no multiplier."""
    kept = prepared(bare(chart.system))
    for j in gone:
        name = chart.system.constraints[j].name
        entries = [e for (row, _), e in kept.derived.A.items() if row == j]
        if all(vanishes(chart.pull_from(kept.algebra, e)).vanishes for e in entries):
            yield (
                f"the gradient of the constraint {name!r} vanishes wherever it holds, so it exerts no force: "
                "state it by its root, f instead of f^2"
            )


def _entangled(chart: Chart, stay: Collection[int], gone: Collection[int]) -> Iterable[str]:
    """What could be eliminated or pulled back one by one, but not together."""
    constraints = chart.system.constraints
    closed, contacts = (
        [constraints[j].name for j in rows if isinstance(constraints[j], OneSided)] for rows in (gone, stay)
    )
    if closed and contacts:
        yield (
            f"the contact {', '.join(map(repr, closed))} would be taken as closed for good, but an impact on "
            f"{', '.join(map(repr, contacts))} may open it: leave it out of the embedding, or state it as Holonomic "
            "where it is meant to hold both ways"
        )
    rough = [constraints[j].name for j in gone if not isinstance(constraints[j].nature, Ideal)]
    asking = [constraints[j].name for j in stay if asks_for_reactions(chart, j)]
    if rough and asking:
        yield (
            f"the nature of {', '.join(map(repr, asking))} depends on the ideal constraint force, which the active "
            f"force that the nature of {', '.join(map(repr, rough))} becomes would change: eliminate both, or neither"
        )


def _where(relation: Relational) -> str:
    return f"{said(relation.lhs)} {SIGNS.get(type(relation), '=')} {said(relation.rhs)}"
