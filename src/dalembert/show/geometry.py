"""The geometry of constrained motion at an instant, in numbers that can be read and drawn."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sympy import Expr

from dalembert.derive import Array
from dalembert.principles import Instant, Scaled, scaled
from dalembert.show.layout import aligned
from dalembert.show.notation import coordinate_names, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ZERO = 1e-9  # a vector shorter than this part of the longest is rounding


class Vector(NamedTuple):
    """One vector of the figure, from `tail` to `tip` (n,): its letters in text and in LaTeX, and what it is."""

    letters: str
    latex: str
    meaning: str
    tail: Array
    tip: Array

    @property
    def value(self) -> Array:
        """Its components (n,)."""
        value: Array = self.tip - self.tail
        return value


@dataclass(frozen=True, eq=False)
class Geometry:
    """Scaled accelerations M^(1/2) q̈ at an instant, the subspaces N(B) and R(Bᵀ), and the projectors N and T on them.

    `scaled` holds the numbers; `vectors` are those of figure 1 of Udwadia and Kalaba 2001, each drawn where it stands.
    Raises MassError and ContradictionError when it is built.
    """

    now: Instant
    name: str
    t: float
    coordinates: tuple[Expr, ...]

    def __post_init__(self) -> None:
        _ = self.scaled

    @cached_property
    def scaled(self) -> Scaled:
        """The vectors, bases of the subspaces and projectors as arrays."""
        return scaled(self.now)

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """a_s, c_s, q̈_s, the two orthogonal parts of q̈_s, the deviation and its two orthogonal parts."""
        s, zero = self.scaled, np.zeros(self.now.n)
        a, q, corner = s.unconstrained, s.acceleration, s.unconstrained + s.along
        return (
            Vector("a_s", "a_s", "without constraints", zero, a),
            Vector("c_s", "c_s", "of the work-doing force $C$", a, a + s.prescribed),
            Vector("q̈_s", r"\ddot{q}_s", "of the motion", zero, q),
            Vector("N(a_s + c_s)", r"N(a_s + c_s)", r"its part in $\mathcal{N}(B)$", zero, s.free),
            Vector("B⁺b", "B^{+}b", r"its part in $\mathcal{R}(B^{T})$", zero, s.met),
            Vector("q̈_s − a_s", r"\ddot{q}_s - a_s", "the deviation", a, q),
            Vector("N c_s", "N c_s", r"its part along $\mathcal{N}(B)$", a, corner),
            Vector("B⁺e", "B^{+}e", r"its part along $\mathcal{R}(B^{T})$", corner, q),
        )

    def is_zero(self, vector: Vector) -> bool:
        """Whether a vector is nothing but rounding beside the longest."""
        longest = max(float(np.linalg.norm(v.value)) for v in self.vectors)
        return float(np.linalg.norm(vector.value)) <= ZERO * longest

    def figure(self) -> "Figure":
        """Vectors and subspaces drawn, for two or three coordinates; raises ModelError for other numbers of them."""
        from dalembert.show.geometry_figure import draw

        return draw(self)

    def text(self, width: int = 110) -> str:
        """For a person to read, on lines of at most `width` columns."""
        s, names = self.scaled, coordinate_names(self.coordinates)
        k = s.range.shape[1]
        lines = [
            wrapped(
                f"Scaled accelerations M^(1/2) q̈ at t = {self.t:g}; of {self.now.n} dimensions {self.now.n - k} belong "
                f"to N(B), what the constraints leave free, and {k} to R(Bᵀ), where ideal forces act",
                width,
            ),
            "",
            *aligned([["", *names, "length"], *(self._row(v) for v in self.vectors)], width),
        ]
        for label, basis in (("N(B)", s.null), ("R(Bᵀ)", s.range)):
            if basis.size:
                rows: list[list[str | float]] = [
                    [f"{label} {j}" if basis.shape[1] > 1 else label, *_clean(v)] for j, v in enumerate(basis.T, 1)
                ]
                lines += ["", *aligned([["spanned by", *names], *rows], width)]
        for label, matrix in (("N", s.N), ("T", s.T)):
            table: list[list[str | float]] = [[label, *names]]
            table += [[name, *_clean(row)] for name, row in zip(names, matrix, strict=True)]
            lines += ["", *aligned(table, width)]
        inner = abs(float(s.toward @ s.along))
        sums = "q̈_s = N(a_s + c_s) + B⁺b and q̈_s − a_s = B⁺e + N c_s, each of two orthogonal vectors"
        lines += ["", wrapped(f"{sums}: |B⁺e · N c_s| = {inner:.2g}", width)]
        if s.replaced:
            lines.append(wrapped("M is not positive definite: this belongs to the equivalent M + γT, Q + γA⁺b", width))
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """For a program to read."""
        s = self.scaled
        return {
            "coordinates": list(self.now.coordinates),
            "t": float(self.t),
            "vectors": {v.letters: v.value.tolist() for v in self.vectors},
            "null": s.null.T.tolist(),
            "range": s.range.T.tolist(),
            "N": s.N.tolist(),
            "T": s.T.tolist(),
            "replaced": s.replaced,
        }

    def _row(self, vector: Vector) -> list[str | float]:
        value = np.zeros(self.now.n) if self.is_zero(vector) else vector.value
        return [vector.letters, *_clean(value), float(np.linalg.norm(value))]

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())


def _clean(values: Array) -> list[float]:
    """Numbers without rounding beside the largest, and without −0."""
    largest = float(np.abs(values).max(initial=0.0))
    return [0.0 if abs(x) <= ZERO * largest else float(x) for x in values]
