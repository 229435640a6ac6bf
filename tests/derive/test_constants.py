"""Constants are compared exactly: equal ones written differently give one answer, and a zero among them is seen."""

import mpmath
import pytest
from sympy import (
    E,
    Expr,
    Float,
    GoldenRatio,
    Rational,
    Symbol,
    TribonacciConstant,
    acos,
    asin,
    atan,
    cos,
    cosh,
    exp,
    log,
    pi,
    sin,
    sqrt,
    tan,
)

import dalembert as da
from dalembert.derive.exact import constant_is_zero, exact, settled, vanishes
from dalembert.derive.exact.images import Constants, Images
from derive.constraint_table import form, t, x, y, z
from derive.test_classify import system

R = Rational

ZEROS = {
    "a sine and a cosine": sin(pi / 18) - cos(4 * pi / 9),
    "the angles of seven": cos(2 * pi / 7) + cos(4 * pi / 7) + cos(6 * pi / 7) + R(1, 2),
    "a product of seven": sin(pi / 7) * sin(2 * pi / 7) * sin(3 * pi / 7) - sqrt(7) / 8,
    "thrice an angle": 8 * cos(pi / 9) ** 3 - 6 * cos(pi / 9) - 1,
    "a tangent of eleven": tan(3 * pi / 11) + 4 * sin(2 * pi / 11) - sqrt(11),
    "golden": GoldenRatio**2 - GoldenRatio - 1,
    "golden angle": cos(pi / 5) - GoldenRatio / 2,
    "tribonacci": TribonacciConstant**3 - TribonacciConstant**2 - TribonacciConstant - 1,
    "a root in two": sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3),
    "a root by others": sqrt(2 + sqrt(3)) - (sqrt(6) + sqrt(2)) / 2,
    "a cubic root": (2 + sqrt(5)) ** R(1, 3) - GoldenRatio,
    "roots that multiply": sqrt(2 - sqrt(2)) * sqrt(2 + sqrt(2)) - sqrt(2),
    "three roots deep": sqrt(2 + sqrt(2 + sqrt(2))) - 2 * cos(pi / 16),
    "logarithms": log(10) - log(2) - log(5),
}
SMALL = {
    "as near as ten digits": sqrt(2) + sqrt(3) - Float("3.146264369941972"),
    "nearly a whole number": exp(pi * sqrt(163)) - 640320**3 - 744,
    "pi and e": pi - E - R(4233108, 10**7),
    "angles": atan(R(1, 2)) + atan(R(1, 3)) - pi / 4 + R(1, 10**40),
    "roots": sqrt(10**30 + 1) - 10**15,
    "seven, nearly": cos(2 * pi / 7) + cos(4 * pi / 7) + cos(6 * pi / 7) + R(1, 2) + R(1, 10**30),
}


def value(c: Expr) -> mpmath.mpf:
    """With sixty digits, by another program."""
    with mpmath.workdps(80):
        return mpmath.mpf(str(c.evalf(60, maxn=400)))


@pytest.mark.parametrize("zero", ZEROS.values(), ids=ZEROS)
def test_a_sum_that_is_zero_is_seen(zero: Expr) -> None:
    assert abs(value(zero)) < 1e-50
    assert settled(zero) == 0
    found = system([x, y, z], [form({z: 1, x: y * zero})]).classify()
    assert (found.holonomic, found.integrals, found.evidence.words) == (True, (z,), "proved")


@pytest.mark.parametrize("small", SMALL.values(), ids=SMALL)
def test_a_sum_that_is_nearly_zero_is_not_zero(small: Expr) -> None:
    assert abs(value(small)) > 1e-45
    assert constant_is_zero(small) is False
    found = system([x, y, z], [form({z: 1, x: y * small})]).classify()
    assert (found.holonomic, found.evidence.words) == (False, "proved")


SPREAD = {
    "roots": (x + sqrt(2)) * (x + sqrt(3)) - x**2 - x * (sqrt(2) + sqrt(3)) - sqrt(6),
    "roots of larger primes": (x + sqrt(13)) * (x + sqrt(17)) - x**2 - x * (sqrt(13) + sqrt(17)) - sqrt(221),
    "e": (x + E) ** 2 - x**2 - 2 * E * x - exp(2),
    "powers of e": exp(x + 1) - E * exp(x),
    "hyperbolic": cosh(x + 1) * 2 - E * exp(x) - exp(-x) / E,
    "an angle": sin(x + pi / 7) - sin(x) * cos(pi / 7) - cos(x) * sin(pi / 7),
    "an angle of one": sin(x + 1) - sin(x) * cos(1) - cos(x) * sin(1),
    "three wheels": cos(x) + cos(x + 2 * pi / 3) + cos(x + 4 * pi / 3),
    "golden": x**2 - x - 1 - (x - GoldenRatio) * (x + 1 / GoldenRatio),
    "fourth roots": (x - 2 ** R(1, 4)) * (x + 2 ** R(1, 4)) - x**2 + sqrt(2),
}


