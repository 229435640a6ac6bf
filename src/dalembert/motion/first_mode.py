"""What acts at a start where an instant does not say: friction at rest sticks or slips as in the motion from there."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sympy import Expr

from dalembert.derive import apart, form, residuals_at
from dalembert.derive.switching.modes import switches
from dalembert.engine import compiled_engine
from dalembert.model import Statement
from dalembert.motion.certificate import certify as certify_motion
from dalembert.motion.simulate import simulate
from dalembert.motion.status import Ending
from dalembert.motion.stretch import Stretch
from dalembert.motion.trajectory import Trajectory
from dalembert.principles import Certificate, certify

OF_A_MODE = ("gaps", "pushes", "friction", "modes")  # the proofs along a motion of what an instant leaves open


class Beginning(NamedTuple):
    """The mode a motion begins in, in words, the certificate of its first instant, and the contacts that are apart."""

    mode: str
    certificate: Certificate
    apart: tuple[str, ...]


def first_mode(system: Statement, start: Mapping[Expr, float]) -> Beginning | None:
    """How a motion begins in a whole state; None where it begins with an impact, ends at once, or cannot be run.

    The certificate is of the instant, with the proofs of what the mode says along the first step. Raises StateError
    where no motion can begin there.
    """
    if not compiled_engine():
        return None
    until = system.until if system.until is not None and system.until > 0 else 1.0
    moved = simulate(Trajectory, system, start, until, samples=2, engine="taylor", max_steps=1, throw=False)
    t, values, mode = moved.begin_time, moved.values, moved.mode_at(moved.begin_time)
    state = np.array([start[key] for key in (*system.coordinates, *system.velocities)])
    begun = moved.status.ending in (Ending.FINISHED, Ending.STEPS) and np.array_equal(moved.at(t), state)
    if mode is None or not begun:
        return None
    known, names = switches(form(system)), [c.name for c in system.constraints]
    acting = list(known.active(mode))
    off = residuals_at(system, [*state.tolist(), t, *values.tolist()])
    distance, part = off.distance[acting].tolist(), off.part[acting].tolist()
    found = certify(Stretch(system, values, mode).instant(t, state), distance=distance, off=part)
    along = tuple(check for check in certify_motion(moved).checks if check.name in OF_A_MODE)
    open_ = apart(system, off)
    let_go = tuple(name for r, name in enumerate(names) if r not in acting and name not in open_)
    return Beginning(known.words(mode), replace(found, checks=(*found.checks, *along), let_go=let_go), open_)
