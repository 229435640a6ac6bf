"""Roots and logarithms of numbers that nobody can factor, and long chains of relations: answered in little work."""

from time import process_time

import pytest
from sympy import Integer, Rational, cbrt, cos, log, pi, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.derive.exact.coprime import coprime_base, exponents

x, y, z, w = dynamicsymbols("x y z w")
B, C = Integer(10) ** 70 + 7, Integer(10) ** 90 + 9
P = (2**89 - 1) * (2**107 - 1)  # two primes
SECONDS = 10


def form(factor):
    energy = (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2
    return da.System.from_lagrangian(energy, [x, y, z], constraints=[da.Differential({z: 1, x: factor * y})])


ZERO = {
    "a product of roots": sqrt(P) * sqrt(P * B) - P * sqrt(B),
    "a square": sqrt(B**2 * C) - B * sqrt(C),
    "a root under a root": sqrt(B) + sqrt(C) - sqrt(B + C + 2 * sqrt(B * C)),
    "cube roots": cbrt(P) * cbrt(P**2 * B) - P * cbrt(B),
    "a common factor": sqrt(P * B) * sqrt(P * C) - P * sqrt(B) * sqrt(C),
}
OTHER = {
    "nearly a whole number": sqrt(B) - 10**35,
    "of 200 digits": sqrt(Integer(10) ** 200 + 1) - Integer(10) ** 100,
    "a cube root": cbrt(B) - 10**23,
    "a seventh": B ** Rational(3, 7),
    "of a fraction": sqrt(Rational(B, C)),
    "a logarithm": log(B),
    "an angle": cos(pi / B),
    "a product that differs": sqrt(P) * sqrt(P * B) - (P + 1) * sqrt(B),
}


@pytest.mark.parametrize("zero", ZERO.values(), ids=ZERO)
def test_what_cancels_among_large_roots(zero) -> None:
    begin = process_time()
    assert form(zero).classify().holonomic
    assert not form(zero + x).classify().holonomic
    assert process_time() - begin < SECONDS


@pytest.mark.parametrize("factor", OTHER.values(), ids=OTHER)
def test_what_does_not_cancel_among_them(factor) -> None:
    begin = process_time()
    assert not form(factor).classify().holonomic
    assert process_time() - begin < SECONDS


def test_a_base_has_no_common_factors_and_makes_all_numbers() -> None:
    p, q, r = 10**9 + 7, 10**9 + 9, 10**12 + 39  # primes
    numbers = [p**2 * q * 12, q * r, p**3, r**6, 1]
    base = coprime_base(numbers)
    assert set(base) == {2, 3, p, q, r}
    for number in numbers:
        product = 1
        for b, n in exponents(number, base).items():
            assert b in base
            product *= b**n
        assert product == number


@pytest.mark.parametrize("n", [5, 24])
def test_relations_that_follow_from_each_other_in_a_chain(n) -> None:
    """z' + q_n w' = 0 is not integrable whatever moves q_n; the relations are n integrals, and all there are."""
    q = dynamicsymbols(f"q:{n + 1}")
    rows = [da.Holonomic(q[i + 1] - q[i] - sin(q[i]) / 3) for i in range(n)]
    energy = sum(v.diff() ** 2 for v in (*q, z, w)) / 2
    chain = da.System.from_lagrangian(energy, [*q, z, w], constraints=[*rows, da.Differential({z: 1, w: q[n]})])
    begin = process_time()
    found = chain.classify()
    assert process_time() - begin < SECONDS
    assert (found.rank, found.integrable, found.holonomic) == (n + 1, n, False)
