"""Numbers at which expressions are tried: a random prime field, where arithmetic is exact, and reals of 50 digits.

In the prime field a function such as sin θ is no number, but what identities know of it is: (cos θ, sin θ) is a random
point of the circle c² + s² = 1, that of θ₁ + θ₂ follows by the addition theorem, exp(x + y) by products, √x by roots.
So an expression that is identically zero is zero there, always; one that is not is zero by an accident of probability
about (its degree)/p. A value that is not zero is therefore a proof.
"""

from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from math import lcm
from random import Random
from typing import Any

import mpmath
import numpy as np
from sympy import Add, Expr, Float, Integer, Rational, S, cos, expand, expand_log, isprime, pi, sin

Array = np.ndarray
DIGITS = 50


class NotExact(Exception):
    """An expression that a field has no numbers for; the reason is the message."""


class BadPoint(Exception):
    """A random point at which something does not exist there (a division by zero, a root of no square): try another."""


class Modular:
    """The integers modulo a random prime p of 31 bits with (p − 1)/2 prime too, and random values for all symbols.

    Roots of odd degree then exist for all numbers, and square roots for half of them: the one that is itself a square
    is taken, so that √x √y = √(xy).
    """

    exact = True
    dtype = np.int64

    def __init__(self, random: Random, denominators: Mapping[Hashable, int]) -> None:
        self.p = random.choice(primes())
        self._random, self._denominators = random, denominators
        self._atoms: dict[Hashable, Any] = {}

    def reduce(self, a: Array) -> Array:
        """To 0 … p − 1."""
        return a % self.p

    def is_zero(self, x: Any) -> bool:
        """Exactly."""
        return int(x) == 0

    def size(self, x: Any) -> int:
        """0 or 1: any number that is not zero is as good a pivot as another."""
        return int(int(x) != 0)

    def rational(self, number: Expr) -> int:
        """A rational number, or a decimal one as it is written."""
        value = Rational(str(number)) if isinstance(number, Float) else Rational(number)
        whole: int = int(value.p) * self.inverse(int(value.q)) % self.p
        return whole

    def free(self) -> int:
        """A random value."""
        return self._random.randrange(1, self.p)

    def inverse(self, x: Any) -> int:
        """1/x."""
        if int(x) % self.p == 0:
            raise BadPoint
        return pow(int(x), -1, self.p)

    def root(self, x: Any, q: int) -> int:
        """The q-th root."""
        x = int(x) % self.p
        while q % 2 == 0:
            x, q = self._square_root(x), q // 2
        return int(pow(x, pow(q, -1, self.p - 1), self.p)) if q > 1 else x

    def _square_root(self, x: int) -> int:
        r = pow(x, (self.p + 1) // 4, self.p)
        if r * r % self.p != x or not x:
            raise BadPoint
        return r

    def number(self, constant: Expr) -> int:
        """A constant such as π: any value."""
        return int(self._atom(("constant", constant), self.free))

    def cos_sin(self, argument: Expr, _: Any) -> tuple[int, int]:
        """(cos u, sin u), a point of the circle that follows the addition theorem."""
        c, s = 1, 0
        for factor, base in multiples(argument):
            if base == pi and (known := _known_angle(factor)) is not None:
                c1, s1 = (self._radical(e) for e in known)
            else:
                key = ("angle", base)
                c1, s1 = self._turned(self._atom(key, self._on_circle), int(factor * self._denominators.get(key, 1)))
            c, s = (c * c1 - s * s1) % self.p, (s * c1 + c * s1) % self.p
        return c, s

    def exp(self, argument: Expr, _: Any) -> int:
        """exp u, with exp(u + v) = exp u exp v."""
        out = 1
        for factor, base in multiples(argument):
            key = ("exp", base)
            out = out * self._powered(self._atom(key, self.free), factor * self._denominators.get(key, 1)) % self.p
        return out

    def log(self, argument: Expr, _: Any) -> int:
        """log u, with log(u v) = log u + log v."""
        parts = Add.make_args(expand_log(_log(argument), force=True))
        return sum(self._log_part(part) for part in parts) % self.p

    def power(self, base: Expr, exponent: Expr, value: Any) -> int:
        """b^e with an exponent that is no number: b^(e + f) = b^e b^f."""
        out = 1
        for factor, part in multiples(exponent):
            if part == 1:
                out = out * self._powered(self.root(value, int(factor.q)), Integer(factor.p)) % self.p
                continue
            key = ("power", base, part)
            out = out * self._powered(self._atom(key, self.free), factor * self._denominators.get(key, 1)) % self.p
        return out

    def inverse_function(self, f: Expr, _: Any) -> int:
        """asin u and its kin: any value, only their derivatives are known."""
        return int(self._atom(("inverse", f), self.free))

    def sign(self, _: Any) -> int:
        """Not known in this field."""
        raise NotExact("it switches")

    def _log_part(self, part: Expr) -> int:
        factor, rest = part.as_coeff_Mul(rational=True)
        return self.rational(factor) * int(self._atom(("log", rest), self.free)) % self.p

    def _radical(self, e: Expr) -> int:
        """The value of cos or sin of a rational multiple of π, written with roots."""
        if e.is_Rational:
            return self.rational(e)
        parts = [self._radical(a) for a in e.args]
        if e.is_Add:
            return sum(parts) % self.p
        if e.is_Mul:
            return int(np.prod(np.array(parts, dtype=object))) % self.p
        return self._powered(self.root(parts[0], int(e.exp.q)), Integer(e.exp.p))

    def _on_circle(self) -> tuple[int, int]:
        u = self.free()
        w = self.inverse(1 + u * u)
        return (1 - u * u) * w % self.p, 2 * u * w % self.p

    def _turned(self, point: tuple[int, int], times: int) -> tuple[int, int]:
        """An angle taken several times."""
        c, s = 1, 0
        x, y = point if times >= 0 else (point[0], -point[1])
        times = abs(times)
        while times:
            if times & 1:
                c, s = (c * x - s * y) % self.p, (s * x + c * y) % self.p
            x, y = (x * x - y * y) % self.p, 2 * x * y % self.p
            times >>= 1
        return c, s

    def _powered(self, x: int, times: Expr) -> int:
        return pow(x if times >= 0 else self.inverse(x), abs(int(times)), self.p)

    def _atom(self, key: Hashable, make: Any) -> Any:
        if key not in self._atoms:
            self._atoms[key] = make()
        return self._atoms[key]


class Real:
    """Real numbers of 50 digits: for functions that switch, and for points that must lie on constraints."""

    exact = False
    dtype = object

    def __init__(self, random: Random) -> None:
        self.mp = mpmath.MPContext()
        self.mp.dps = DIGITS
        self.tolerance = self.mp.mpf(10) ** (-DIGITS // 2)
        self._random = random

    def reduce(self, a: Array) -> Array:
        """They are in normal form."""
        return a

    def is_zero(self, x: Any) -> bool:
        """To half of the digits, beside numbers of the size of one."""
        return bool(abs(x) < self.tolerance)

    def size(self, x: Any) -> Any:
        """The absolute value: the largest is the best pivot."""
        return abs(x)

    def rational(self, number: Expr) -> Any:
        """A rational or decimal number."""
        value = Rational(str(number)) if isinstance(number, Float) else Rational(number)
        return self.mp.mpf(int(value.p)) / int(value.q)

    def free(self) -> Any:
        """A random value between 1/2 and 3/2."""
        return self.mp.mpf(self._random.randrange(10**15)) / 10**15 + self.mp.mpf(1) / 2

    def inverse(self, x: Any) -> Any:
        """1/x."""
        if self.is_zero(x):
            raise BadPoint
        return 1 / x

    def root(self, x: Any, q: int) -> Any:
        """The real q-th root."""
        if x <= 0:
            raise BadPoint
        return self.mp.root(x, q)

    def number(self, constant: Expr) -> Any:
        """A constant such as π."""
        return self.mp.mpf(str(constant.evalf(DIGITS + 5)))

    def cos_sin(self, _: Expr, value: Any) -> tuple[Any, Any]:
        """(cos u, sin u)."""
        return self.mp.cos(value), self.mp.sin(value)

    def exp(self, _: Expr, value: Any) -> Any:
        """The exponential."""
        return self.mp.exp(value)

    def log(self, _: Expr, value: Any) -> Any:
        """The logarithm."""
        if value <= 0:
            raise BadPoint
        return self.mp.log(value)

    def inverse_function(self, f: Expr, value: Any) -> Any:
        """asin u and its kin."""
        out = getattr(self.mp, f.func.__name__)(value)
        if not isinstance(out, self.mp.mpf):
            raise BadPoint
        return out

    def sign(self, value: Any) -> int:
        """+1 or −1."""
        if self.is_zero(value):
            raise BadPoint
        return 1 if value > 0 else -1


Field = Modular | Real


def multiples(argument: Expr) -> Iterator[tuple[Expr, Expr]]:
    """A sum as rational multiples of parts that have no rational factor themselves."""
    for term in Add.make_args(expand(argument)):
        factor, base = term.as_coeff_Mul(rational=True)
        if factor != 0:
            yield (Rational(str(factor)), base) if isinstance(factor, Float) else (factor, base)


def denominators(arguments: Iterator[tuple[Hashable, Expr]]) -> dict[Hashable, int]:
    """The common denominator of the multiples in which each part occurs, by kind and part."""
    out: dict[Hashable, int] = {}
    for kind, argument in arguments:
        for factor, base in multiples(argument):
            key = (*kind, base) if isinstance(kind, tuple) else (kind, base)
            out[key] = lcm(out.get(key, 1), int(factor.q))
    return out


def _known_angle(factor: Expr) -> tuple[Expr, Expr] | None:
    """cos and sin of a multiple of π where roots can say them."""
    pair = cos(factor * pi), sin(factor * pi)
    return None if any(e.has(cos, sin) for e in pair) else pair


def _log(argument: Expr) -> Expr:
    from sympy import log

    return log(argument) if argument is not S.One else S.Zero


@lru_cache(maxsize=1)
def primes(count: int = 12) -> tuple[int, ...]:
    """Some primes p below 2³¹ with (p − 1)/2 prime, found at random once."""
    random, found = Random(1), list[int]()
    while len(found) < count:
        p = random.randrange(2**30, 2**31) // 12 * 12 + 11
        if isprime(p) and isprime(p // 2):
            found.append(p)
    return tuple(found)
