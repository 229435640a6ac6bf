"""Rank and integrals of a set of constraints: everywhere, or where the relations among coordinates hold."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

import numpy as np
from sympy import Expr, S

from dalembert.derive.exact import Evidence, Germs, Real, Unvalued
from dalembert.derive.forms.closure import Closure, closure, closure_of_exact, independent_rows
from dalembert.derive.forms.frobenius import Row, independent
from dalembert.derive.forms.ground import Ground
from dalembert.derive.forms.relations import Relations, anywhere
from dalembert.derive.independence import independence
from dalembert.derive.reducing.digits import ROUNDED
from dalembert.model import ON_POSITIONS, OneSided, Statement

ONLY_THERE = "this holds where the stated relations among coordinates do, not elsewhere"
NOT_REGULAR = (
    "no point on the relations was found at which their gradients are regular: rank and integrals are off them"
)


Rows = list[Row | None]


class Ranked(NamedTuple):
    """A set of constraints, by their places: independent ones, and ones that contradict those before.

    `whole` is the closure of the linear rows that do not; its rows are places among these. Those that would contradict
    others but for the rounding of decimal numbers are `rounded`, and not among them. `doubted`: whether there are some
    with which no configuration was found. `apart` are those of the contradicting ones that no configuration satisfies,
    `touching` those that hold together only where their gradients depend on each other: then `independent` is said of
    such places, and `whole` of others.
    """

    whole: Closure
    independent: tuple[int, ...]
    against: tuple[int, ...]
    rounded: tuple[int, ...]
    doubted: bool
    notes: tuple[str, ...]
    apart: tuple[int, ...] = ()
    touching: tuple[int, ...] = ()


def ranked(ground: Ground, places: Sequence[int]) -> Ranked:
    """Rank and integrals of the constraints at some places of a statement."""
    valued = _valued(ground)
    related = [j for j, i in enumerate(places) if isinstance(ground.system.constraints[i], ON_POSITIONS)]
    leaf = valued.relations([places[j] for j in related])
    against = {related[k] for k in leaf.against}
    twins = {related[k] for k in leaf.rounded}
    apart = tuple(sorted(against))
    left_out = against | twins
    rows: Rows = [None if j in left_out else ground.forms[i].coefficients for j, i in enumerate(places)]
    there: Rows = [None if j in left_out else valued.forms[i].coefficients for j, i in enumerate(places)]
    clash, more = _clashing(rows, there, ground, leaf if related else None)
    against, twins = against | clash, twins | more
    linear = [j for j, row in enumerate(rows) if row is not None and j not in against]
    own = [row for j in linear if (row := rows[j]) is not None]
    exact = all(j in related for j in linear)
    whole = (closure_of_exact if exact else closure)(own, ground.variables)
    notes = _unsure(ground, [places[related[k]] for k in sorted(leaf.unsure)])
    notes = (*notes, *_rounded(ground, [places[j] for j in sorted(twins)]))
    if len(linear) + len(twins) + sum(rows[j] is not None or j in related for j in against) < len(rows):
        numbers = _by_numbers(ground, places, whole, against, twins, linear, bool(related), notes)
        dropped = set(linear) - set(_there(leaf, linear, there)) if leaf.touching else set()
        chosen = tuple(j for j in numbers.independent if j not in dropped)
        touching = _touching(leaf, related)
        return numbers._replace(independent=chosen, apart=apart, doubted=bool(leaf.unsure), touching=touching)
    if not related:
        chosen = tuple(linear[j] for j in whole.rows)
        notes = (*notes, *_at_start(ground, places, len(chosen)))
        return Ranked(whole, chosen, tuple(sorted(against)), tuple(sorted(twins)), bool(leaf.unsure), notes)
    if leaf.touching:
        chosen = _there(leaf, linear, there)
        doubt = replace(whole, evidence=Evidence(False, max(whole.evidence.points, 1), 1.0, False))
        last = (bool(leaf.unsure), notes, apart, _touching(leaf, related))
        return Ranked(doubt, chosen, tuple(sorted(against)), tuple(sorted(twins)), *last)
    found = leaf.closure([row for j in linear if (row := there[j]) is not None], exact)
    if found is None:
        whole = replace(whole, evidence=replace(whole.evidence, chance=1.0, certain=False))
        notes = (*notes, NOT_REGULAR)
    else:  # rows that depend on each other there may be independent elsewhere, also where the ranks are equal
        alike = (found.rank, found.integrals) == (whole.rank, whole.integrals)
        chance = max(whole.evidence.chance, found.evidence.chance) if alike else found.evidence.chance
        pivots = independent_rows([own[j] for j in found.rows], ground.variables).pivots
        whole = replace(found, pivots=pivots, evidence=replace(found.evidence, chance=chance))
        notes = notes if alike else (*notes, ONLY_THERE)
    chosen = tuple(linear[j] for j in whole.rows)
    notes = (*notes, *_at_start(ground, places, len(chosen)))
    return Ranked(whole, chosen, tuple(sorted(against)), tuple(sorted(twins)), bool(leaf.unsure), notes, apart)


def _there(leaf: Relations, linear: Sequence[int], rows: Rows) -> tuple[int, ...]:
    """The earliest linear rows that are independent where the relations hold."""
    found = leaf.independent([row for j in linear if (row := rows[j]) is not None])
    return tuple(linear[j] for j in found.rows)


def _touching(leaf: Relations, related: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(related[k] for k in leaf.touching))


def _rounded(ground: Ground, places: Sequence[int]) -> Iterator[str]:
    for i in places:
        name = ground.system.constraints[i].name
        yield f"{name!r} differs from what the others say by rounding of decimals: it is taken to follow from them"


def _clashing(rows: Rows, there: Rows, ground: Ground, leaf: Relations | None) -> tuple[set[int], set[int]]:
    """The rows that contradict those before them, and those that do so by rounding alone, which are taken away."""
    twins: set[int] = set()
    while True:
        found = _against(rows, there, ground, leaf)
        alike = [
            j for j in found if _valued(ground) is ground and ground.decimal and _by_rounding(there, j, ground, leaf)
        ]
        if not alike:
            return set(found), twins
        for j in alike:
            twins.add(j)
            rows[j] = there[j] = None


def _by_rounding(rows: Rows, place: int, ground: Ground, leaf: Relations | None) -> bool:
    """Whether a row that differs from a combination of those before it by c dt does so by rounding."""
    own = [row if leaf is None else leaf.row(row) for row in rows[: place + 1] if row is not None]
    point = anywhere(ground.variables if leaf is None else leaf.variables)
    numbers = [[e.xreplace(point) for e in row] for row in own]
    if not all(e.is_real and e.is_number for row in numbers for e in row):
        return False
    *before, last = np.array(numbers, dtype=float)
    if not before:
        return False
    A = np.array(before)
    c = np.linalg.lstsq(A[:, :-1].T, last[:-1], rcond=None)[0]
    terms = np.array([last[-1], *(-c * A[:, -1])])
    return bool(abs(terms.sum()) <= ROUNDED * np.abs(terms).sum())


def _unsure(ground: Ground, places: Sequence[int]) -> tuple[str, ...]:
    if not places:
        return ()
    names = ", ".join(repr(ground.system.constraints[i].name) for i in places)
    found = f"no configuration that satisfies {names} and the other relations was found: there may be none"
    return (f"{found}; rank and integrals are said of other places",)


def _against(
    rows: Sequence[Row | None], there: Sequence[Row | None], ground: Ground, leaf: Relations | None
) -> list[int]:
    """The rows that make dt a combination of the forms: no velocity satisfies them and those before."""
    linear = [j for j, row in enumerate(rows) if row is not None]
    if leaf is None:
        found, last = independent_rows([row for row in rows if row is not None], ground.variables), ground.variables
    else:
        found, last = leaf.independent([row for row in there if row is not None]), leaf.variables
    return [linear[j] for j, pivot in zip(found.rows, found.pivots, strict=True) if pivot == len(last) - 1]


def _valued(ground: Ground) -> Ground:
    return ground if ground.given or not ground.system.values else ground.at_values


def follow(ground: Ground, places: Sequence[int], functions: Sequence[Expr]) -> list[bool]:
    """Whether the constraints at some places keep each of some functions, where the relations among them hold.

    What follows everywhere need not follow there: rows may vanish on the relations, or depend on each other.
    """
    valued = _valued(ground)
    linear = [i for i in places if valued.forms[i].coefficients is not None]
    relations = [i for i in linear if isinstance(valued.system.constraints[i], ON_POSITIONS)]
    if not relations or len(relations) == len(linear) or not functions:
        return [True] * len(functions)
    leaf = valued.relations(relations)
    apart = {relations[k] for k in leaf.against}
    rows = [row for i in linear if i not in apart and (row := valued.forms[i].coefficients) is not None]
    return leaf.follow(rows, [valued.differential(valued.clean(f)) for f in functions])


def _by_numbers(
    ground: Ground,
    places: Sequence[int],
    whole: Closure,
    against: set[int],
    twins: set[int],
    linear: list[int],
    relations: bool,
    notes: tuple[str, ...],
) -> Ranked:
    """The rank in floating-point numbers, where there are relations not linear in velocity.

    What these numbers show to be dependent on the constraints has no integrals of its own.
    """
    names = {c.name for i, c in enumerate(ground.system.constraints) if i not in places}
    names |= {ground.system.constraints[places[j]].name for j in against | twins}
    kept = [j for j in range(len(places)) if j not in against | twins]
    found, contradicted, more = independence(_without(ground.system, sorted(names)))
    chosen = [kept[j] for j in found]
    against = against | {kept[j] for j in contradicted}
    rank = len([j for j in chosen if j in linear])
    if relations and rank < whole.rank:
        lost = whole.rank - rank
        whole = replace(whole, rows=whole.rows[:rank], integrals=max(whole.integrals - lost, 0))
    doubt = Evidence(False, whole.evidence.points, 1.0, False) if relations else whole.evidence
    independent_ = tuple(j for j in chosen if j not in against)
    whole = replace(whole, evidence=doubt)
    return Ranked(whole, independent_, tuple(sorted(against)), tuple(sorted(twins)), False, (*notes, *more))


def _without(system: Statement, names: Sequence[str]) -> Statement:
    return system.without([*names, *(c.name for c in system.constraints if isinstance(c, OneSided))])


def _at_start(ground: Ground, places: Sequence[int], rank: int) -> list[str]:
    """A note where the rank is lower at the start than elsewhere."""
    valued = _valued(ground)
    if not valued.near:
        return []
    rows: list[list[Expr]] = [list(row[:-1]) for i in places if (row := valued.forms[i].coefficients) is not None]
    real = Real(Random(0), {x: valued.near[x] for x in valued.variables})
    try:
        there = len(independent(Germs(real, [], 0), [[*row, S.Zero] for row in rows]).rows)
    except Unvalued:
        return []
    if not real.good.all() or there >= rank:
        return []
    return [f"at the start the rank is {there}, less than elsewhere: the set says less there"]
