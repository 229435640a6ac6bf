"""Constraints, stated as the mechanician writes them: frozen values, checked when built.

All become rows of A(q, q̇, t) q̈ = b(q, q̇, t) when they are derived. Any number may be stated, redundant ones too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Add, Expr, Mul

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


Constraint: TypeAlias = Holonomic | Nonholonomic | Differential


def _subject(constraint: Constraint) -> str:
    kind = type(constraint).__name__
    return f"{kind} {constraint.name!r}" if isinstance(constraint.name, str) and constraint.name else kind


def _relation(value: object, what: str) -> tuple[Expr | None, list[str]]:
    expr, faults = expression(value, what)
    if expr is not None:
        faults += no_reactions(expr, what)
        if not faults and not coordinates_in(expr):
            holds: dict[bool | None, str] = {True: ", which always holds", False: ", which can never hold"}
            verdict = holds.get(expr.is_zero if has_plain_sign(expr) else None, "")
            faults.append(f"{shown(expr)} = 0{verdict}, contains no coordinate: it constrains nothing")
    return expr, faults


def _details(name: object, nature: object) -> Iterator[str]:
    if not isinstance(name, str):
        yield f"the name is {name!r}, a text is meant"
    elif any(not c.isprintable() or c in '"\\' for c in name):
        yield f"the name {name!r} contains a quote, a backslash or a character that cannot be printed"
    if not isinstance(nature, (Ideal, Prescribed, Viscous, Quadratic, Coulomb)):
        yield f"the nature is {nature!r}; it is one of Ideal(), Prescribed(C), Viscous(c), Quadratic(c), Coulomb(mu)"
