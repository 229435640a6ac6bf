"""What an expression that switches is on each side of its switches: |u| is u or −u, max(a, b) is a or b.

Switches on one function share their sign, so that max(u, 0) + min(u, 0) − u is zero on both sides.
"""

from collections.abc import Iterator, Mapping
from typing import Any

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
    """There are too many branches, or a switch whose branches are not known."""


def switching_in(e: Basic) -> list[Expr]:
    """The parts of an expression that switch with something that is not a number, the outer ones first."""
    found = [part for part in e.atoms(*SWITCHING) if part.free_symbols]
    return sorted(found, key=lambda part: -part.count_ops())


def branches(e: Expr) -> list[Expr]:
    """The expression on each side of its switches, at most `MOST` of them. Raises Countless."""
    found: list[Expr] = []
    for branch in _branches(e, {}):
        found.append(branch)
        if len(found) > MOST:
            raise Countless(f"more than {MOST} cases")
    return list(dict.fromkeys(found))


def _branches(e: Expr, signs: Signs) -> Iterator[Expr]:
    inner = next((part for part in reversed(switching_in(e)) if not any(switching_in(a) for a in part.args)), None)
    if inner is None:
        yield e
        return
    for value, known in _cases(inner, signs):
        yield from _branches(e.xreplace({inner: value}), known)


def _cases(part: Expr, signs: Signs) -> Iterator[tuple[Expr, Signs]]:
    """The values of one switch, each with the signs it stands for."""
    match part:
        case Abs() | sign() | Heaviside():
            u = part.args[0]
            up, down = {Abs: (u, -u), sign: (S.One, S.NegativeOne), Heaviside: (S.One, S.Zero)}[part.func]
            for s, known in _signs(u, signs):
                yield (up if s > 0 else down), known
        case Max() | Min():
            first, *others = part.args
            rest = part.func(*others)
            way = 1 if isinstance(part, Max) else -1
            for s, known in _signs(first - rest, signs) if len(others) == 1 else _apart(first, rest, signs):
                yield (first if s == way else rest), known
        case Piecewise():
            yield from _pieces(list(part.args), signs)
        case _:
            raise Countless(f"{part.func.__name__} has steps without end")


def _apart(first: Expr, rest: Expr, signs: Signs) -> Iterator[tuple[int, Signs]]:
    """max(a, b, c) is a or max(b, c); which of them is not told apart from other switches."""
    del first, rest
    yield from ((1, signs), (-1, signs))


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
