"""Motions through zones: right-hand sides that differ by the signs of functions, crossed and not slid along."""

from collections.abc import Callable, Sequence

from .gbs import Real, TruthError, real
from .hybrid import Mode, Next


def zones(rate: Callable, functions: Sequence[Callable], start, t0=0.0) -> Mode:
    """The mode at a start: y' = rate(t, y, signs) with the signs of `functions(t, y)`; each crossing flips its sign.

    Where a function is zero at the start, the sign is the one it takes a moment later.
    """

    def mode(signs: tuple[int, ...]) -> Mode:
        def guards(t, y):
            return [s * f(t, y) for s, f in zip(signs, functions, strict=True)]

        def after(i, t, y):
            flipped = tuple(-s if k == i else s for k, s in enumerate(signs))
            return Next(mode(flipped), y)

        return Mode(signs, lambda t, y: rate(t, y, signs), guards, after)

    t, y = Real(t0), real(start)
    signs = [1 if f(t, y) > 0 else -1 if f(t, y) < 0 else 0 for f in functions]
    for k, f in enumerate(functions):
        if signs[k] == 0:
            signs[k] = _leaves(rate, f, t, y, signs, k)
    return mode(tuple(signs))


def _leaves(rate, f, t, y, signs, k) -> int:
    """The side to which a motion leaves the zero of a function: the one that agrees with itself a moment later."""
    for sign in (1, -1):
        now, tried = y, tuple(sign if i == k else s or 1 for i, s in enumerate(signs))
        h = Real("1e-4")
        for i in range(10):  # a few steps of Euler's rule are enough to see a sign
            now = now + h * real(rate(t + i * h, now, tried))
        if sign * f(t + 10 * h, now) > 0:
            return sign
    raise TruthError("both sides push towards the zero of a function")
