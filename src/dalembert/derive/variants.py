"""Statements made of a statement: with other expressions, constraints or natures. They are not checked again."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, TypeVar

from sympy import Expr, Float, ImmutableDenseMatrix, Integer, Pow, Symbol

from dalembert.model import (
    Constraint,
    Coulomb,
    Differential,
    Following,
    Holonomic,
    Ideal,
    Lagrangian,
    MassAndForce,
    Nature,
    OneSided,
    Prescribed,
    Quadratic,
    Statement,
    Viscous,
    all_expressions,
)
from dalembert.model.checks import parameters_in

V = TypeVar("V")


def mapped(form: Statement, change: Callable[[Expr], Expr]) -> Statement:
    """The same statement with each of its expressions changed, and the symbols that brings as further parameters.

    It is not checked again. The start, which a form does not have, stays as it is.
    """
    return with_symbols(form, change, form.symbols)


def with_symbols(form: Statement, change: Callable[[Expr], Expr], symbols: Iterable[Symbol]) -> Statement:
    """The same with these parameters, and those that the changed expressions have."""
    out = object.__new__(type(form))
    kept = {f.name: getattr(form, f.name) for f in fields(form)}
    kept["constraints"] = tuple(_constraint(c, change) for c in form.constraints)
    match form.unconstrained:
        case Lagrangian(function=L, forces=forces):
            kept["unconstrained"] = Lagrangian(change(L), tuple(map(change, forces)))
        case MassAndForce(mass=M, forces=Q):
            entries = ImmutableDenseMatrix(M.rows, M.cols, [change(e) for e in M])
            kept["unconstrained"] = MassAndForce(entries, tuple(map(change, Q)))
        case body:
            points = tuple(_with(p, mass=change(p.mass), force=tuple(map(change, p.force))) for p in body.points)
            kept["unconstrained"] = replace(body, points=points, potential=change(body.potential))
    for name, value in kept.items():
        object.__setattr__(out, name, value)
    object.__setattr__(out, "values", ())
    used = parameters_in(e for _, e in all_expressions(out))
    values = tuple((s, 0.0) for s in sorted(used.union(symbols), key=lambda s: s.name))
    object.__setattr__(out, "values", values)
    return out


def _constraint(c: Constraint, change: Callable[[Expr], Expr]) -> Constraint:
    nature = _nature(c.nature, change)
    if isinstance(c, Differential):
        return _with(c, coefficients=tuple((q, change(a)) for q, a in c.coefficients), nature=nature)
    if isinstance(c, OneSided):
        return _with(c, expr=change(c.expr), restitution=change(c.restitution), nature=nature)
    return _with(c, expr=change(c.expr), nature=nature)


def _nature(nature: Nature, change: Callable[[Expr], Expr]) -> Nature:
    match nature:
        case Prescribed(components=components):
            return _with(nature, components=tuple((q, change(e)) for q, e in components))
        case Viscous(coefficient=c) | Quadratic(coefficient=c):
            return _with(nature, coefficient=change(c))
        case Coulomb(coefficient=mu, static=static, sliding=sliding):
            return _with(
                nature,
                coefficient=change(mu),
                static=None if static is None else change(static),
                sliding=None if sliding is None else tuple(map(change, sliding)),
            )
        case Following(components=parts):
            return _with(nature, components=tuple((i, change(e)) for i, e in parts))
        case Ideal():
            return nature
    raise TypeError(f"{nature!r} is not a nature of which the expressions are known")


def _with(value: V, **changed: Any) -> V:
    """A frozen value with some fields changed, not checked again."""
    out = copy(value)
    for name, new in changed.items():
        object.__setattr__(out, name, new)
    return out


def with_expression(constraint: Constraint, expr: Expr) -> Constraint:
    """The constraint with another left-hand side."""
    return _with(constraint, expr=expr)


def in_force(constraint: Constraint, nature: Nature | None = None) -> Constraint:
    """A constraint as it stands in a stage: one-sided ones are holonomic, friction is what it is there, or nothing."""
    own = nature or (Ideal() if isinstance(constraint.nature, Coulomb) else constraint.nature)
    if isinstance(constraint, OneSided):
        closed = object.__new__(Holonomic)
        for name, value in (("expr", constraint.expr), ("name", constraint.name), ("nature", own)):
            object.__setattr__(closed, name, value)
        return closed
    return _with(constraint, nature=own)


def prescribed(components: Iterable[tuple[Expr, Expr]]) -> Prescribed:
    """The nature with these components of C, by coordinate."""
    nature = object.__new__(Prescribed)
    object.__setattr__(nature, "components", tuple(components))
    return nature


def two_sided(system: Statement, closed: tuple[int, ...] = ()) -> Statement:
    """The statement with ideal constraints, of the one-sided ones only those closed; itself where all are two-sided."""
    if not any(isinstance(c, OneSided) for c in system.constraints):
        return system
    ideal = bare(system)
    rows = [c for j, c in enumerate(ideal.constraints) if j in closed or not isinstance(c, OneSided)]
    return with_constraints(ideal, [in_force(c) for c in rows])


def bare(base: Statement) -> Statement:
    """The statement with all its constraints, and all of them ideal: for what is only geometry."""
    return with_constraints(base, [_with(c, nature=Ideal()) for c in base.constraints])


def with_constraints(base: Statement, constraints: Iterable[Constraint], extra: Iterable[Symbol] = ()) -> Statement:
    """The statement with other constraints, the same parameters, and some more."""
    out = object.__new__(type(base))
    symbols = sorted({*base.symbols, *extra}, key=lambda s: s.name)
    kept = {f.name: getattr(base, f.name) for f in fields(base)}
    kept |= {"constraints": tuple(constraints), "values": tuple((s, 0.0) for s in symbols)}
    for name, value in kept.items():
        object.__setattr__(out, name, value)
    return out


def with_exponents(system: Statement, values: Iterable[float]) -> Statement:
    """The statement with numbers for those parameters that are exponents: x² has a slope at zero, x^p in general none.

    All parameters stay, in the same order.
    """
    form = system.form()
    found = _exponents(form)
    if not found:
        return system
    given = dict(zip(form.symbols, values, strict=True))
    numbers = {s: Integer(int(v)) if float(v).is_integer() else Float(v) for s in found if (v := given[s]) is not None}
    return with_symbols(form, lambda e: e.xreplace(numbers), form.symbols)


@lru_cache(maxsize=256)
def _exponents(form: Statement) -> tuple[Symbol, ...]:
    """The parameters that are in an exponent of something that moves."""
    powers = {p for _, e in all_expressions(form) for p in e.atoms(Pow) if p.exp.free_symbols}
    own = {s for p in powers if not p.base.is_number for s in p.exp.free_symbols if s in form.symbols}
    return tuple(sorted(own, key=lambda s: s.name))
