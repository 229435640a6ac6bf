"""Equations of motion in as many velocities as there are degrees of freedom (Maggi, Kane, Appell).

With independent velocities u = U q̇ + u₀ and independent rows A q̈ = b,

    [A; U] V = [0; I],   [A; U] p = [b; −U̇q̇ − u̇₀]   give   q̈ = V u̇ + p   and   VᵀMV u̇ = Vᵀ (Q + C − M p).

The columns of V span the virtual displacements, so the ideal constraint force has no part in it. Where every row is
linear in velocity, q̇ = V u + w and p = V̇u + ẇ; else V and p depend on q̇. No generalized inverse is formed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Dummy, Expr, ImmutableDenseMatrix, Matrix

from dalembert.derive.algebra import Symbols
from dalembert.derive.closed import EFFORT, dense, shortened, while_in_contact
from dalembert.derive.evaluate import Array
from dalembert.derive.independence import Independence, independence, samples
from dalembert.derive.least import numbers as in_numbers
from dalembert.derive.least.maggi import Attempts, dynamics, kinematics, short, singular, stack
from dalembert.derive.least.pivots import contradictory_rates, free_columns
from dalembert.derive.least.quasi import Chosen, dependence_faults, read_velocities
from dalembert.derive.linear import solve
from dalembert.derive.prepared import Prepared, prepared
from dalembert.model import ModelError, OneSided, Statement, multiplier, name_of, refuse


@dataclass(frozen=True)
class MinimalForm:
    """Symbolic V, w, p and VᵀMV u̇ = Vᵀ(Q + C − M p) for n coordinates and r velocities u, and the same in numbers.

    `velocities` (r) are u, velocities of the system or new functions of time, and `definitions` what they are. V is
    (n, r), w and p (n, 1), `mass` VᵀMV (r, r), `force` (r, 1), `solved` u̇ (r, 1). Where the rows are `linear` in
    velocity all are written in q, u and t, and q̇ = V u + w; else in q, q̇ and t, and w is None. What would be too long
    to be read is None too, and a note says so; numbers do not depend on it. `independent` are the rows used, `singular`
    expressions that vanish where u no longer determines q̇, and `contacts` those that count as closed.
    """

    system: Statement
    velocities: tuple[Expr, ...]
    definitions: tuple[Expr, ...]
    linear: bool
    V: ImmutableDenseMatrix | None
    w: ImmutableDenseMatrix | None
    p: ImmutableDenseMatrix | None
    mass: ImmutableDenseMatrix | None
    force: ImmutableDenseMatrix | None
    solved: ImmutableDenseMatrix | None
    singular: tuple[Expr, ...]
    independent: tuple[int, ...]
    notes: tuple[str, ...] = ()
    contacts: tuple[OneSided, ...] = ()

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """The coordinates of the system."""
        return self.system.coordinates

    def acceleration(
        self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None
    ) -> Array:
        """q̈ (n,) at a state, by way of u̇; every principle gives the same.

        Raises `StateError` where the state is incomplete or u does not determine q̇ there, and what principles raise.
        """
        return in_numbers.acceleration(self, state, t, parameters)

    def rates(self, t: float, y: Any, parameters: Mapping[Any, Any] | None = None) -> Array:
        """ẏ for `scipy.integrate.solve_ivp`: y = (q, u), n + r numbers; y = (q, q̇) where rows are not linear."""
        return in_numbers.rates(self, t, y, parameters)

    def pack(self, state: Mapping[Any, Any], t: float = 0.0, parameters: Mapping[Any, Any] | None = None) -> Array:
        """y = (q, u) of a state on the constraints; (q, q̇) where rows are not linear. Raises `StateError` off them."""
        return in_numbers.pack(self, state, t, parameters)

    def unpack(self, y: Any, t: float = 0.0, parameters: Mapping[Any, Any] | None = None) -> dict[Expr, float]:
        """The state, by coordinates and velocities, that y stands for."""
        return in_numbers.unpack(self, y, t, parameters)


def minimal(system: Statement, velocities: Any = None, units: float = EFFORT) -> MinimalForm:
    """The equations of motion in independent velocities: those given, or those an elimination of the rows leaves free.

    `units` is the effort that may be spent on writing them out. Raises ModelError with every fault of `velocities`:
    names, count, linearity, dependence on the constraints.
    """
    kept, known = prepared(system), independence(system)
    parts, tries = shortened(dense(kept.derived), units / 3), Attempts(units)
    own = parts["A"].extract(list(known.rows), list(range(len(system.coordinates))))
    chosen = _chosen(system, velocities, known, own, kept.algebra, units)
    stacked, linear = stack(kept, known.rows, chosen, parts)
    u = [_symbol(s, system, kept.algebra) for s in chosen.symbols]
    notes = [*known.notes, *_remarks(system, kept, known)]
    found: dict[str, Any] = dict.fromkeys(("V", "w", "p", "mass", "force", "solved"))
    found |= tries.attempt("q̇ = V u + w", lambda: kinematics(stacked, u, linear, kept.algebra), notes) or {}
    if found["V"] is not None:
        found |= tries.attempt("VᵀMV u̇", lambda: dynamics(parts, found, u, linear, kept.algebra), notes) or {}
    if found["mass"] is not None and u:
        found["solved"] = tries.attempt("u̇", lambda: short(solve(found["mass"], found["force"])), None)
    vanish = tries.attempt("where u becomes dependent", lambda: singular(stacked.K, kept.algebra), notes)
    names = {lam: multiplier(c.name) for lam, c in zip(kept.algebra.lam, system.constraints, strict=True)}
    shown = {**names, **{a: s for a, s in zip(u, chosen.symbols, strict=True) if a not in kept.algebra.v}}
    contacts = tuple(c for c in system.constraints if isinstance(c, OneSided))
    written: dict[str, Any] = {
        name: None if matrix is None else ImmutableDenseMatrix(_shown(matrix, shown, kept.algebra))
        for name, matrix in found.items()
    }
    return MinimalForm(
        system,
        chosen.symbols,
        chosen.definitions,
        linear,
        **written,
        singular=tuple(_shown(e, shown, kept.algebra) for e in vanish or ()),
        independent=known.rows,
        notes=(*notes, *while_in_contact(contacts)),
        contacts=contacts,
    )


def _chosen(system: Statement, given: Any, known: Independence, own: Matrix, algebra: Symbols, units: float) -> Chosen:
    """The velocities given, without fault, or chosen."""
    subject = f"System {system.name!r}" if system.name else "System"
    names = [c.name for c in system.constraints]
    if known.contradictory:
        against = ", ".join(repr(names[i]) for i in known.contradictory)
        raise ModelError(subject, [f"no motion satisfies all rows: the rows before contradict {against}"])
    tried, begins = samples(system)
    if rates := contradictory_rates(tried, known.rows):
        against = ", ".join(repr(names[i]) for i in rates)
        raise ModelError(subject, [f"no velocity satisfies all rows: the rows before contradict {against}"])
    n, k = len(system.coordinates), len(known.rows)
    if given is None:
        free = free_columns(own, algebra, tried, known.rows, begins, units / 5)
        left = tuple(system.velocities[j] for j in free)
        return Chosen(left, left)
    faults: list[str] = []
    chosen = read_velocities(system, given, faults)
    if not faults and len(chosen.symbols) != n - k:
        listed = ", ".join(map(name_of, chosen.symbols)) or "none"
        count = f"{len(chosen.symbols)} given ({listed}), {n - k} needed"
        faults.append(f"velocities: {count}, the number of coordinates, {n}, less that of independent rows, {k}")
    if not faults:
        faults += dependence_faults(system, chosen, known.rows, tried)
    refuse(ModelError, subject, faults)
    return chosen


def _remarks(system: Statement, kept: Prepared, known: Independence) -> Iterator[str]:
    """What has to be said of redundant rows and of friction."""
    if len(known.rows) < len(system.constraints):
        left = ", ".join(repr(c.name) for i, c in enumerate(system.constraints) if i not in known.rows)
        yield f"redundant rows: {left} follow from the others, and are not used"
    work = [*kept.derived.C, *(f.size for f in kept.derived.friction)]
    if any(e.free_symbols & set(kept.algebra.lam) for e in work):
        actual = any(f.row is not None for f in kept.derived.friction)
        which = "of the force there is, Qᶜ = C + Aᵀλ" if actual else "the constraints would have were they ideal"
        yield f"λ are the multipliers {which}; numbers are found together with them"


def _symbol(symbol: Expr, system: Statement, algebra: Symbols) -> Expr:
    """What stands for u in the algebra: a velocity of the system as it does there, a new one as a symbol of its own."""
    if symbol in system.velocities:
        return algebra.v[system.velocities.index(symbol)]
    return Dummy(name_of(symbol), real=True)


def _shown(e: Any, names: Mapping[Expr, Expr], algebra: Symbols) -> Any:
    return algebra.restore(e).xreplace(names)
