"""What holds the mass points that rub: the constraints in force on each, as far as independent."""

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.derive.switching.stages import Bases
from dalembert.motion.hybrid.programs import Programs

KEPT = 0.3  # of the largest entry of a row: a coordinate that it is solved for stays as long as its entry is that large
ALIKE = 1e-8  # the least singular value of rows of unit length that are independent


def held_by(programs: Programs, mode: Mode, t: float, state: Array) -> Bases:
    """What holds each particle that rubs, and the coordinate it is solved for where it slides in a plane."""
    s = programs.switches
    active = s.active(mode)
    setup = programs.setup(mode.frictionless, t, state)
    pattern, moving = setup.code.pattern, setup.code.moving_rows
    A = programs.arrays(setup, t, state).A
    bases = []
    for rub, known in zip(s.rubs, mode.bases, strict=True):
        P = list(rub.particle)
        if not P:
            bases.append(known)
            continue
        own = pattern[:, P].sum(axis=1) == pattern.sum(axis=1)  # rows of nothing else
        within = [r for r in active if own[r] and not moving[r] and A[r].any()]
        basis = _independent(A[:, P], within)
        if not basis:
            bases.append(known)  # it is off
            continue
        chart = -1
        if len(P) - len(basis) == 2:
            row = np.abs(A[basis[0], P])
            old = P.index(known[1]) if known[1] in P else -1
            chart = known[1] if old >= 0 and row[old] >= KEPT * row.max() else P[int(row.argmax())]
        bases.append((tuple(basis), chart))
    return tuple(bases)


def _independent(A: Array, rows: list[int]) -> list[int]:
    """The rows that are independent, in their order."""
    kept: list[int] = []
    for r in rows:
        unit = np.array([A[i] / np.linalg.norm(A[i]) for i in (*kept, r)])
        if (len(unit) == 1 and np.isfinite(unit).all()) or np.linalg.svd(unit, compute_uv=False)[-1] > ALIKE:
            kept.append(r)
    return kept
