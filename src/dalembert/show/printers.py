"""SymPy's printers of mechanics, with the reactions called as everywhere else: λ[ring], Qᶜ_i[x].

A file of its own because importing `sympy.physics` takes half as long as importing SymPy itself: only what prints
expressions waits for it.
"""

from sympy import Expr
from sympy.physics.vector.printing import VectorLatexPrinter, VectorPrettyPrinter, VectorStrPrinter
from sympy.printing.pretty.stringpict import prettyForm

__all__ = ["Latex", "Pretty", "Text"]

Latex, Text = VectorLatexPrinter, VectorStrPrinter


class Pretty(VectorPrettyPrinter):  # type: ignore[misc]
    """Unicode drawings."""

    def __init__(self) -> None:
        super().__init__({"use_unicode": True, "wrap_line": False})

    def _print_Multiplier(self, e: Expr) -> prettyForm:
        return prettyForm(f"λ[{e.args[0]}]")

    def _print_IdealForce(self, e: Expr) -> prettyForm:
        coordinate, *of = e.args
        name = str(self.doprint(coordinate))
        return prettyForm(f"Qᶜ_i[{', '.join([name, *map(str, of)])}]")

    def _print_IdealMagnitude(self, e: Expr) -> prettyForm:
        return prettyForm(f"|Qᶜ_i[{e.args[0]}]|" if e.args else "|Qᶜ_i|")
