"""The explicit equation of motion, typeset: LaTeX, Unicode text and notebook display."""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

from sympy import Expr, ImmutableDenseMatrix

from dalembert.derive import ClosedForm
from dalembert.model import OneSided, latex_name, name_of, time
from dalembert.show.notation import coordinate_names, drawn, flat, latex, plain, pretty, wrapped

SIGN = "M q̈ = Q + Qᶜ_i + Qᶜ_ni,   Qᶜ_i = Aᵀ λ,   A q̈ = b"
FREE = "M q̈ = Q"
FACTORED = (  # text, LaTeX, and what must be there for the line to say something
    (
        "a = M⁻¹ Q,  S = A M⁻¹ Aᵀ  (on independent rows)",
        r"a &= M^{-1} Q, \quad S = A M^{-1} A^{T} \ \mathrm{(on\ independent\ rows)}",
        "A",
    ),
    ("λ = S⁻¹ (b − A a)", r"\lambda &= S^{-1} (b - A a)", "A"),
    ("Qᶜ_i = Aᵀ λ", r"Q^{c}_{i} &= A^{T} \lambda", "A"),
    ("Qᶜ_ni = C − Aᵀ S⁻¹ A M⁻¹ C", r"Q^{c}_{ni} &= C - A^{T} S^{-1} A M^{-1} C", "C"),
    ("q̈ = a + M⁻¹ (Qᶜ_i + Qᶜ_ni)", r"\ddot{q} &= a + M^{-1} (Q^{c}_{i} + Q^{c}_{ni})", "C"),
    ("q̈ = a + M⁻¹ Qᶜ_i", r"\ddot{q} &= a + M^{-1} Q^{c}_{i}", "no C"),
    ("q̈ = M⁻¹ Q", r"\ddot{q} &= M^{-1} Q", "no A"),
)
MOST_OPERATIONS = 3000  # of one matrix, beyond which nobody reads it
MOST_DRAWN = 8  # rows or columns of a matrix that is drawn; a larger one is listed, by its entries that are not zero


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
        if self.acceleration is None or self.ideal is None or self.nonideal is None or self.multipliers is None:
            return {}
        names = coordinate_names(self.coordinates)
        tex = [latex(q) for q in self.coordinates]
        out = {}
        if self.constraints:
            out["multipliers λ"] = [
                Line(f"λ[{name}]", rf"\lambda_{{{latex_name(name)}}}", value)
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
            Line(dotted(q), latex(q.diff(time(), 2)), value)
            for q, value in zip(self.coordinates, self.acceleration, strict=True)
        ]
        return out

    def latex(self) -> str:
        """One `aligned` environment with contacts, M, Q, A, b, C, forces, multipliers and the acceleration."""
        lines = [_latex_contact(c) for c in self.contacts]
        lines += [rf"{name} &= {latex_matrix(matrix)}" for name, matrix in self._matrices()]
        if self.factored and not self.contradictory and not self.undetermined:
            lines += [tex for _, tex in self._factored_lines()]
        for section in self.sections().values():
            lines += [f"{line.latex} &= {latex(line.value)}" for line in section]
        lines += [rf"&{latex_name(note)}" for note in self.notes]
        body = "\\\\[4pt]\n".join(lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def text(self, width: int = 110) -> str:
        """Unicode text, two-dimensional where a line holds it, and at most `width` columns wide."""
        parts = [wrapped(SIGN if self.constraints else FREE, width)]
        if self.contacts:
            parts.append("\n".join(wrapped(_contact(c), width, "    ") for c in self.contacts))
        parts += [self._labelled(name, matrix, width) for name, matrix in self._matrices()]
        if self.factored and not self.contradictory and not self.undetermined:
            parts.append("\n".join(wrapped(line, width, "    ") for line, _ in self._factored_lines()))
        for title, section in self.sections().items():
            parts.append(f"{wrapped(title, width)}\n{'─' * min(len(title), width)}")
            parts += [scalar(line.label, line.value, width) for line in section]
        parts += [wrapped(f"Note: {note}.", width) for note in self.notes]
        return "\n\n".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON-ready text, in the notation of model files where x' is a velocity."""
        matrices = {name: [[plain(e) for e in row] for row in m.tolist()] for name, m in self._matrices(every=True)}
        solved = {
            name: None if (m := getattr(self, name)) is None else [plain(e) for e in m]
            for name in ("acceleration", "ideal", "nonideal", "multipliers")
        }
        return {
            "coordinates": [name_of(q) for q in self.coordinates],
            "constraints": list(self.constraints),
            "contacts": [
                {"constraint": c.name, "relation": f"{plain(c.expr)} >= 0", "restitution": plain(c.restitution)}
                for c in self.contacts
            ],
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

    def _factored_lines(self) -> list[tuple[str, str]]:
        """The factored form, line by line, as text and LaTeX: without the parts that are not there."""
        says = {"no A"} if not self.constraints else {"A", "C" if any(c != 0 for c in self.C) else "no C"}
        return [(text, tex) for text, tex, needs in FACTORED if needs in says]

    def _labelled(self, name: str, matrix: ImmutableDenseMatrix, width: int) -> str:
        """A matrix drawn; listed by its entries where it is too wide or too large; only described where it is vast."""
        size = operations(matrix)
        if size > MOST_OPERATIONS:
            return wrapped(f"{name}: {described(matrix, size)}, too long to print; it is in `.{name}`", width)
        if max(matrix.shape) <= MOST_DRAWN and size <= width * 4 and (picture := drawn(name, matrix, width)):
            return picture
        names = coordinate_names(self.coordinates)
        rows = list(self.constraints) if name in "Ab" else names
        entries = []
        for (i, j), entry in sorted(matrix.todok().items()):
            if name == "M" and j < i:
                continue  # symmetric
            place = rows[i] if matrix.cols == 1 else f"{rows[i]}, {names[j]}"
            entries.append(flat(f"{name}[{place}]", entry, width))
        if not entries:
            return f"{name} = 0"
        symmetric = " and M is symmetric" if name == "M" and not matrix.is_diagonal() else ""
        return "\n".join([wrapped(f"{name}, where what is not listed is zero{symmetric}:", width), *entries])

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def __str__(self) -> str:
        return self.text()


def _contact(c: OneSided) -> str:
    """A contact on a line: φ ≥ 0, λ ≥ 0, and how it bounces."""
    bounces = f",   restitution {plain(c.restitution)}" if not c.restitution.is_zero else ""
    return f"φ[{c.name}] = {plain(c.expr)} ≥ 0,   λ[{c.name}] ≥ 0{bounces}"


def _latex_contact(c: OneSided) -> str:
    name = latex_name(c.name)
    bounces = rf", \quad \mathrm{{restitution}}\ {latex(c.restitution)}" if not c.restitution.is_zero else ""
    return rf"\varphi_{{{name}}} &= {latex(c.expr)} \geq 0, \quad \lambda_{{{name}}} \geq 0{bounces}"


def latex_matrix(matrix: ImmutableDenseMatrix) -> str:
    """A matrix in LaTeX, described where it is vast."""
    if (size := operations(matrix)) > MOST_OPERATIONS:
        return rf"\text{{({described(matrix, size)})}}".replace("×", r"$\times$")
    return latex(matrix)


def scalar(label: str, value: Expr, width: int) -> str:
    """`label = value` drawn in two dimensions, or on wrapped lines where that is too wide."""
    picture = drawn(label, value, width) if int(value.count_ops()) <= width * 4 else None
    return picture or flat(label, value, width)


def dotted(q: Expr, times: int = 2) -> str:
    """q̈, or q̇, for the letter of a coordinate, on one line."""
    text = pretty(q.diff(time(), times))
    return text if "\n" not in text else name_of(q) + "'" * times


def operations(matrix: ImmutableDenseMatrix) -> int:
    """How many operations it takes to write the entries."""
    return sum(int(e.count_ops()) for e in matrix)


def described(matrix: ImmutableDenseMatrix, size: int) -> str:
    """A matrix by its size."""
    filled = sum(e != 0 for e in matrix)
    return f"{size} operations in {matrix.rows} × {matrix.cols} entries, {filled} of them not zero"
