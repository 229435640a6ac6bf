"""Images of algebraic constants modulo a prime: roots of fractions, and sines and cosines of fractions of π.

They come from one map of rings, so that every relation among the constants holds among the images: cos(2π/7), its
multiples, √7 and what else is made of them. For p ≡ −1 modulo N the roots of unity of order N lie on the circle
a² + b² = 1 modulo p, and e^(2πi/N) goes to one of them, ζ = c + s i; cosines are the first, sines the second parts of
its powers. √ℓ is the sum of Gauss, Σ (k/ℓ) ζ^(kN/ℓ), where ℓ divides N, and any root of ℓ where it does not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd, lcm

from sympy import Expr, Pow, Rational, factorint, isprime, pi
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from dalembert.derive.exact.coprime import coprime_base, exponents
from dalembert.derive.exact.numbers import Unvalued

BASE = 9240  # p ≡ −1 modulo 8·3·5·7·11: small integers are squares, −1 is not, and roots of odd order are unique
LARGEST = 2**31
FEWEST = 400  # candidates that there must be for a prime
Circle = tuple[int, int]


@dataclass(frozen=True)
class Constants:
    """What algebraic constants expressions hold: angles that are multiples of 2π/`turn`, and roots of primes.

    `roots` are numbers without common factors, the small ones primes, with the order of the roots that occur, `orders`
    a multiple of the orders of all other roots.
    """

    turn: int = 1
    roots: tuple[tuple[int, int], ...] = ()
    orders: int = 1

    @classmethod
    def of(cls, expressions: Iterable[Expr]) -> "Constants":
        """The constants of some expressions."""
        turn, orders, under = 1, 1, list[tuple[int, int]]()
        for e in expressions:
            for f in e.atoms(TrigonometricFunction):
                for part in f.args[0].as_ordered_terms() if f.args[0].is_Add else f.args:
                    factor, term = part.as_coeff_Mul()
                    if term == pi and factor.is_Rational:
                        turn = lcm(turn, 2 * int(factor.q))
            for root in e.atoms(Pow):
                if not root.exp.is_Rational or root.exp.is_Integer:
                    continue
                orders = lcm(orders, int(root.exp.q))
                if root.base.is_Rational and root.base > 0:
                    under += [(int(root.base.p), int(root.exp.q)), (int(root.base.q), int(root.exp.q))]
        return cls(turn, _rooted(under), orders)

    @property
    def order(self) -> int:
        """N: a multiple of 4, so that i is among the roots of unity."""
        return lcm(4, self.turn)

    @cached_property
    def modulus(self) -> int:
        """What p + 1 must be a multiple of."""
        return lcm(BASE, self.order, self.orders)

    def primes(self, count: int) -> tuple[int, ...]:
        """Primes below 2³¹ modulo which all the constants have images. Raises Unvalued where there are too few."""
        return _primes(self, count)


def _rooted(under: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The numbers of which all numbers under roots are products, each with the order of the roots it stands under."""
    base, orders = coprime_base(n for n, _ in under), dict[int, int]()
    for number, order in under:
        for b in exponents(number, base):
            orders[b] = lcm(orders.get(b, 1), order)
    return tuple(sorted(orders.items()))


