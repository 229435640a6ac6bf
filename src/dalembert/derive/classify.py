"""From a statement to what its constraints are: one by one, and as a set."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sympy import Expr, Rational, S, Symbol

from dalembert.derive.algebra import Symbols
from dalembert.derive.closure import Closure, closure, closure_on
from dalembert.derive.combination import combination
from dalembert.derive.exact import Point
from dalembert.derive.frobenius import Row
from dalembert.derive.independence import independence
from dalembert.derive.integrals import find_integrals
from dalembert.derive.kinds import Kind, Kinds, Relation
from dalembert.derive.pfaff import Form, differential, forms
from dalembert.derive.prepared import prepared
from dalembert.derive.singular import singular_places
from dalembert.derive.tidy import tidy
from dalembert.derive.trials import Evidence, Untried, tried, vanishes
from dalembert.model import ON_POSITIONS, Constraint, ModelError, OneSided, Statement

SECONDS_ALONE = 1.0
SECONDS_TOGETHER = 3.0
PROVED = Evidence(True, 0, 0.0)


def classify(system: Statement) -> Kinds:
    """What each constraint of a statement is, and what they are together.

    Raises ModelError where a constraint has a function of which nothing is known.
    """
    algebra = prepared(system).algebra
    space = _Space(algebra, _values(system, algebra), _near(system, algebra))
    found = forms(system, algebra)
    kinds = []
    for c, form in zip(system.constraints, found, strict=True):
        try:
            kinds.append(_alone(system, c, form, space))
        except Untried as reason:
            raise ModelError(f"the constraint {c.name!r}", [f"it cannot be classified: {reason}"]) from None
    return _together(system, kinds, found, space)


class _Space(NamedTuple):
    """Coordinates and time as symbols, the values of parameters that have one, and the start as far as it is stated."""

    algebra: Symbols
    values: Mapping[Symbol, Expr]
    near: Mapping[Symbol, float]

    @property
    def variables(self) -> list[Symbol]:
        return [*self.algebra.q, self.algebra.t]

    def by_name(self, row: Row) -> dict[Symbol, Expr]:
        return {x: a for x, a in zip(self.variables, row, strict=True) if a != 0}

    def vanishes(self, e: Expr) -> bool:
        return vanishes(e, self.variables, self.values)


def _values(system: Statement, algebra: Symbols) -> dict[Symbol, Expr]:
    return {algebra.parameters[s]: Rational(repr(x)) for s, x in system.values}


def _near(system: Statement, algebra: Symbols) -> dict[Symbol, float]:
    """The coordinates of the start, where it is stated and its parameters have values."""
    symbols = dict(zip(system.coordinates, algebra.q, strict=True))
    values = dict(system.values)
    known = {q: e.xreplace(values) for q, e in system.initial if q in symbols}
    if not system.initial or any(not e.is_number for e in known.values()):
        return {}
    return {x: float(known.get(q, S.Zero)) for q, x in symbols.items()} | {algebra.t: 0.0}


def _alone(system: Statement, c: Constraint, form: Form, space: _Space) -> Kind:
    algebra = space.algebra
    row = form.coefficients
    if row is None:
        rest = form.psi.xreplace(dict.fromkeys(algebra.v, S.Zero))
        moving = algebra.gradient(form.psi, [algebra.t]).get(0, S.Zero)
        everything = [*space.variables, *algebra.v]
        catastatic = not rest.has(S.ComplexInfinity, S.NaN) and space.vanishes(rest)
        return Kind(
            c, holonomic=False, exact=False, linear=False, catastatic=catastatic,
            rheonomic=not vanishes(moving, everything, space.values), integral=None, factor=None, constant=None,
            singular=(), evidence=PROVED,
        )  # fmt: skip
    integral, factor, closed = None, None, None
    if isinstance(c, ON_POSITIONS):
        integral, factor, evidence, whole = algebra.convert(c.expr), S.One, PROVED, True
        relations: list[Expr] = [integral]
    else:
        relations = []
        closed = closure([row], space.variables, space.values)
        whole, evidence = closed.integrals == closed.rank, closed.evidence
        if whole and closed.rank:
            for f in find_integrals([space.by_name(row)], space.variables, 1, SECONDS_ALONE):
                integral, factor, evidence = _scaled(f, row, closed, space)
    start = None if integral is None else _constant(system, integral, algebra, isinstance(c, ON_POSITIONS))
    return Kind(
        c,
        holonomic=whole,
        exact=isinstance(c, ON_POSITIONS) or _is_closed(row, space),
        linear=True,
        catastatic=space.vanishes(row[-1]),
        rheonomic=not space.vanishes(row[-1]) if whole else _changes(row, space),
        integral=None if integral is None else algebra.restore(integral),
        factor=None if factor is None else algebra.restore(factor),
        constant=start,
        singular=_restored(singular_places([row[:-1]], space.variables, relations), algebra),
        evidence=evidence,
    )


def _restored(places: Sequence[Sequence[Expr]], algebra: Symbols) -> tuple[tuple[Expr, ...], ...]:
    return tuple(tuple(algebra.restore(e) for e in place) for place in places)


def _scaled(f: Expr, row: Row, closed: Closure, space: _Space) -> tuple[Expr, Expr | None, Evidence]:
    """An integral with its factor μ, df = μ ω; scaled so that μ = 1 where the row is exact."""
    made = combination(differential(f, space.algebra), [row], closed.pivots, space.variables)
    if made is None:
        return f, None, closed.evidence
    factor = made.coefficients[0]
    if not factor.free_symbols & set(space.variables):
        f, factor = tidy(f / factor), S.One
    return f, factor, PROVED if made.proved else closed.evidence


def _is_closed(row: Row, space: _Space) -> bool:
    """Whether ∂a_i/∂x_j = ∂a_j/∂x_i for all pairs."""

    def ask(point: Point) -> bool:
        jets, field = [point.jet(a) for a in row], point.field
        n = len(row)
        gaps = (field.reduce(jets[i][1 + j : 2 + j] - jets[j][1 + i : 2 + i])[0] for i in range(n) for j in range(i))
        return all(field.is_zero(gap) for gap in gaps)

    return all(tried(row, space.variables, ask, 1, space.values)[0])


def _changes(row: Row, space: _Space) -> bool:
    """Whether the ratios of the coefficients depend on time."""
    last = len(row) - 1

    def ask(point: Point) -> bool:
        jets, field = [point.jet(a) for a in row], point.field
        p = max(range(last), key=lambda i: field.size(jets[i][0]))
        for jet in jets:
            turn = jet[1 + last : 2 + last] * jets[p][0] - jet[0] * jets[p][1 + last : 2 + last]
            if not field.is_zero(field.reduce(turn)[0]):
                return True
        return False

    return any(tried(row, space.variables, ask, 1, space.values)[0])


def _constant(system: Statement, f: Expr, algebra: Symbols, stated: bool) -> Expr | None:
    """The value of an integral at the start, which is at t = 0; None where no start is stated."""
    if stated:
        return S.Zero
    if not system.initial:
        return None
    given = dict(system.initial)
    at = {x: algebra.convert(given.get(q, S.Zero)) for q, x in zip(system.coordinates, algebra.q, strict=True)}
    value = tidy(f.xreplace({**at, algebra.t: S.Zero}))
    return None if value.has(S.ComplexInfinity, S.NaN) else algebra.restore(value)


def _together(system: Statement, kinds: Sequence[Kind], found: Sequence[Form], space: _Space) -> Kinds:
    contacts = tuple(c.name for c in system.constraints if isinstance(c, OneSided))
    held = [i for i, c in enumerate(system.constraints) if not isinstance(c, OneSided)]
    names = [system.constraints[i].name for i in held]
    chosen, against, notes = independence(system.without(contacts))
    linear = [j for j, i in enumerate(held) if found[i].coefficients is not None and j not in against]
    rows: list[Row] = [found[held[j]].coefficients or () for j in linear]
    relations = [space.algebra.convert(system.constraints[held[j]].expr) for j in linear
                 if isinstance(system.constraints[held[j]], ON_POSITIONS)]  # fmt: skip
    whole, remarks = _closure(rows, relations, len(chosen) - (len(held) - len(against) - len(linear)), space)
    integrals = list(_integrals(rows, [kinds[held[j]] for j in linear], [linear.index(j) for j in chosen if j in linear],
                                whole, space))  # fmt: skip
    proved = len(integrals) == whole.integrals and all(sure for _, _, sure in integrals)
    if len(integrals) < whole.integrals:
        remarks.append(
            f"{whole.integrals} independent integrals exist, {len(integrals)} of them were found in the time allowed"
        )
    if not whole.complete:
        remarks.append("brackets were not followed to their end: there may be fewer integrals")
    nonlinear = len(held) - len(against) - len(linear)
    return Kinds(
        system.coordinates,
        tuple(kinds),
        holonomic=not nonlinear and whole.integrals == whole.rank and not against,
        integrable=whole.integrals,
        integrals=tuple(space.algebra.restore(f) for f, _, _ in integrals),
        constants=tuple(_constant(system, f, space.algebra, stated) for f, stated, _ in integrals),
        rank=len(chosen),
        dependent=tuple(name for j, name in enumerate(names) if j not in chosen and j not in against),
        relations=tuple(_relations(chosen, against, names, [found[i] for i in held], whole, linear, space)),
        contradictory=tuple(names[j] for j in against),
        contacts=contacts,
        singular=_set_singular(kinds, held, rows, whole, relations, space),
        growth=whole.growth,
        evidence=PROVED if proved else whole.evidence,
        notes=(*notes, *remarks),
    )


def _closure(rows: Sequence[Row], relations: Sequence[Expr], rank: int, space: _Space) -> tuple[Closure, list[str]]:
    """Rank and integrals of the rows: anywhere, or only where the stated relations hold if that makes a difference."""
    notes: list[str] = []
    whole = closure(rows, space.variables)
    if space.values:
        given = closure(rows, space.variables, space.values)
        if (given.rank, given.integrals) != (whole.rank, whole.integrals):
            notes.append(
                f"for the values given of the parameters: for others the rank is {whole.rank}, and there are "
                f"{whole.integrals} integrals"
            )
            whole = given
    if relations and (whole.integrals < whole.rank or rank < whole.rank):
        try:
            there = closure_on(relations, rows, space.variables, space.values, space.near)
        except Untried as reason:
            return whole, [*notes, f"tried everywhere, not on the constraints alone: {reason}"]
        if (there.rank, there.integrals) != (whole.rank, whole.integrals):
            return there, [*notes, "where the relations among coordinates hold; elsewhere it is otherwise"]
    return whole, notes


def _integrals(
    rows: Sequence[Row], kinds: Sequence[Kind], first: Sequence[int], whole: Closure, space: _Space
) -> Iterator[tuple[Expr, bool, bool]]:
    """Independent integrals: those stated, those of single rows, those of the set; (f, whether stated, whether proved)."""
    taken: list[Row] = []

    def fresh(f: Expr) -> bool:
        df = differential(f, space.algebra)
        if closure([*taken, df], space.variables).rank == len(taken):
            return False
        taken.append(df)
        return True

    order = sorted(
        range(len(rows)), key=lambda j: (not isinstance(kinds[j].constraint, ON_POSITIONS), j not in first, j)
    )
    for j in order:
        kind = kinds[j]
        if len(taken) < whole.integrals and kind.integral is not None:
            f = space.algebra.convert(kind.integral)
            if fresh(f):
                yield f, isinstance(kind.constraint, ON_POSITIONS), not kind.evidence.chance
    if len(taken) >= whole.integrals:
        return
    named = [space.by_name(row) for row in rows]
    own = [rows[j] for j in whole.rows]
    for f in find_integrals(named, space.variables, whole.integrals, SECONDS_TOGETHER):
        if len(taken) < whole.integrals and fresh(f):
            made = combination(differential(f, space.algebra), own, whole.pivots, space.variables)
            yield f, False, made is not None and made.proved


def _relations(
    chosen: Sequence[int], against: Sequence[int], names: Sequence[str], held: Sequence[Form], whole: Closure,
    linear: Sequence[int], space: _Space,
) -> Iterator[Relation]:  # fmt: skip
    """How each dependent row follows from the independent ones, in symbols where that is found."""
    base = [j for j in chosen if j in linear]
    for j, name in enumerate(names):
        if j in chosen or j in against:
            continue
        row, made = held[j].coefficients, None
        if row is not None and base and len(base) == len(whole.pivots):
            own = [held[i].coefficients or () for i in base]
            made = combination(row, own, closure(own, space.variables).pivots, space.variables)
        if made is None:
            yield Relation(name, tuple(names[i] for i in chosen), None)
            continue
        parts = [(names[i], space.algebra.restore(x)) for i, x in zip(base, made.coefficients, strict=True) if x != 0]
        yield Relation(name, tuple(n for n, _ in parts), tuple(x for _, x in parts))


def _set_singular(
    kinds: Sequence[Kind], held: Sequence[int], rows: Sequence[Row], whole: Closure, relations: Sequence[Expr],
    space: _Space,
) -> tuple[tuple[Expr, ...], ...]:  # fmt: skip
    """Where the rank of the set drops: where a row vanishes, and where rows become dependent."""
    alone = [place for i in held for place in kinds[i].singular]
    if len(whole.rows) < 2:
        return tuple(dict.fromkeys(alone))
    own = [rows[j][:-1] for j in whole.rows]
    return tuple(dict.fromkeys([*alone, *_restored(singular_places(own, space.variables, relations), space.algebra)]))
