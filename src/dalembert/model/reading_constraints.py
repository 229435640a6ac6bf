"""The constraints of a model file and their natures; faults are kept in the sheet."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr

from dalembert.model.clock import time
from dalembert.model.constraints import (
    Constraint,
    Differential,
    Holonomic,
    Nonholonomic,
    OneSided,
    restitution_faults,
)
from dalembert.model.grammar import Scope
from dalembert.model.natures import (
    NORMALS,
    Coulomb,
    Ideal,
    Nature,
    Prescribed,
    Quadratic,
    Viscous,
    sliding_count,
    sliding_faults,
)
from dalembert.model.places import Path
from dalembert.model.sheet import ABSENT, Sheet, short, shown, words

KINDS: dict[str, Callable[..., Constraint]] = {
    "holonomic": Holonomic,
    "nonholonomic": Nonholonomic,
    "differential": Differential,
    "one_sided": OneSided,
}
OF_CONTACTS = ("restitution", "impact_friction")  # what only a one_sided constraint may have
MAX_CONSTRAINTS = 1_000  # of one file
NATURES = ("ideal", "prescribed", "viscous", "quadratic", "coulomb")
OF_COULOMB = ("static", "normal", "sliding", "of")  # what only the nature coulomb may have


def constraints(sheet: Sheet, scope: Scope) -> list[Constraint]:
    """The constraints that could be read."""
    found: list[Constraint] = []
    names: set[str] = set()
    count = len(sheet.items(("constraints",), "of tables "))
    if count > MAX_CONSTRAINTS:
        sheet.stop(("constraints",), f"there are {count} constraints; at most {MAX_CONSTRAINTS} are read")
    for index in range(count):
        path = ("constraints", index)
        name = sheet.words_at((*path, "name"))
        if name and name in names:
            sheet.fault((*path, "name"), f"the constraint name {name!r} is given twice; names must differ")
        names.add(name)
        constraint = _constraint(sheet, path, name, scope)
        if constraint is not None:
            found.append(constraint)
    return found


def _constraint(sheet: Sheet, path: Path, name: str, scope: Scope) -> Constraint | None:
    table = sheet.texts(path)
    if not table and sheet.get(path) != {}:
        return None
    known = sheet.known_keys(path, ("name", "nature", *KINDS, *OF_CONTACTS))
    before = len(sheet.faults)
    nature = _nature(sheet, (*path, "nature"), replace(scope, reactions=True))
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) != 1:
        said = f"is {' and '.join(kinds)} at once" if kinds else "does not say what it is"
        if kinds or known:
            sheet.fault(path, f"{words(path)} {said}; give one of {', '.join(KINDS)}")
        return None
    kind, place = kinds[0], (*path, kinds[0])
    of_contact = _of_contact(sheet, path, kind, scope)
    if kind == "differential":
        stated: Any = _by_name(sheet, place, {**scope.coordinates, "t": time()}, "neither a coordinate nor t", scope)
    else:
        stated = sheet.expr(place, replace(scope, velocities=kind == "nonholonomic", kind=kind))
    if sheet.names_at_fault or len(sheet.faults) > before:
        return None
    return sheet.built(lambda: KINDS[kind](stated, name=name, nature=nature, **of_contact), place)


def _of_contact(sheet: Sheet, path: Path, kind: str, scope: Scope) -> dict[str, Any]:
    """The restitution and impact_friction of a contact, where they are given."""
    given = [key for key in OF_CONTACTS if sheet.get((*path, key)) is not ABSENT]
    if kind != "one_sided":
        for key in given:
            sheet.fault((*path, key), f"{words((*path, key))} goes with one_sided, not with {kind}")
        return {}
    found: dict[str, Any] = {}
    if "restitution" in given:
        place = (*path, "restitution")
        found["restitution"] = sheet.expr(place, scope)
        for fault in restitution_faults(found["restitution"]):
            sheet.fault(place, f"{words(place)}: {fault}")
    if "impact_friction" in given:
        place = (*path, "impact_friction")
        value, nature = sheet.get(place), sheet.get((*path, "nature"))
        found["impact_friction"] = value
        if not isinstance(value, bool):
            sheet.fault(place, f"{words(place)} is {shown(value)}, true or false is meant (without quotes)")
        elif value and not (isinstance(nature, dict) and "coulomb" in nature):
            sheet.fault(place, f"{words(place)} needs nature = {{ coulomb = … }}, which says how large the friction is")
    return found


def _nature(sheet: Sheet, path: Path, scope: Scope) -> Nature:
    value = sheet.get(path)
    if value is ABSENT or value == "ideal":
        return Ideal()
    example = 'for example nature = { coulomb = "mu" }'
    if not isinstance(value, dict):
        hint = f"; give a table with one of {', '.join(NATURES[1:])}, {example}"
        sheet.fault(path, f"{words(path)} is {shown(value)}{hint}")
        return Ideal()
    known = sheet.known_keys(path, (*NATURES, *OF_COULOMB))
    kinds = [kind for kind in NATURES if kind in value]
    if len(kinds) != 1:
        said = f"is {' and '.join(kinds)} at once" if kinds else "does not say what it is"
        if kinds or known:
            sheet.fault(path, f"{words(path)} {said}; give one of {', '.join(NATURES)}, {example}")
        return Ideal()
    if kinds != ["coulomb"]:
        for key in OF_COULOMB:
            if key in value:
                sheet.fault((*path, key), f"{words((*path, key))} goes with coulomb, not with {kinds[0]}")
    place = (*path, kinds[0])
    if kinds[0] == "ideal":
        return Ideal()
    if kinds[0] == "prescribed":
        return _prescribed(sheet, place, scope)
    before = len(sheet.faults)
    coefficient = sheet.expr(place, scope)
    options = _of_coulomb(sheet, path, value, scope) if kinds == ["coulomb"] else {}
    if len(sheet.faults) > before:
        return Ideal()
    if kinds[0] == "coulomb":
        return sheet.built(lambda: Coulomb(coefficient, **options), place) or Ideal()
    drag = Viscous if kinds[0] == "viscous" else Quadratic
    return sheet.built(lambda: drag(coefficient), place) or Ideal()


def _of_coulomb(sheet: Sheet, path: Path, table: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    """The options of the nature coulomb, as its call takes them."""
    found: dict[str, Any] = {}
    if "static" in table:
        found["static"] = sheet.expr((*path, "static"), scope)
    if "normal" in table:
        found["normal"] = normal = table["normal"]
        if normal not in NORMALS:
            place = (*path, "normal")
            sheet.fault(place, f"{words(place)} is {shown(normal)}; it can be 'ideal' or 'actual'")
    if "sliding" in table:
        found["sliding"] = _sliding(sheet, (*path, "sliding"), replace(scope, reactions=False))
    if "of" in table:
        found["of"] = _pressing(sheet, (*path, "of"), scope)
    return found


def _sliding(sheet: Sheet, path: Path, scope: Scope) -> list[Expr]:
    """The components of a sliding velocity; a single one may stand without a list."""
    out: list[Expr] = []
    places = _places(sheet, path)
    for fault in sliding_count(len(places), words(path)):
        sheet.fault(path, fault)
        return []
    for place in places:
        before = len(sheet.faults)
        out.append(sheet.expr(place, scope))
        if len(sheet.faults) == before and not sheet.names_at_fault:
            for fault in sliding_faults(out[-1], words(place)):
                sheet.fault(place, fault)
    return out


def _pressing(sheet: Sheet, path: Path, scope: Scope) -> list[str]:
    """The names of the constraints whose force presses; a single one may stand without a list."""
    names: list[str] = []
    for place in _places(sheet, path):
        name = sheet.get(place)
        if not isinstance(name, str):
            sheet.fault(place, f"{words(place)} is {shown(name)}, the name of a constraint in quotes is meant")
        elif name not in scope.constraints:
            near = sheet.near(name, scope.constraints)
            sheet.fault(place, f"{words(place)} names {short(name)!r}, which is no constraint{near}")
        elif name in names:
            sheet.fault(place, f"{words(place)} names the constraint {name!r} once more")
        else:
            names.append(name)
    return names


def _places(sheet: Sheet, path: Path) -> list[Path]:
    """Where the elements of the list at `path` are, or the one value that stands there by itself."""
    value = sheet.get(path)
    return [(*path, index) for index in range(len(value))] if isinstance(value, list) else [path]


def _prescribed(sheet: Sheet, path: Path, scope: Scope) -> Nature:
    value = sheet.get(path)
    if isinstance(value, list):
        listed = [sheet.expr((*path, index), scope) for index in range(len(value))]
        if len(listed) != len(scope.coordinates) and not sheet.names_at_fault:
            sheet.fault(path, f"{words(path)} has {len(listed)} components for {len(scope.coordinates)} coordinates")
        return sheet.built(lambda: Prescribed(listed), path) or Ideal()
    mapped = _by_name(sheet, path, scope.coordinates, "not a coordinate", scope)
    return sheet.built(lambda: Prescribed(mapped), path) or Ideal()


def _by_name(sheet: Sheet, path: Path, names: Mapping[str, Expr], otherwise: str, scope: Scope) -> dict[Expr, Expr]:
    """The table of expressions by name at `path`, such as { y = 1, theta = "-R" }."""
    table = sheet.get(path)
    if not isinstance(table, dict):
        message = 'a table of expressions by coordinate is meant, for example { y = 1, theta = "-R" }'
        sheet.fault(path, f"{words(path)} is {shown(table)}, {message}")
        return {}
    for key in table:
        if key not in names and not sheet.names_at_fault:
            sheet.fault((*path, key), f"{words((*path, key))} is {otherwise}{sheet.near(key, names)}")
    return {names[key]: sheet.expr((*path, key), scope) for key in table if key in names}
