"""What is generically true of expressions, tried at random points: modulo primes, and with balls where that may err.

What vanishes identically vanishes modulo every prime. What does not vanish there is different from zero, if residues
know all relations among the functions and constants in it; where they may not, a ball without zero proves it. Where
residues and balls disagree, the balls are followed, and nothing is proved.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import numpy as np
from sympy import Expr, Rational, Symbol

from dalembert.derive.exact.cases import Case, Countless, cases
from dalembert.derive.exact.germs import Germs
from dalembert.derive.exact.images import Constants
from dalembert.derive.exact.numbers import Unvalued
from dalembert.derive.exact.reals import BITS, Real
from dalembert.derive.exact.regions import points_with
from dalembert.derive.exact.residues import Points
from dalembert.derive.exact.unrelated import finest_of

ENOUGH = 3  # points at which all exists
PRIMES_DRAWN = 4  # primes that points take in turn
DRAWN = (4, 40, 640)  # points drawn, more where too few were good: each square root halves them
REALS, TRIES = 6, 48  # points of balls that are looked at, and that are tried
SPREADS = (1, 1, 3, Rational(1, 10), 10, 1, Rational(1, 1000), 30)  # sizes of their numbers
FINER = (1, 2, 8)  # times the bits of a ball, where one is too wide to tell
MOST_CASES = 32

T = TypeVar("T")


class Untried(Exception):
    """Nothing could be evaluated anywhere; the reason is the message."""


@dataclass(frozen=True)
class Evidence:
    """How something was found: by exact arithmetic modulo primes or by balls of 60 digits, at how many random points.

    `chance` is 0 where it is proved, and 1 where no bound of the chance of an error is known. `certain` is whether what
    did not vanish is proved not to, even where that the rest vanishes is not. `rounded`: decimals were taken for
    constants that they are but for rounding, and that is all that is not proved.
    """

    exact: bool
    points: int
    chance: float
    certain: bool = True
    rounded: bool = False

    @property
    def words(self) -> str:
        """In words."""
        if not self.chance:
            return "proved"
        if self.rounded:
            return "not proved: decimals are taken for what they are but for rounding"
        if not self.points:
            return "not tried"
        how = "exact arithmetic modulo primes" if self.exact else "arithmetic of 60 digits"
        return f"not proved: by {how} at {self.points} random point{'s' * (self.points != 1)}"


PROVED = Evidence(True, 0, 0.0)
BY_ROUNDING = Evidence(True, 0, 1.0, rounded=True)
UNTRIED = Evidence(False, 0, 1.0, False)


def tried(
    expressions: Sequence[Expr],
    variables: Sequence[Symbol],
    ask: Callable[[Germs], T],
    merge: Callable[[list[T]], T],
    order: int = 1,
    key: Callable[[T], Any] = lambda found: found,
) -> tuple[T, Evidence]:
    """What `ask` finds of jets of expressions at random points, in all cases of what switches in them.

    `merge` makes one answer of several: the most generic one. `key` is what of two answers must agree. Raises `Untried`
    where no point was found at which all exists.
    """
    trial = _Trial(expressions, variables, ask, merge, order, key)
    try:
        every = cases(expressions, MOST_CASES)
    except Countless:
        return trial.by_balls(None, {})
    if len(every) == 1:
        return trial.case(every[0])
    return trial.all_cases(every)


@dataclass(frozen=True)
class _Trial:
    """A question about expressions, asked at points of one kind or another."""

    expressions: Sequence[Expr]
    variables: Sequence[Symbol]
    ask: Callable[[Germs], Any]
    merge: Callable[[list[Any]], Any]
    order: int
    key: Callable[[Any], Any]

    def all_cases(self, every: Sequence[Case]) -> tuple[Any, Evidence]:
        """The most generic answer of the cases that occur; one that is not known to occur proves nothing."""
        symbols = sorted(set().union(*(e.free_symbols for e in self.expressions)), key=lambda s: s.sort_key())
        found: list[Any] = []
        doubtful: list[Any] = []
        evidence: list[Evidence] = []
        reason = ""
        for case in every:
            at = list(points_with(case.signs, symbols)) if case.signs else []
            try:
                answer, how = self.case(case, at)
            except Untried as error:
                reason = str(error)
                continue
            (found if at or not case.signs else doubtful).append(answer)
            evidence.append(how)
        if not found and not doubtful:
            raise Untried(reason)
        whole = self.merge(found or doubtful)
        settled = bool(found) and self.key(self.merge([whole, *doubtful])) == self.key(whole)
        exact, certain = all(e.exact for e in evidence), all(e.certain for e in evidence)
        return whole, Evidence(exact, min(e.points for e in evidence), 1.0, certain and settled)

    def case(self, case: Case, at: Sequence[Mapping[Symbol, float]] = ()) -> tuple[Any, Evidence]:
        """The answer in one case, near points at which it occurs."""
        smooth = [case.of(e) for e in self.expressions] if case.values else list(self.expressions)
        try:
            for numbers in _residues(smooth, self.variables):
                found = self.ask(Germs(numbers, self.variables, self.order, case.values))
                if (good := int(np.count_nonzero(numbers.good))) >= ENOUGH:
                    evidence = Evidence(True, good, 1.0)
                    if not numbers.assumed:
                        return found, evidence
                    return self._checked(found, evidence, case, at)
        except Unvalued:
            pass  # balls may know more
        return self.by_balls(case, at)

    def _checked(
        self, found: Any, evidence: Evidence, case: Case, at: Sequence[Mapping[Symbol, float]]
    ) -> tuple[Any, Evidence]:
        """The answer of residues that may have missed a relation, where balls prove it; else that of the balls."""
        answers: list[Any] = []
        for answer, sure in self._at_balls(case, at):
            answers.append(answer)
            if sure and self.key(self.merge(list(answers))) == self.key(found):
                return found, evidence
        if not answers:  # no point was found: nothing is proved
            return found, Evidence(True, evidence.points, 1.0, False)
        return self.merge(answers), Evidence(False, len(answers), 1.0, False)

    def by_balls(
        self, case: Case | None, at: "Sequence[Mapping[Symbol, float]] | Mapping[Any, Any]"
    ) -> tuple[Any, Evidence]:
        """The answer at points of balls alone."""
        every, sure = [], True
        try:
            for answer, certain in self._at_balls(case, list(at)):
                every.append(answer)
                sure &= certain
        except Unvalued as error:
            raise Untried(str(error)) from None
        if not every:
            raise Untried("no point was found at which all of it exists")
        return self.merge(every), Evidence(False, len(every), 1.0, sure and case is not None)

    def _at_balls(self, case: Case | None, at: Sequence[Mapping[Symbol, float]]) -> Iterator[tuple[Any, bool]]:
        """Answers at points of balls, and whether each is sure."""
        count = 0
        for attempt in range(TRIES):
            near = at[attempt % len(at)] if at else None
            for finer in FINER:
                real = self._drawn(attempt, near, BITS * finer)
                germs = Germs(real, self.variables, self.order, case.values if case else {})
                answer = self.ask(germs)
                if not real.good.all() or not self._inside(germs, case):
                    break
                if real.clear or finer == FINER[-1]:
                    count += 1
                    yield answer, real.sure
                    break
            if count == REALS:
                return

    def _drawn(self, attempt: int, near: Mapping[Symbol, float] | None, bits: int) -> Real:
        """A point of its own for each attempt, the same with more bits; near one that is given."""
        random = Random(attempt)
        if near is None:
            return Real(random, spread=SPREADS[attempt % len(SPREADS)], signs=attempt % 3 > 0, bits=bits)
        shaken = {s: x * (1 + random.uniform(-1e-7, 1e-7)) for s, x in near.items()}
        return Real(random, shaken, bits=bits)

    def _inside(self, germs: Germs, case: Case | None) -> bool:
        """Whether the functions that switch have the signs of a case at a point."""
        if case is None or not case.signs:
            return True
        return all(germs.jet(u)[0][0].sign == sign for u, sign in case.signs.items())


def _residues(expressions: Sequence[Expr], variables: Sequence[Symbol]) -> Iterator[Points]:
    """Points modulo primes in which the constants of the expressions have images."""
    constants = Constants.of(expressions)
    primes, finest = constants.primes(PRIMES_DRAWN), finest_of(expressions)
    for count in DRAWN:
        yield Points(variables, count, primes, seed=2, vary=True, constants=constants, finest=finest)


def vanishes(e: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether an expression is identically zero, tried at random points; only a zero can be an accident."""
    if e.is_Rational:
        return bool(e == 0)
    return tried([e], variables, lambda germs: germs.vanish(germs.jet(e)[:1]), all, 0)[0]


def is_closed(row: Sequence[Expr], variables: Sequence[Symbol]) -> bool:
    """Whether the form Σ a_i dx_i is closed: ∂a_i/∂x_j = ∂a_j/∂x_i for all pairs, tried at random points."""

    def ask(germs: Germs) -> bool:
        slopes = np.array([germs.slopes(a) for a in row])
        return germs.vanish((slopes - slopes.transpose(1, 0, 2)).reshape(-1, germs.numbers.count))

    return tried(row, variables, ask, all)[0]
