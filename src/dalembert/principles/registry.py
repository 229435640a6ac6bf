"""The seven principles by name, in the order in which they are read."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dalembert.principles.explicit import explicit
from dalembert.principles.extended import extended
from dalembert.principles.gauss import gauss
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.multipliers import multipliers
from dalembert.principles.one_four import one_four
from dalembert.principles.stacked import stacked
from dalembert.principles.virtual import virtual

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
