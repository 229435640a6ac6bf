"""What is raised when a statement cannot be accepted: every fault of one input in one error."""

from collections.abc import Iterable


class ModelError(ValueError):
    """A statement or a model file that cannot be accepted; `.faults` lists everything found wrong with it."""

    def __init__(self, subject: str, faults: Iterable[str]) -> None:
        self.subject = subject
        self.faults = tuple(faults)
        super().__init__(subject, self.faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"{self.subject}: {self.faults[0]}"
        return "\n".join([f"{self.subject}: {len(self.faults)} faults", *(f"  - {f}" for f in self.faults)])


class StateError(ModelError):
    """A state, a time or a set of parameter values at which the system cannot be evaluated."""


def refuse(kind: type[ModelError], subject: str, faults: Iterable[str]) -> None:
    """Raise `kind` with all `faults`, if there are any."""
    if faults := tuple(dict.fromkeys(faults)):
        raise kind(subject, faults)
