"""An instant made ready for every principle: in natural units, of decided rank, free of contradiction, M positive."""

from dataclasses import dataclass

import numpy as np

from dalembert.principles.contradiction import Contradiction, contradiction, settled
from dalembert.principles.dependence import Dependency, dependent_rows
from dalembert.principles.errors import Array, ContradictionError, InstantError
from dalembert.principles.factors import qr, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Instant
from dalembert.principles.least_norm import least_norm
from dalembert.principles.mass import Mass, positive_mass
from dalembert.principles.rows import NaturalRows, Rows, decide_rows, natural_rows
from dalembert.principles.units import Powers, Units, natural_units

FARTHEST = 1000
"""In powers of two: how large or small natural units, rows or loads may be beside the stated ones."""
FIRST = 2.0**-10  # how much the first row is preferred to the last, where they are as good as each other


@dataclass(frozen=True, eq=False)
class Decided:
    """What is decided about M and A alone: natural units, the mass matrix, the rows and their rank.

    `natural` are the rows in which decisions are taken. Numbers are computed in units of powers of two: `inertia`
    (n, n) is the stated M in them, `mass` what stands for it, `L` (n, n) its Cholesky factor; `rows` are those in the
    metric of M⁻¹.
    """

    natural_units: Units
    inertia: Array
    mass: Mass
    L: Array
    natural: NaturalRows
    rows: Rows

    @property
    def powers(self) -> Powers:
        """The powers of two nearest to the natural units, (n,)."""
        return self.natural_units.powers

    @property
    def units(self) -> Array:
        """The units that are computed with, q̈ = units · ẍ, shape (n,)."""
        return np.ldexp(1.0, self.powers)

    def loaded(self, load: Array, right: Array) -> Array:
        """The load (n,) that goes with `mass` where an equivalent of M serves: load + γ A⁺right."""
        if not self.mass.gamma:
            return load
        n = self.natural
        b = np.ldexp(right, n.powers - self.rows.powers) / n.length
        met: Array = self.natural_units.nearest * (n.right @ ((n.left.T @ b) / n.sigma))
        return load + self.mass.gamma * met

    def at_work(self, *loads: Array) -> float:
        """The size, in natural units, of the accelerations that loads (n,) would give without constraints."""
        units = self.natural_units
        found = [units.nearest * np.linalg.solve(self.L.T, np.linalg.solve(self.L, load)) for load in loads]
        return float(sum(np.linalg.norm(np.where(units.loose, 0.0, a)) for a in found))

    def least_norm(self, multipliers: Array) -> Array:
        """The λ (m,) of least norm in the stated rows with the force of a λ (m,) of `rows`; see `least_norm`."""
        return least_norm(self.natural, np.ldexp(multipliers, self.rows.powers))

    def multipliers_of_forces(self) -> Array:
        """(Aᵀ)⁺ (m, n) of the stated rows: λ of least norm for a force in the range of Aᵀ, in stated units."""
        rows = self.rows
        shares = rows.span @ ((rows.held.T * self.units) / rows.sigma[:, None])  # heldᵀAᵀ = sigma spanᵀ
        columns = [self.least_norm(column) for column in shares.T]
        return np.column_stack(columns)


@dataclass(frozen=True, eq=False)
class Ready:
    """The same question as `now` in natural units, with the rank decided once for all principles.

    M (n, n) positive definite and its Cholesky factor L, A (m, n) with rows near unit length in the metric of M⁻¹;
    Q (n,), C (n,) and b (m,), in the range of A, in units of 2^power in which the largest of them is near one.
    `replaced` says that an equivalent stands for M; `unmet` (m,) is the part of the balanced b, below the tolerance,
    that was taken off b; `conflict` is what cannot be met where `prepare` was told to accept it; `certain` are the rows
    that decide where others disagree with them by no more than rounding of the terms they are made of, which are then
    as large as `sizes` (m,).
    """

    now: Instant
    decided: Decided
    Q: Array
    b: Array
    C: Array
    power: int
    unmet: Array
    conflict: Contradiction | None
    certain: tuple[int, ...] | None
    sizes: Array

    @property
    def M(self) -> Array:
        """The mass matrix that is computed with, (n, n)."""
        return self.decided.mass.M

    @property
    def L(self) -> Array:
        """Its Cholesky factor, M = L Lᵀ."""
        return self.decided.L

    @property
    def A(self) -> Array:
        """The rows, (m, n)."""
        return self.decided.rows.A

    @property
    def rows(self) -> Rows:
        """The rows with their rank and bases."""
        return self.decided.rows

    @property
    def n(self) -> int:
        """How many coordinates."""
        return self.Q.shape[0]

    @property
    def rank(self) -> int:
        """k, the rank of A: how many constraint rows are independent."""
        return self.rows.rank

    @property
    def replaced(self) -> bool:
        """Whether an equivalent stands for the stated M."""
        return bool(self.decided.mass.gamma)

    def acceleration(self, stated: Array) -> Array:
        """A stated acceleration (n,) in the units of this question."""
        return np.ldexp(stated, -self.decided.powers - self.power)

    def force(self, stated: Array) -> Array:
        """A stated force (n,) in the units of this question."""
        return np.ldexp(stated, self.decided.powers - self.power)

    def right(self, stated: Array) -> Array:
        """Stated right sides (m,) in the units of this question."""
        return np.ldexp(stated, self.rows.powers - self.power)


