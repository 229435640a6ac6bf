"""First integrals as linear combinations of stated functions: monomials of what occurs in the forms, and logarithms."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np
from sympy import (
    Expr,
    Function,
    Pow,
    Rational,
    cos,
    cot,
    coth,
    csc,
    exp,
    factor_list,
    fraction,
    log,
    sec,
    sin,
    tan,
    tanh,
    together,
)
from sympy.polys.polyerrors import BasePolynomialError

from dalembert.derive.nullspace import kernel, rank
from dalembert.derive.pfaffian import Basis, Pfaffian, conditions, gradient
from dalembert.derive.recover import Recovery, setting

LONGEST = 150  # operations of a coefficient that is still factored


def generators(forms: Pfaffian) -> tuple[Expr, ...]:
    """The variables whose differentials occur, and the roots and functions of them in the coefficients."""
    found: dict[Expr, None] = dict.fromkeys(forms.moving)
    for e in (e for row in forms.rows for e in row.values()):
        for part in sorted(e.atoms(Function, Pow), key=lambda a: a.sort_key()):
            found.update(dict.fromkeys(g for g in _kernels(part) if within(g, forms)))
    return tuple(found)


def _kernels(part: Expr) -> tuple[Expr, ...]:
    if isinstance(part, sin | cos | tan | cot | sec | csc):
        return sin(part.args[0]), cos(part.args[0])
    if isinstance(part, Pow):
        if part.exp.is_Integer or isinstance(part.base, Pow):
            return ()
        return (part.base ** Rational(1, part.exp.q),) if part.exp.is_Rational else (part.base**part.exp,)
    if isinstance(part, exp):
        return (part,) if not part.args[0].could_extract_minus_sign() else (exp(-part.args[0]),)
    return () if isinstance(part, tanh | coth) else (part,)


def within(e: Expr, forms: Pfaffian) -> bool:
    """Whether an expression varies, and only with variables whose differentials occur."""
    varying = e.free_symbols & set(forms.variables)
    return bool(varying) and varying <= set(forms.moving)


def exponents(gens: Sequence[Expr], degree: int) -> tuple[tuple[int, ...], ...]:
    """The exponents of all monomials up to a degree, lowest first, less those that identities make superfluous."""
    out, limits, pairs = [], [_limit(g, gens, degree) for g in gens], _reciprocal(gens)
    for d in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(len(gens)), d):
            one = tuple(map(chosen.count, range(len(gens))))
            if all(e <= most for e, most in zip(one, limits, strict=True)) and not any(
                one[i] and one[j] for i, j in pairs
            ):
                out.append(one)
    return tuple(out)


def _limit(g: Expr, gens: Sequence[Expr], degree: int) -> int:
    """cos² = 1 − sin², and (u^(1/q))^q = u."""
    if isinstance(g, cos) and sin(g.args[0]) in gens:
        return 1
    return int(g.exp.q) - 1 if isinstance(g, Pow) and g.exp.is_Rational and not g.exp.is_Integer else degree


def _reciprocal(gens: Sequence[Expr]) -> list[tuple[int, int]]:
    return [(i, j) for i, g in enumerate(gens) for j, h in enumerate(gens) if i < j and g * h == 1]


def factors(forms: Pfaffian, gens: Sequence[Expr]) -> tuple[Expr, ...]:
    """What may stand to some power in an integral or its factor: the generators and the factors of coefficients."""
    found = {g: None for g in gens if not isinstance(g, exp | log) and not isinstance(g, Pow)}
    for e in {e: None for row in forms.rows for e in row.values() if e.count_ops() <= LONGEST}:
        found.update(dict.fromkeys(split(e, forms)))
    return tuple(found)


def split(e: Expr, forms: Pfaffian) -> Iterator[Expr]:
    """The factors of an expression that are sums; single symbols and functions are left out."""
    for side in fraction(together(e)):
        if not side.is_Add and not side.is_Mul and not side.is_Pow:
            continue
        try:
            parts = factor_list(side)[1]
        except BasePolynomialError:
            continue
        yield from (part for part, _ in parts if part.is_Add and within(part, forms))


def combined(forms: Pfaffian, basis: Basis, found: Sequence[Expr], wanted: int) -> Iterator[dict[Expr, Expr]]:
    """Integrals Σ c m as {m: c}, up to `wanted` of them, independent of each other and of those found, simplest first."""
    now = conditions(forms, basis, len(basis), values=setting(forms))
    solved = kernel(now.matrix.reshape(-1, len(basis)), now.prime)
    if not solved.free:
        return
    known = _slopes(forms, found, now)
    recovery = Recovery(forms, basis)
    for vector in solved.vectors:
        slope = sum(now.gradients[0, :, k] * int(vector[k]) % now.prime for k in np.flatnonzero(vector)) % now.prime
        larger = np.vstack([known, slope[None]])
        if rank(larger, now.prime) < len(larger):
            continue
        support = [int(k) for k in np.flatnonzero(vector)]
        coefficients = recovery.coefficients(support)
        if coefficients is None:
            continue
        known = larger
        yield dict(zip(map(basis.function, support), coefficients, strict=True))
        wanted -= 1
        if not wanted:
            return


def _slopes(forms: Pfaffian, found: Sequence[Expr], now) -> np.ndarray:
    if not found:
        return np.zeros((0, len(forms.moving)), dtype=np.int64)
    return np.stack([gradient(f, forms.moving, now.points)[now.good[0]] for f in found])
