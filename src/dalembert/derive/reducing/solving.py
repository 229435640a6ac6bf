"""An embedding found from the constraints: holonomic ones solved for coordinates, one after the other.

First those in which a coordinate stands linearly with a factor that is never zero: that holds everywhere. Then those
that a formula solves: such a solution has branches, the one of the start is taken, and it is only local.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from sympy import Expr, Float, S

from dalembert.derive.algebra import Symbols
from dalembert.derive.evaluate import Array
from dalembert.derive.exact.cases import switching_in
from dalembert.derive.reducing.bounds import never_zero
from dalembert.derive.reducing.digits import is_rounding
from dalembert.derive.reducing.embedding import Embedding, embedding, names_of, said, subject
from dalembert.derive.reducing.explicit import NoFormula, solutions
from dalembert.derive.reducing.identity import vanishes
from dalembert.derive.tape import Tape
from dalembert.derive.tidy import tidy
from dalembert.model import Holonomic, ModelError, Statement, name_of

SAME = 1e-9


def solved_embedding(system: Statement, start: Array | None, keep: Any = ()) -> Embedding:
    """An embedding that satisfies the holonomic constraints, but for those named in `keep`; later coordinates give way.

    `start` (2n,) chooses among branches. Raises ModelError with the constraint that could not be solved.
    """
    names = names_of(system, keep)
    finder = _Finder(system, start)
    rows = [c for c in system.constraints if isinstance(c, Holonomic) and c.name not in names]
    if not rows:
        raise ModelError(subject(system), ["there are no holonomic constraints to solve: give an embedding"])
    finder.solve(rows)
    up = finder.algebra.restore
    given = {q: up(e) for q, e in zip(system.coordinates, finder.places, strict=True) if up(e) != q}
    found = embedding(system, given)
    return Embedding(found.old, found.new, found.places, tuple(finder.local))


class _Finder:
    """The places of the coordinates as far as they have been solved for."""

    def __init__(self, system: Statement, start: Array | None) -> None:
        self.system, self.start = system, start
        self.algebra = Symbols(system)
        self.places: list[Expr] = list(self.algebra.q)
        self.local: list[str] = []
        self._reasons: dict[tuple[Expr, Expr], str] = {}

    def solve(self, rows: Sequence[Holonomic]) -> None:
        """Solve as many constraints as can be, the plainly linear ones first, until all hold."""
        left = list(rows)
        while left:
            pairs = [(c, self._now(c)) for c in left]
            done = next((c for c, e in pairs if self._holds(c, e)), None)
            if against := [(c, e) for c, e in pairs if c is not done and not e.has(*self.algebra.q)]:
                self._refuse(*against[0])
            if done is None:
                done = next((c for c, e in pairs if self._linear(e)), None)
            if done is None:
                done = next((c for c, e in pairs if self._branch(c, e)), None)
            if done is None:
                c, e = pairs[0]
                raise ModelError(
                    subject(self.system),
                    [
                        f"the constraint {c.name!r}, {said(self.algebra.restore(e))} = 0, could not be solved for a "
                        f"coordinate: {self._why(e)}; give an embedding"
                    ],
                )
            left.remove(done)

    def _why(self, e: Expr) -> str:
        """Why a relation could not be solved for any coordinate."""
        if self.start is None:
            start = "no start with numbers that satisfies the constraints" if self.system.initial else "no start"
            return f"none stands linearly in it with a factor that is never zero, and {start} chooses among branches"
        reasons = [
            f"for {name_of(q)}, {self._reasons[e, x]}"
            for q, x in zip(self.system.coordinates, self.algebra.q, strict=True)
            if (e, x) in self._reasons
        ]
        return "; ".join(reasons) or "no coordinate stands in it"

    def _refuse(self, c: Holonomic, e: Expr) -> None:
        """A constraint of which no coordinate is left contradicts those before it."""
        if self._holds(c, e):
            return
        shown = said(self.algebra.restore(tidy(e)))
        raise ModelError(
            subject(self.system),
            [f"the constraint {c.name!r} contradicts the others: solving those leaves {shown} = 0 of it"],
        )

    def _holds(self, c: Holonomic, e: Expr) -> bool:
        """Whether nothing is left of a relation, or no more than the rounding of decimal numbers."""
        if vanishes(e).vanishes:
            return True
        values = dict(self.system.values)
        if not e.is_number or not (values or any(one.expr.has(Float) for one in self.system.constraints)):
            return False
        point: dict[Expr, Any] = dict.fromkeys((*self.algebra.q, self.algebra.t), S.One)
        point |= {own: values[s] for s, own in self.algebra.parameters.items() if s in values}
        places = [place.xreplace(point) for place in self.places]
        if not all(place.is_real and place.is_number for place in places):
            return False
        own = {**point, **dict(zip(self.algebra.q, map(float, places), strict=True))}
        return is_rounding(self.algebra.convert(c.expr), own)

    def _now(self, c: Holonomic) -> Expr:
        return self._put(self.algebra.convert(c.expr), dict(zip(self.algebra.q, self.places, strict=True)))

    @staticmethod
    def _put(e: Expr, rule: Mapping[Expr, Expr]) -> Expr:
        return e.xreplace({old: new for old, new in rule.items() if old != new})

    def _linear(self, e: Expr) -> bool:
        """Whether a coordinate stands in it linearly with a factor that is never zero, best one that does not move."""
        slopes = {j: tidy(g) for j, g in self.algebra.gradient(e, self.algebra.q).items()}
        for j in sorted(slopes, key=lambda j: (self._moves(slopes[j]), -j)):
            q, slope = self.algebra.q[j], slopes[j]
            if not slope.has(q) and not switching_in(slope) and never_zero(slope):
                value = tidy(q - e / slope)
                self._settle(q, tidy(-e.xreplace({q: S.Zero}) / slope) if value.has(q) else value)  # not seen to cancel
                return True
        return False

    def _moves(self, e: Expr) -> bool:
        return bool(e.free_symbols & {*self.algebra.q, self.algebra.t})

    def _branch(self, c: Holonomic, e: Expr) -> bool:
        """Whether it can be solved explicitly for a coordinate, on the branch of the start."""
        if self.start is None:
            return False
        values = dict(self.system.values)
        inputs = [*self.algebra.q, self.algebra.t, *self.algebra.parameters.values()]
        point = [*self.start[: len(self.places)], 0.0, *(values[s] for s in self.system.symbols)]
        slopes = self.algebra.gradient(e, self.algebra.q)
        if not slopes:
            return False
        sizes = dict(zip(slopes, map(abs, Tape(inputs, slopes.values())(point)), strict=True))
        for j in sorted(sizes, key=lambda j: (-round(sizes[j], 9), -j)):
            q = self.algebra.q[j]
            if sizes[j] <= SAME:
                self._reasons[e, q] = "the start is where its branches meet"
                continue
            try:
                found = [s for s in solutions(e, q) if not any(self._moves(part) for part in switching_in(s))]
            except NoFormula as reason:
                self._reasons[e, q] = f"{reason}, and no formula for that is used"
                continue
            self._reasons[e, q] = "no branch of its solution is the one of the start"
            for candidate in found:
                with suppress(ModelError):
                    (value,) = Tape(inputs, [candidate])(point)
                    if abs(value - point[j]) <= SAME * (1 + abs(point[j])):
                        if not vanishes(self._put(e, {q: candidate})).vanishes:
                            self._reasons[e, q] = "its solution satisfies it on one side of a root only"
                            continue
                        self._settle(q, candidate)
                        shown = said(self.algebra.restore(candidate))
                        name = name_of(self.system.coordinates[j])
                        self.local.append(
                            f"{c.name!r} was solved for {name} = {shown}, the branch of the start: it is local"
                        )
                        return True
        return False

    def _settle(self, q: Expr, value: Expr) -> None:
        self.places = [self._put(place, {q: value}) for place in self.places]
