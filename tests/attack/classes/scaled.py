"""Any case in other units of length, time, mass, coordinates and rows, by factors of ten: the same motion."""

from ..case import Case
from ..draw import Draw
from ..statement import Nature, Row
from ..units import Units
from . import (
    frictional,
    impacts,
    light,
    nonholonomic,
    nonideal,
    onesided,
    redundant,
    rheonomic,
    singular,
    smooth,
    switching,
)

BASES = (
    smooth,
    redundant,
    rheonomic,
    nonholonomic,
    singular,
    nonideal,
    light,
    onesided,
    impacts,
    frictional,
    switching,
)


def can(case: Case) -> bool:
    """Whether a case can be put into other units: it is stated in expressions, and its laws and columns have none."""
    rows: tuple[Row, ...] = case.statement.rows
    natures: list[Nature] = [row.nature for row in rows]
    return (
        not case.laws
        and all(row.kind != "Differential" for row in rows)
        and all(nature.name != "Prescribed" for nature in natures)
        and not ("tolerance" in case.options and case.options["tolerance"] > 1e-8)
    )


def make(seed: int) -> Case:
    """The case of a seed: the first case of a base class that can be scaled, from a seed of its own on."""
    draw = Draw("scaled", seed)
    base = BASES[seed % len(BASES)]
    place = 1000 + 17 * (seed // len(BASES))  # no class has a multiple of 17 kinds
    while not can(old := base.make(place)):
        place += 1
    coordinates = old.statement.coordinates
    together = any(row.nature.name in ("Viscous", "Quadratic") for row in old.statement.rows)
    length, time, energy = (10.0 ** draw.whole(-8, 8) for _ in range(3))
    kind = draw.choice("length", "time", "mass", "all", "coordinates", "rows" if old.statement.rows else "all")
    lengths = dict.fromkeys(coordinates, length if kind in ("length", "all") else 1.0)
    if kind == "coordinates":
        lengths = {q: length if together else 10.0 ** draw.whole(-4, 4) for q in coordinates}
    rows = [1.0] * len(old.statement.rows)
    if kind in ("rows", "all"):
        rows = [10.0 ** draw.whole(-6, 6) for _ in rows]
    units = Units(lengths, time if kind in ("time", "all") else 1.0, energy if kind in ("mass", "all") else 1.0, rows)
    words = {
        "length": f"lengths {length:g}",
        "time": f"times {time:g}",
        "mass": f"masses {energy:g}",
        "all": f"lengths {length:g}, times {time:g}, masses {energy:g}, rows",
        "coordinates": "each coordinate its unit",
        "rows": "each row its size",
    }[kind]
    return units.case(old, words)
