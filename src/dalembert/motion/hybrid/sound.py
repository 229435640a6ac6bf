"""What must be sound where a mode begins: nothing jumps that no force states, and something has mass."""

import numpy as np

from dalembert.derive import CLOSE, Array, prepared
from dalembert.engine.taylor import Setup, Taylor
from dalembert.model import OneSided, StateError, Statement, refuse
from dalembert.motion.hybrid.next_mode import Trial
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.smooth.sides import Side, what_jumps
from dalembert.principles import balanced_units

ASIDE = 1e-9  # how far beside it two sides are compared, of natural sizes
RANK = 1e-12  # of rows of unit length, and of masses in natural units
CLEARLY = 2.0**-10  # of the largest mass: a least one that is no doubt one


def what_switches_over(engine: Taylor, pair: tuple[Setup, Setup], t: float, state: Array, reach: Array) -> str | None:
    """What jumps between the two sides of a switching function, if anything does.

    `reach` (2n,) is how large coordinates and velocities can be: the sides are compared at a part of that beside it.
    """

    def sides(share: float) -> tuple[Side, Side]:
        beside = state + share * ASIDE * reach
        return Side(pair[0], t, beside), Side(pair[1], t, beside)

    return what_jumps(engine, sides)


def refuse_steps(engine: Taylor, system: Statement, values: Array, found: Trial, t: float, state: Array) -> None:
    """Raise StateError where a start is on a step of a constraint: satisfied there alone, and on no side of it."""
    when, states, m = np.array([t]), state[None, :], len(system.constraints)
    here = prepared(system).relations.plain([*state.tolist(), t, *values.tolist()])[:m]
    beside = engine.levels(found.setup, when, states)[0][:m]
    floors = CLOSE * engine.sizes(found.setup, when, states, np.append(np.abs(state), abs(t)))[0][:m]
    sided = np.array([isinstance(c, OneSided) for c in system.constraints], dtype=bool)
    off = np.where(sided, -beside, np.abs(beside)) > floors
    faults = [
        f"{system.constraints[r].name!r} jumps where the motion begins: it is at {here[r]:.6g} there, "
        f"and at {beside[r]:.6g} right beside it"
        for r in np.flatnonzero(off & (np.abs(beside - here) > floors))
    ]
    refuse(StateError, "the start", faults)


def refuse_massless(engine: Taylor, programs: Programs, found: Trial, t: float) -> None:
    """Raise StateError where the mass matrix is singular along what the constraints leave free."""
    watch = engine.watch(found.setup, np.array([t]), found.state[None, :])
    inertia, masses, _ = engine.names(found.setup)
    lost = [*np.array(inertia)[watch.inertia[0] <= 0], *np.array(masses)[watch.masses[0] <= 0]]
    fault = f"the mass matrix is singular: {', '.join(dict.fromkeys(lost))} vanishes, and no constraint makes up for it"
    refuse(StateError, "the start", [fault] if lost else [])
    now = programs.arrays(found.setup, t, found.state)
    M, A = now.M, now.A[list(programs.switches.active(found.mode))]
    units = balanced_units(M, A)
    own = np.linalg.eigvalsh(units[:, None] * M * units)
    if own[0] > CLEARLY * own[-1]:  # so it is along whatever is left free
        return
    free = np.linalg.svd(np.vstack([A * units, np.zeros((1, len(M)))]))
    rank = int(np.count_nonzero(free[1] > RANK * free[1].max(initial=0.0)))
    V = units[:, None] * free[2][rank:].T  # what friction may hold, but no constraint does
    left = np.linalg.eigvalsh(V.T @ M @ V) if V.size else np.ones(1)
    if left[0] <= RANK * max(left[-1], 0.0):
        refuse(StateError, "the start", ["the mass matrix is singular along what the constraints leave free"])
