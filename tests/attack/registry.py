"""The classes of the attack, and the case of a name: NAME:SEED, found:LABEL, or either in other units, scales:NAME."""

from collections.abc import Sequence
from importlib import import_module

from .case import Case, Question

CLASSES = (
    "smooth",
    "scaled",
    "singular",
    "redundant",
    "rheonomic",
    "nonholonomic",
    "nonideal",
    "light",
    "frictional",
    "onesided",
    "impacts",
    "switching",
    "coarse",
)

EXACT = tuple(name for name in CLASSES if name != "coarse")  # in other units, a coarse step is another one
DRAWS = 3  # in how many units a model of the gallery is moved


def make(name: str) -> Case | Question:
    """The case called `name`."""
    kind, _, place = name.partition(":")
    if kind == "found":
        from .found import FOUND

        return FOUND[place]()
    if kind == "scales":
        from .scales import question

        return question(place)
    if kind not in (*CLASSES, "selftest"):
        raise KeyError(f"no class {kind!r}; there are {', '.join(CLASSES)} and found")
    return import_module(f".classes.{kind}", __package__).make(int(place))


def names(count: int, seed: int = 0, only: str | None = None, among: Sequence[str] = CLASSES) -> list[str]:
    """The names of `count` cases, classes in turn, seeds from `seed` on."""
    kinds = [only] if only else list(among)
    return [f"{kinds[i % len(kinds)]}:{seed + i // len(kinds)}" for i in range(count)]


def scaled_names(count: int, seed: int = 0, only: str | None = None) -> list[str]:
    """The names of every gallery model in three units, and of `count` cases in one, for the scale law."""
    from dalembert import gallery

    models = [f"scales:gallery:{name}@{seed + k}" for k in range(DRAWS) for name in gallery.names()]
    return [*([] if only else models), *(f"scales:{name}@{seed}" for name in names(count, seed, only, EXACT))]


def repeated(name: str) -> bool:
    """Whether a case is run twice, to give the same bits: one in eight."""
    seed = name.partition(":")[2]
    return seed.isdigit() and int(seed) % 8 == 3
