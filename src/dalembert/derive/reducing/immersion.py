"""Whether an embedding is what it should be: smooth, an immersion, onto all that the constraints leave free.

Ranks are found in numbers at random states.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from dalembert.derive.evaluate import Array, row_numbers
from dalembert.derive.exact.cases import switching_in
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.embedding import said
from dalembert.derive.reducing.placing import Placing
from dalembert.derive.tape import Tape
from dalembert.derive.variants import bare
from dalembert.model import ModelError, name_of

RANK = 1e-9
STATES = 5


def place_faults(chart: Chart) -> Iterator[str]:
    """Places that cannot be evaluated, and those that switch with what moves."""
    a = chart.algebra
    moving = {*a.q, a.t}
    inputs = [*a.q, a.t, *a.parameters.values()]
    for q, place in zip(chart.system.coordinates, chart.y, strict=True):
        what = f"the embedding of {name_of(q)}"
        if parts := [part for part in switching_in(place) if part.free_symbols & moving]:
            yield (
                f"{what} switches, {said(a.restore(parts[0]))}: where it does, a velocity jumps or a force is lost; "
                "give a smooth embedding, one for each side"
            )
            continue
        try:
            Tape(inputs, [place])
        except ModelError as error:
            yield f"{what}: {'; '.join(error.faults)}"


def rank_faults(placing: Placing) -> Iterator[str]:
    """A fault where ∂y/∂x has no full rank at any state tried, with the coordinates that do not count."""
    chart = placing.chart
    best, names = -1, ""
    for _, place in placing.states(STATES):
        _, sigma, V = np.linalg.svd(_scaled(place.J))
        rank = _rank(sigma)
        if rank == chart.k:
            return
        if rank > best:
            best = rank
            share = np.abs(V[rank:]).max(axis=0)
            names = ", ".join(name for name, s in zip(chart.names(), share, strict=True) if s > 1e-6)
    if best < 0:
        yield "the embedding has no real value at any of the points tried"
    else:
        yield (
            f"the embedding is not an immersion: ∂y/∂x has rank {best} and {chart.k} new coordinates; "
            f"{names} can change together so that nothing moves"
        )


def count_faults(placing: Placing, eliminated: Sequence[int]) -> Iterator[str]:
    """A fault where the embedding leaves less free than the constraints that it satisfies do."""
    chart = placing.chart
    system = bare(chart.system)
    for state, place in placing.states(STATES, seed=1):
        rows = row_numbers(system, place.y, place.rates, state.t, state.values)
        if rows is None:
            continue
        _, sigma, V = (
            np.linalg.svd(_scaled(rows.A[list(eliminated)])) if eliminated else (0, np.zeros(0), np.eye(chart.n))
        )
        rank = _rank(sigma)
        if chart.k >= chart.n - rank:
            return
        free = V[rank:].T  # (n, n − rank): what the constraints leave free
        J = np.linalg.qr(place.J)[0]
        lost = np.linalg.norm(free - J @ (J.T @ free), axis=1)
        names = ", ".join(
            name_of(q) for q, size in zip(chart.system.coordinates, lost, strict=True) if size > 0.1 * lost.max()
        )
        yield (
            f"the embedding has {chart.k} new coordinate{'s' * (chart.k != 1)}, but the constraints that it satisfies "
            f"leave {chart.n - rank} of {chart.n} free: it would add a constraint that is not stated, on {names}; "
            "state it, or give the embedding more coordinates"
        )
        return


def _scaled(J: Array) -> Array:
    """J with rows of length one, so that units do not count."""
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(size > 0, size, 1.0)


def _rank(sigma: Array) -> int:
    return int(np.count_nonzero(sigma > RANK * max(np.max(sigma, initial=0.0), 1e-300)))
