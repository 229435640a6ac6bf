"""The nature of a constraint force: the work it does under a virtual displacement v is vᵀC.

Each nature states the vector C(q, q̇, t) it contributes (Udwadia and Kalaba 2001, section 2.2; Udwadia 2000,
section 5). A system's C is the sum over its constraints. How C follows from a nature is in `derive/natures.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sympy import Expr, MatrixBase

from dalembert.model.checks import expression, has_plain_sign, name_of, no_reactions, velocities_in
from dalembert.model.constants import shown
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
    """C = −μ N Jᵀ s/|s|: dry friction, against the sliding velocity s, J = ∂s/∂q̇; at rest, whatever holds it there.

    Left to itself it is the friction of one particle: −μ ‖λ_j A_j‖ M q̇/‖q̇‖ with ‖Q‖² = QᵀM⁻¹Q and ‖q̇‖² = q̇ᵀM q̇,
    which is the same law in any coordinates and −μ |Qᶜ_i| q̇/|q̇| in Cartesian ones (Udwadia 2000, equation 36; the mass
    cancels).

    - `static`: the coefficient that holds at rest, at least `mu`, which is meant where it is left out.
    - `normal`: "ideal", friction that follows the force its constraint would exert were all ideal (the papers' law), or
      "actual", friction that follows the force it exerts, which friction itself changes.
    - `sliding`: the sliding velocity, one expression linear in the velocities, or two or three for its components at
      right angles. Then N = |λ_j|, the force for a constraint stated as a distance, unless one particle slides.
    - `of`: the names of the constraints whose joint force presses; the constraint alone where it is left out.
    """

    coefficient: Expr
    static: Expr | None
    normal: Literal["ideal", "actual"]
    sliding: tuple[Expr, ...] | None
    of: tuple[str, ...]

    def __init__(
        self,
        mu: Expr | float,
        static: Expr | float | None = None,
        normal: Literal["ideal", "actual"] = "ideal",
        *,
        sliding: Expr | Sequence[Expr] | None = None,
        of: str | Sequence[str] = (),
    ) -> None:
        faults: list[str] = []
        if normal not in ("ideal", "actual"):
            faults.append(f"normal is {normal!r}; it can be 'ideal' or 'actual'")
        slides, found = _sliding(sliding)
        names, more = _names(of)
        refuse(ModelError, "Coulomb", [*faults, *found, *more])
        object.__setattr__(self, "coefficient", _coefficient("Coulomb", "mu", mu))
        object.__setattr__(self, "static", None if static is None else _coefficient("Coulomb", "static", static))
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "sliding", slides)
        object.__setattr__(self, "of", names)
        if self.static is not None:
            given = [e for e in (self.coefficient, self.static) if has_plain_sign(e)]
            if len(given) == 2 and (given[1] - given[0]).is_negative:
                raise ModelError("Coulomb", [f"static={self.static} is below mu={self.coefficient}"])

    def expressions(self) -> Iterator[Expr]:
        """The coefficients, and the sliding velocity where it is given."""
        yield self.coefficient
        if self.static is not None:
            yield self.static
        yield from self.sliding or ()


Nature: TypeAlias = Ideal | Prescribed | Viscous | Quadratic | Coulomb


def _sliding(given: object) -> tuple[tuple[Expr, ...] | None, list[str]]:
    """The components of a sliding velocity: expressions linear in the velocities, without reactions."""
    if given is None:
        return None, []
    listed = list(given) if isinstance(given, (Iterable, MatrixBase)) and not isinstance(given, str) else [given]
    faults = [] if 1 <= len(listed) <= 3 else [f"sliding has {len(listed)} components, one to three are meant"]
    out: list[Expr] = []
    for number, value in enumerate(listed, 1):
        what = "sliding" if len(listed) == 1 else f"sliding[{number}]"
        expr, found = expression(value, what)
        faults += found
        if expr is None:
            continue
        faults += no_reactions(expr, what)
        moving = velocities_in(expr)
        if not moving:
            faults.append(f"{what} is {shown(expr)}, which contains no velocity")
        elif any(velocities_in(expr.diff(v)) for v in moving):
            faults.append(f"{what} is {shown(expr)}, which is not linear in the velocities")
        out.append(expr)
    return tuple(out), faults


def _names(given: object) -> tuple[tuple[str, ...], list[str]]:
    listed = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    foreign = [x for x in listed if not isinstance(x, str)]
    return tuple(map(str, listed)), [f"of has {x!r}; the name of a constraint is meant" for x in foreign]


def _coefficient(nature: str, name: str, value: object) -> Expr:
    expr, faults = expression(value, name)
    if expr is not None and has_plain_sign(expr) and expr.is_negative:
        faults.append(f"{name}={expr} is negative")
    refuse(ModelError, nature, faults)
    assert expr is not None  # no faults: there is an expression
    return expr
