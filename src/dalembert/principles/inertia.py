"""Why a mass matrix is refused, in words: along which free direction it is not positive, and what that means."""

import numpy as np

from dalembert.principles.errors import Array, MassError, combination
from dalembert.principles.tolerances import SHOWN
from dalembert.principles.units import Units


def not_positive(v: Array, inertia: float, units: Units, names: tuple[str, ...], signs: Array) -> MassError:
    """The error for a free direction v (n,), in natural units, whose vᵀMv = `inertia` is zero or negative.

    `signs` are those of the inertia, zero where it is rounding, along all directions in which M can be taken apart on
    the free ones.
    """
    most = float(np.max(units.logs[v != 0]))
    with np.errstate(over="ignore", under="ignore"):
        direction = v * np.exp2(units.logs - most)
        largest = direction[np.argmax(np.abs(direction))]
        direction = direction / largest
        stated = float(inertia / largest / largest * np.exp2(-2 * most))
    shown = np.abs(v) > SHOWN * np.max(np.abs(v))
    taking = tuple(name for name, part in zip(names, shown, strict=True) if part)
    along = combination(direction[shown], taking)
    said = f"the mass matrix is not positive along {along}, a direction the constraints leave free: vᵀMv = {stated:.3g}"
    regular = bool(np.all(signs))
    if not regular:
        said += (
            f", so the acceleration there is not determined. Give {', '.join(taking)} inertia, or add a constraint "
            "that holds the direction."
        )
    elif np.all(signs < 0):
        said += (
            ". It is negative along every free direction: the equations of motion determine the acceleration, but M "
            "must be positive. Has the Lagrangian, or the mass matrix, the opposite sign of what is meant?"
        )
    else:
        said += (
            ". On the free directions M is regular but indefinite: the equations of motion determine the acceleration, "
            "but the principles ask for an M that is positive there. State a positive inertia along it, or add a "
            "constraint that holds the direction."
        )
    return MassError(direction, stated, taking, said, regular)
