"""Expressions as text of the grammar, the way a person writes them; and the one form in which they are kept.

`canonical` rebuilds an expression by the rules with which text is read, so that for every expression that can be
written, parse(write(e), scope) == canonical(e).
"""

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

import sympy
from sympy import Basic, Derivative, Expr, Float, Integer, Mul, Piecewise, Rational, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.core.symbol import Str

from dalembert.model.clock import time
from dalembert.model.constants import NAME_OF, Refused
from dalembert.model.errors import ModelError, refuse
from dalembert.model.grammar import MAX_LENGTH, RESERVED, is_name
from dalembert.model.nodes import MAX_DEPTH, SIGN_OF, Nodes
from dalembert.model.reactions import IdealForce, IdealMagnitude, Multiplier, Reaction


def canonical(expr: Expr) -> Expr:
    """`expr` as reading its text would build it: flat, like terms collected, numbers distributed over sums.

    What the rules do not know or refuse (undefined functions, i, infinities) is left as it stands. Idempotent.
    """
    nodes = Nodes()
    made: dict[Basic, Basic] = {}
    for node in leaves_first(expr):
        args = [made[a] for a in node.args]
        try:
            rebuilt = _rebuilt(nodes, node, args)
            made[node] = node if rebuilt == node else rebuilt  # equal parts stay one object, and compare at once
        except Refused:
            made[node] = nodes.leave(node)
    return made[expr]


def _rebuilt(nodes: Nodes, node: Basic, args: list[Basic]) -> Basic:
    kind = type(node)
    if not args:
        return nodes.keep(node)
    if node.is_Add:
        return nodes.sum(args)
    if node.is_Mul and node.is_commutative:
        return nodes.product(args)
    if node.is_Pow:
        return nodes.power(*args)
    if kind in NAME_OF:
        return nodes.apply(NAME_OF[kind], *args)
    if kind in SIGN_OF:
        return nodes.relation(SIGN_OF[kind], *args)
    if kind in _BY_KIND:
        return _BY_KIND[kind](nodes, args)
    return nodes.leave(node if tuple(args) == node.args else node.func(*args))


_BY_KIND: dict[type[Basic], Callable[[Nodes, list[Basic]], Basic]] = {
    sympy.atan2: lambda nodes, args: nodes.atan2(*args),
    sympy.Heaviside: lambda nodes, args: nodes.heaviside(*args),
    sympy.Max: lambda nodes, args: nodes.extremum(sympy.Max, args),
    sympy.Min: lambda nodes, args: nodes.extremum(sympy.Min, args),
    sympy.And: lambda nodes, args: nodes.connective(sympy.And, args),
    sympy.Or: lambda nodes, args: nodes.connective(sympy.Or, args),
    sympy.Not: lambda nodes, args: nodes.negation(*args),
    Piecewise: lambda nodes, args: nodes.piecewise(tuple(case) for case in args),
}


