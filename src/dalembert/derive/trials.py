"""What is generically true of expressions, tried at random points: exactly where a prime field knows the functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from sympy import Expr, Function, Symbol

from dalembert.derive.exact import Point, scan
from dalembert.derive.fields import BadPoint, Field, Modular, NotExact, Real
from dalembert.model.writing import leaves_first

POINTS = 3
MOST_POINTS = 400  # tried before giving up: each square root halves the points of a prime field at which all is defined

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
    ask: Callable[[Point], T],
    order: int = 1,
    values: Mapping[Symbol, Expr] | None = None,
    points: int = POINTS,
) -> tuple[list[T], Evidence]:
    """What `ask` finds of jets at several random points; `values` of parameters that have one are held.

    Raises `Untried` where no point was found at which everything exists.
    """
    random, held = Random(2), dict(values or {})
    fractions = scan(expressions)
    makers: tuple[Callable[[], Field], ...] = (lambda: Modular(random, fractions), lambda: Real(random))
    reason = "no point was found at which all of it exists"
    for make in makers:
        found: list[T] = []
        try:
            for _ in range(MOST_POINTS):
                field = make()
                try:
                    given = {s: field.rational(x) for s, x in held.items()}
                    found.append(ask(Point(field, variables, order, given)))
                except BadPoint:
                    continue
                if len(found) == points:
                    exact = isinstance(field, Modular)
                    return found, Evidence(exact, points, _chance(expressions, exact, points))
        except NotExact as error:
            reason = str(error)
    raise Untried(reason)


def vanishes(e: Expr, variables: Sequence[Symbol], values: Mapping[Symbol, Expr] | None = None) -> bool:
    """Whether an expression is identically zero, tried at random points; only a zero can be an accident."""
    if e.is_Rational:
        return bool(e == 0)
    found, _ = tried([e], variables, lambda point: point.field.is_zero(point.jet(e)[0]), 0, values)
    return all(found)


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
            made[node] = 2 + max(parts, default=0)
        else:
            made[node] = max(parts, default=int(isinstance(node, Symbol)))
    return made[e]
