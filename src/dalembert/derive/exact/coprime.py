"""Whole numbers as products of numbers without common factors: as good as primes for roots, and always quickly found.

√n for a large n needs its square factors, not its primes, which may take longer than anybody waits. Small primes are
divided out; what is left of several numbers is split by greatest common divisors until no two parts have a common
factor, and whole powers are told by their roots.
"""

from collections.abc import Iterable
from math import gcd

from sympy import integer_nthroot, primerange

SMALL = 1000  # primes below are divided out; beyond 2¹⁰ whole powers have few roots to try
PRIMES = tuple(map(int, primerange(SMALL)))


def coprime_base(numbers: Iterable[int]) -> tuple[int, ...]:
    """Numbers above 1, no two with a common factor and none a whole power, of which others are products."""
    found: set[int] = set()
    left: list[int] = []
    for number in numbers:
        small, rest = _small(abs(number))
        found |= small
        left += [rest] if rest > 1 else []
    return tuple(sorted(found | _split([_root(n) for n in left])))


def exponents(number: int, base: Iterable[int]) -> dict[int, int]:
    """{b: n} with the number the product of bⁿ; what no member of the base divides stands for itself."""
    out: dict[int, int] = {}
    for b in base:
        while number % b == 0:
            number, out[b] = number // b, out.get(b, 0) + 1
    if number > 1:
        out[number] = 1
    return out


def _small(number: int) -> tuple[set[int], int]:
    found = set()
    for p in PRIMES:
        while number and number % p == 0:
            number //= p
            found.add(p)
    return found, number


def _root(number: int) -> int:
    """The number of which a number without small factors is a whole power."""
    for p in PRIMES:
        if SMALL**p > number:
            return number
        root, whole = integer_nthroot(number, p)
        if whole:
            return _root(int(root))
    return number


def _split(numbers: list[int]) -> set[int]:
    """The numbers split until no two have a common factor."""
    done: list[int] = []
    left = list(numbers)
    while left:
        number = left.pop()
        other = next((b for b in done if gcd(b, number) > 1), None)
        if number == 1 or number == other:
            continue
        if other is None:
            done.append(number)
            continue
        done.remove(other)
        common = gcd(other, number)
        left += [_root(n) for n in (common, other // common, number // common)]
    return set(done)
