"""Constraints, stated as the mechanician writes them: frozen values, checked when built.

All become rows of A(q, q̇, t) q̈ = b(q, q̇, t) when they are derived. Any number may be stated, redundant ones too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sympy import Add, Expr, Ge, Gt, Integer, Le, Lt, Mul

from dalembert.model.checks import (
    coordinates_in,
    expression,
    has_plain_sign,
    is_coordinate,
    name_of,
    no_reactions,
    velocities_in,
    velocity,
)
from dalembert.model.clock import time
from dalembert.model.constants import shown
from dalembert.model.errors import ModelError, refuse
from dalembert.model.natures import Coulomb, Ideal, Nature, Prescribed, Quadratic, Viscous
from dalembert.model.writing import canonical


@dataclass(frozen=True)
class Holonomic:
    """φ(q, t) = 0: a relation among coordinates and time; it is differentiated twice."""

    expr: Expr
    name: str = ""
    nature: Nature = Ideal()  # noqa: RUF009  (a frozen value)

    def __post_init__(self) -> None:
        what = _subject(self)
        expr, faults = _relation(self.expr, "the expression")
        if expr is not None and (moving := velocities_in(expr)):
            listed = ", ".join(sorted(name_of(v) for v in moving))
            faults.append(f"contains the velocity {listed}: a relation with velocities is Nonholonomic")
        refuse(ModelError, what, [*faults, *_details(self.name, self.nature)])
        object.__setattr__(self, "expr", expr)

    def expressions(self) -> Iterator[Expr]:
        """The expression φ."""
        yield self.expr


@dataclass(frozen=True)
class Nonholonomic:
    """ψ(q, q̇, t) = 0, with any dependence on velocity; it is differentiated once."""

    expr: Expr
    name: str = ""
    nature: Nature = Ideal()  # noqa: RUF009  (a frozen value)

    def __post_init__(self) -> None:
        expr, faults = _relation(self.expr, "the expression")
        if expr is not None and coordinates_in(expr) and not velocities_in(expr):
            faults.append(f"{shown(expr)} contains no velocity: a relation among coordinates is Holonomic")
        refuse(ModelError, _subject(self), [*faults, *_details(self.name, self.nature)])
        object.__setattr__(self, "expr", expr)

    def expressions(self) -> Iterator[Expr]:
        """The expression ψ."""
        yield self.expr


@dataclass(frozen=True, init=False)
class Differential:
    """Σ a_j dq_j + a_t dt = 0: a differential form, by its coefficients.

    `form` maps coordinates, and time for the last term, to the coefficients of their differentials:
    `Differential({y: 1, theta: -R})` states dy − R dθ = 0.
    """

    coefficients: tuple[tuple[Expr, Expr], ...]
    name: str = ""
    nature: Nature = Ideal()  # noqa: RUF009  (a frozen value)

    def __init__(self, form: Mapping[Expr, Expr], name: str = "", nature: Nature = Ideal()) -> None:  # noqa: B008
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "nature", nature)
        if not isinstance(form, Mapping):
            raise ModelError(_subject(self), [f"the form is {form!r}; give a mapping {{coordinate: coefficient}}"])
        faults: list[str] = []
        kept: list[tuple[Expr, Expr]] = []
        for variable, value in form.items():
            if not is_coordinate(variable) and variable != time():
                faults.append(f"{variable!r} is neither a coordinate nor the time {time()}")
                continue
            what = f"the coefficient of d{name_of(variable)}"
            expr, found = expression(value, what)
            faults += found
            if expr is not None:
                faults += no_reactions(expr, what)
                if moving := velocities_in(expr):
                    listed = ", ".join(sorted(name_of(v) for v in moving))
                    faults.append(f"{what} contains the velocity {listed}: use Nonholonomic")
                if expr != 0:
                    kept.append((variable, expr))
        if not faults and all(variable == time() for variable, _ in kept):
            faults.append("has no coefficient of a coordinate: it constrains nothing")
        refuse(ModelError, _subject(self), [*faults, *_details(self.name, self.nature)])
        object.__setattr__(self, "coefficients", tuple(sorted(kept, key=lambda pair: str(pair[0]))))

    @property
    def expr(self) -> Expr:
        """The form divided by dt: Σ a_j q̇_j + a_t."""
        terms = [a if q == time() else Mul(a, velocity(q), evaluate=False) for q, a in self.coefficients]
        return canonical(Add(*terms, evaluate=False))

    def expressions(self) -> Iterator[Expr]:
        """The form divided by dt, which holds every coordinate and symbol of the constraint."""
        yield self.expr


@dataclass(frozen=True)
class OneSided:
    """φ(q, t) ≥ 0: a contact. While φ = 0 it is a constraint whose force may only push: λ̂ ≥ 0 in Qᶜ = C + Aᵀλ̂.

    It releases where that force would pull. Where it closes, the velocities jump by an impulse in the metric of M, such
    that φ̇ after is −ε φ̇ before: `restitution` ε, from 0 (φ̇ vanishes) to 1 (no energy is lost). With
    `impact_friction` a `Coulomb` nature also acts in that impulse.
    """

    expr: Expr
    restitution: Expr = Integer(0)  # noqa: RUF009  (a frozen value)
    name: str = ""
    nature: Nature = Ideal()  # noqa: RUF009  (a frozen value)
    impact_friction: bool = False

    def __post_init__(self) -> None:
        expr, faults = _relation(self.expr, "the expression", ">=")
        if expr is not None and (moving := velocities_in(expr)):
            listed = ", ".join(sorted(name_of(v) for v in moving))
            faults.append(f"contains the velocity {listed}: a contact is a relation among coordinates and time")
        restitution, found = expression(self.restitution, "the restitution")
        faults += found
        if restitution is not None:
            faults += restitution_faults(restitution)
        rough: object = self.impact_friction
        if not isinstance(rough, bool):
            faults.append(f"impact_friction is {rough!r}, True or False is meant")
        elif rough and not isinstance(self.nature, Coulomb):
            faults.append("impact_friction needs the nature Coulomb, which says how large the friction is")
        refuse(ModelError, _subject(self), [*faults, *_details(self.name, self.nature)])
        object.__setattr__(self, "expr", expr)
        object.__setattr__(self, "restitution", restitution)

    def expressions(self) -> Iterator[Expr]:
        """The expression φ and the restitution."""
        yield self.expr
        yield self.restitution


@dataclass(frozen=True)
class Held:
    """ψ(q, q̇, t) = 0 for a while: what friction, or an active force that switches, keeps; the reaction is theirs.

    `by` says whose. It is not stated: a motion across switches has such constraints from one switch to the next.
    """

    expr: Expr
    name: str
    by: Literal["friction", "force"]
    nature: Nature = Ideal()  # noqa: RUF009  (a frozen value)

    def expressions(self) -> Iterator[Expr]:
        """The expression ψ."""
        yield self.expr


@dataclass(frozen=True)
class HeldAt(Held):
    """φ(q, t) = 0 that is held: a relation among coordinates and time, which is differentiated twice."""


Stated: TypeAlias = Holonomic | Nonholonomic | Differential | OneSided
Constraint: TypeAlias = Stated | Held | HeldAt
ON_POSITIONS = (Holonomic, OneSided, HeldAt)
"""The constraints among coordinates and time, which are differentiated twice."""


def _subject(constraint: Constraint) -> str:
    kind = type(constraint).__name__
    return f"{kind} {constraint.name!r}" if isinstance(constraint.name, str) and constraint.name else kind


def restitution_faults(e: Expr) -> Iterator[str]:
    """What is wrong with a restitution: it is constant, and from 0 to 1 as far as that is plain."""
    if coordinates_in(e) or velocities_in(e) or e.has(time()):
        yield f"the restitution {shown(e)} changes along a motion; a number or an expression of parameters is meant"
    yield from no_reactions(e, "the restitution")
    if has_plain_sign(e) and (e.is_negative or (e - 1).is_positive):
        yield f"the restitution is {shown(e)}, a number from 0 to 1 is meant"


def _relation(value: object, what: str, sign: str = "=") -> tuple[Expr | None, list[str]]:
    if sign == ">=" and isinstance(value, (Ge, Gt, Le, Lt)):
        upper, lower = value.gts, value.lts
        return None, [
            f"{what} is the relation {value}: write ({upper}) - ({lower}), which is kept from falling below zero"
        ]
    expr, faults = expression(value, what)
    if expr is not None:
        faults += no_reactions(expr, what)
        if not faults and not coordinates_in(expr):
            holds: dict[bool | None, str] = {True: ", which always holds", False: ", which can never hold"}
            known = has_plain_sign(expr)
            verdict = holds.get((expr.is_zero if sign == "=" else expr.is_nonnegative) if known else None, "")
            faults.append(f"{shown(expr)} {sign} 0{verdict}, contains no coordinate: it constrains nothing")
    return expr, faults


def _details(name: object, nature: object) -> Iterator[str]:
    if not isinstance(name, str):
        yield f"the name is {name!r}, a text is meant"
    elif any(not c.isprintable() or c in '"\\' for c in name):
        yield f"the name {name!r} contains a quote, a backslash or a character that cannot be printed"
    if not isinstance(nature, (Ideal, Prescribed, Viscous, Quadratic, Coulomb)):
        yield f"the nature is {nature!r}; it is one of Ideal(), Prescribed(C), Viscous(c), Quadratic(c), Coulomb(mu)"
