"""A truth from equations in fewest coordinates: moved, lifted to the coordinates as stated, with error and growth."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..case import Truth
from . import gbs, hybrid
from .gbs import Real, real
from .growth import growth

Lift = Callable[[Real, np.ndarray], Any]  # coordinates and velocities as stated, from time and fewest coordinates


def same(t, y):
    """The coordinates are already those that are stated."""
    return y


def moved(
    rate: gbs.Rate,
    start,
    times,
    lift: Lift = same,
    *,
    longest: float = np.inf,
    absolute=0.0,
    columns: dict[str, Lift] | None = None,
) -> Truth:
    """The truth of a smooth motion y' = rate(t, y)."""
    path = gbs.solve(rate, start, times, longest=longest, absolute=absolute)
    grown = growth(
        lambda s: gbs.run(rate, s, times, longest=longest, absolute=absolute, tolerance=Real("1e-15")),
        start,
        path.states,
    )
    return Truth(lifted(lift, times, path.states), path.error, grown, columns=_columns(columns, times, path.states))


def switched(
    mode: hybrid.Mode,
    start,
    times,
    lift: Lift = same,
    *,
    longest: float = np.inf,
    absolute=0.0,
    told: bool = True,
    columns: dict[str, Lift] | None = None,
) -> Truth:
    """The truth of a motion across switches; `told`: its events are part of it."""
    done = hybrid.solve(mode, start, times, longest=longest, absolute=absolute)
    grown = growth(
        lambda s: hybrid.follow(mode, s, times, longest=longest, absolute=absolute, tolerance=Real("1e-15")).states,
        start,
        done.states,
    )
    return Truth(
        lifted(lift, times, done.states),
        done.error,
        grown,
        events=done.events if told else (),
        end=done.end,
        columns=_columns(columns, times, done.states),
    )


def lifted(lift: Lift, times, states) -> np.ndarray:
    """States (k, m) in fewest coordinates as states (k, 2n) in the coordinates as stated."""
    return np.array([real(lift(t, y)) for t, y in zip(real(times), states, strict=True)])


def closed(form: Callable[[Real], Any], times, **more) -> Truth:
    """The truth of a closed form: `form(t)` gives coordinates and velocities, exact to 1e-15."""
    return Truth(np.array([real(form(t)) for t in real(times)]), 1e-15, **more)


def _columns(columns, times, states):
    return {name: lifted(value, times, states) for name, value in (columns or {}).items()}
