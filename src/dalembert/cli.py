"""The command line: parse, call, print.

Nothing heavy is imported until a command runs, so that help and shell completion are instant.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from dalembert import __version__, gallery

if TYPE_CHECKING:
    from dalembert.system import System

FAILED, WRONG_INPUT = 1, 2

app = typer.Typer(
    name="dalembert",
    help="Constrained mechanical systems: state them, derive the explicit equation of motion, prove it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _complete(incomplete: str) -> list[str]:
    return [name for name in gallery.names() if name.startswith(incomplete)]


Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, or a name of the gallery.", autocompletion=_complete)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    if version:
        print(f"dalembert {__version__}")
        raise typer.Exit


@app.command()
def derive(
    model: Model,
    json: Json = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX instead of Unicode text.")] = False,
) -> None:
    """Print the explicit equation of motion of MODEL."""
    with _answering(json):
        system = _load(model)
        equations = system.equations()
        if json:
            _print_json({"model": model, "name": system.name, "equations": equations.as_dict()})
        elif latex:
            print(equations.latex())
        else:
            print(f"{system.name or model}\n\n{equations.text(_width())}")


@app.command()
def check(model: Model, json: Json = False) -> None:
    """Validate MODEL and prove its equation of motion at the start by every principle."""
    with _answering(json):
        system = _load(model)
        finding = system.check()
        if json:
            _print_json({"model": model, "name": system.name, **finding.as_dict()})
        else:
            print(f"{system.name or model}\n\n{finding.text()}")
        if not finding.passed:
            raise typer.Exit(FAILED)


@app.command("gallery")
def show_gallery(
    name: Annotated[
        str | None, typer.Argument(help="Print this model's file.", autocompletion=_complete, show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """List the ready models, or print one of them."""
    with _answering(json):
        if name is not None:
            text = _find(name, only_gallery=True).read_text(encoding="utf-8")
            _print_json({"model": name, "text": text}) if json else print(text, end="")
            return
        titles = {each: _title(gallery.path(each)) for each in gallery.names()}
        if json:
            _print_json({"models": [{"model": each, "name": title} for each, title in titles.items()]})
            return
        width = max(map(len, titles))
        print("\n".join(f"{each:<{width}}  {title}" for each, title in titles.items()))


def _title(path: Path) -> str:
    import tomllib

    return str(tomllib.loads(path.read_text(encoding="utf-8"))["name"])


def _find(model: str, only_gallery: bool = False) -> Path:
    """The file of a model: a path, or else a name of the gallery."""
    if not only_gallery and Path(model).is_file():
        return Path(model)
    try:
        return gallery.path(model)
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(model, gallery.names(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f" ({', '.join(gallery.names())})"
        what = "the gallery has no model" if only_gallery else "there is no file and no gallery model"
        raise _Refused(f"{what} {model!r}{hint}") from None


def _load(model: str) -> "System":
    from dalembert.system import System

    return System.load(_find(model))


class _Refused(Exception):
    """Input the command line cannot use; the message says why."""


@contextmanager
def _answering(json: bool) -> Iterator[None]:
    """Turn what the rooms raise into a message on stderr (or a JSON document) and an exit code."""
    from dalembert import ContradictionError, InstantError, MassError, ModelError

    try:
        yield
    except (ModelError, _Refused, OSError) as error:
        _fail(error, WRONG_INPUT, json)
    except (ContradictionError, MassError, InstantError) as error:
        _fail(error, FAILED, json)


def _fail(error: Exception, code: int, json: bool) -> NoReturn:
    if json:
        faults = list(getattr(error, "faults", ())) or [str(error)]
        _print_json({"error": type(error).__name__.lstrip("_"), "message": str(error), "faults": faults})
    else:
        print(f"dalembert: {error}", file=sys.stderr)
    raise typer.Exit(code) from None


def _print_json(document: dict[str, Any]) -> None:
    from json import dumps

    print(dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def _width() -> int:
    from shutil import get_terminal_size

    return max(60, get_terminal_size((110, 24)).columns - 1)


def main() -> None:
    """The `dalembert` command."""
    app()
