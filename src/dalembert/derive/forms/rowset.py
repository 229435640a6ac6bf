"""The constraints of a set that hold at all times: their integrals and how the dependent ones follow, in symbols."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sympy import Expr, Symbol, fraction, together

from dalembert.derive.forms.closure import Closure, independent_rows
from dalembert.derive.forms.combination import Combination, combination
from dalembert.derive.forms.frobenius import Row
from dalembert.derive.forms.ground import Ground, is_sayable, named
from dalembert.derive.forms.jumps import Across, across, steps
from dalembert.derive.forms.kinds import Kind, Relation
from dalembert.derive.forms.ranks import follow
from dalembert.derive.forms.relations import Relations
from dalembert.derive.forms.singular import Place, singular_places
from dalembert.derive.integrals import find_integrals
from dalembert.model import ON_POSITIONS

EFFORT = 3.0


class Integral(NamedTuple):
    """A function that the constraints keep, whether it was stated, and whether it is proved that they do."""

    f: Expr
    stated: bool
    proved: bool


@dataclass(frozen=True, eq=False)
class RowSet:
    """Constraints of a ground that do not contradict others, by their `places` in the statement.

    `independent` are places in `kinds`.
    """

    ground: Ground
    places: Sequence[int]
    kinds: Sequence[Kind]
    independent: tuple[int, ...]

    @cached_property
    def rows(self) -> list[Row | None]:
        """The forms; None where a constraint is not linear in the velocities."""
        return [self.ground.forms[i].coefficients for i in self.places]

    @property
    def linear(self) -> list[int]:
        """The places of linear rows."""
        return [j for j, row in enumerate(self.rows) if row is not None]

    @property
    def stated(self) -> list[bool]:
        """Whether each constraint is a relation among coordinates."""
        return [isinstance(kind.constraint, ON_POSITIONS) for kind in self.kinds]

    @cached_property
    def relations(self) -> Relations | None:
        """Where the stated relations hold, if all of them can be taken as coordinates."""
        own = [i for i, stated in zip(self.places, self.stated, strict=True) if stated]
        found = self.ground.relations(own)
        return found if own and found.plain else None

    def across(self, whole: Closure) -> Across | None:
        """Where forms jump and a motion that goes across keeps less than each side does."""
        rows = [row for row in self.rows if row is not None]
        found = across(rows, self._phi, self.ground.variables, self.ground.near) if whole.integrals else None
        return found if found is not None and found.most < whole.integrals else None

    @property
    def _phi(self) -> list[Expr]:
        """The stated relations."""
        return [self.ground.stated(k.constraint.expr) for k in self.kinds if isinstance(k.constraint, ON_POSITIONS)]

    def integrals(self, whole: Closure) -> list[Integral]:
        """Independent integrals: stated ones, of single rows, of the set, of the set where the relations hold."""
        known: list[Integral] = []
        for j in sorted(self.linear, key=lambda j: (not self.stated[j], j not in self.independent, j)):
            kind = self.kinds[j]
            if kind.integral is not None:
                sure = not kind.evidence.chance or kind.evidence.rounded
                known.append(Integral(self.ground.stated(kind.integral), self.stated[j], sure))
        found = self._chosen(self._kept(known), whole.integrals)
        for search in (self._everywhere, self._there):
            if len(found) < whole.integrals:
                found = self._chosen([*found, *self._kept(search(whole))], whole.integrals)
        return found

    def _everywhere(self, whole: Closure) -> list[Integral]:
        rows = [row for row in self.rows if row is not None]
        base = [rows[j] for j in whole.rows]
        return list(self._sought(rows, base, whole.pivots, self.ground.variables, whole.integrals))

    def _there(self, whole: Closure) -> list[Integral]:
        """Integrals that the rows have only where the stated relations hold."""
        leaf = self.relations
        if leaf is None:
            return []
        ahead = leaf.solved
        rows = [leaf.row(row)[ahead:] for row, stated in zip(self.rows, self.stated, strict=True) if row and not stated]
        rows = [row for row in rows if any(e != 0 for e in row)]
        if not rows:
            return []
        variables = leaf.variables[ahead:]
        chosen, pivots = independent_rows(rows, variables)
        return list(self._sought(rows, [rows[j] for j in chosen], pivots, variables, whole.integrals - ahead))

    def _sought(
        self, rows: Sequence[Row], base: Sequence[Row], pivots: Sequence[int], variables: Sequence[Symbol], wanted: int
    ) -> Iterator[Integral]:
        stated = [named(row, variables) for row in rows]
        for f in filter(is_sayable, find_integrals(stated, variables, wanted, EFFORT)):
            fit = self.ground.fit(f)
            slopes = dict(zip(self.ground.variables, self.ground.differential(fit), strict=True))
            made = combination([slopes[x] for x in variables], base, pivots, variables)
            yield Integral(fit, False, made is not None and made.proved)

    def _kept(self, found: Sequence[Integral]) -> list[Integral]:
        """The functions that the constraints keep where the stated relations hold."""
        found = [one for one in found if one.stated or not self._steps(one.f)]
        follows = follow(self.ground, self.places, [one.f for one in found])
        return [one for one, keeps in zip(found, follows, strict=True) if keeps]

    def _steps(self, f: Expr) -> bool:
        rows = [row for row in self.rows if row is not None]
        return steps(f, rows, self._phi, self.ground.variables, self.ground.near)

    def _chosen(self, found: Sequence[Integral], most: int) -> list[Integral]:
        """The earliest functions that are independent of each other, at most so many."""
        rows = [self.ground.differential(one.f) for one in found]
        leaf = self.relations
        chosen = independent_rows(rows, self.ground.variables) if leaf is None else leaf.independent(rows)
        return [found[j] for j in chosen.rows[:most]]

    def is_stated(self, place: int) -> bool:
        """Whether the constraint at a place of the statement is a relation among coordinates."""
        return isinstance(self.ground.system.constraints[place], ON_POSITIONS)

    def dependent(self, *, stated: bool = True) -> Iterator[tuple[Relation, bool]]:
        """How each dependent row follows from the independent ones, in symbols if found, and whether it is proved.

        Those that are `stated` as relations among coordinates are left out if asked for.
        """
        base = [(self.kinds[j].name, row) for j in self.independent if (row := self.rows[j]) is not None]
        rows = [row for _, row in base]
        for j, kind in enumerate(self.kinds):
            if j in self.independent or (self.stated[j] and not stated):
                continue
            made = self._made(self.rows[j], rows)
            if made is None:
                yield Relation(kind.name, tuple(self.kinds[i].name for i in self.independent), None), False
                continue
            back = self.ground.algebra.restore
            parts = [(name, back(x)) for (name, _), x in zip(base, made.coefficients, strict=True) if x != 0]
            yield Relation(kind.name, tuple(n for n, _ in parts), tuple(x for _, x in parts)), made.proved

    def _made(self, row: Row | None, rows: Sequence[Row]) -> Combination | None:
        """A row as a combination of others, everywhere or where the relations hold."""
        if row is None or not rows:
            return None
        variables = self.ground.variables
        made = combination(row, rows, independent_rows(rows, variables).pivots, variables)
        leaf = self.relations
        if leaf is None or (made is not None and not _has_pole(made, leaf)):
            return made
        there = [leaf.row(one) for one in rows]
        return combination(leaf.row(row), there, independent_rows(there, leaf.variables).pivots, leaf.variables)

    def singular(self) -> tuple[Place, ...]:
        """Where the rank of the set drops: where a row vanishes, and where rows become dependent."""
        alone = [place for kind in self.kinds for place in kind.singular]
        rows = [row[:-1] for j in self.independent if (row := self.rows[j]) is not None]
        more = singular_places(rows, self.ground.algebra.q, self._phi) if len(rows) > 1 else ()
        return tuple(dict.fromkeys([*alone, *self.ground.restored(more)]))


def _has_pole(made: Combination, leaf: Relations) -> bool:
    """Whether coefficients have no value where the relations hold, as φ/φ has none on φ = 0."""
    return any(leaf.vanishes(fraction(together(c))[1]) for c in made.coefficients)
