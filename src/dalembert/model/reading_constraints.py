"""The constraints of a model file and their natures; faults are kept in the sheet."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr

from dalembert.model.clock import time
from dalembert.model.constraints import Constraint, Differential, Holonomic, Nonholonomic
from dalembert.model.grammar import Scope
from dalembert.model.natures import Coulomb, Ideal, Nature, Prescribed, Quadratic, Viscous
from dalembert.model.places import Path
from dalembert.model.sheet import ABSENT, Sheet, shown, words

KINDS: dict[str, Callable[[Any, str, Nature], Constraint]] = {
    "holonomic": Holonomic,
    "nonholonomic": Nonholonomic,
    "differential": Differential,
}
MAX_CONSTRAINTS = 1_000  # of one file
NATURES = ("ideal", "prescribed", "viscous", "quadratic", "coulomb")


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
    known = sheet.known_keys(path, ("name", "nature", *KINDS))
    before = len(sheet.faults)
    nature = _nature(sheet, (*path, "nature"), replace(scope, reactions=True))
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) != 1:
        said = f"is {' and '.join(kinds)} at once" if kinds else "does not say what it is"
        if kinds or known:
            sheet.fault(path, f"{words(path)} {said}; give one of {', '.join(KINDS)}")
        return None
    place = (*path, kinds[0])
    if kinds[0] == "differential":
        stated: Any = _by_name(sheet, place, {**scope.coordinates, "t": time()}, "neither a coordinate nor t", scope)
    else:
        stated = sheet.expr(place, replace(scope, velocities=kinds[0] == "nonholonomic"))
    if sheet.names_at_fault or len(sheet.faults) > before:
        return None
    return sheet.built(lambda: KINDS[kinds[0]](stated, name, nature), place)


def _nature(sheet: Sheet, path: Path, scope: Scope) -> Nature:
    value = sheet.get(path)
    if value is ABSENT or value == "ideal":
        return Ideal()
    example = 'for example nature = { coulomb = "mu" }'
    if not isinstance(value, dict):
        hint = f"; give a table with one of {', '.join(NATURES[1:])}, {example}"
        sheet.fault(path, f"{words(path)} is {shown(value)}{hint}")
        return Ideal()
    known = sheet.known_keys(path, (*NATURES, "static"))
    kinds = [kind for kind in NATURES if kind in value]
    if len(kinds) != 1:
        said = f"is {' and '.join(kinds)} at once" if kinds else "does not say what it is"
        if kinds or known:
            sheet.fault(path, f"{words(path)} {said}; give one of {', '.join(NATURES)}, {example}")
        return Ideal()
    if "static" in value and kinds != ["coulomb"]:
        sheet.fault((*path, "static"), f"{words((*path, 'static'))} goes with coulomb, not with {kinds[0]}")
    place = (*path, kinds[0])
    if kinds[0] == "ideal":
        return Ideal()
    if kinds[0] == "prescribed":
        return _prescribed(sheet, place, scope)
    before = len(sheet.faults)
    coefficient = sheet.expr(place, scope)
    static = sheet.expr((*path, "static"), scope) if kinds == ["coulomb"] and "static" in value else None
    if len(sheet.faults) > before:
        return Ideal()
    if kinds[0] == "coulomb":
        return sheet.built(lambda: Coulomb(coefficient, static), place) or Ideal()
    drag = Viscous if kinds[0] == "viscous" else Quadratic
    return sheet.built(lambda: drag(coefficient), place) or Ideal()


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
