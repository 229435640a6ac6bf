"""From a statement to what its constraints are: one by one, and as a set."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from sympy import Expr, S

from dalembert.derive.exact import PROVED, UNTRIED, Evidence, Untried
from dalembert.derive.forms.alone import kind_of
from dalembert.derive.forms.closure import Closure, independent_rows
from dalembert.derive.forms.combination import combination
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import NOWHERE, Ground, is_sayable
from dalembert.derive.forms.kinds import Kind, Kinds, Relation
from dalembert.derive.forms.ranks import follow, ranked
from dalembert.derive.forms.singular import Place, singular_places
from dalembert.derive.integrals import find_integrals
from dalembert.model import ON_POSITIONS, ModelError, OneSided, Statement

SECONDS = 3.0


def classify(system: Statement) -> Kinds:
    """What each constraint of a statement is, and what they are together.

    For all values of the parameters; where those given make a difference, for these, with a note. Raises ModelError
    where a constraint has a function of which nothing is known.
    """
    generic = _classified(Ground.of(system))
    if not system.values:
        return generic
    ground = Ground.of(system, valued=True)
    if _verdicts(generic) == _verdicts(_classified(ground, seek=False)) and not _degenerate(generic, ground):
        return generic
    found = _classified(ground)
    other = f"for others the rank is {generic.rank}, with {generic.integrable} integrals"
    return replace(found, notes=(*found.notes, f"this holds for the values given of the parameters; {other}"))


def _verdicts(kinds: Kinds) -> tuple[object, ...]:
    """All that is decided, without what was found in symbols."""
    alone = [(k.holonomic, k.exact, k.linear, k.catastatic, k.rheonomic) for k in kinds.constraints]
    return alone, kinds.holonomic, kinds.integrable, kinds.rank, kinds.dependent, kinds.contradictory


def _degenerate(kinds: Kinds, ground: Ground) -> bool:
    """Whether an integral says less for the values given than for others."""
    functions = [ground.stated(f) for f in kinds.integrals]
    rows = [ground.differential(f) for f in functions]
    alone = [ground.differential(ground.stated(k.integral)) for k in kinds.constraints if k.integral is not None]
    if any(f.has(*NOWHERE) for f in functions) or any(
        not independent_rows([row], ground.variables).rows for row in alone
    ):
        return True
    return len(independent_rows(rows, ground.variables).rows) < len(rows)


def _classified(ground: Ground, *, seek: bool = True) -> Kinds:
    kinds: list[Kind] = []
    for c, form in zip(ground.system.constraints, ground.forms, strict=True):
        try:
            kinds.append(kind_of(c, form, ground, seek=seek))
        except Untried as reason:
            raise ModelError(f"the constraint {c.name!r}", [f"it cannot be classified: {reason}"]) from None
    return _together(kinds, ground, seek)


class _Set(NamedTuple):
    """The constraints that hold at all times and do not contradict others: their kinds and, of the linear ones, rows.

    `independent` are places in `kinds`; a row is None where its constraint is not linear in the velocities.
    """

    kinds: list[Kind]
    rows: list[Row | None]
    independent: tuple[int, ...]

    @property
    def linear(self) -> list[int]:
        """The places of linear rows."""
        return [j for j, row in enumerate(self.rows) if row is not None]

    def linear_rows(self) -> list[Row]:
        """The linear rows."""
        return [row for row in self.rows if row is not None]

    def relations(self, ground: Ground) -> list[Expr]:
        """The relations among coordinates that were stated."""
        return [ground.stated(k.constraint.expr) for k in self.kinds if isinstance(k.constraint, ON_POSITIONS)]


def _together(kinds: Sequence[Kind], ground: Ground, seek: bool) -> Kinds:
    system = ground.system
    contacts = tuple(c.name for c in system.constraints if isinstance(c, OneSided))
    held = [i for i, c in enumerate(system.constraints) if c.name not in contacts]
    whole, independent, against, notes = ranked(ground, held)
    kept = [j for j in range(len(held)) if j not in against]
    own = _Set(
        [kinds[held[j]] for j in kept],
        [ground.forms[held[j]].coefficients for j in kept],
        tuple(kept.index(j) for j in independent),
    )
    places = [held[j] for j in kept]
    integrals = _integrals(own, whole, ground, places) if seek else []
    remarks = list(notes)
    if seek and len(integrals) < whole.integrals:
        remarks.append(f"of {whole.integrals} independent integrals {len(integrals)} were found in closed form")
    if not whole.complete:
        remarks.append("brackets were followed to a limited depth only: there are at most so many integrals")
    found = len(integrals) == whole.integrals and all(sure for _, _, sure in integrals)
    proved = found and whole.complete and (whole.evidence.exact or whole.integrals == whole.rank)
    every = len(own.linear) == len(own.rows)
    return Kinds(
        system.coordinates,
        tuple(kinds),
        holonomic=every and whole.integrals == whole.rank and not against,
        integrable=whole.integrals,
        integrals=tuple(ground.algebra.restore(f) for f, _, _ in integrals),
        constants=tuple(S.Zero if stated else ground.constant(f) for f, stated, _ in integrals),
        rank=len(own.independent),
        dependent=tuple(k.name for j, k in enumerate(own.kinds) if j not in own.independent),
        relations=tuple(_relations(own, ground)) if seek else (),
        contradictory=tuple(kinds[held[j]].name for j in against),
        contacts=contacts,
        singular=_singular(own, ground) if seek else (),
        growth=whole.growth,
        evidence=_evidence(proved, every, whole),
        notes=tuple(remarks),
    )


def _evidence(proved: bool, every: bool, whole: Closure) -> Evidence:
    if not whole.complete or (not every and not whole.rank):
        return UNTRIED
    return PROVED if proved else whole.evidence


def _integrals(own: _Set, whole: Closure, ground: Ground, places: Sequence[int]) -> list[tuple[Expr, bool, bool]]:
    """Independent integrals, stated, of single rows, of the set: (f, whether it was stated, whether it is proved)."""
    stated = [isinstance(kind.constraint, ON_POSITIONS) for kind in own.kinds]
    known: list[tuple[Expr, bool, bool]] = []
    for j in sorted(own.linear, key=lambda j: (not stated[j], j not in own.independent, j)):
        kind = own.kinds[j]
        if kind.integral is not None:
            known.append((ground.stated(kind.integral), stated[j], not kind.evidence.chance))
    found = _independent(_kept(known, ground, places), whole.integrals, ground)
    if len(found) == whole.integrals:
        return found
    rows = own.linear_rows()
    base = [rows[j] for j in whole.rows]
    more: list[tuple[Expr, bool, bool]] = []
    sought = find_integrals(list(map(ground.named, rows)), ground.variables, whole.integrals, SECONDS)
    for f in map(ground.fit, filter(is_sayable, sought)):
        made = combination(ground.differential(f), base, whole.pivots, ground.variables)
        more.append((f, False, made is not None and made.proved))
    return _independent([*found, *_kept(more, ground, places)], whole.integrals, ground)


def _kept(found: list[tuple[Expr, bool, bool]], ground: Ground, places: Sequence[int]) -> list[tuple[Expr, bool, bool]]:
    """The functions that the constraints keep where the stated relations hold."""
    follows = follow(ground, places, [f for f, _, _ in found])
    return [one for one, keeps in zip(found, follows, strict=True) if keeps]


def _independent(found: list[tuple[Expr, bool, bool]], most: int, ground: Ground) -> list[tuple[Expr, bool, bool]]:
    """The earliest functions that are independent of each other, at most so many."""
    chosen = independent_rows([ground.differential(f) for f, _, _ in found], ground.variables).rows
    return [found[j] for j in chosen[:most]]


def _relations(own: _Set, ground: Ground) -> Iterator[Relation]:
    """How each dependent row follows from the independent ones, in symbols where that is found."""
    base = [(own.kinds[j].name, row) for j in own.independent if (row := own.rows[j]) is not None]
    rows = [row for _, row in base]
    for j, kind in enumerate(own.kinds):
        if j in own.independent:
            continue
        row, made = own.rows[j], None
        if row is not None and rows:
            made = combination(row, rows, independent_rows(rows, ground.variables).pivots, ground.variables)
        if made is None:
            yield Relation(kind.name, tuple(own.kinds[i].name for i in own.independent), None)
            continue
        parts = [(name, ground.algebra.restore(x)) for (name, _), x in zip(base, made.coefficients, strict=True) if x]
        yield Relation(kind.name, tuple(n for n, _ in parts), tuple(x for _, x in parts))


def _singular(own: _Set, ground: Ground) -> tuple[Place, ...]:
    """Where the rank of the set drops: where a row vanishes, and where rows become dependent."""
    alone = [place for kind in own.kinds for place in kind.singular]
    rows = [row[:-1] for j in own.independent if (row := own.rows[j]) is not None]
    more = singular_places(rows, ground.algebra.q, own.relations(ground)) if len(rows) > 1 else ()
    return tuple(dict.fromkeys([*alone, *ground.restored(more)]))
