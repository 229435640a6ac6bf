"""The estimator at an instant: acceleration and constraint force from exact and uncertain rows together."""

from typing import NamedTuple

import numpy as np

from dalembert.principles.contradiction import contradiction
from dalembert.principles.errors import Array, ContradictionError
from dalembert.principles.factors import qr
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Instant
from dalembert.principles.ready import Decided, decide
from dalembert.principles.rows import Rows, decide_rows, natural_rows
from dalembert.principles.tolerances import DIRECTION, SPREAD
from dalembert.principles.trust import Trust


class Estimate(NamedTuple):
    """What the rows say together. Shapes: n coordinates, m constraints, u uncertain rows, d = u − rank of them.

    acceleration, ideal, nonideal (n,), multipliers (m,) as in Answer; acceleration_root and force_root (n, u − d),
    whose S Sᵀ are the covariances of q̈ and Qᶜ; residual (u,), measured less adjusted, in stated units; seen (d,), what
    the rows contradict each other by, in independent standard units; shown (u, d): a fault of size δ in row i adds
    δ shown[i] to `seen`; rounding (u,), what |shown[i]| may be by rounding alone, in parts of the whole fault |F e_i|.
    """

    acceleration: Array
    ideal: Array
    nonideal: Array
    multipliers: Array
    acceleration_root: Array
    force_root: Array
    residual: Array
    seen: Array
    shown: Array
    rounding: Array


class Frame(NamedTuple):
    """All that dynamics and virtual work leave open: x = (p, f), p (k,) and f, the errors of uncertain forces.

        q̈ = J x + j,   Qᶜ = R (G x + g) + nonideal,   A q̈ = D x,   impressed force Q + P x
    Shapes J, P (n, x), D (m, x), G (k, x), R (n, k) a basis of range(Aᵀ), j, nonideal (n,), g (k,).
    """

    J: Array
    j: Array
    G: Array
    g: Array
    D: Array
    P: Array
    R: Array
    nonideal: Array


@in_words
def estimate(now: Instant, trust: Trust, values: Array) -> Estimate:
    """Minimise (y − Hθ)ᵀ W (y − Hθ) over θ = (q̈, Qᶜ) that satisfy the exact rows.

    `values` (u,) is y, in the order of `trust`: b of a constraint, Q_i, q̈_i or Qᶜ_i as measured or stated. Exact are
    M q̈ − Qᶜ = Q but where Q_i is uncertain, Vᵀ(Qᶜ − C) = 0 with V a basis of null(A), and A q̈ = b where it is not
    uncertain. The null-space method for the exact rows, QR for the whitened rest: no normal equations.
    Raises ContradictionError where exact constraints contradict each other; MassError as the principles do.
    Udwadia, Kalaba and Eun 1997, (37)-(38), with rows of infinite weight.
    """
    decided = decide(now)
    rows = decided.rows
    frame = _frame(now, decided.units, rows, trust.places("force"))
    x, Z = _exact(now, decided, frame, trust)
    H, base = _observed(now, frame, trust)
    F = trust.factor
    G, y = F @ H @ Z, F @ (values - base - H @ x)
    u, unknown = G.shape

    # Heavy rows first and columns pivoted, so that a light row keeps its figures beside heavy ones (Cox and Higham
    # 1998). The last columns of the orthogonal factor are what the rows can contradict each other by.
    order = np.argsort(-np.max(np.abs(G), axis=1, initial=0.0))
    root, Q1, Q2 = np.zeros((unknown, unknown)), np.zeros((u, 0)), np.eye(u)
    if unknown:
        whole, R, columns = qr(G[order], pivoting=True)
        root[columns] = np.linalg.solve(R[:unknown], np.eye(unknown))  # not solve_triangular: see `decide_rows`
        Q1, Q2 = np.empty((u, unknown)), np.empty((u, u - unknown))
        Q1[order], Q2[order] = whole[:, :unknown], whole[:, unknown:]
    rounding = _rounding(G, root @ Q1.T, Q2, F)
    root = Z @ root
    x = x + root @ (Q1.T @ y)
    seen = Q2.T @ y
    return Estimate(
        *_parts(decided, frame, x),
        acceleration_root=frame.J @ root,
        force_root=frame.R @ (frame.G @ root),
        residual=np.asarray(np.linalg.solve(F, Q2 @ seen), dtype=float),
        seen=seen,
        shown=F.T @ Q2,
        rounding=rounding,
    )


