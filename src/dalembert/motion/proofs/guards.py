"""What the mode of every stretch says of contacts, friction and signs."""

from collections.abc import Sequence

import numpy as np

from dalembert.derive import prepared
from dalembert.derive.switching.guard_kinds import KINDS, GuardKey
from dalembert.derive.switching.modes import OFF, switches
from dalembert.model import OneSided
from dalembert.motion.blame import FAILURES
from dalembert.motion.look import Look
from dalembert.motion.proofs.forces import apart
from dalembert.motion.proofs.words import counted, worst_of
from dalembert.motion.stretch import as_stated
from dalembert.motion.tolerances import tolerance
from dalembert.principles import explicit
from dalembert.principles.certificate import Check

RUBBED = 32  # states at which friction is compared with what was stated
GAPS = ("touch", "parted")
SIDES = ("stop", "slow", "side")  # as the mode says them


def gaps(look: Look) -> Check | str:
    """No contact is below zero."""
    if not _sided(look):
        return "there are no contacts"
    if not any(key.kind in GAPS for guards in look.guards for key in guards.keys):
        return "no contact is open"
    value, at = _lowest(look, GAPS)
    return Check("gaps", value, _guard_bound(look), f"no gap is below zero{at}")


def pushes(look: Look) -> Check | str:
    """Contacts push while they are closed, and exert nothing while they are open."""
    if not _sided(look):
        return "there are no contacts"
    value, at = max(_lowest(look, ("release",)), _pulled(look))
    words = f"closed contacts push, open ones exert nothing{at}"
    return Check("pushes", value, _guard_bound(look), words)


def _pulled(look: Look) -> tuple[float, str]:
    """The same of the reactions at the samples as the motion says them; those that redundant contacts share are not
    determined.
    """
    m, sided = look.motion, _sided(look)
    worst, at = 0.0, ""
    for guards in look.guards:
        mine = np.flatnonzero(look.sampled[guards.places])
        reactions = m.along.reactions[np.searchsorted(m.t, look.times[guards.places[mine]])]
        if not len(mine) or set(guards.mode.idle) & set(sided):
            continue
        for j in sided:
            exerted = reactions[:, j]
            if j in guards.mode.closed:
                size = guards.sizes[mine, guards.keys.index(GuardKey("release", j))]
                parts = np.divide(-exerted, size, out=np.zeros(len(mine)), where=(exerted < 0) & (size > 0))
            else:
                parts = (exerted != 0).astype(float)
            k = int(np.argmax(parts))
            if parts[k] > worst:
                worst, at = float(parts[k]), worst_of(m.system.constraints[j].name, look.times[guards.places[mine[k]]])
    return worst, at


def friction(look: Look) -> Check | str:
    """Friction within its cone where it sticks, against what slides where it slips."""
    m = look.motion
    if not switches(prepared(m.system).form).rubs or m.episodes[0].mode is None:
        return "there is no dry friction"
    value, at = max(_lowest(look, ("stop", "slow", "up", "down", "hold", "normal")), _rubbed(look))
    words = f"friction is in its cone, μN against what slides{at}"
    return Check("friction", value, _guard_bound(look), words)


def _rubbed(look: Look) -> tuple[float, str]:
    """How far accelerations in a mode are from those of the system as it was stated, where nothing sticks."""
    m, worst, at = look.motion, 0.0, ""
    unsided = _unsided(look)
    for place in look.spread(RUBBED):
        if place in unsided:
            continue
        t, state = float(look.times[place]), look.states[place]
        mode = m.mode_at(t)
        stated = None if mode is None or set(mode.rubs) == {OFF} else as_stated(m.system, m.values, mode)
        if stated is None:
            continue
        try:
            one, two = (each.instant(t, state) for each in (stated, look.stretch(t)))
            part = apart(one, explicit(one).acceleration, explicit(two).acceleration, look.known(place))
        except FAILURES:
            continue
        if part > worst:
            worst, at = part, worst_of("what slides", t)
    return worst, at


def _unsided(look: Look) -> set[int]:
    """Places at which something slides or switches by no more than rounding: the sign of it says nothing."""
    found: set[int] = set()
    for guards in look.guards:
        columns = [i for i, key in enumerate(guards.keys) if key.kind in SIDES]
        known = tolerance("TIE") * guards.sizes[:, columns]
        found.update(guards.places[(guards.values[:, columns] <= known).any(axis=1)].tolist())
    return found


def modes(look: Look) -> Check | str:
    """What the mode of every stretch says of signs, contacts and friction holds all along it."""
    if look.motion.episodes[0].mode is None:
        return "nothing switches"
    value, at = _lowest(look, tuple(KINDS))
    stretches = counted(len({part.episode for part in look.parts}), "stretch", "stretches")
    return Check("modes", value, _guard_bound(look), f"what each mode says holds in all of {stretches}{at}")


def _guard_bound(look: Look) -> float:
    return max(tolerance("GUARD"), tolerance("DRIFT") * look.accuracy)


def _lowest(look: Look, kinds: Sequence[str]) -> tuple[float, str]:
    """How far below zero the lowest guard of these kinds is, relative to its size, and which it is and when."""
    worst, at = 0.0, ""
    for guards in look.guards:
        columns = [i for i, key in enumerate(guards.keys) if key.kind in kinds]
        values, sizes = guards.values[:, columns], guards.sizes[:, columns]
        below = np.divide(-values, sizes, out=np.zeros(values.shape), where=sizes > 0)
        below[~np.isfinite(values)] = np.inf
        if below.size and below.max() > worst:
            k, i = np.unravel_index(int(np.argmax(below)), below.shape)
            worst = float(below[k, i])
            at = worst_of(_guard_words(look, guards.keys[columns[int(i)]]), look.times[guards.places[int(k)]])
    return worst, at


def _guard_words(look: Look, key: GuardKey) -> str:
    """What a guard is of."""
    known = switches(prepared(look.motion.system).form)
    match key.kind:
        case "touch" | "release" | "parted" | "normal" | "coefficient":
            return look.motion.system.constraints[key.place].name
        case "side" | "above" | "below":
            return known.gated.gates[key.place].words
        case "jam":
            return "friction that jams"
    return known.name(key.place)


def _sided(look: Look) -> list[int]:
    return [j for j, c in enumerate(look.motion.system.constraints) if isinstance(c, OneSided)]
