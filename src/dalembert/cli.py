"""The command line: parse, call, print.

Nothing heavy is imported until a command runs, so that help and shell completion are instant.
"""

import gc
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from dalembert import __version__, gallery

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from dalembert.system import System

DONE, FAILED, WRONG_INPUT = 0, 1, 2
GARBAGE = 50_000  # new objects before cycles are looked for: what is imported is none, and there is much of it


def _names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in gallery.names() if name.startswith(begun)]


def _names_or_files(
    context: click.Context, parameter: click.Parameter, begun: str
) -> "list[str] | list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return _names(context, parameter, begun) or [CompletionItem(begun, type="file")]


class _Stated(click.Group):
    """Commands in the order in which they are stated, not by the alphabet."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self.commands)


_model = click.argument("model", help="A model file, or a name of the gallery.", shell_complete=_names_or_files)
_json = click.option("--json", is_flag=True, help="Print one JSON document and nothing else.")


class _Path(click.Path):
    """A path that was given: an empty one would stand for the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the name is empty; a dot stands for the current folder", param, ctx)
        return super().convert(value, param, ctx)


_path = _Path(path_type=Path)


@click.group("dalembert", _Stated, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="dalembert %(version)s", help="Print the version and leave.")
def app() -> None:
    """Constrained mechanical systems: state them, derive the explicit equation of motion, prove it."""


@app.command("run")
@_model
@click.option("--until", type=float, metavar="T", help="The time to move until.")
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="Another value of a parameter; may be repeated."
)
@click.option("--tolerance", type=float, metavar="X", help="Relative error of a step. [usual: 2.2e-16]")
@click.option("--samples", type=int, metavar="N", help="How many times to keep, and print with --json.")
@click.option("--engine", metavar="taylor|plain", help="Compiled, or SciPy's (slow).")
@click.option("-o", "--output", type=_path, metavar="DIR", help="Keep data, summary and model in DIR.")
@click.option("--plot", type=_path, metavar="FILE", help="Draw the motion: .png, .svg or .pdf.")
@click.option("--verify", is_flag=True, help="Certify the motion from beginning to end.")
@_json
def run_model(
    model: str,
    until: float | None,
    changes: tuple[str, ...],
    tolerance: float | None,
    samples: int | None,
    engine: str | None,
    output: Path | None,
    plot: Path | None,
    verify: bool,
    json: bool,
) -> None:
    """Move MODEL from its start and say what happened."""
    with _answering(json):
        system = _load(model)
        from dalembert.cli_run import Wanted, document, keep, move
        from dalembert.show import Summary

        wanted = Wanted(model, _find(model), until, changes, tolerance, samples, engine, output, plot)
        motion = move(system, wanted)
        summary = Summary.of(motion)
        certificate = motion.verify() if verify else None
        kept = keep(motion, summary, wanted, certificate)
        if json:
            _print_json({**document(motion, summary, wanted, certificate), "saved": kept})
        else:
            width = _width()
            print(f"{system.name or model}\n\n{summary.stated(width)}")
            print(f"  in full: dalembert derive {model}\n\n{summary.happened(width)}")
            if certificate is not None:
                print(f"\n{_fitted(certificate.text(), width)}")
            print("".join(f"saved {name}\n" for name in kept), end="")
        if not motion.status.ok or not (certificate is None or certificate.passed):
            raise click.exceptions.Exit(FAILED)


@app.command()
@_model
@_json
@click.option("--latex", is_flag=True, help="Print LaTeX instead of Unicode text.")
def derive(model: str, json: bool, latex: bool) -> None:
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
@_model
@click.option("--figure", type=_path, metavar="FILE", help="Draw the geometry at the start: .png, .svg or .pdf.")
@click.option("--along", is_flag=True, help="Move it too, and certify the motion from beginning to end.")
@_json
def check(model: str, figure: Path | None, along: bool, json: bool) -> None:
    """Say what MODEL's constraints are; prove its start."""
    with _answering(json):
        system = _load(model)
        saved = [] if figure is None else [_drawn(system, figure)]
        kinds, finding = system.classify(), system.check()
        motion = system.simulate(throw=False) if along and finding.passed else None
        certificate = None if motion is None else motion.verify()
        if json:
            document = {"model": model, "name": system.name, "classification": kinds.as_dict(), **finding.as_dict()}
            told = {"along": None if certificate is None else certificate.as_dict()} if along else {}
            _print_json({**document, **told, "saved": saved})
        else:
            stated = f"{kinds.text(_width())}\n\n" if system.constraints else ""
            print(f"{system.name or model}\n\n{stated}{finding.text(_width())}")
            if along:
                none = "There is no motion to certify: the start does not pass."
                print(f"\n{none if certificate is None else _fitted(certificate.text(), _width())}")
            print("".join(f"saved {name}\n" for name in saved), end="")
        moved = motion is None or (motion.status.ok and certificate is not None and certificate.passed)
        if not finding.passed or not moved:
            raise click.exceptions.Exit(FAILED)


def _fitted(text: str, width: int) -> str:
    """A certificate on lines of at most so many columns."""
    from dalembert.show.finding import fitted

    return "\n".join(fitted(line, width) for line in text.splitlines())


def _drawn(system: "System", picture: Path) -> str:
    """Draw the geometry of a system at its start to a file; its name."""
    from dalembert.cli_run import picture_faults
    from dalembert.model import ModelError, refuse

    refuse(ModelError, "check", picture_faults("--figure", picture))
    system.figure().savefig(picture)
    return str(picture)


