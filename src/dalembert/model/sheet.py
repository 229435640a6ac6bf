"""The table of a model file, read by path; whatever is wrong with it is kept as a fault with its line."""

import math
import re
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

from sympy import Expr, Integer

from dalembert.model.errors import ModelError
from dalembert.model.grammar import RESERVED, ExpressionError, Scope, caret, parse
from dalembert.model.nodes import Nodes
from dalembert.model.places import Path, Places, place_of

T = TypeVar("T")

MAX_FAULTS = 40  # of one file; reading ends there
MAX_HINTS = 10  # suggestions of a name that was perhaps meant: they take long to find
MAX_EXPRESSIONS = 4_000  # of one file, numbers counted
MAX_LENGTH = 60_000  # characters of all expressions of one file
MAX_WORK = 20_000  # terms and factors read while they are built

ABSENT: Any = None  # TOML has no null


class TooMany(Exception):
    """There are so many faults, or so much to read, that reading on helps nobody."""


class Sheet:
    """The values of a model file by path, such as ("constraints", 0, "name"), and the faults met so far."""

    def __init__(self, text: str, table: Mapping[str, Any]) -> None:
        self.text, self.table = text, table
        self.faults: dict[str, int] = {}  # with their offsets in the text
        self.places = Places(text)
        self.names_at_fault = False  # an expression with a name that is unknown is then no fault of its own
        self._nodes = Nodes(MAX_WORK)
        self._expressions = self._length = 0
        self._hints = 0

    # -- faults -------------------------------------------------------------------------------------------

    def fault(self, path: Path, message: str) -> None:
        """Keep a fault of what stands at `path`."""
        offset = self.places.offset(path)
        self._keep(message if offset is None else f"line {place_of(self.text, offset).line}: {message}", offset)

    def fault_at(self, offset: int, path: Path, message: str) -> None:
        """Keep a fault of one character of the file, with a caret under it."""
        line, column = place_of(self.text, offset)
        shown = caret(self.text, line, column)
        self._keep(f"line {line}, column {column}, in {words(path)}: {message}\n{shown}", offset)

    def _keep(self, fault: str, offset: int | None) -> None:
        if len(self.faults) == MAX_FAULTS and fault not in self.faults:
            self.faults["there are more faults; correct these first"] = len(self.text)
            raise TooMany
        self.faults.setdefault(fault, -1 if offset is None else offset)

    def ordered_faults(self) -> list[str]:
        """The faults in the order of the file; first those of the file as a whole."""
        return sorted(self.faults, key=self.faults.__getitem__)

    def near(self, name: str, among: Collection[str]) -> str:
        """A suggestion of what was perhaps meant by `name`, to end a message with."""
        self._hints += 1
        if self._hints > MAX_HINTS or len(name) > 80:
            return ""
        close = get_close_matches(name, list(among)[:1000], n=1)
        return f"; did you mean {close[0]!r}?" if close else ""

    @staticmethod
    def _misplaced(path: Path) -> str:
        """A hint for a key of the file that stands below the heading of a table."""
        key = path[-1]
        return (
            f": {key} belongs above the first [heading]"
            if len(path) > 1 and key in ("coordinates", "lagrangian", "symbols")
            else ""
        )

    # -- values -------------------------------------------------------------------------------------------

    def get(self, path: Path) -> Any:
        """What stands at `path`, or ABSENT."""
        value: Any = self.table
        for step in path:
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) and step < len(value) else ABSENT
            else:
                value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
        return value

    def texts(self, path: Path) -> dict[str, Any]:
        """The table at `path`, empty where there is none."""
        value = self.get(path)
        if isinstance(value, dict) or value is ABSENT:
            return value or {}
        hint = ""
        if path in (("parameters",), ("start",), ("run",), ("forces",), ("assumptions",)):
            hint = f": write [{path[0]}] on a line of its own and name = value below it"
        self.fault(path, f"{words(path)} is {shown(value)}, a table is meant{hint}")
        return {}

    def items(self, path: Path, of: str = "") -> list[Any]:
        """The list at `path`, empty where there is none."""
        value = self.get(path)
        if isinstance(value, list) or value is ABSENT:
            return value or []
        hint = f": write [[{path[0]}]] above each" if path in (("constraints",), ("particles",)) else ""
        self.fault(path, f"{words(path)} is {shown(value)}, a list {of}is meant{hint}")
        return []

    def words_at(self, path: Path) -> str:
        """The text at `path`, empty where there is none."""
        value = self.get(path)
        if isinstance(value, str) or value is ABSENT:
            return value or ""
        self.fault(path, f"{words(path)} is {shown(value)}, a text in quotes is meant")
        return ""

    def number(self, path: Path) -> float | None:
        """The finite number at `path`, or None."""
        value = self.get(path)
        if value is ABSENT:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            hint = self._misplaced(path) or (" (without quotes)" if isinstance(value, str) else "")
            self.fault(path, f"{words(path)} is {shown(value)}, a number is meant{hint}")
            return None
        if not finite(value):
            self.fault(path, f"{words(path)} is {shown(value)}, a finite number is meant")
            return None
        return float(value)

    def expr(self, path: Path, scope: Scope) -> Expr:
        """The number or expression at `path`; zero stands in for one that is at fault."""
        value = self.get(path)
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            self.fault(path, f"{words(path)} is {shown(value)}, an expression in quotes or a number is meant")
        elif not isinstance(value, str) and not finite(value):
            self.fault(path, f"{words(path)} is {shown(value)}, a finite number is meant")
        else:
            return self._parsed(value if isinstance(value, str) else repr(value), path, scope)
        return Integer(0)

    def _parsed(self, text: str, path: Path, scope: Scope) -> Expr:
        self._expressions += 1
        self._length += len(text)
        if self._expressions > MAX_EXPRESSIONS:
            self.stop(path, f"at most {MAX_EXPRESSIONS} expressions of one file are read")
        if self._length > MAX_LENGTH:
            self.stop(path, f"the expressions of one file are read up to {MAX_LENGTH} characters in all")
        try:
            return parse(text, scope, self._nodes)
        except ExpressionError as error:
            if self._nodes.spent:
                self.stop(path, "the expressions of this file, up to here, take too much work to build")
            self._locate(error, path, scope)
        return Integer(0)

    def stop(self, path: Path, message: str) -> NoReturn:
        """Keep this fault and read no further."""
        self.fault(path, f"{words(path)}: {message}; make the model smaller")
        raise TooMany

    def _locate(self, error: ExpressionError, path: Path, scope: Scope) -> None:
        """Keep the fault of an expression, with its place in the file."""
        lines = error.text.split("\n")
        index = sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1
        if self.names_at_fault and _is_unknown(error.text[index:], scope):
            return
        offset = self.places.within(path, index)
        if offset is None:
            self.fault(path, f"in {words(path)}: {error.faults[0]}")
        else:
            self.fault_at(offset, path, error.message)

    def built(self, make: Callable[[], T], path: Path) -> T | None:
        """What `make` makes; its faults are faults of `path`."""
        try:
            return make()
        except ModelError as error:
            for fault in error.faults:
                self.fault(path, f"{words(path)}: {fault}")
            return None

    def known_keys(self, path: Path, keys: tuple[str, ...], where: str = "") -> bool:
        """Whether every key of the table at `path` is among `keys`; each other is a fault."""
        unknown = [key for key in self.texts(path) if key not in keys]
        for key in unknown:
            among = f"in {where or words(path)}"
            hint = self._misplaced((*path, key)) or self.near(key, keys) or f"; known are {', '.join(keys)}"
            self.fault((*path, key), f"unknown key {short(key)!r} {among}{hint}")
        return not unknown


def words(path: Path) -> str:
    """A path as people write it, counted from 1: constraints[1].name."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step + 1}]"
        else:
            text += ("." if text else "") + short(step)
    return text


def shown(value: Any) -> str:
    """A value much as the file has it, in a few characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {short(value)!r}" if value else "an empty text"
    if isinstance(value, (list, Mapping)):
        return ("a list" if isinstance(value, list) else "a table") + ("" if value else " with nothing in it")
    if isinstance(value, (date, datetime, time)):
        return f"the {'time' if isinstance(value, time) else 'date'} {value.isoformat()}"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a whole number of more than 40 digits"
    return repr(value)


def short(text: str) -> str:
    """The first characters of a text."""
    return text if len(text) <= 60 else text[:57] + "..."


def finite(value: float) -> bool:
    """Whether a number is finite and as a float still is."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_unknown(text: str, scope: Scope) -> bool:
    """Whether `text` begins with a name, not that of a function, that means nothing in `scope`."""
    name = re.match(r"\w+", text)
    if name is None or text[name.end() :].lstrip().startswith("("):
        return False
    return name.group() not in RESERVED | scope.coordinates.keys() | scope.parameters.keys()