def _rounding(G: Array, inverse: Array, Q2: Array, F: Array) -> Array:
    """How much of a fault in each row shows by rounding where none should, (u,).

    Errors δG of the rows move the projector P = Q2 Q2ᵀ by −P δG G⁺ in a direction that P does not see; |δG| is ε |G|
    row by row. Shapes G (u, x), inverse = G⁺ (x, u), Q2 (u, d), F (u, u).
    """
    faults = F / np.linalg.norm(F, axis=0)
    moved = np.linalg.norm(inverse @ faults, axis=0)
    seen = np.linalg.norm(np.linalg.norm(Q2, axis=1) * np.linalg.norm(G, axis=1))
    return np.asarray(DIRECTION + SPREAD * moved * seen)


def _frame(now: Instant, units: Array, rows: Rows, forces: tuple[int, ...]) -> Frame:
    """Coordinates x on the θ that satisfy dynamics and virtual work.

    With V (n, n − k) a basis of null(A), U (n, k) of its complement, orthonormal in the metric of M, and R = M U:
    q̈ = U p + V Vᵀ(Q + C + f) and Qᶜ = M q̈ − Q − f = R (UᵀMU p − Uᵀ(Q + f)) + M V VᵀC. M may be singular as long as
    VᵀMV is not: where M was replaced by M + γT, U and V stay orthogonal in the stated M, as T V = 0, and R is a
    basis of range(Aᵀ) with RᵀU = I all the same.
    """
    M, Q, C = units[:, None] * now.M * units, units * now.Q, units * now.C
    R = rows.A.T @ (rows.span / rows.sigma)
    U, V = rows.held, rows.virtual
    n, k, chosen = now.n, rows.rank, list(forces)
    count = k + len(chosen)
    P = np.zeros((n, count))
    P[chosen, np.arange(k, count)] = 1.0
    J = V @ (V.T @ P)
    J[:, :k] += U
    G = -U.T @ P
    G[:, :k] += U.T @ M @ U
    D = np.zeros((now.m, count))
    D[:, :k] = rows.span * rows.sigma / rows.scale[:, None]
    return Frame(
        J=units[:, None] * J,
        j=units * (V @ (V.T @ (Q + C))),
        G=G,
        g=-U.T @ Q,
        D=D,
        P=P / units[:, None],
        R=R / units[:, None],
        nonideal=M @ (V @ (V.T @ C)) / units,
    )


def _exact(now: Instant, decided: Decided, frame: Frame, trust: Trust) -> tuple[Array, Array]:
    """One x that satisfies the exact constraints, and a basis Z of what they leave open."""
    whole = decided.rows
    size = frame.D.shape[1]
    uncertain = set(trust.places("constraint"))
    exact = [i for i in range(now.m) if i not in uncertain]
    x, Z = np.zeros(size), np.eye(size)
    if not exact:
        return x, Z
    units, natural, rows = decided.natural_units, decided.natural, whole
    if len(exact) < now.m:
        natural = natural_rows(now.A[exact], units)
        rows = decide_rows(now.A[exact], units, natural, decided.L)
    b = rows.scale * now.b[exact]
    at_work = decided.at_work(decided.units * now.Q, decided.units * now.C)
    if (conflict := contradiction(natural, natural.of_length_one(now.b[exact]), at_work)) is not None:
        found = [exact[i] for i in conflict.rows]
        raise ContradictionError(found, now.constraints, conflict.coefficients, conflict.gap)
    E = rows.scale[:, None] * frame.D[exact, : whole.rank]
    left, sigma, right = np.linalg.svd(E)
    k, r = whole.rank, rows.rank
    x[:k] = right[:r].T @ ((left[:, :r].T @ b) / sigma[:r])
    return x, np.block(
        [[right[r:].T, np.zeros((k, size - k))], [np.zeros((size - k, k - r)), np.eye(size - k)]],
    )


def _observed(now: Instant, frame: Frame, trust: Trust) -> tuple[Array, Array]:
    """H (u, x) and base (u,): what the uncertain rows would read is H x + base."""
    kinds = {
        "constraint": (frame.D, np.zeros(now.m)),
        "force": (frame.P, now.Q),
        "acceleration": (frame.J, frame.j),
        "reaction": (frame.R @ frame.G, frame.R @ frame.g + frame.nonideal),
    }
    H, base = np.zeros((len(trust), frame.D.shape[1])), np.zeros(len(trust))
    for i, (kind, place) in enumerate(trust.rows):
        matrix, constant = kinds[kind]
        H[i], base[i] = matrix[place], constant[place]
    return H, base


def _parts(decided: Decided, frame: Frame, x: Array) -> tuple[Array, Array, Array, Array]:
    """Acceleration, ideal and nonideal force and multipliers of x.

    The nonideal force is M V VᵀC, what C adds to any motion; the ideal one R y lies in the range of Aᵀ whatever x is.
    """
    y = frame.G @ x + frame.g
    rows = decided.rows
    multipliers = decided.least_norm(rows.span @ (y / rows.sigma))
    return frame.J @ x + frame.j, frame.R @ y, frame.nonideal, multipliers
