"""Accelerations and forces, against the principles."""

from typing import Any

import numpy as np

from dalembert.derive import Array, prepared
from dalembert.derive.factors import Bared, without_factors
from dalembert.model import Held, StateError
from dalembert.motion.blame import FAILURES
from dalembert.motion.look import Look, largest_part
from dalembert.motion.proofs.words import counted, worst_at
from dalembert.motion.tolerances import tolerance
from dalembert.motion.unsure import operations
from dalembert.principles import Answer, Instant, certify, explicit
from dalembert.principles.certificate import Check
from dalembert.principles.least_norm import off_range
from dalembert.principles.ready import Ready, prepare
from dalembert.principles.rows import natural_rows
from dalembert.principles.units import natural_units

CLEAR = 2.0**-16  # a least singular value of rows of length one that no rounding makes
UNSURE = 8  # times what a state may be off its rows: a least singular value below that may be made by it
ASKED = 8  # states at which every principle is asked
LITTLE = 2.0**-10  # of the largest of a force along the motion: what is less has the rounding of that
SUMMED = 4  # roundings of the terms of a force, each half a unit in the last place of what it is made of


def principles(look: Look) -> Check | str:
    """Every principle gives the same answer, in the mode there."""
    found: list[tuple[Check, float]] = []
    for place in look.spread(ASKED):
        t = float(look.times[place])
        try:
            now = look.stretch(t).instant(t, look.states[place])
            if not _has_a_rank(look, place, now):
                continue
            certificate = certify(now)
        except FAILURES:
            continue
        found += [(check, t) for check in certificate.checks]
    if not found:
        return "the principles have no answer at the states that were looked at"
    worst, when = max(found, key=lambda each: each[0].value / each[0].bound)
    asked = len({t for _, t in found})
    words = f"the principles agree at {counted(asked, 'state')}; worst: {worst.name}, t = {when:.6g}"
    return Check("principles", worst.value, worst.bound, words)


def said(look: Look) -> Check | str:
    """The accelerations and forces that the motion says are those of the principles."""
    m = look.motion
    bared = without_factors(m.system)
    worst, when, asked = 0.0, m.begin_time, 0
    bound = max(tolerance("SAID"), tolerance("DEFECT") * look.accuracy)
    for place in look.spread(ASKED, look.sampled):
        t = float(look.times[place])
        try:
            now = look.stretch(t).instant(t, look.states[place])
            if not _has_a_rank(look, place, now):
                continue
            answer = explicit(now)
        except FAILURES:
            continue
        asked += 1
        part = _mistold(look, place, now, answer, bared, look.known(place))
        if part > bound:
            known = look.known(place) + SUMMED * look.shaken[place] + operations(look, [place])[0]
            part = _mistold(look, place, now, answer, bared, known)
        if part > worst:
            worst, when = part, t
    part, t = _not_anew(look)
    if part > worst:
        worst, when = part, t
    if not asked and not worst:
        return "no sample is away from a switch, or the principles have no answer there"
    words = f"forces are those of the principles, at {counted(asked, 'sample')}, and at all those of its states"
    return Check("forces", worst, bound, words + worst_at(worst, when))


def _has_a_rank(look: Look, place: int, now: Instant) -> bool:
    """Whether what a state may be off its rows leaves their rank as it is: beside a place where one vanishes, not.

    f y = 0 beside f x = 0 says ∇f as well, and f ∇y, and f is what is off: where y is as small, that has a direction.
    """
    units = natural_units(now.M, now.A)
    natural = natural_rows(now.A, units)
    least = float(np.min(natural.sigma, initial=np.inf))
    if natural.rank < 2 or least > CLEAR:
        return True
    t, stretch, moved = float(look.times[place]), look.stretch(float(look.times[place])), 0.0
    for i, scale in enumerate(look.scales[place, :-1].tolist()):
        state = look.states[place].copy()
        state[i] += tolerance("DRIFT") * look.accuracy * scale
        with np.errstate(under="ignore"):
            rows = np.ldexp(stretch.instant(t, state).A, units.powers + natural.powers[:, None]) / units.nearest
        moved += float(np.linalg.norm(rows / natural.length[:, None] - natural.A))
    return least > UNSURE * moved


