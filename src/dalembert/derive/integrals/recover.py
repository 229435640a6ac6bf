"""Coefficients as expressions, from their values modulo primes: rational numbers times functions of the parameters."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import combinations_with_replacement
from operator import mul

import numpy as np
from sympy import Expr, Integer, Rational, Symbol, prime

from dalembert.derive.exact import PRIMES
from dalembert.derive.integrals.nullspace import kernel
from dalembert.derive.integrals.sets import Conditions

LARGEST = 2**24  # of numerators and denominators; their product stays far below that of the two primes
HIGHEST = 3  # degree of coefficients in the parameters
MOST_UNKNOWNS = 240


def setting(parameters: Sequence[Symbol], scaled: bool = False) -> dict[Symbol, int]:
    """Values for the parameters; scaled, the k-th is multiplied by the k-th prime number."""
    draw = np.random.default_rng(11).integers(2, 2**30, len(parameters))
    return {s: int(v) * (prime(k + 1) if scaled else 1) for k, (s, v) in enumerate(zip(parameters, draw, strict=True))}


class Recovery:
    """The vectors c of a null space over the field of the parameters, each found from its support.

    The support is known from one prime and one setting of the parameters. The same lines are computed for a second
    prime, and with parameters scaled: coefficients that are products of powers of parameters show their exponents by
    that. Others are sought as polynomials in the parameters.
    """

    def __init__(self, parameters: tuple[Symbol, ...], ask: Callable[..., Conditions]):
        self.parameters, self.ask = parameters, ask
        self._conditions: dict[tuple[int, bool], np.ndarray] = {}

    def coefficients(self, support: Sequence[int]) -> list[Expr] | None:
        """The coefficients on the columns of a line of the null space, the last of them 1; None when not found."""
        plain = self._line(support, False)
        if plain is None:
            return None
        if not self.parameters:
            return _all(_rational(v) for v in plain)
        scaled = self._line(support, True)
        if scaled is not None:
            found = _all(self._product(v, w) for v, w in zip(plain, scaled, strict=True))
            if found:
                return found
        return self._polynomial(support)

    def _line(self, support: Sequence[int], scaled: bool) -> list[tuple[int, int]] | None:
        """The coefficients modulo both primes."""
        both = []
        for p in PRIMES[:2]:
            found = kernel(self._at(p, scaled, len(support))[:, list(support)], p)
            if len(found.free) != 1:
                return None
            both.append(found.vectors[0])
        return [(int(a), int(b)) for a, b in zip(*both, strict=True)]

    def _at(self, p: int, scaled: bool, unknowns: int) -> np.ndarray:
        """The conditions modulo a prime, shape (conditions, columns), kept while they are enough."""
        known = self._conditions.get((p, scaled))
        if known is None or (len(known) < unknowns + 4 and known.size):
            now = self.ask(unknowns, prime=p, seed=3, values=setting(self.parameters, scaled))
            known = self._conditions[p, scaled] = now.matrix.reshape(-1, now.matrix.shape[2])
        return known

    def _product(self, plain: tuple[int, int], scaled: tuple[int, int]) -> Expr | None:
        """r Π s^e, the exponents read from the ratio of the scaled value to the plain one."""
        p = PRIMES[:2]
        ratio = _rational(tuple(w * pow(v, -1, q) % q for v, w, q in zip(plain, scaled, p, strict=True)))
        if ratio is None:
            return None
        exponents, left = {}, Rational(ratio)
        for k, s in enumerate(self.parameters):
            exponents[s] = left.p and _times(int(left.p), prime(k + 1)) - _times(int(left.q), prime(k + 1))
            left /= Integer(prime(k + 1)) ** exponents[s]
        if left != 1:
            return None
        values = setting(self.parameters)
        bare: tuple[int, ...] = plain
        for s, e in exponents.items():
            bare = tuple(v * pow(values[s], -e, q) % q for v, q in zip(bare, p, strict=True))
        number = _rational(bare)
        return None if number is None else number * reduce(mul, (s**e for s, e in exponents.items()), Integer(1))

    def _polynomial(self, support: Sequence[int]) -> list[Expr] | None:
        """Coefficients that are polynomials in the parameters, of the lowest degree that serves."""
        for degree in range(1, HIGHEST + 1):
            powers = [c for d in range(degree + 1) for c in combinations_with_replacement(self.parameters, d)]
            if len(powers) * len(support) > MOST_UNKNOWNS:
                return None
            both = [self._spread(support, powers, p) for p in PRIMES[:2]]
            if any(b is None for b in both):
                continue
            numbers = _all(_rational((int(a), int(b))) for a, b in zip(*both, strict=True))
            if numbers is None:
                return None
            terms = [reduce(mul, c, Integer(1)) for c in powers]
            chunks = [numbers[k : k + len(terms)] for k in range(0, len(numbers), len(terms))]
            return [sum((a * b for a, b in zip(chunk, terms, strict=True)), Integer(0)) for chunk in chunks]
        return None

    def _spread(self, support: Sequence[int], powers: Sequence[tuple[Symbol, ...]], p: int) -> np.ndarray | None:
        unknowns = len(support) * len(powers)
        now = self.ask(unknowns, prime=p, seed=4, vary=True)
        weights = [reduce(mul, c, Integer(1)) for c in powers]
        factors = np.stack([now.points.of(w)[now.good] for w in weights], axis=1)
        wide = now.matrix[:, :, list(support), None] * factors[:, None, None, :] % p
        found = kernel(wide.reshape(-1, unknowns), p)
        return found.vectors[0] if found.free else None


def _all(values: Iterator[Expr | None]) -> list[Expr] | None:
    out = list(values)
    return None if any(v is None for v in out) else [v for v in out if v is not None]


def _times(n: int, factor: int) -> int:
    """How often a factor divides a number."""
    count = 0
    while n % factor == 0:
        n, count = n // factor, count + 1
    return count


def _rational(residues: tuple[int, ...]) -> Rational | None:
    """The fraction of small terms with these residues modulo the two primes (Wang's reconstruction)."""
    a, b = PRIMES[:2]
    modulus = a * b
    value = (residues[0] + a * ((residues[1] - residues[0]) * pow(a, -1, b) % b)) % modulus
    r, s = (modulus, value), (0, 1)
    while r[1] > LARGEST:
        q = r[0] // r[1]
        r, s = (r[1], r[0] - q * r[1]), (s[1], s[0] - q * s[1])
    if abs(s[1]) > LARGEST or s[1] == 0:
        return None
    return Rational(r[1], s[1])
