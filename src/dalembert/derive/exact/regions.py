"""Points at which functions have given signs: whether a case of what switches occurs at all."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

import numpy as np
from sympy import Expr, Symbol

from dalembert.derive.differentiate import Differentiator
from dalembert.derive.tape import Tape
from dalembert.model import ModelError

STARTS, STEPS = 24, 40
SPREADS = (1.0, 3.0, 0.1, 10.0, 100.0, 0.01, 1e3, 1e4)
MARGIN = 1e-6  # of the size of the point: how far behind a switch a point is sought
Point = dict[Symbol, float]


def points_with(signs: Mapping[Expr, int], symbols: Sequence[Symbol]) -> Iterator[Point]:
    """Points at which each function has its sign, from several starts of several sizes; none where none are found."""
    search = _Search(signs, symbols)
    random = np.random.default_rng(5)
    for attempt in range(STARTS):
        spread = SPREADS[attempt % len(SPREADS)]
        x = np.array([_drawn(s, random, spread) for s in symbols])
        found = search.moved(x)
        if found is not None:
            yield dict(zip(symbols, found.tolist(), strict=True))


def _drawn(s: Symbol, random: "np.random.Generator", spread: float) -> float:
    size, turned = float(random.uniform(0.5, 1.5)), random.random() < 0.5
    if s.is_nonnegative or s.is_nonpositive:
        return -size if s.is_nonpositive else size
    return spread * size * (-1.0 if turned else 1.0)


class _Search:
    """Steps of least length that bring functions with a wrong sign behind their zeros, a little more each time."""

    def __init__(self, signs: Mapping[Expr, int], symbols: Sequence[Symbol]) -> None:
        self._symbols, self._signs = symbols, np.array(list(signs.values()), dtype=float)
        slopes = Differentiator(symbols)
        rows = [slopes.slopes(u) for u in signs]
        self._spots = [(i, symbols.index(s)) for i, row in enumerate(rows) for s in row]
        self._tape = Tape(symbols, [*signs, *(g for row in rows for g in row.values())])

    def moved(self, x: "np.ndarray") -> "np.ndarray | None":
        """A point with the signs, from one without; None where none is reached."""
        for step in range(STEPS):
            try:
                out = self._tape(x.tolist())
            except (ModelError, OverflowError):
                return None
            m = len(self._signs)
            u = np.array(out[:m]) * self._signs
            if not all(map(isfinite, out)):
                return None
            wrong = u <= 0
            if not wrong.any():
                return x if self._allowed(x) else None
            J = np.zeros((m, len(x)))
            for spot, value in zip(self._spots, out[m:], strict=True):
                J[spot] = value
            J = J[wrong] * self._signs[wrong, None]
            ahead = np.abs(u[wrong]) * 0.1 * (step + 1) + MARGIN * (1 + np.linalg.norm(J, axis=1))
            x = x + np.linalg.lstsq(J, ahead - u[wrong], rcond=1e-10)[0]
        return None

    def _allowed(self, x: "np.ndarray") -> bool:
        """Whether symbols have the signs they are declared to have."""
        return not any(
            (s.is_nonnegative and value <= 0) or (s.is_nonpositive and value >= 0)
            for s, value in zip(self._symbols, x.tolist(), strict=True)
        )
