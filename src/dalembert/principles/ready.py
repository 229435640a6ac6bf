"""An instant made ready for every principle: balanced, of decided rank, free of contradiction, M positive."""

from dataclasses import dataclass

import numpy as np

from dalembert.principles.errors import Array, ContradictionError
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.mass import Mass, positive_mass
from dalembert.principles.rows import Contradiction, Dependency, Rows, contradiction, decide_rows, dependent_rows


@dataclass(frozen=True, eq=False)
class Ready:
    """The same question as `now` in balanced units, with the rank decided once for all principles.

    M (n, n) positive definite with a diagonal near one, Q (n,), A (m, n) with rows near unit length in the
    metric of M⁻¹, b (m,) in the range of A, C (n,). `units` (n,) and `rows.scale` (m,) lead back to what was
    stated; `answer` does so. `replaced` says that M was not positive definite and an equivalent stands for
    it; `unmet` (m,) is the part of the balanced b, below the tolerance, that was taken off b; `conflict` is
    what cannot be met where `prepare` was told to accept it.
    """

    now: Instant
    M: Array
    Q: Array
    A: Array
    b: Array
    C: Array
    rows: Rows
    units: Array
    unmet: Array
    conflict: Contradiction | None
    replaced: bool

    @property
    def n(self) -> int:
        """How many coordinates."""
        return self.Q.shape[0]

    @property
    def rank(self) -> int:
        """k, the rank of A: how many constraint rows are independent."""
        return self.rows.rank

    def answer(self, acceleration: Array, ideal: Array, nonideal: Array, multipliers: Array) -> Answer:
        """From balanced to stated units, with the multipliers of least Euclidean norm; see `least_norm`."""
        lam = least_norm(self.rows, multipliers)
        return Answer(self.units * acceleration, ideal / self.units, nonideal / self.units, lam)


def least_norm(rows: Rows, multipliers: Array) -> Array:
    """The λ (m,) of least Euclidean norm of the stated rows, from any λ' (m,) of the balanced ones with the same force.

    Only U'ᵀλ' matters, U' = span. The stated A = scale⁻¹ A' has range scale⁻¹ U' = Z R, the least-norm λ lies in it,
    and U'ᵀ scale⁻¹ λ = U'ᵀλ' gives λ = Z R⁻ᵀ U'ᵀλ'.
    """
    lam: Array = rows.scale * multipliers
    if rows.rank < len(lam):
        span = rows.span / rows.scale[:, None]
        order = np.argsort(-np.max(np.abs(span), axis=1, initial=0.0))  # heavy rows first: light ones stay exact
        Z, R, columns = qr(span[order], mode="economic", pivoting=True)
        lam[order] = Z @ solve_triangular(R, (rows.span.T @ multipliers)[columns], trans="T")
    return lam


def prepare(now: Instant, *, contradictory: bool = False) -> Ready:
    """Balance `now`, decide the rank of A, and see that the motion it asks for exists and is unique.

    Raises ContradictionError where rows contradict each other (unless `contradictory` accepts them), and
    MassError where M is not positive on a direction the constraints leave free.
    """
    mass, rows = decide(now)
    b = rows.scale * now.b
    C = mass.units * now.C
    conflict = contradiction(rows, b, length(mass.M, mass.Q) + length(mass.M, C))
    if conflict is not None and not contradictory:
        raise ContradictionError(conflict.rows, now.constraints, conflict.coefficients, conflict.gap)
    # What dependent rows disagree on within the tolerance is no principle's to decide: it is taken off b
    # here, so that all of them face the same question, and reported as `unmet`.
    unmet = rows.left @ (rows.left.T @ b)
    return Ready(now, mass.M, mass.Q, rows.A, b - unmet, C, rows, mass.units, unmet, conflict, mass.replaced)


def decide(now: Instant) -> tuple[Mass, Rows]:
    """The balanced mass and rows of an instant, whether its rows contradict each other or not. Raises MassError."""
    mass = positive_mass(now)
    return mass, decide_rows(now.A * mass.units, mass.M, mass.rank)


def dependencies(now: Instant) -> tuple[Dependency, ...]:
    """Which rows of A are combinations of which others, and with what coefficients.

    A[d.row] = Σ d.coefficients_j A[d.on_j] for each d; a row of zeros depends on none. There are m − k.
    Right-hand sides play no part: contradictory rows are dependent rows too.
    """
    ready = prepare(now, contradictory=True)
    return dependent_rows(ready.rows, ready.M)


def independent_rows(now: Instant, weights: Array | None = None) -> tuple[int, ...]:
    """An independent set of k rows of A, as far from dependent as pivoted QR in the metric of M⁻¹ finds.

    `weights` (m,) make some rows preferred to others; all count the same where they are left out.
    Raises ContradictionError and MassError as the principles do.
    """
    ready = prepare(now)
    B = solve_triangular(np.linalg.cholesky(ready.M), ready.A.T, lower=True)
    order = qr(B if weights is None else B * weights, mode="r", pivoting=True)[1]
    return tuple(sorted(order[: ready.rank].tolist()))


def length(M: Array, force: Array) -> float:
    """√(fᵀ M⁻¹ f), the size of an acceleration M⁻¹f in the metric of M."""
    return float(np.linalg.norm(np.linalg.solve(np.linalg.cholesky(M), force)))
