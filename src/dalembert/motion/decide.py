"""Which mode a system is in at a state, and from then on: decided by the laws of contact and friction, never guessed.

What the state leaves open (a contact that touches, a sliding velocity or a switching function that is zero) is tried
out: every mode that may be is asked what it would do, and whether it then is what it says. Where that is a matter of
the next derivative, the compiled stage shows its first moments.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from sympy import Symbol

from dalembert.derive import Array
from dalembert.derive.switching.contact import probe
from dalembert.derive.switching.modes import BACKWARD, FORWARD, OFF, SLIPS, STICKS, Mode, Switches
from dalembert.derive.switching.stages import Meaning
from dalembert.derive.switching.surfaces import moves_by_itself
from dalembert.motion.laws import Lay, Outcome, Scene

ZERO = 1e-10  # a speed or force this small, relative to those there are, is none
NEAR = 3e-14  # and a gap, relative to the coordinates: it is exact, but for rounding
FAR = 1e-6  # of the largest coordinate or velocity: what a gap or a speed is measured by at the least
TIE = 1e-9  # a margin this small leaves a condition open
MOST = 4096  # modes looked at, at most


class Paradox(Exception):
    """Friction and rigidity leave no motion, or more than one."""


@dataclass(frozen=True, eq=False)
class Decided:
    """A mode, with the state (2n,) it begins with, and what it does."""

    mode: Mode
    state: Array
    outcome: Outcome


class Judge:
    """Decides the modes of one system with one set of parameter values."""

    def __init__(self, switches: Switches, values: dict[Symbol, float]) -> None:
        self.switches, self.values = switches, values
        n = len(switches.form.coordinates)
        self.places, self.speeds = np.zeros(n), np.zeros(n)  # the largest of each coordinate and velocity so far
        self.scales = np.zeros(len(switches.gated.gates))  # of the switching functions

    def scene(self, t: float, state: Array, signs: tuple[int, ...]) -> Scene:
        """The numbers at a state with these signs of the switching functions."""
        gated = self.switches.gated
        numbers = probe(self.switches, gated.cases(signs))
        known = (
            self.values | {g.symbol: float(s) for g, s in zip(gated.gates, signs, strict=True)}
            if signs
            else self.values
        )
        inputs = numbers.inputs(state, t, known)
        self.seen(np.abs(state))
        return Scene(numbers, inputs, numbers.at(inputs))

    def seen(self, largest: Array) -> None:
        """Take note of the sizes of coordinates and velocities (2n or more)."""
        n = len(self.places)
        self.places = np.maximum(self.places, largest[:n])
        self.speeds = np.maximum(self.speeds, largest[n : 2 * n])

    @property
    def size(self) -> float:
        """The largest coordinate so far."""
        return float(self.places.max())

    @property
    def speed(self) -> float:
        """The largest velocity so far."""
        return float(self.speeds.max())

    def pace(self, row: Array) -> float:
        """The largest speed along a covector (n,) so far, by the coordinates it contains."""
        return max(float(np.abs(row) @ self.speeds), FAR * self.speed * float(np.linalg.norm(row)))

    def touching(self, scene: Scene) -> list[int]:
        """The one-sided constraints whose gap is closed."""
        now = scene.now
        t = scene.inputs[2 * len(now.Q)]
        return [j for j in self.switches.one_sided if now.level[j] <= NEAR * self.extent(scene, t, j)]

    def extent(self, scene: Scene, t: float, j: int) -> float:
        """What a gap is measured by: its coordinates, and where it moves by itself, the way gone in all time."""
        row = np.abs(scene.now.A[j])
        way = abs(t) * float(row @ self.speeds) if scene.probe.moving[j] else 0.0
        return max(float(row @ self.places), way, FAR * self.size * float(np.linalg.norm(row)), 1e-300)

    def closing(self, scene: Scene, j: int) -> int:
        """Whether a contact that touches closes (−1), parts (1) or neither (0)."""
        bound = ZERO * self.pace(scene.now.A[j])
        rate = scene.now.rate[j]
        return 0 if abs(rate) <= bound else int(np.sign(rate))

    def signs(self, t: float, state: Array, before: tuple[int, ...], lam: Array) -> tuple[tuple[int, ...], list[int]]:
        """The sign of each switching function, those before where it is zero; and which are zero."""
        signs = list(before)
        zero: list[int] = []
        if not signs:
            return (), []
        for _ in range(len(signs) + 1):
            scene = self.scene(t, state, tuple(signs))
            found, zero = list(signs), []
            for g in range(len(signs)):
                value = scene.probe.function(g, scene.inputs, lam)
                if value is None:
                    continue
                if abs(value) <= ZERO * self.scale(scene, g, lam):
                    zero.append(g)
                else:
                    found[g] = 1 if value > 0 else -1
            if found == signs:
                break
            signs = found
        return tuple(signs), zero

    def scale(self, scene: Scene, g: int, lam: Array) -> float:
        """How large a switching function has been, or is about here: its largest change when one input goes to zero."""
        if self.scales[g]:
            return float(self.scales[g])
        base = scene.probe.function(g, scene.inputs, lam) or 0.0
        found = abs(base)
        n2 = 2 * len(scene.now.Q)
        for i, x in enumerate((*scene.inputs[: n2 + 1], *lam)):
            if x:
                inputs, forces = list(scene.inputs), lam.copy()
                if i <= n2:
                    inputs[i] = 0.0
                else:
                    forces[i - n2 - 1] = 0.0
                changed = scene.probe.function(g, inputs, forces)
                found = max(found, abs(changed - base)) if changed is not None else found
        return found

    def modes(
        self, t: float, state: Array, before: Mode, fired: Meaning | None, zero: list[int], signs: tuple[int, ...]
    ) -> Iterator[Decided]:
        """The modes that may be, the likeliest first: strictly, or where it is open."""
        weak: list[Decided] = []
        options = [[*_first(signs[g])] for g in zero]
        for picked in product(*options):
            chosen = list(signs)
            for g, s in zip(zero, picked, strict=True):
                chosen[g] = s
            yield from self._with_signs(t, state, before, fired, tuple(chosen), weak)
        yield from weak
        scene = self.scene(t, state, signs)
        along = [g for g in zero if g in scene.probe.slides and self._stays(scene, g)]
        for count in range(1, len(along) + 1):
            for on in combinations(along, count):
                rest = [g for g in zero if g not in on]
                for picked in product(*(_first(signs[g]) for g in rest)):
                    new = {**dict.fromkeys(on, 0), **dict(zip(rest, picked, strict=True))}
                    late: list[Decided] = []
                    mixed = tuple(new.get(g, s) for g, s in enumerate(signs))
                    yield from self._with_signs(t, state, before, fired, mixed, late)
                    yield from late

    def _stays(self, scene: Scene, g: int) -> bool:
        """Whether the motion goes along a surface: it has no velocity across it, where it is one of places."""
        row = scene.probe.slides[g]
        return bool(abs(scene.now.speed[row]) <= ZERO * self.pace(scene.now.J[row]))

    def _with_signs(
        self, t: float, state: Array, before: Mode, fired: Meaning | None, signs: tuple[int, ...], weak: list[Decided]
    ) -> Iterator[Decided]:
        scene = self.scene(t, state, signs)
        touching = [j for j in self.touching(scene) if self.closing(scene, j) <= 0]
        scene = replace(scene, undecided=tuple(touching))
        strict: list[Decided] = []
        for count, (mode, slow) in enumerate(self._possible(scene, before, fired, signs)):
            if count > MOST:
                raise Paradox(
                    f"more than {MOST} ways to go on would have to be tried: too much touches or rubs at once"
                )
            outcome = scene.solve(mode, slow)
            if outcome is None:
                continue
            margin = min(outcome.margins, default=1.0)
            if margin < -TIE:
                continue
            found = Decided(*self.held(scene, mode), outcome)
            if margin > TIE:
                strict.append(found)
                if not self.switches.actual:
                    yield found
                    return
            else:
                weak.append(found)
        self._unique(strict)
        yield from strict

    def _unique(self, found: list[Decided]) -> None:
        """Refuse two modes that differ in what presses, not in whether friction sticks, and move differently."""
        for one, other in combinations(found, 2):
            same = all(a == b or OFF in (a, b) for a, b in zip(one.mode.rubs, other.mode.rubs, strict=True))
            a, b = one.outcome.acceleration, other.outcome.acceleration
            if same and np.abs(a - b).max() > TIE * (np.abs(a).max() + np.abs(b).max()):
                words = f"({self.switches.words(one.mode)}) and ({self.switches.words(other.mode)})"
                raise Paradox(f"more than one motion is possible (Painlevé): {words}")

    def _possible(
        self, scene: Scene, before: Mode, fired: Meaning | None, signs: tuple[int, ...]
    ) -> Iterator[tuple[Mode, dict[int, bool]]]:
        """Every mode the state allows, the likeliest first, with the frictions that are at rest in it."""
        switches, undecided = self.switches, scene.undecided
        for open_count in range(len(undecided) + 1):
            for opened in combinations(undecided, open_count):
                mode = Mode(closed=tuple(j for j in undecided if j not in opened), signs=signs)
                active = switches.active(mode)
                slow: dict[int, bool] = {}
                choices: list[list[str]] = []
                bases: list[tuple[tuple[int, ...], int]] = []
                for k, rub in enumerate(switches.rubs):
                    rough = any(scene.rough[j] for j in switches.rubbing(rub, mode))
                    lay = scene.lay(k, active) if rough else None
                    bases.append((lay.basis, lay.chart) if lay is not None else ((), -1))
                    if lay is None or not len(lay.J):
                        choices.append([OFF])
                    else:
                        slow[k] = self.at_rest(lay, fired, k)
                        choices.append(_states(lay, slow[k], fired, k))
                for rubs in product(*choices):
                    shaped = replace(mode, rubs=rubs, bases=tuple(bases))
                    for normals in self._normals(scene, shaped, before, fired):
                        yield replace(shaped, normals=normals), slow

    def at_rest(self, lay: Lay, fired: Meaning | None, k: int) -> bool:
        """Whether a friction does not slide: it has just stopped, or its speed is none."""
        return fired == Meaning("stop", k) or float(np.linalg.norm(lay.s)) <= ZERO * self.pace_of(lay)

    def pace_of(self, lay: Lay) -> float:
        """The largest speed of a friction so far."""
        return max(self.pace(row) for row in lay.J)

    def _normals(self, scene: Scene, mode: Mode, before: Mode, fired: Meaning | None) -> Iterator[tuple[int, ...]]:
        """The signs of the forces behind frictions: given where these are ideal and not zero, else both."""
        switches = self.switches
        active, ideal = switches.active(mode), scene.rows(mode).ideal
        size = max(
            scene.length(scene.now.Q),
            max((scene.length(x * a) for x, a in zip(ideal, scene.now.A, strict=True)), default=0.0),
        )
        options: list[list[int]] = []
        for e, j in zip(before.normals or (1,) * len(switches.pressed), switches.pressed, strict=True):
            (row,) = scene.probe.pressing[j]
            turned = fired == Meaning("normal", j)
            if j not in active:
                options.append([e])
            elif switches.follows_actual(j) or turned or abs(ideal[row]) * scene.length(scene.now.A[row]) <= TIE * size:
                options.append([-e, e] if turned else [e, -e])
            else:
                options.append([1 if ideal[row] > 0 else -1])
        yield from product(*options)

    def held(self, scene: Scene, mode: Mode) -> tuple[Mode, Array]:
        """A mode with what is at rest for good in it, and the state (2n,) on its rows."""
        q, v = scene.in_contact(mode), scene.on_rows(mode).copy()
        still = self._still(scene, mode, v)
        v[list(still)] = 0.0
        return replace(mode, still=still), np.concatenate([q, v])

    def _still(self, scene: Scene, mode: Mode, v: Array) -> tuple[int, ...]:
        """The coordinates that rows among themselves leave no freedom, at rest and not moved by time."""
        R, n = scene.rows(mode).R, len(v)
        used, moving = self._used(scene, mode)
        group = list(range(n))
        for row in used:
            joined = {group[i] for i in np.flatnonzero(row)}
            group = [min(joined) if g in joined else g for g in group]
        out: list[int] = []
        for name in set(group):
            places = [i for i in range(n) if group[i] == name]
            rows = [r for r in range(len(R)) if used[r, places].any()]
            if not rows or any(moving[r] for r in rows) or (np.abs(v[places]) > ZERO * self.speeds[places]).any():
                continue
            block = R[rows][:, places]
            lengths = np.linalg.norm(block, axis=1, keepdims=True)
            if np.linalg.matrix_rank(block / np.where(lengths > 0, lengths, 1.0), tol=1e-8) == len(places):
                out += places
        return tuple(sorted(out))

    def _used(self, scene: Scene, mode: Mode) -> tuple[Array, list[bool]]:
        """Which coordinates the rows of a mode contain, whatever their values here, and which rows time moves."""
        probe, m, active = scene.probe, len(scene.now.b), self.switches.active(mode)
        rows, moving = [probe.pattern[list(active)]], [probe.moving[j] for j in active]
        for k, state in enumerate(mode.rubs):
            if state != STICKS:
                continue
            rub = self.switches.rubs[k]
            own = np.zeros((len(scene.lay(k, active).J), probe.pattern.shape[1]), dtype=bool)
            own[:, list(rub.particle)] = True
            rows.append(probe.pattern[[m + i for i in probe.places[k]]] if rub.sliding else own)
            moving += [self.switches.drifts(k)] * len(own)
        surfaces = [g for g, sign in enumerate(mode.signs) if not sign]
        rows.append(probe.pattern[[m + probe.slides[g] for g in surfaces]])
        moving += [moves_by_itself(probe.functions[g]) for g in surfaces]
        return np.vstack(rows), moving


def _states(lay: Lay, rest: bool, fired: Meaning | None, k: int) -> list[str]:
    """The states of a friction to try, in order."""
    if not rest:
        return [SLIPS] if len(lay.J) > 1 else [FORWARD if lay.s[0] > 0 else BACKWARD]
    ways = [FORWARD, BACKWARD] if len(lay.J) == 1 else [SLIPS]
    if fired is not None and fired.place == k and fired.kind in ("up", "down", "hold"):
        return [*(reversed(ways) if fired.kind == "up" else ways), STICKS]
    return [STICKS, *ways]


def _first(sign: int) -> tuple[int, int]:
    return (sign, -sign) if sign else (1, -1)
