"""Model files: TOML with expressions in a grammar of our own.

Reading never evaluates anything as Python, and every fault of a file comes in one `ModelError`. The way of a text is
`tomllib`, then `sheet` (values by path, faults with their lines) and `reading` (the arguments of the call that makes
the system). `saving` is the way back.
"""

import re
import tomllib
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dalembert.model.errors import ModelError, refuse
from dalembert.model.grammar import caret
from dalembert.model.places import place_of
from dalembert.model.reading import arguments
from dalembert.model.sheet import Sheet, TooMany

if TYPE_CHECKING:
    from dalembert.model.statement import Statement

S = TypeVar("S", bound="Statement")

LARGEST = 262_144  # bytes of one model file
MAX_DOTS = 16  # names in a dotted key: what tomllib does with one grows as their square

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_DOTTED = re.compile(rf"(?<![\w-]){_PART}(?:\.[ \t]*+{_PART}){{{MAX_DOTS}}}")


def load(path: str | PathLike[str], kind: type[S]) -> S:
    """The statement in a model file; raises ModelError, with the path, where it cannot be read too."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ModelError(str(path), ["there is no such file"]) from None
    except OSError as error:
        raise ModelError(str(path), [f"the file cannot be read: {error.strerror or error}"]) from None
    if len(data) > LARGEST:
        raise ModelError(str(path), [f"the file is larger than {LARGEST} bytes, the most that is read"])
    try:
        text = data.decode("utf-8-sig")  # some editors put a mark at the beginning
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8 in the editor"
        raise ModelError(str(path), [f"the file is not UTF-8 text (byte {error.start + 1}); {hint}"]) from None
    return loads(text, kind, str(path))


def loads(text: str, kind: type[S], where: str = "model") -> S:
    """The statement in the text of a model file; `where` is what errors call it."""
    if len(text) > LARGEST:
        raise ModelError(where, [f"the text is longer than {LARGEST} characters, the most that is read"])
    text = text.replace("\r\n", "\n")
    sheet = Sheet(text, _table(text, where))
    try:
        read = arguments(sheet)
    except TooMany:
        read = None
    refuse(ModelError, where, sheet.ordered_faults())
    assert read is not None  # no faults: everything was read
    makers: dict[str, Callable[..., S]] = {
        "lagrangian": kind.from_lagrangian,
        "mass": kind.from_forces,
        "particles": kind.from_particles,
    }
    try:
        return makers[read.way](**read.given).with_run(**read.run)
    except ModelError as error:
        raise ModelError(where, error.faults) from None


def _table(text: str, where: str) -> dict[str, Any]:
    """What `tomllib` makes of the text."""
    if _DOTTED.search(text):
        raise ModelError(where, [f"more than {MAX_DOTS} names joined by dots"])
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelError(where, [_explained(str(error), text)]) from None
    except RecursionError:
        raise ModelError(where, ["not valid TOML: lists or tables are nested too deeply"]) from None
    except ValueError:  # Python converts no number of more than 4300 digits, and no year 0
        raise ModelError(where, ["not valid TOML: a number or a date that cannot be read"]) from None


def _explained(message: str, text: str) -> str:
    """The words of `tomllib` with the line they are about and what was probably meant."""
    said, _, place = message.rstrip(")").rpartition(" (at ")
    if found := re.fullmatch(r"line (\d+), column (\d+)", place):
        line, column = map(int, found.groups())
    else:  # "at end of document"
        line, column = place_of(text, len(text))
    content = text.split("\n")[line - 1]
    hints = [hint for begins, line_has, hint in _MEANT if said.startswith(begins) and re.search(line_has, content)]
    said = "the closing quote is missing" if said in _UNCLOSED else said[:1].lower() + said[1:]
    said += "".join(f"; {hint}" for hint in hints[:1])
    return f"line {line}, column {column}: not valid TOML: {said}\n{caret(text, line, column)}"


_UNCLOSED = ("Unterminated string", "Illegal character '\\n'", "Expected \"'''\"", 'Expected \'"""\'')
_MEANT = (  # how the message begins, what the line has in it, what was probably meant
    ("Invalid value", "", "an expression or a text stands in quotes, a number begins with a digit"),
    ("Expected '=' after a key", "^[^=]*'", 'a velocity before = stands in quotes: "x\'" = 1'),
    ("Expected '=' after a key", "", "a line is a heading [name] or name = value"),
    ("Expected newline", r"^[^=]*=\s*'", "an expression with a velocity x' stands in double quotes"),
    ("Expected newline", r"^[^=]*=\s*[+-]?\d+,\d", "a decimal is written with a point: 0.5"),
    ("Expected newline", "", "nothing but a comment can stand after the value"),
    ("Invalid statement", r"^\s*[^\W\d_a-zA-Z]", "before = a name with letters beyond a to z stands in quotes"),
    ("Invalid statement", "", "a line is a heading [name] or name = value"),
    ("Cannot overwrite", "", "the name before it is given twice"),
    ("Cannot declare", r"^\s*\[\s*(constraints|particles)", "each of several has its heading in [[ ]]"),
    ("Cannot declare", "", "headings must differ"),
    ("Unescaped", "", "expressions need no backslash: write alpha or α"),
)
