"""Ways to the nearest place outside of contacts: onto what they leave of a surface, and along it until none is nearer.

    minimise ½ zᵀ W z   over   c(x) = 0 and g(x) ≥ 0,        z = x − origin

From any place first to where all holds, by Gauss-Newton with inequalities: the least step with c + ∂c = 0, g + ∂g ≥ 0.
From there along the surface of the rows and the contacts that are closed. Where the way leads into a contact, that is
closed from there on; where it ends and a contact would have to pull, that is let go (active sets; Nocedal and Wright
2006, 16.5).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dalembert.model import StateError
from dalembert.motion.starts.nearest_point import Point
from dalembert.motion.starts.search import search_from
from dalembert.motion.starts.surface import RANK, TINY, Frame, Problem, onto_surface
from dalembert.principles.one_sided import least_above

Array = np.ndarray
STEPS, HALVINGS = 40, 10  # on the way out of contacts, and of each of them, at most
BISECTIONS = 12  # of a way, to about where a contact is met
INSIDE = 1e-9  # of what x makes up: less of a gap than minus this is inside of it
TURNS = 8  # for every contact: so many times one may be closed or let go on a way
PULLS = 1e-7  # of the change, in its metric: a contact that pulls by less than this does not


@dataclass(frozen=True, eq=False)
class Outside:
    """What contacts leave of a surface, for places x (k,).

    `problem` takes the contacts that are closed, the last rows of it; `gaps` are those that may close, `inside` says
    which a place is inside of, `on` whether it is on the surface with some of them closed.
    """

    problem: Callable[[tuple[int, ...]], Problem]
    gaps: tuple[int, ...]
    inside: Callable[[Array], Collection[int]]
    on: Callable[[Array, tuple[int, ...]], bool]

    @cached_property
    def _whole(self) -> Problem:
        return self.problem(self.gaps)

    def nearest(self, x: Array, reach: float, known: Sequence[tuple[Point, tuple[int, ...]]]) -> "Closed | None":
        """The local minimum that the way from x leads to, with the contacts that are closed there; None without one.

        Of `known` ones none is looked for again.
        """
        with np.errstate(all="ignore"):
            try:
                place = self._let_out(x)
                return None if place is None else self._along(place, reach, known)
            except (StateError, np.linalg.LinAlgError):
                return None

    def _let_out(self, x: Array) -> Array | None:
        """A place near x where all holds."""
        x = self._whole.beginning(x)
        for _ in range(STEPS):
            c, J = self._whole.rows(x)
            left, rows, hard = self._scaled(c, J)
            most = _missed(left, hard)
            if most <= TINY * TINY * max(1.0, float(np.abs(x).max(initial=0.0))):
                break
            step = _least_step(left, rows, hard)
            for half in range(HALVINGS):
                trial = x + step * 0.5**half
                now = self._scaled(self._whole.rows(trial)[0], J)[0]
                if _missed(now, hard) < (1 - 0.1 * 0.5**half) * most:
                    x = trial
                    break
            else:
                return None
        x = onto_surface(self.problem(()), x)
        return x if self.on(x, ()) and not self.inside(x) else None

    def _scaled(self, c: Array, J: Array) -> tuple[Array, Array, int]:
        """Rows of length one, and how many of them are two-sided."""
        length = np.linalg.norm(J, axis=1)
        length = np.where(length > 0, length, 1.0)
        return c / length, J / length[:, None], len(c) - len(self.gaps)

    def _along(self, x: Array, reach: float, known: Sequence[tuple[Point, tuple[int, ...]]]) -> "Closed | None":
        """From a place outside of contacts to where none beside it is nearer."""
        closed: tuple[int, ...] = ()
        for _ in range(TURNS * (len(self.gaps) + 1)):
            problem = self.problem(closed)
            own = [point for point, contacts in known if contacts == closed]
            ends = search_from(problem, self._on(closed), [x], own, reach)
            if not ends:
                return None
            end = ends[0]
            if self._deepest(end.x, closed) is not None:
                x, met = self._until_met(problem, closed, x, end.x)
                closed = tuple(sorted({*closed, met}))
                x = onto_surface(self.problem(closed), x)
                continue
            pulls = pulling(end, problem, len(closed))
            if not (pulls > PULLS).any():
                return None if set(self.inside(end.x)) - set(closed) else Closed(end, closed)
            worst = closed[int(np.argmax(pulls))]
            x, closed = end.x, tuple(r for r in closed if r != worst)
        return None

    def _on(self, closed: tuple[int, ...]) -> Callable[[Array], bool]:
        return lambda x: self.on(x, closed)

    def _until_met(self, problem: Problem, closed: tuple[int, ...], x: Array, end: Array) -> tuple[Array, int]:
        """About where a straight way along the surface first meets a contact, and which."""
        low, high, place, met = 0.0, 1.0, x, self._deepest(end, closed)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            there = onto_surface(problem, x + middle * (end - x))
            deep = self._deepest(there, closed)
            if deep is None:
                low, place = middle, there
            else:
                high, met = middle, deep
        assert met is not None  # the end is inside of it
        return place, met

    def _deepest(self, x: Array, closed: tuple[int, ...]) -> int | None:
        """The contact that a place is deepest inside of, but for those closed and for rounding; None where of none."""
        c, J = self._whole.rows(x)
        hard = len(c) - len(self.gaps)
        size = np.maximum(np.linalg.norm(J, axis=1), np.abs(J) @ np.abs(x))[hard:]
        depth = np.where(np.isin(self.gaps, closed), 0.0, -c[hard:] / np.where(size > 0, size, 1.0))
        deepest = int(np.argmax(depth))
        return self.gaps[deepest] if depth[deepest] > INSIDE else None


@dataclass(frozen=True)
class Closed:
    """A local minimum and the contacts that are closed there."""

    point: Point
    contacts: tuple[int, ...]


def pulling(point: Point, problem: Problem, closed: int) -> Array:
    """How much each of the closed contacts, the last rows, pulls, as a part of the change: W z = −Jᵀλ, λ > 0."""
    hard = max(len(point.multipliers) - closed, 0)
    J = problem.rows(point.x)[1][hard:]
    size = float(np.linalg.norm(problem.pull(point.x)))
    pulls: Array = point.multipliers[hard:] * np.linalg.norm(J, axis=1)
    return pulls / size if size > 0 else np.where(pulls > 0, np.inf, 0.0)


def _missed(left: Array, hard: int) -> float:
    """How far a place is off rows of length one, the first `hard` of them two-sided."""
    return float(np.linalg.norm(np.concatenate([left[:hard], np.minimum(left[hard:], 0.0)])))


def _least_step(left: Array, rows: Array, hard: int) -> Array:
    """The least step after which all holds to first order; where there is none, by least squares of what does not."""
    across = rows[:hard]
    held = -np.linalg.lstsq(across, left[:hard], rcond=RANK)[0] if hard else np.zeros(rows.shape[1])
    along = Frame(across).along
    G, h = rows[hard:] @ along, -(left[hard:] + rows[hard:] @ held)
    length = np.linalg.norm(G, axis=1)
    free = length > RANK
    least = least_above(G[free] / length[free, None], h[free] / length[free]) if (h[~free] <= TINY).all() else None
    if least is not None:
        step: Array = held + along @ least[0]
        return step
    short = np.concatenate([np.ones(hard, dtype=bool), left[hard:] < 0])
    return np.asarray(-np.linalg.lstsq(rows[short], left[short], rcond=RANK)[0])