def _not_anew(look: Look) -> tuple[float, float]:
    """How far anything that a motion says at any sample is from what its state there gives anew, and when."""
    m = look.motion
    worst, when = 0.0, m.begin_time
    for name, told, anew in zip(m.along._fields, m.along, m.derived_anew(), strict=True):
        if not told.size:
            continue
        one, two = told.reshape(len(told), -1), anew.reshape(len(told), -1)
        finite = np.where(np.isfinite(two), np.abs(two), 0.0)
        sizes = finite + LITTLE * finite.max()
        if name == "energy":  # it may be the difference of what is large
            sizes = sizes + _of_energy(look)[:, None]
        off = np.where(one == two, 0.0, np.abs(one - two))  # of infinite ones too
        parts = np.divide(off, sizes, out=np.where(off > 0, np.inf, 0.0), where=sizes > 0)
        parts = np.where(np.isfinite(parts), parts, np.inf)
        k = int(np.argmax(parts.max(axis=1)))
        if parts[k].max() > worst:
            worst, when = float(parts[k].max()), float(m.t[k])
    return worst, when


def _of_energy(look: Look) -> Array:
    """How large the terms of the energy are at the samples (k,), of every mode."""
    m, kept = look.motion, prepared(look.motion.system)
    out = np.zeros(len(m.t))
    for k, (t, state) in enumerate(zip(m.t.tolist(), m.y.T.tolist(), strict=True)):
        try:
            out[k] = np.abs(kept.energy_terms([*state, t, *map(float, m.values)])).sum()
        except StateError:
            continue
    return out


def _mistold(look: Look, place: int, now: Instant, answer: Answer, bared: Bared, known: Array) -> float:
    """How far what a motion says at a sample is from what a principle finds, beyond what accelerations are known to."""
    m, along = look.motion, look.motion.along
    k = int(np.searchsorted(m.t, look.times[place]))
    force = along.ideal[k] + along.nonideal[k]
    stated = [j for j, c in enumerate(m.system.constraints) if c.name in now.constraints]
    rows = now.A[[now.constraints.index(m.system.constraints[j].name) for j in stated]]
    pulls = along.multipliers[k] * bared.at(look.times[[place]], look.states[[place]], m.values)[0]
    parts = [apart(now, answer.acceleration, along.acceleration[k], known)]
    if np.isfinite(along.multipliers[k]).all():  # else the factor of a row has made it too large
        parts.append(_unbalanced(now, answer.acceleration, rows.T @ pulls[stated] - along.ideal[k], known))
        factors = bared.at(look.times[[place]], look.states[[place]], m.values)[0, stated]
        parts.append(_longer(now.M, rows * factors[:, None], along.multipliers[k, stated]))
    held = [c for c in look.stretch(float(look.times[place])).statement.constraints if isinstance(c, Held)]
    if not any(c.by == "force" for c in held):  # else a part is no constraint's
        parts.append(_unbalanced(now, answer.acceleration, answer.force - force, known))
    return max(parts)


def apart(now: Instant, one: Array, two: Array, known: Array) -> float:
    """How far accelerations are apart, beyond what they are `known` to, relative to those at work, by the metric M."""
    ready = prepare(now)
    apart = _beyond(one - two, known)
    return part_of(np.linalg.norm(ready.L.T @ ready.acceleration(apart)), _at_work(ready, one))


def _unbalanced(now: Instant, acceleration: Array, force: Array, known: Array) -> float:
    """A force relative to those at work, in the metric of M⁻¹, beyond what accelerations are `known` to."""
    ready = prepare(now)
    left = _beyond(force, np.abs(now.M) @ known)
    return part_of(np.linalg.norm(np.linalg.solve(ready.L, ready.force(left))), _at_work(ready, acceleration))


def _longer(M: Array, A: Array, multipliers: Array) -> float:
    """How far multipliers of stated rows A are from those of least norm: what redundant rows share out anew in them.

    As a part of each share, times the least singular value of the rows: what they are made of is known to that.
    """
    natural = natural_rows(A, natural_units(M, A))
    if natural.rank in (0, len(A)):
        return 0.0
    return off_range(natural, multipliers) * float(natural.sigma[-1])


def _beyond(values: Array, known: Array) -> Array:
    out: Array = np.sign(values) * np.maximum(np.abs(values) - known, 0.0)
    return out


def _at_work(ready: Ready, acceleration: Array) -> float:
    loads = sum(float(np.linalg.norm(np.linalg.solve(ready.L, load))) for load in (ready.Q, ready.C))
    return loads + float(np.linalg.norm(ready.L.T @ ready.acceleration(acceleration)))


def part_of(value: Any, size: float) -> float:
    """A number as a part of the size of what it is about."""
    return largest_part(np.array([float(value)]), np.array([size]))
