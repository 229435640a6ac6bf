"""What jets ask of the numbers they are made of, at one point or at many points at once."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from sympy import Expr, Symbol

Array = np.ndarray


class Unvalued(Exception):
    """An expression that these numbers have no value for; the reason is the message."""


class Numbers(Protocol):
    """Numbers at `count` points: arrays of shape (count,), of which those where `good` is False mean nothing.

    What does not exist at a point (1/0, the root of what has none) makes that point no longer good.
    """

    count: int
    good: Array
    dtype: Any

    def reduce(self, a: Array) -> Array:
        """Numbers in normal form."""
        ...

    def rational(self, number: Expr) -> Any:
        """A rational number, or a decimal one as it is written."""
        ...

    def symbol(self, s: Symbol) -> Array:
        """The values of a symbol."""
        ...

    def start(self, e: Expr, parts: Sequence[Array]) -> Array:
        """The values of a function, or of a power that is not whole, whose arguments have the values `parts`."""
        ...

    def drawn(self, e: Expr) -> Array:
        """New random values to stand for an expression."""
        ...

    def inverse(self, x: Array) -> Array:
        """1/x."""
        ...

    def size(self, a: Array) -> Any:
        """The largest size among numbers, beside which a rounding is told from one; None where nothing is rounded."""
        ...

    def sign(self, x: Array) -> Array:
        """+1 or −1; raises Unvalued where these numbers have no order."""
        ...

    def pivot(self, values: Array, scale: Any = None) -> int | None:
        """The place of the best of some numbers (places, count) to divide by; None where all of them vanish.

        Points at which it vanishes are no longer good. `scale` is the size beside which rounding is told from a number.
        """
        ...
