"""The nature of a constraint force: the work it does under a virtual displacement v is vᵀC.

Each nature states the vector C(q, q̇, t) it contributes (Udwadia and Kalaba 2001, section 2.2; Udwadia 2000,
section 5). A system's C is the sum over its constraints. How C follows from a nature is in `derive/natures.py`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sympy import Basic, Expr, MatrixBase, Piecewise
from sympy.functions.elementary.piecewise import ExprCondPair

from dalembert.model.checks import expression, has_plain_sign, is_velocity, name_of, no_reactions
from dalembert.model.constants import shown
from dalembert.model.errors import ModelError, refuse
from dalembert.model.writing import leaves_first

NORMALS = ("ideal", "actual")


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
        object.__setattr__(self, "coefficient", _drag("Viscous", c))

    def expressions(self) -> Iterator[Expr]:
        """The coefficient."""
        yield self.coefficient


@dataclass(frozen=True, init=False)
class Quadratic:
    """C = −c |q̇| q̇: drag as the square of the speed, the velocities as in `Viscous`, |q̇|² the sum of their squares."""

    coefficient: Expr

    def __init__(self, c: Expr | float) -> None:
        object.__setattr__(self, "coefficient", _drag("Quadratic", c))

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
      "actual", friction that follows the force it exerts, which friction itself changes (of its own constraint alone).
    - `sliding`: the sliding velocity, one expression linear in the velocities, or two for its components at right
      angles. Then N = |λ_j|, which is the force for a constraint stated as a distance; among mass points |λ_j ∂φ/∂r|.
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
        kinetic, faults = _coefficient("mu", mu)
        holding, found = (None, []) if static is None else _coefficient("static", static)
        faults += found
        if kinetic is not None and holding is not None and _is_below(holding, kinetic):
            faults.append(f"static={shown(holding)} is below mu={shown(kinetic)}")
        if normal not in NORMALS:
            faults.append(f"normal is {normal!r}; it can be 'ideal' or 'actual'")
        slides, found = _sliding(sliding)
        names, more = _names(of)
        refuse(ModelError, "Coulomb", [*faults, *found, *more])
        object.__setattr__(self, "coefficient", kinetic)
        object.__setattr__(self, "static", holding)
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "sliding", slides)
        object.__setattr__(self, "of", names)

    def expressions(self) -> Iterator[Expr]:
        """The coefficients, and the sliding velocity where it is given."""
        yield self.coefficient
        if self.static is not None:
            yield self.static
        yield from self.sliding or ()


@dataclass(frozen=True)
class Following:
    """C = d λ̂ with λ̂ the actual multiplier of its own constraint, Qᶜ = C + Aᵀλ̂: what friction is while it slides.

    `components` are the d of coordinates, by their places. A reaction along u in place of Aᵀ has d = u − Aᵀ. It is not
    stated: a motion across switches has it from one switch to the next.
    """

    components: tuple[tuple[int, Expr], ...]

    def expressions(self) -> Iterator[Expr]:
        """The components of d."""
        return (value for _, value in self.components)


Nature: TypeAlias = Ideal | Prescribed | Viscous | Quadratic | Coulomb | Following


def _sliding(given: object) -> tuple[tuple[Expr, ...] | None, list[str]]:
    """The components of a sliding velocity."""
    if given is None:
        return None, []
    listed = list(given) if isinstance(given, (Iterable, MatrixBase)) and not isinstance(given, str) else [given]
    faults = list(sliding_count(len(listed), "sliding"))
    out: list[Expr] = []
    for number, value in enumerate(listed, 1):
        what = "sliding" if len(listed) == 1 else f"sliding[{number}]"
        expr, found = expression(value, what)
        faults += found
        if expr is not None:
            faults += sliding_faults(expr, what)
            out.append(expr)
    return tuple(out), faults


def sliding_count(number: int, what: str) -> Iterator[str]:
    """A fault where a sliding velocity has not one or two components."""
    if not 1 <= number <= 2:
        yield f"{what} has {number} components, one or two are meant"


def sliding_faults(expr: Expr, what: str) -> Iterator[str]:
    """What is wrong with a component of a sliding velocity: it is linear in the velocities and has no reaction."""
    yield from no_reactions(expr, what)
    degree = _degree(expr)
    if degree == 0:
        yield f"{what} is {shown(expr)}, which contains no velocity"
    elif degree > 1:
        yield f"{what} is {shown(expr)}, which is not linear in the velocities"


def _degree(expr: Expr) -> int:
    """The degree of an expression in the velocities, as far as its form shows; 2 for all that is not linear."""
    made: dict[Basic, int] = {}
    for node in leaves_first(expr):
        parts = [made[a] for a in node.args]
        if is_velocity(node):
            made[node] = 1
        elif node.is_Mul:
            made[node] = min(sum(parts), 2)
        elif node.is_Add or isinstance(node, Piecewise):
            made[node] = max(parts)
        elif isinstance(node, ExprCondPair):
            made[node] = 2 if parts[1] else parts[0]
        else:
            made[node] = 2 if any(parts) else 0
    return made[expr]


def _names(given: object) -> tuple[tuple[str, ...], list[str]]:
    """The names of constraints, one or several, each once."""
    listed = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    faults = [f"of has {x!r}; the name of a constraint is meant" for x in listed if not isinstance(x, str)]
    names = [x for x in listed if isinstance(x, str)]
    faults += [f"of names the constraint {name!r} more than once" for name, n in Counter(names).items() if n > 1]
    return tuple(names), faults


def _coefficient(name: str, value: object) -> tuple[Expr | None, list[str]]:
    """A coefficient, which is not negative as far as that is plain."""
    expr, faults = expression(value, name)
    if expr is not None and has_plain_sign(expr) and expr.is_negative:
        faults.append(f"{name}={shown(expr)} is negative")
    return expr, faults


def _is_below(one: Expr, other: Expr) -> bool:
    """Whether that is plain to see."""
    return has_plain_sign(one) and has_plain_sign(other) and bool((one - other).is_negative)


def _drag(nature: str, value: object) -> Expr:
    expr, faults = _coefficient("c", value)
    refuse(ModelError, nature, faults)
    assert expr is not None  # no faults: there is an expression
    return expr
