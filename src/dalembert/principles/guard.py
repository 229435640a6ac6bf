"""Numbers that double precision cannot decide, told in words instead of by a factorisation that breaks down."""

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

from dalembert.principles.errors import InstantError

P = ParamSpec("P")
R = TypeVar("R")

BREAKDOWNS = (np.linalg.LinAlgError, ArithmeticError)
"""What NumPy, SciPy and Python say where a factorisation breaks down, or a number leaves the range of floats."""


def in_words(function: Callable[P, R]) -> Callable[P, R]:
    """The same function of an instant, raising InstantError where its numbers leave what double precision can hold.

    Overflow, a division by zero and what is not a number count as errors inside it; a number that is too small to be
    kept is zero.
    """

    @wraps(function)
    def guarded(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"):
                return _checked(function(*args, **keywords))
        except BREAKDOWNS as error:
            said = (
                f"the numbers are too large, too small or too far apart for double precision ({error}): "
                "state the system in units nearer to the sizes that occur in it"
            )
            raise InstantError([said]) from None

    return guarded


def _checked(found: R) -> R:
    """What was found. Raises FloatingPointError where an array in it is not finite: products may overflow unnoticed."""
    parts = found if isinstance(found, tuple) else vars(found).values() if is_dataclass(found) else ()
    if any(isinstance(part, np.ndarray) and not np.isfinite(part).all() for part in parts):
        raise FloatingPointError("a number is not finite")
    return found
