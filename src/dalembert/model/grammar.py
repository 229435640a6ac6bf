"""The grammar of expressions: text of a model file or a web form into SymPy nodes.

    m/2*(x'^2 + y'^2) - m*g*y

x' is a velocity, ^ and ** are powers, t is time. Lark reads the text (`grammar.lark`) into a tree, and the tree is
turned into nodes by the rules of `nodes`. Nothing is evaluated as Python, names are only looked up in a `Scope`,
and whatever the text is, it is read or refused within a second: see the limits below and those of `nodes`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import NoReturn

import sympy
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from sympy import Derivative, Expr, Max, Min, S, Symbol, Tuple
from sympy.logic.boolalg import Boolean

from dalembert.model.clock import time
from dalembert.model.constants import ELEMENTARY, Refused
from dalembert.model.errors import ModelError
from dalembert.model.nodes import Nodes
from dalembert.model.reactions import ideal_force, ideal_magnitude, multiplier

MAX_LENGTH = 40_000  # characters of a text
MAX_PARTS = 12_000  # numbers, names and operations in it
MAX_NESTING = 200  # operations inside operations, more than nodes of MAX_DEPTH can need
MAX_WORK = 30_000  # terms and factors read while nodes are built
MAX_NAME = 64  # characters of a name

_LETTER = "A-Za-z_ΓΔΘΛΞΠΣΦΨΩα-ξπ-ω"  # Greek without what could be taken for Latin
NAME_PATTERN = re.compile(rf"(?!__)[{_LETTER}][{_LETTER}0-9]{{0,{MAX_NAME - 1}}}")

REACTIONS = ("ideal", "ideal_magnitude", "multiplier")
FUNCTIONS = (*ELEMENTARY, "sqrt", "atan2", "min", "max", "heaviside", "piecewise")
RESERVED = frozenset({"t", "pi", "and", "or", "not", *FUNCTIONS, *REACTIONS})

_MANY = 1_000_000
_ARGUMENTS = {"atan2": (2, 2), "min": (2, _MANY), "max": (2, _MANY), "heaviside": (1, 2), "piecewise": (3, _MANY)}


def is_name(text: str) -> bool:
    """Whether `text` has the form of a name; a coordinate or a parameter must also not be one of RESERVED."""
    return NAME_PATTERN.fullmatch(text) is not None


class ExpressionError(ModelError):
    """A text that is not an expression: what is wrong, `.line` and `.column` (from 1), and a caret at the place."""

    def __init__(self, message: str, text: str, line: int, column: int) -> None:
        self.message, self.text, self.line, self.column = message, text, line, column
        super().__init__(f"line {line}, column {column}", [f"{message}\n{caret(text, line, column)}"])

    def __reduce__(self) -> tuple[type["ExpressionError"], tuple[str, str, int, int]]:
        return type(self), (self.message, self.text, self.line, self.column)


@dataclass(frozen=True)
class Scope:
    """The names an expression may use, and what else it may contain."""

    coordinates: Mapping[str, Expr] = field(default_factory=dict)  # "x" -> x(t)
    parameters: Mapping[str, Symbol] = field(default_factory=dict)
    constraints: frozenset[str] = frozenset()  # what ideal(x, "ring") may refer to
    velocities: bool = True  # whether x' may appear
    reactions: bool = False  # whether ideal(x), ideal_magnitude() and multiplier("ring") may appear
    time: bool = True  # whether t may appear
    kind: str = ""  # of what is read: holonomic, nonholonomic, one_sided, embedding

    @cached_property
    def names(self) -> dict[Expr, str]:
        """The way back, from symbol to name, as `writing.write` takes it."""
        return {symbol: name for table in (self.parameters, self.coordinates) for name, symbol in table.items()}


def parse(text: str, scope: Scope, nodes: Nodes | None = None) -> Expr:
    """The expression that `text` states, in the symbols of `scope`; raises `ExpressionError`.

    Texts that are read with the same `nodes` share its budget of work.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"{len(text)} characters; at most {MAX_LENGTH} are read", text[:MAX_LENGTH], 1, 1)
    if not text.strip():
        raise ExpressionError("the expression is empty", text, 1, 1)
    try:
        tree = _lark().parse(text)
    except UnexpectedInput as unexpected:
        _refuse_syntax(text, unexpected)
    try:
        return _Reading(text, scope, nodes or Nodes(MAX_WORK)).read(tree)
    except RecursionError:  # the caller's own stack was nearly full
        raise ExpressionError("nested too deeply", text, 1, 1) from None


