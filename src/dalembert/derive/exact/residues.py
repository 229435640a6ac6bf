"""Values of expressions modulo primes at random points: exact arithmetic whose numbers do not grow.

An identity between rational functions that fails, fails at a random point modulo p with probability 1 − degree/p at
least (Schwartz and Zippel); p is near 2³¹, and points may have primes of their own. Roots, exponentials, angles and
other functions take random values that obey their algebra: r² = u, sin² + cos² = 1, exp(a + b) = exp(a) exp(b);
algebraic constants have images that obey all their relations. Functions whose relations are not known here count as
independent, so that an identity may be missed but none is invented. Where one may have been missed, `assumed` says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import (
    Abs,
    Add,
    Derivative,
    E,
    Expr,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    acos,
    acosh,
    acot,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    cot,
    coth,
    csc,
    erf,
    exp,
    expand,
    log,
    pi,
    sec,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)
from sympy.core.function import AppliedUndef

from dalembert.derive.exact.decimals import exact
from dalembert.derive.exact.images import BASE, Constants, Images
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.unrelated import MOST_TERMS, is_monomial, is_plain, is_root
from dalembert.derive.sizes import size_of

PRIMES = (2147431439, 2147403719, 2147394479)  # ≡ −1 modulo 9240: see `images`
USUAL = Constants(BASE, tuple((prime, 2) for prime in (2, 3, 5, 7, 11)), 2)  # that have images modulo all of these
FINEST = 2520  # the angle or exponent θ is taken as 2520 (θ/2520), so that θ/2, θ/3, … have values too

CIRCULAR = (sin, cos, tan, cot, sec, csc)
HYPERBOLIC = (sinh, cosh, tanh, coth)
UNRELATED = (log, atan, asin, acos, acot, atan2, asinh, acosh, atanh, erf)  # relations among these are not known
NAMED = (AppliedUndef, Derivative)


class Points:
    """Random points at which expressions are evaluated; `good` says where every value so far exists.

    Symbols among `variables` have a value at each point, all others one value for all points, that of `values` where
    it is stated; with `vary`, every symbol has a value at each point. Arrays have shape (count,). `prime` is one for
    all points, or those that the points take in turn; `constants` are the algebraic constants that have images.
    """

    dtype = np.int64

    def __init__(
        self,
        variables: Iterable[Symbol],
        count: int,
        prime: int | Sequence[int] = PRIMES[0],
        seed: int = 1,
        values: Mapping[Symbol, int] | None = None,
        vary: bool = False,
        constants: Constants | None = None,
        finest: int = FINEST,
    ):
        self._primes = (prime,) if isinstance(prime, int) else tuple(prime)
        self.prime: Any = prime if isinstance(prime, int) else np.resize(np.array(self._primes), count)
        self.count, self.vary, self.assumed = count, vary, False
        self.good = np.ones(count, dtype=bool)
        self._constants, self._finest = constants or USUAL, finest
        self._variables = frozenset(variables)
        self._random = np.random.default_rng(seed)
        self._known: dict[object, np.ndarray] = {s: self._constant(v) for s, v in (values or {}).items()}
        self._circles: dict[Expr, tuple[np.ndarray, np.ndarray]] = {}
        self._radicands: set[Expr] = set()
        self._kinds: set[object] = set()

    def of(self, e: Expr) -> np.ndarray:
        """The values of an expression; what stands where `good` is False means nothing. Raises Unvalued."""
        found = self._known.get(e)
        if found is None:
            found = self._known[e] = self._value(e)
        return found

    def drawn(self, e: Expr) -> np.ndarray:
        """New random values to stand for an expression, the same at all points when it holds no variable."""
        if self.vary or e.free_symbols & self._variables:
            return self._random.integers(2, self.prime, self.count)
        return self._constant(int(self._random.integers(2, min(self._primes))))

    def reduce(self, a: np.ndarray) -> np.ndarray:
        """To 0 … p − 1."""
        out: np.ndarray = a % self.prime
        return out

    def rational(self, number: Expr) -> np.ndarray:
        """A rational number, or a decimal one as it is written."""
        return self._number(number)

    def symbol(self, s: Symbol) -> np.ndarray:
        """The values of a symbol."""
        return self.of(s)

    def start(self, e: Expr, _: object) -> np.ndarray:
        """The values of a function, from what identities know of it."""
        return self.of(e)

    def inverse(self, x: np.ndarray) -> np.ndarray:
        """1/x."""
        return self.power(x, -1)

    def size(self, _: np.ndarray) -> None:
        """Nothing is rounded."""

    def sign(self, _: np.ndarray) -> np.ndarray:
        """Residues have no order."""
        raise Unvalued("residues have no order")

    def pivot(self, values: np.ndarray, _: object = None) -> int | None:
        """The first of the numbers (places, count) that vanish at fewest points, which are good no longer."""
        if not len(values):
            return None
        counts = np.count_nonzero(values[:, self.good], axis=1)
        best = int(np.argmax(counts))
        if not counts[best]:
            return None
        self.good &= values[best] != 0
        return best

    def power(self, base: np.ndarray, exponent: int) -> np.ndarray:
        """base ** exponent; where a zero has no inverse the point is no longer good."""
        if exponent >= 0:
            return self._raise(base, exponent)
        self.good &= base != 0
        return self._raise(base, exponent % (self.prime - 1))

    def _raise(self, base: np.ndarray, exponent: "int | np.ndarray") -> np.ndarray:
        """Powers by squaring; the exponent may be another one at each point."""
        out, p, same = np.ones_like(base), self.prime, isinstance(exponent, int)
        while exponent if same else np.any(exponent):
            odd = exponent & 1
            if not same:
                out = np.where(odd, out * base % p, out)
            elif odd:
                out = out * base % p
            base = base * base % p
            exponent = exponent >> 1
        return out

    def _each(self, f: Callable[[int], int]) -> np.ndarray:
        """A number modulo each prime, at the points that have it."""
        return np.resize(np.array([f(p) % p for p in self._primes], dtype=np.int64), self.count)

    def _constant(self, value: int) -> np.ndarray:
        return self._each(lambda _: value)

    def _value(self, e: Expr) -> np.ndarray:
        if e.is_Symbol:
            return self.drawn(e)
        if e.is_Number:
            return self._number(e)
        if isinstance(e, Add | Mul):
            return self._combined(e)
        if e == E:
            return self._exponential(Integer(1))
        if isinstance(e, Pow):
            return self._raised(e.base, e.exp)
        if isinstance(e, exp):
            return self._exponential(e.args[0])
        if isinstance(e, CIRCULAR):
            c, s = self._circle(e.args[0])
            one = self._constant(1)
            parts = {sin: (s,), cos: (c,), tan: (s, c), cot: (c, s), sec: (one, c), csc: (one, s)}
            return self._quotient(parts[e.func])
        if isinstance(e, HYPERBOLIC):
            up, down = self._exponential(e.args[0]), self._exponential(-e.args[0])
            s, c = self._half(up - down), self._half(up + down)
            return self._quotient({sinh: (s,), cosh: (c,), tanh: (s, c), coth: (c, s)}[e.func])
        if isinstance(e, Abs | sign):
            self.assumed = True  # which signs occur together is not known
            size = self._root(self.of(e.args[0] ** 2), 2)
            return size if isinstance(e, Abs) else self._quotient((self.of(e.args[0]), size))
        if isinstance(e, UNRELATED):
            self.assumed = True
            return self.drawn(e)
        if isinstance(e, NAMED):
            return self.drawn(e)
        if e.is_NumberSymbol:
            self._transcendental("pi" if e == pi else None)
            return self.drawn(e)
        raise Unvalued(str(e.func))

    def _transcendental(self, kind: str | None) -> None:
        """Constants of one kind have no relations: π alone, and exp of algebraic numbers (Lindemann, Weierstrass)."""
        self._kinds.add(kind)
        self.assumed |= kind is None or len(self._kinds) > 1

    def _number(self, e: Expr) -> np.ndarray:
        if not e.is_finite:
            raise Unvalued(str(e))
        r = exact(e)
        top, bottom = int(r.p), int(r.q)
        if bottom == 1:
            return self._constant(top)
        self.good &= self._constant(bottom) != 0
        return self._each(lambda p: top * pow(bottom % p or 1, -1, p))

    def _combined(self, e: Expr) -> np.ndarray:
        first, *others = map(self.of, e.args)
        for other in others:
            first = (first + other if isinstance(e, Add) else first * other) % self.prime
        return first

    def _quotient(self, parts: tuple[np.ndarray, ...]) -> np.ndarray:
        return parts[0] if len(parts) == 1 else parts[0] * self.power(parts[1], -1) % self.prime

    def _half(self, value: np.ndarray) -> np.ndarray:
        return self.reduce(value * ((self.prime + 1) // 2))

    def _raised(self, base: Expr, exponent: Expr) -> np.ndarray:
        exponent = exact(exponent) if exponent.is_Float else exponent
        if isinstance(exponent, Integer):
            return self.power(self.of(base), int(exponent))
        if isinstance(exponent, Rational) and base.is_Float:
            base = exact(base)
        if isinstance(exponent, Rational) and base.is_Rational and base > 0:
            return self._each(lambda p: Images(self._constants, p).root(base, exponent))
        if isinstance(exponent, Rational):
            self._radicands.add(base)
            self.assumed |= len(self._radicands) > 1 or not is_plain(base)
            return self.power(self._root(self.of(base), int(exponent.q)), int(exponent.p))
        self.assumed |= not base.is_Symbol
        return self._exponential(exponent * log(base))

    def _root(self, value: np.ndarray, order: int) -> np.ndarray:
        p = self.prime
        while order % 2 == 0:
            root = self._raise(value, (p + 1) // 4)
            self.good &= root * root % p == value % p
            value, order = root, order // 2
        if order == 1:
            return value
        if any(np.gcd(order, q - 1) != 1 for q in self._primes):
            raise Unvalued(f"root of order {order}")
        return self._raise(value, np.resize(np.array([pow(order, -1, q - 1) for q in self._primes]), self.count))

    def _exponential(self, argument: Expr) -> np.ndarray:
        """exp(Σ c τ) = Π exp(τ/N)^(N c), and exp(c log b) = b^c."""
        out = self._constant(1)
        for factor, term in self._terms(argument):
            if isinstance(term, log):
                out = out * self._raised(term.args[0], factor) % self.prime
                continue
            base = self._known.get(("exp", term))
            if base is None:
                base = self._known["exp", term] = self.drawn(term)
            out = out * self.power(base, self._whole(factor)) % self.prime
        return out

    def _circle(self, argument: Expr) -> tuple[np.ndarray, np.ndarray]:
        """(cos, sin) of Σ c τ, by the addition theorems from random points of the unit circle for each τ/N."""
        whole = self._constant(1), self._constant(0)
        for factor, term in self._terms(argument):
            turn = self._fixed_angle(factor) if term == pi else self._turned(term, self._whole(factor))
            whole = self._both(whole, turn)
        return whole

    def _fixed_angle(self, factor: Rational) -> tuple[np.ndarray, np.ndarray]:
        """(cos, sin) of a multiple of π."""
        both = [Images(self._constants, p).circle(factor / 2) for p in self._primes]
        cosine, sine = (np.resize(np.array([z[i] for z in both], dtype=np.int64), self.count) for i in (0, 1))
        return cosine, sine

    def _turned(self, term: Expr, times: int) -> tuple[np.ndarray, np.ndarray]:
        if term not in self._circles:
            u = self.drawn(term)
            over = self.power((1 + u * u) % self.prime, -1)
            self._circles[term] = (1 - u * u) % self.prime * over % self.prime, 2 * u % self.prime * over % self.prime
        c, s = self._circles[term]
        out, step = (self._constant(1), self._constant(0)), (c, s if times > 0 else -s % self.prime)
        for digit in bin(abs(times))[2:]:
            out = self._both(out, out)
            out = self._both(out, step) if digit == "1" else out
        return out

    def _both(self, a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        p = self.prime
        return (a[0] * b[0] % p - a[1] * b[1] % p) % p, (a[0] * b[1] % p + a[1] * b[0] % p) % p

    def _terms(self, argument: Expr) -> list[tuple[Expr, Expr]]:
        """[(c, τ)] with Σ c τ the argument and every c rational."""
        if size_of(argument).terms <= MOST_TERMS:
            argument = expand(argument, log=False, trig=False, power_base=False)
        parts = Add.make_args(argument)
        out = [part.as_coeff_Mul() for part in parts if part != 0]
        out = [(exact(factor), term) for factor, term in out]
        for _, term in out:
            if not term.free_symbols and term != pi and not isinstance(term, log):
                self._transcendental("exp" if is_root(term) else None)
            self.assumed |= not isinstance(term, log) and not is_monomial(term)
        return out

    def _whole(self, factor: Expr) -> int:
        times = factor * self._finest
        if not isinstance(times, Integer):
            raise Unvalued(f"the multiple {factor}")
        return int(times)
