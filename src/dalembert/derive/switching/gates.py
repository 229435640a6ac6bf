"""Gates: a statement that switches, made into a smooth one with some more parameters.

|u|, sign, max, min, Heaviside and piecewise of something that moves are polynomials in the signs of what they switch
on: |u| = s u and max(a, b) = ((1 + s) a + (1 − s) b)/2 with s = sign(a − b). Each such sign becomes a parameter, its
gate, whose value at run time is +1 or −1; from one switch to the next it stays what it is, and the statement is smooth.

A piecewise with a case that does not exist everywhere, such as a root, cannot be a sum in which that case has the
factor zero. It becomes a parameter too, a choice, and `Gated.resolved` puts the case that holds in its place.
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

    `function` is smooth but for the gates before it and the choices in it. `words` is the switch as it was stated, the
    first of them where several share the gate, and `places` says in which expressions it stands.
    """

    symbol: Symbol
    function: Expr
    words: str
    places: tuple[str, ...]

    @property
    def about(self) -> str:
        """The function in words: what is positive or negative."""
        return _words(self.function)


@dataclass(frozen=True)
class Choice:
    """A piecewise that one of its `cases` replaces: the one whose condition holds, as exactly one does.

    The `conditions` are SymPy's and, or, not of gate symbols, each true for +1 and false for −1.
    """

    symbol: Symbol
    cases: tuple[Expr, ...]
    conditions: tuple[Boolean, ...]
    words: str
    places: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Gated:
    """A statement, smooth, with the gates and choices that stand in it as further parameters.

    Gates and choices are in the order of the places where they stand, then by their words, except that each comes after
    those it depends on: the signs at a state can be found one after the other.
    """

    statement: Statement
    gates: tuple[Gate, ...]
    choices: tuple[Choice, ...]

    def cases(self, signs: Sequence[int]) -> tuple[int, ...]:
        """Which case of each choice holds, for the values of the gates."""
        open_ = {g.symbol: S.true if s > 0 else S.false for g, s in zip(self.gates, signs, strict=True)}
        return tuple(
            next(i for i, holds in enumerate(c.conditions) if holds.xreplace(open_) is S.true) for c in self.choices
        )

    def resolved(self, cases: tuple[int, ...]) -> Statement:
        """The statement with these cases of its choices; it has the same parameters whichever they are."""
        return _resolved(self, cases) if self.choices else self.statement

    def functions(self, cases: tuple[int, ...]) -> tuple[Expr, ...]:
        """The function of each gate with these cases of the choices in it."""
        change = _replacer(self._chosen(cases))
        return tuple(change(g.function) for g in self.gates)

    def live(self, cases: tuple[int, ...]) -> tuple[int, ...]:
        """The gates, by place, that decide anything in these cases; the function of another need not have a value."""
        leads = {g.symbol: _symbols_in(g.function) for g in self.gates}
        for choice, i in zip(self.choices, cases, strict=True):
            leads[choice.symbol] = _symbols_in(choice.cases[i], choice.conditions[i])
        found = _reached(_symbols_in(*(e for _, e in all_expressions(self.statement))), leads)
        return tuple(i for i, g in enumerate(self.gates) if g.symbol in found)

    def _chosen(self, cases: Sequence[int]) -> dict[Basic, Expr]:
        """The case of each choice, no choice left in it: those in a case come before it."""
        out: dict[Basic, Expr] = {}
        for choice, i in zip(self.choices, cases, strict=True):
            out[choice.symbol] = _replacer(out)(choice.cases[i])
        return out


@lru_cache(maxsize=64)
def _resolved(gated: Gated, cases: tuple[int, ...]) -> Statement:
    chosen = gated._chosen(cases)
    return with_symbols(gated.statement, _replacer(chosen), [s for s in gated.statement.symbols if s not in chosen])


