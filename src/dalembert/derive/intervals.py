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
FARTHEST = 1e6  # of an angle: beyond it nothing is known of its functions
UNSURE = 1e-9  # of a period: more than the rounding of so large an angle
ULPS = 6  # that elementary functions of arrays may be off
UNBROKEN = frozenset(
    (sp.sin, sp.cos, sp.exp, sp.log, sp.sinh, sp.cosh, sp.tanh, sp.asin, sp.acos, sp.atan, sp.asinh, sp.acosh, sp.atanh,
     sp.Abs, sp.Max, sp.Min)
)  # fmt: skip
"""Functions that do not jump where they are real: slopes that are bounded hold their values together."""


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


def _outwards(b: Bounds, ulps: int = 1) -> Bounds:
    """So many more roundings on either side: no bound is lost to those of an operation."""
    low, high = b
    for _ in range(ulps):
        low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    return Bounds(low, high)


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
    return _outwards(rule(*inside), ULPS) if rule is not None else _anything(count)


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
        return _outwards(_rising(np.exp)(inside[0]), ULPS)
    if exponent.is_Integer:
        return _whole_power(inside[0], int(exponent))
    if exponent.is_number and exponent.is_real:
        real = float(exponent)
        root = _outwards(_rising(lambda x: np.power(x, abs(real)))(_within(inside[0], 0.0, np.inf)), ULPS)
        root = Bounds(np.maximum(root.low, 0.0), root.high)
        return root if real > 0 else _inverse(root)
    return _anything(count)


def _whole_power(b: Bounds, n: int) -> Bounds:
    if n < 0:
        return _inverse(_whole_power(b, -n))
    one, two = b.low**n, b.high**n
    if n % 2:
        return _outwards(Bounds(one, two), ULPS)
    least = np.where((b.low <= 0) & (b.high >= 0), 0.0, np.minimum(one, two))
    out = _outwards(Bounds(least, np.maximum(one, two)), ULPS)
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


def _wave(f: Callable[[Array], Array], crest: float) -> Callable[[Bounds], Bounds]:
    """A function of one turn, at most 1 at `crest` turns and at least −1 half a turn later."""

    def image(b: Bounds) -> Bounds:
        one, two = f(b.low), f(b.high)
        wild = _wild(b)
        low = np.where(_meets(b, TWO_PI, crest + 0.5) | wild, -1.0, np.minimum(one, two))
        high = np.where(_meets(b, TWO_PI, crest) | wild, 1.0, np.maximum(one, two))
        return Bounds(np.where(_nowhere(b), np.nan, low), np.where(_nowhere(b), np.nan, high))

    return image


def _meets(b: Bounds, period: float, place: float) -> Array:
    """Whether a range holds, or nearly holds, a whole number of periods and a place."""
    return np.asarray(np.floor(b.high / period - place + UNSURE) >= np.ceil(b.low / period - place - UNSURE))


def _wild(b: Bounds) -> Array:
    """Where so many periods away from zero a range is that its place in one is not known."""
    return np.asarray(~(np.maximum(np.abs(b.low), np.abs(b.high)) <= FARTHEST))


def _tangent(b: Bounds) -> Bounds:
    pole = _meets(b, np.pi, 0.5) | _wild(b)
    low, high = np.where(pole, -np.inf, np.tan(b.low)), np.where(pole, np.inf, np.tan(b.high))
    return Bounds(np.where(_nowhere(b), np.nan, low), np.where(_nowhere(b), np.nan, high))


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
    sp.cos: _wave(np.cos, 0.0), sp.sin: _wave(np.sin, 0.25), sp.tan: _tangent,
    sp.cosh: _hyperbolic_cosine, sp.Abs: _size,
    sp.exp: _rising(np.exp), sp.log: _rising(np.log, 0.0), sp.sinh: _rising(np.sinh), sp.tanh: _rising(np.tanh),
    sp.asin: _rising(np.arcsin, -1.0, 1.0), sp.acos: _falling(np.arccos, -1.0, 1.0), sp.atan: _rising(np.arctan),
    sp.asinh: _rising(np.arcsinh), sp.acosh: _rising(np.arccosh, 1.0), sp.atanh: _rising(np.arctanh, -1.0, 1.0),
    GuardedRoot: _rising(np.sqrt, 0.0), sp.sign: _rising(np.sign), sp.Heaviside: _step,
    sp.Max: _greatest, sp.Min: _least, sp.floor: _rising(np.floor), sp.ceiling: _rising(np.ceil),
}  # fmt: skip
