"""Whether an embedding has numbers, and is smooth: velocities and accelerations are its derivatives."""

from collections.abc import Iterator

from dalembert.derive.reducing.branches import switching_in
from dalembert.derive.reducing.chart import Chart
from dalembert.derive.reducing.embedding import said
from dalembert.derive.tape import Tape
from dalembert.model import ModelError, name_of


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
