"""How large an expression is as a quotient of polynomials written out: known before anything is written out.

What SymPy needs to expand, cancel or factor follows the number of terms. So whether it is worth it is decided by that
number, not by a clock: the same expression is treated the same, however busy the machine is.
"""

from math import comb, prod
from typing import NamedTuple

from sympy import Basic, Expr
from sympy.functions.elementary.trigonometric import TrigonometricFunction

ENDLESS = 10**9  # a number of terms beyond which no difference is made
Below = dict[Basic, int]


class Size(NamedTuple):
    """Bounds for an expression over one denominator: terms above and below, degree, and degree in sines and cosines.

    `kernels` are the symbols, functions and roots it is a quotient of polynomials in.
    """

    above: int
    below: int
    degree: int
    turning: int
    kernels: int

    @property
    def terms(self) -> int:
        """Terms above and below together."""
        return min(self.above + self.below, ENDLESS)

    @property
    def turned(self) -> int:
        """Terms where products of sines and cosines are written as sums of angles: twice as many for each factor."""
        return min(self.terms << min(max(self.turning - 1, 0), 30), ENDLESS)


class _Part(NamedTuple):
    above: int
    below: Below
    degree: int
    turning: int


def size_of(e: Expr) -> Size:
    """The size of an expression; functions and powers that are not whole count as symbols."""
    made: dict[Basic, _Part] = {}
    kernels, left = 0, [e]
    while left:
        node = left[-1]
        if missing := [part for part in _parts(node) if part not in made]:
            left += missing
            continue
        left.pop()
        if node not in made:
            made[node] = _one(node, made)
            kernels += not _parts(node) and not getattr(node, "is_number", False)
    part = made[e]
    return Size(part.above, _terms(part.below, made), part.degree, part.turning, kernels)


def nodes_of(e: Basic) -> int:
    """How many parts an expression has, equal ones counted each time: as many as SymPy walks through."""
    made: dict[Basic, int] = {}
    left = [e]
    while left:
        node = left[-1]
        if missing := [part for part in node.args if part not in made]:
            left += missing
            continue
        made[left.pop()] = min(1 + sum(made[part] for part in node.args), ENDLESS)
    return made[e]


def _parts(e: Basic) -> tuple[Basic, ...]:
    """What a sum, product or whole power is made of; nothing else is taken apart."""
    if e.is_Add or e.is_Mul:
        return tuple(e.args)
    return (e.base,) if e.is_Pow and e.exp.is_Integer else ()


def _one(e: Basic, made: dict[Basic, _Part]) -> _Part:
    if e.is_Add:
        return _sum([made[a] for a in e.args], made)
    if e.is_Mul:
        return _product([made[a] for a in e.args])
    if e.is_Pow and e.exp.is_Integer:
        return _power(e, int(e.exp), made)
    return _Part(1, {}, 0 if getattr(e, "is_number", False) else 1, int(isinstance(e, TrigonometricFunction)))


def _sum(parts: list[_Part], made: dict[Basic, _Part]) -> _Part:
    below: Below = {}
    for part in parts:
        for base, times in part.below.items():
            below[base] = max(below.get(base, 0), times)
    above = 0
    for part in parts:
        missing = {base: times - part.below.get(base, 0) for base, times in below.items()}
        above += part.above * _terms(missing, made)
    extra = sum(made[base].degree * times for base, times in below.items())
    degree = max((part.degree for part in parts), default=0) + extra
    return _Part(min(above, ENDLESS), below, degree, max((part.turning for part in parts), default=0))


def _product(parts: list[_Part]) -> _Part:
    below: Below = {}
    for part in parts:
        for base, times in part.below.items():
            below[base] = below.get(base, 0) + times
    above = 1
    for part in parts:
        above = min(above * part.above, ENDLESS)
    return _Part(above, below, sum(p.degree for p in parts), sum(p.turning for p in parts))


def _power(e: Basic, times: int, made: dict[Basic, _Part]) -> _Part:
    base = made[e.base]
    n = abs(times)
    if times >= 0:
        below = {b: k * n for b, k in base.below.items()}
        return _Part(_repeated(base.above, n), below, base.degree * n, base.turning * n)
    above = _terms({b: k * n for b, k in base.below.items()}, made)
    below = {e.base: n} if base.degree else {}
    return _Part(above, below, base.degree * n, base.turning * n)


def _terms(below: Below, made: dict[Basic, _Part]) -> int:
    return min(prod(_repeated(made[base].above, times) for base, times in below.items() if times), ENDLESS)


def _repeated(terms: int, times: int) -> int:
    """The terms of a power of a sum."""
    if terms <= 1 or times == 0:
        return 1
    return ENDLESS if times > 200 or terms > 10**4 else min(comb(terms + times - 1, times), ENDLESS)
