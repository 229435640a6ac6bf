"""The work of each kind of force: what a motion says it has done, against its power along the steps."""

import numpy as np

from dalembert.derive import Array
from dalembert.engine import POWERS
from dalembert.motion.look import Look
from dalembert.motion.proofs.energy import balanced
from dalembert.motion.proofs.words import MOST, rounding_of_time, worst_of
from dalembert.motion.smooth.leg import Course, Leg
from dalembert.motion.smooth.works import works as done
from dalembert.motion.tolerances import EPS, tolerance
from dalembert.principles.certificate import Check

PIECES = 400  # of a motion: powers are looked at nowhere further apart
OF = ("active forces", "ideal constraint forces", "work-doing constraint forces")  # in the order of POWERS


def works(look: Look) -> Check | str:
    """Active, ideal and work-doing forces have each done the work of their own power, by Gauss's rule on the steps."""
    m = look.motion
    if m.end_time <= m.begin_time:
        return "the motion has no length"
    if not look.legs:
        return "its steps are too many to be kept"
    times, _, size = balanced(look)
    said = np.vstack([np.zeros(len(POWERS)), m.works.T[:, : len(POWERS)], m.end_works[: len(POWERS)]])
    found = _found(look, said)[: len(times)]
    rounding = EPS * size.max(initial=0.0)  # what is no more than that of what follows proves nothing
    off = np.maximum(np.abs(said[: len(times)] - found) - rounding, 0.0)
    parts = np.divide(off, size[:, None], out=np.where(off > 0, np.inf, 0.0), where=size[:, None] > 0)
    bound = tolerance("BALANCE") * look.accuracy * (1 + look.steps) + rounding_of_time(look)
    bound = min(max(bound, tolerance("GUARD")), MOST)
    k, j = np.unravel_index(int(np.argmax(np.nan_to_num(parts, nan=np.inf))), parts.shape)
    value = float(parts[k, j])
    about = worst_of(OF[int(j)], times[k]) if value > 0 else ""
    return Check("works", value, bound, f"each force has done the work of its power{about}")


def _found(look: Look, said: Array) -> Array:
    """The work (k + 2, 3) until the beginning, the samples and the end; after a power that does not exist, as said."""
    m, setups = look.motion, {part.episode: part.setup for part in reversed(look.parts)}
    several = len(look.parts) > len(setups)  # rows are weighed anew within one
    begins = np.array([e.time for e in m.episodes])
    out, so_far, next_one, lost = np.zeros_like(said), np.zeros(said.shape[1]), 1, False
    apart, moved = (m.end_time - m.begin_time) / PIECES, 0.0
    for number, steps in enumerate(look.legs):
        last = number + 1 == len(look.legs)
        count = int(np.searchsorted(m.t, m.end_time if last else steps.times[-1], side="right" if last else "left"))
        mine = m.t[next_one - 1 : count]
        episode = m.episodes[max(int(np.searchsorted(begins, steps.times[0], side="right")) - 1, 0)]
        ended, at = np.full(4, np.nan), np.full((len(mine), 4), np.nan)
        if episode in setups:
            setup, begun = setups[episode], steps.coefficients[:, :, 0]
            if several:
                setup = m._derivation.engine.fitting(setup, steps.times[:-1], begun) or setup
            course = Course([Leg(setup, steps)])
            ended, at, more = done(m._derivation.engine, course, mine, course.places(mine), apart, moved)
            moved += more if np.isfinite(more) else 0.0
        for k, work in enumerate([*at[:, : len(POWERS)], ended[: len(POWERS)]]):
            if lost and k < len(mine) and np.isfinite(work).all():
                so_far, lost = said[next_one + k] - work, False
            if k < len(mine):
                out[next_one + k] = so_far + work if np.isfinite(work).all() else said[next_one + k]
            elif np.isfinite(work).all():
                so_far = so_far + work
            else:
                lost = True
        next_one += len(mine)
    out[-1] = said[-1] if lost else so_far
    return out
