"""Where relations among coordinates hold: coordinates adapted to them, points on them, those that contradict others.

A relation in which a coordinate stands linearly, with a factor that does not move, is taken as a coordinate in its
place: x = X(y) + φ/c. The forms are written by dφ and dy, at φ = 0; the directions that they leave free have no part
along φ, so nothing is lost, and what is found there is exact. Relations that are left have points only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from sympy import Dummy, Expr, Rational, S, Symbol

from dalembert.derive.differentiate import Differentiator
from dalembert.derive.exact import Evidence, Germs, constant_is_zero, leaf_points, settled, vanishes
from dalembert.derive.exact.constants import MOST_TERMS, coefficients
from dalembert.derive.exact.leaf import LeafPoint
from dalembert.derive.exact.reals import BITS
from dalembert.derive.exact.trials import FINER
from dalembert.derive.forms.apart import apart
from dalembert.derive.forms.closure import Closure, closed, closure, combined, independent_rows, most, widest
from dalembert.derive.forms.frobenius import Independent, Row, independent, span, spanned
from dalembert.derive.forms.touching import TouchPoint, touch_points
from dalembert.derive.reducing.digits import ROUNDED, is_rounding
from dalembert.derive.sizes import nodes_of, size_of

LEAF_POINTS = 3
LEAF_ORDER = 4
MOST_NODES = 1000  # of a relation, or a coordinate's value, in which others have been put in

T = TypeVar("T")


class Relations:
    """Relations φ = 0 in some variables, the time last, and the forms where they hold; `near` is a point, or nothing.

    `against` are the places of those that are proved to contradict those before, `unsure` of those with which no point
    was found; `rounded` of those that would contradict, but for the rounding of `decimal` numbers: they follow from the
    others. `touching` are those that were found to hold together only where their gradients depend on each other.
    """

    def __init__(
        self,
        stated: Sequence[Expr],
        variables: Sequence[Symbol],
        near: Mapping[Symbol, float],
        *,
        decimal: bool,
    ) -> None:
        self.against: set[int] = set()
        self.unsure: set[int] = set()
        self.rounded: set[int] = set()
        self.touching: set[int] = set()
        self._stated, self._decimal = list(stated), decimal
        self._old, self._solved = list(variables), dict[Symbol, _Solved]()
        left = self._eliminated(list(enumerate(stated)))
        self.variables = [*(s.phi for s in self._solved.values()), *(x for x in variables if x not in self._solved)]
        self._near = {x: v for x, v in near.items() if x in self.variables}
        self._slopes = Differentiator([x for x in variables if x not in self._solved])
        self._points: list[LeafPoint | TouchPoint] | None = None
        self._left = self._together(left)
        if self._left and self._points is None:
            self._points = self._found(self._left)

    def _eliminated(self, stated: list[tuple[int, Expr]]) -> list[tuple[int, Expr]]:
        """What is left of the relations when coordinates have been solved for where that is plain."""
        left = stated
        while True:
            rest: list[tuple[int, Expr]] = []
            for i, phi in left:
                if not phi.free_symbols & set(self._old):
                    self._settle(i, phi)
                elif self._is_constant(phi):
                    self._settle(i, phi.xreplace(anywhere(self._old)))
                elif (solved := self._linear(i, phi)) is None or (
                    replaced := self._replaced(solved, [*rest, *left[left.index((i, phi)) + 1 :]])
                ) is None:
                    rest.append((i, phi))
                else:
                    rest = replaced
                    break
            else:
                return rest
            left = rest

    def _replaced(self, solved: "_Solved", left: list[tuple[int, Expr]]) -> list[tuple[int, Expr]] | None:
        """Other relations with the value of a coordinate that is solved for; None where they would become too long.

        Values of values grow as a power of their number: what is not solved for is left to points.
        """
        rule = {solved.x: solved.value}
        values = {x: other.value.xreplace(rule) for x, other in self._solved.items()}
        rest = [(j, e.xreplace(rule)) for j, e in left]
        if any(nodes_of(e) > MOST_NODES for e in (solved.value, *values.values(), *(e for _, e in rest))):
            return None
        for x, value in values.items():
            self._solved[x].value = settled(value)
        self._solved[solved.x] = solved
        return [(j, settled(e)) for j, e in rest]

    def _is_constant(self, phi: Expr) -> bool:
        """Whether a relation varies with nothing, though it does not look so."""
        slopes = Differentiator(self._old).slopes(phi)
        return all(vanishes(c, self._old) for c in slopes.values())

    def _settle(self, place: int, phi: Expr) -> None:
        """A relation of which no coordinate is left: it holds, or contradicts those that were solved."""
        zero = constant_is_zero(phi) if phi.is_number else vanishes(phi, self._old)
        if zero is not True and not (zero is None and vanishes(phi, self._old)):
            (self.rounded if self._decimal and self._rounds(place) else self.against).add(place)

    def _rounds(self, place: int) -> bool:
        """Whether what is left of a relation, where coordinates have been solved for, is rounding."""
        point: dict[Symbol, Any] = anywhere([x for x in self._old if x not in self._solved])
        solved = {x: s.value.xreplace(point) for x, s in self._solved.items()}
        if not all(value.is_real and value.is_number for value in solved.values()):
            return False
        return is_rounding(self._stated[place], {**point, **{x: float(value) for x, value in solved.items()}})

    def _linear(self, place: int, phi: Expr) -> "_Solved | None":
        slopes = Differentiator(self._old[:-1]).slopes(phi)
        for x in reversed(self._old[:-1]):
            c = slopes.get(x)
            if c is not None and not c.free_symbols & set(self._old) and not vanishes(c, self._old):
                value = x - phi / c
                if size_of(value).terms > MOST_TERMS:
                    continue
                return _Solved(place, x, settled(value.expand()), c, Dummy(f"phi_{len(self._solved)}", real=True))
        return None

    def _together(self, left: list[tuple[int, Expr]]) -> list[Expr]:
        """The relations left that hold together, the earlier ones first."""
        left = self._unlike(left)
        if not left:
            return []
        self._points = self._found([phi for _, phi in left])
        if self._points:
            alike = {k for point in self._points if isinstance(point, LeafPoint) for k in point.missed()}
            self.rounded |= {left[k][0] for k in alike}
            return [phi for k, (_, phi) in enumerate(left) if k not in alike]
        if self._touch(left):
            return [phi for _, phi in left]
        kept: list[tuple[int, Expr]] = []
        for i, phi in left:
            together = [*kept, (i, phi)]
            points = self._found([e for _, e in together])
            if points:
                kept, self._points, self.touching = together, points, set()
            elif self._touch(together):
                kept = together
            elif apart([e for _, e in together], self._old):
                self.against.add(i)
            else:
                self.unsure.add(i)
        return [phi for _, phi in kept]

    def _touch(self, left: Sequence[tuple[int, Expr]]) -> bool:
        """Whether relations are found to hold together where their gradients depend on each other, and there alone."""
        found = list(islice(touch_points([phi for _, phi in left], self.variables, self._near), LEAF_POINTS))
        regular = [point for point in found if isinstance(point, LeafPoint)]
        if found:
            self._points = list(regular or found)
            used = set().union(*(self._stated[i].free_symbols for i, _ in left))
            own = {i for i, _ in left} | {s.place for s in self._solved.values() if s.x in used}
            self.touching = set() if regular else own
        return bool(found)

    def _unlike(self, left: list[tuple[int, Expr]]) -> list[tuple[int, Expr]]:
        """The relations less those that are parallel to one before them, which they contradict."""
        out: list[tuple[int, Expr]] = []
        for i, phi in left:
            pair = next((pair for _, other in out if (pair := _parallel(phi, other))), None)
            if pair is None:
                out.append((i, phi))
                continue
            near = abs(pair[0] - pair[1]) <= ROUNDED * (abs(pair[0]) + abs(pair[1]))
            (self.rounded if self._decimal and near else self.against).add(i)
        return out

    def _found(self, relations: Sequence[Expr]) -> list[LeafPoint | TouchPoint]:
        """Points on relations; one at which any of them does not hold is none, unless by rounding alone.

        Nor is one at which some depend on the others, if they do not in all directions from there.
        """

        def off(missed: Sequence[int], at: Mapping[Symbol, float]) -> bool:
            return any(not (self._decimal and is_rounding(relations[k], at)) for k in missed)

        def holds(point: LeafPoint) -> bool:
            if point.real() is None or off(point.missed(), point.numbers):
                return False
            return not any(off(missed, at) for missed, at in point.around(self.variables))

        every = leaf_points(relations, self.variables, self._near)
        return list(islice((point for point in every if holds(point)), LEAF_POINTS))

    def row(self, row: Row) -> Row:
        """A form by dφ and the differentials of the coordinates that are left, at φ = 0."""
        rule = {x: s.value for x, s in self._solved.items()}
        own = dict(zip(self._old, (e.xreplace(rule) for e in row) if rule else row, strict=True))
        out = {x: e for x, e in own.items() if x not in self._solved}
        ahead: list[Expr] = []
        for x, s in self._solved.items():
            ahead.append(own[x] / s.slope)
            if own[x] != 0:
                for y, g in self._slopes.slopes(s.value).items():
                    out[y] = out[y] + own[x] * g
        return [*map(settled, ahead), *map(settled, out.values())]

    @property
    def solved(self) -> int:
        """How many relations have become coordinates; they stand first among the variables."""
        return len(self._solved)

    @property
    def plain(self) -> bool:
        """Whether all relations have become coordinates, so that nothing is left to points."""
        return not self._left

    @property
    def has_points(self) -> bool:
        """Whether points on the relations were found."""
        return bool(self._points)

    def vanishes(self, e: Expr) -> bool:
        """Whether an expression is zero where φ = 0; so it is where no point is known."""
        here = settled(e.xreplace({x: s.value for x, s in self._solved.items()}))
        if self.plain:
            return vanishes(here, self._old)
        return all(found for found, _ in self._ask(lambda germs: germs.vanish(germs.jet(here)[:1]), 0))

    def closure(self, rows: Sequence[Row], exact: bool) -> Closure | None:
        """Rank and integrals of forms, the differentials of the relations among them, where φ = 0.

        Off φ = 0 they need not be integrable, nor have the same rank. `exact` is whether they are nothing but these
        differentials. None where no point on the relations is good for it.
        """
        own = [self.row(row) for row in rows]
        if exact:
            return self._of_exact(own)
        if self.plain:
            return closure(own, self.variables)
        order = 1
        while True:
            seen = self._ask(lambda germs: span(germs, own, self.variables), order)
            if not seen:
                return None
            best = widest([found for found, _ in seen])
            sure = any(certain and found[:3] == best[:3] for found, certain in seen)
            if best.complete or order >= LEAF_ORDER:
                whole = sure and len(best.rows) == len(rows) and not best.integrals
                return closed(best, Evidence(False, len(seen), 0.0 if whole else 1.0, sure))
            order += 1

    def _of_exact(self, rows: Sequence[Row]) -> Closure | None:
        """Every bracket of differentials stays in their span."""
        if self.plain:
            found, sure, points, exact = independent_rows(rows, self.variables), True, 4, True
        else:
            seen = self._ask(lambda germs: independent(germs, rows), 1)
            if not seen:
                return None
            found, points, exact = most([one for one, _ in seen]), len(seen), False
            sure = any(certain and one.rows == found.rows for one, certain in seen)
        known = Evidence(exact, points, 0.0 if sure and len(found.rows) == len(rows) else 1.0, sure)
        return Closure(found.rows, found.pivots, len(found.rows), (0,) if found.rows else (), True, known)

    def independent(self, rows: Sequence[Row]) -> Independent:
        """The earliest rows that are independent where φ = 0; at generic points where no point on it is known."""
        own = [self.row(row) for row in rows]
        seen = [] if self.plain else self._ask(lambda germs: independent(germs, own), 1)
        return most([found for found, _ in seen]) if seen else independent_rows(own, self.variables)

    def follow(self, rows: Sequence[Row], extra: Sequence[Row]) -> list[bool]:
        """Whether each of some forms is a combination of the rows where φ = 0; True of all where no point is known."""
        own, more = [self.row(row) for row in rows], [self.row(row) for row in extra]
        if self.plain:
            return combined(own, more, self.variables)
        seen = [found for found, _ in self._ask(lambda germs: spanned(germs, own, more), 1)]
        return [all(found[j] for found in seen) for j in range(len(more))]

    def _ask(self, question: Callable[[Germs], T], order: int) -> list[tuple[T, bool]]:
        """Answers at points on the relations, and whether each is proved of a point that is there."""
        out = []
        for point in self._points or ():
            for finer in FINER:
                real = point.real(BITS * finer)
                if real is None:
                    break
                answer = question(Germs(real, self.variables, order))
                if not np.all(real.good):
                    break
                if real.clear or finer == FINER[-1] or isinstance(point, TouchPoint):
                    out.append((answer, real.sure and len(point.independent) == len(self._left)))
                    break
        return out


@dataclass
class _Solved:
    """A coordinate x = `value` + φ/`slope`, from the relation at a place."""

    place: int
    x: Symbol
    value: Expr
    slope: Expr
    phi: Symbol


def anywhere(variables: Sequence[Symbol]) -> dict[Symbol, Any]:
    """A place that nothing distinguishes."""
    return {x: Rational(11 + 4 * k, 10 + k) for k, x in enumerate(variables)}


def _parallel(one: Expr, other: Expr) -> tuple[float, float] | None:
    """The constants of φ and c ψ, where φ − c ψ is one different from zero for a number c."""
    left, right = coefficients(one), coefficients(other)
    first = next((m for m in right or () if m != 1), None)
    if left is None or right is None or first is None:
        return None
    c = left.get(first, S.Zero) / right[first]
    rest = {m: left.get(m, S.Zero) - c * right.get(m, S.Zero) for m in {**left, **right, S.One: S.Zero}}
    if not all(constant_is_zero(e) is (m != 1) for m, e in rest.items()):
        return None
    return float(left.get(S.One, S.Zero)), float(c * right.get(S.One, S.Zero))
