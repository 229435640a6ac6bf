"""Equations of motion in independent velocities, typeset: LaTeX, Unicode text and notebook display."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

from sympy import Expr, ImmutableDenseMatrix, Matrix, Mul

from dalembert.derive import MinimalForm
from dalembert.model import is_velocity, latex_name, name_of, time
from dalembert.show.equations import MOST_OPERATIONS, Line, described, dotted, latex_matrix, operations, scalar
from dalembert.show.notation import coordinate_names, drawn, flat, latex, plain, wrapped

LINEAR = "q̇ = V u + w,   A V = 0,   VᵀMV u̇ = Vᵀ (Q + C − M (V̇ u + ẇ))"
NONLINEAR = "q̈ = V u̇ + p,   A V = 0,   A p = b,   VᵀMV u̇ = Vᵀ (Q + C − M p)"
STACKED = (  # what stands for parts that are not written out, as text and LaTeX
    "V and p solve [A; U] V = [0; I] and [A; U] p = [b; −U̇ q̇ − u̇₀], with u = U q̇ + u₀ and with M, Q, A, b, C as "
    "`equations()` shows them",
    r"\begin{bmatrix} A \\ U \end{bmatrix} \begin{bmatrix} V & p \end{bmatrix} &= "
    r"\begin{bmatrix} 0 & b \\ I & -\dot{U} \dot{q} - \dot{u}_0 \end{bmatrix}, \quad "
    r"V^{T} M V \dot{u} = V^{T} (Q + C - M p)",
)


@dataclass(frozen=True)
class Minimal(MinimalForm):
    """The equations of motion in independent velocities; shows itself in a notebook, by `.text()` and by `.latex()`.

    As a way to compute: `.acceleration(state)`, and `.rates(t, y)` for `solve_ivp` with `.pack` and `.unpack`.
    """

    @classmethod
    def of(cls, form: MinimalForm) -> Self:
        """The same form, able to show itself."""
        return cls(**{f.name: getattr(form, f.name) for f in fields(form)})

    def sections(self) -> dict[str, list[Line]]:
        """Every scalar result, by what it is."""
        out = {}
        new = [(u, e) for u, e in zip(self.velocities, self.definitions, strict=True) if u != e]
        if new:
            out["velocities u"] = [Line(_letter(u), latex(u), e) for u, e in new]
        if self.linear and self.V is not None and self.w is not None:
            u = Matrix(len(self.velocities), 1, list(self.velocities))
            values = zip(self.system.velocities, self.V * u + self.w, strict=True)
            out["velocities of the system, q̇ = V u + w"] = [
                Line(dotted(v.expr, 1), latex(v), e) for v, e in values if v != e
            ]
        if self.solved is not None:
            out["equations of motion, solved for u̇"] = [
                Line(dotted(u.expr, 2) if u in self.system.velocities else dotted(u, 1), latex(u.diff(time())), e)
                for u, e in zip(self.velocities, self.solved, strict=True)
            ]
        return {title: lines for title, lines in out.items() if lines}

    def text(self, width: int = 110) -> str:
        """Unicode text, two-dimensional where a line holds it, and at most `width` columns wide."""
        u = ", ".join(map(_letter, self.velocities)) or "none, the constraints leave no freedom"
        parts = [wrapped(LINEAR if self.linear else NONLINEAR, width), wrapped(f"u: {u}", width, "    ")]
        if self.V is None or self.mass is None:
            parts.append(wrapped(STACKED[0], width, "    "))
        parts += [self._labelled(name, label, m, width) for name, label, _, m in self._matrices()]
        for title, section in self.sections().items():
            parts.append(f"{wrapped(title, width)}\n{'─' * min(len(title), width)}")
            parts += [scalar(line.label, line.value, width) for line in section]
        parts += [wrapped(f"Note: {note}.", width) for note in (*self._where(), *self.notes)]
        return "\n\n".join(parts)

    def latex(self) -> str:
        """One `aligned` environment with V, w or p, the mass matrix, the force, and the equations."""
        lines = [STACKED[1]] if self.V is None or self.mass is None else []
        lines += [rf"{tex} &= {latex_matrix(matrix)}" for _, _, tex, matrix in self._matrices()]
        for section in self.sections().values():
            lines += [f"{line.latex} &= {latex(line.value)}" for line in section]
        if self.singular:
            lines.append(rf"&\mathrm{{singular\ where}}\ {latex(Mul(*self.singular))} = 0")
        lines += [rf"&{latex_name(note)}" for note in self.notes]
        body = "\\\\[4pt]\n".join(lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON-ready text, in the notation of model files where x' is a velocity."""
        matrices = {}
        for name in ("V", "w", "p", "mass", "force", "solved"):
            rows = None if (m := getattr(self, name)) is None else [[plain(e) for e in row] for row in m.tolist()]
            matrices[name] = rows if rows is None or name in ("V", "mass") else [row[0] for row in rows]
        return {
            "coordinates": [name_of(q) for q in self.coordinates],
            "velocities": {name_of(u): plain(e) for u, e in zip(self.velocities, self.definitions, strict=True)},
            "linear": self.linear,
            **matrices,
            "singular": [plain(e) for e in self.singular],
            "independent": list(self.independent),
            "contacts": [c.name for c in self.contacts],
            "notes": list(self.notes),
            "latex": self.latex(),
        }

    def _matrices(self) -> Iterator[tuple[str, str, str, ImmutableDenseMatrix]]:
        """What there is to draw: field, label, LaTeX, matrix; a zero w is left out, and p where q̇ = V u + w says it."""
        shown = (("V", "V", "V"), ("w", "w", "w"), ("p", "p", "p"), ("mass", "VᵀMV", "V^{T} M V"))
        force = "V^{T} (Q + C - M p)" if not self.linear else r"V^{T} (Q + C - M (\dot{V} u + \dot{w}))"
        label = "Vᵀ(Q + C − M p)" if not self.linear else "Vᵀ(Q + C − M(V̇u + ẇ))"
        for field, name, tex in (*shown, ("force", label, force)):
            matrix = getattr(self, field)
            said = field == "p" and self.linear and self.mass is not None
            if matrix is None or not matrix.cols or not matrix.rows or said or (field == "w" and not any(matrix)):
                continue
            yield field, name, tex, matrix

    def _labelled(self, name: str, label: str, matrix: ImmutableDenseMatrix, width: int) -> str:
        """A matrix drawn; listed by its entries where it is too wide; only described where it is vast."""
        if not any(matrix):
            return f"{label} = 0"
        if (size := operations(matrix)) > MOST_OPERATIONS:
            return wrapped(f"{label}: {described(matrix, size)}, too long to print; it is in `.{name}`", width)
        if size <= width * 4 and (picture := drawn(label, matrix, width)):
            return picture
        own = [_letter(u) for u in self.velocities]
        rows = own if name in ("mass", "force") else coordinate_names(self.coordinates)
        entries = [
            flat(f"{label}[{rows[i]}]" if matrix.cols == 1 else f"{label}[{rows[i]}, {own[j]}]", entry, width)
            for (i, j), entry in sorted(matrix.todok().items())
        ]
        return "\n".join([wrapped(f"{label}, where what is not listed is zero:", width), *entries])

    def _where(self) -> Iterator[str]:
        if self.singular:
            listed = ", ".join(f"{plain(e)} = 0" for e in self.singular)
            yield f"u does not determine q̇ where {listed}; choose other velocities near such places"

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        return self.text()


def _letter(u: Expr) -> str:
    """A velocity as a label of text: ẋ, or a new one by its letter."""
    return dotted(u.expr, 1) if is_velocity(u) else coordinate_names((u,))[0]
