"""Cases that switch, at coarse tolerances: what a tolerance allows is not to decide what follows."""

from dataclasses import replace

from ..case import Case
from ..draw import Draw
from . import frictional, impacts, onesided, switching

BASES = (onesided, frictional, impacts, switching)
OFF = 1e3  # times the tolerance: so far states and times of events may be off, or as far as the case itself allows


def can(case: Case) -> bool:
    """Whether a case has a motion to its end, asks for no tolerance of its own, and for states, not for laws alone."""
    return not case.laws and not case.ends and "tolerance" not in case.options


def make(seed: int) -> Case:
    """The case of a seed: the first case of a base class that can be moved so, from a seed of its own on."""
    draw = Draw("coarse", seed)
    base = BASES[seed % len(BASES)]
    place = 2000 + 17 * (seed // len(BASES))
    while not can(old := base.make(place)):
        place += 1
    tolerance = 10.0 ** -draw.whole(6, 12)
    return replace(
        old,
        label=f"at {tolerance:.0e}: {old.label}",
        options={**old.options, "tolerance": tolerance},
        tolerance=max(old.tolerance or 1e-9, OFF * tolerance),
        slack=max(old.slack, OFF * tolerance),
    )
