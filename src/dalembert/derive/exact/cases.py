"""What expressions that switch are on each side of their switches: |u| is u or −u, max(a, b) is a or b.

Switches on one function share their sign, so that max(u, 0) + min(u, 0) − u is zero on both sides. A case is a choice
of signs for all of them; whether there is a point with these signs is another question.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sympy import (
    Abs,
    And,
    Basic,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Piecewise,
    S,
    Tuple,
    ceiling,
    factor_terms,
    floor,
    frac,
    sign,
)

STEPPING = (floor, ceiling, frac, Mod)
SWITCHING = (Abs, sign, Heaviside, Max, Min, Piecewise, *STEPPING)
MOST = 64

Signs = Mapping[Expr, int]


class Countless(Exception):
    """There are too many cases, or a switch whose cases are not known."""


class Case(NamedTuple):
    """What each part that switches is in one case, and the signs of functions that make it so."""

    values: Mapping[Expr, Expr]
    signs: Signs

    def of(self, e: Expr) -> Expr:
        """An expression in this case."""
        return e.xreplace(dict(self.values)) if self.values else e


def switching_in(e: Basic) -> list[Expr]:
    """The parts of an expression that switch with something that is not a number, the outer ones first."""
    found = [part for part in e.atoms(*SWITCHING) if part.free_symbols]
    return sorted(found, key=lambda part: (-part.count_ops(), part.sort_key()))


def cases(expressions: Sequence[Expr], most: int = MOST) -> list[Case]:
    """All cases of some expressions together; one, without signs, where nothing switches. Raises Countless."""
    whole = Tuple(*expressions)
    parts = switching_in(whole)
    if not parts:
        return [Case({}, {})]
    found = list(islice(_cases(parts, {}, {}), most + 1))
    if len(found) > most:
        raise Countless(f"more than {most} cases")
    return found


def branches(e: Expr) -> list[Expr]:
    """The expression on each side of its switches, at most `MOST` of them. Raises Countless."""
    return list(dict.fromkeys(case.of(e) for case in cases([e])))


def _cases(parts: Sequence[Expr], values: Mapping[Expr, Expr], signs: Signs) -> Iterator[Case]:
    """The cases of parts that switch, the inner ones, which stand last, decided first."""
    if not parts:
        yield Case(values, signs)
        return
    *rest, part = parts
    inside = part.func(*(a.xreplace(dict(values)) for a in part.args))
    if not isinstance(inside, SWITCHING):  # SymPy has decided it
        yield from _cases(rest, {**values, part: inside}, signs)
        return
    for value, known in _sides(inside, signs):
        yield from _cases(rest, {**values, part: value}, known)


def _sides(part: Expr, signs: Signs) -> Iterator[tuple[Expr, Signs]]:
    """The values of one switch, each with the signs it stands for."""
    match part:
        case Abs() | sign() | Heaviside():
            u = part.args[0]
            up, down = {Abs: (u, -u), sign: (S.One, S.NegativeOne), Heaviside: (S.One, S.Zero)}[part.func]
            for s, known in _signs(u, signs):
                yield (up if s > 0 else down), known
        case Max() | Min():
            way = 1 if isinstance(part, Max) else -1
            for first in part.args:
                for known in _ahead(first, [a for a in part.args if a != first], way, signs):
                    yield first, known
        case Piecewise():
            yield from _pieces(list(part.args), signs)
        case _:
            raise Countless(f"{part.func.__name__} has steps without end")


def _ahead(first: Expr, others: list[Expr], way: int, signs: Signs) -> Iterator[Signs]:
    """The signs with which one function is above all others, or below."""
    if not others:
        yield signs
        return
    for s, known in _signs(first - others[0], signs):
        if s == way:
            yield from _ahead(first, others[1:], way, known)


def _pieces(pieces: list[Any], signs: Signs) -> Iterator[tuple[Expr, Signs]]:
    """The values of a piecewise, its conditions decided one after the other."""
    if not pieces:
        return
    (value, condition), *others = pieces
    for holds, known in _holds(condition, signs):
        if holds:
            yield value, known
        else:
            yield from _pieces(others, known)


def _holds(condition: Any, signs: Signs) -> Iterator[tuple[bool, Signs]]:
    if condition in (S.true, S.false):
        yield condition is S.true, signs
    elif isinstance(condition, (Gt, Ge, Lt, Le)):
        for s, known in _signs(condition.gts - condition.lts, signs):
            yield s > 0, known
    elif isinstance(condition, Not):
        for holds, known in _holds(condition.args[0], signs):
            yield not holds, known
    elif isinstance(condition, (And, Or)):
        yield from _joined(list(condition.args), isinstance(condition, And), signs)
    else:
        raise Countless(f"the condition {condition}")


def _joined(conditions: list[Any], every: bool, signs: Signs) -> Iterator[tuple[bool, Signs]]:
    if not conditions:
        yield every, signs
        return
    for holds, known in _holds(conditions[0], signs):
        if holds is every:
            yield from _joined(conditions[1:], every, known)
        else:
            yield holds, known


def _signs(u: Expr, signs: Signs) -> Iterator[tuple[int, Signs]]:
    """The signs that u may have: the known one, or both."""
    if u.is_positive or u.is_negative:
        yield (1 if u.is_positive else -1), signs
        return
    key, turned = _plain(u)
    if key in signs:
        yield signs[key] * turned, signs
        return
    for s in (1, -1):
        yield s, {**signs, key: s * turned}


def _plain(u: Expr) -> tuple[Expr, int]:
    """u without factors of a plain sign, and the sign that was taken from it."""
    turned, kept = 1, []
    for f in Mul.make_args(factor_terms(u)):
        if f.is_positive or f.is_negative:
            turned *= 1 if f.is_positive else -1
        else:
            kept.append(f)
    key = Mul(*kept)
    return (-key, -turned) if key.could_extract_minus_sign() else (key, turned)
