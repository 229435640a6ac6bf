"""Systems and states in other units and with other factors of their rows: what is decided must not depend on it."""

from dataclasses import dataclass

from hypothesis import strategies as st
from sympy import Integer

import dalembert as da
from motion.systems import t

POWERS = st.integers(-8, 8)


@dataclass(frozen=True)
class Units:
    """Powers of ten: a coordinate p is 10^lengths[i] q, time 10^time, the Lagrangian and each row have a factor."""

    lengths: tuple[int, ...]
    time: int
    energy: int
    rows: tuple[int, ...]

    def system(self, coordinates, lagrangian, constraints):
        """The same system in these units; `constraints` are (kind, expression) pairs in the old ones."""
        new = self._replacements(coordinates)
        rows = [
            kind(Integer(10) ** k * self._said(e, new)) for (kind, e), k in zip(constraints, self.rows, strict=False)
        ]
        L = Integer(10) ** self.energy * self._said(lagrangian, new)
        return da.System.from_lagrangian(L, coordinates, constraints=rows)

    def state(self, coordinates, values):
        """Values by coordinates and velocities, said in these units."""
        return {key: value / self._factor(coordinates, key) for key, value in values.items()}

    def back(self, coordinates, values):
        """Values in these units, said in the old ones."""
        return {key: value * self._factor(coordinates, key) for key, value in values.items()}

    def _factor(self, coordinates, key):
        place = {q: i for i, q in enumerate(coordinates)} | {q.diff(): i for i, q in enumerate(coordinates)}
        return 10.0 ** (self.lengths[place[key]] - (0 if key in coordinates else self.time))

    def _replacements(self, coordinates):
        tens = [Integer(10) ** k for k in self.lengths]
        rates = {q.diff(): s / Integer(10) ** self.time * q.diff() for q, s in zip(coordinates, tens, strict=False)}
        return rates | {q: s * q for q, s in zip(coordinates, tens, strict=False)}

    def _said(self, expr, new):
        return expr.xreplace(
            {q: v for q, v in new.items() if q.is_Derivative} | new | {t: Integer(10) ** self.time * t}
        )


@st.composite
def units(draw, coordinates=3, rows=3):
    return Units(
        tuple(draw(POWERS) for _ in range(coordinates)),
        draw(POWERS),
        draw(POWERS),
        tuple(draw(POWERS) for _ in range(rows)),
    )
