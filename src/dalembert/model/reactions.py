"""Names by which the nature of a constraint can refer to the ideal constraint force.

The ideal constraint force is Qᶜ_i = Aᵀ λ: what the constraints would exert were they all ideal. A nature may
use its component along a coordinate, its magnitude, the part that one constraint has in it, and that
constraint's multiplier. They stay unevaluated in the statement; deriving the system gives them their values.
"""

from sympy import Expr, Function
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from dalembert.model.errors import ModelError

LATEX_SPECIAL = {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", " ": r"\ ", **{c: rf"\{c}" for c in "#$%&_{}"}}


class Reaction(Function):
    """A quantity of the ideal constraint force, known only once the system has been derived."""

    is_extended_real = True
    is_number = False  # also without arguments: it has a value only at a state


class IdealForce(Reaction):
    """Component of Qᶜ_i along a coordinate: of the whole force, or of one constraint's part λ_j A_j."""

    def _latex(self, printer, exp=None) -> str:  # type: ignore[no-untyped-def]
        coordinate, *of = self.args
        tag = rf",\,{latex_name(of[0])}" if of else ""
        return _power(rf"Q^{{c}}_{{i,\,{printer.doprint(coordinate)}{tag}}}", exp)


class IdealMagnitude(Reaction):
    """Euclidean norm |Qᶜ_i| over the coordinates: of the whole force, or of one constraint's part."""

    is_extended_nonnegative = True

    def _latex(self, printer, exp=None) -> str:  # type: ignore[no-untyped-def]  # noqa: ARG002
        tag = rf",\,{latex_name(self.args[0])}" if self.args else ""
        return _power(rf"\left|Q^{{c}}_{{i{tag}}}\right|", exp)


class Multiplier(Reaction):
    """The multiplier λ_j of one constraint in Qᶜ_i = Aᵀ λ."""

    def _latex(self, printer, exp=None) -> str:  # type: ignore[no-untyped-def]  # noqa: ARG002
        return _power(rf"\lambda_{{{latex_name(self.args[0])}}}", exp)


def latex_name(name: object) -> str:
    """A constraint's name in upright LaTeX letters, whatever characters it has."""
    return rf"\mathrm{{{''.join(LATEX_SPECIAL.get(c, c) for c in str(name))}}}"


def _power(base: str, exp: str | None) -> str:
    return base if exp is None else f"{{{base}}}^{{{exp}}}"


def ideal_force(coordinate: Expr, of: str | None = None) -> IdealForce:
    """The ideal constraint force along `coordinate`; with `of`, the part of the constraint of that name."""
    if not isinstance(coordinate, AppliedUndef):
        raise ModelError("ideal_force", [f"{coordinate!r} is not a coordinate x(t)"])
    return IdealForce(coordinate) if of is None else IdealForce(coordinate, _name(of))


def ideal_magnitude(of: str | None = None) -> IdealMagnitude:
    """|Qᶜ_i|, the Euclidean norm over the coordinates; with `of`, of that constraint's part alone."""
    return IdealMagnitude() if of is None else IdealMagnitude(_name(of))


def multiplier(of: str) -> Multiplier:
    """The multiplier λ of the constraint named `of`, in the sense M q̈ = Q + Aᵀ λ with A = ∂f/∂q (or ∂f/∂q̇)."""
    return Multiplier(_name(of))


def _name(of: object) -> Str:
    if not isinstance(of, str):
        raise ModelError("a reaction", [f"{of!r} is not the name of a constraint"])
    return Str(of)