@lru_cache(maxsize=1)
def _lark() -> Lark:
    return Lark.open_from_package(
        "dalembert.model", "grammar.lark", parser="lalr", lexer="basic", maybe_placeholders=False
    )


class _Reading:
    """One tree, turned into nodes from the leaves up."""

    def __init__(self, text: str, scope: Scope, nodes: Nodes) -> None:
        self.text, self.scope, self.nodes = text, scope, nodes
        self.known = {**scope.parameters, **scope.coordinates, "pi": S.Pi}
        if scope.time:
            self.known["t"] = time()

    def read(self, tree: Tree[Token]) -> Expr:
        (content,) = tree.children
        if isinstance(content, Tree) and content.data == "comparison":
            self._refuse_relation(content.children[1])
        values: dict[int, Expr | Boolean | str] = {}
        for part in self._leaves_first(content):
            try:
                if isinstance(part, Token):
                    values[id(part)] = self._leaf(part)
                else:
                    build: Callable[..., Expr | Boolean] = _BUILDERS[str(part.data)]
                    values[id(part)] = build(self, part.children, [values.get(id(c), "") for c in part.children])
            except Refused as refused:
                self.fail(_place(part), str(refused))
        result = values[id(content)]
        return self.number(content, result)

    def _refuse_relation(self, sign: Token) -> None:
        """A relation where an expression is meant: say which expression states it."""
        if self.scope.kind == "one_sided":
            difference = "right - left" if sign in ("<", "<=") else "left - right"
            self.fail(sign, f"write {difference}: the expression is understood to be >= 0")
        if sign == "==":
            self.fail(sign, "write left - right: the expression is understood to be = 0")
        if self.scope.kind:
            self.fail(sign, f"a {self.scope.kind} constraint is no inequality; a contact is stated by one_sided")

    def _leaves_first(self, content: Tree[Token] | Token) -> Iterator[Tree[Token] | Token]:
        """Every part after the parts in it, with no recursion; counts them and their depth."""
        order: list[Tree[Token] | Token] = []
        stack = [(content, 1)]
        while stack:
            part, depth = stack.pop()
            order.append(part)
            if len(order) > MAX_PARTS:
                self.fail(_place(part), f"more than {MAX_PARTS} numbers, names and operations")
            if depth > MAX_NESTING:
                self.fail(_place(part), f"nested more than {MAX_NESTING} operations deep")
            if isinstance(part, Tree):
                stack += [(child, depth + 1) for child in _operands(part)]
        return reversed(order)

    # -- leaves -------------------------------------------------------------------------------------------

    def _leaf(self, token: Token) -> Expr | str:
        if token.type == "NUMBER":
            return self.nodes.integer(token) if token.isdecimal() else self._decimal(token)
        if token.type == "STRING":
            return str(token)[1:-1]
        name = str(token)
        known = self.known.get(name)
        if known is None:
            if name == "t":
                self.fail(token, "the time t cannot appear here")
            if name in RESERVED:
                self.fail(token, f"the function {name} needs its arguments: {name}(...)")
            self.fail(token, f"unknown name {_short(name)}{self._suggestion(name, list(self.known))}")
        return known

    def _decimal(self, token: Token) -> Expr:
        value = float(token)
        if value == 0 and re.search("[1-9]", re.split("[eE]", token)[0]):
            raise Refused(f"the number {_short(token)} is too small to be told from zero")
        return self.nodes.decimal(value)

    @staticmethod
    def _suggestion(name: str, among: list[str]) -> str:
        near = get_close_matches(name[:MAX_NAME], among[:1000], n=1)
        return f"; did you mean {near[0]}?" if near else ""

    # -- operations ---------------------------------------------------------------------------------------

    def sum(self, parts: list[Token], values: list[Expr]) -> Expr:
        terms = [self.number(parts[0], values[0])]
        for sign, part, value in zip(parts[1::2], parts[2::2], values[2::2], strict=True):
            term = self.number(part, value)
            terms.append(term if sign == "+" else self.nodes.product([S.NegativeOne, term]))
        return self.nodes.sum(terms)

    def product(self, parts: list[Token], values: list[Expr]) -> Expr:
        factors = [self.number(parts[0], values[0])]
        for sign, part, value in zip(parts[1::2], parts[2::2], values[2::2], strict=True):
            factor = self.number(part, value)
            try:
                factors.append(factor if sign == "*" else self.nodes.power(factor, S.NegativeOne))
            except Refused as refused:
                self.fail(sign, str(refused))
        return self.nodes.product(factors)

    def signed(self, parts: list[Token], values: list[Expr]) -> Expr:
        value = self.number(parts[1], values[1])
        return value if parts[0] == "+" else self.nodes.product([S.NegativeOne, value])

    def power(self, parts: list[Token], values: list[Expr]) -> Expr:
        return self.nodes.power(self.number(parts[0], values[0]), self.number(parts[2], values[2]))

    def velocity(self, parts: list[Token], _values: list[Expr]) -> Expr:
        name, primes = parts
        coordinate = self.scope.coordinates.get(name)
        if len(primes) > 1:
            self.fail(primes, "an acceleration cannot appear in a statement")
        if coordinate is None:
            known = name in self.scope.parameters or name in RESERVED
            near = "" if known else self._suggestion(name, list(self.scope.coordinates))
            self.fail(name, f"{_short(name)} is not a coordinate and has no velocity{near}")
        if not self.scope.velocities:
            kind = self.scope.kind or "holonomic"
            if kind == "embedding":
                self.fail(name, f"an embedding gives places, which cannot contain the velocity {name}'")
            hint = "use nonholonomic" if kind == "holonomic" else "a contact is a relation of coordinates and time"
            self.fail(name, f"a {kind} constraint cannot contain the velocity {name}'; {hint}")
        # What coordinate.diff(t) is, made without its search for rules: a text may hold thousands of velocities.
        return Expr.__new__(Derivative, coordinate, Tuple(time(), S.One))

    # -- conditions ---------------------------------------------------------------------------------------

    def comparison(self, parts: list[Token], values: list[Expr]) -> Boolean:
        if len(parts) > 3:
            self.fail(parts[3], "two comparisons in a row: write a < b and b < c")
        return self.nodes.relation(str(parts[1]), self.number(parts[0], values[0]), self.number(parts[2], values[2]))

    def conjunction(self, parts: list[Token], values: list[Boolean]) -> Boolean:
        conditions = [self.condition(p, v) for p, v in zip(parts[::2], values[::2], strict=True)]
        return self.nodes.connective(sympy.And, conditions)

    def disjunction(self, parts: list[Token], values: list[Boolean]) -> Boolean:
        conditions = [self.condition(p, v) for p, v in zip(parts[::2], values[::2], strict=True)]
        return self.nodes.connective(sympy.Or, conditions)

    def negation(self, parts: list[Token], values: list[Boolean]) -> Boolean:
        return self.nodes.negation(self.condition(parts[1], values[1]))

    # -- functions ----------------------------------------------------------------------------------------

    def call(self, parts: list[Token], values: list[Expr]) -> Expr:
        name, *arguments = parts
        given = values[1:]
        if name in REACTIONS:
            return self._reaction(name, arguments)
        if name not in FUNCTIONS:
            self._fail_call(name)
        least, most = _ARGUMENTS.get(name, (1, 1))
        if not least <= len(given) <= most or (name == "piecewise" and len(given) % 2 == 0):
            self._fail_count(name, len(given), least, most)
        if name == "piecewise":
            return self._piecewise(arguments, given)
        numbers = [self.number(p, v) for p, v in zip(arguments, given, strict=True)]
        if name in ("min", "max"):
            return self.nodes.extremum(Max if name == "max" else Min, numbers)
        if name == "atan2":
            return self.nodes.atan2(*numbers)
        if name == "heaviside":
            return self.nodes.heaviside(*numbers)
        if name == "sqrt":
            return self.nodes.power(numbers[0], S.Half)
        return self.nodes.apply(str(name), *numbers)

    def _piecewise(self, parts: list[Token], values: list[Expr | Boolean]) -> Expr:
        pairs = zip(parts[0:-1:2], values[0:-1:2], parts[1::2], values[1::2], strict=True)
        cases = [(self.number(p, v), self.condition(q, c)) for p, v, q, c in pairs]
        return self.nodes.piecewise([*cases, (self.number(parts[-1], values[-1]), sympy.true)])

    def _reaction(self, name: Token, parts: list[Token]) -> Expr:
        if not self.scope.reactions:
            self.fail(name, f"{name}(...), of the ideal constraint force, can only be used in a constraint's nature")
        least, most = {"ideal": (1, 2), "ideal_magnitude": (0, 1), "multiplier": (1, 1)}[name]
        if not least <= len(parts) <= most:
            self._fail_count(name, len(parts), least, most)
        if name == "ideal":
            if parts[0] not in self.scope.coordinates:
                self.fail(_place(parts[0]), "the first argument of ideal is a coordinate: ideal(x)")
            return ideal_force(self.scope.coordinates[parts[0]], *map(self._constraint, parts[1:]))
        make = ideal_magnitude if name == "ideal_magnitude" else multiplier
        return make(*map(self._constraint, parts))

    def _constraint(self, part: Token) -> str:
        name = str(part)[1:-1] if isinstance(part, Token) and part.type == "STRING" else None
        if name is None:
            self.fail(_place(part), 'the name of a constraint is written in double quotes: "ring"')
        if name not in self.scope.constraints:
            near = self._suggestion(name, sorted(self.scope.constraints))
            self.fail(part, f"there is no constraint named {_short(name)}{near}")
        return name

    def _fail_call(self, name: Token) -> NoReturn:
        if name in self.known:
            self.fail(name, f"{name} is not a function; for a product write {name}*(...)")
        near = self._suggestion(name, [*FUNCTIONS, *(REACTIONS if self.scope.reactions else ())])
        self.fail(name, f"unknown function {_short(name)}{near}")

    def _fail_count(self, name: Token, given: int, least: int, most: int) -> NoReturn:
        if name == "piecewise":
            expected = "values and conditions in turn and a last value: piecewise(1, x > 0, -1)"
        else:
            count = str(least) if least == most else f"{least} or more" if most == _MANY else f"{least} or {most}"
            expected = f"{count} argument" + ("" if count in ("1", "0 or 1") else "s")
        self.fail(name, f"{name} takes {expected}; {given} given")

    # -- checks -------------------------------------------------------------------------------------------

    def number(self, part: Tree[Token] | Token, value: Expr | Boolean | str) -> Expr:
        """`value`, if it is a number and not a condition or a quoted name."""
        if isinstance(value, str):
            self.fail(_place(part), "a quoted name can only stand in ideal, ideal_magnitude and multiplier")
        if isinstance(value, Boolean) and not isinstance(value, Symbol):
            self.fail(_place(part), "a condition stands where a number is expected; conditions belong in piecewise")
        return value

    def condition(self, part: Tree[Token] | Token, value: Expr | Boolean | str) -> Boolean:
        """`value`, if it is a condition."""
        if not isinstance(value, Boolean) or isinstance(value, Symbol):
            self.fail(_place(part), "a number stands where a condition is expected, such as x > 0")
        return value

    def fail(self, place: Token, message: str) -> NoReturn:
        raise ExpressionError(message, self.text, place.line or 1, place.column or 1)


