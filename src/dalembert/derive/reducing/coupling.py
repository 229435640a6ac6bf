"""Whether a friction that sticks changes the forces that natures depend on.

While a friction sticks, its sliding velocity is one more row: the force f that holds along J_s changes multipliers by

    Δλ = −(A M⁻¹ Aᵀ)⁻¹ A M⁻¹ J_sᵀ f

and with them the bound up to which it sticks. An active force of the size it has without friction cannot follow that.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from dalembert.derive.evaluate import Array, mass_and_rows
from dalembert.derive.prepared import prepared
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.placing import Placing
from dalembert.derive.tape import Tape
from dalembert.derive.variants import bare, in_force, with_constraints
from dalembert.model import Coulomb, Ideal, ModelError

STATES = 4
SHARE = 1e-9  # of the force that holds: below it the multipliers do not feel it


def coupled(chart: Chart, sticking: Collection[str], used: Sequence[int]) -> Iterator[tuple[str, int]]:
    """The frictions among `sticking`, by name, with a row of `used` whose multiplier changes where they stick.

    Seen at random states on the embedding, for the values of the parameters and for others near them.
    """
    system = chart.system
    rough = [c.name for c in system.constraints if isinstance(c.nature, Coulomb) and c.name in sticking]
    if not rough or not used:
        return
    natures = [in_force(c, c.nature if c.name in rough else Ideal()) for c in system.constraints]
    kept, plain = prepared(with_constraints(system, natures)), bare(system)
    a, frictions = kept.algebra, kept.derived.friction
    spots = [(k, i) for k, f in enumerate(frictions) for i in f.along]
    tape = Tape([*a.q, *a.v, a.t, *a.parameters.values()], [e for f in frictions for e in f.along.values()])
    found: dict[str, int] = {}
    for inputs in _states(chart):
        try:
            M, rows = mass_and_rows(plain, inputs)
            along = np.zeros((chart.n, len(frictions)))
            for (k, i), value in zip(spots, tape(inputs), strict=True):
                along[i, k] = value
            share = _shares(M, rows.A, along)
        except (ModelError, np.linalg.LinAlgError):
            continue
        for k, f in enumerate(frictions):
            felt = [j for j in used if share[j, k] > SHARE]
            if felt:
                found.setdefault(f.constraint, felt[0])
    yield from found.items()


def _states(chart: Chart) -> Iterator[list[float]]:
    """States of the system on the embedding, in numbers."""
    random = np.random.default_rng(4)
    known = dict(chart.system.values)
    other = {s: value * float(random.uniform(0.8, 1.25)) for s, value in known.items()}
    for values in (known, other) if known else (known,):
        for state, place in Placing(chart).states(STATES, seed=4, known=values):
            yield [*place.y, *place.rates, state.t, *(state.values[s] for s in chart.system.symbols)]


def _shares(M: Array, A: Array, D: Array) -> Array:
    """|Δλ_j A_j| over |D_k|, lengths in the metric of M⁻¹, for forces along the columns of D (n, k): (m, k)."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        L = np.linalg.cholesky(M + A.T @ A)  # the same accelerations, where the constraints make it regular
    B, F = np.linalg.solve(L, A.T), np.linalg.solve(L, D)
    lengths, sizes = np.linalg.norm(B, axis=0), np.linalg.norm(F, axis=0)
    change = np.linalg.lstsq(B, F, rcond=1e-12)[0]
    out: Array = np.abs(change) * lengths[:, None] / np.where(sizes > 0, sizes, 1.0)
    return out
