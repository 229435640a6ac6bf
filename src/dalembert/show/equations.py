"""The explicit equation of motion, typeset: LaTeX, Unicode text and notebook display."""

from dataclasses import dataclass, fields
from textwrap import wrap
from typing import Any, NamedTuple, Self

from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.vector.printing import VectorLatexPrinter, VectorPrettyPrinter, VectorStrPrinter
from sympy.printing.pretty.stringpict import prettyForm, stringPict

from dalembert.derive import ClosedForm
from dalembert.model import name_of, time

SIGN = "M q̈ = Q + Qᶜ_i + Qᶜ_ni,   Qᶜ_i = Aᵀ λ,   A q̈ = b"
FACTORED_TEXT = (
    "a = M⁻¹ Q,  S = A M⁻¹ Aᵀ  (on independent rows)",
    "λ = S⁻¹ (b − A a)",
    "Qᶜ_i = Aᵀ λ",
    "Qᶜ_ni = C − Aᵀ S⁻¹ A M⁻¹ C",
    "q̈ = a + M⁻¹ (Qᶜ_i + Qᶜ_ni)",
)
FACTORED_LATEX = (
    r"a &= M^{-1} Q, \quad S = A M^{-1} A^{T}",
    r"\lambda &= S^{-1} (b - A a)",
    r"Q^{c}_{i} &= A^{T} \lambda",
    r"Q^{c}_{ni} &= C - A^{T} S^{-1} A M^{-1} C",
    r"\ddot{q} &= a + M^{-1} (Q^{c}_{i} + Q^{c}_{ni})",
)


MOST_OPERATIONS = 3000  # of one matrix, beyond which nobody reads it


class Line(NamedTuple):
    """One scalar result: how it is called in text and in LaTeX, and what it is."""

    label: str
    latex: str
    value: Expr


