"""The branch a motion is on: nowhere does it come so near a crossing that what it is off could lead to another one."""

from collections.abc import Callable

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.model import ON_POSITIONS, StateError
from dalembert.motion.look import Look
from dalembert.principles.certificate import Check

LOOKED = 512  # states at which rows are looked at
LOW = 2.0**-5  # of the largest: a minimum below it is looked at closer
CLOSER, ROUNDS = 9, 14  # points, again and again
WIDE = 16.0  # times what a state is off its constraints: the square of how near a crossing it may not come
LEAST = 2.0**-48  # what a state is off its constraints at the least
DEPENDENT = 1e-9  # of the largest: a singular value below it is one of redundant rows

Measure = Callable[[float, Array], tuple[float, float]]


def branches(look: Look) -> Check | str:
    """Where rows become dependent that hold the positions, and nothing is told of it.

    Off its constraints by δ a motion passes a crossing of branches at about √δ, from one to the other: no state of it
    tells so.
    """
    motion = look.motion
    if motion.end_time <= motion.begin_time:
        return "the motion has no length"
    rows = motion.episodes[0].choice.rows if motion.episodes else ()
    if motion.mode_at(motion.begin_time) is not None:
        return "which constraints hold changes from mode to mode"
    if not rows or not all(isinstance(c, ON_POSITIONS) for c in motion.system.constraints):
        return "there are no constraints on positions alone"
    if any(episode.choice.rows != rows for episode in motion.episodes):
        return "other rows were taken on the way"
    try:
        times, measure = _measured(look, list(rows))
        found = [measure(t, look.at(np.array([t]))[0]) for t in times.tolist()]
    except (StateError, FloatingPointError, np.linalg.LinAlgError):
        return "the rows do not exist everywhere, or are too large for floats"
    squares = np.array([square for square, _ in found])
    least = (squares[1:-1] <= squares[:-2]) & (squares[1:-1] <= squares[2:])
    low = np.flatnonzero(least & (squares[1:-1] < LOW * squares.max(initial=0.0))) + 1
    worst, when = 0.0, motion.begin_time
    for k in low.tolist():
        t, square, off = _closest(look, measure, float(times[k - 1]), float(times[k + 1]))
        told = any(begin <= t <= end for begin, end in [*look.passages, *_beside(look, times[k - 1], times[k + 1])])
        ratio = WIDE * max(off, LEAST) / square if square > 0 else np.inf
        if not told and ratio > worst:
            worst, when = ratio, t
    at = f"; nearest at t = {when:.6g}" if worst else ""
    return Check("branches", worst, 1.0, f"nothing it is off its constraints leads from branch to branch{at}")


def _beside(look: Look, begin: float, end: float) -> list[tuple[float, float]]:
    """The time between two, where something is passed in it: of a motion whose steps are not known."""
    passed = any(begin <= event.time <= end for event in look.motion.events if event.kind == "passed")
    return [(begin, end)] if passed else []


def _measured(look: Look, rows: list[int]) -> tuple[Array, Measure]:
    """Some times, and what tells of the rows at a time: the square of their least singular value, and what is off."""
    stretch = look.stretch(look.motion.begin_time)
    relations, n = prepared(stretch.statement).relations, look.states.shape[1] // 2
    m = len(stretch.statement.constraints)
    units = look.scales[:, :n].max(axis=0)
    units = np.where(units > 0, units, 1.0)
    places = np.array(list(look.spread(LOOKED)), dtype=int)

    def at(t: float, state: Array) -> tuple[Array, Array]:
        inputs = stretch.inputs(t, state)
        return relations.speeds.at(inputs)[1][rows] * units, np.abs(relations.plain(inputs)[:m][rows])

    seen = [at(float(look.times[k]), look.states[k])[0] for k in places.tolist()]
    lengths = np.max([np.linalg.norm(A, axis=1) for A in seen], axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    values = np.array([np.linalg.svd(A / lengths[:, None], compute_uv=False) for A in seen])
    rank = int((values > DEPENDENT * values[:, :1]).sum(axis=1).max())  # of the plain engine some rows are redundant

    def measure(t: float, state: Array) -> tuple[float, float]:
        A, off = at(t, state)
        return float(np.linalg.svd(A / lengths[:, None], compute_uv=False)[rank - 1] ** 2), float((off / lengths).max())

    return look.times[places], measure


def _closest(look: Look, measure: Measure, begin: float, end: float) -> tuple[float, float, float]:
    """When the square is least between two times, the square, and what is off there."""
    best = (begin, np.inf, 0.0)
    for _ in range(ROUNDS):
        times = np.linspace(begin, end, CLOSER)
        found = [measure(float(t), state) for t, state in zip(times, look.at(times), strict=True)]
        k = int(np.argmin([square for square, _ in found]))
        if found[k][0] < best[1]:
            best = (float(times[k]), *found[k])
        begin, end = float(times[max(k - 1, 0)]), float(times[min(k + 1, CLOSER - 1)])
    return best
