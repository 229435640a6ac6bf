"""What is derived along the samples of a motion: accelerations, forces, multipliers, energy, residuals."""

from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.derive.factors import without_factors
from dalembert.derive.switching.modes import SLIPS
from dalembert.derive.variants import with_exponents
from dalembert.engine import Along
from dalembert.model import Statement
from dalembert.motion.record import Episode
from dalembert.principles.least_norm import least_norm_along

AT_REST = 2.0**-20  # of the speed it has soon: a sliding speed that is rounding


class Derivation:
    """Evaluates a motion along states, each stretch in its mode, on the rows that were chosen for it."""

    def __init__(self, engine: Any, system: Statement, values: Array, episodes: tuple[Episode, ...]) -> None:
        self.engine, self._values, self._episodes = engine, values, episodes
        self._bared = without_factors(with_exponents(system, values))
        self._system = self._bared.statement
        self.programs: Any = None

    def along(self, times: Array, states: Array) -> Along:
        """Everything derived at times (k,) and states (k, 2n), with a multiplier for every constraint."""
        parts = [self._part(*each) for each in self.stretches(times, states)]
        return Along(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    @property
    def divides(self) -> bool:
        """Whether factors of rows are left out: the multipliers of these are divided by them."""
        return self._bared.any

    def residual(self, times: Array, states: Array) -> Array:
        """The left-hand side of every constraint as it was stated (k, m)."""
        m = len(self._system.constraints)
        parts = [self.engine.levels(setup, t, y)[:, :m] for setup, _, t, y in self.stretches(times, states)]
        found = np.concatenate(parts)
        return found * self._bared.at(times, states, self._values) if self._bared.any else found

    def stated_rows(self, times: Array, states: Array) -> tuple[Array, Array]:
        """M (k, n, n) and the rows as they were stated (k, m, n); those that are not in force are zero."""
        m, masses, rows = len(self._system.constraints), [], []
        for setup, episode, t, y in self.stretches(times, states):
            M, A = self.engine.mass_and_rows(setup, t, y)
            masses.append(M)
            rows.append(A[:, :m] * self._in_force(episode)[:, None])
        A = np.concatenate(rows)
        factors = self._bared.at(times, states, self._values) if self._bared.any else np.ones(A.shape[:2])
        return np.concatenate(masses), A * factors[:, :, None]

    def stretches(self, times: Array, states: Array) -> list[tuple[Any, Episode, Array, Array]]:
        """The setup of each stretch with its times and states."""
        begins = np.searchsorted(times, [e.time for e in self._episodes])
        begins[:1] = 0
        bounds = [*begins, len(times)]
        out = []
        for episode, i, j in zip(self._episodes, bounds[:-1], bounds[1:], strict=True):
            if j > i:
                setup = self.setup(episode, float(times[i]), states[i])
                for fit, mine in self._fitted(setup, times, states, slice(i, j)):
                    out.append((fit, episode, times[mine], states[mine]))
        return out

    def _fitted(self, setup: Any, times: Array, states: Array, mine: slice) -> list[tuple[Any, slice]]:
        """Setups whose weights of rows fit parts of a stretch, with these parts."""

        def light(fit: Any) -> Array:
            out: Array = self.engine.light(fit, self.engine.watch(fit, times[mine], states[mine]))
            return out

        if not setup.choice.augment or not (bad := light(setup)).any():
            return [(setup, mine)]
        better = self.engine.fitting(setup, times[mine][bad], states[mine][bad])
        middle = (mine.start + mine.stop) // 2
        if better is None or middle == mine.start or not light(better).any():
            return [(better or setup, mine)]
        halves = slice(mine.start, middle), slice(middle, mine.stop)
        return [each for half in halves for each in self._fitted(better, times, states, half)]

    def undirected(self, time: float, state: Array, later: float, then: Array) -> bool:
        """Whether a friction that slips in a plane has at a time no direction but by rounding: it moves later only."""
        (setup, episode, *_), *_ = self.stretches(np.array([time, later]), np.array([state, then]))
        assert episode.mode is not None
        rates = self.engine.watch(setup, np.array([time, later]), np.array([state, then])).rate
        sticks = self.programs.staged(episode.mode).sticks
        mine = [list(rows) for k, rows in sticks.items() if episode.mode.rubs[k] == SLIPS and len(rows) > 1]
        speeds = np.array([np.linalg.norm(rates[:, rows], axis=1) for rows in mine]).reshape(-1, 2)
        return bool((speeds[:, 0] <= AT_REST * speeds[:, 1]).any())

    def setup(self, episode: Episode, t: float, state: Array) -> Any:
        """The setup of a stretch."""
        if episode.mode is None:
            return self.engine.setup(self._system, self._values, t, state, episode.choice)
        if self.programs is None:
            from dalembert.motion.hybrid.programs import Programs

            self.programs = Programs(self.engine, self._system, self._values)
        return self.programs.setup(episode.mode, t, state)

    def _at_rest(self, found: Along, setup: Any, times: Array, states: Array) -> Along:
        """The same where powers below zero of what is zero have no value of their own: v|v|^(−1/2) is none at rest."""
        bad = np.flatnonzero(~np.isfinite(found.acceleration).all(axis=1))
        if not len(bad) or not len(self.engine.roots(setup)):
            return found
        zero = self.engine.watch(setup, times[bad], states[bad]).radicands == 0
        columns = [np.array(column) for column in found]
        for k, off in zip(bad, zero, strict=True):
            if off.any():
                rest = setup.resting(np.flatnonzero(off).tolist())
                now = self.engine.along(rest, times[k : k + 1], states[k : k + 1])
                for column, value in zip(columns, now, strict=True):
                    column[k] = value[0]
        return Along(*columns)

    def _part(self, setup: Any, episode: Episode, times: Array, states: Array) -> Along:
        found: Along = self.engine.along(setup, times, states)
        if self.engine.name != "plain":
            found = self._at_rest(found, setup, times, states)
        m = len(self._system.constraints)
        found = found._replace(multipliers=found.multipliers[:, :m], reactions=found.reactions[:, :m])
        factors = self._bared.at(times, states, self._values) if self._bared.any else None
        if factors is not None:
            found = found._replace(
                multipliers=_over(found.multipliers, factors), reactions=_over(found.reactions, factors)
            )
        return self._shortest(found, setup, episode, times, states, factors)

    def _in_force(self, episode: Episode) -> Array:
        """Which constraints hold in a stretch (m,): all but contacts that are open."""
        out = np.ones(len(self._system.constraints), dtype=bool)
        if episode.mode is not None:
            for j in self.programs.switches.one_sided:
                out[j] = j in episode.mode.closed
        return out

    def _shortest(
        self, found: Along, setup: Any, episode: Episode, times: Array, states: Array, factors: Array | None
    ) -> Along:
        """The same with the multipliers of least norm, as rows were stated, where some are redundant."""
        m = len(self._system.constraints)
        plain = self.engine.name == "plain"
        used = self.engine.in_force([setup])[0][:m].astype(bool)
        rank = setup.rank if plain else int(used.sum())
        in_force = self._in_force(episode)
        if rank == int(in_force.sum()) or (plain and factors is None):  # principles have found the shortest themselves
            return found
        rows = np.flatnonzero(in_force)
        M, A = self.engine.mass_and_rows(setup, times, states)
        A = A[:, rows] if factors is None else A[:, rows] * factors[:, rows, None]
        columns = found.multipliers[:, rows], found.reactions[:, rows]
        known = np.isfinite(np.hstack([part.reshape(len(times), -1) for part in (M, A, *columns)])).all(axis=1)
        shorter = least_norm_along(M[known], A[known], rank, *(column[known] for column in columns))
        out = []
        for given, part in zip((found.multipliers, found.reactions), shorter, strict=True):
            spread = np.where(known[:, None], 0.0, given)
            spread[np.ix_(known, rows)] = part
            out.append(spread)
        return found._replace(multipliers=out[0], reactions=out[1])


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _over(multipliers: Array, factors: Array) -> Array:
    """Multipliers of rows as they were stated; infinite where they are too large for a float, as λ eᵗ becomes."""
    out: Array = np.where(multipliers == 0, 0.0, multipliers / factors)
    return out
