"""From a statement to what its constraints are: one by one, and as a set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sympy import Expr, Float, S

from dalembert.derive.exact import BY_ROUNDING, PROVED, UNTRIED, Evidence, Untried
from dalembert.derive.forms.alone import kind_of
from dalembert.derive.forms.closure import Closure, independent_rows
from dalembert.derive.forms.ground import NOWHERE, Ground
from dalembert.derive.forms.kinds import Kind, Kinds
from dalembert.derive.forms.ranks import ranked
from dalembert.derive.forms.rowset import RowSet
from dalembert.derive.forms.somewhere import is_real_somewhere
from dalembert.model import ModelError, OneSided, Statement

NOT_REAL = "was not found to have a real value anywhere: what is said of it is said of complex numbers"


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
    return alone, kinds.holonomic, kinds.integrable, kinds.rank, kinds.dependent, kinds.contradictory, kinds.touching


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
            kind = kind_of(c, form, ground, seek=seek)
            if form.coefficients is not None and not is_real_somewhere(form.coefficients, ground):
                kind = replace(kind, evidence=replace(kind.evidence, chance=1.0, certain=False))
            taken = ground.numbers.taken.keys() & c.expr.atoms(Float)
            kinds.append(replace(kind, evidence=BY_ROUNDING) if taken and not kind.evidence.chance else kind)
        except Untried as reason:
            raise ModelError(f"the constraint {c.name!r}", [f"it cannot be classified: {reason}"]) from None
    return _together(kinds, ground, seek)


def _together(kinds: Sequence[Kind], ground: Ground, seek: bool) -> Kinds:
    system = ground.system
    contacts = tuple(c.name for c in system.constraints if isinstance(c, OneSided))
    held = [i for i, c in enumerate(system.constraints) if c.name not in contacts]
    whole, independent, against, rounded, doubted, notes, apart, touching = ranked(ground, held)
    kept = [j for j in range(len(held)) if j not in against and j not in rounded]
    places = [held[j] for j in kept]
    own = RowSet(ground, places, [kinds[i] for i in places], tuple(kept.index(j) for j in independent))
    jump = own.across(whole)
    if jump is not None:
        chance = whole.evidence.chance if jump.proved else 1.0
        known = replace(whole.evidence, certain=jump.proved, chance=chance)
        whole = replace(whole, integrals=jump.most, evidence=known)
        u = ground.algebra.restore(jump.u)
        notes = (*notes, f"coefficients jump where {u} changes sign: what is kept on each side is not kept across")
    integrals = own.integrals(whole) if seek else []
    relations = list(own.dependent(stated=not touching)) if seek else []
    taken = ground.numbers.taken
    unreal = [
        kinds[i].name for i in held if (row := ground.forms[i].coefficients) and not is_real_somewhere(row, ground)
    ]
    remarks = [*notes, *_taken(taken), *(f"{name!r} {NOT_REAL}" for name in unreal)]
    lost = {*(places[j] for j in range(len(places)) if j not in own.independent), *(held[j] for j in rounded)}
    if touching:  # a relation that takes away no velocity may take away a configuration
        lost = {i for i in lost if not own.is_stated(i)}
    if seek and len(integrals) < whole.integrals:
        remarks.append(f"of {whole.integrals} independent integrals {len(integrals)} were found in closed form")
    if not whole.complete:
        remarks.append("brackets were followed to a limited depth only: there are at most so many integrals")
    every = len(own.linear) == len(own.rows)
    found = len(integrals) == whole.integrals and all(one.proved for one in integrals)
    dependent = len(own.linear) == whole.rank or (every and all(sure for _, sure in relations))
    sure = not rounded and not doubted and not touching
    certain = found and (whole.evidence.certain or whole.integrals == whole.rank)
    proved = dependent and sure and not unreal and (certain or not whole.evidence.chance)
    return Kinds(
        system.coordinates,
        tuple(kinds),
        holonomic=every and whole.integrals == whole.rank and not against,
        integrable=whole.integrals,
        integrals=tuple(ground.algebra.restore(one.f) for one in integrals),
        constants=tuple(S.Zero if one.stated else ground.constant(one.f) for one in integrals),
        rank=len(own.independent),
        dependent=tuple(kinds[i].name for i in sorted(lost)),
        relations=tuple(relation for relation, _ in relations),
        contradictory=tuple(kinds[held[j]].name for j in against),
        apart=tuple(kinds[held[j]].name for j in apart),
        touching=tuple(kinds[held[j]].name for j in touching),
        contacts=contacts,
        singular=own.singular() if seek else (),
        growth=whole.growth,
        evidence=_evidence(proved, every, whole, taken=bool(taken)),
        notes=tuple(remarks),
    )


def _taken(taken: Mapping[Expr, Expr]) -> Iterator[str]:
    """For what decimals were taken, in words."""
    for f, value in taken.items():
        shown = repr(float(value)) if value.is_Rational else str(value)
        yield f"{float(f)!r} is taken for {shown}, which it is but for rounding"


def _evidence(proved: bool, every: bool, whole: Closure, *, taken: bool) -> Evidence:
    """How sure rank and integrals are; relations that are not linear in the velocities are not tried."""
    if not whole.complete or not every:
        return UNTRIED
    if proved:
        return BY_ROUNDING if taken else PROVED
    return replace(whole.evidence, chance=1.0)