@pytest.mark.parametrize("zero", SPREAD.values(), ids=SPREAD)
def test_constants_in_products_and_angles(zero: Expr) -> None:
    found = system([x, y, z], [form({z: 1, x: y * zero})]).classify()
    assert found.holonomic
    other = system([x, y, z], [form({z: 1, x: y * (zero + x / 10**20)})]).classify()
    assert (other.holonomic, other.evidence.words) == (False, "proved")


OPEN = {
    "angles": atan(R(1, 2)) + atan(R(1, 3)) - pi / 4,
    "inverse functions": asin(R(1, 3)) + acos(R(1, 3)) - pi / 2,
    "powers": exp(log(2) * log(3)) - exp(log(3) * log(2)) + 2 ** log(5) - 5 ** log(2),
}


@pytest.mark.parametrize("zero", OPEN.values(), ids=OPEN)
def test_what_is_not_decided_is_not_called_proved(zero: Expr) -> None:
    """Relations that no theorem at hand decides: the numbers are followed, and the evidence says so."""
    assert abs(value(zero)) < 1e-50
    found = system([x, y, z], [form({z: 1, x: y * zero})]).classify()
    assert found.holonomic
    assert found.integrals or found.evidence.words.startswith("not proved")


def test_images_obey_the_relations_of_what_they_stand_for() -> None:
    constants = Constants.of([cos(2 * pi / 7) + sin(pi / 18) * sqrt(6) + sqrt(7) + 2 ** R(1, 4) + sqrt(13)])
    for p in constants.primes(4):
        of = Images(constants, p)
        assert (2 * sum(of.circle(R(k, 7))[0] for k in (1, 2, 3)) + 1) % p == 0
        assert of.circle(R(1, 36))[1] == of.circle(R(2, 9))[0]
        assert of.root(R(2), R(1, 2)) * of.root(R(3), R(1, 2)) % p == of.root(R(6), R(1, 2))
        assert pow(of.root(R(2), R(1, 4)), 2, p) == of.root(R(2), R(1, 2))
        assert 2 * of.circle(R(1, 12))[0] % p == of.root(R(3), R(1, 2))
        product = 8 * of.circle(R(1, 14))[1] * of.circle(R(1, 7))[1] * of.circle(R(3, 14))[1]
        assert product % p == of.root(R(7), R(1, 2))  # the sign of a Gauss sum


DECIMALS = {
    0.1 + 0.2: R(3, 10),
    0.3: R(3, 10),
    1 / 3: R(1, 3),
    2 / 3 + 1e-16: R(2, 3),
    1e-20: R(1, 10**20),
    9.81: R(981, 100),
    1e17: R(10**17),
    3.14159265358979: R(314159265358979, 10**14),
}


@pytest.mark.parametrize(("decimal", "fraction"), DECIMALS.items(), ids=map(str, DECIMALS))
def test_decimals_stand_for_fractions(decimal: float, fraction: Rational) -> None:
    assert exact(decimal) == fraction
    assert abs(float(fraction) - decimal) <= 8 * abs(decimal) * 2.0**-52


def test_decimals_that_differ_by_rounding_are_the_same() -> None:
    rows = [da.Holonomic(x - 0.1 - 0.2, name="one"), da.Holonomic(x - 0.3, name="other")]
    found = system([x, y], rows).classify()
    assert (found.contradictory, found.dependent, found.rank) == ((), ("other",), 1)
    rows = [da.Nonholonomic(x.diff(t) - (0.1 + 0.2) * y.diff(t)), da.Nonholonomic(x.diff(t) - 0.3 * y.diff(t))]
    assert system([x, y], rows).classify().rank == 1


def test_constants_that_are_parameters_are_generic() -> None:
    a = Symbol("a", positive=True)
    assert vanishes(sqrt(2 * a) - sqrt(2) * sqrt(a), [a])
    assert not vanishes(sqrt(a + 1) - sqrt(a) - 1, [a])
