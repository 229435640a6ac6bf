"""A stage of a motion: a smooth statement, and what must stay positive for it to hold.

A system that switches is at every moment a smooth system like any other: contacts that are closed are constraints,
those that are open are not there; friction that slides has a direction, friction that sticks is a constraint with a
reaction of its own; what stands in |x| or sign(x) has a sign. The guards say how long.
"""

from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr

from dalembert.model import Reaction, Statement


class Actual(Reaction):
    """The actual multiplier λ̂ of a constraint, Qᶜ = C + Aᵀλ̂, by the constraint's name."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A smooth statement, whose constraints may also be `Held`, and whose natures may be `Following`.

    `guards`: expressions that may refer to reactions and must stay positive. `levels`: the left-hand sides of all
    constraints of the system the stage is of, in force or not. `still`: the coordinates that cannot move, by place.
    """

    statement: Statement
    guards: tuple[Expr, ...] = ()
    levels: tuple[Expr, ...] = ()
    still: tuple[int, ...] = ()


@lru_cache(maxsize=64)
def whole(form: Statement) -> Stage:
    """The one stage of a statement in which nothing switches."""
    return Stage(form)
