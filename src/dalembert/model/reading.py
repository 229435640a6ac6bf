"""The parts of a model file as the arguments of the call that makes the system; faults are kept in the sheet."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sympy import Expr, Symbol
from sympy.core.facts import InconsistentAssumptions

from dalembert.model.checks import velocity
from dalembert.model.clock import function_of_time
from dalembert.model.grammar import MAX_NAME, RESERVED, Scope, is_name
from dalembert.model.inputs import run_faults
from dalembert.model.places import Path
from dalembert.model.reading_constraints import constraints
from dalembert.model.sheet import Sheet, short, shown, words
from dalembert.model.unconstrained import Particle

KEYS = (
    "name", "coordinates", "lagrangian", "forces", "mass", "impressed", "particles", "potential",
    "symbols", "parameters", "assumptions", "constraints", "start", "run",
)  # fmt: skip
ASSUMPTIONS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero", "real", "integer")
MAX_COORDINATES = 2_000  # of one file
WAYS = {"lagrangian": ("coordinates", "forces"), "mass": ("coordinates", "impressed"), "particles": ("potential",)}


class Arguments(NamedTuple):
    """Which way the system is stated, a key of WAYS, what that way is called with, and how the system is moved."""

    way: str
    given: dict[str, Any]
    run: dict[str, Any]


def arguments(sheet: Sheet) -> Arguments | None:
    """What the file says; None where it does not say in which way the system is stated."""
    sheet.known_keys((), KEYS, "the file")
    way = _way(sheet)
    names = _names(sheet, way)
    scope = Scope(names.coordinates, names.parameters, _labels(sheet))
    common = {
        "name": sheet.words_at(("name",)),
        "parameters": _values(sheet, names.parameters),
        "initial": _start(sheet, names),
        "until": sheet.number(("run", "until")) if sheet.texts(("run",)) else None,
        "constraints": constraints(sheet, scope),
    }
    sheet.known_keys(("run",), ("until", "tolerance", "engine"))
    run = _run(sheet)
    if way is None:
        return None
    own = {"lagrangian": _lagrangian, "mass": _mass, "particles": _particles}[way](sheet, scope)
    return Arguments(way, own | common, run)


def _way(sheet: Sheet) -> str | None:
    ways = [way for way in WAYS if way in sheet.table]
    if len(ways) != 1:
        said = f"this one has {' and '.join(ways)}" if ways else "this one has none of them"
        sheet.fault((), f"a file states the system by lagrangian, by mass and impressed, or by particles; {said}")
        return None
    for other, keys in WAYS.items():
        for key in keys:
            if key in sheet.table and key not in WAYS[ways[0]]:
                hint = ": the positions of the particles give them" if key == "coordinates" else f", but with {other}"
                sheet.fault((key,), f"{key} does not go with {ways[0]}{hint}")
    return ways[0]


def _run(sheet: Sheet) -> dict[str, Any]:
    """How the system is moved where nothing else is asked, besides until when."""
    if not sheet.texts(("run",)):
        return {}
    given = {"tolerance": sheet.number(("run", "tolerance")), "engine": sheet.words_at(("run", "engine")) or None}
    for key, value in given.items():
        for fault in run_faults(**{"until": None, "tolerance": None, "engine": None, key: value}):
            sheet.fault(("run", key), fault)
    return given


# -- names ----------------------------------------------------------------------------------------------------


class _Names(NamedTuple):
    coordinates: dict[str, Expr]
    parameters: dict[str, Symbol]


def _names(sheet: Sheet, way: str | None) -> _Names:
    """Coordinates and parameters, from which every expression is read."""
    before = len(sheet.faults)
    listed = _positions(sheet) if way == "particles" else _elements(sheet, ("coordinates",), "of names ")
    if len(listed) > MAX_COORDINATES:
        sheet.stop(listed[-1][0][:1], f"there are {len(listed)} coordinates; at most {MAX_COORDINATES} are read")
    coordinates = {name: function_of_time(name) for name in _checked(sheet, listed, "coordinate")}
    if not listed and len(sheet.faults) == before:
        hint = 'position = ["x", "y"] in each of the particles' if way == "particles" else 'coordinates = ["x", "y"]'
        sheet.fault((), f"there are no coordinates; give them by {hint}")
    valued: list[tuple[Path, Any]] = [(("parameters", name), name) for name in sheet.texts(("parameters",))]
    unvalued = _elements(sheet, ("symbols",), "of names ")
    assumed = _assumptions(sheet)
    parameters: dict[str, Symbol] = {}
    for name, path in _checked(sheet, [*valued, *unvalued], "parameter").items():
        if name in coordinates:
            sheet.fault(path, f"{name} is both a coordinate and a parameter")
        try:
            parameters[name] = Symbol(name, **assumed.pop(name, {"real": True}))
        except InconsistentAssumptions:
            sheet.fault(path, f"the assumptions about {name} contradict one another")
    sheet.names_at_fault = len(sheet.faults) > before
    for name in () if sheet.names_at_fault else assumed:
        hint = sheet.near(name, parameters)
        path = ("assumptions", *list(assumed[name] or ["none"])[:1])
        sheet.fault(path, f"{words(path)} names {short(name)!r}, which is not a parameter{hint}")
    return _Names(coordinates, parameters)


def _elements(sheet: Sheet, path: Path, of: str = "") -> list[tuple[Path, Any]]:
    """The elements of the list at `path`, each with its own path."""
    return [((*path, index), value) for index, value in enumerate(sheet.items(path, of))]


def _positions(sheet: Sheet) -> list[tuple[Path, Any]]:
    """The coordinates of all particles; one coordinate may stand without a list."""
    listed: list[tuple[Path, Any]] = []
    for path, _ in _elements(sheet, ("particles",), "of tables "):
        place = (*path, "position")
        value = sheet.get(place)
        listed += [(place, value)] if isinstance(value, str) else _elements(sheet, place, "of names ")
    return listed


def _checked(sheet: Sheet, listed: Iterable[tuple[Path, Any]], what: str) -> dict[str, Path]:
    """Those of the names that can be used, each with where it was first given."""
    found: dict[str, Path] = {}
    for path, name in listed:
        if not isinstance(name, str):
            sheet.fault(path, f"{words(path)} is {shown(name)}, the name of a {what} in quotes is meant")
        elif not is_name(name):
            rule = f"at most {MAX_NAME} letters, digits and _, beginning with a letter or one _"
            sheet.fault(path, f"the {what} {shown(name).removeprefix('the text ')} cannot be a name: {rule}")
        elif name in RESERVED:
            means = {"t": "the time", "pi": "the number 3.14159..."}.get(name, "a word of the expressions")
            sheet.fault(path, f"the {what} cannot be called {name!r}: that is {means}")
        elif name in found:
            sheet.fault(path, f"the {what} {name} is given twice")
        else:
            found[name] = path
    return found


def _assumptions(sheet: Sheet) -> dict[str, dict[str, bool]]:
    """What is assumed of each parameter that is named there; of all others it is that they are real."""
    sheet.known_keys(("assumptions",), (*ASSUMPTIONS, "none"))
    assumed: dict[str, dict[str, bool]] = {}
    unassumed: list[tuple[Path, str]] = []
    for key in (*ASSUMPTIONS, "none"):
        for path, name in _elements(sheet, ("assumptions", key), "of names "):
            if not isinstance(name, str):
                sheet.fault(path, f"{words(path)} is {shown(name)}, the name of a parameter in quotes is meant")
            elif key == "none":
                unassumed.append((path, name))
            else:
                assumed.setdefault(name, {})[key] = True
    for path, name in unassumed:
        if assumed.setdefault(name, {}):
            sheet.fault(path, f"{name} is named in assumptions.none and in another list of assumptions")
    return assumed


def _labels(sheet: Sheet) -> frozenset[str]:
    """What the constraints are called; unnamed ones by their place."""
    tables = sheet.table.get("constraints")
    names = [c.get("name") for c in tables if isinstance(c, dict)] if isinstance(tables, list) else []
    return frozenset(n if isinstance(n, str) and n else f"constraint {place}" for place, n in enumerate(names, 1))


# -- parts ----------------------------------------------------------------------------------------------------


def _values(sheet: Sheet, parameters: Mapping[str, Symbol]) -> dict[Symbol, float]:
    numbers = {name: sheet.number(("parameters", name)) for name in sheet.texts(("parameters",))}
    return {parameters[name]: value for name, value in numbers.items() if name in parameters and value is not None}


def _start(sheet: Sheet, names: _Names) -> dict[Expr, Expr]:
    keys = names.coordinates | {f"{name}'": velocity(q) for name, q in names.coordinates.items()}
    scope = Scope({}, names.parameters, time=False)
    start: dict[Expr, Expr] = {}
    for key in sheet.texts(("start",)):
        path = ("start", key)
        if key in keys:
            start[keys[key]] = sheet.expr(path, scope)
        elif not sheet.names_at_fault:
            sheet.fault(path, f"{words(path)} is neither a coordinate nor a velocity{sheet.near(key, keys)}")
    return start


def _lagrangian(sheet: Sheet, scope: Scope) -> dict[str, Any]:
    forces: dict[Expr, Expr] = {}
    for key in sheet.texts(("forces",)):
        if key in scope.coordinates:
            forces[scope.coordinates[key]] = sheet.expr(("forces", key), scope)
        elif not sheet.names_at_fault:
            hint = sheet.near(key, scope.coordinates)
            sheet.fault(("forces", key), f"{words(('forces', key))} is not a coordinate{hint}")
    L = sheet.expr(("lagrangian",), scope)
    return {"L": L, "coordinates": list(scope.coordinates.values()), "forces": forces}


def _mass(sheet: Sheet, scope: Scope) -> dict[str, Any]:
    n = len(scope.coordinates)
    rows = [_elements(sheet, path, "of expressions ") for path, _ in _elements(sheet, ("mass",), "of rows ")]
    forces = _elements(sheet, ("impressed",), "of expressions ")
    if not sheet.names_at_fault and isinstance(sheet.get(("mass",)), list):
        square = len(rows) == n and all(len(row) == n for row in rows)
        if not square and all(isinstance(row, list) for row in sheet.items(("mass",))):
            sheet.fault(("mass",), f"mass is not a matrix of {n} rows with {n} expressions, one for each coordinate")
        if "impressed" not in sheet.table:
            sheet.fault(("mass",), "mass needs impressed, the list of forces Q, one for each coordinate")
        elif len(forces) != n and isinstance(sheet.get(("impressed",)), list):
            sheet.fault(("impressed",), f"impressed has {len(forces)} forces for {n} coordinates")
    M = [[sheet.expr(path, scope) for path, _ in row] for row in rows]
    for i, row in enumerate(M):
        for j in range(min(i, len(row))):
            if j < len(M) and i < len(M[j]) and row[j] != M[j][i]:
                sheet.fault(
                    ("mass", i, j), f"mass[{i + 1}][{j + 1}] and mass[{j + 1}][{i + 1}] differ: write both alike"
                )
    return {
        "M": M,
        "Q": [sheet.expr(path, scope) for path, _ in forces],
        "coordinates": list(scope.coordinates.values()),
    }


def _particles(sheet: Sheet, scope: Scope) -> dict[str, Any]:
    points = [_particle(sheet, path, scope) for path, _ in _elements(sheet, ("particles",), "of tables ")]
    potential = sheet.expr(("potential",), scope) if "potential" in sheet.table else 0
    return {"particles": [p for p in points if p is not None], "potential": potential}


def _particle(sheet: Sheet, path: Path, scope: Scope) -> Particle | None:
    before = len(sheet.faults)
    table = sheet.texts(path)
    sheet.known_keys(path, ("mass", "position", "force"))
    for key in ("mass", "position"):
        if key not in table and isinstance(sheet.get(path), dict):
            sheet.fault(path, f"{words(path)} has no {key}")
    mass = sheet.expr((*path, "mass"), scope) if "mass" in table else None
    force = None
    if "force" in table:
        place = (*path, "force")
        listed = isinstance(table["force"], list)
        force = [sheet.expr(e, scope) for e, _ in _elements(sheet, place)] if listed else [sheet.expr(place, scope)]
    if sheet.names_at_fault or len(sheet.faults) > before:
        return None
    position = [table["position"]] if isinstance(table["position"], str) else table["position"]
    return sheet.built(lambda: Particle(mass, [scope.coordinates[x] for x in position], force), path)
