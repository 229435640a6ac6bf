"""Values of expressions modulo a prime at random points: exact arithmetic whose numbers do not grow.

An identity between rational functions that fails, fails at a random point modulo p with probability 1 − degree/p at
least (Schwartz and Zippel); p is near 2³¹. Roots, exponentials, angles and other functions take random values that obey
their algebra: r² = u, sin² + cos² = 1, exp(a + b) = exp(a) exp(b). Functions whose relation is not known here count as
independent, so that an identity may be missed but none is invented.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from sympy import (
    Abs,
    Add,
    Derivative,
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

from dalembert.derive.exact.numbers import Unvalued

# p ≡ −1 modulo 9240: small positive integers are squares, −1 is not, and roots of odd order are unique
PRIMES = (2147431439, 2147403719, 2147394479)
FINEST = 2520  # the angle or exponent θ is taken as 2520 (θ/2520), so that θ/2, θ/3, … have values too

CIRCULAR = (sin, cos, tan, cot, sec, csc)
HYPERBOLIC = (sinh, cosh, tanh, coth)
INDEPENDENT = (log, atan, asin, acos, acot, atan2, asinh, acosh, atanh, erf, AppliedUndef, Derivative)


class Points:
    """Random points at which expressions are evaluated; `good` says where every value so far exists.

    Symbols among `variables` have a value at each point, all others one value for all points, that of `values` where
    it is stated; with `vary`, every symbol has a value at each point. Arrays have shape (count,).
    """

    dtype = np.int64

    def __init__(
        self,
        variables: Iterable[Symbol],
        count: int,
        prime: int = PRIMES[0],
        seed: int = 1,
        values: Mapping[Symbol, int] | None = None,
        vary: bool = False,
    ):
        self.prime, self.count, self.vary = prime, count, vary
        self.good = np.ones(count, dtype=bool)
        self._variables = frozenset(variables)
        self._random = np.random.default_rng(seed)
        self._known: dict[object, np.ndarray] = {s: self._constant(v) for s, v in (values or {}).items()}
        self._circles: dict[Expr, tuple[np.ndarray, np.ndarray]] = {}

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
        return self._constant(int(self._random.integers(2, self.prime)))

    def reduce(self, a: np.ndarray) -> np.ndarray:
        """To 0 … p − 1."""
        return a % self.prime

    def rational(self, number: Expr) -> int:
        """A rational number, or a decimal one as it is written."""
        return int(self._number(number)[0])

    def symbol(self, s: Symbol) -> np.ndarray:
        """The values of a symbol."""
        return self.of(s)

    def start(self, e: Expr, _: object) -> np.ndarray:
        """The values of a function, from what identities know of it."""
        return self.of(e)

    def inverse(self, x: np.ndarray) -> np.ndarray:
        """1/x."""
        return self.power(x, -1)

    def sign(self, _: np.ndarray) -> np.ndarray:
        """Residues have no order."""
        raise Unvalued("residues have no order")

    def pivot(self, values: np.ndarray, _: object = None) -> int | None:
        """The first of the numbers (places, count) that vanish at fewest points, which are good no longer."""
        counts = np.count_nonzero(values[:, self.good], axis=1)
        best = int(np.argmax(counts))
        if not counts[best]:
            return None
        self.good &= values[best] != 0
        return best

    def power(self, base: np.ndarray, exponent: int) -> np.ndarray:
        """base ** exponent; where a zero has no inverse the point is no longer good."""
        if exponent < 0:
            self.good &= base != 0
            exponent = exponent % (self.prime - 1)
        out = np.ones_like(base)
        while exponent:
            if exponent & 1:
                out = out * base % self.prime
            base = base * base % self.prime
            exponent >>= 1
        return out

    def _constant(self, value: int) -> np.ndarray:
        return np.full(self.count, value % self.prime, dtype=np.int64)

    def _value(self, e: Expr) -> np.ndarray:
        if e.is_Symbol:
            return self.drawn(e)
        if e.is_Number:
            return self._number(e)
        if isinstance(e, Add | Mul):
            return self._combined(e)
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
            size = self._root(self.of(e.args[0] ** 2), 2)
            return size if isinstance(e, Abs) else self._quotient((self.of(e.args[0]), size))
        if isinstance(e, INDEPENDENT) or e.is_NumberSymbol:
            return self.drawn(e)
        raise Unvalued(str(e.func))

    def _number(self, e: Expr) -> np.ndarray:
        if not e.is_finite:
            raise Unvalued(str(e))
        e = Rational(str(e)) if e.is_Float else e
        if e.q % self.prime == 0:
            raise Unvalued(str(e))
        return self._constant(int(e.p) * pow(int(e.q), -1, self.prime))

    def _combined(self, e: Expr) -> np.ndarray:
        first, *others = map(self.of, e.args)
        for other in others:
            first = (first + other if isinstance(e, Add) else first * other) % self.prime
        return first

    def _quotient(self, parts: tuple[np.ndarray, ...]) -> np.ndarray:
        return parts[0] if len(parts) == 1 else parts[0] * self.power(parts[1], -1) % self.prime

    def _half(self, value: np.ndarray) -> np.ndarray:
        return value * ((self.prime + 1) // 2) % self.prime

    def _raised(self, base: Expr, exponent: Expr) -> np.ndarray:
        if isinstance(exponent, Rational):
            return self.power(self._root(self.of(base), int(exponent.q)), int(exponent.p))
        return self._exponential(exponent * log(base))

    def _root(self, value: np.ndarray, order: int) -> np.ndarray:
        while order % 2 == 0:
            root = self.power(value, (self.prime + 1) // 4)
            self.good &= root * root % self.prime == value % self.prime
            value, order = root, order // 2
        if np.gcd(order, self.prime - 1) != 1:
            raise Unvalued(f"root of order {order}")
        return value if order == 1 else self.power(value, pow(order, -1, self.prime - 1))

    def _exponential(self, argument: Expr) -> np.ndarray:
        """exp(Σ c τ) = Π exp(τ/N)^(N c), and exp(c log b) = b^c."""
        out = self._constant(1)
        for factor, term in _terms(argument):
            if isinstance(term, log):
                out = out * self._raised(term.args[0], factor) % self.prime
                continue
            base = self._known.get(("exp", term))
            if base is None:
                base = self._known["exp", term] = self.drawn(term)
            out = out * self.power(base, _whole(factor)) % self.prime
        return out

    def _circle(self, argument: Expr) -> tuple[np.ndarray, np.ndarray]:
        """(cos, sin) of Σ c τ, by the addition theorems from random points of the unit circle for each τ/N."""
        whole = self._constant(1), self._constant(0)
        for factor, term in _terms(argument):
            if term == pi:
                known = cos(factor * pi).doit(), sin(factor * pi).doit()
                if any(isinstance(value, CIRCULAR) for value in known):
                    raise Unvalued(str(known[0]))  # not known by roots: cos(π/7)
                turn = self.of(known[0]), self.of(known[1])
            else:
                turn = self._turned(term, _whole(factor))
            whole = self._both(whole, turn)
        return whole

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


def _terms(argument: Expr) -> list[tuple[Expr, Expr]]:
    """[(c, τ)] with Σ c τ the argument and every c rational."""
    parts = Add.make_args(expand(argument, log=False, trig=False, power_base=False))
    out = [part.as_coeff_Mul() for part in parts if part != 0]
    if not all(factor.is_Rational for factor, _ in out):
        raise Unvalued(str(argument))
    return out


def _whole(factor: Expr) -> int:
    times = factor * FINEST
    if not isinstance(times, Integer):
        raise Unvalued(f"the multiple {factor}")
    return int(times)
