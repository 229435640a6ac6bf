"""What `dalembert reduce` does: read the embedding, reduce, keep the reduced model."""

from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.model import ModelError, read_embedding, refuse

if TYPE_CHECKING:
    from dalembert.reduction import Reduction
    from dalembert.system import System


def reduced(
    system: "System",
    embedding: tuple[str, ...],
    coordinates: str,
    keep: tuple[str, ...],
    output: Path | None,
    *,
    model: str = "",
    force: bool = False,
) -> "Reduction":
    """The reduction that was asked for, its system written to a model file where that was asked too.

    `model` is what was read, which is never written over; another file only with `force`.
    """
    if output is not None:
        refuse(ModelError, "reduce", _obstacles(output, model, force))
    names = [name.strip() for name in coordinates.split(",") if name.strip()]
    if not embedding:
        if names:
            raise ModelError("reduce", ["--coordinates name the new coordinates of an embedding: give one by --with"])
        found = system.reduce(keep=keep)
    else:
        stated = read_embedding([_text(text) for text in embedding], system, names)
        found = system.reduce(stated.places, list(stated.new) or None, keep=keep)
    if output is not None:
        found.system.save(output)
    return found


def _text(given: str) -> str:
    """The text of an embedding, or that of the file it names."""
    file = Path(given)
    try:
        if "=" not in given and file.is_file():
            return "\n".join(line.partition("#")[0] for line in file.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError("reduce", [f"--with {given}: it cannot be read: {error}"]) from None
    return given


def _obstacles(output: Path, model: str, force: bool) -> list[str]:
    if output.suffix != ".toml":
        return [f"-o {output}: a model file is written; its name ends in .toml"]
    if output.is_dir() or not output.absolute().parent.is_dir():
        return [f"-o {output}: there is no such directory, or it is one itself"]
    if output.exists() and Path(model).exists() and output.samefile(model):
        return [f"-o {output}: that is the model itself; give the reduced one a name of its own"]
    if output.exists() and not force:
        return [f"-o {output}: there is such a file already; --force writes over it"]
    return []