def leaves_first(expr: Basic) -> Iterator[Basic]:
    """Every different node after its arguments, with no recursion."""
    seen: set[Basic] = set()
    stack: list[tuple[Basic, bool]] = [(expr, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(a, False) for a in node.args]


class _Binds(IntEnum):
    """How strongly what is written holds together; a weaker part inside a stronger one needs brackets."""

    OR, AND, NOT, COMPARISON, SUM, SIGNED, PRODUCT, POWER, OPERAND = range(9)


class _Text(NamedTuple):
    text: str
    binds: _Binds = _Binds.OPERAND
    depth: int = 0

    def within(self, outer: _Binds) -> str:
        return self.text if self.binds >= outer else f"({self.text})"


def write(expr: Expr, names: Mapping[Expr, str] | None = None) -> str:
    """`expr` as text of the grammar; parse(write(e), scope) == canonical(e).

    `names` says how coordinates x(t) and parameters are called, as `Scope.names` does; without it they are called
    by their own names. Raises `ModelError` with everything in `expr` that the grammar cannot say.
    """
    writer = _Writer(names)
    for node in leaves_first(expr):
        writer.add(node)
    refuse(ModelError, "this expression cannot be written", writer.faults)
    return writer.written[expr].text


class _Writer:
    def __init__(self, names: Mapping[Expr, str] | None) -> None:
        self.names = names
        self.written: dict[Basic, _Text] = {}
        self.faults: list[str] = []

    def add(self, node: Basic) -> None:
        """Write `node`, whose arguments are written."""
        result = self._write(node)
        depth = 1 + max((self.written[a].depth for a in node.args), default=0)
        if len(result.text) > MAX_LENGTH or depth == MAX_DEPTH + 1:
            self.faults.append(f"a part of it is too long or too deep to be read again: {result.text[:40]}...")
            result = _Text("0")
        self.written[node] = _Text(result.text, result.binds, depth)

    def _write(self, node: Basic) -> _Text:
        kind = type(node)
        if node.is_Number:
            return self._number(node)
        if node.is_Symbol or isinstance(node, (AppliedUndef, Derivative)):
            return self._symbol(node)
        if node.is_Add:
            return self._sum(node)
        if node.is_Mul and node.is_commutative:
            return self._product(node)
        if node.is_Pow:
            return self._power(node)
        if isinstance(node, Relational) and kind in SIGN_OF:
            left, right = (self.written[a].within(_Binds.SUM) for a in node.args)
            return _Text(f"{left} {SIGN_OF[kind]} {right}", _Binds.COMPARISON)
        if kind in _JOINED:
            word, binds = _JOINED[kind]
            return _Text(word.join(self.written[a].within(_Binds(binds + 1)) for a in node.args), binds)
        if isinstance(node, sympy.Not):
            return _Text(f"not {self.written[node.args[0]].within(_Binds.NOT)}", _Binds.NOT)
        if kind in _CALLED or kind in NAME_OF:
            return self._call(_CALLED.get(kind) or NAME_OF[kind], node.args)
        return self._special(node)

    def _special(self, node: Basic) -> _Text:
        if node is S.Pi:
            return _Text("pi")
        if node is S.Exp1:
            return _Text("exp(1)")
        if node in (sympy.true, sympy.false) or isinstance(node, sympy.Tuple):  # the parts of a Piecewise
            return _Text("0 == 0" if node is sympy.true else "0 == 1", _Binds.COMPARISON)
        if isinstance(node, Str):
            if not node.name or '"' in node.name or "\n" in node.name:
                self.faults.append(f"the constraint name {node.name!r}: it is empty or has a quote or line break in it")
            return _Text(f'"{node.name}"')
        if isinstance(node, sympy.Heaviside):
            return self._call("heaviside", node.args[: 1 if node.args[1] == S.Half else 2])
        if isinstance(node, Piecewise):
            *cases, (value, condition) = node.args
            if condition == True:  # noqa: E712 (SymPy's true)
                return self._call("piecewise", [*(part for case in cases for part in case), value])
            self.faults.append(f"{_shown(node)}: it has no value where none of its conditions holds")
        else:
            self.faults.append(f"{_shown(node)}, a {type(node).__name__}")
        return _Text("0")

    def _call(self, name: str, args: Iterator[Basic] | list[Basic] | tuple[Basic, ...]) -> _Text:
        return _Text(f"{name}({', '.join(self.written[a].text for a in args)})")

    # -- leaves -------------------------------------------------------------------------------------------

    def _number(self, node: Expr) -> _Text:
        if isinstance(node, Float):
            value = float(node)
            if Float(value) != node:
                self.faults.append(f"{node}, a decimal that is not a 53-bit float")
            return _Text(repr(value), _Binds.SIGNED if value < 0 else _Binds.OPERAND)
        if not isinstance(node, Rational):
            self.faults.append(f"{node}, which is not a finite number")
            return _Text("0")
        binds = _Binds.SIGNED if node < 0 else _Binds.OPERAND if node.q == 1 else _Binds.PRODUCT
        return _Text(f"{node.p}" + (f"/{node.q}" if node.q != 1 else ""), binds)

    def _symbol(self, node: Basic) -> _Text:
        if node == time():
            return _Text("t")
        if isinstance(node, Derivative) and _is_coordinate(node.expr) and node.variables == (time(),):
            return _Text(f"{self.written[node.expr].text}'")
        name = self._name(node)
        if name is None:
            self.faults.append(f"{_shown(node)}, which is neither a coordinate, a velocity nor a parameter")
        elif not is_name(name) or name in RESERVED:
            self.faults.append(f"{_shown(node)}: {name!r} cannot be a name in the text")
        return _Text(name or "0")

    def _name(self, node: Basic) -> str | None:
        if self.names is not None:
            return self.names.get(node)
        if isinstance(node, Symbol):
            return str(node.name)
        return str(node.func.__name__) if _is_coordinate(node) else None

    # -- operations ---------------------------------------------------------------------------------------

    def _sum(self, node: Expr) -> _Text:
        """Positive terms first, of these the higher powers first, numbers last."""
        terms = sorted(node.args, key=lambda a: (_is_negative(a), a.is_Number, -_degree(a), self.written[a].text))
        text = self.written[terms[0]].text
        for term in terms[1:]:
            written = self.written[term].within(_Binds.SIGNED)
            text += f" - {written[1:]}" if _is_negative(term) and written[0] == "-" else f" + {written}"
        return _Text(text, _Binds.SUM)

    def _product(self, node: Expr) -> _Text:
        """Numbers, then plain factors, the denominator, and sums in brackets at the end: m/2*(x'^2 + y'^2)."""
        number, *factors = node.args if node.args[0].is_Number else (S.One, *node.args)
        below = [f for f in factors if _is_denominator(f)]
        above = [f for f in factors if not _is_denominator(f)]
        sums = [self._factor(f) for f in above if f.is_Add or (f.is_Pow and f.base.is_Add)]
        plain = [f for f in above if not (f.is_Add or (f.is_Pow and f.base.is_Add))]
        plain = [self._factor(f) for f in sorted(plain, key=lambda f: (_rank(f), self._factor(f)))]
        p, q = (Integer(abs(number.p)), number.q) if number.is_Rational else (abs(number), 1)
        if p != 1 or number.is_Float:
            plain.insert(0, self._number(p).text)
        if not plain:
            plain, sums = sums, []
        denominators = ([str(q)] if q != 1 else []) + sorted(map(self._denominator, below))
        text = "*".join(plain) or "1"
        if len(denominators) == 2 and q != 1 and below[0].base.is_Add and below[0].exp is S.NegativeOne:
            text += "/" + "/".join(denominators)  # 2*(x + y) in one bracket would be distributed
        elif denominators:
            text += f"/({'*'.join(denominators)})" if len(denominators) > 1 else f"/{denominators[0]}"
        text = "*".join([text, *sums])
        return _Text(f"-{text}", _Binds.SIGNED) if number < 0 else _Text(text, _Binds.PRODUCT)

    def _factor(self, factor: Expr) -> str:
        return self.written[factor].within(_Binds.PRODUCT)

    def _denominator(self, factor: Expr) -> str:
        return self._powered(factor.base, -factor.exp).within(_Binds.POWER)

    def _power(self, node: Expr) -> _Text:
        base, exponent = node.args
        if base.is_Number and base <= 0 and not exponent.is_Integer:
            self.faults.append(f"{_shown(node)}, which is not real for every exponent")
        if _is_denominator(node):
            return _Text(f"1/{self._denominator(node)}", _Binds.PRODUCT)
        return self._powered(base, exponent)

    def _powered(self, base: Expr, exponent: Expr) -> _Text:
        if exponent is S.One:
            return self.written[base]
        if exponent is S.Half:
            return self._call("sqrt", (base,))
        written = self._number(exponent) if exponent.is_Number else self.written[exponent]
        return _Text(f"{self.written[base].within(_Binds.OPERAND)}^{written.within(_Binds.OPERAND)}", _Binds.POWER)


_JOINED = {sympy.And: (" and ", _Binds.AND), sympy.Or: (" or ", _Binds.OR)}
_CALLED: dict[type[Basic], str] = {
    sympy.atan2: "atan2",
    sympy.Max: "max",
    sympy.Min: "min",
    IdealForce: "ideal",
    IdealMagnitude: "ideal_magnitude",
    Multiplier: "multiplier",
}


def _is_coordinate(node: Basic) -> bool:
    return isinstance(node, AppliedUndef) and node.args == (time(),)


def _rank(factor: Expr) -> int:
    """Where a factor stands in a product: constants, parameters, time and coordinates, then all else."""
    base = factor.base if factor.is_Pow else factor
    constant = not (base.free_symbols or isinstance(base, Reaction))
    kinds = [constant, base.is_Symbol, _is_coordinate(base), isinstance(base, Derivative), True]
    return kinds.index(True)


def _is_denominator(factor: Expr) -> bool:
    return bool(factor.is_Pow and factor.exp.is_Rational and factor.exp < 0)


def _is_negative(term: Expr) -> bool:
    number = Mul.make_args(term)[0]
    return bool(number.is_Number and number < 0)


def _degree(term: Expr) -> Expr:
    """The highest numeric power in a term: what puts x^2 before x."""
    powers = [f.exp for f in Mul.make_args(term) if f.is_Pow and f.exp.is_Number]
    return max(powers, default=S.One)


def _shown(node: Basic) -> str:
    text = str(node)
    return text if len(text) <= 60 else text[:57] + "..."
