"""Rows that may only push: which of them bear at an instant, and which would have to pull and let go.

    minimise (z − a)ᵀ M (z − a)   over   A z = b of two-sided rows and A z ≥ b of one-sided ones,    a = M⁻¹(Q + C)

Gauss's principle with contacts: the multipliers of this least problem are those of complementarity, λ ≥ 0, A z ≥ b and
λᵀ(A z − b) = 0. Its acceleration is unique; of the multipliers those of least norm are meant. Moreau 1966; Lawson and
Hanson 1974, chapter 23.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.principles.errors import Array, ContradictionError, InstantError, MassError
from dalembert.principles.explicit import explicit
from dalembert.principles.factors import solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.ready import Ready, prepare
from dalembert.principles.tolerances import PUSHES, RANK

Places = NDArray[np.int64]


class LetGo(NamedTuple):
    """Contacts that touch and do not bear, by name, with their rows A (k, n) and b (k,): their gaps open by A q̈ − b."""

    names: tuple[str, ...]
    A: Array
    b: Array


TOO_CLOSE = "which of the contacts that touch bear cannot be told from rounding here"


@in_words
def that_pull(now: Instant, sided: Sequence[int]) -> tuple[int, ...]:
    """The rows of `sided` that would have to pull to stay closed, and so let go; all others are in force.

    None where no motion keeps to all rows: they contradict each other then, which the principles tell. Raises MassError
    where M is regular only with rows that would have to pull, InstantError where rounding hides which those are.
    """
    ideal = _ideal(now)
    if not sided or _holds(ideal, range(now.m), sided):
        return ()
    hard = [r for r in range(now.m) if r not in sided]
    try:
        found = _least_constraint(ideal, hard, sided)
    except MassError:
        return _let_go_in_turn(ideal, hard, sided)
    except ContradictionError:
        return ()
    if found is None:
        return ()
    tight, basis = found
    pushing = [r for r in tight if r not in _pulling(ideal, [*hard, *tight])]  # as a motion lets go
    for bearing in (tight, pushing, basis):
        if _holds(ideal, [*hard, *bearing], sided):
            return tuple(r for r in sided if r not in bearing)
    raise InstantError([TOO_CLOSE])


def worst_pull(ready: Ready, answer: Answer, size: float, sided: Collection[int]) -> float:
    """How much rows that may only push pull in an answer, in the metric of M⁻¹, as a part of what is at work, `size`.

    Their forces are those there are: λ̂ of Qᶜ = C + Aᵀλ̂.
    """
    now, found = ready.now, answer
    if sided and now.C.any():
        found = explicit(_ideal(now))
    lengths = np.linalg.norm(solve_triangular(ready.L, ready.A.T, lower=True), axis=0)
    pulls = -np.ldexp(found.multipliers, -ready.rows.powers - ready.power) * lengths / size
    return float(np.max(pulls[list(sided)], initial=0.0))


def worst_closing(ready: Ready, answer: Answer, size: float, free: LetGo) -> float:
    """How fast the gaps of contacts that let go close in an answer, likewise."""
    if not len(free.b):
        return 0.0
    A, gaps = _gaps(ready, answer, free.A, free.b)
    lengths = np.linalg.norm(solve_triangular(ready.L, A.T, lower=True), axis=0)
    closing = np.divide(-gaps, lengths, out=np.zeros(len(gaps)), where=lengths > 0)
    return float(np.max(closing, initial=0.0)) / size


def at_work(ready: Ready, answer: Answer) -> float:
    """The accelerations at work in an answer, those of its load among them, in the metric of M; one where none is."""
    loads = [solve_triangular(ready.L, load, lower=True) for load in (ready.Q, ready.C)]
    q = ready.L.T @ ready.acceleration(answer.acceleration)
    return float(np.linalg.norm(q) + sum(np.linalg.norm(load) for load in loads)) or 1.0


def _ideal(now: Instant) -> Instant:
    """The same motion with C among the active forces: its multipliers are λ̂."""
    return Instant(now.M, now.Q + now.C, now.A, now.b, None, now.coordinates, now.constraints, now.sizes)


def _part(now: Instant, rows: Sequence[int]) -> Instant:
    """An instant without C with some of its rows alone."""
    own = list(rows)
    names = [now.constraints[r] for r in own]
    given = now.sizes
    sizes = None if given is None else lambda: given()[own]
    return Instant(now.M, now.Q, now.A[own], now.b[own], None, now.coordinates, names, sizes)


def _gaps(ready: Ready, answer: Answer, A: Array, b: Array) -> tuple[Array, Array]:
    """Rows (k, n) in the units of a question, and what A q̈ − b is there (k,)."""
    balanced = np.ldexp(A, ready.decided.powers)
    gaps: Array = balanced @ ready.acceleration(answer.acceleration) - np.ldexp(b, -ready.power)
    return balanced, gaps


def _holds(now: Instant, rows: Sequence[int], sided: Collection[int]) -> bool:
    """Whether these rows make a motion in which none of `sided` among them pulls, and none of the others closes."""
    part, others = _part(now, rows), [r for r in sided if r not in rows]
    try:
        ready, answer = prepare(part, stated=True), explicit(part)
    except (ContradictionError, MassError):
        return False
    size = at_work(ready, answer)
    own = [place for place, r in enumerate(rows) if r in sided]
    if worst_pull(ready, answer, size, own) > PUSHES:
        return False
    return worst_closing(ready, answer, size, LetGo((), now.A[others], now.b[others])) <= PUSHES


def _least_constraint(now: Instant, hard: Sequence[int], sided: Sequence[int]) -> tuple[list[int], list[int]] | None:
    """The rows of `sided` whose gaps stay closed in the motion of least constraint, and an independent set of them that
    bears it; None where there is no motion.
    """
    part, own = _part(now, hard), list(sided)
    ready, answer = prepare(part, stated=True), explicit(part)
    A, gaps = _gaps(ready, answer, now.A[own], now.b[own])
    free, whole = A @ ready.rows.virtual, solve_triangular(ready.L, A.T, lower=True)
    length, most = np.linalg.norm(free, axis=1), np.linalg.norm(whole, axis=0)
    moves = length > RANK * most
    held = gaps[~moves] / np.where(most > 0, most, 1.0)[~moves]
    if (held < -PUSHES * at_work(ready, answer)).any():  # two-sided rows close it
        return None
    least = least_above(free[moves] / length[moves, None], -gaps[moves] / length[moves])
    if least is None:
        return None
    y, basis = least
    size = float(np.linalg.norm(y)) + at_work(ready, answer)
    left = (gaps + free @ y) / np.where(moves, length, np.where(most > 0, most, 1.0))
    tight = [r for r, gap in zip(own, left, strict=True) if gap <= PUSHES * size]
    return tight, np.array(own)[moves][basis].tolist()


def _let_go_in_turn(now: Instant, hard: Sequence[int], sided: Sequence[int]) -> tuple[int, ...]:
    """The same where only contacts make M regular: those that pull are let go until none does, what closes bears again.

    Raises MassError where M is not positive with those that are left, InstantError where this does not end.
    """
    bearing, seen = list(sided), set[tuple[int, ...]]()
    while tuple(bearing) not in seen:
        seen.add(tuple(bearing))
        rows = [*hard, *bearing]
        if _holds(now, rows, sided):
            return tuple(r for r in sided if r not in bearing)
        pulls, closes = _pulling(now, rows), _closing(now, rows, sided)
        bearing = [r for r in sided if r in closes or (r in bearing and r not in pulls)]
    raise InstantError([TOO_CLOSE])


def _pulling(now: Instant, rows: Sequence[int]) -> list[int]:
    """The rows with negative multipliers where these are in force."""
    part = _part(now, rows)
    ready, answer = prepare(part, stated=True), explicit(part)
    size = at_work(ready, answer)
    return [r for place, r in enumerate(rows) if worst_pull(ready, answer, size, [place]) > PUSHES]


def _closing(now: Instant, rows: Sequence[int], sided: Sequence[int]) -> list[int]:
    """The rows of `sided` whose gaps close where these are in force."""
    part = _part(now, rows)
    ready, answer = prepare(part, stated=True), explicit(part)
    size = at_work(ready, answer)
    each = {r: LetGo((), now.A[[r]], now.b[[r]]) for r in sided}
    return [r for r, one in each.items() if worst_closing(ready, answer, size, one) > PUSHES]


def least_above(G: Array, h: Array) -> tuple[Array, Places] | None:
    """The shortest x with G x ≥ h, and an independent set of rows that holds it there; None where there is none.

    Rows of G are of length one (Lawson and Hanson, 23.27).
    """
    size = float(np.max(h, initial=0.0))
    if not size > 0:
        return np.zeros(G.shape[1]), np.zeros(0, dtype=np.int64)
    from scipy.optimize import nnls  # rarely asked for, and slow to import

    E = np.vstack([G.T, h / size])
    pushes = nnls(E, np.eye(len(E))[-1])[0]
    left = E @ pushes
    left[-1] -= 1.0
    if not float(np.linalg.norm(left)) > np.sqrt(PUSHES):
        return None
    x: Array = -size * left[:-1] / left[-1]
    return x, np.flatnonzero(pushes)
