"""Which contacts a state touches."""

from dalembert.derive.evaluate import Residuals
from dalembert.derive.scales import CLOSE
from dalembert.model import OneSided, Statement


def apart(system: Statement, off: Residuals) -> tuple[str, ...]:
    """The contacts that are open at a state, or open or close there, by name; not those that are violated, φ < 0."""
    found = []
    for r, c in enumerate(system.constraints):
        violated = off.level[r] < 0 and off.level_part[r] > CLOSE
        if isinstance(c, OneSided) and off.part[r] > CLOSE and not violated:
            found.append(c.name)
    return tuple(found)
