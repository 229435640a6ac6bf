"""A positive definite mass matrix in natural units, or the reason there is none."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.errors import Array
from dalembert.principles.inertia import not_positive
from dalembert.principles.rows import NaturalRows
from dalembert.principles.tolerances import CONDITIONED, EARLIER, POSITIVE
from dalembert.principles.units import Units


class Mass(NamedTuple):
    """M (n, n) positive definite in units of powers of two; `gamma` is what was added to it along held directions.

    `definite`: the stated M is positive definite itself.
    """

    M: Array
    gamma: float
    definite: bool


def positive_mass(M: Array, rows: NaturalRows, units: Units, names: tuple[str, ...], *, stated: bool = False) -> Mass:
    """M (n, n), in units of powers of two, where it serves, else an equivalent, where the motion is unique.

    With T the projector on range(Aᵀ), every possible acceleration has T q̈ = A⁺b, so
        (M + γT) q̈ = (Q + γ A⁺b) + Qᶜ   says the same as   M q̈ = Q + Qᶜ
    and leaves q̈, Qᶜ and its two parts unchanged. With V spanning null(A) and U its complement, M + γT is
    positive definite when VᵀMV is and γ exceeds −λ_min of the Schur complement
        S = UᵀMU − UᵀMV (VᵀMV)⁻¹ VᵀMU.
    The equivalent serves where M is singular or indefinite, and where it is small along directions that the constraints
    hold, so that no digits are lost there; with `stated`, M itself wherever it is positive definite.
    Raises MassError naming a free direction where VᵀMV is not positive definite.
    Udwadia and Kalaba 2001 need M > 0; singular M made unique by constraints is Udwadia and Phohomsiri 2006.
    """
    natural = M / units.nearest / units.nearest[:, None]
    eigenvalues = np.linalg.eigvalsh(natural)
    if eigenvalues[0] > CONDITIONED * eigenvalues[-1]:
        return Mass(M, 0.0, True)
    definite = _definite(M)
    if definite and (stated or not rows.rank):
        return Mass(M, 0.0, True)
    U, V = rows.right, rows.free
    Mvv, Muv = V.T @ natural @ V, U.T @ natural @ V
    if not definite:
        _refuse_free(natural, V, Mvv, units, names)
    S = U.T @ natural @ U - Muv @ np.linalg.solve(Mvv, Muv.T)
    size = float(np.max(np.abs(eigenvalues)))
    gamma = 2 * float(np.max(np.abs(np.linalg.eigvalsh(S)), initial=0.0)) + size or 1.0  # M = 0: any γ will do
    U = units.nearest[:, None] * U
    return Mass(M + gamma * (U @ U.T), gamma, definite)


def _definite(M: Array) -> bool:
    """Whether M is positive definite: by its eigenvalues with a diagonal of ones, which units do not change."""
    diagonal = np.diag(M)
    if np.any(diagonal <= 0):
        return False
    root = np.sqrt(diagonal)
    eigenvalues = np.linalg.eigvalsh(M / root / root[:, None])
    return bool(eigenvalues[0] > POSITIVE * eigenvalues[-1])


def _refuse_free(M: Array, V: Array, Mvv: Array, units: Units, names: tuple[str, ...]) -> None:
    """Raise MassError where M is not positive on the directions V (n, f) that the constraints leave free.

    A direction without inertia, along which nothing determines the motion, is named before one of negative inertia.
    """
    inertia, directions = np.linalg.eigh(Mvv)
    free = V @ directions
    natural = np.sum(np.abs(free) * (np.abs(M) @ np.abs(free)), axis=0)
    # A direction of coordinates that have no mass has terms that are rounding; the masses themselves are near one.
    none = np.abs(inertia) <= POSITIVE * np.maximum(natural, np.max(np.abs(np.diag(M))))
    if not (none | (inertia < 0)).any():
        return
    alike = none if none.any() else inertia <= inertia[0] + EARLIER * abs(inertia[0])
    v = _first(free[:, alike])
    size = 0.0 if none.any() else float(v @ M @ v)
    raise not_positive(v, size, units, names, np.where(none, 0.0, np.sign(inertia)))


def _first(basis: Array) -> Array:
    """Of the directions in the span of an orthonormal basis (n, d), that nearest to a coordinate, the earliest one."""
    size = np.linalg.norm(basis, axis=1)
    nearest = int(np.argmax(size >= (1 - EARLIER) * np.max(size)))
    direction: Array = basis @ basis[nearest]
    return direction