@lru_cache(256)
def _primes(constants: Constants, count: int) -> tuple[int, ...]:
    step, found = constants.modulus, list[int]()
    if LARGEST // step < FEWEST:
        raise Unvalued("too many different angles and roots among the constants")
    for p in range(LARGEST // step * step - 1, step, -step):
        if isprime(p) and all(pow(prime, (p - 1) // 2, p) in (0, 1) and prime % p for prime, _ in constants.roots):
            found.append(p)
        if len(found) == count:
            return tuple(found)
    raise Unvalued("no prime has images of all the constants")


@dataclass(frozen=True)
class Images:
    """The images of some constants modulo a prime."""

    constants: Constants
    prime: int

    def circle(self, part: Rational) -> Circle:
        """(cos, sin) of 2π times a fraction of a turn."""
        steps = part * self.constants.order
        if steps.q != 1:
            raise Unvalued(f"an angle of {part} turns")
        return power(self._unit, int(steps), self.prime)

    def root(self, base: Rational, exponent: Rational) -> int:
        """A positive fraction to the power of a fraction."""
        out, p = 1, self.prime
        orders = dict(self.constants.roots)
        for number, sign in ((int(base.p), 1), (int(base.q), -1)):
            for part, times in exponents(number, orders).items():
                order = orders.get(part, 1)
                share = exponent * times * order
                if share.q != 1:
                    raise Unvalued(f"a root of {part}")
                out = out * pow(self._prime_root(part, order), sign * int(share), p) % p
        return out

    def _prime_root(self, prime: int, order: int) -> int:
        """ℓ^(1/n), the square root that is itself a square again and again."""
        p, value = self.prime, prime % self.prime
        if order % 2 == 0 and _inside(prime, self.constants.order):
            value, order = _gauss(prime, self._unit, self.constants.order, p), order // 2
        while order % 2 == 0:
            value, order = pow(value, (p + 1) // 4, p), order // 2
        return pow(value, pow(order, -1, p - 1), p) if order > 1 else value

    @property
    def _unit(self) -> Circle:
        return _unit(self.constants, self.prime)


@lru_cache(512)
def _unit(constants: Constants, p: int) -> Circle:
    """ζ, with i for a quarter of a turn, such that the square roots of primes are squares themselves."""
    n = constants.order
    inside = [prime for prime, order in constants.roots if order % 2 == 0 and _inside(prime, n)]
    first = next(z for u in range(2, p) if (z := power(_on_circle(u, p), (p + 1) // n, p)) and _has_order(z, n, p))
    for times in range(1, n, 2):
        z = power(first, times, p)
        if gcd(times, n) > 1 or power(z, n // 4, p) != (0, 1):
            continue
        if all(pow(_gauss(prime, z, n, p), (p - 1) // 2, p) == 1 for prime in inside):
            return z
    raise Unvalued("no root of unity suits all the roots")  # they depend on each other, as √2 and √(2 + √2) may


def _on_circle(u: int, p: int) -> Circle:
    over = pow(1 + u * u, -1, p)
    return (1 - u * u) * over % p, 2 * u * over % p


def _has_order(z: Circle, n: int, p: int) -> bool:
    return all(power(z, n // prime, p) != (1, 0) for prime in factorint(n))


def _inside(prime: int, n: int) -> bool:
    """Whether √ℓ is made of roots of unity of order N, a multiple of 4."""
    return n % 8 == 0 if prime == 2 else n % prime == 0


def _gauss(prime: int, z: Circle, n: int, p: int) -> int:
    """√ℓ as a sum of roots of unity of order N: ζ₈ + 1/ζ₈ for 2, else Gauss's sum, or its imaginary part."""
    if prime == 2:
        return 2 * power(z, n // 8, p)[0] % p
    step, place = power(z, n // prime, p), 0 if prime % 4 == 1 else 1
    total, point = 0, (1, 0)
    for k in range(1, prime):
        point = _both(point, step, p)
        total += point[place] * (1 if pow(k, (prime - 1) // 2, prime) == 1 else -1)
    return total % p


def power(z: Circle, times: int, p: int) -> Circle:
    """A point of the circle turned so many times."""
    out, step = (1, 0), z if times >= 0 else (z[0], -z[1] % p)
    for digit in bin(abs(times))[2:]:
        out = _both(out, out, p)
        out = _both(out, step, p) if digit == "1" else out
    return out


def _both(a: Circle, b: Circle, p: int) -> Circle:
    return (a[0] * b[0] - a[1] * b[1]) % p, (a[0] * b[1] + a[1] * b[0]) % p
