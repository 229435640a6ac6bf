"""Bounds of the values of a tape over many boxes at once: interval arithmetic, rounded outwards.

Where a function does not exist in part of a box its bounds are those where it does; where it exists nowhere in a box
they are (nan, nan). What has no rule here is bounded by nothing: (−∞, ∞). Moore, Kearfott and Cloud 2009.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from dalembert.derive.tape import GuardedRoot, Tape, Undefined

Array = np.ndarray
TWO_PI = 2 * np.pi


class Bounds(NamedTuple):
    """The least and the greatest value, each (count,)."""

    low: Array
    high: Array


def bounds(tape: Tape, low: Array, high: Array) -> tuple[Array, Array]:
    """The least and greatest values (outputs, count) of a tape over boxes `low` to `high` (inputs, count)."""
    count = low.shape[1]
    with np.errstate(all="ignore"):
        slots = [Bounds(a, b) for a, b in zip(low, high, strict=True)]
        slots += [_constant(c, count) for c in tape.constants]
        for step in tape.steps:
            slots.append(_image(step.expr, [slots[i] for i in step.arguments], count))
    found = np.zeros((2, len(tape.places), count))
    for row, i in enumerate(tape.places):
        found[:, row] = slots[i]
    return found[0], found[1]


def _constant(value: Any, count: int) -> Bounds:
    if isinstance(value, bool | Undefined):
        return _anything(count)
    return _outwards(Bounds(np.full(count, value), np.full(count, value)))


def _anything(count: int) -> Bounds:
    return Bounds(np.full(count, -np.inf), np.full(count, np.inf))


def _outwards(b: Bounds) -> Bounds:
    """One more rounding on either side: no bound is lost to that of an operation."""
    return Bounds(np.nextafter(b.low, -np.inf), np.nextafter(b.high, np.inf))


def _image(e: Any, inside: Sequence[Bounds], count: int) -> Bounds:
    """The bounds of one operation, from those of what it is applied to."""
    if isinstance(e, sp.Add):
        return reduce(_sum, inside)
    if isinstance(e, sp.Mul):
        return reduce(_product, inside)
    if isinstance(e, sp.Pow):
        return _power(e, inside, count)
    if isinstance(e, sp.Piecewise):
        return _hull(inside[::2])
    rule = RULES.get(type(e))
    return _outwards(_outwards(rule(*inside))) if rule is not None else _anything(count)


def _sum(a: Bounds, b: Bounds) -> Bounds:
    low, high = a.low + b.low, a.high + b.high
    return _outwards(Bounds(_known(low, a, b, -np.inf), _known(high, a, b, np.inf)))


def _product(a: Bounds, b: Bounds) -> Bounds:
    corners = np.stack([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
    corners = np.where(np.isnan(corners), 0.0, corners)  # 0 · ∞ is 0 here: the zero is exact
    out = Bounds(corners.min(axis=0), corners.max(axis=0))
    nowhere = _nowhere(a) | _nowhere(b)
    return _outwards(Bounds(np.where(nowhere, np.nan, out.low), np.where(nowhere, np.nan, out.high)))


def _nowhere(b: Bounds) -> Array:
    nan: Array = np.isnan(b.low)
    return nan


def _known(value: Array, a: Bounds, b: Bounds, unknown: float) -> Array:
    """A sum, where ∞ − ∞ is anything and what exists nowhere stays so."""
    unsure: Array = np.isnan(value) & ~_nowhere(a) & ~_nowhere(b)
    return np.where(unsure, unknown, value)


def _hull(parts: Sequence[Bounds]) -> Bounds:
    return Bounds(np.fmin.reduce([p.low for p in parts]), np.fmax.reduce([p.high for p in parts]))


def _inverse(b: Bounds) -> Bounds:
    across = (b.low <= 0) & (b.high >= 0)
    low = np.where(across, np.where(b.low == 0, 1 / b.high, -np.inf), 1 / b.high)
    high = np.where(across, np.where(b.high == 0, 1 / b.low, np.inf), 1 / b.low)
    return _outwards(Bounds(np.where((b.low == 0) & (b.high == 0), np.nan, low), high))


def _power(e: sp.Pow, inside: Sequence[Bounds], count: int) -> Bounds:
    base, exponent = e.args
    if base is sp.S.Exp1:
        return _outwards(_outwards(_rising(np.exp)(inside[0])))
    if exponent.is_Integer:
        return _whole_power(inside[0], int(exponent))
    if exponent.is_number and exponent.is_real:
        real = float(exponent)
        root = _outwards(_outwards(_rising(lambda x: np.power(x, abs(real)))(_within(inside[0], 0.0, np.inf))))
        root = Bounds(np.maximum(root.low, 0.0), root.high)
        return root if real > 0 else _inverse(root)
    return _anything(count)


def _whole_power(b: Bounds, n: int) -> Bounds:
    if n < 0:
        return _inverse(_whole_power(b, -n))
    one, two = b.low**n, b.high**n
    if n % 2:
        return _outwards(_outwards(Bounds(one, two)))
    least = np.where((b.low <= 0) & (b.high >= 0), 0.0, np.minimum(one, two))
    out = _outwards(_outwards(Bounds(least, np.maximum(one, two))))
    return Bounds(np.maximum(out.low, 0.0), out.high)


def _within(b: Bounds, least: float, most: float) -> Bounds:
    """The part of a range in which a function exists; nan where there is none."""
    nowhere = (b.high < least) | (b.low > most)
    return Bounds(
        np.where(nowhere, np.nan, np.maximum(b.low, least)), np.where(nowhere, np.nan, np.minimum(b.high, most))
    )


def _rising(f: Callable[[Array], Array], least: float = -np.inf, most: float = np.inf) -> Callable[[Bounds], Bounds]:
    def image(b: Bounds) -> Bounds:
        b = _within(b, least, most)
        return Bounds(f(b.low), f(b.high))

    return image


def _falling(f: Callable[[Array], Array], least: float, most: float) -> Callable[[Bounds], Bounds]:
    def image(b: Bounds) -> Bounds:
        b = _within(b, least, most)
        return Bounds(f(b.high), f(b.low))

    return image


def _cosine(b: Bounds) -> Bounds:
    """−1 … 1 where a whole turn, or a place of the value ±1, lies in the range."""
    one, two = np.cos(b.low), np.cos(b.high)
    turns = np.floor(b.high / TWO_PI + 1e-12) >= np.ceil(b.low / TWO_PI - 1e-12)
    halves = np.floor(b.high / TWO_PI - 0.5 + 1e-12) >= np.ceil(b.low / TWO_PI - 0.5 - 1e-12)
    wild = ~np.isfinite(b.low) | ~np.isfinite(b.high) | (np.maximum(np.abs(b.low), np.abs(b.high)) > 1e6)
    low = np.where(halves | wild, -1.0, np.minimum(one, two))
    high = np.where(turns | wild, 1.0, np.maximum(one, two))
    return Bounds(np.where(_nowhere(b), np.nan, low), np.where(_nowhere(b), np.nan, high))


def _sine(b: Bounds) -> Bounds:
    return _cosine(Bounds(b.low - np.pi / 2 - 1e-15, b.high - np.pi / 2 + 1e-15))


def _tangent(b: Bounds) -> Bounds:
    pole = np.floor(b.high / np.pi - 0.5 + 1e-12) >= np.ceil(b.low / np.pi - 0.5 - 1e-12)
    pole |= ~np.isfinite(b.low) | ~np.isfinite(b.high) | (np.maximum(np.abs(b.low), np.abs(b.high)) > 1e6)
    return Bounds(np.where(pole, -np.inf, np.tan(b.low)), np.where(pole, np.inf, np.tan(b.high)))


def _size(b: Bounds) -> Bounds:
    one, two = np.abs(b.low), np.abs(b.high)
    return Bounds(np.where((b.low <= 0) & (b.high >= 0), 0.0, np.minimum(one, two)), np.maximum(one, two))


def _hyperbolic_cosine(b: Bounds) -> Bounds:
    return _rising(np.cosh)(_size(b))


def _step(b: Bounds, *_: Bounds) -> Bounds:
    return Bounds(np.where(b.low > 0, 1.0, 0.0), np.where(b.high < 0, 0.0, 1.0))


def _greatest(*parts: Bounds) -> Bounds:
    return Bounds(np.maximum.reduce([p.low for p in parts]), np.maximum.reduce([p.high for p in parts]))


def _least(*parts: Bounds) -> Bounds:
    return Bounds(np.minimum.reduce([p.low for p in parts]), np.minimum.reduce([p.high for p in parts]))


RULES: dict[type, Callable[..., Bounds]] = {
    sp.cos: _cosine, sp.sin: _sine, sp.tan: _tangent, sp.cosh: _hyperbolic_cosine, sp.Abs: _size,
    sp.exp: _rising(np.exp), sp.log: _rising(np.log, 0.0), sp.sinh: _rising(np.sinh), sp.tanh: _rising(np.tanh),
    sp.asin: _rising(np.arcsin, -1.0, 1.0), sp.acos: _falling(np.arccos, -1.0, 1.0), sp.atan: _rising(np.arctan),
    sp.asinh: _rising(np.arcsinh), sp.acosh: _rising(np.arccosh, 1.0), sp.atanh: _rising(np.arctanh, -1.0, 1.0),
    GuardedRoot: _rising(np.sqrt, 0.0), sp.sign: _rising(np.sign), sp.Heaviside: _step,
    sp.Max: _greatest, sp.Min: _least, sp.floor: _rising(np.floor), sp.ceiling: _rising(np.ceil),
}  # fmt: skip
