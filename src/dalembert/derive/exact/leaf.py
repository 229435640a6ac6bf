"""Points on relations φ(x) = 0: what holds only where the constraints hold is tried there.

Newton's method finds such a point in floating-point numbers and refines it; the test of Krawczyk then proves that a
solution lies within a ball: with Y near the inverse of J = ∂φ/∂x, by the coordinates that are solved for,
|Y φ(x)| + |1 − Y J(X)| r < r for the ball X about x of radius r.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any

import numpy as np
from mpmath import libmp
from sympy import Expr, Symbol

from dalembert.derive.differentiate import Differentiator
from dalembert.derive.exact.balls import Ball
from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import BITS, Real
from dalembert.derive.tape import Tape
from dalembert.model import ModelError

TRIES = 16
STEPS = 60
CLOSE = 1e-9  # how far a point of floating-point numbers may be off, of its size
RANK = 1e-7
AROUND, NEARBY = 2, 2.0**-10  # places near a point, and how near, of its size, that are looked at too
FAR = 1e15
SHORTER = (1e-2, 1e-4, 1e-6, 1e-8)  # parts of a step, where relations are far larger than their slopes


class LeafPoint:
    """A point on relations, as near as it is asked for.

    `independent` are the relations that are independent there; the last variable, the time, and all constants are held.
    """

    def __init__(self, relations: Sequence[Expr], moving: Sequence[Symbol], at: Mapping[Symbol, float], J: Any) -> None:
        from scipy.linalg import qr  # it takes longer to import than most runs

        self._relations, self._moving, self._at = relations, moving, dict(at)
        self._made: dict[int, dict[Symbol, Ball] | None] = {}
        scaled = J / np.maximum(np.linalg.norm(J, axis=1, keepdims=True), 1e-300)
        _, R, order = qr(scaled.T, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(R))
        rank = int(np.count_nonzero(sizes > RANK * max(sizes, default=0.0)))
        self.independent = tuple(sorted(int(i) for i in order[:rank]))
        own = J[list(self.independent)]
        columns = qr(own, mode="economic", pivoting=True)[2][:rank] if rank else []
        self._solved = [int(j) for j in columns]
        self._Y = np.linalg.inv(own[:, self._solved]) if rank else np.zeros((0, 0))

    def real(self, bits: int = BITS) -> Real | None:
        """The numbers of the point; None where it cannot be refined, or the solution is not proved to be there."""
        if bits not in self._made:
            self._made[bits] = self._refined(bits)
        found = self._made[bits]
        return None if found is None else Real(Random(0), found, bits=bits)

    def _refined(self, bits: int) -> dict[Symbol, Ball] | None:
        at = {s: Real(Random(0), bits=bits).ball(x) for s, x in self._at.items()}
        keys = [self._moving[j] for j in self._solved]
        for _ in range(bits // 8):
            step = self._step(at, bits)
            if step is None:
                return None
            at |= {s: Ball((at[s] - d).middle, libmp.fzero, bits) for s, d in zip(keys, step, strict=True)}
            if all(_small(d, at[s], bits) for s, d in zip(keys, step, strict=True)):
                break
        return self._proved(at, keys, bits)

    def missed(self) -> list[int]:
        """The relations that do not hold at the point, proved of each: they depend on the others, which do."""
        return self._missed_at(self.real())

    def around(self, variables: Sequence[Symbol]) -> Iterator[tuple[list[int], dict[Symbol, float]]]:
        """Places near by where the independent relations hold, after the dependent ones that do not hold there.

        None where all are independent. Where relations only touch, those that hold here do not hold around.
        """
        if len(self.independent) == len(self._relations):
            return
        finder = _Finder([self._relations[i] for i in self.independent], variables)
        random = np.random.default_rng(7)
        used = set().union(*(e.free_symbols for e in self._relations))
        unit = max((abs(self._at[s]) for s in self._moving if s in used), default=0.0) or 1.0
        for _ in range(AROUND):
            shaken = {s: self._at[s] + NEARBY * unit * float(random.uniform(-1, 1)) for s in self._moving}
            found = finder.moved({**self._at, **shaken})
            if found is not None:
                yield self._missed_at(found.real()), found.numbers

    def _missed_at(self, real: Real | None) -> list[int]:
        """The dependent relations that are proved not to hold at some numbers."""
        rest = [i for i in range(len(self._relations)) if i not in self.independent]
        if real is None:
            return []
        germs = Germs(real, (), 0)
        try:
            return [i for i in rest if real.ball(germs.jet(self._relations[i])[0, 0]).sign]
        except Unvalued:
            return []

    @property
    def numbers(self) -> dict[Symbol, float]:
        """The point in floating-point numbers."""
        return self._at

    def _values(self, at: Mapping[Symbol, Ball], bits: int, order: int) -> list[Any] | None:
        real = Real(Random(0), at, bits=bits)
        germs = Germs(real, self._moving, order)
        try:
            jets = [germs.jet(self._relations[i]) for i in self.independent]
        except Unvalued:
            return None
        return jets if real.good.all() else None

    def _step(self, at: Mapping[Symbol, Ball], bits: int) -> list[Ball] | None:
        """Y φ."""
        jets = self._values(at, bits, 0)
        return None if jets is None else self._times([jet[0, 0] for jet in jets], bits)

    def _times(self, values: Sequence[Any], bits: int) -> list[Ball]:
        make = Real(Random(0), bits=bits).ball
        return [sum((make(float(y)) * v for y, v in zip(row, values, strict=True)), make(0)) for row in self._Y]

    def _proved(self, at: Mapping[Symbol, Ball], keys: Sequence[Symbol], bits: int) -> dict[Symbol, Ball] | None:
        left = self._step(at, bits)
        if left is None:
            return None
        radius = max((abs(d) for d in left), default=Ball(libmp.fzero, libmp.fzero, bits))
        room = libmp.mpf_add(libmp.mpf_shift(radius.middle, 2), libmp.mpf_shift(libmp.fone, -bits), 30, "u")
        wide = {**at, **{s: at[s].widened(room) for s in keys}}
        jets = self._values(wide, bits, 1)
        if jets is None:
            return None
        columns = [self._times([jet[1 + j, 0] for jet in jets], bits) for j in self._solved]
        for i, d in enumerate(left):
            total = abs(d)
            for j, column in enumerate(columns):
                total = total + abs(column[i] - (1 if i == j else 0)) * Ball(room, libmp.fzero, bits)
            if not libmp.mpf_lt(abs(total).middle, room):
                return None
        return wide


def _small(step: Ball, value: Ball, bits: int) -> bool:
    """Whether a step is as small as the rounding of a value."""
    size = libmp.mpf_add(libmp.mpf_abs(value.middle), libmp.fone, 30, "u")
    return bool(libmp.mpf_le(libmp.mpf_abs(step.middle), libmp.mpf_shift(size, 12 - bits)))


def leaf_points(
    relations: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float], tries: int = TRIES
) -> Iterator[LeafPoint]:
    """Random points on φ = 0, near one if it is known, as far as Newton's method finds them."""
    finder = _Finder(relations, variables)
    for start in _starts(finder.symbols, near, tries):
        found = finder.moved(start)
        if found is not None:
            yield found


