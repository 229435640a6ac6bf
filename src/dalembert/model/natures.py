"""The nature of a constraint force: the work it does under a virtual displacement v is vᵀC.

Each nature states the vector C(q, q̇, t) it contributes (Udwadia and Kalaba 2001, section 2.2; Udwadia 2000,
section 5). A system's C is the sum over its constraints. How C follows from a nature is in `derive/natures.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr, MatrixBase

from dalembert.model.checks import expression, has_plain_sign, name_of
from dalembert.model.errors import ModelError, refuse


@dataclass(frozen=True)
class Ideal:
    """C = 0: the constraint force does no work under virtual displacements (D'Alembert)."""

    def expressions(self) -> Iterator[Expr]:
        """The expressions the nature is made of: none."""
        return iter(())


@dataclass(frozen=True, init=False)
class Prescribed:
    """C given outright, by coordinate; it may refer to the ideal constraint force (`da.ideal_force` and kin).

    `C` is a mapping from coordinates to expressions (zero elsewhere), or a sequence with one for each coordinate.
    """

    components: tuple[tuple[Expr | None, Expr], ...]

    def __init__(self, C: Mapping[Expr, Expr] | Iterable[Expr]) -> None:
        faults: list[str] = []
        pairs: list[tuple[Expr | None, object]]
        if isinstance(C, Mapping):
            pairs = sorted(C.items(), key=lambda pair: str(pair[0]))
        elif isinstance(C, (Iterable, MatrixBase)) and not isinstance(C, str):
            pairs = [(None, value) for value in C]
        else:
            raise ModelError("Prescribed", [f"C is {C!r}; give a mapping by coordinate or one value a coordinate"])
        components: list[tuple[Expr | None, Expr]] = []
        for place, (coordinate, value) in enumerate(pairs):
            where = place + 1 if coordinate is None else name_of(coordinate)
            expr, found = expression(value, f"C[{where}]")
            faults += found
            if expr is not None:
                components.append((coordinate, expr))
        refuse(ModelError, "Prescribed", faults)
        object.__setattr__(self, "components", tuple(components))

    def expressions(self) -> Iterator[Expr]:
        """The components of C."""
        return (value for _, value in self.components)


@dataclass(frozen=True, init=False)
class Viscous:
    """C = −c q̇: drag in proportion to the velocities as stated, those of the particle that slides among mass points.

    A law in the coordinates of the statement: −c times the velocity in Cartesian ones, −c θ̇ at an angle.
    """

    coefficient: Expr

    def __init__(self, c: Expr | float) -> None:
        object.__setattr__(self, "coefficient", _coefficient("Viscous", "c", c))

    def expressions(self) -> Iterator[Expr]:
        """The coefficient."""
        yield self.coefficient


@dataclass(frozen=True, init=False)
class Quadratic:
    """C = −c |q̇| q̇: drag as the square of the speed, the velocities as in `Viscous`, |q̇|² the sum of their squares."""

    coefficient: Expr

    def __init__(self, c: Expr | float) -> None:
        object.__setattr__(self, "coefficient", _coefficient("Quadratic", "c", c))

    def expressions(self) -> Iterator[Expr]:
        """The coefficient."""
        yield self.coefficient


@dataclass(frozen=True, init=False)
class Coulomb:
    """C = −μ ‖λ_j A_j‖ M q̇/‖q̇‖: sliding friction that follows the ideal force of its own constraint.

    The norms are those of the particle that slides, ‖Q‖² = QᵀM⁻¹Q and ‖q̇‖² = q̇ᵀM q̇, so the law is the same in
    any coordinates and is −μ |Qᶜ_i| q̇/|q̇| in Cartesian ones (Udwadia 2000, equation 36; the mass cancels).
    `static` is the coefficient that holds at rest; it does not enter while the body slides.
    """

    coefficient: Expr
    static: Expr | None

    def __init__(self, mu: Expr | float, static: Expr | float | None = None, normal: str = "ideal") -> None:
        if normal != "ideal":
            hint = "only 'ideal', friction that follows the ideal constraint force, can be stated so far"
            raise ModelError("Coulomb", [f"normal={normal!r}: {hint}"])
        object.__setattr__(self, "coefficient", _coefficient("Coulomb", "mu", mu))
        object.__setattr__(self, "static", None if static is None else _coefficient("Coulomb", "static", static))
        given = [e for e in self.expressions() if has_plain_sign(e)]
        if len(given) == 2 and (given[1] - given[0]).is_negative:
            raise ModelError("Coulomb", [f"static={self.static} is below mu={self.coefficient}"])

    def expressions(self) -> Iterator[Expr]:
        """The coefficients."""
        yield self.coefficient
        if self.static is not None:
            yield self.static


Nature: TypeAlias = Ideal | Prescribed | Viscous | Quadratic | Coulomb


def _coefficient(nature: str, name: str, value: object) -> Expr:
    expr, faults = expression(value, name)
    if expr is not None and has_plain_sign(expr) and expr.is_negative:
        faults.append(f"{name}={expr} is negative")
    refuse(ModelError, nature, faults)
    assert expr is not None  # no faults: there is an expression
    return expr
