"""What is generically true of expressions, tried at random points: exactly where residues know their functions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import numpy as np
from sympy import Expr, Function, Integer, Symbol

from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import Real
from dalembert.derive.exact.residues import PRIMES, UNRELATED, Points
from dalembert.model.writing import leaves_first

ENOUGH = 3  # points at which all exists
DRAWN = (4, 40, 640)  # points drawn, more where too few were good: each square root halves them
REALS, TRIES = 8, 60  # points of reals that are looked at, and that are tried
MOST = 1e15

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
        if not self.points:
            return "not tried"
        how = "exact arithmetic" if self.exact else "arithmetic of 50 digits"
        at = f"{self.points} random point{'s' * (self.points != 1)}"
        return f"by {how} at {at}, chance of error below {self.chance:.0e}"


PROVED = Evidence(True, 0, 0.0)
UNTRIED = Evidence(False, 0, 1.0)


def tried(
    expressions: Sequence[Expr],
    variables: Sequence[Symbol],
    ask: Callable[[Germs], T],
    merge: Callable[[list[T]], T],
    order: int = 1,
) -> tuple[T, Evidence]:
    """What `ask` finds of jets of expressions at random points.

    Residues at many points at once where they know all functions and the relations among them; else reals, at points of
    several sizes and of both signs, whose answers `merge` makes one. Raises `Untried` where no point was found at which
    all exists.
    """
    if not any(e.has(*UNRELATED) for e in expressions):
        try:
            for numbers in _residues(expressions, variables):
                found = ask(Germs(numbers, variables, order))
                if (good := int(np.count_nonzero(numbers.good))) >= ENOUGH:
                    return found, Evidence(True, good, _chance(expressions, good))
        except Unvalued:
            pass  # reals may know more
    answers: list[T] = []
    try:
        for real in _reals():
            found = ask(Germs(real, variables, order))
            if real.good.all():
                answers.append(found)
            if len(answers) == REALS:
                break
    except Unvalued as error:
        raise Untried(str(error)) from None
    if not answers:
        raise Untried("no point was found at which all of it exists")
    return merge(answers), Evidence(False, len(answers), 1e-20)


def _residues(expressions: Sequence[Expr], variables: Sequence[Symbol]) -> Iterator[Points]:
    """Points modulo a prime that divides no number of the expressions."""
    large = {int(n) for e in expressions for n in e.atoms(Integer) if abs(int(n)) >= min(PRIMES)}
    prime = next((p for p in PRIMES[::-1] if not any(n % p == 0 for n in large)), PRIMES[-1])
    for count in DRAWN:
        yield Points(variables, count, prime, seed=2, vary=True)


def _reals() -> Iterator[Real]:
    random = Random(2)
    for attempt in range(TRIES):
        yield Real(random, spread=(1, 1, 3, 10, 30, 1)[attempt % 6], signs=attempt % 3 > 0)


def vanishes(e: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether an expression is identically zero, tried at random points; only a zero can be an accident."""
    if e.is_Rational:
        return bool(e == 0)
    return tried([e], variables, lambda germs: germs.vanish(germs.jet(e)[:1]), all, 0)[0]


def is_closed(row: Sequence[Expr], variables: Sequence[Symbol]) -> bool:
    """Whether the form Σ a_i dx_i is closed: ∂a_i/∂x_j = ∂a_j/∂x_i for all pairs, tried at random points."""

    def ask(germs: Germs) -> bool:
        slopes = np.array([germs.slopes(a) for a in row])
        return germs.vanish((slopes - slopes.transpose(1, 0, 2)).reshape(-1, germs.numbers.count))

    return tried(row, variables, ask, all)[0]


def _chance(expressions: Iterable[Expr], points: int) -> float:
    """(degree/p)^points, with a generous degree of all minors and brackets of these expressions."""
    degree = sum(max(1.0, _degree(e)) for e in expressions) or 1.0
    return min(max((8.0 * degree * 2.0**-30) ** points, 1e-60), 1.0)


def _degree(e: Expr) -> float:
    """The degree of an expression as a rational function of what it is made of, to its order of magnitude."""
    made: dict[Any, float] = {}
    for node in leaves_first(e):
        parts = [made[a] for a in node.args]
        if node.is_Mul:
            made[node] = sum(parts)
        elif node.is_Pow and node.exp.is_Rational:
            made[node] = parts[0] * abs(float(node.exp.p))
        elif isinstance(node, Function):
            made[node] = 60 * (1 + max(parts, default=0.0))  # angles are taken as 60 times a sixtieth
        else:
            made[node] = max(parts, default=float(isinstance(node, Symbol)))
        made[node] = min(made[node], MOST)
    return made[e]
