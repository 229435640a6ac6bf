"""Gates: a statement that switches, made into a smooth one with some more parameters.

|u|, sign, max, min, Heaviside and piecewise of something that moves are polynomials in the signs of what they switch
on: |u| = s u and max(a, b) = ((1 + s) a + (1 − s) b)/2 with s = sign(a − b). Each such sign becomes a parameter, its
gate, whose value at run time is +1 or −1; from one switch to the next it stays what it is, and the statement is smooth.

A piecewise is the sum of its cases, each with the factor 1 where it holds and 0 elsewhere. A case that does not exist
everywhere, such as a root, is asked elsewhere for its value at a place where it does: √u becomes √(w u + 1 − w) where w
is its factor, which is u to the last digit where the case holds.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

import sympy as sp
from sympy import Add, And, Basic, Expr, Mul, Not, Or, Piecewise, S, Symbol, preorder_traversal
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanAtom, BooleanFunction

from dalembert.derive.algebra import UNEVALUATED
from dalembert.derive.switching.factors import factors_that_switch, in_first_powers
from dalembert.derive.switching.moduli import roots_of_squares
from dalembert.derive.switching.powers import in_powers
from dalembert.derive.variants import mapped, with_symbols
from dalembert.model import (
    ModelError,
    Reaction,
    Statement,
    all_expressions,
    is_coordinate,
    is_velocity,
    name_of,
    refuse,
    time,
    uncovered,
)
from dalembert.model.checks import has_plain_sign
from dalembert.model.writing import write

CONDITIONS = (Relational, BooleanFunction, BooleanAtom)  # not Boolean: to SymPy a Symbol is one
CLOSED = (Reaction, sp.Derivative, sp.Subs, sp.Integral, sp.Sum, sp.Product)  # left alone: bound variables inside
TOTAL = (Add, Mul, sp.sin, sp.cos, sp.atan, sp.tanh)  # finite for all finite arguments
HOLDS: dict[type[Relational], Callable[[int], bool]] = {  # by the sign of left − right
    sp.Gt: lambda s: s > 0,
    sp.Ge: lambda s: s >= 0,
    sp.Lt: lambda s: s < 0,
    sp.Le: lambda s: s <= 0,
}
MAX_WORDS = 160  # characters of a switch in a message
V = TypeVar("V")


@dataclass(frozen=True)
class Gate:
    """A switch: the parameter `symbol` is +1 where `function` > 0 and −1 where it is < 0.

    `function` is smooth but for the gates before it. `words` is the switch as it was stated, the first of them where
    several share the gate, and `places` says in which expressions it stands. `contexts` are polynomials of gates: it
    decides something where one of them is not zero.
    """

    symbol: Symbol
    function: Expr
    words: str
    places: tuple[str, ...]
    contexts: tuple[Expr, ...] = (S.One,)

    @property
    def about(self) -> str:
        """The function in words: what is positive or negative."""
        return in_words(self.function)


@dataclass(frozen=True, eq=False)
class Gated:
    """A statement, smooth, with the gates that stand in it as further parameters.

    Gates are in the order of the places where they stand, then by their words, except that each comes after those it
    depends on: the signs at a state can be found one after the other.
    """

    statement: Statement
    gates: tuple[Gate, ...]

    def live(self, signs: Sequence[int]) -> tuple[int, ...]:
        """The gates, by place, that decide anything when all have these signs."""
        given = {g.symbol: S(s or 1) for g, s in zip(self.gates, signs, strict=True)}
        return tuple(
            i for i, g in enumerate(self.gates) if any(c is S.One or c.xreplace(given) != 0 for c in g.contexts)
        )


@lru_cache(maxsize=64)
def gated(form: Statement) -> Gated:
    """The statement with gates in the place of everything that switches; itself where nothing does.

    Raises ModelError with every piecewise that has no value somewhere, or a condition that holds at a point only.
    """
    sweep = _Sweep(form)
    form = _in_powers(form, sweep)
    for place, e in all_expressions(form):
        sweep.change(e, place)
    found = mapped(form, sweep.change)
    refuse(ModelError, "System", sweep.faults)
    if (found.unconstrained, found.constraints) == (form.unconstrained, form.constraints):
        return Gated(form, ())

    leads = {g.symbol: _symbols_in(g.function) for g in sweep.gates}
    places: dict[Symbol, dict[str, None]] = {}
    for place, e in all_expressions(form):
        for s in _reached(_symbols_in(sweep.change(e)), leads):
            places.setdefault(s, {})[place] = None
    rank = {place: i for i, place in enumerate(dict.fromkeys(place for place, _ in all_expressions(form)))}
    by_symbol = {g.symbol: g for g in sweep.gates}
    kept = [s for s in by_symbol if s in places]  # in the order in which they were met
    kept = _after_those_in_them(sorted(kept, key=lambda s: (rank[next(iter(places[s]))], by_symbol[s].words)), leads)
    contexts = sweep.contexts(e for _, e in all_expressions(form))

    names: dict[Basic, Symbol] = {s: _fresh(f"switch {k}", form) for k, s in enumerate(kept, 1)}
    renamed = _replacer(names)
    gates = tuple(
        replace(
            by_symbol[s],
            symbol=names[s],
            function=renamed(sweep.safe(by_symbol[s].function, contexts.get(s, (S.One,)))),
            places=tuple(places[s]),
            contexts=tuple(map(renamed, contexts.get(s, (S.One,)))),
        )
        for s in kept
    )
    symbols = [*form.symbols, *names.values()]  # those too that stand in functions only
    return Gated(with_symbols(form, lambda e: renamed(sweep.change(e)), symbols), gates)


# -- statements -----------------------------------------------------------------------------------------------


def _in_powers(form: Statement, sweep: "_Sweep") -> Statement:
    """The statement with powers of |u| beside powers of u in one form; itself where there are none."""
    found = mapped(form, sweep.in_powers)
    same = (found.unconstrained, found.constraints) == (form.unconstrained, form.constraints)
    return form if same else with_symbols(form, sweep.in_powers, form.symbols)


class _Sweep:
    """Expressions with gates in the place of switches; what was made of a part is kept, so that equal ones share."""

    def __init__(self, form: Statement) -> None:
        self.gates: list[Gate] = []
        self.faults: list[str] = []
        self._form = form
        self._by_function: dict[Expr, Symbol] = {}
        self._moves: dict[Basic, bool] = {}
        self._made: dict[Basic, Any] = {}
        self._of: dict[Basic, list[Symbol]] = {}  # the gates of a node
        self._weights: dict[Basic, tuple[list[Expr], list[Expr], list[Boolean]]] = {}  # of a piecewise
        self._powers: dict[Basic, Any] = {}
        self._stated: dict[Basic, Basic] = {}  # how what is new in powers was stated

    def in_powers(self, expr: Expr) -> Expr:
        """The expression with powers of |u| beside powers of u in one form."""
        for node in _parts_first(expr, self._powers, lambda node: () if self._whole(node) else node.args):
            whole = self._whole(node)
            made = node if whole else _rebuilt(node, [self._powers[a] for a in node.args])
            self._powers[node] = made if whole else in_powers(made, self._moving, self._stated)
        return self._powers[expr]

    def _whole(self, node: Basic) -> bool:
        return not self._moving(node) or is_coordinate(node) or isinstance(node, CLOSED)

    def _moving(self, expr: Basic) -> bool:
        """Whether an expression changes along a motion."""
        for node in _parts_first(expr, self._moves):
            moves = node == time() or isinstance(node, Reaction)
            self._moves[node] = moves or any(self._moves[a] for a in node.args)
        return self._moves[expr]

    def change(self, expr: Expr, place: str = "the statement") -> Expr:
        """The expression with gates; a condition becomes and, or, not of gates that are true for +1."""
        self._moving(expr)
        for node in _parts_first(expr, self._made, self._parts):
            self._made[node] = self._rule(node, place)
        return self._made[expr]

    def _parts(self, node: Basic) -> tuple[Basic, ...]:
        if isinstance(node, Piecewise) and not self._stands(node):
            values, conditions = _cases(node)
            return (*values, *conditions[:-1])  # the last holds where no other does
        whole = not isinstance(node, (Relational, And, Or, Not)) and self._stands(node)
        parts: tuple[Basic, ...] = () if whole else node.base.args if _is_even_power(node) else node.args
        return parts

    def _stands(self, node: Basic) -> bool:
        """Whether a part stays as it is: it does not move, or there is nothing to look for in it."""
        return not self._moves[node] or is_coordinate(node) or isinstance(node, CLOSED)

    def _rule(self, node: Basic, place: str) -> Any:
        if isinstance(node, CONDITIONS):
            return self._condition(node)
        if self._stands(node):
            return node
        if isinstance(node, Piecewise):
            return self._piecewise(node, place)
        if _is_even_power(node):
            return self._made[node.base.args[0]] ** node.exp
        if (parts := roots_of_squares(node, self._moves)) is not None:
            made = [(self.change(e, place), power, modulus) for e, power, modulus in parts]
            return Mul(*((self._sign(e, node) if modulus else 1) * e**power for e, power, modulus in made))
        args = [self._made[a] for a in node.args]
        match node:
            case sp.Abs():
                return self._sign(args[0], node) * args[0]
            case sp.log(args=(sp.Abs() as u,)):  # the same on both sides of zero
                return sp.log(self._made[u.args[0]] ** 2) / 2
            case sp.sign():
                return self._sign(args[0], node)
            case sp.Heaviside():
                return (1 + self._sign(args[0], node)) / 2
            case sp.Max() | sp.Min():
                return self._extreme(node)
            case sp.asin(args=(sp.sin() | sp.cos() as u,)) | sp.acos(args=(sp.sin() | sp.cos() as u,)):
                return self._folded(node, u)
            case sp.atan(args=(sp.tan() as u,)):
                w = self._made[u.args[0]]
                s = self._sign(sp.cos(w), node)
                return sp.atan2(s * sp.sin(w), s * sp.cos(w))
        return _rebuilt(node, args)

    def _folded(self, node: Expr, u: Expr) -> Expr:
        """asin(sin w) = atan2(sin w, |cos w|) and its kin: angles that are folded back where they turn."""
        w = self._made[u.args[0]]
        one, other = (sp.sin(w), sp.cos(w)) if isinstance(u, sp.sin) else (sp.cos(w), sp.sin(w))
        angle = sp.atan2(one, self._sign(other, node) * other)
        return angle if isinstance(node, sp.asin) else sp.pi / 2 - angle

    def _sign(self, u: Expr, switch: Basic) -> Expr:
        """The sign of u, as the gate of u or of −u; of a number, what it is."""
        if u.is_number:
            return sp.sign(u)
        u = in_first_powers(_primitive(u))  # 2 x switches where x does, and x³ too
        if len(parts := factors_that_switch(u, self._moving, {g.symbol for g in self.gates})) > 1:
            return Mul(*(self._sign(part, switch) for part in parts))
        opposite = u.could_extract_minus_sign()
        function = -u if opposite else u
        if function not in self._by_function:
            symbol = self._by_function[function] = _fresh(f"switch {len(self.gates) + 1}", self._form)
            self.gates.append(Gate(symbol, function, in_words(self._stated.get(switch, switch)), ()))
        s = self._by_function[function]
        self._of.setdefault(switch, []).append(s)
        return -s if opposite else s

    def _extreme(self, node: Expr) -> Expr:
        """The greatest or least, two by two; of what does not move it stays a function of parameters."""
        steady = [a for a in node.args if not self._moves[a]]
        moving = [self._made[a] for a in node.args if self._moves[a]]
        first = [node.func(*steady, evaluate=False)] if len(steady) > 1 else steady
        best, *others = [*first, *moving]
        for other in others:
            s = self._sign(best - other, node)
            if isinstance(node, sp.Min):
                s = -s
            best = ((1 + s) * best + (1 - s) * other) / 2
        return best

    def _condition(self, node: Basic) -> Boolean:
        """A condition in terms of gates; a fault in it is told with its piecewise."""
        if type(node) in HOLDS:
            left, right = (self._made[a] for a in node.args)
            s = self._sign(left - right, node)
            if s.is_Number:
                return S.true if HOLDS[type(node)](s) else S.false
            above = _positive(s)
            return above if HOLDS[type(node)](1) else _opposite(above)
        parts = [self._made[a] for a in node.args] if isinstance(node, (And, Or, Not)) else []
        match node:
            case And():
                return _all(parts)
            case Or():
                return _opposite(_all(map(_opposite, parts)))
            case Not():
                return _opposite(parts[0])
        return node if isinstance(node, BooleanAtom) else S.false

    def _piecewise(self, node: Piecewise, place: str) -> Expr:
        """Σ w e over the cases, with w = 1 for the first whose condition holds, else 0."""
        values, stated = _cases(node)
        faults = list(dict.fromkeys(fault for c in stated for fault in _condition_faults(c)))
        if not faults and (told := uncovered(node)):
            faults.append(f"{told}; give it a last case (value, True)")
        if faults:
            self.faults += [f"{place}: {in_words(node)}: {fault}" for fault in faults]
            return node
        every: list[tuple[Expr, Boolean]] = []
        left: Boolean = S.true  # no case before holds
        for value, c in zip(values, [*(self._made[c] for c in stated[:-1]), S.true], strict=True):
            holds, left = _all([left, c]), _all([left, _opposite(c)])
            every.append((self._made[value], holds))
        self._weights[node] = [S.Zero if holds is S.false else _weight(holds) for _, holds in every], values, stated
        cases = [(e, holds) for e, holds in every if holds is not S.false]
        decisive = _symbols_in(*stated)
        if len(cases) == 1:
            return cases[0][0]
        return Add(*(_weight(holds) * self._everywhere(e, _weight(holds), decisive) for e, holds in cases))

    def _everywhere(self, e: Expr, weight: Expr, decisive: set[Symbol]) -> Expr:
        """A case with a finite value wherever its symbols have one: its own where its weight is one.

        One may divide by parameters and take roots of positive ones, unless the conditions that lead to it are about
        them: a parameter that is zero is a fault of its own.
        """
        steady: dict[Basic, bool] = {}  # parameters alone, and none that is decisive
        made: dict[Basic, Any] = {}
        for node in _parts_first(e, made):
            if _is_plain(node) or not node.args:
                made[node] = node
                steady[node] = not _is_plain(node) or (node.is_Symbol and node not in {*decisive, time()})
                continue
            steady[node] = all(steady[a] for a in node.args)
            args = [made[a] for a in node.args]
            known = isinstance(node, TOTAL) or (node.is_Pow and _is_total_power(node.base, node.exp, steady[node]))
            if not known:
                safe = SAFE.get(type(node), S.Zero)
                args[0] = weight * args[0] + (1 - weight) ** 2 * safe  # squared, lest SymPy mixes its terms with others
            made[node] = _rebuilt(node, args)
        return made[e]

    def safe(self, function: Expr, contexts: tuple[Expr, ...]) -> Expr:
        """The function of a gate, with a finite value also where the gate decides nothing."""
        if S.One in contexts:
            return function
        return self._everywhere(function, 1 - Mul(*(1 - c for c in contexts)), set())

    def contexts(self, expressions: Iterable[Expr]) -> dict[Symbol, tuple[Expr, ...]]:
        """Where each gate decides anything: the products of the weights of the cases it stands in."""
        found: dict[Symbol, dict[Expr, None]] = {}
        seen: set[tuple[Basic, Expr]] = set()
        stack: list[tuple[Basic, Expr]] = [(e, S.One) for e in expressions]
        while stack:
            node, context = stack.pop()
            if (node, context) in seen:
                continue
            seen.add((node, context))
            for symbol in self._of.get(node, ()):
                found.setdefault(symbol, {})[context] = None
            if node in self._weights:
                weights, values, conditions = self._weights[node]
                left: Expr = S.One
                for weight, value, condition in zip(weights, values, conditions, strict=False):
                    stack += [(value, context * weight), (condition, context * left)]
                    left = left - weight
            else:
                stack += [(a, context) for a in node.args]
        return {s: (S.One,) if S.One in contexts else tuple(contexts) for s, contexts in found.items()}


SAFE = {sp.Pow: S.One, sp.log: S.One, sp.cot: S.One, sp.csc: S.One, sp.coth: S.One, sp.csch: S.One, sp.acot: S.One,
        sp.acosh: S(2), sp.asec: S(2), sp.acsc: S(2), sp.atan2: S.One}  # fmt: skip
"""An argument at which a function that does not exist everywhere does; zero for all others."""


def _cases(p: Piecewise) -> tuple[list[Expr], list[Boolean]]:
    """The values and conditions of a piecewise, as far as they can come to hold."""
    values, conditions = [], []
    for value, condition in p.args:
        if condition is not S.false:
            values.append(value)
            conditions.append(condition)
        if condition is S.true:
            break
    return values, conditions


def _primitive(u: Expr) -> Expr:
    """u without a number all its terms share, where that makes no other numbers of them: 2 x − 4 y is 2 (x − 2 y).

    x − 1/5 stays as it is and does not become 5 x − 1, whose rounding is another.
    """
    factor, rest = u.primitive()
    return rest if factor.is_Integer or not isinstance(u, Add) else u


def _is_even_power(node: Basic) -> bool:
    """|u|² is u², which does not switch; SymPy knows that of real symbols only, and x(t) is none to it."""
    return bool(node.is_Pow and isinstance(node.base, sp.Abs) and node.exp.is_Integer and node.exp.is_even)


def _is_total_power(base: Expr, exponent: Expr, steady: bool) -> bool:
    if exponent.is_Integer:
        return steady or exponent >= 0
    return steady and has_plain_sign(base) and base.is_positive is True


def _is_plain(node: Basic) -> bool:
    """Whether a part is a quantity by itself: a symbol, a coordinate, a velocity or a reaction."""
    return node.is_Symbol or is_coordinate(node) or is_velocity(node) or isinstance(node, Reaction)


# -- conditions -----------------------------------------------------------------------------------------------


def _opposite(c: Boolean) -> Boolean:
    """Not c, with every not at a gate."""
    if isinstance(c, (And, Or)):
        return (Or if isinstance(c, And) else And)(*map(_opposite, c.args))
    return Not(c)


def _all(conditions: Iterable[Boolean]) -> Boolean:
    """All of the conditions, what one gate decides put into the others."""
    whole = And(*conditions)
    while True:
        parts = And.make_args(whole)
        known = {p.args[0] if isinstance(p, Not) else p: p for p in parts if p.is_Symbol or isinstance(p, Not)}
        decided = {s: S.false if isinstance(p, Not) else S.true for s, p in known.items()}
        again = And(*known.values(), *(p.xreplace(decided) for p in parts if p not in known.values()))
        if again == whole:
            return whole
        whole = again


def _weight(c: Boolean) -> Expr:
    """The polynomial in the gates that is 1 where c holds and 0 where it does not."""
    match c:
        case And():
            return Mul(*map(_weight, c.args))
        case Or():
            return 1 - Mul(*(1 - _weight(a) for a in c.args))
        case Not():
            return (1 - c.args[0]) / 2
    return (1 + c) / 2 if c.is_Symbol else S.One if c is S.true else S.Zero


def _positive(s: Expr) -> Boolean:
    """Where a sign, the product of those of gates and of a number, is positive."""
    number, signs = s.as_coeff_mul()
    above: Boolean = S.true if number > 0 else S.false
    for gate in signs:
        above = Or(And(above, gate), And(_opposite(above), Not(gate)))
    return above


def _condition_faults(condition: Boolean) -> Iterator[str]:
    for node in _structure(condition):
        if isinstance(node, (sp.Eq, sp.Ne)):
            yield f"the condition {in_words(node)} is about a point only; write it with <, <=, > or >="
        elif not isinstance(node, (BooleanAtom, And, Or, Not, *HOLDS)):
            yield f"the condition {in_words(node)} is not made of <, <=, >, >=, and, or, not"


def _structure(condition: Boolean) -> Iterator[Basic]:
    """The comparisons of a condition and what connects them."""
    walk = preorder_traversal(condition)
    for node in walk:
        if not isinstance(node, (And, Or, Not)):
            walk.skip()
        yield node


# -- trees ----------------------------------------------------------------------------------------------------


def _parts_first(
    root: Basic, done: Container[Basic], parts: Callable[[Basic], Iterable[Basic]] = lambda node: node.args
) -> Iterator[Basic]:
    """Every node that is not done after its parts, with no recursion; whoever takes one adds it to `done`."""
    stack = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready:
            yield node
        else:
            stack.append((node, True))
            stack += [(a, False) for a in reversed([*parts(node)])]


def _replacer(rule: Mapping[Basic, Expr]) -> Callable[[Any], Any]:
    """What `xreplace(rule)` does, for one expression after another, with no recursion."""
    made: dict[Basic, Any] = dict(rule)

    def change(expr: Any) -> Any:
        for node in _parts_first(expr, made):
            made[node] = _rebuilt(node, [made[a] for a in node.args])
        return made[expr]

    return change


def _rebuilt(node: Basic, args: Sequence[Basic]) -> Basic:
    if all(new is old for new, old in zip(args, node.args, strict=True)):
        return node
    return node.func(*args, evaluate=False) if isinstance(node, UNEVALUATED) else node.func(*args)


def _symbols_in(*expressions: Basic) -> set[Symbol]:
    seen: set[Basic] = set()
    for e in expressions:
        for node in _parts_first(e, seen):
            seen.add(node)
    return {node for node in seen if node.is_Symbol}


def _reached(start: Iterable[Symbol], leads: Mapping[Symbol, Iterable[Symbol]]) -> set[Symbol]:
    """The gates among some symbols, those in them, and so on."""
    found: set[Symbol] = set()
    stack = list(start)
    while stack:
        s = stack.pop()
        if s in leads and s not in found:
            found.add(s)
            stack += leads[s]
    return found


def _after_those_in_them(symbols: list[Symbol], leads: Mapping[Symbol, set[Symbol]]) -> list[Symbol]:
    """The gates in their order, but each after those it depends on."""
    out: dict[Symbol, None] = {}
    while len(out) < len(symbols):
        out[next(s for s in symbols if s not in out and all(d in out for d in leads[s] & leads.keys()))] = None
    return list(out)


def _fresh(name: str, form: Statement) -> Symbol:
    """A real symbol of this name, with primes where the statement has such a name."""
    taken = {name_of(s) for s in (*form.symbols, *form.coordinates)}
    while name in taken:
        name += "'"
    return Symbol(name, real=True)


def in_words(node: Basic) -> str:
    """A part of a statement as its author would write it, in a few characters."""
    try:
        text = write(node)
    except ModelError:
        if sum(1 for _ in islice(preorder_traversal(node), 100)) == 100:
            return f"{type(node).__name__}(…)"
        plain = [q for q in node.atoms(sp.Function, sp.Derivative) if is_coordinate(q) or is_velocity(q)]
        text = str(_replacer({q: Symbol(name_of(q)) for q in plain})(node))
    return text if len(text) <= MAX_WORDS else text[: MAX_WORDS - 1] + "…"
