"""A certificate: every principle's answer at one instant, and the proofs that it is the right one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import Any, NamedTuple

import numpy as np

from dalembert.principles.certificate_text import certificate_text
from dalembert.principles.dependence import Dependency, dependent_rows
from dalembert.principles.errors import Array
from dalembert.principles.explicit import pseudo_inverse
from dalembert.principles.factors import cho_solve, solve_triangular
from dalembert.principles.guard import in_words
from dalembert.principles.instant import Answer, Instant
from dalembert.principles.least_norm import off_range
from dalembert.principles.one_sided import LetGo, at_work, worst_closing, worst_pull
from dalembert.principles.ready import Ready, prepare, virtual_basis
from dalembert.principles.registry import REGISTRY
from dalembert.principles.tolerances import CONSISTENT, LOOSEST, ON_CONSTRAINTS, PUSHES, SAFETY

ON = "on constraints"
"""The name of the check that the state is on the constraints."""

SAMPLES = 5
"""How many random possible accelerations the Gauss measure is compared on."""


class Check(NamedTuple):
    """One proof: `value`, dimensionless, must not exceed `bound`; `meaning` says in words what it proves."""

    name: str
    value: float
    bound: float
    meaning: str

    @property
    def passed(self) -> bool:
        """Whether the value is within the bound."""
        return self.value <= self.bound


@dataclass(frozen=True, eq=False)
class Certificate:
    """What every principle says at an instant, side by side, and what was checked about it.

    answers by principle; disagreement, the largest relative difference between two of them, and
    disagreeing, which two and on what; residual (m,) = A q̈ − b; virtual (n, n − k), an orthonormal basis of
    the virtual displacements, virtual_work and prescribed_work (n − k,), vᵀQᶜ and vᵀC on it; gauss_measure at
    q̈, and for random possible accelerations the gauss_excess over it and the predicted_excess
    (z − q̈)ᵀM(z − q̈) (empty where the constraints leave no other); orthogonality, the M-inner product of the
    two components of the deviation q̈ − a; rank, dependencies among rows, tolerance asked, checks made.
    Arrays are those of `answer`, the explicit one; checks take the worst of all principles.
    `distance`: how far the state is off each constraint, where that is known; it is told. What is checked then is that
    it is on them, each residual as a part of the terms that make it up.
    `let_go`: contacts that touch and are not among the constraints, because they would have to pull.
    `replaced`: M was not positive definite, and the Gauss measure is that of its equivalent.
    """

    now: Instant
    answers: Mapping[str, Answer]
    disagreement: float
    disagreeing: tuple[str, str, str]
    residual: Array
    virtual: Array
    virtual_work: Array
    prescribed_work: Array
    gauss_measure: float
    gauss_excess: Array
    predicted_excess: Array
    orthogonality: float
    rank: int
    dependencies: tuple[Dependency, ...]
    tolerance: float
    replaced: bool
    checks: tuple[Check, ...]
    distance: tuple[float, ...] = ()
    let_go: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """The answer of the explicit equation."""
        return self.answers["explicit"]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def __bool__(self) -> bool:
        """Whether it passed."""
        return self.passed

    @property
    def on_constraints(self) -> bool:
        """Whether the state is on the constraints, or nothing is known of that."""
        return all(check.passed for check in self.checks if check.name == ON)

    @property
    def redundant(self) -> bool:
        """Whether some rows depend on others, so that the multipliers are not unique."""
        return self.rank < self.now.m

    @property
    def degrees_of_freedom(self) -> int:
        """n − k."""
        return self.now.n - self.rank

    def text(self) -> str:
        """The certificate for a person to read, in plain Unicode."""
        return certificate_text(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What a notebook shows."""
        printer.text(self.text())

    def as_dict(self) -> dict[str, Any]:
        """The certificate for a program to read: only dicts, lists, strings, numbers and booleans."""
        listed = ("residual", "virtual_work", "prescribed_work", "gauss_excess", "predicted_excess")
        plain = ("disagreement", "gauss_measure", "orthogonality", "rank", "redundant", "degrees_of_freedom")
        return {
            "passed": self.passed,
            "coordinates": list(self.now.coordinates),
            "constraints": list(self.now.constraints),
            "answers": {
                name: {part: value.tolist() for part, value in answer._asdict().items()}
                for name, answer in self.answers.items()
            },
            "disagreeing": list(self.disagreeing),
            **{name: getattr(self, name).tolist() for name in listed},
            **{name: getattr(self, name) for name in plain},
            "virtual": self.virtual.T.tolist(),
            "dependencies": [
                {"row": d.row, "on": list(d.on), "coefficients": list(d.coefficients)} for d in self.dependencies
            ],
            "let_go": list(self.let_go),
            "distance": [d if d < inf else None for d in self.distance],
            "tolerance": self.tolerance,
            "mass_replaced": self.replaced,
            "checks": [
                {**check._asdict(), "value": check.value if check.value < inf else None, "passed": check.passed}
                for check in self.checks
            ],
        }


