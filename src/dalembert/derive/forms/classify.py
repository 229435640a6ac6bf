"""From a statement to what its constraints are: one by one, and as a set."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sympy import Expr, S

from dalembert.derive.exact import PROVED, Untried
from dalembert.derive.forms.alone import kind_of
from dalembert.derive.forms.closure import Closure, closure, closure_of_exact, closure_on, independent_rows
from dalembert.derive.forms.combination import combination
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import Ground
from dalembert.derive.forms.kinds import Kind, Kinds, Relation
from dalembert.derive.forms.pfaff import forms
from dalembert.derive.forms.singular import Place, singular_places
from dalembert.derive.independence import independence
from dalembert.derive.integrals import find_integrals
from dalembert.model import ON_POSITIONS, ModelError, OneSided, Statement

SECONDS = 3.0


def classify(system: Statement) -> Kinds:
    """What each constraint of a statement is, and what they are together.

    Raises ModelError where a constraint has a function of which nothing is known.
    """
    ground = Ground.of(system)
    found = forms(system, ground.algebra)
    kinds: list[Kind] = []
    for c, form in zip(system.constraints, found, strict=True):
        try:
            kinds.append(kind_of(c, form, ground))
        except Untried as reason:
            raise ModelError(f"the constraint {c.name!r}", [f"it cannot be classified: {reason}"]) from None
    return _together(system, kinds, [form.coefficients for form in found], ground)


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
        stated = [k.constraint for k in self.kinds if isinstance(k.constraint, ON_POSITIONS)]
        return [ground.algebra.convert(c.expr) for c in stated]


def _together(system: Statement, kinds: Sequence[Kind], rows: Sequence[Row | None], ground: Ground) -> Kinds:
    contacts = tuple(c.name for c in system.constraints if isinstance(c, OneSided))
    held = [i for i, c in enumerate(system.constraints) if c.name not in contacts]
    chosen, contradicted, notes = independence(system.without(contacts))
    against = sorted({*contradicted, *_against([rows[i] for i in held], ground)})
    kept = [j for j in range(len(held)) if j not in against]
    own = _Set(
        [kinds[held[j]] for j in kept], [rows[held[j]] for j in kept], tuple(kept.index(j) for j in chosen if j in kept)
    )
    whole, remarks = _closure(own, ground)
    integrals = _integrals(own, whole, ground)
    if len(integrals) < whole.integrals:
        remarks.append(f"of {whole.integrals} independent integrals {len(integrals)} were found in closed form")
    if not whole.complete:
        remarks.append("the brackets were not followed to their end: there may be fewer integrals")
    found = len(integrals) == whole.integrals and all(sure for _, _, sure in integrals)
    every = len(own.linear) == len(own.rows)
    return Kinds(
        system.coordinates,
        tuple(kinds),
        holonomic=every and whole.integrals == whole.rank and not against,
        integrable=whole.integrals,
        integrals=tuple(ground.algebra.restore(f) for f, _, _ in integrals),
        constants=tuple(S.Zero if stated else ground.constant(f) for f, stated, _ in integrals),
        rank=len([j for j in chosen if j in kept]),
        dependent=tuple(k.name for j, k in enumerate(own.kinds) if j not in own.independent),
        relations=tuple(_relations(own, ground)),
        contradictory=tuple(kinds[held[j]].name for j in against),
        contacts=contacts,
        singular=_singular(own, ground),
        growth=whole.growth,
        evidence=PROVED if found and (whole.evidence.exact or whole.integrals == whole.rank) else whole.evidence,
        notes=(*notes, *remarks),
    )


def _against(rows: Sequence[Row | None], ground: Ground) -> set[int]:
    """The rows that make dt a combination of the forms: no velocity satisfies them and those before."""
    linear = [j for j, row in enumerate(rows) if row is not None]
    found = independent_rows([row for row in rows if row is not None], ground.variables, ground.values)
    last = len(ground.variables) - 1
    return {linear[j] for j, pivot in zip(found.rows, found.pivots, strict=True) if pivot == last}


def _closure(own: _Set, ground: Ground) -> tuple[Closure, list[str]]:
    """Rank and integrals of the rows: anywhere, or only where the stated relations hold if that makes a difference."""
    notes: list[str] = []
    rows, relations = own.linear_rows(), own.relations(ground)
    find = closure_of_exact if len(relations) == len(rows) else closure
    whole = find(rows, ground.variables)
    if ground.values:
        given = find(rows, ground.variables, ground.values)
        if (given.rank, given.integrals) != (whole.rank, whole.integrals):
            other = f"rank {whole.rank} and {whole.integrals} integrals"
            notes.append(f"this holds for the values given of the parameters; for others there are {other}")
            whole = given
    rank = len([j for j in own.independent if own.rows[j] is not None])
    if relations and (whole.integrals < whole.rank or rank < whole.rank):
        try:
            there = closure_on(relations, rows, ground.variables, ground.values, ground.near)
        except Untried as reason:
            return whole, [*notes, f"tried everywhere, not on the constraints alone: {reason}"]
        if (there.rank, there.integrals) != (whole.rank, whole.integrals):
            return there, [*notes, "this holds where the stated relations among coordinates do, not elsewhere"]
    return whole, notes


def _integrals(own: _Set, whole: Closure, ground: Ground) -> list[tuple[Expr, bool, bool]]:
    """Independent integrals, stated, of single rows, of the set: (f, whether it was stated, whether it is proved)."""
    stated = [isinstance(kind.constraint, ON_POSITIONS) for kind in own.kinds]
    known: list[tuple[Expr, bool, bool]] = []
    for j in sorted(own.linear, key=lambda j: (not stated[j], j not in own.independent, j)):
        kind = own.kinds[j]
        if kind.integral is not None:
            known.append((ground.algebra.convert(kind.integral), stated[j], not kind.evidence.chance))
    found = _independent(known, whole.integrals, ground)
    if len(found) == whole.integrals:
        return found
    rows = own.linear_rows()
    base = [rows[j] for j in whole.rows]
    more: list[tuple[Expr, bool, bool]] = []
    for f in find_integrals(list(map(ground.named, rows)), ground.variables, whole.integrals, SECONDS):
        made = combination(ground.differential(f), base, whole.pivots, ground.variables)
        more.append((f, False, made is not None and made.proved))
    return _independent([*found, *more], whole.integrals, ground)


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
    more = singular_places(rows, ground.variables, own.relations(ground)) if len(rows) > 1 else ()
    return tuple(dict.fromkeys([*alone, *ground.restored(more)]))
