"""Ready models, one TOML file each, by name."""

from importlib.resources import files
from pathlib import Path


def names() -> list[str]:
    """The names of all models in the gallery, in order."""
    return sorted(path.stem for path in _folder().iterdir() if path.suffix == ".toml")


def path(name: str) -> Path:
    """The file of a model in the gallery; raises `KeyError` for a name that is not there."""
    if name not in names():
        raise KeyError(name)
    return _folder() / f"{name}.toml"


def _folder() -> Path:
    return Path(str(files("dalembert.gallery")))
