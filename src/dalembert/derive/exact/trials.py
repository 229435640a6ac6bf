"""What is generically true of expressions, tried at random points: exactly where residues know their functions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import numpy as np
from sympy import Expr, Function, Symbol

from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import Real
from dalembert.derive.exact.residues import PRIMES, Points
from dalembert.model.writing import leaves_first

ENOUGH = 3  # points at which all exists
DRAWN = (5, 40, 640)  # points drawn, more where too few were good: each square root halves them
REALS = 40  # points of reals that are tried one after the other

T = TypeVar("T")


class Untried(Exception):
    """Nothing could be evaluated anywhere; the reason is the message."""


@dataclass(frozen=True)
class Evidence:
    """How something was found: by exact arithmetic or by numbers of 50 digits, at how many random points.

    `chance` bounds, to its order of magnitude, the probability that what vanished at all of them does not vanish
    identically; it is 0 where that is proved.
    """

    exact: bool
    points: int
    chance: float

    @property
    def words(self) -> str:
        """In words."""
        if not self.chance:
            return "proved"
        how = "exact arithmetic" if self.exact else "arithmetic of 50 digits"
        return f"by {how} at {self.points} random points, chance of error below {self.chance:.0e}"


PROVED = Evidence(True, 0, 0.0)


def tried(
    expressions: Sequence[Expr],
    variables: Sequence[Symbol],
    ask: Callable[[Germs], T],
    order: int = 1,
    values: Mapping[Symbol, Expr] | None = None,
) -> tuple[T, Evidence]:
    """What `ask` finds of jets of expressions at random points; parameters that have a value are held at it.

    Residues at many points at once where they know all functions, else reals at one point. Raises
    `Untried` where no point was found at which all exists.
    """
    held = dict(values or {})
    try:
        for numbers in _residues(variables, held):
            found = ask(Germs(numbers, variables, order))
            if (good := int(np.count_nonzero(numbers.good))) >= ENOUGH:
                return found, Evidence(True, good, _chance(expressions, True, good))
    except Unvalued:
        pass  # reals may know more
    try:
        for real in _reals(held):
            found = ask(Germs(real, variables, order))
            if real.good.all():
                return found, Evidence(False, 1, _chance(expressions, False, 1))
    except Unvalued as error:
        raise Untried(str(error)) from None
    raise Untried("no point was found at which all of it exists")


def _residues(variables: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> Iterator[Points]:
    p = PRIMES[1]
    values = {s: int(x.p) * pow(int(x.q), -1, p) for s, x in held.items()}
    for count in DRAWN:
        yield Points(variables, count, p, seed=2, values=values, vary=True)


def _reals(held: Mapping[Symbol, Expr]) -> Iterator[Real]:
    random = Random(2)
    for _ in range(REALS):
        real = Real(random)
        real.values |= {s: real.rational(x) for s, x in held.items()}
        yield real


def vanishes(e: Expr, variables: Sequence[Symbol], values: Mapping[Symbol, Expr] | None = None) -> bool:
    """Whether an expression is identically zero, tried at random points; only a zero can be an accident."""
    if e.is_Rational:
        return bool(e == 0)
    return tried([e], variables, lambda germs: germs.vanish(germs.jet(e)[:1]), 0, values)[0]


def _chance(expressions: Iterable[Expr], exact: bool, points: int) -> float:
    """(degree/p)^points, with a generous degree of all minors and brackets of these expressions."""
    degree = sum(max(1, _degree(e)) for e in expressions) or 1
    return max((8.0 * degree * 2.0**-30 if exact else degree * 1e-20) ** points, 1e-60)


def _degree(e: Expr) -> int:
    """The degree of an expression as a rational function of what it is made of, to its order of magnitude."""
    made: dict[Any, int] = {}
    for node in leaves_first(e):
        parts = [made[a] for a in node.args]
        if node.is_Mul:
            made[node] = sum(parts)
        elif node.is_Pow and node.exp.is_Rational:
            made[node] = parts[0] * abs(int(node.exp.p))
        elif isinstance(node, Function):
            made[node] = 60 * (1 + max(parts, default=0))  # angles are taken as 60 times a sixtieth
        else:
            made[node] = max(parts, default=int(isinstance(node, Symbol)))
    return made[e]