@in_words
def certify(
    now: Instant,
    seed: int = 0,
    distance: Sequence[float] = (),
    off: Sequence[float] = (),
    pushing: Sequence[int] = (),
    let_go: LetGo | None = None,
) -> Certificate:
    """Ask every principle, compare the answers, and check them against the laws they must obey.

    `seed` fixes the random possible accelerations. `distance` and `off` (m,) say how far the state is off each
    constraint, in units of coordinates, and as a part of the terms that make up the constraint; left out, nothing is
    said of it. `pushing` are the rows that are contacts, `let_go` those that touch and are not in force. Differences
    are measured in the norms of the problem: accelerations in that of M, forces in that of M⁻¹, multipliers by the
    force they stand for, all relative to the accelerations that act.
    Raises MassError, ContradictionError.
    """
    ready = prepare(now, stated=True)
    L = ready.L
    answers = {name: principle(now) for name, principle in REGISTRY.items()}
    natural = {name: _natural(ready, L, answer) for name, answer in answers.items()}
    q = natural["explicit"].acceleration
    size = at_work(ready, answers["explicit"])

    apart, first, second, part = max(
        (float(np.linalg.norm(x - y)) / size, i, j, quantity)
        for i, j in combinations(natural, 2)
        for quantity, x, y in zip(Answer._fields, natural[i], natural[j], strict=True)
    )
    sigma = ready.rows.sigma
    condition = np.linalg.cond(ready.M) + (sigma[0] / sigma[-1] if sigma.size else 1.0)
    tolerance = float(min(SAFETY * (now.n + now.m) * condition, LOOSEST))
    measure, excess, predicted, largest = _gauss(ready, L, q, size, np.random.default_rng(seed))
    checks = [
        *([Check(ON, float(max(off)), float(ON_CONSTRAINTS), _where(now, off))] if len(off) else []),
        Check("agreement", apart, tolerance, f"the principles agree; farthest: {first}, {second} on {part}"),
        *_law_checks(ready, L, answers, natural, size, tolerance),
    ]
    if excess.size:
        least = max(0.0, -float(np.min(excess))) / largest
        miss = float(np.max(np.abs(excess - predicted))) / largest
        none = f"none of {SAMPLES} random possible z has a smaller Gauss measure"
        checks += [
            Check("least constraint", least, tolerance, none),
            Check("excess", miss, tolerance, "their excess over the least is (z − q̈)ᵀM(z − q̈)"),
        ]
    if pushing or (let_go is not None and let_go.names):
        checks.append(_contacts(ready, answers, size, tolerance, pushing, let_go))
    answer = answers["explicit"]
    basis = virtual_basis(ready)
    energy = float(np.ldexp(1.0, 2 * ready.power))  # of the units in which the question is asked
    return Certificate(
        now=now,
        answers=answers,
        disagreement=apart,
        disagreeing=(first, second, part),
        residual=now.A @ answer.acceleration - now.b,
        virtual=basis,
        virtual_work=basis.T @ answer.force,
        prescribed_work=basis.T @ now.C,
        gauss_measure=measure * energy,
        gauss_excess=excess * energy,
        predicted_excess=predicted * energy,
        orthogonality=float(natural["explicit"].ideal @ natural["explicit"].nonideal) * energy,
        rank=ready.rank,
        dependencies=dependent_rows(ready.decided.natural),
        tolerance=tolerance,
        replaced=ready.replaced,
        checks=tuple(checks),
        distance=tuple(map(float, distance)),
        let_go=() if let_go is None else let_go.names,
    )


def _contacts(
    ready: Ready,
    answers: Mapping[str, Answer],
    size: float,
    tolerance: float,
    pushing: Sequence[int],
    let_go: LetGo | None,
) -> Check:
    """That contacts push, and that those let go do not close, at its worst over all principles."""
    worst = 0.0
    for found in answers.values():
        worst = max(worst, worst_pull(ready, found, size, pushing))
        worst = max(worst, 0.0 if let_go is None else worst_closing(ready, found, size, let_go))
    meaning = "contacts push, λ̂ ≥ 0, and those that are let go do not close"
    return Check("contacts", worst, max(tolerance, PUSHES), meaning)


