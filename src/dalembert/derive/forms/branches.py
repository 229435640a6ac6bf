"""Angles in integrals that leave their branch: the function jumps, or ends, where the differential form goes on."""

from collections.abc import Set

from sympy import Expr, Pow, Symbol, acot, atan, atan2, cot, csc, sec, tan

from dalembert.derive.reducing.bounds import bounds, never_zero


def left_branch(f: Expr, moving: Set[Symbol]) -> Expr | None:
    """An angle in f that leaves its branch for some values of what moves; None where there is none."""
    angles = sorted(f.atoms(atan, acot, atan2), key=lambda part: part.sort_key())
    return next((part for part in angles if part.free_symbols & moving and _leaves(part, moving)), None)


def _leaves(part: Expr, moving: Set[Symbol]) -> bool:
    match part:
        case atan2():
            ahead = part.args[1]
            return not (ahead.is_positive or bounds(ahead)[0] > 0)
        case acot():
            return not never_zero(part.args[0])
    return any(_has_pole(e) for e in part.args[0].atoms(Pow, tan, cot, sec, csc) if e.free_symbols & moving)


def _has_pole(e: Expr) -> bool:
    return not isinstance(e, Pow) or bool(e.exp.could_extract_minus_sign() and not never_zero(e.base))
