"""What must be sound where a mode begins: nothing jumps that no force states, and something has mass."""

import numpy as np

from dalembert.derive import Array
from dalembert.engine.taylor import Setup, Taylor
from dalembert.model import StateError, refuse
from dalembert.motion.hybrid.next_mode import Trial
from dalembert.motion.hybrid.programs import Programs
from dalembert.motion.tolerances import tolerance
from dalembert.principles import balanced_units

ASIDE, STEP = 1e-9, 0.6  # how far beside it two sides are compared, of natural sizes; and what of it stays at 1/16
RANK = 1e-12  # of rows of unit length, and of masses in natural units
CLEARLY = 2.0**-10  # of the largest mass: a least one that is no doubt one


def what_jumps(engine: Taylor, pair: tuple[Setup, Setup], t: float, state: Array, reach: Array) -> str | None:
    """What jumps between the two sides of a switching function, if anything does.

    A step of a potential or of a mass is no force, but an impulse that nothing states. `reach` (2n,) is how large
    coordinates and velocities can be: two sides that differ less and less towards the surface do not jump there, nor
    do those that differ by what rounding makes of their terms.
    """
    near, far = (_apart(engine, pair, t, state + share * ASIDE * reach) for share in (1 / 16, 1.0))
    for what, (there, floor) in far.items():
        gap = np.abs(near[what][0])
        if ((gap > STEP * np.abs(there)) & (gap > floor)).any():
            return what
    return None


def _apart(engine: Taylor, pair: tuple[Setup, Setup], t: float, state: Array) -> dict[str, tuple[Array, Array]]:
    """By how much energy, momenta and constraints differ between two sides, and what of that may be rounding."""
    times, states = np.array([t]), state[None, :]
    v = np.abs(state[len(state) // 2 :])
    (one, p), (two, p_too) = (engine.energy_and_momenta(setup, t, state) for setup in pair)
    gaps = [engine.levels(setup, times, states)[0] for setup in pair]
    sizes = [engine.sizes(setup, times, states, np.append(np.abs(state), abs(t)))[0] for setup in pair]
    share, momenta = tolerance("TIE"), np.abs(p) + np.abs(p_too)  # none without a Lagrangian
    terms = np.maximum(*sizes)[: len(gaps[0])]
    return {
        "the energy": (np.array([one - two]), share * (abs(one) + abs(two) + momenta @ v[: len(momenta)])),
        "the momentum": (p - p_too, share * momenta),
        "a constraint": (gaps[0] - gaps[1], share * terms),
    }


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