@dataclass(frozen=True)
class Equations(ClosedForm):
    """The symbolic equation of motion; shows itself in a notebook, by `.text()` and by `.latex()`."""

    @classmethod
    def of(cls, form: ClosedForm) -> Self:
        """The same closed form, able to show itself."""
        return cls(**{f.name: getattr(form, f.name) for f in fields(form)})

    def sections(self) -> dict[str, list[Line]]:
        """Every scalar result, by what it is; empty in the factored form."""
        if self.acceleration is None:
            return {}
        names = [_pretty(q) for q in self.coordinates]
        tex = [_latex(q) for q in self.coordinates]
        out = {}
        if self.constraints:
            out["multipliers λ"] = [
                Line(f"λ[{name}]", rf"\lambda_{{{_word(name)}}}", value)
                for name, value in zip(self.constraints, self.multipliers, strict=True)
            ]
            out["constraint force had the constraints been ideal, Qᶜ_i = Aᵀ λ"] = [
                Line(f"Qᶜ_i[{n}]", rf"Q^{{c}}_{{i,{x}}}", value)
                for n, x, value in zip(names, tex, self.ideal, strict=True)
            ]
        if any(c != 0 for c in self.C):
            out["its work-doing part, Qᶜ_ni"] = [
                Line(f"Qᶜ_ni[{n}]", rf"Q^{{c}}_{{ni,{x}}}", value)
                for n, x, value in zip(names, tex, self.nonideal, strict=True)
            ]
        out["acceleration"] = [
            Line(_pretty(q.diff(time(), 2)), _latex(q.diff(time(), 2)), value)
            for q, value in zip(self.coordinates, self.acceleration, strict=True)
        ]
        return out

    def latex(self) -> str:
        """One `aligned` environment with M, Q, A, b, C, forces, multipliers and the acceleration."""
        lines = [rf"{name} &= {_latex_matrix(matrix)}" for name, matrix in self._matrices()]
        if self.factored and not self.contradictory:
            lines += FACTORED_LATEX
        for section in self.sections().values():
            lines += [f"{line.latex} &= {_latex(line.value)}" for line in section]
        body = "\\\\[4pt]\n".join(lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def text(self, width: int = 110) -> str:
        """Unicode text, two-dimensional where a line holds it, and at most `width` columns wide."""
        parts = [SIGN]
        parts += [_labelled(name, matrix, width) for name, matrix in self._matrices()]
        if self.factored and not self.contradictory:
            parts.append("\n".join(FACTORED_TEXT))
        for title, section in self.sections().items():
            parts.append("\n".join([title, "─" * len(title)]))
            parts += [_labelled(line.label, line.value, width) for line in section]
        parts += ["\n".join(wrap(f"Note: {note}.", width)) for note in self.notes]
        return "\n\n".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON-ready text, in the notation of model files where x' is a velocity."""
        matrices = {name: [[_plain(e) for e in row] for row in m.tolist()] for name, m in self._matrices(every=True)}
        solved = {
            name: None if (m := getattr(self, name)) is None else [_plain(e) for e in m]
            for name in ("acceleration", "ideal", "nonideal", "multipliers")
        }
        return {
            "coordinates": [name_of(q) for q in self.coordinates],
            "constraints": list(self.constraints),
            **{name: m if name in "MA" else [row[0] for row in m] for name, m in matrices.items()},
            **solved,
            "factored": self.factored,
            "independent": list(self.independent),
            "notes": list(self.notes),
            "latex": self.latex(),
        }

    def _matrices(self, every: bool = False) -> list[tuple[str, ImmutableDenseMatrix]]:
        """M and Q always, A and b where there are constraints, C where it is not zero."""
        out = [("M", self.M), ("Q", self.Q)]
        if self.constraints or every:
            out += [("A", self.A), ("b", self.b)]
        if every or any(c != 0 for c in self.C):
            out.append(("C", self.C))
        return out

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        return self.text()


def _latex(value: Any) -> str:
    return VectorLatexPrinter().doprint(value)


def _latex_matrix(matrix: ImmutableDenseMatrix) -> str:
    if (size := _operations(matrix)) > MOST_OPERATIONS:
        return rf"\text{{({size} operations in {_plural(matrix)})}}".replace("×", r"$\times$")
    return _latex(matrix)


def _pretty(value: Expr) -> str:
    return VectorPrettyPrinter({"use_unicode": True}).doprint(value)


def _plain(value: Any) -> str:
    return VectorStrPrinter().doprint(value)


def _word(name: str) -> str:
    return rf"\mathrm{{{name.replace('_', chr(92) + '_').replace(' ', chr(92) + ' ')}}}"


def _labelled(label: str, value: Any, width: int) -> str:
    """`label = value` drawn in two dimensions, as wrapped lines where that is too wide, or only described if vast."""
    size = _operations(value)
    if size > MOST_OPERATIONS:
        return f"{label}: {size} operations in {_plural(value)}, too long to print; it is in `.{label}`"
    if size <= width * 4:
        printer = VectorPrettyPrinter({"use_unicode": True, "wrap_line": False})
        drawn = prettyForm(*stringPict.next(prettyForm(f"{label} = "), printer._print(value)))
        if drawn.width() <= width:
            return "\n".join(line.rstrip() for line in str(drawn).splitlines())
    if isinstance(value, ImmutableDenseMatrix):
        entries = [
            _flat(f"{label}[{i + 1}]" if value.cols == 1 else f"{label}[{i + 1},{j + 1}]", value[i, j], width)
            for i in range(value.rows)
            for j in range(value.cols)
            if value[i, j] != 0
        ]
        return "\n".join(entries) or f"{label} = 0"
    return _flat(label, value, width)


def _operations(value: Any) -> int:
    return sum(int(e.count_ops()) for e in value) if isinstance(value, ImmutableDenseMatrix) else int(value.count_ops())


def _plural(matrix: ImmutableDenseMatrix) -> str:
    return f"{matrix.rows} × {matrix.cols} entries, {sum(e != 0 for e in matrix)} of them not zero"


def _flat(label: str, value: Any, width: int) -> str:
    return "\n".join(wrap(f"{label} = {_plain(value)}", width, subsequent_indent="    ", break_long_words=False))