def _where(now: Instant, off: Sequence[float]) -> str:
    """What is checked of the state, and at which constraint it is worst."""
    worst = now.constraints[int(np.argmax(off))]
    return f"the state is on the constraints; worst: {worst}"


def _natural(ready: Ready, L: Array, answer: Answer) -> Answer:
    """The answer where Euclidean length is that of the problem: Lᵀq̈, L⁻¹Q, and σ_k λ for unit rows."""
    sigma = ready.rows.sigma
    return Answer(
        L.T @ ready.acceleration(answer.acceleration),
        solve_triangular(L, ready.force(answer.ideal), lower=True),
        solve_triangular(L, ready.force(answer.nonideal), lower=True),
        np.ldexp(answer.multipliers, -ready.rows.powers - ready.power) * (sigma[-1] if sigma.size else 1.0),
    )


def _gauss(
    ready: Ready, L: Array, q: Array, size: float, random: "np.random.Generator"
) -> tuple[float, Array, Array, float]:
    """G(q̈), then G(z) − G(q̈) and (z − q̈)ᵀM(z − q̈) for random z with A z = b, and the largest G(z).

    z = A⁺b + V y: made from the constraints alone, without q̈, so that the comparison proves something.
    """
    load = ready.decided.loaded(ready.Q + ready.C, ready.b)
    center = L.T @ cho_solve((L, True), load)  # Lᵀ(a + c)
    measure = float(np.sum((q - center) ** 2))
    free = ready.rows.virtual.shape[1]
    if not free:
        return measure, np.zeros(0), np.zeros(0), 1.0
    particular = pseudo_inverse(ready.A, ready.rank) @ ready.b
    y = size * random.standard_normal((free, SAMPLES))
    z = L.T @ (particular[:, None] + ready.rows.virtual @ y)
    measures = np.sum((z - center[:, None]) ** 2, axis=0)
    return measure, measures - measure, np.sum((z - q[:, None]) ** 2, axis=0), float(np.max(measures))


def _law_checks(
    ready: Ready,
    L: Array,
    answers: Mapping[str, Answer],
    natural: Mapping[str, Answer],
    size: float,
    tolerance: float,
) -> list[Check]:
    """The laws, each at its worst over all principles, against the arrays as stated."""
    now, rows = ready.now, ready.rows
    V = rows.virtual  # M-orthonormal: forces on it have natural size
    met = motion = ideal = work = split = made = longer_by = 0.0
    for name, answer in answers.items():
        unbalanced = ready.force(now.M @ answer.acceleration - now.Q - answer.force)
        met = max(met, _largest(ready.right(now.A @ answer.acceleration - now.b) + ready.unmet))
        motion = max(motion, _largest(solve_triangular(L, unbalanced, lower=True)))
        ideal = max(ideal, _largest(V.T @ ready.force(answer.ideal)))
        work = max(work, _largest(V.T @ ready.force(answer.force - now.C)))
        exerted = ready.force(now.A.T @ answer.multipliers - answer.ideal)
        made = max(made, _largest(solve_triangular(L, exerted, lower=True)))
        longer_by = max(longer_by, off_range(ready.decided.natural, answer.multipliers))
        one, two = natural[name].ideal, natural[name].nonideal
        longer = max(float(np.linalg.norm(one)), float(np.linalg.norm(two))) or 1.0
        split = max(split, abs(float(one @ two)) / longer)
    checks = [
        Check("dynamics", motion / size, tolerance, "M q̈ = Q + Qᶜ, with the mass matrix as stated"),
        Check("constraints", met / size, tolerance, "A q̈ = b: the acceleration is possible"),
        Check("ideal work", ideal / size, tolerance, "the ideal force does no virtual work"),
        Check("virtual work", work / size, tolerance, "vᵀQᶜ = vᵀC: the force does the work prescribed"),
        Check("multipliers", made / size, tolerance, "Aᵀλ is the ideal force"),
        Check("orthogonality", split / size, tolerance, "the two parts of q̈ − a are M-orthogonal"),
    ]
    if rows.rank < now.m:
        unmet = _largest(ready.unmet / (max(_largest(ready.b + ready.unmet), size) + ready.sizes))
        checks += [
            Check("least norm", longer_by, tolerance, "λ is orthogonal to all that redundant rows can share out anew"),
            Check("redundant rows", unmet, float(CONSISTENT), "dependent rows ask for the same thing"),
        ]
    return checks


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))