@lru_cache(maxsize=64)
def gated(form: Statement) -> Gated:
    """The statement with gates in the place of everything that switches; itself where nothing does.

    Raises ModelError with every piecewise that has no value somewhere, or a condition that holds at a point only.
    """
    sweep = _Sweep(form)
    for place, e in all_expressions(form):
        sweep.change(e, place)
    found = mapped(form, sweep.change)
    refuse(ModelError, "System", sweep.faults)
    if (found.unconstrained, found.constraints) == (form.unconstrained, form.constraints):
        return Gated(form, (), ())

    leads = {g.symbol: _symbols_in(g.function) for g in sweep.gates}
    leads |= {c.symbol: _symbols_in(*c.cases, *c.conditions) for c in sweep.choices}
    places: dict[Symbol, dict[str, None]] = {}
    for place, e in all_expressions(found):
        for s in _reached(_symbols_in(e), leads):
            places.setdefault(s, {})[place] = None
    rank = {place: i for i, place in enumerate(dict.fromkeys(place for place, _ in all_expressions(form)))}
    by_symbol: dict[Symbol, Gate | Choice] = {g.symbol: g for g in sweep.gates}
    by_symbol |= {c.symbol: c for c in sweep.choices}
    kept = [s for s in by_symbol if s in places]  # in the order in which they were met
    kept = _after_those_in_them(sorted(kept, key=lambda s: (rank[next(iter(places[s]))], by_symbol[s].words)), leads)

    names: dict[Basic, Symbol] = {}
    for kind, word in ((Gate, "switch"), (Choice, "choice")):
        parts = [s for s in kept if isinstance(by_symbol[s], kind)]
        names |= {s: _fresh(f"{word} {k}", form) for k, s in enumerate(parts, 1)}
    renamed = _replacer(names)
    gates: list[Gate] = []
    choices: list[Choice] = []
    for s in kept:
        match by_symbol[s]:
            case Gate() as g:
                gates.append(replace(g, symbol=names[s], function=renamed(g.function), places=tuple(places[s])))
            case Choice() as c:
                cases, conditions = tuple(map(renamed, c.cases)), tuple(map(renamed, c.conditions))
                choices.append(Choice(names[s], cases, conditions, c.words, tuple(places[s])))
    symbols = [*form.symbols, *names.values()]  # those too that stand in functions and conditions only
    return Gated(with_symbols(form, lambda e: renamed(sweep.change(e)), symbols), tuple(gates), tuple(choices))


# -- statements -----------------------------------------------------------------------------------------------


