"""The consistent state nearest to a guess, in the metric of the mass matrix: positions first, then velocities.

    minimise ½ (q − q₀)ᵀ M (q − q₀)   over   φ(q, t) = 0,   then   ½ (v − v₀)ᵀ M (v − v₀)   over   ψ(q, v, t) = 0

with ψ every velocity-level relation (φ̇ for a holonomic φ). What is held fixed does not move.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from dalembert.derive import Array, Residuals, RowNumbers, mass_and_rows, residuals
from dalembert.model import Holonomic, StateError, Statement, name_of, refuse

STEPS = 100
CLOSE = 1e-9  # how far off a constraint, relative to the size of the state, still counts as on it
RANK = 1e-10
MOVED = 1e-12  # relative change from which on a value counts as moved


@dataclass(frozen=True, eq=False)
class Start:
    """A state on the constraints, and what was moved to get there: {name: (from, to)}."""

    state: Mapping[Expr, float]
    moved: Mapping[str, tuple[float, float]]
    residuals: Residuals
    t: float

    def text(self) -> str:
        """For a person to read."""
        lines = [", ".join(f"{name_of(key)} = {value:.12g}" for key, value in self.state.items())]
        lines += [f"moved {name} from {old:.6g} to {new:.12g}" for name, (old, new) in self.moved.items()]
        return "\n".join(lines if self.moved else [*lines, "nothing was moved"])


def start(
    system: Statement,
    guess: Mapping[Any, Any],
    fixed: Iterable[Any] = (),
    t: float = 0.0,
    parameters: Mapping[Any, Any] | None = None,
) -> Start:
    """The nearest consistent state to `guess` (zero where it says nothing), `fixed` coordinates and velocities held.

    Raises `StateError` with each constraint's residual where no consistent state is found.
    """
    keys = (*system.coordinates, *system.velocities)
    by_name = {name_of(key): key for key in keys}
    faults: list[str] = []
    held = {_own(key, by_name, "fixed", faults) for key in fixed}
    given = {_own(key, by_name, "the guess", faults): value for key, value in dict(guess).items()}
    refuse(StateError, "start", faults)
    state = {key: given.get(key, 0.0) for key in keys}
    M, _ = mass_and_rows(system, state, t, parameters)  # also checks every value
    n = len(system.coordinates)
    begin = np.array([_float(system, state, key, parameters) for key in keys])
    free = np.array([key not in held for key in keys])
    holonomic = np.array([isinstance(c, Holonomic) for c in system.constraints], dtype=bool)

    def rows(place: Array) -> RowNumbers:
        return mass_and_rows(system, dict(zip(keys, place, strict=True)), t, parameters)[1]

    def positions(q: Array) -> tuple[Array, Array]:
        at = rows(np.concatenate([q, begin[n:]]))
        return at.level[holonomic], at.A[holonomic]

    q = _nearest(begin[:n], positions, M, free[:n]) if holonomic.any() else begin[:n]

    def velocities(v: Array) -> tuple[Array, Array]:
        at = rows(np.concatenate([q, v]))
        return at.rate, at.A

    v = _nearest(begin[n:], velocities, M, free[n:]) if len(holonomic) else begin[n:]
    found = dict(zip(keys, map(float, (*q, *v)), strict=True))
    off = residuals(system, found, t, parameters)
    size = 1 + np.abs([*q, *v]).max()
    refuse(
        StateError,
        "no consistent start was found" + (f" with {', '.join(sorted(map(name_of, held)))} held" if held else ""),
        [
            f"constraint {c.name!r} is left at {level:.6g}, its rate at {rate:.6g}"
            for c, level, rate, distance in zip(system.constraints, *off, strict=True)
            if not distance <= CLOSE * size
        ],
    )
    moved = {
        name_of(key): (float(old), found[key])
        for key, old in zip(keys, begin, strict=True)
        if abs(found[key] - old) > MOVED * size
    }
    return Start(found, moved, off, float(t))


def _nearest(x0: Array, relation: Callable[[Array], tuple[Array, Array]], M: Array, free: Array) -> Array:
    """The point nearest to x0 in the metric of M where f(x) = 0 holds, or the last one tried if there is none.

    Each step solves the problem with f linearised, f + A (x − x_k) = 0; when the steps no longer get smaller, what is
    left is done by Newton's method, which only seeks the relation.
    """
    L = np.linalg.cholesky(_positive(M[np.ix_(free, free)]))
    x, last = x0.copy(), np.inf
    for step in range(STEPS):
        f, A = relation(x)
        B = np.linalg.solve(L, A[:, free].T).T  # A L⁻ᵀ
        P = np.linalg.pinv(B, rcond=RANK)
        y = -P @ f
        if step < STEPS // 2:  # and towards x0, along the relation
            back = L.T @ (x0 - x)[free]
            y = y + back - P @ (B @ back)
        change = np.linalg.solve(L.T, y)
        x[free] += change
        size = float(np.abs(change).max(initial=0.0))
        if size <= 4 * np.finfo(float).eps * (1 + np.abs(x).max()) or (step > STEPS // 2 and size >= last):
            break
        last = size
    return x


def _positive(M: Array) -> Array:
    """M, or M with a little of its own scale added where it is not positive definite."""
    values = np.linalg.eigvalsh(M) if M.size else np.ones(1)
    lack = max(0.0, 1e-9 * max(abs(values).max(), 1e-300) - values.min())
    shifted: Array = M + lack * np.eye(len(M))
    return shifted


def _own(key: Any, by_name: Mapping[str, Expr], what: str, faults: list[str]) -> Expr | None:
    own = by_name.get(key) if isinstance(key, str) else key if key in by_name.values() else None
    if own is None:
        faults.append(f"{what} names {key}, which is neither a coordinate nor a velocity of this system")
    return own


def _float(system: Statement, state: Mapping[Any, Any], key: Expr, parameters: Mapping[Any, Any] | None) -> float:
    """A value of the guess, which may be an expression of parameters, as a number."""
    value = state[key]
    values = {**system.parameters, **(parameters or {})}
    return float(value.xreplace(values) if isinstance(value, Expr) else value)
