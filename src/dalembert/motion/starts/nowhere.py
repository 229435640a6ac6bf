"""Whether no state at all satisfies the constraints: all that is free, to infinity, is covered by boxes and put aside.

Straight rows are asked alone first: whether they contradict each other needs no boxes. A box is put aside where bounds
of some relation over it leave out what it asks for. A line is x = s u/(1 − |u|) with −1 ≤ u ≤ 1, so that halves of
boxes reach to infinity too."""

import numpy as np

from dalembert.derive import CLOSE, Array, prepared
from dalembert.derive.relations import Relation
from dalembert.model import StateError
from dalembert.motion.starts.exclusion import halved
from dalembert.motion.starts.nearest_state import Question
from dalembert.motion.starts.surface import RANK

MOST = 4000  # boxes looked at in all


def no_state(question: Question, moves: Array) -> bool:
    """Whether it is proved that no values of what `moves` (2n,) satisfy the constraints, contacts by their gaps alone.

    Rows among velocities are asked where some may move, or are stated.
    """
    system, n = question.system, question.n
    relations = prepared(system).relations
    places = len(relations.on_positions)
    sided = [relations.on_positions.index(r) for r in question.sided]
    asked = [*range(places), *(places + r for r in range(len(system.constraints)) if r not in question.sided)]
    if not moves[n:].any() and not question.place[n:].any():
        asked = asked[:places]
    free, relation = np.flatnonzero(moves), relations.together
    values = np.array(question.inputs(question.place[:n], question.place[n:]))
    straight = [r for r in asked if r not in sided and relation.degree([r], moves) == 1]
    if _contradict(relation, straight, values, free):
        return True
    is_sided = np.isin(asked, sided)[:, None]
    usual = np.abs(values[free])
    scale = np.where(usual > 0, usual, float(np.abs(values).max(initial=0.0)) or 1.0)
    low, high = -np.ones((len(free), 1)), np.ones((len(free), 1))
    seen = 0
    while low.shape[1]:
        seen += low.shape[1]
        if seen > MOST:
            return False
        box_low, box_high = (np.repeat(values[:, None], low.shape[1], axis=1) for _ in range(2))
        box_low[free], box_high[free] = _far(low, scale), _far(high, scale)
        least, most = (bound[asked] for bound in relation.over(box_low, box_high)[:2])
        gone = ((most < 0) | ((least > 0) & ~is_sided) | np.isnan(least)).any(axis=0)
        if not len(free) and not gone.all():
            return False
        low, high = halved(low[:, ~gone], high[:, ~gone])
    return True


def _contradict(relation: Relation, rows: list[int], values: Array, free: Array) -> bool:
    """Whether straight rows have no common zero, beyond rounding of the terms they are made of."""
    try:
        c, J = relation.at(values.tolist())
    except StateError:
        return False
    own, A = c[rows], J[rows][:, free]
    size = np.abs(own) + np.abs(J[rows]) @ np.abs(values[: J.shape[1]])
    size = np.where(size > 0, size, 1.0)
    length = np.linalg.norm(A, axis=1)
    unit = np.where(length > 0, length, size)
    A, own = A / unit[:, None], own / unit
    left = own - A @ np.linalg.lstsq(A, own, rcond=RANK)[0] if A.size else own
    return bool((np.abs(left) > CLOSE * size / unit).any())


def _far(u: Array, scale: Array) -> Array:
    """x = s u/(1 − |u|)."""
    with np.errstate(divide="ignore"):
        x: Array = scale[:, None] * u / (1 - np.abs(u))
    return x
