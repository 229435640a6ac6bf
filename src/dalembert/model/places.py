"""Where each key and value of a TOML text stands, so that an error can point at it.

`tomllib` reads values without their places. This walks a text that `tomllib` has accepted once more, reading no more
of it than is needed to know which key or value begins where.
"""

import re
from functools import cached_property
from typing import NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]  # ("constraints", 0, "holonomic"); indices from 0

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}\n#]+")
_STRING = re.compile(
    r'''"""(?:[^\\]|\\.)*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:'{0,2})|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'''', re.DOTALL
)
_PIECE = re.compile(r"\\[ \t]*\n[ \t\n]*|\\u.{4}|\\U.{8}|\\x..|\\.|.", re.DOTALL)  # one character as it is written
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}


class Place(NamedTuple):
    """A place in a text, counted from 1."""

    line: int
    column: int


def place_of(text: str, offset: int) -> Place:
    """The place of the character at `offset`."""
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


class Places:
    """The places of the keys and values of `text`, which is valid TOML with lines that end in "\\n"."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._keys: dict[Path, int] = {}
        self._values: dict[Path, int] = {}
        self._tables: dict[Path, int] = {}  # how many [[...]] there were so far

    @cached_property
    def _scanned(self) -> bool:
        """Whether the text could be walked through; if not, places are known as far as it went."""
        try:
            at = self._skip(0)
            table: Path = ()
            while at < len(self._text):
                if self._text[at] == "[":
                    at, table = self._header(at)
                else:
                    at = self._pair(at, table)
                at = self._skip(at)
        except (RecursionError, IndexError):
            return False
        return True

    def offset(self, path: Path) -> int | None:
        """Where the key at `path` begins, or the nearest table or list around it that has a place."""
        _ = self._scanned
        for length in range(len(path), 0, -1):
            for known in (self._keys, self._values):
                if path[:length] in known:
                    return known[path[:length]]
        return None

    def within(self, path: Path, index: int) -> int | None:
        """Where character `index` of the text value at `path` stands in the file, escapes and quotes counted."""
        _ = self._scanned
        at = self._values.get(path)
        if at is None or self._text[at] not in "'\"":
            return at
        quote = self._text[at]
        if self._text.startswith(quote * 3, at):
            at += 4 if self._text.startswith("\n", at + 3) else 3
        else:
            at += 1
        if quote == "'":
            return at + index
        while True:
            piece = _match(_PIECE, self._text, at)
            joined = piece[0] == "\\" and piece[1] in " \t\n"  # a line that is continued is no character
            if index == 0 and not joined:
                return at
            at += len(piece)
            index -= not joined

    # -- the walk -----------------------------------------------------------------------------------------

    def _skip(self, at: int) -> int:
        return at + len(_match(_BLANK, self._text, at))

    def _header(self, at: int) -> tuple[int, Path]:
        """[a.b] or [[a.b]]: where it ends, and the path of the table it opens."""
        double = self._text.startswith("[[", at)
        end, names = self._key(at + 1 + double)
        path: Path = ()
        for name in names:
            if path in self._tables:
                path += (self._tables[path] - 1,)
            path += (name,)
            self._keys.setdefault(path, at)
        if double:
            self._tables[path] = self._tables.get(path, 0) + 1
            path += (self._tables[path] - 1,)
        self._keys[path] = at
        return end + 1 + double, path

    def _pair(self, at: int, table: Path) -> int:
        """a.b = value: where it ends."""
        end, names = self._key(at)
        path = table
        for name in names:
            path += (name,)
            self._keys.setdefault(path, at)
        return self._value(self._skip(end + 1), path)

    def _key(self, at: int) -> tuple[int, Path]:
        names: list[str] = []
        while True:
            at = self._skip(at)
            quoted = self._text[at] in "'\""
            found = _match(_STRING if quoted else _NAME, self._text, at)
            names.append(_unquoted(found) if quoted else found)
            at = self._skip(at + len(found))
            if self._text[at] != ".":
                return at, tuple(names)
            at += 1

    def _value(self, at: int, path: Path) -> int:
        self._values[path] = at
        first = self._text[at]
        if first in "'\"":
            return at + len(_match(_STRING, self._text, at))
        if first not in "[{":
            return at + len(_match(_SCALAR, self._text, at))
        at, index = self._skip(at + 1), 0
        while self._text[at] not in "]}":
            if self._text[at] == ",":
                at += 1
            elif first == "{":
                at = self._pair(at, path)
            else:
                at = self._value(at, (*path, index))
                index += 1
            at = self._skip(at)
        return at + 1


def _match(pattern: re.Pattern[str], text: str, at: int) -> str:
    found = pattern.match(text, at)
    if found is None:
        raise IndexError(at)
    return found.group()


def _unquoted(key: str) -> str:
    if key[0] == "'":
        return key[1:-1]
    return "".join(_character(piece) for piece in _PIECE.findall(key[1:-1]))


def _character(piece: str) -> str:
    if piece[0] != "\\":
        return piece
    return chr(int(piece[2:], 16)) if piece[1] in "uUx" else _ESCAPES.get(piece[1], piece[1])
