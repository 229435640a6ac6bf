"""A stage of a motion: a smooth statement, and what must stay positive for it to hold.

A system that switches is at every moment a smooth system like any other: contacts that are closed are constraints,
those that are open are not there; friction that slides has a direction, friction that sticks is a constraint with a
reaction of its own; what stands in |x| or sign(x) has a sign. One statement says all of it: which rows are in force and
which way friction points are parameters of it, with values at run time. The guards say how long they hold.
"""

from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Symbol

from dalembert.derive.variants import with_constraints
from dalembert.model import Reaction, Statement


class Actual(Reaction):
    """The actual multiplier λ̂ of a constraint, Qᶜ = C + Aᵀλ̂, by the constraint's name."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A smooth statement, whose constraints may also be `Held`, and whose natures may be `Following`.

    `run_time`: those of its parameters that are such values. `masks`: for each row the parameter that says whether it
    is in force (1 or 0), None where it always is; empty where all are. `guards`: expressions that may refer to
    reactions and must stay positive. `levels`: the left-hand sides of all constraints of the system the stage is of, in
    force or not. `looked`: what else is looked at. `still`: for each coordinate the parameter that is 0 where it cannot
    move, else 1; empty where all can. `lent`: what rows that are not in force bear all the same, by row. `either`: rows
    whose friction follows an actual force that may push or pull.
    """

    statement: Statement
    run_time: frozenset[Symbol] = frozenset()
    masks: tuple[Symbol | None, ...] = ()
    guards: tuple[Expr, ...] = ()
    levels: tuple[Expr, ...] = ()
    looked: tuple[Expr, ...] = ()
    still: tuple[Symbol, ...] = ()
    lent: tuple[tuple[int, Expr], ...] = ()
    either: tuple[int, ...] = ()


@lru_cache(maxsize=64)
def whole(form: Statement) -> Stage:
    """The one stage of a statement in which nothing switches."""
    return Stage(form)


@lru_cache(maxsize=64)
def spare(form: Statement) -> Stage:
    """The same where each row may be taken or left: those that are redundant, and at each place others."""
    masks = fresh_symbols(form, "row", len(form.constraints))
    return Stage(with_constraints(form, form.constraints, masks), frozenset(masks), masks)


def fresh_symbols(form: Statement, name: str, count: int) -> tuple[Symbol, ...]:
    """Real symbols of this name with a number, primed where the statement has such a name."""
    taken = {s.name for s in (*form.symbols, *form.coordinates)}
    while any(f"{name} {k + 1}" in taken for k in range(count)):
        name += "'"
    return tuple(Symbol(f"{name} {k + 1}", real=True) for k in range(count))