@app.command("reduce")
@_model
@click.option(
    "--with",
    "embedding",
    multiple=True,
    metavar="EMBEDDING",
    help="Old coordinates by new ones, 'x = R*cos(theta); y = R*sin(theta)', or a file with that.",
)
@click.option("--coordinates", default="", metavar="NAMES", help="The new coordinates in order, with commas.")
@click.option("--keep", multiple=True, metavar="NAME", help="A holonomic constraint that stays; may be repeated.")
@click.option("-o", "--output", type=_path, metavar="FILE", help="Write the reduced model to a .toml file.")
@click.option("--force", is_flag=True, help="Write over a file that is there already; never over MODEL.")
@_json
def reduce_model(
    model: str,
    embedding: tuple[str, ...],
    coordinates: str,
    keep: tuple[str, ...],
    output: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Put MODEL into generalized coordinates."""
    with _answering(json):
        system = _load(model)
        from dalembert.cli_reduce import reduced

        found = reduced(system, embedding, coordinates, keep, output, model=model, force=force)
        saved = [] if output is None else [str(output)]
        if json:
            _print_json({"model": model, "name": system.name, **found.as_dict(), "saved": saved})
        else:
            print(f"{system.name or model}\n\n{found.text(_width())}")
            print("".join(f"saved {name}\n" for name in saved), end="")


@app.command("gallery")
@click.argument("name", required=False, help="Print this model's file.", shell_complete=_names)
@_json
def show_gallery(name: str | None, json: bool) -> None:
    """List the ready models, or print one of them."""
    with _answering(json):
        if name is not None:
            text = _in_gallery(name).read_text(encoding="utf-8")
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


def _load(model: str) -> "System":
    file = _find(model)
    from dalembert.system import System

    return System.load(file)


def _find(model: str) -> Path:
    """The file of a model: a path, or else a name of the gallery."""
    file = Path(model)
    try:
        if model and file.exists() and not file.is_dir():
            return file
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise _Refused(f"{model!r} cannot be read: {error.strerror or error}") from None
    if model and file.is_dir() and model not in gallery.names():
        raise _Refused(f"{model!r} is a directory; a model is a file")
    return _in_gallery(model, "there is no file and no gallery model")


def _in_gallery(name: str, otherwise: str = "the gallery has no model") -> Path:
    try:
        return gallery.path(name)
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(Path(name).name.lower(), gallery.names(), n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"the gallery has {', '.join(gallery.names())}"
        raise _Refused(f"{otherwise} {name!r}; {hint}") from None


class _Refused(Exception):
    """Input the command line cannot use; the message says why."""


@contextmanager
def _answering(json: bool) -> Iterator[None]:
    """Turn what the rooms raise into a message on stderr (or a JSON document) and an exit code."""
    try:
        yield
    except _Refused as error:
        _fail(error, WRONG_INPUT, json)
    except ValueError as error:  # every error of the rooms is one; they are imported by now, if they were raised
        from dalembert import ContradictionError, InstantError, MassError, ModelError

        if isinstance(error, ModelError):
            _fail(error, WRONG_INPUT, json)
        if isinstance(error, (ContradictionError, MassError, InstantError)):
            _fail(error, FAILED, json)
        raise


def _fail(error: Exception, code: int, json: bool) -> NoReturn:
    _report(type(error).__name__.lstrip("_"), str(error), getattr(error, "faults", ()), json)
    raise click.exceptions.Exit(code) from None


def _report(kind: str, message: str, faults: Sequence[str], json: bool) -> None:
    if json:
        _print_json({"error": kind, "message": message, "faults": list(faults) or [message]})
    else:
        print(f"dalembert: {message}", file=sys.stderr)


def _print_json(document: dict[str, Any]) -> None:
    from json import dumps

    plain = "utf" not in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    print(dumps(document, ensure_ascii=plain, indent=2, allow_nan=False))


def _width() -> int:
    from shutil import get_terminal_size

    return max(40, get_terminal_size((110, 24)).columns - 1)


def _told(message: Warning | str, *_: object, **__: object) -> str:
    """A warning as the command line says it: without the place in the code."""
    return f"dalembert: {message}\n"


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments ask and return the exit code; nothing that happens ends in silence or a stray traceback."""
    json = "--json" in arguments
    try:
        try:
            code = app(list(arguments), prog_name="dalembert", standalone_mode=False)
        except click.ClickException as error:  # a wrong option or argument
            if not json:
                error.show()
            else:
                _report("UsageError", error.format_message(), (), json)
            code = error.exit_code
        except click.Abort:
            _report("Stopped", "stopped", (), json)
            code = FAILED
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain when it ends
        return FAILED
    except OSError as error:  # what was asked is done, but cannot be written
        where = f": {error.filename}" if error.filename else ""
        _report("OSError", f"{error.strerror or error}{where}", (), False)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if not json:
            raise
        _report(type(error).__name__, f"a fault of dalembert itself: {error}", (), json)
        return FAILED
    return code if isinstance(code, int) else DONE


def main() -> None:
    """The `dalembert` command."""
    warnings.formatwarning = _told
    if sys.stdout is None:  # closed by the caller: what is printed goes nowhere
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has no q̈ shows an escape for it instead of failing
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(GARBAGE)
    code = run(sys.argv[1:])
    gc.freeze()  # the system takes the memory back at once; to look for cycles in all of SymPy first takes long
    sys.exit(code)