_BUILDERS: dict[str, Callable[..., Expr | Boolean]] = {
    "sum": _Reading.sum,
    "product": _Reading.product,
    "signed": _Reading.signed,
    "power": _Reading.power,
    "velocity": _Reading.velocity,
    "comparison": _Reading.comparison,
    "conjunction": _Reading.conjunction,
    "disjunction": _Reading.disjunction,
    "negation": _Reading.negation,
    "call": _Reading.call,
}


def _operands(part: Tree[Token]) -> list[Tree[Token] | Token]:
    """What `part` operates on: its children, but for signs and the names of functions."""
    if part.data == "velocity" or (part.data == "call" and part.children[0] in REACTIONS):
        return []
    children = part.children[1:] if part.data == "call" else part.children
    return [c for c in children if isinstance(c, Tree) or c.type in ("NUMBER", "NAME", "STRING")]


def _place(part: Tree[Token] | Token) -> Token:
    """The token to point at: a leaf itself, a function's name, or the first sign of an operation."""
    while isinstance(part, Tree):
        signs = [c for c in part.children if isinstance(c, Token) and c.type not in ("NUMBER", "NAME", "STRING")]
        part = signs[0] if signs and part.data != "velocity" else part.children[0]
    return part


# -- syntax errors --------------------------------------------------------------------------------------------


