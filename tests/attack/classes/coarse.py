"""Cases that switch or come to singular places, at coarse tolerances: these are not to decide what follows."""

from dataclasses import replace

from ..case import Case
from ..draw import Draw
from . import frictional, impacts, onesided, singular, switching

BASES = (onesided, frictional, impacts, switching, singular)
WIDE = 64  # times the root of the tolerance, of a run: so much earlier may it end where branches can no longer be told
OFF = 1e3  # times the tolerance: so far states and times of events may be off, or as far as the case itself allows


def can(case: Case) -> bool:
    """Whether a case asks for no tolerance of its own, and for states, not for laws alone."""
    return not case.laws and "tolerance" not in case.options


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
        early=max(old.early, WIDE * tolerance**0.5),
        refusals=old.refusals | ({"singular", "off the constraints"} if base is singular else set()),
    )
