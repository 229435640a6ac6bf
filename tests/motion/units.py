"""Systems and states in other units and with other factors of their rows: what is decided must not depend on it."""

from dataclasses import dataclass

from hypothesis import strategies as st
from sympy import Integer

import dalembert as da
from attack.units import Units as Factors

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
        factors = self._factors(coordinates)
        rows = [kind(r * factors.expression(e)) for (kind, e), r in zip(constraints, factors.rows, strict=False)]
        L = factors.energy * factors.expression(lagrangian)
        return da.System.from_lagrangian(L, coordinates, constraints=rows)

    def state(self, coordinates, values):
        """Values by coordinates and velocities, said in these units."""
        return self._factors(coordinates).start(coordinates, values)

    def back(self, coordinates, values):
        """Values in these units, said in the old ones."""
        keys = (*coordinates, *(q.diff() for q in coordinates))
        size = dict(zip(keys, map(float, self._factors(coordinates).sizes(coordinates)), strict=True))
        return {key: value * size[key] for key, value in values.items()}

    def _factors(self, coordinates):
        tens = [Integer(10) ** k for k in (*self.lengths, self.time, self.energy, *self.rows)]
        n = len(self.lengths)
        lengths = dict(zip(coordinates, tens[:n], strict=False))
        return Factors(lengths, tens[n], tens[n + 1], tens[n + 2 :])


@st.composite
def units(draw, coordinates=3, rows=3):
    return Units(
        tuple(draw(POWERS) for _ in range(coordinates)),
        draw(POWERS),
        draw(POWERS),
        tuple(draw(POWERS) for _ in range(rows)),
    )
