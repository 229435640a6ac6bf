"""The steps of a motion: its defect, the same by another integrator, and samples that lie on them."""

import numpy as np

from dalembert.derive import Array
from dalembert.engine import engine
from dalembert.motion.look import Look, largest_part
from dalembert.motion.proofs.rests import jump_of
from dalembert.motion.proofs.words import MOST, counted, rounding_of_time, worst_at
from dalembert.motion.retrace import windows
from dalembert.motion.tolerances import tolerance
from dalembert.principles.certificate import Check


def steps(look: Look) -> Check | str:
    """The equation of motion inside the steps, as the run saw it."""
    m = look.motion
    found = m.statistics.get("largest_defect")
    if found is None:
        return "the run did not keep its largest defect"
    loosest = max(m.settings.tolerance, float(m.statistics.get("tolerance", 0.0)))
    engines = str(m.statistics.get("engine", m.settings.engine)).split(" and ")
    own = max(float(engine(name, loosest, None).defect_bound) for name in engines)  # type: ignore[arg-type]
    meaning = "h |v̇ − q̈| inside the steps, as the run saw it"
    return Check("steps", float(found), tolerance("DEFECT") * own, meaning)


def retraced(look: Look) -> Check | str:
    """The motion by another integrator and the principles."""
    bound = min(max(tolerance("RETRACED"), tolerance("DEFECT") * look.accuracy) + rounding_of_time(look), MOST)
    found = windows(look, bound)
    if not found:
        return "no stretch is long enough to be retraced, or the principles have no answer there"
    worst = max(found, key=lambda w: w.apart)
    words = f"another integrator moves alike in {counted(len(found), 'window')}"
    return Check("retraced", worst.apart, bound, f"{words}; worst: t = {worst.begin:.5g} to {worst.end:.5g}")


def sampled(look: Look) -> Check | str:
    """The samples, the beginning and the end are states of the motion."""
    m = look.motion
    if not all(np.isfinite(part).all() for part in (m.t, m.y, m.begin_values, m.end_values)):
        return Check("samples", float("inf"), tolerance("RETRACED"), "a state of the motion is not finite")
    times, states = look.times[look.sampled], look.states[look.sampled]
    first, last = _ends(look)
    off = np.maximum(np.vstack([first, np.abs(look.at(times) - states), last]) - look.left_open, 0.0)
    times = np.concatenate([[look.motion.begin_time], times, [look.motion.end_time]])
    scales = look.scales[np.searchsorted(look.times, times), :-1]
    worst = [largest_part(each, scale) for each, scale in zip(off, scales, strict=True)]
    k = int(np.argmax(worst))
    words = f"the samples, the beginning and the end are on the steps{worst_at(worst[k], times[k])}"
    bound = max(tolerance("RETRACED"), tolerance("DEFECT") * look.accuracy)
    return Check("samples", worst[k], bound, words)


def _ends(look: Look) -> tuple[Array, Array]:
    """How far (2n,) what a motion says of its beginning and its end is from its steps and from where it was moved.

    Where an event is told there, velocities may jump; the law of impact and the balance of energy are about these.
    """
    m, n = look.motion, look.states.shape[1] // 2
    if m.end_time <= m.begin_time:
        none: Array = np.zeros(2 * n)
        return none, none
    begun = look.at(np.array([m.begin_time]))[0]
    ended = look.before(np.array([m.end_time]))[0]
    first, last = np.abs(begun - m.begin_values), np.abs(ended - m.end_values)
    told = {e.time for e in m.events}
    told |= {look.jumps[k].time for e in m.events if e.kind == "rest" and (k := jump_of(look, e)) is not None}
    for off, time in ((first, m.begin_time), (last, m.end_time)):
        if time in told:
            off[n:] = 0.0
    for origin in m.origins[:1]:
        first = np.maximum(first, np.abs(np.array(origin.state) - m.begin_values))
    return first, last
