"""How expressions are written: LaTeX, Unicode drawings, and the plain notation of model files, within a width."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Any
from unicodedata import combining

from sympy import Expr

from dalembert.model import ModelError, name_of
from dalembert.model.writing import write


def latex(value: Any) -> str:
    """LaTeX of an expression or a matrix, with dots for time derivatives."""
    from dalembert.show.printers import Latex

    return str(Latex().doprint(value))


def pretty(value: Expr) -> str:
    """Unicode text of an expression on one line or several."""
    from dalembert.show.printers import Pretty

    return str(Pretty().doprint(value))


def plain(value: Expr) -> str:
    """Text in the notation of model files, x' a velocity; SymPy's own where a model file could not say it."""
    try:
        return write(value)
    except ModelError:
        from dalembert.show.printers import Text

        return str(Text().doprint(value))


def drawn(label: str, value: Any, width: int) -> str | None:
    """`label = value` as a drawing in two dimensions, or None where it is wider than `width`."""
    from sympy.printing.pretty.stringpict import prettyForm, stringPict

    from dalembert.show.printers import Pretty

    picture = Pretty()._print(value)
    whole = prettyForm(*stringPict.next(prettyForm(f"{label} = "), picture))
    lines = [line.rstrip() for line in str(whole).splitlines()]
    return "\n".join(lines) if max(map(columns, lines)) <= width else None


def flat(label: str, value: Expr, width: int) -> str:
    """`label = value` on lines of at most `width` columns, broken between operations."""
    return wrapped(f"{label} = {plain(value)}", width, "    ")


def wrapped(text: str, width: int, indent: str = "") -> str:
    """A text on lines of at most `width` columns, the later ones indented; long words give way at operators."""
    lines: list[str] = []
    for line in wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False):
        lines += _broken(line, width, indent)
    return "\n".join(lines)


def _broken(line: str, width: int, indent: str) -> Iterator[str]:
    while columns(line) > width:
        places = [i for i in range(len(indent) + 1, width) if line[i] in "*/)," and line[i + 1 : i + 2] != "*"]
        cut = places[-1] + 1 if places else width
        yield line[:cut].rstrip()
        line = indent + line[cut:].lstrip()
    yield line


def columns(text: str) -> int:
    """How many columns a line takes on a terminal: a dot over a letter takes none."""
    return sum(not combining(c) for c in text)


def coordinate_names(coordinates: tuple[Expr, ...]) -> list[str]:
    """The coordinates as labels of text: Greek letters as such."""
    return [pretty(q) if "\n" not in pretty(q) else name_of(q) for q in coordinates]
