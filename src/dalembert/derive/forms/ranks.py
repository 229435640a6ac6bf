"""Rank and integrals of a set of constraints: everywhere, or where the relations among coordinates hold."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from sympy import Expr, S

from dalembert.derive.exact import Germs, Real, Untried, Unvalued
from dalembert.derive.forms.closure import Closure, closure, closure_of_exact, closure_on, follow_on, independent_rows
from dalembert.derive.forms.frobenius import Row, independent
from dalembert.derive.forms.ground import Ground
from dalembert.derive.independence import independence
from dalembert.model import ON_POSITIONS, OneSided, Statement

MOST_RELATIONS = 12  # that points of 50 digits are sought on


class Ranked(NamedTuple):
    """A set of constraints, by their places: independent ones, and ones that contradict those before.

    `whole` is the closure of the linear rows that do not; its rows are places among these.
    """

    whole: Closure
    independent: tuple[int, ...]
    against: tuple[int, ...]
    notes: tuple[str, ...]


def ranked(ground: Ground, places: Sequence[int]) -> Ranked:
    """Rank and integrals of the constraints at some places of a statement."""
    rows = [ground.forms[i].coefficients for i in places]
    against = _against(rows, ground)
    linear = [j for j, row in enumerate(rows) if row is not None and j not in against]
    own = [row for j in linear if (row := rows[j]) is not None]
    stated = [ground.system.constraints[places[j]] for j in linear]
    relations = [ground.stated(c.expr) for c in stated if isinstance(c, ON_POSITIONS)]
    whole = (closure_of_exact if len(relations) == len(own) else closure)(own, ground.variables)
    if len(linear) + len(against) == len(rows) and not relations:
        chosen = tuple(linear[j] for j in whole.rows)
        return Ranked(whole, chosen, tuple(against), tuple(_at_start(ground, places, len(chosen))))
    if len(linear) + len(against) == len(rows) and len(relations) <= MOST_RELATIONS:
        try:
            there = _on_relations(ground, [places[j] for j in linear])
        except Untried:
            pass  # floating-point numbers may find a state
        else:
            if (there.rank, there.integrals) == (whole.rank, whole.integrals):
                return Ranked(whole, tuple(linear[j] for j in whole.rows), tuple(against), ())
            note = "this holds where the stated relations among coordinates do, not elsewhere"
            return Ranked(there, tuple(linear[j] for j in there.rows), tuple(against), (note,))
    return _by_numbers(ground, places, whole, set(against), linear, bool(relations))


def _against(rows: Sequence[Row | None], ground: Ground) -> list[int]:
    """The rows that make dt a combination of the forms: no velocity satisfies them and those before."""
    linear = [j for j, row in enumerate(rows) if row is not None]
    found = independent_rows([row for row in rows if row is not None], ground.variables)
    last = len(ground.variables) - 1
    return [linear[j] for j, pivot in zip(found.rows, found.pivots, strict=True) if pivot == last]


def _valued(ground: Ground) -> Ground:
    return ground if ground.given or not ground.system.values else Ground.of(ground.system, valued=True)


def _on_relations(ground: Ground, places: Sequence[int]) -> Closure:
    """The closure of linear rows at points on the relations, for the values given of the parameters."""
    valued = _valued(ground)
    rows = [row for i in places if (row := valued.forms[i].coefficients) is not None]
    stated = [valued.system.constraints[i] for i in places]
    relations = [valued.stated(c.expr) for c in stated if isinstance(c, ON_POSITIONS)]
    return closure_on(relations, rows, valued.variables, valued.near)


def follow(ground: Ground, places: Sequence[int], functions: Sequence[Expr]) -> list[bool]:
    """Whether the constraints at some places keep each of some functions, where the relations among them hold.

    What follows everywhere need not follow there: rows may vanish on the relations, or depend on each other.
    """
    valued = _valued(ground)
    rows = [row for i in places if (row := valued.forms[i].coefficients) is not None]
    stated = [valued.system.constraints[i] for i in places]
    relations = [valued.stated(c.expr) for c in stated if isinstance(c, ON_POSITIONS)]
    if not relations or len(relations) == len(rows) or len(relations) > MOST_RELATIONS or not functions:
        return [True] * len(functions)
    extra = [valued.differential(valued.clean(f)) for f in functions]
    return follow_on(relations, rows, extra, valued.variables, valued.near)


def _by_numbers(
    ground: Ground, places: Sequence[int], whole: Closure, against: set[int], linear: list[int], relations: bool
) -> Ranked:
    """The rank in floating-point numbers, where there are relations not linear in velocity, or many among coordinates.

    What these numbers show to be dependent on the constraints has no integrals of its own.
    """
    others = [c.name for i, c in enumerate(ground.system.constraints) if i not in places]
    chosen, contradicted, notes = independence(_without(ground.system, others))
    against |= set(contradicted)
    rank = len([j for j in chosen if j in linear])
    if relations and rank < whole.rank:
        lost = whole.rank - rank
        whole = replace(whole, rows=whole.rows[:rank], integrals=max(whole.integrals - lost, 0))
    return Ranked(whole, tuple(j for j in chosen if j not in against), tuple(sorted(against)), notes)


def _without(system: Statement, names: Sequence[str]) -> Statement:
    return system.without([*names, *(c.name for c in system.constraints if isinstance(c, OneSided))])


def _at_start(ground: Ground, places: Sequence[int], rank: int) -> list[str]:
    """A note where the rank is lower at the start than elsewhere."""
    valued = _valued(ground)
    if not valued.near:
        return []
    rows: list[list[Expr]] = [list(row[:-1]) for i in places if (row := valued.forms[i].coefficients) is not None]
    real = Real(Random(0), {x: valued.near[x] for x in valued.variables})
    real.values = {x: real.mp.mpf(v) for x, v in real.values.items()}
    try:
        there = len(independent(Germs(real, [], 0), [[*row, S.Zero] for row in rows]).rows)
    except Unvalued:
        return []
    if not real.good.all() or there >= rank:
        return []
    return [f"at the start the rank is {there}, less than elsewhere: the set says less there"]
