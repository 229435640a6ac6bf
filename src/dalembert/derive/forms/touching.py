"""Points at which relations hold though their gradients depend on each other: where they only touch.

There Newton's method gains no more than a constant factor at each step: where relations part as the k-th power of a
distance δ, their residuals are δᵏ and the least singular value of their gradients δᵏ⁻¹. So steps are made with so many
digits that a touch is told from relations that cross, or miss each other, by little.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import mpmath
import numpy as np
from mpmath import libmp
from sympy import Expr, S, Symbol

from dalembert.derive.differentiate import Differentiator
from dalembert.derive.exact import Germs, Real, Unvalued
from dalembert.derive.exact.balls import Ball
from dalembert.derive.exact.leaf import LeafPoint, rough_points
from dalembert.derive.exact.reals import BITS
from dalembert.derive.forms.frobenius import independent

FINE = 400  # bits
HOLDS = 200  # bits of its size at the beginning to which a relation must hold
TOUCHES = 50  # bits by which the least singular value is smaller than the largest where gradients are dependent
DROPPED = 160  # bits beyond which a direction is left out of a step
ROOM = 24  # bits to which a point is known, whatever the order of the touch
STEPS, WAIT = 250, 20
SHRUNK, NEAR = 2, 10  # bits by which the last step is smaller than the first, and than a unit
GUESSES, MOST = 6, 8  # beginnings, and relations


@dataclass(frozen=True, eq=False)
class TouchPoint:
    """A point where relations hold but for rounding, a unit of its coordinates, and what is independent there."""

    at: Mapping[Symbol, Any]
    unit: Any
    independent: tuple[int, ...]

    @property
    def numbers(self) -> dict[Symbol, float]:
        """The point in floating-point numbers."""
        return {s: float(x) for s, x in self.at.items()}

    def real(self, bits: int = BITS) -> Real:
        """The numbers of the point as balls wide enough to hold it."""
        return _wide(self.at, self.unit, bits)


def touch_points(
    relations: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float]
) -> Iterator[TouchPoint | LeafPoint]:
    """Points on relations none of which was found where gradients are independent, first by the one that is near."""
    if not 0 < len(relations) <= MOST:
        return
    others = set().union(*(e.free_symbols for e in relations)) - set(variables)
    guesses = [] if others or not all(s in near for s in variables) else [dict(near)]
    guesses += islice(rough_points(relations, variables, near), GUESSES)
    search = _Search(relations, variables[:-1])
    yield from (found for guess in guesses if (found := search.point(guess)) is not None)


class _Search:
    """Newton's method on relations, with many digits."""

    def __init__(self, relations: Sequence[Expr], moving: Sequence[Symbol]) -> None:
        self._relations, self._moving = list(relations), list(moving)
        self._context = mpmath.MPContext()
        self._context.prec = FINE

    def point(self, guess: Mapping[Symbol, float]) -> TouchPoint | LeafPoint | None:
        """The point that steps of least norm lead to; None where none is reached."""
        at = {s: self._context.mpf(x) for s, x in guess.items()}
        used = set().union(*(e.free_symbols for e in self._relations))
        unit = max((abs(at[s]) for s in self._moving if s in used), default=0) or self._context.one
        sizes = self._sizes(at, unit)
        best, waited, first = self._context.inf, 0, None
        ways: list[Any] = []
        for _ in range(STEPS if sizes else 0):
            found = self._values(at, sizes)
            if found is None:
                return None
            phi, J = found
            first = J if first is None else first
            off = max(abs(e) for e in phi)
            if off <= self._context.ldexp(1, -HOLDS):
                return self._kind(at, unit, J, first) if self._ends(ways, unit) else None
            waited = 0 if off < best / 2 else waited + 1
            best = min(best, off)
            if waited > WAIT:
                return None
            step = J.T * self._solved(J * J.T, phi)
            ways.append(max(abs(d) for d in step))
            if ways[-1] > unit:  # it was near already
                return None
            at |= {s: at[s] - d for s, d in zip(self._moving, step, strict=True)}
        return None

    def _ends(self, ways: Sequence[Any], unit: Any) -> bool:
        """Whether steps lead to a point: those down eˣ make it vanish as well as any number, and go on without end."""
        ldexp = self._context.ldexp
        return not ways or (ways[-1] <= ldexp(ways[0], -SHRUNK) and ways[-1] <= ldexp(unit, -NEAR))

    def _jets(self, expressions: Sequence[Expr], at: Mapping[Symbol, Any]) -> list[list[Any]] | None:
        """Expressions and their slopes; None where one has no value."""
        real = Real(Random(0), at, bits=FINE)
        germs = Germs(real, self._moving, 1)
        try:
            jets = [[real.ball(v).middle for v in germs.jet(e)[:, 0]] for e in expressions]
        except Unvalued:
            return None
        return [[self._context.make_mpf(v) for v in jet] for jet in jets] if real.good.all() else None

    def _sizes(self, at: Mapping[Symbol, Any], unit: Any) -> list[Any]:
        """The sizes of relations, by their terms and slopes; nothing where one has no value."""
        out = []
        for e in self._relations:
            jets = self._jets([e, *(e.args if e.is_Add else ())], at)
            if jets is None:
                return []
            terms = sum(abs(jet[0]) for jet in jets[1:])
            out.append(max([terms, *(abs(slope) * unit for slope in jets[0][1:])]) or self._context.one)
        return out

    def _values(self, at: Mapping[Symbol, Any], sizes: Sequence[Any]) -> tuple[Any, Any] | None:
        """Relations (m, 1) and gradients (m, n), over their sizes."""
        jets = self._jets(self._relations, at)
        if jets is None:
            return None
        phi = self._context.matrix([jet[0] / size for jet, size in zip(jets, sizes, strict=True)])
        rows = [[slope / size for slope in jet[1:]] for jet, size in zip(jets, sizes, strict=True)]
        return phi, self._context.matrix(rows)

    def _solved(self, square: Any, b: Any) -> Any:
        """S⁺ b of a symmetric matrix, without what is zero but for rounding."""
        values, vectors = self._context.eigsy(square)
        least = max(map(abs, values)) * self._context.ldexp(1, -2 * DROPPED)
        parts = vectors.T * b
        for i, value in enumerate(values):
            parts[i] = parts[i] / value if value > least else self._context.zero
        return vectors * parts

    def _kind(self, at: dict[Symbol, Any], unit: Any, J: Any, first: Any) -> TouchPoint | LeafPoint | None:
        """A point where gradients depend on each other; or a regular one, if that is proved."""
        here, before = (self._context.eigsy(A * A.T, eigvals_only=True) for A in (J, first))
        if min(here) <= max(*here, *before) * self._context.ldexp(1, -2 * TOUCHES):
            return TouchPoint(at, unit, self._independent(at, unit))
        numbers = {s: float(x) for s, x in at.items()}
        point = LeafPoint(self._relations, self._moving, numbers, np.array(J.tolist(), dtype=float))
        return point if len(point.independent) == len(self._relations) and point.real() is not None else None

    def _independent(self, at: Mapping[Symbol, Any], unit: Any) -> tuple[int, ...]:
        """The earliest relations with independent gradients at a point."""
        slopes = Differentiator(self._moving)
        rows = [[slopes.slopes(e).get(s, S.Zero) for s in self._moving] + [S.Zero] for e in self._relations]
        return independent(Germs(_wide(at, unit, BITS), (), 0), rows).rows


def _wide(at: Mapping[Symbol, Any], unit: Any, bits: int) -> Real:
    """Numbers that are known as well as a point where relations touch is."""
    room = libmp.mpf_shift(unit._mpf_, -ROOM)
    return Real(Random(0), {s: Ball(x._mpf_, room, bits) for s, x in at.items()}, bits=bits)
