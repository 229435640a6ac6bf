"""Sparse gradients of SymPy expressions over their graph: each distinct sub-expression is differentiated once.

SymPy's own `diff` takes one variable at a time and asks each node many questions; a Lagrangian is a few shared parts
used over and over, which is what this keeps.
"""

from collections import defaultdict
from collections.abc import Sequence

from sympy import (
    Abs,
    Add,
    Expr,
    Function,
    Ge,
    Heaviside,
    Le,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    S,
    Symbol,
    ceiling,
    floor,
    log,
    sign,
)
from sympy.core.function import AppliedUndef, ArgumentIndexError

Slopes = dict[Symbol, Expr]
STEPS = (sign, Heaviside, floor, ceiling)  # flat everywhere but at their jumps, where nothing has a derivative


class Differentiator:
    """Derivatives of expressions by a fixed set of variables, remembered for every sub-expression met."""

    def __init__(self, variables: Sequence[Symbol]) -> None:
        self._known: dict[Expr, Slopes] = {x: {x: S.One} for x in variables}

    def slopes(self, f: Expr) -> Slopes:
        """The derivatives of f that are not identically zero, by variable."""
        found = self._known.get(f)
        if found is None:
            found = self._known[f] = {x: g for x, g in self._rule(f).items() if g is not S.Zero}
        return found

    def _rule(self, f: Expr) -> Slopes:
        if not f.args:
            return {}
        if isinstance(f, Add):
            return _collect(slope for term in f.args for slope in self.slopes(term).items())
        if isinstance(f, Mul):
            return _collect(
                (x, Mul(*f.args[:i], g, *f.args[i + 1 :]))
                for i, factor in enumerate(f.args)
                for x, g in self.slopes(factor).items()
            )
        if isinstance(f, Pow):
            return self._power(f)
        if isinstance(f, Piecewise):
            parts = [(self.slopes(value), condition) for value, condition in f.args]
            variables = dict.fromkeys(x for slopes, _ in parts for x in slopes)
            return {x: Piecewise(*((s.get(x, S.Zero), c) for s, c in parts)) for x in variables}
        if isinstance(f, (Max, Min)):
            return self._extreme(f)
        if isinstance(f, Function) and not isinstance(f, AppliedUndef):
            return self._function(f)
        return {x: f.diff(x) for x in f.free_symbols & self._known.keys()}

    def _extreme(self, f: Max | Min) -> Slopes:
        """The slope of the first argument that attains the maximum or minimum."""
        attains = Ge if isinstance(f, Max) else Le
        parts = [(self.slopes(a), attains(a, f, evaluate=False)) for a in f.args]
        parts[-1] = (parts[-1][0], S.true)
        variables = dict.fromkeys(x for slopes, _ in parts for x in slopes)
        return {x: Piecewise(*((s.get(x, S.Zero), c) for s, c in parts), evaluate=False) for x in variables}

    def _power(self, f: Pow) -> Slopes:
        base, exponent = f.args
        outer = exponent * Pow(base, exponent - 1)
        parts = [(x, outer * g) for x, g in self.slopes(base).items()]
        if rising := self.slopes(exponent):
            parts += [(x, f * log(base) * g) for x, g in rising.items()]
        return _collect(parts)

    def _function(self, f: Function) -> Slopes:
        if isinstance(f, STEPS):
            return {}
        if isinstance(f, Abs):  # every symbol is real here
            return {x: sign(f.args[0]) * g for x, g in self.slopes(f.args[0]).items()}
        parts = []
        for place, argument in enumerate(f.args, 1):
            if inner := self.slopes(argument):
                try:
                    outer = f.fdiff(place)
                except ArgumentIndexError:
                    return {x: f.diff(x) for x in f.free_symbols & self._known.keys()}
                parts += [(x, outer * g) for x, g in inner.items()]
        return _collect(parts)


def _collect(parts) -> Slopes:  # type: ignore[no-untyped-def]
    """Sum the parts that belong to one variable, in one flat sum each."""
    terms: defaultdict[Symbol, list[Expr]] = defaultdict(list)
    for x, g in parts:
        terms[x].append(g)
    return {x: Add(*gs) if len(gs) > 1 else gs[0] for x, gs in terms.items()}