def prepare(now: Instant, *, contradictory: bool = False, stated: bool = False) -> Ready:
    """Put `now` into natural units, decide the rank of A, and see that the motion it asks for exists and is unique.

    With `stated`, M itself is computed with wherever it is positive definite, and not an equivalent.
    Raises ContradictionError where rows contradict each other (unless `contradictory` accepts them),
    MassError where M is not positive on a direction the constraints leave free, and InstantError where the numbers are
    too far apart to be reckoned with together.
    """
    decided = decide(now, stated=stated)
    rows, powers = decided.rows, decided.powers
    power = _largest((now.Q, powers), (now.C, powers), (now.b, rows.powers))
    with np.errstate(under="ignore"):
        Q, C = np.ldexp(now.Q, powers - power), np.ldexp(now.C, powers - power)
        b = np.ldexp(now.b, rows.powers - power)
    natural, certain, (unmet, sizes) = decided.natural, None, np.zeros((2, now.m))
    one = natural.of_length_one(now.b, power)
    conflict = contradiction(natural, one, decided.at_work(Q, C))
    if conflict is not None and now.sizes is not None:
        of_terms = now.sizes()
        agreed = settled(natural, one, natural.of_length_one(of_terms, power))
        if agreed is not None:
            conflict, certain, sizes = None, agreed.certain, np.ldexp(of_terms, rows.powers - power)
            unmet = b - np.ldexp(agreed.b * natural.length, rows.powers - natural.powers)
    if conflict is not None and not contradictory:
        gap = float(np.ldexp(conflict.gap, power))
        raise ContradictionError(conflict.rows, now.constraints, conflict.coefficients, gap)
    # What dependent rows disagree on within the tolerance is no principle's to decide: it is taken off b
    # here, so that all of them face the same question, and reported as `unmet`.
    met = b - unmet
    met -= rows.left @ (rows.left.T @ met)
    return Ready(now, decided, Q, met, C, power, b - met, conflict, certain, sizes)


def decide(now: Instant, *, stated: bool = False) -> Decided:
    """What is decided about M and A, whether rows contradict each other or not. Raises MassError, InstantError."""
    units = natural_units(now.M, now.A)
    natural = natural_rows(now.A, units)
    _refuse_far(now, units.powers, natural.powers)
    with np.errstate(under="ignore"):
        inertia = np.ldexp(now.M, units.powers + units.powers[:, None])
    mass = positive_mass(inertia, natural, units, now.coordinates, stated=stated)
    L = np.asarray(np.linalg.cholesky(mass.M), dtype=float)
    return Decided(units, inertia, mass, L, natural, decide_rows(now.A, units, natural, L))


@in_words
def dependencies(now: Instant) -> tuple[Dependency, ...]:
    """Which rows of A are combinations of which others, and with what coefficients.

    A[d.row] = Σ d.coefficients_j A[d.on_j] for each d; a row of zeros depends on none. There are m − k.
    Right-hand sides play no part: contradictory rows are dependent rows too. Raises MassError, InstantError.
    """
    return dependent_rows(decide(now).natural)


@in_words
def independent_rows(now: Instant, weights: Array | None = None, rank: int | None = None) -> tuple[int, ...]:
    """An independent set of k rows of A, as far from dependent as pivoted QR in the metric of M⁻¹ finds.

    Rows count by their directions, not by their lengths, and of those that are as good as each other the first: neither
    factors nor rounding decide.
    `weights` (m,) make some rows preferred to others; all count the same where they are left out. `rank`: how many
    there are, where that is known better than the numbers of one instant tell: then rows may contradict each other.
    Raises ContradictionError and MassError as the principles do.
    """
    ready = prepare(now) if rank is None else None
    if ready is not None and ready.certain is not None:
        return ready.certain
    decided = decide(now) if ready is None else ready.decided
    B = solve_triangular(decided.L, decided.rows.A.T, lower=True)
    lengths = np.linalg.norm(B, axis=0)
    B = B / np.where(lengths > 0, lengths, 1.0) * (1.0 - FIRST * np.arange(B.shape[1]) / B.shape[1])
    order = qr(B if weights is None else B * weights, mode="r", pivoting=True)[1]
    return tuple(sorted(order[: decided.rows.rank if rank is None else rank].tolist()))


def virtual_basis(ready: Ready) -> Array:
    """An orthonormal basis (n, n − k) of the virtual displacements, A v = 0, in stated coordinates.

    Coordinates of large unit first, so that those of small unit keep their figures.
    """
    powers = ready.decided.powers
    order = np.argsort(-powers, kind="stable")
    with np.errstate(under="ignore"):
        V = np.ldexp(ready.rows.virtual, (powers - np.max(powers))[:, None])
    basis = np.empty_like(V)
    basis[order] = qr(V[order], mode="economic", pivoting=True)[0]
    return basis


def length(L: Array, force: Array) -> float:
    """√(fᵀ M⁻¹ f), the size of an acceleration M⁻¹f in the metric of M = L Lᵀ."""
    return float(np.linalg.norm(np.linalg.solve(L, force)))


def _largest(*loads: tuple[Array, Powers]) -> int:
    """The power of two of the largest of loads, each with the powers of its units; 0 where all are zero."""
    sizes = [np.frexp(load)[1] + powers for load, powers in loads]
    known = [size[load != 0] for size, (load, _) in zip(sizes, loads, strict=True)]
    return max((int(np.max(size)) for size in known if size.size), default=0)


def _refuse_far(now: Instant, units: Powers, rows: Powers) -> None:
    """Raise InstantError where natural units or rows are too far from the stated ones for double precision."""
    faults = [
        f"{what} {name}: its natural unit is 2^{power} times the stated one, too far to be reckoned with"
        for what, names, powers in (("coordinate", now.coordinates, units), ("row", now.constraints, -rows))
        for name, power in zip(names, powers.tolist(), strict=True)
        if abs(power) > FARTHEST
    ]
    if faults:
        raise InstantError(faults)
