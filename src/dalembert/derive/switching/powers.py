"""Powers of |u| beside powers of u, in one form: u |u|^(p − 1) is sign(u) |u|^p, and (u²)^q is |u|^(2q).

As they are stated, one factor has no value where u vanishes though the product may have one, and that a force jumps
there is not seen. Multiples of u count as u, with the number or parameter in front taken out.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy import Abs, Add, Basic, Expr, Mul, S, sign

Moves = Callable[[Basic], bool]


def in_powers(node: Basic, moves: Moves, stated: dict[Basic, Basic]) -> Basic:
    """A product or power whose parts are in this form already; `stated` says how what is new in it was stated."""
    if isinstance(node, sp.Pow):
        return _power(node, moves, stated)
    if isinstance(node, Mul) and any(_modulus(f, moves) is not None for f in node.args):
        return _product(node, moves, stated)
    return node


def _power(node: sp.Pow, moves: Moves, stated: dict[Basic, Basic]) -> Expr:
    """A root of even powers, by their moduli; of a sum in a denominator, what its terms share apart."""
    base, exponent = node.args
    if isinstance(base, sign) and exponent.is_Integer:
        return base if exponent.is_odd else S.One
    if exponent.is_Integer:
        moduli = [a for a in base.atoms(Abs) if moves(a)] if exponent.is_negative and isinstance(base, Add) else []
        if not moduli:
            return node
        even = {f: Abs(u) ** f.exp for a in moduli for u in a.args for f in base.atoms(sp.Pow) if _is_even(f, u)}
        shared = sp.factor_terms(base.xreplace(even))
        return in_powers(shared, moves, stated) ** exponent if isinstance(shared, Mul) else node
    if moves(exponent) or isinstance(base, Abs):
        return node
    factors = [_even(f) for f in Mul.make_args(base)]
    if not any(f is not None and moves(f[0]) for f in factors):
        return node
    made: list[Expr] = []
    left: list[Expr] = []
    for f, found in zip(Mul.make_args(base), factors, strict=True):
        if found is None or not moves(found[0]):
            left.append(f)
            continue
        u, power = found
        if not isinstance(f.as_base_exp()[0], Abs):
            stated.setdefault(Abs(u), node)
        made.append(_of_modulus(u, power * exponent))
    return Mul(*made, Mul(*left) ** exponent)


def _is_even(f: sp.Pow, u: Expr) -> bool:
    return bool(f.base == u and f.exp.is_Integer and f.exp.is_even)


def _even(f: Expr) -> tuple[Expr, Expr] | None:
    """u and n where a factor is an even power uⁿ, or |u|ⁿ."""
    if f.is_Pow and f.exp.is_Integer and f.exp.is_even and not isinstance(f.base, Abs):
        return f.base, f.exp
    base, power = f.as_base_exp()
    return (base.args[0], power) if isinstance(base, Abs) else None


def _of_modulus(u: Expr, power: Expr) -> Expr:
    return u**power if power.is_Integer and power.is_even else Abs(u) ** power


def _modulus(f: Basic, moves: Moves) -> Expr | None:
    """What u is where a factor is a power of |u| that moves."""
    base, _ = f.as_base_exp() if isinstance(f, Expr) else (f, S.One)
    return base.args[0] if isinstance(base, Abs) and moves(base) else None


def _product(node: Mul, moves: Moves, stated: dict[Basic, Basic]) -> Expr:
    """Each modulus with the powers of its own argument, and with its own sign."""
    rest: dict[Expr, Expr] = {}
    for f in node.args:
        base, exponent = f.as_base_exp()
        rest[base] = rest.get(base, S.Zero) + exponent
    made: list[Expr] = []
    for modulus in [b for b in rest if isinstance(b, Abs) and moves(b)]:
        u, p = modulus.args[0], rest.pop(modulus)
        k, factor = _taken(u, rest, moves)
        odd = rest.pop(sign(u), S.Zero)
        if not odd.is_Integer:
            rest[sign(u)], odd = odd, S.Zero
        if k == 0 and odd == 0:
            made.append(modulus**p)
            continue
        if p.is_Integer:
            turns, left = p + odd, u ** (p + k)
        else:
            turns, left = k + odd, modulus ** (p + k)
        if turns % 2:
            stated.setdefault(sign(u), stated.get(modulus, modulus))
            made.append(sign(u))
        made += [left, factor]
    return Mul(*made, *(base**exponent for base, exponent in rest.items()))


def _taken(u: Expr, rest: dict[Expr, Expr], moves: Moves) -> tuple[Expr, Expr]:
    """The whole power k of u among the factors of a product, taken out of it, and what remains of multiples of u."""
    k, factor = S.Zero, S.One
    for base in list(rest):
        power = rest[base]
        if power.is_Integer and (ratio := _ratio(base, u, moves)) is not None:
            del rest[base]
            k, factor = k + power, factor * ratio**power
    parts = [f.as_base_exp() for f in Mul.make_args(u) if moves(f)]  # u may be a product of several, all there
    if k == 0 and (len(parts) > 1 or parts[0][1] != 1):
        shares = [rest.get(b, S.Zero) / e for b, e in parts]
        if all(s.is_Integer for s in shares) and (same := _nearest(shares)):
            for b, e in parts:
                rest[b] = rest[b] - same * e
            steady = Mul(*(f for f in Mul.make_args(u) if not moves(f)))
            return same, steady**-same
    return k, factor


def _nearest(shares: list[Expr]) -> Expr:
    """The whole number nearest to zero where all have one sign, else zero."""
    if all(s > 0 for s in shares) or all(s < 0 for s in shares):
        return min(shares, key=abs)
    return S.Zero


def _ratio(f: Expr, u: Expr, moves: Moves) -> Expr | None:
    """What number or parameter f is times u, if it is."""
    if f == u:
        return S.One
    if not moves(f):
        return None
    (a, one), (b, two) = (_parted(e, moves) for e in (f, u))
    if one == two:
        return a / b
    if -one == two:
        return -a / b
    if isinstance(one, Add) and isinstance(two, Add):
        return (
            None
            if (ratio := _proportion(one.as_coefficients_dict(), two.as_coefficients_dict())) is None
            else (a / b * ratio)
        )
    return None


def _parted(e: Expr, moves: Moves) -> tuple[Expr, Expr]:
    """A number or parameters, and what they multiply."""
    factors = Mul.make_args(sp.factor_terms(e))
    return Mul(*(f for f in factors if not moves(f))), Mul(*(f for f in factors if moves(f)))


def _proportion(one: Mapping[Expr, Any], two: Mapping[Expr, Any]) -> Expr | None:
    """The one number by which all coefficients differ."""
    if one.keys() != two.keys():
        return None
    ratios = {one[e] / two[e] for e in one}
    return ratios.pop() if len(ratios) == 1 else None