def rough_points(
    relations: Sequence[Expr], variables: Sequence[Symbol], near: Mapping[Symbol, float], tries: int = TRIES
) -> Iterator[dict[Symbol, float]]:
    """Where Newton's method has come to from random points, on φ = 0 or not: slowly where gradients are dependent."""
    finder = _Finder(relations, variables)
    for start in _starts(finder.symbols, near, tries):
        found = finder.last(start)
        if found is not None:
            yield found


def _starts(symbols: Sequence[Symbol], near: Mapping[Symbol, float], tries: int) -> Iterator[dict[Symbol, float]]:
    random = np.random.default_rng(3)
    for attempt in range(tries):
        spread = 0.25 if near and attempt < tries // 2 else (1.0, 1.0, 3.0, 10.0)[attempt % 4]
        yield {
            s: near[s] + spread * float(random.uniform(-1, 1)) if s in near else _drawn(s, random, spread)
            for s in symbols
        }


def _drawn(s: Symbol, random: "np.random.Generator", spread: float) -> float:
    size, turned = float(random.uniform(0.5, 1.5)), random.random() < 0.3
    if s.is_nonnegative or s.is_nonpositive:
        return -size if s.is_nonpositive else size
    return spread * size * (-1.0 if turned else 1.0)


class _Finder:
    """Newton's method on relations in floating-point numbers."""

    def __init__(self, relations: Sequence[Expr], variables: Sequence[Symbol]) -> None:
        self._relations, self._moving = list(relations), list(variables[:-1])
        others = set().union(*(e.free_symbols for e in relations)) - set(variables)
        self.symbols = [*variables, *sorted(others, key=lambda s: (s.name, s.sort_key()))]
        slopes = Differentiator(self._moving)
        rows = [slopes.slopes(e) for e in relations]
        self._spots = [(i, self._moving.index(s)) for i, row in enumerate(rows) for s in row]
        self._tape: Tape | None
        try:
            self._tape = Tape(self.symbols, [*relations, *(g for row in rows for g in row.values())])
        except ModelError:
            self._tape = None  # a function without a value

    def moved(self, start: Mapping[Symbol, float]) -> LeafPoint | None:
        """A point moved onto φ = 0 by steps of least norm; None if that fails."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._moved(start)

    def last(self, start: Mapping[Symbol, float]) -> dict[Symbol, float] | None:
        """The place that steps lead to, on φ = 0 or not; None where nothing has a value at the start."""
        x = np.array([start[s] for s in self._moving])
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._numbers(start, x)
            if found is None:
                return None
            for _ in range(STEPS):
                there, found = self._stepped(start, x, *found)
                if found is None:
                    break
                x = there
        return {**start, **dict(zip(self._moving, x.tolist(), strict=True))}

    def _moved(self, start: Mapping[Symbol, float]) -> LeafPoint | None:
        x = np.array([start[s] for s in self._moving])
        found = self._numbers(start, x)
        best = np.inf
        for _ in range(STEPS):
            if found is None:
                return None
            phi, J = found
            size = np.maximum(np.abs(J) @ (1 + np.abs(x)), 1e-12)
            off = float(np.max(np.abs(phi) / size, initial=0.0))
            if off < CLOSE and not off < best / 2:
                at = {**start, **dict(zip(self._moving, x.tolist(), strict=True))}
                return LeafPoint(self._relations, self._moving, at, J)
            best = min(off, best)
            x, found = self._stepped(start, x, phi, J)
        return None

    def _stepped(self, start: Mapping[Symbol, float], x: Any, phi: Any, J: Any) -> tuple[Any, Any]:
        """One step of Newton's method, damped as far as it must be to come nearer: rows may depend on each other."""
        scale = np.linalg.norm(J, axis=1)
        scale[scale == 0] = 1.0
        A, b = J / scale[:, None], phi / scale
        left = float(np.linalg.norm(b))
        plain = np.linalg.lstsq(A, b, rcond=1e-12)[0]
        dampings = (min(left, 1.0) * 1e-3, min(left, 1.0), 1.0, 100.0)
        damped = (A.T @ np.linalg.lstsq(A @ A.T + d * np.eye(len(b)), b, rcond=None)[0] for d in dampings)
        for step in chain([plain], damped, (plain * part for part in SHORTER)):
            there = x - step
            if not np.all(np.isfinite(there)) or np.abs(there).max(initial=0.0) > FAR:
                continue
            found = self._numbers(start, there)
            if found is not None and (left < CLOSE or np.linalg.norm(found[0] / scale) < left):
                return there, found
        return x, None

    def _numbers(self, start: Mapping[Symbol, float], x: Any) -> tuple[Any, Any] | None:
        if self._tape is None:
            return None
        at = {**start, **dict(zip(self._moving, x.tolist(), strict=True))}
        try:
            out = np.array(self._tape([at[s] for s in self.symbols]))
        except (ModelError, OverflowError):
            return None
        if not np.all(np.isfinite(out)):
            return None
        m = len(self._relations)
        J = np.zeros((m, len(self._moving)))
        for spot, value in zip(self._spots, out[m:], strict=True):
            J[spot] = value
        return out[:m], J