def _refuse_syntax(text: str, unexpected: UnexpectedInput) -> NoReturn:
    """Say in words what Lark did not expect."""
    if isinstance(unexpected, UnexpectedCharacters):
        at = unexpected.pos_in_stream
        message = _of_character(text, at)
    elif isinstance(unexpected, UnexpectedToken) and unexpected.token.type != "$END":
        at = unexpected.token.start_pos
        message = _of_token(text, at, unexpected.token)
    else:
        opened, _ = _brackets(text)
        at = opened[-1] if opened else len(text.rstrip())
        message = "this ( is never closed" if opened else "the expression ends where an operand is expected"
    line = text.count("\n", 0, at) + 1
    raise ExpressionError(message, text, line, at - (text.rfind("\n", 0, at) + 1) + 1) from None


def _of_character(text: str, at: int) -> str:
    character = text[at]
    if character == "=":
        return "write left - right: the expression is understood to be = 0"
    if character == '"':
        return "this quoted name does not end"
    shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
    return f"the character {shown} has no meaning in an expression"


def _of_token(text: str, at: int, token: Token) -> str:
    before = text[:at].rstrip()
    after_operand = bool(re.search(rf"[{_LETTER}0-9.)'\"]$", before)) and not re.search(r"\b(and|or|not)$", before)
    if token.type == "PRIMES":
        return "only a coordinate has a velocity: x'"
    if token.type == "STRING":
        return "a quoted name can only stand in ideal, ideal_magnitude and multiplier"
    if token == ")" and at in _brackets(text)[1]:
        return "this ) closes nothing"
    if token == "," and after_operand:
        return "a comma can only separate the arguments of a function (a decimal is written 0.5)"
    if after_operand and (token.type in ("NAME", "NUMBER") or token == "("):
        last = re.search(rf"[{_LETTER}0-9.]+'*$|.$", before)
        left = _short(last.group()) if last else ""
        return f"an operator is missing: write {left}*{_short(token)}"
    return f"an operand is expected before {_short(token)}"


def _brackets(text: str) -> tuple[list[int], list[int]]:
    """Where brackets are opened and never closed, and closed without being opened."""
    opened: list[int] = []
    stray: list[int] = []
    for bracket in re.finditer(r'"[^"\n]*"|[()]', text):
        if bracket.group() == "(":
            opened.append(bracket.start())
        elif bracket.group() == ")":
            (stray.append(bracket.start()) if not opened else opened.pop())
    return opened, stray


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def caret(text: str, line: int, column: int, width: int = 72) -> str:
    """The line of `text` with a caret under `column`; of a long line, the part around it."""
    shown = "".join(c if c.isprintable() else " " for c in text.split("\n")[line - 1])
    first = max(0, min(column - 1 - width // 2, len(shown) - width))
    return f"    {shown[first : first + width]}\n    {' ' * (column - 1 - first)}^"
