"""Numbers from a seed, and the three ways to state one: as a decimal, as a fraction, as a parameter."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sympy import Expr, Float, Rational, Symbol

from .case import Case


class Draw:
    """A source of numbers for one case; `parameters` collects those that are stated as symbols."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = np.random.default_rng([*name.encode(), seed])
        self.parameters: dict[Expr, float] = {}

    def decimal(self, low: float, high: float, digits: int = 2) -> float:
        """A number of few digits between two others, evenly."""
        return float(round(self.rng.uniform(low, high), digits))

    def power(self, low: float, high: float, digits: int = 2) -> float:
        """A number of few significant digits between two others, evenly in its logarithm."""
        return float(f"{10 ** self.rng.uniform(np.log10(low), np.log10(high)):.{digits - 1}e}")

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def choice(self, *options: Any) -> Any:
        """One of several."""
        return options[int(self.rng.integers(len(options)))]

    def coin(self, chance: float = 0.5) -> bool:
        """True with a chance."""
        return bool(self.rng.random() < chance)

    def sign(self) -> int:
        """Plus or minus one."""
        return self.choice(-1, 1)

    def state(self, name: str, value: float) -> Expr:
        """The value as a decimal, a fraction or a parameter of that name."""
        way = self.whole(0, 2)
        if way == 0:
            return Float(repr(value))
        if way == 1:
            return Rational(repr(value))
        symbol = Symbol(name, real=True)
        self.parameters[symbol] = value
        return symbol


def pick(name: str, kinds: Sequence[Callable[[Draw], Case]], seed: int) -> Case:
    """The case of a class and a seed: kinds in turn, numbers from the seed."""
    return kinds[seed % len(kinds)](Draw(name, seed))
