"""Factors of constraints that are never zero: e^(−t) (x² + y² − 1) = 0 says what x² + y² − 1 = 0 says.

A motion keeps what a constraint is to the rounding of its terms. Where a factor falls by orders of magnitude, what was
rounding before is none any more: a motion is kept on the rest of the constraint instead. The motion and the forces are
the same; the multiplier of the constraint as it was stated is that of the rest over the factor.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sympy import Add, Dummy, Expr, Mul, Pow, S, lambdify

from dalembert.derive.exact.cases import switching_in
from dalembert.derive.prepared import form as form_of
from dalembert.derive.reducing.bounds import never_zero
from dalembert.derive.variants import with_constraints, with_expression
from dalembert.model import (
    Coulomb,
    Holonomic,
    Multiplier,
    Nonholonomic,
    Particles,
    Statement,
    time,
)
from dalembert.principles.errors import Array


class Bared(NamedTuple):
    """A statement without such factors, and the factor of each constraint."""

    statement: Statement
    factors: tuple[Expr, ...]

    @property
    def any(self) -> bool:
        """Whether there are factors at all."""
        return any(f != 1 for f in self.factors)

    def at(self, times: Array, states: Array, values: Array) -> Array:
        """The factors along states (k, m)."""
        found = _function(self)(*states.T, times, *values)
        out = np.ones((len(times), len(self.factors)))
        for column, value in zip(out.T, found, strict=True):
            column[:] = value
        return out


def without_factors(system: Statement) -> Bared:
    """The same constraints without factors that vary and are never zero; the statement itself where there are none."""
    found = _bared(form_of(system))
    return found if found.any else Bared(system, found.factors)


@lru_cache(maxsize=256)
def _bared(form: Statement) -> Bared:
    known = {x: Dummy(real=True) for x in (*form.coordinates, *form.velocities, time())}
    known |= {s: Dummy(real=True) for s in form.symbols if not s.is_real}
    moving = {known[x] for x in (*form.coordinates, *form.velocities, time())}
    named = _named(form)

    def varies(e: Expr) -> bool:
        own = e.xreplace(known)
        return bool(own.free_symbols & moving) and not switching_in(e) and _nonzero(own)

    rows, factors = [], []
    for c in form.constraints:
        out = S.One
        if type(c) in (Holonomic, Nonholonomic) and c.name not in named:
            common = set.intersection(*(set(Mul.make_args(term)) for term in Add.make_args(c.expr)))
            out = Mul(*sorted((f for f in common if varies(f)), key=lambda f: f.sort_key()))
        rows.append(c if out == 1 else with_expression(c, Add(*(term / out for term in Add.make_args(c.expr)))))
        factors.append(out)
    return Bared(with_constraints(form, rows), tuple(factors))


def _named(form: Statement) -> set[str]:
    """The constraints whose multiplier a nature speaks of, as a number that depends on how they are written."""
    natures = [c.nature for c in form.constraints]
    out = {str(m.args[0]) for nature in natures for e in nature.expressions() for m in e.atoms(Multiplier)}
    if not isinstance(form.unconstrained, Particles):
        for c in form.constraints:
            if isinstance(c.nature, Coulomb) and c.nature.sliding is not None:
                out |= set(c.nature.of) or {c.name}
    return out


def _nonzero(e: Expr) -> bool:
    """Whether an expression of real symbols is never zero where it has a value."""
    if isinstance(e, Pow) and e.exp.is_number:
        return _nonzero(e.base)
    return never_zero(e)


@lru_cache(maxsize=64)
def _function(bared: Bared) -> Callable[..., list[Array]]:
    form = bared.statement
    out: Callable[..., list[Array]] = lambdify(
        [*form.coordinates, *form.velocities, time(), *form.symbols], list(bared.factors), "numpy"
    )
    return out
