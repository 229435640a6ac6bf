"""C in numbers: the work that the natures of constraints prescribe at an instant, friction and multipliers included.

C may follow the multipliers λ of the ideal constraint force, or, as friction by the actual normal force, those of the
force as it is. Both are asked of the instant that is given, so that C belongs to its right sides and its load.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from sympy import Expr

from dalembert.derive.actual import following_actual
from dalembert.derive.mechanics import Derived
from dalembert.derive.prepared import Prepared
from dalembert.model import StateError, refuse
from dalembert.principles import Dependency, Instant, dependencies, explicit
from dalembert.principles.tolerances import EPS

Array = np.ndarray


class AtRestError(StateError):
    """Friction under load at rest: an instant does not say whether it sticks or slips, a motion from there does."""


Effect = Callable[[Array], list[float]]

STEP = 1e-3
"""How far multipliers are shifted, of the distance to where one of them changes its sign, to see what follows them."""

SHARED = 1e-6
"""C follows how redundant rows share their load where a shift among them changes it by this part of what the same shift
of any multiplier does."""


def work_doing(kept: Prepared, now: Instant, effect: Effect) -> Array:
    """C (n,) of the constraints of a statement at an instant with C = 0; `effect` gives its terms for multipliers (m,).

    Raises StateError where friction has no direction, is negative, or is not determined; ContradictionError and
    MassError where C follows multipliers that do not exist.
    """
    derived = kept.derived
    if not kept.follows:
        return _total(derived, effect(np.zeros(now.m)), now.n)
    lam = explicit(now).multipliers
    C = _total(derived, effect(lam), now.n)
    found = dependencies(now)
    actual = [f.row for f in derived.friction if f.row is not None]
    if any(row in actual for d in found for row in (d.row, *d.on)) or _shares(derived, now, lam, C, effect, found):
        raise _shared(now, found)
    if not actual:
        return C
    units = {row: terms(derived, effect(np.eye(now.m)[row]), now.n, row) for row in actual}
    whole: Array = C + following_actual(now, C, units, kept.one_sided)
    return whole


def _some(sizes: Callable[[], Array], own: list[int]) -> Array:
    """The sizes of some rows."""
    out: Array = sizes()[own]
    return out


def unshared(
    kept: Prepared, now: Instant, effect: Effect, held: Sequence[int], together: Sequence[Sequence[int]]
) -> str | None:
    """Why friction is not determined where some rows (those `held`) are in force, in words; None where it is.

    It follows how redundant rows share the ideal force, which nothing determines, unless the frictions of those that
    rub `together` add up to the same.
    """
    own = list(held)
    names = [now.constraints[r] for r in own]
    sizes = None if now.sizes is None else partial(_some, now.sizes, own)
    part = Instant(now.M, now.Q, now.A[own], now.b[own], now.C, now.coordinates, names, sizes)
    lam = np.zeros(now.m)
    lam[own] = explicit(part).multipliers
    owners = [now.constraints.index(f.constraint) for f in kept.derived.friction]

    def bounds(multipliers: Array) -> Array:
        """The friction that each constraint is good for (m,)."""
        out, rest = np.zeros(now.m), iter(effect(multipliers)[now.n :])
        for row, friction in zip(owners, kept.derived.friction, strict=True):
            out[row] += next(rest)
            for _ in range(1 + len(friction.along)):
                next(rest)
        return out

    found, plain = dependencies(part), bounds(lam)
    for own_shift in _shifts(lam[own], found):
        shift = np.zeros(now.m)
        shift[own] = own_shift
        change = bounds(lam + shift) - plain
        for rows in together:
            each = change[list(rows)]
            if abs(each.sum()) > SHARED * np.abs(each).sum() + 64 * EPS * float(np.abs(plain).max(initial=0.0)):
                return "; ".join(_shared(part, found).faults)
    return None


def _shifts(lam: Array, found: Sequence[Dependency]) -> Iterator[Array]:
    """Small changes of multipliers (m,) that exert no force, as A_d = Σ c_j A_j, and turn none; none without load."""
    for d in found if lam.any() else ():
        z = np.zeros(len(lam))
        z[d.row] = -1.0
        z[list(d.on)] = d.coefficients
        for way in (z, -z):
            falling = [abs(lam[r] / way[r]) for r in np.flatnonzero(way) if lam[r] * way[r] < 0]
            yield STEP * (min(falling) if falling else float(np.abs(lam).max())) * way


def _shares(
    derived: Derived[Expr], now: Instant, lam: Array, C: Array, effect: Effect, found: Sequence[Dependency]
) -> bool:
    """Whether C depends on how redundant rows share the ideal force among them, which nothing determines."""

    def change(shift: Array) -> float:
        return float(np.abs(_total(derived, effect(lam + shift), now.n) - C).max())

    for shift in _shifts(lam, found):
        most = max(change(shift * (np.arange(now.m) == r)) for r in np.flatnonzero(shift))
        if change(shift) > SHARED * most + 64 * EPS * float(np.abs(C).max()):
            return True
    return False


def _shared(now: Instant, found: Sequence[Dependency]) -> StateError:
    """The error for a nature that follows the multiplier of a row which has none of its own."""
    involved = sorted({row for d in found if d.on for row in (d.row, *d.on)})
    empty = [d.row for d in found if not d.on]
    faults = []
    if involved:
        listed = ", ".join(repr(now.constraints[row]) for row in involved)
        faults.append(
            f"the rows {listed} are redundant, so the force of each alone is not determined, and a nature depends on "
            "it: give all of them that nature, or take the surplus rows away"
        )
    if empty:
        listed = ", ".join(repr(now.constraints[row]) for row in empty)
        faults.append(
            f"the constraint {listed} has no direction at this state, its gradient is zero, so its force is not "
            "determined, and a nature depends on it"
        )
    return StateError("the state", faults)


def terms(derived: Derived[Expr], values: Sequence[float], n: int, row: int) -> Array:
    """C (n,) of the friction of one constraint that follows its actual multiplier, from the numbers of its terms."""
    C = np.zeros(n)
    rest = iter(values[n:])
    for friction in derived.friction:
        size, speed = next(rest), next(rest)
        along = {i: next(rest) for i in friction.along}
        if friction.row == row and size:
            if not speed:
                fault = f"the friction of constraint {friction.constraint!r} has no direction at rest"
                raise AtRestError("the state", [f"{fault}: whether it sticks or slips cannot be told at one instant"])
            for i, a in along.items():
                C[i] -= size * a / speed
    return C


def _total(derived: Derived[Expr], values: Sequence[float], n: int) -> Array:
    """C from the smooth part and the friction terms; friction of no size needs no direction."""
    C = np.array(values[:n])
    rest = iter(values[n:])
    faults, negative = [], False
    for friction in derived.friction:
        size, speed = next(rest), next(rest)
        along = {i: next(rest) for i in friction.along}
        if size == 0 or friction.row is not None:
            continue
        if size < 0:
            faults.append(f"the friction coefficient of constraint {friction.constraint!r} is negative here")
            negative = True
            continue
        if speed == 0:
            faults.append(
                f"the friction of constraint {friction.constraint!r} has no direction at rest "
                f"(its bound is {size:.6g}): whether it sticks or slips cannot be told at one instant"
            )
            continue
        for i, a in along.items():
            C[i] -= size * a / speed
    refuse(StateError if negative else AtRestError, "the state", faults)
    return C