class _Sweep:
    """Expressions with gates in the place of switches; what was made of a part is kept, so that equal ones share."""

    def __init__(self, form: Statement) -> None:
        self.gates: list[Gate] = []
        self.choices: list[Choice] = []
        self.faults: list[str] = []
        self._form = form
        self._by_function: dict[Expr, Symbol] = {}
        self._moves: dict[Basic, bool] = {}
        self._made: dict[Basic, Any] = {}

    def change(self, expr: Expr, place: str = "the statement") -> Expr:
        """The expression with gates; a condition becomes and, or, not of gates that are true for +1."""
        for node in _parts_first(expr, self._moves):
            moves = node == time() or isinstance(node, Reaction)
            self._moves[node] = moves or any(self._moves[a] for a in node.args)
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
        args = [self._made[a] for a in node.args]
        match node:
            case sp.Abs():
                return self._sign(args[0], node) * args[0]
            case sp.sign():
                return self._sign(args[0], node)
            case sp.Heaviside():
                return (1 + self._sign(args[0], node)) / 2
            case sp.Max() | sp.Min():
                return self._extreme(node)
        return _rebuilt(node, args)

    def _sign(self, u: Expr, switch: Basic) -> Expr:
        """The sign of u, as the gate of u or of −u; of a number, what it is."""
        if u.is_number:
            return sp.sign(u)
        u = u.primitive()[1]  # 2 x switches where x does
        opposite = u.could_extract_minus_sign()
        function = -u if opposite else u
        if function not in self._by_function:
            symbol = self._by_function[function] = _fresh(f"switch {len(self.gates) + 1}", self._form)
            self.gates.append(Gate(symbol, function, _words(switch), ()))
        s = self._by_function[function]
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
            above = s if s.is_Symbol else Not(-s)
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
        """Σ w e over the cases, with w = 1 for the first whose condition holds, else 0; or a choice among them."""
        values, stated = _cases(node)
        faults = list(dict.fromkeys(fault for c in stated for fault in _condition_faults(c)))
        if not faults and (told := uncovered(node)):
            faults.append(f"{told}; give it a last case (value, True)")
        if faults:
            self.faults += [f"{place}: {_words(node)}: {fault}" for fault in faults]
            return node
        cases: list[tuple[Expr, Boolean]] = []
        left: Boolean = S.true  # no case before holds
        for value, c in zip(values, [*(self._made[c] for c in stated[:-1]), S.true], strict=True):
            holds, left = _all([left, c]), _all([left, _opposite(c)])
            if holds is not S.false:
                cases.append((self._made[value], holds))
        decisive = _symbols_in(*stated)
        if len(cases) == 1 or all(self._is_total(e, decisive) for e, _ in cases):
            return Add(*(_weight(holds) * e for e, holds in cases))
        symbol = _fresh(f"choice {len(self.choices) + 1}", self._form)
        expressions, conditions = zip(*cases, strict=True)
        self.choices.append(Choice(symbol, expressions, conditions, _words(node), ()))
        return symbol

    def _is_total(self, e: Expr, decisive: set[Symbol]) -> bool:
        """Whether e is finite wherever its symbols are, so that zero times e is zero.

        One may divide by parameters and take roots of positive ones, unless the conditions that lead to it are about
        them: a parameter that is zero is a fault of its own.
        """
        choices = {c.symbol for c in self.choices}
        steady: dict[Basic, bool] = {}  # parameters alone, and none that is decisive
        total: dict[Basic, bool] = {}
        for node in _parts_first(e, total):
            if _is_plain(node) or not node.args:
                total[node] = node not in choices
                steady[node] = not _is_plain(node) or (node.is_Symbol and node not in {*choices, *decisive, time()})
            else:
                steady[node] = all(steady[a] for a in node.args)
                known = isinstance(node, TOTAL) or (node.is_Pow and _is_total_power(node.base, node.exp, steady[node]))
                total[node] = known and all(total[a] for a in node.args)
        return total[e]


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


def _condition_faults(condition: Boolean) -> Iterator[str]:
    for node in _structure(condition):
        if isinstance(node, (sp.Eq, sp.Ne)):
            yield f"the condition {_words(node)} is about a point only; write it with <, <=, > or >="
        elif not isinstance(node, (BooleanAtom, And, Or, Not, *HOLDS)):
            yield f"the condition {_words(node)} is not made of <, <=, >, >=, and, or, not"


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
    """The gates and choices among some symbols, those in them, and so on."""
    found: set[Symbol] = set()
    stack = list(start)
    while stack:
        s = stack.pop()
        if s in leads and s not in found:
            found.add(s)
            stack += leads[s]
    return found


def _after_those_in_them(symbols: list[Symbol], leads: Mapping[Symbol, set[Symbol]]) -> list[Symbol]:
    """The gates and choices in their order, but each after those it depends on."""
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


def _words(node: Basic) -> str:
    """A part of a statement as its author would write it, in a few characters."""
    try:
        text = write(node)
    except ModelError:
        if sum(1 for _ in islice(preorder_traversal(node), 100)) == 100:
            return f"{type(node).__name__}(…)"
        plain = [q for q in node.atoms(sp.Function, sp.Derivative) if is_coordinate(q) or is_velocity(q)]
        text = str(_replacer({q: Symbol(name_of(q)) for q in plain})(node))
    return text if len(text) <= MAX_WORDS else text[: MAX_WORDS - 1] + "…"
