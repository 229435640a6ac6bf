"""The mode from a state on where it is the only one: what the laws allow besides, and what they leave open, is told."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from dalembert.derive import Array
from dalembert.derive.evaluate import unshared_friction
from dalembert.derive.switching.guard_kinds import GuardKey, changed
from dalembert.derive.switching.modes import BACKWARD, FORWARD, OFF, STICKS, Mode
from dalembert.model import ModelError
from dalembert.motion.hybrid.guard_watch import key_of
from dalembert.motion.hybrid.next_mode import SAME, ModeSearch, Paradox, Trial

EVERY = 4096  # modes looked at where all are, because there may be several


def only_mode(
    search: ModeSearch,
    t: float,
    state: Array,
    guesses: list[Mode],
    scales: Array,
    begins: bool,
    fired: GuardKey | None,
    halted: Collection[int] = (),
) -> Trial:
    """The mode from a state on, beginning with guesses; raises Paradox where there is none, or more than one.

    `begins`: the motion begins here, so that it may begin on a surface that pushes it away to both sides. `halted`:
    frictions that have come to rest with the one that fell.
    """
    try:
        found = search.find(t, state, guesses, scales, fired, halted)
    except Paradox:
        _refuse_shares(search, t, state, replace(guesses[0], rubs=tuple(STICKS for _ in search.switches.rubs)))
        raise
    open_ = [key.place for i in found.guarded.stays if (key := key_of(found.staged, i)).kind == "touch"]
    if open_ or any(r < len(search.switches.form.constraints) for r in found.mode.idle):
        _refuse_shares(search, t, found.state, found.mode, open_)
    _refuse_unseen(search, t, state, found)
    if search.switches.actual:
        _refuse_another(search, t, state, found)
    if begins and found.guarded.rises:
        _refuse_other_side(search, t, state, found)
    return found


def _refuse_shares(search: ModeSearch, t: float, state: Array, mode: Mode, touching: Collection[int] = ()) -> None:
    """Raise Paradox where friction follows a force that redundant rows share in a way nothing determines.

    `touching`: contacts that are open in the mode and stay as they are, so that they might as well bear.
    """
    held = [
        j
        for j in range(len(search.switches.form.constraints))
        if j not in search.switches.one_sided or j in mode.closed or j in touching
    ]
    rubs = zip(search.switches.rubs, mode.rubs, strict=True)
    together = [rub.members for rub, told in rubs if told != OFF or {*rub.members} & {*touching}]
    together = [members for members in together if {*members} <= {*held}]
    inputs = [*state.tolist(), t, *search.programs.values.tolist()]
    try:
        words = unshared_friction(search.programs.system, inputs, held, together) if together else None
    except ModelError:  # where values leave no inertia, whose velocity slides is not known
        return
    if words:
        raise Paradox(f"the motion is not determined: {words}")


def _refuse_unseen(search: ModeSearch, t: float, state: Array, found: Trial) -> None:
    """Raise Paradox where a friction cannot stick, and nothing that can be seen says which way it slips."""
    for k in search.unseen(found):
        told, rubs = found.mode.rubs[k], [*found.mode.rubs]
        ways = []
        for rubs[k] in (STICKS, FORWARD if told == BACKWARD else BACKWARD):
            ways.append(search.trial(replace(found.mode, rubs=tuple(rubs), idle=(), still=()), t, state))
        if ways[0].why and ways[1].holds:
            raise Paradox(
                f"which way {search.switches.name(k)!r} slips cannot be told: it cannot stick there, and "
                "what its speed becomes is less than the rounding of the forces in balance"
            )


def _refuse_other_side(search: ModeSearch, t: float, state: Array, found: Trial) -> None:
    """Raise Paradox where another side of a switching function would do as well, and move otherwise."""
    a = search.acceleration(found, t)
    for g in found.guarded.rises:
        key = key_of(found.staged, g)
        if key.kind != "side":
            continue
        other = replace(found.mode, signs=changed(found.mode.signs, key.place, -found.mode.signs[key.place]))
        trial = search.trial(other.anew, t, state)
        if trial.holds and not np.allclose(a, search.acceleration(trial, t), rtol=SAME, atol=1e-300):
            words = f"({search.switches.words(found.mode)}) and ({search.switches.words(trial.mode)})"
            raise Paradox(f"more than one motion is possible: {words}")


def _refuse_another(search: ModeSearch, t: float, state: Array, found: Trial) -> None:
    """Raise Paradox where a mode that differs in what presses holds as well, and moves otherwise (Painlevé)."""
    for count, mode in enumerate(_every(search, t, state, found)):
        if count > EVERY:
            return
        trial = search.trial(mode, t, state)
        if not trial.lawful or trial.guarded.stays:
            continue
        same = all(x == y or OFF in (x, y) for x, y in zip(found.mode.rubs, trial.mode.rubs, strict=True))
        if same and search.differ(found, trial, t):
            words = f"({search.switches.words(found.mode)}) and ({search.switches.words(trial.mode)})"
            raise Paradox(f"more than one motion is possible (Painlevé): {words}")


def _every(search: ModeSearch, t: float, state: Array, found: Trial) -> Iterator[Mode]:
    """Every mode with the same frictions at rest or not that differs in what presses."""
    s = search.switches
    touching = [j for j in s.one_sided if j in found.mode.closed or _touches(found, j)]
    signs = [(e, -e) if s.follows_actual(j) else (e,) for e, j in zip(found.mode.normals, s.pressed, strict=True)]
    for count in range(len(touching) + 1):
        for opened in combinations(touching, count):
            closed = tuple(sorted({*found.mode.closed, *touching} - set(opened)))
            for normals in product(*signs):
                mode = replace(found.mode, closed=closed, normals=normals, idle=(), still=())
                rubs = tuple(
                    OFF if not s.rubbing(rub, mode) else (STICKS if told == OFF else told)
                    for rub, told in zip(s.rubs, found.mode.rubs, strict=True)
                )
                yield search.fitted(replace(mode, rubs=rubs), t, state)


def _touches(found: Trial, j: int) -> bool:
    g = found.staged.keys.index(GuardKey("touch", j))
    return bool(abs(found.guarded.values[g]) <= found.guarded.floors[g])
