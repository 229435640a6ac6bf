"""Energy less work, along a motion, and what rounding makes of it."""

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.model import StateError
from dalembert.motion.blame import FAILURES
from dalembert.motion.look import Look
from dalembert.motion.proofs.forces import part_of
from dalembert.motion.proofs.words import MOST, rounding_of_time, worst_at
from dalembert.motion.retrace import UNSEEN
from dalembert.motion.tolerances import EPS, tolerance
from dalembert.motion.unsure import operations, works
from dalembert.principles import explicit
from dalembert.principles.certificate import Check

LOOKED = 256  # states at which constraints are looked at
FEW = 64  # states at which the rounding of operations is thought of
CLOCKED = 16  # samples at which the rounding of the time is thought of


def energy(look: Look) -> Check | str:
    """Energy less all work stays what it was, from the beginning to the end."""
    m = look.motion
    if m.end_time <= m.begin_time:
        return "the motion has no length"
    times, balance, size = balanced(look)
    strays = np.abs(balance - balance[0])
    bound = min(tolerance("BALANCE") * look.accuracy * (1 + look.steps) + rounding_of_time(look), MOST)
    for begin, end in look.passages:  # by a polynomial from before it
        strays[(times >= begin) & (times <= end)] *= bound / max(bound, tolerance("PASSED"))
    if (strays > bound * size).any():
        strays = np.maximum(strays - _rounded(look, times), 0.0)
    relative = np.divide(strays, size, out=np.where(strays > 0, np.inf, 0.0), where=size > 0)
    for worst in np.argsort(-relative, kind="stable")[:CLOCKED].tolist():
        if part_of(strays[worst], size[worst]) <= bound:
            continue
        strays[worst] = max(0.0, strays[worst] - _unsure(look, float(times[worst])))
    relative = np.divide(strays, size, out=np.where(strays > 0, np.inf, 0.0), where=size > 0)
    k = int(np.argmax(relative))
    value = float(relative[k])
    words = f"energy less work stays what it was{worst_at(value, times[k])}"
    return Check("energy", value, bound, words)


def balanced(look: Look) -> tuple[Array, Array, Array]:
    """Times, energy less work, and how large their terms were so far: at the beginning, the samples and the end."""
    m, kept = look.motion, prepared(look.motion.system)
    ends = m._derivation.along(np.array([m.begin_time, m.end_time]), np.array([m.begin_values, m.end_values])).energy
    times = np.concatenate([[m.begin_time], m.t, [m.end_time]])
    energies = np.concatenate([ends[:1], m.along.energy, ends[1:]])
    works = np.hstack([np.zeros((len(m.works), 1)), m.works, m.end_works[:, None]])
    size = np.maximum(np.abs(works).sum(axis=0), np.abs(energies))
    largest = look.largest[np.searchsorted(look.times, times)]
    grown = 1 + np.flatnonzero((largest[1:] > 2 * largest[:-1]).any(axis=1))  # a peak was before these
    for k in np.union1d(np.linspace(0, len(times) - 1, LOOKED // 4).astype(int), grown).tolist():
        place = look.place(float(times[k]))
        for state in (look.states[place], look.scales[place, :-1]):  # and all at once as large as each has been
            try:
                terms = kept.energy_terms([*state.tolist(), float(times[k]), *map(float, m.values)])
            except StateError:
                continue
            size[k] = max(size[k], float(np.abs(terms).sum()))
    size = np.maximum.accumulate(size)
    there = slice(None, None if np.isfinite(energies[-1]) else -1)  # a run may end where the energy does not exist
    return times[there], (energies - works.sum(axis=0))[there], np.maximum(size, UNSEEN * size[there][-1])[there]


def _rounded(look: Look, times: Array) -> Array:
    """The energy (k,) that rounding of the forces makes: of velocities as large as they have been, since the beginning.

    A force that is all but zero, as the difference of two, gives a velocity that is known to the rounding of these. In
    every step the coordinates are rounded too, and forces do work along that.
    """
    m, n = look.motion, look.states.shape[1] // 2
    some = np.unique(np.linspace(0, len(look.times) - 1, FEW).astype(int))
    own = operations(look, some.tolist())
    after = np.clip(np.searchsorted(some, np.arange(len(look.times))), 1, len(some) - 1)  # and it changes between them
    known = 8 * look.roundings + look.shaken + np.maximum(own[after - 1], own[after])
    each = np.maximum(known[1:], known[:-1]) * np.diff(look.times)[:, None]
    unsure = np.vstack([np.zeros(n), np.cumsum(each, axis=0)])
    energies = []
    for extra in (0.0, 1.0):
        states = np.hstack([look.states[:, :n], look.largest[:, n:] + extra * unsure])
        energies.append(m._derivation.along(look.times, states).energy)
    found = np.maximum.accumulate(np.nan_to_num(np.abs(energies[1] - energies[0]), nan=0.0, posinf=0.0))
    found += (1 + look.steps) * works(look) + _clocked(look)
    out: Array = found[np.searchsorted(look.times, times)]
    return out


def _clocked(look: Look) -> Array:
    """The work (k,) that forces do within what the times of the steps are known to, all so far.

    A step is longer or shorter than its times say by their rounding; where a motion turns round in next to no time, its
    forces do much work even then.
    """
    if not look.legs:
        return np.zeros(len(look.times))
    times = np.concatenate([leg.times[:-1] for leg in look.legs])
    states = np.concatenate([leg.coefficients[:, :, 0] for leg in look.legs])
    derived, made = look.motion._derivation, [0.0]
    for setup, _, t, y in derived.stretches(times, states):
        powers = np.abs(np.nan_to_num(derived.engine.powers(setup, t, y), nan=0.0, posinf=0.0, neginf=0.0))
        made += (EPS * np.abs(t) * powers.sum(axis=1)).tolist()
    out: Array = np.cumsum(made)[np.searchsorted(times, look.times)]
    return out


def _unsure(look: Look, t: float) -> float:
    """The energy that forces give within what the time is known to: near a blow-up that is much."""
    place = look.place(t)
    try:
        now = look.stretch(t).instant(t, look.states[place])
        force = np.abs(now.Q) + np.abs(explicit(now).force)
    except FAILURES:
        return 0.0
    return 8 * EPS * abs(t) * float(np.abs(look.states[place][now.n :]) @ force)
