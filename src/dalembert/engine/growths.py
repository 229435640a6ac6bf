"""How large the terms are that the rates of an expression are made of, those that cancel too.

What is the same as zero, as sin² u + cos² u − 1, has derivatives that are zero too, but for the rounding of terms that
cancel: a coefficient of a constraint that is rounding alone is no scale for anything. So the sizes of an expression, of
its rate and of the rate of that are carried through it together, all terms counted as positive: a majorant of its
Taylor series in time (Moore 1966, chapter 11). Beside them goes what rounding of the arguments of functions makes of
them, to first order: f(u) is known to |f′| times the size of u.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple, cast

import heyoka as hy
import sympy as sp
from sympy import Expr

from dalembert.derive.tape import GuardedRoot
from dalembert.engine.heyoka_algebra import SMOOTH, Expression, HeyokaAlgebra

Size = Expression | None  # None for none
Slope = Callable[[Sequence[Expression]], Expression]
HUGE = 1e300  # what is beyond is not known


class Series(NamedTuple):
    """The size of something, of its rate, and of the rate of that."""

    value: Size = None
    rate: Size = None
    again: Size = None


class Growth(NamedTuple):
    """The terms of an expression, and what rounding of arguments makes of them, over ε."""

    terms: Series
    unsure: Series = Series()

    def total(self, algebra: HeyokaAlgebra) -> Series:
        """Both together; zero where there is none or it does not exist."""
        both = (_sum(pair) for pair in zip(self.terms, self.unsure, strict=True))
        none, most = algebra.zero, hy.expression(HUGE)
        return Series(*(none if e is None else hy.select(hy.lt(e, most), e, none) for e in both))


class Growths:
    """Growths of expressions by those of what moves; what has none there has no rate."""

    def __init__(self, moving: Mapping[Expr, Series], algebra: HeyokaAlgebra) -> None:
        self._algebra = algebra
        self._memo = {e: Growth(series) for e, series in moving.items()}

    def of(self, root: Expr, unsure: bool = True) -> Series | None:
        """The sizes of an expression, of its terms alone or with what is `unsure`; None where it has no series."""
        memo, stack = self._memo, [(root, False)]
        try:
            while stack:
                e, ready = stack.pop()
                if e in memo:
                    continue
                if e.is_number or not e.args:
                    memo[e] = Growth(Series(self._algebra.magnitude(self._algebra.convert(e, {}))))
                elif ready:
                    memo[e] = self._node(e, [memo[a] for a in e.args])
                else:
                    stack.append((e, True))
                    stack.extend((a, False) for a in e.args)
        except KeyError:
            return None
        found = memo[root] if unsure else Growth(memo[root].terms)
        return found.total(self._algebra)

    def _node(self, e: Expr, parts: Sequence[Growth]) -> Growth:
        if isinstance(e, sp.Add):
            return Growth(_added([p.terms for p in parts]), _added([p.unsure for p in parts]))
        if isinstance(e, sp.Mul):
            return reduce(_product, parts)
        if isinstance(e, sp.Pow) and e.exp.is_Integer and int(e.exp) > 0:
            return reduce(_product, [parts[0]] * int(e.exp))
        return self._function(e, parts)

    def _function(self, e: Expr, parts: Sequence[Growth]) -> Growth:
        """f, f′u̇, f′ü + f″u̇²; and, δ, δ′, δ″ for what u and its rates are known to, f′δ, f′δ′ + f″u̇δ, and so on."""
        at = [self._algebra.convert(a, {}) for a in e.args]
        size, kind = self._algebra.magnitude, cast(Hashable, type(e))
        made = [i for i, p in enumerate(parts) if p.terms.rate is not None or p.unsure.value is not None]
        if not made:
            return Growth(Series(size(self._algebra.convert(e, {}))))
        if len(made) > 1:
            first = {i: size(_slopes(kind, len(at), (i,))(at)) for i in made}
            bends = {(i, j): size(_slopes(kind, len(at), (i, j))(at)) for i in made for j in made}
            return self._of_several(e, [parts[i] for i in made], [*first.values()], [*bends.values()])
        (i,) = made
        slope, bend, more = (size(_slopes(kind, len(at), (i,) * order)(at)) for order in (1, 2, 3))
        u, d = parts[i].terms, parts[i].unsure
        known = _sum([u.value, d.value])
        square = _times(u.rate, u.rate)
        terms = Series(
            size(self._algebra.convert(e, {})),
            _times(slope, u.rate),
            _sum([_times(slope, u.again), _times(bend, square)]),
        )
        crossed = _times(u.rate, d.rate)
        unsure = Series(
            _times(slope, known),
            _sum([_times(slope, d.rate), _times(bend, _times(u.rate, known))]),
            _sum(
                [
                    _times(slope, d.again),
                    None if crossed is None else 2.0 * bend * crossed,
                    _times(bend, _times(u.again, known)),
                    _times(more, _times(square, known)),
                ]
            ),
        )
        return Growth(terms, unsure)

    def _of_several(self, e: Expr, parts: Sequence[Growth], slopes: Sequence[Size], bends: Sequence[Size]) -> Growth:
        """The same of a function of several arguments, its third derivatives left out."""
        u, d = [p.terms for p in parts], [p.unsure for p in parts]
        known = [_sum([p.terms.value, p.unsure.value]) for p in parts]
        pairs = [(i, j) for i in range(len(parts)) for j in range(len(parts))]
        terms = Series(
            self._algebra.magnitude(self._algebra.convert(e, {})),
            _sum([_times(f, p.rate) for f, p in zip(slopes, u, strict=True)]),
            _sum(
                [_times(f, p.again) for f, p in zip(slopes, u, strict=True)]
                + [_times(f, _times(u[i].rate, u[j].rate)) for f, (i, j) in zip(bends, pairs, strict=True)]
            ),
        )
        unsure = Series(
            _sum([_times(f, k) for f, k in zip(slopes, known, strict=True)]),
            _sum(
                [_times(f, p.rate) for f, p in zip(slopes, d, strict=True)]
                + [_times(f, _times(u[i].rate, known[j])) for f, (i, j) in zip(bends, pairs, strict=True)]
            ),
            _sum(
                [_times(f, p.again) for f, p in zip(slopes, d, strict=True)]
                + [_times(f, _times(u[i].again, known[j])) for f, (i, j) in zip(bends, pairs, strict=True)]
            ),
        )
        return Growth(terms, unsure)


def _sum(terms: Sequence[Size]) -> Size:
    there = [term for term in terms if term is not None]
    return None if not there else there[0] if len(there) == 1 else hy.sum(there)


def _times(a: Size, b: Size) -> Size:
    return None if a is None or b is None else a * b


def _added(parts: Sequence[Series]) -> Series:
    return Series(*(_sum(each) for each in zip(*parts, strict=True)))


def _product(a: Growth, b: Growth) -> Growth:
    unsure = [_leibniz(a.terms, b.unsure), _leibniz(a.unsure, b.terms)]
    return Growth(_leibniz(a.terms, b.terms), _added(unsure))


def _leibniz(a: Series, b: Series) -> Series:
    twice = _times(a.rate, b.rate)
    return Series(
        _times(a.value, b.value),
        _sum([_times(a.rate, b.value), _times(a.value, b.rate)]),
        _sum([_times(a.again, b.value), None if twice is None else 2.0 * twice, _times(a.value, b.again)]),
    )


@lru_cache(maxsize=256)
def _slopes(kind: Any, count: int, places: tuple[int, ...]) -> Slope:
    """A derivative of a function of so many arguments. KeyError for a function that is not smooth."""
    w = [hy.expression(f"w{i}") for i in range(count)]
    own = {sp.Pow: lambda a, b: a**b, GuardedRoot: hy.sqrt}
    f = own[kind](*w) if kind in own else SMOOTH[kind](*w)
    for i in places:
        f = hy.diff(f, w[i])
    return lambda arguments: hy.subs(f, {f"w{i}": e for i, e in enumerate(arguments)})
