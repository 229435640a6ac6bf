"""The seven principles by name, in the order in which they are read."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .explicit import explicit
from .extended import extended
from .gauss import gauss
from .instant import Answer, Instant
from .multipliers import multipliers
from .one_four import one_four
from .stacked import stacked
from .virtual import virtual

Principle = Callable[[Instant], Answer]

REGISTRY: Mapping[str, Principle] = MappingProxyType(
    {
        "explicit": explicit,
        "one_four": one_four,
        "extended": extended,
        "stacked": stacked,
        "gauss": gauss,
        "multipliers": multipliers,
        "virtual": virtual,
    }
)
"""Every principle answers the same question and must give the same answer."""
