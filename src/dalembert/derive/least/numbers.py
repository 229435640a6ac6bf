"""Minimal velocities in numbers: acceleration at a state, and a right side for integrators, all from tapes.

With K = [A; U], K V = [0; I] and K p = [b; −U̇q̇ − u̇₀] are solved at the state itself, so nothing depends on what could
be written out in symbols. Of redundant rows, those are taken that are farthest from depending on each other there.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy
from sympy import Expr, S

from dalembert.derive.evaluate import Array, instant_at, located, mass_and_rows, residuals
from dalembert.derive.least.quasi import is_linear
from dalembert.derive.mechanics import Sparse, rows
from dalembert.derive.prepared import form, prepared
from dalembert.derive.states import numbers, parameter_values
from dalembert.derive.tape import Tape
from dalembert.model import StateError, Statement, as_number, name_of, refuse
from dalembert.principles import Instant, explicit

if TYPE_CHECKING:
    from dalembert.derive.least.minimal import MinimalForm

RANK = 1e-9  # of [A; U] with rows of length 1 in the metric of M: below it half the digits of q̈ are gone


class Tapes(NamedTuple):
    """By q, q̇, t and parameters: A and β of the rows linear in velocity; U and u₀; and −U̇q̇ − u̇₀."""

    A: Sparse[Expr]
    rows: Tape
    many: int
    U: Sparse[Expr]
    own: Tape
    drift: Tape


def acceleration(form: "MinimalForm", state: Any, t: Any, parameters: Any) -> Array:
    """q̈ (n,) at a state."""
    inputs = numbers(form.system, state, t, parameters)
    now = instant_at(form.system, inputs)
    if len(form.independent) < now.m:
        explicit(now)  # refuses rows that contradict each other
    return _moved(form, now, inputs)[0]


def rates(form: "MinimalForm", t: float, y: Any, parameters: Any) -> Array:
    """(q̇, u̇), or (q̇, q̈) where rows are not linear in velocity."""
    inputs = _inputs(form, y, t, parameters)
    n = len(form.coordinates)
    second, du = _moved(form, instant_at(form.system, inputs), inputs)
    return np.concatenate([inputs[n : 2 * n], du if form.linear else second])


def pack(form: "MinimalForm", state: Any, t: Any, parameters: Any) -> Array:
    """(q, u) of a state on the constraints."""
    inputs, n = numbers(form.system, state, t, parameters), len(form.coordinates)
    off = residuals(form.system, state, t, parameters)
    faults = [
        f"it is off the constraint {c.name!r}, by {distance:.3g} (value {level:.3g}, rate {rate:.3g}); "
        "system.start(…) gives the nearest state on the constraints"
        for c, level, rate, distance, on in zip(form.system.constraints, *off[:3], off.on, strict=True)
        if not on
    ]
    refuse(StateError, "the state", faults)
    if not form.linear:
        return np.array(inputs[: 2 * n])
    U, u0 = _own(form, inputs)
    return np.concatenate([inputs[:n], U @ inputs[n : 2 * n] + u0])


def unpack(form: "MinimalForm", y: Any, t: Any, parameters: Any) -> dict[Expr, float]:
    """The state by coordinates and velocities."""
    keys = (*form.coordinates, *form.system.velocities)
    return dict(zip(keys, _inputs(form, y, t, parameters), strict=False))


def _inputs(form: "MinimalForm", y: Any, t: Any, parameters: Any) -> list[float]:
    """q, q̇, t and parameters as every tape takes them, from y."""
    faults: list[str] = []
    values = parameter_values(form.system, parameters, faults)
    moment, given = as_number(t), np.asarray(y, dtype=float)
    n = len(form.coordinates)
    count = n + (len(form.velocities) if form.linear else n)
    if given.shape != (count,) or not np.isfinite(given).all():
        names = [name_of(u) for u in (form.velocities if form.linear else form.system.velocities)]
        order = ", ".join([*map(name_of, form.coordinates), *names])
        faults.append(f"y is {y!r}, {count} finite numbers are meant: {order}")
    if moment is None:
        faults.append(f"the time is {t!r}, a finite number is meant")
    refuse(StateError, "y", faults)
    known = [moment, *(values[s] for s in form.system.symbols)]
    if not form.linear:
        return [*given.tolist(), *known]
    inputs = [*given[:n].tolist(), *[0.0] * n, *known]
    return [*given[:n].tolist(), *_velocity(form, inputs, given[n:]).tolist(), *known]


def _velocity(form: "MinimalForm", inputs: list[float], u: Array) -> Array:
    """q̇ from u: [A; U] q̇ = [−β; u − u₀]."""
    tapes, n, k = _tapes_of(form), len(form.coordinates), len(form.independent)
    out = located(tapes.rows, inputs, form.system)
    A, beta = _filled((tapes.many, n), tapes.A, out), np.array(out[len(tapes.A) :])
    U, u0 = _own(form, inputs)
    used = _best(A, k)
    M = mass_and_rows(form.system, inputs)[0]
    return _solved(form, A[used], U, M, np.concatenate([-beta[used], u - u0])[:, None])[:, 0]


def _moved(form: "MinimalForm", now: Instant, inputs: list[float]) -> tuple[Array, Array]:
    """q̈ (n,) and u̇ (r,): VᵀMV u̇ = Vᵀ(Q + C − M p), q̈ = V u̇ + p."""
    U, _ = _own(form, inputs)
    drift = located(_tapes_of(form).drift, inputs, form.system)
    used, r = _best(now.A, len(form.independent)), len(form.velocities)
    right = np.zeros((now.n, r + 1))
    right[now.n - r :, :r] = np.eye(r)
    right[:, r] = [*now.b[used], *drift]
    found = _solved(form, now.A[used], U, now.M, right)
    V, p = found[:, :r], found[:, r]
    try:
        L = np.linalg.cholesky(V.T @ now.M @ V)
    except np.linalg.LinAlgError:
        return _without_inertia(now, U, np.array(drift))
    du = np.linalg.solve(L.T, np.linalg.solve(L, V.T @ (now.Q + now.C - now.M @ p)))
    return V @ du + p, du


def _without_inertia(now: Instant, U: Array, drift: Array) -> tuple[Array, Array]:
    """What the explicit equation says where VᵀMV is not positive by rounding; it raises MassError where it is not."""
    second = explicit(now).acceleration
    return second, U @ second - drift


def _best(A: Array, k: int) -> list[int]:
    """k rows of A (m, n), those farthest from depending on each other."""
    if k == len(A):
        return list(range(k))
    length = np.linalg.norm(A, axis=1)
    order = scipy.linalg.qr((A / np.where(length > 0, length, 1.0)[:, None]).T, mode="r", pivoting=True)[1]
    return sorted(order[:k].tolist())


def _solved(form: "MinimalForm", A: Array, U: Array, M: Array, right: Array) -> Array:
    """X with [A; U] X = right; raises where it is singular, saying which velocities are to blame.

    Units do not count: coordinates are measured by the root of their inertia, and rows have length 1.
    """
    K = np.vstack([A, U])
    inertia = np.diag(M)
    columns = np.sqrt(np.where(inertia > 0, inertia, 1.0))
    rows = np.linalg.norm(K / columns, axis=1)
    if rows.all():
        balanced = K / columns / rows[:, None]
        sigma = np.linalg.svd(balanced, compute_uv=False)
        if not len(sigma) or sigma[-1] > RANK * sigma[0]:
            found: Array = np.linalg.solve(balanced, right / rows[:, None]) / columns[:, None]
            return found
    names = ", ".join(map(name_of, form.velocities)) or "no others"
    fault = (
        f"the constraints and the velocities chosen ({names}) do not determine every velocity here: "
        "choose others, minimal([…])"
    )
    raise StateError("the state", [fault])


def _own(form: "MinimalForm", inputs: list[float]) -> tuple[Array, Array]:
    """U (r, n) and u₀ (r,)."""
    tapes, n, r = _tapes_of(form), len(form.coordinates), len(form.velocities)
    out = located(tapes.own, inputs, form.system)
    return _filled((r, n), tapes.U, out), np.array(out[len(tapes.U) :])


def _tapes_of(kept: "MinimalForm") -> Tapes:
    return _tapes(form(kept.system), kept.definitions)


@lru_cache(maxsize=64)
def _tapes(system: Statement, definitions: tuple[Expr, ...]) -> Tapes:
    kept = prepared(system)
    a = kept.algebra
    inputs = [*a.q, *a.v, a.t, *a.parameters.values()]
    rest = dict.fromkeys(a.v, S.Zero)
    linear = [r for r, f in enumerate(kept.derived.rate) if is_linear(f, a)]
    place = {r: i for i, r in enumerate(linear)}
    A = {(place[i], j): kept.derived.A[i, j] for i, j in kept.derived.A if i in place}
    beta = [kept.derived.rate[r].xreplace(rest) for r in linear]
    own = [a.convert(e) for e in definitions]
    U, drift = rows(own, a)
    still = [f.xreplace(rest) for f in own]
    return Tapes(
        A, Tape(inputs, [*A.values(), *beta]), len(linear), U, Tape(inputs, [*U.values(), *still]), Tape(inputs, drift)
    )


def _filled(shape: tuple[int, int], sparse: Mapping[tuple[int, int], Any], values: list[float]) -> Array:
    matrix = np.zeros(shape)
    for at, value in zip(sparse, values, strict=False):  # the values go on with other quantities
        matrix[at] = value
    return matrix
