"""Friction in impacts: what can rub in them, by rows whose impulses have the length of the force along the surface."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import STICKS, Mode
from dalembert.model import OneSided
from dalembert.motion.hybrid.bases import held_by
from dalembert.motion.hybrid.impact import Rubbing
from dalembert.motion.hybrid.planar import products
from dalembert.motion.hybrid.programs import Programs


def rubbing(programs: Programs, mode: Mode, t: float, state: Array, touching: Sequence[int]) -> dict[int, Rubbing]:
    """What friction can do in the impact of contacts that touch, for those in which it acts.

    Directions are those that the contacts would have, were they closed: open ones need have none.
    """
    s = programs.switches
    mine = [j for j in touching if j in programs.staged(mode).rough]
    if not mine:
        return {}
    rubs = tuple(STICKS if {*rub.members} & {*mine} else told for rub, told in zip(s.rubs, mode.rubs, strict=True))
    shut = replace(mode, closed=tuple(sorted({*mode.closed, *mine})), rubs=rubs, idle=(), still=())
    shut = replace(shut, bases=held_by(programs, shut, t, state))
    setup, staged = programs.setup(shut, t, state), programs.staged(shut)
    now = programs.arrays(setup, t, state)
    looked = setup.code.looked(state[None, :], np.array([t]), setup.numbers)[0]
    out: dict[int, Rubbing] = {}
    for k, rub in enumerate(s.rubs):
        rows = list(staged.sticks.get(k, ()))
        for j in rub.members:
            contact = s.form.constraints[j]
            if j in mine and j in staged.rough and isinstance(contact, OneSided) and rows:
                root = np.linalg.cholesky(products(now, rows, list(rub.particle)))  # |f|² = λᵀ L Lᵀ λ
                speed, unit = np.linalg.solve(root, now.rate[rows]), np.linalg.solve(root, now.A[rows])
                out[j] = Rubbing(float(looked[staged.rough[j]]), speed, unit)
    return out
