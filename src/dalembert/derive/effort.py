"""A bound for symbolic work, counted in steps: the same input is given up at the same step, however busy the machine.

A step is about one term that is written out, cancelled or factored: one to three milliseconds on a machine of 2024.
What would be large is known from its size before it is begun (`sizes`), so nothing is ever interrupted.
"""

from contextvars import ContextVar, Token
from typing import Self

from sympy import Expr

from dalembert.derive.sizes import size_of

UNIT = 400  # steps that a machine of 2024 makes in about a second
MOST_TERMS = 2000  # that one expression may have when it is written out


class TooMuch(Exception):
    """Work that would take more steps than it may; the reason is the message."""


class Budget:
    """So many units of work, for all blocks in which it is used: `with budget: …`."""

    def __init__(self, units: float) -> None:
        self.left = units * UNIT
        self._tokens: list[Token[tuple[Budget, ...]]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_BUDGETS.set((*_BUDGETS.get(), self)))
        return self

    def __exit__(self, *_: object) -> None:
        _BUDGETS.reset(self._tokens.pop())


_BUDGETS: ContextVar[tuple[Budget, ...]] = ContextVar("budgets", default=())


def effort(units: float) -> Budget:
    """Allow so many units of work in a block, and no more than what is left of blocks around it."""
    return Budget(units)


def spend(steps: float) -> None:
    """Count work that is about to be done. Raises TooMuch where that is more than is left."""
    for budget in _BUDGETS.get():
        budget.left -= steps
    if not all(budget.left >= 0 for budget in _BUDGETS.get()):
        raise TooMuch("it takes more steps than are given to it")


def affordable(steps: float) -> bool:
    """Whether so much work may still be done."""
    return all(budget.left >= steps for budget in _BUDGETS.get())


def weigh(*expressions: Expr, most: int = MOST_TERMS) -> None:
    """Count the terms of expressions that are about to be written out. Raises TooMuch where there are too many."""
    terms = sum(size_of(e).terms for e in expressions)
    if terms > most:
        raise TooMuch(f"up to {terms} terms would be written out; the limit is {most}")
    spend(terms)
