"""SymPy nodes, built by rules of our own and never by SymPy's eager evaluation.

SymPy simplifies while it builds: it asks whether parts are real, positive or zero, factors integers, evaluates
constants to many digits, even computes minimal polynomials. On hostile text that takes for ever, and on
complex-valued symbols (which `dynamicsymbols` are) it may put `re` and `im` into a real statement. The rules here
are the ones a person expects, and each costs time in proportion to what it reads:

- sums and products are flat, like terms and equal bases are collected, numbers are combined exactly;
- a number times a sum is distributed; whole powers go into products and powers; nonnegative factors leave a root;
- odd and even functions take their sign out; known values, such as cos(pi/3), are put in.

On everything SymPy itself has evaluated these rules change nothing, so the two agree on ordinary expressions.
Every constant part carries its value as a float: one that is not a finite real number is refused.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple

import sympy
from sympy import Add, And, Basic, Expr, Float, Function, Integer, Max, Min, Mul, Not, Or, Piecewise, Pow, Rational, S
from sympy.core.relational import Relational
from sympy.core.sorting import ordered
from sympy.logic.boolalg import Boolean

from dalembert.model.constants import ELEMENTARY, MAX_MAGNITUDE, NAME_OF, Refused, evaluate, finite, real, shown

MAX_DIGITS = 50  # of a whole number, and of numerator and denominator of a fraction
MAX_EXPONENT = 1000  # magnitude of a numeric exponent
MAX_ROOT = 10**12  # whole number under a root: larger ones are costly to factor
MAX_DEGREE = 100  # of a root of a number, and the common one of those in a product
MAX_ROOTS = 6  # different roots of numbers in one product
FUNCTION_WORK = 8  # what a function costs to make, in terms and factors read
SYMPY_WORK = 150  # what one constant costs that SymPy is asked for
MAX_COMPARED = 20  # terms of an argument that is compared with its opposite
MAX_DEPTH = 64  # nodes inside nodes, of an expression that is read or written


RELATIONS: dict[str, type[Relational]] = {
    "<": sympy.StrictLessThan,
    "<=": sympy.LessThan,
    ">": sympy.StrictGreaterThan,
    ">=": sympy.GreaterThan,
    "==": sympy.Equality,
    "!=": sympy.Unequality,
}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SIGN_OF = {node: sign for sign, node in RELATIONS.items()}

_by_order = cmp_to_key(Basic.compare)  # the order in which SymPy keeps terms and factors


class _Facts(NamedTuple):
    """What is known of a node."""

    node: Basic  # the first of all equal ones
    value: float | None  # of a constant
    size: int  # how many nodes are in it
    depth: int


class Nodes:
    """Builds the nodes of one expression; equal parts become one object, and their constants are kept.

    `budget` bounds the work, counted in terms and factors read, and the depth; None for no bound.
    """

    def __init__(self, budget: int | None = None) -> None:
        self._budget = math.inf if budget is None else budget
        self._max_depth = math.inf if budget is None else MAX_DEPTH
        self._facts: dict[Basic, _Facts] = {}
        self._by_sympy: dict[tuple[object, ...], Expr] = {}

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self._budget < 0

    # -- numbers ------------------------------------------------------------------------------------------

    def integer(self, digits: str) -> Expr:
        """The whole number written with `digits` (0 to 9 only)."""
        significant = digits.lstrip("0") or "0"
        if len(significant) > MAX_DIGITS:
            raise Refused(f"a whole number of {len(significant)} digits; at most {MAX_DIGITS} are read")
        return self._number(Integer(int(significant)))

    def decimal(self, number: float) -> Expr:
        """The 53-bit float `number`."""
        return self._number(Float(finite(number)))

    def _number(self, number: Expr) -> Expr:
        """`number`, an Integer, Rational or Float, if it is within the limits."""
        if number.is_Float:
            value = float(number)
            if number and abs(finite(value)) < 1 / MAX_MAGNITUDE:
                raise Refused(f"a constant below {1 / MAX_MAGNITUDE:g} in magnitude")
            return self.keep(number)
        if not number.is_Rational:
            raise Refused(f"{number} is not a finite real number")
        if max(abs(number.p), number.q) >= 10**MAX_DIGITS:
            raise Refused(f"a whole number or fraction of more than {MAX_DIGITS} digits comes out of this")
        return self.keep(number)

    # -- arithmetic ---------------------------------------------------------------------------------------

    def sum(self, terms: Iterable[Expr]) -> Expr:
        """The sum of `terms`, flat, like terms collected."""
        number: Expr = S.Zero
        collected: dict[Expr, Expr] = {}
        for term in terms:
            parts = Add.make_args(term)
            self._spend(len(parts))
            for part in parts:
                if part.is_Number:
                    number = self._number(number + part)
                else:
                    coefficient, rest = self._split(part)
                    collected[rest] = self._number(collected.get(rest, S.Zero) + coefficient)
        parts = sorted((self._scaled(c, rest) for rest, c in collected.items() if c), key=_by_order)
        if number:
            parts = [number, *parts]
        return self.keep(Add._from_args(parts, is_commutative=True) if parts else number)

    def product(self, factors: Iterable[Expr]) -> Expr:
        """The product of `factors`, flat, powers of equal bases collected; a number times a sum is distributed."""
        number: Expr = S.One
        roots: list[Expr] = []
        powers: dict[tuple[Expr, Expr], list[Expr]] = {}
        for factor in factors:
            parts = Mul.make_args(factor)
            self._spend(len(parts))
            for part in parts:
                base, exponent = _base_and_exponent(part)
                if part.is_Number:
                    number = self._number(number * part)
                elif base.is_Number and exponent.is_Rational:
                    roots.append(part)
                else:
                    coefficient, rest = (exponent, S.One) if exponent.is_Number else self._split(exponent)
                    powers.setdefault((base, rest), [part]).append(coefficient)
        if not number:
            return S.Zero

        again = False
        parts = []
        for (base, rest), (part, *coefficients) in powers.items():
            if len(coefficients) > 1:
                part = self.power(base, self.product([self.sum(coefficients), rest]))
                again |= part is not S.One and (part.is_Number or part.is_Mul or _base_and_exponent(part)[0] != base)
            if part is not S.One:
                parts.append(part)
        if again:
            return self.product([number, *roots, *parts])
        for root in Mul.make_args(self._roots(roots)):
            if root.is_Number:
                number = self._number(number * root)
            else:
                parts.append(root)
        return self._times(number, sorted(parts, key=_by_order))

    def _times(self, number: Expr, parts: list[Expr]) -> Expr:
        """`number` times the collected and sorted `parts`."""
        if len(parts) == 1 and parts[0].is_Add and number is not S.One:
            return self.sum([self._rescaled(number, term) for term in parts[0].args])
        if number is not S.One:
            parts = [number, *parts]
        return self.keep(Mul._from_args(parts, is_commutative=True) if parts else S.One)

    def _rescaled(self, number: Expr, term: Expr) -> Expr:
        self._spend(2)
        if term.is_Number:
            return self._number(number * term)
        coefficient, rest = self._split(term)
        return self._scaled(self._number(number * coefficient), rest)

    def _split(self, term: Expr) -> tuple[Expr, Expr]:
        """The numeric coefficient of `term`, which is not a number, and the rest."""
        if term.is_Mul and term.args[0].is_Number:
            return term.args[0], self.keep(Mul._from_args(term.args[1:], is_commutative=True))
        return S.One, term

    def _scaled(self, coefficient: Expr, rest: Expr) -> Expr:
        if coefficient is S.One:
            return rest
        return self.keep(Mul._from_args((coefficient, *Mul.make_args(rest)), is_commutative=True))

    def _roots(self, roots: Sequence[Expr]) -> Expr:
        """The product of roots of numbers, such as sqrt(2)*sqrt(6) = 2*sqrt(3): SymPy's rule, on few and small ones."""
        if len(roots) < 2:
            return roots[0] if roots else S.One
        if len(set(roots)) > MAX_ROOTS:
            raise Refused(f"a product of {len(set(roots))} different roots of numbers; at most {MAX_ROOTS} are read")
        degree = math.lcm(*(root.exp.q for root in roots))
        product = self._root(degree, Mul, *sorted(roots, key=_by_order))
        while (again := self._root(degree, Mul, *Mul.make_args(product))) != product:  # SymPy may need more than one
            product = again
        return product

    def _root(self, degree: int, function: Callable[..., Expr], *args: Expr) -> Expr:
        """What SymPy makes of a power or product of numbers and their roots, as long as it stays small."""
        if degree > MAX_DEGREE:
            raise Refused(f"a root of degree {degree} of a number; at most {MAX_DEGREE} is read")
        root = self._ask_sympy(function, *args)
        for part in Mul.make_args(root):
            base, _ = _base_and_exponent(part)
            if not part.is_Number and max(base.p, base.q) > MAX_ROOT:
                raise Refused(f"this takes a root of a whole number beyond {MAX_ROOT}: write a decimal")
        return self.keep(root)

    def _ask_sympy(self, function: Callable[..., Expr], *args: Expr) -> Expr:
        """function(*args) as SymPy evaluates it, for few and small constants; what was asked before costs nothing."""
        question = (function, *args)
        if question not in self._by_sympy:
            self._spend(SYMPY_WORK)
            self._by_sympy[question] = function(*args)
        return self._by_sympy[question]

    # -- powers -------------------------------------------------------------------------------------------

    def power(self, base: Expr, exponent: Expr) -> Expr:
        """`base` to the power `exponent`."""
        if exponent.is_Number and abs(float(exponent)) > MAX_EXPONENT:
            raise Refused(f"the exponent {shown(exponent)} is too large: at most {MAX_EXPONENT}")
        if exponent.is_Number and base.is_Number:
            return self._number_power(base, exponent)
        if exponent is S.One or base is S.One:
            return base
        if base is S.Exp1:
            return self.apply("exp", exponent)
        if exponent.is_Number and not exponent:
            return S.One
        value = self.value(base)
        if value is not None and not (exponent.is_Integer or value > 0):
            raise Refused(f"{shown(base)} to the power {shown(exponent)} is not real for all values")
        if exponent.is_Integer:
            return self._whole_power(base, exponent)
        if exponent.is_Number and base.is_Mul:
            return self._root_of_product(base, exponent)
        if exponent.is_Number and base.is_Pow and base.exp.is_Number:
            inner, first = base.args
            if self._is_nonnegative(inner) or abs(first) < 1:
                return self.power(inner, self._number(first * exponent))
        return self._raw_power(base, exponent)

    def _raw_power(self, base: Expr, exponent: Expr) -> Expr:
        return self.keep(Pow(base, exponent, evaluate=False))

    def _whole_power(self, base: Expr, exponent: Expr) -> Expr:
        """(a*b)^n = a^n * b^n and (a^c)^n = a^(c*n), true for every whole n."""
        if base.is_Mul:
            return self.product([self.power(factor, exponent) for factor in base.args])
        inner, first = _base_and_exponent(base)
        if first is S.One:
            return self._raw_power(base, exponent)
        return self.power(inner, self.product([first, exponent]))

    def _root_of_product(self, base: Expr, exponent: Expr) -> Expr:
        """Nonnegative factors leave the root: sqrt(4*m*x) = 2*sqrt(m)*sqrt(x), where m is known to be positive."""
        outside, inside = [], []
        self._spend(len(base.args))
        for factor in base.args:
            if factor.is_Number and factor < 0:
                inside.append(S.NegativeOne)
                if factor is not S.NegativeOne:
                    outside.append(self._number(-factor))
            else:
                (outside if self._is_nonnegative(factor) else inside).append(factor)
        if inside == [S.NegativeOne]:
            raise Refused(f"the power {shown(exponent)} of a negative quantity is not real")
        if not outside:
            return self._raw_power(base, exponent)
        roots = [self.power(factor, exponent) for factor in outside]
        return self.product([*roots, self.power(self.product(inside), exponent)])

    def _is_nonnegative(self, factor: Expr) -> bool:
        """Whether that is plain to see: a positive constant, a symbol declared so, or a power of such a one."""
        if factor.is_Pow and factor.exp.is_Number:
            factor = factor.base
        value = self.value(factor)
        return value > 0 if value is not None else bool(factor.is_Symbol and factor.is_nonnegative)

    def _is_positive(self, factor: Expr) -> bool:
        if factor.is_Pow and factor.exp.is_Number:
            factor = factor.base
        value = self.value(factor)
        return value > 0 if value is not None else bool(factor.is_Symbol and factor.is_positive)

    def _number_power(self, base: Expr, exponent: Expr) -> Expr:
        b, e = float(base), float(exponent)
        if not base and e <= 0:
            raise Refused("division by zero" if e < 0 else "0 to the power 0 is not defined")
        if b < 0 and not exponent.is_Integer:
            raise Refused(f"{shown(base)} to the power {shown(exponent)} is not a real number")
        if base.is_Float or exponent.is_Float:
            return self.decimal(real(math.pow, b, e, name="the power"))
        largest = max(abs(base.p), base.q)
        if abs(e) * math.log10(largest) > MAX_DIGITS:
            raise Refused(f"{shown(base)} to the power {shown(exponent)} has more than {MAX_DIGITS} digits")
        if exponent.is_Integer:
            above, below = (base.p, base.q) if e >= 0 else (base.q, base.p)
            return self._number(Rational(above ** abs(exponent.p), below ** abs(exponent.p)))
        if largest > MAX_ROOT:
            raise Refused(f"a root of {shown(base)}; whole numbers up to {MAX_ROOT} are read under a root")
        return self._root(exponent.q, Pow, base, exponent)

    # -- functions ----------------------------------------------------------------------------------------

    def apply(self, name: str, argument: Expr) -> Expr:
        """The function `name` of ELEMENTARY at `argument`."""
        node, function, parity = ELEMENTARY[name]
        value = self.value(argument)
        if value is not None:
            result = real(function, value, name=name)
            if argument.is_Float:
                return self.decimal(result)
            if name == "sign":
                return self._number(Integer(int(result)))
            if name == "abs":
                return argument if value >= 0 else self.product([S.NegativeOne, argument])
            known = self._known_value(node, argument)
            if known is not None:
                return known
        if parity and _is_negative(argument):
            positive = self.apply(name, self.product([S.NegativeOne, argument]))
            return positive if parity > 0 else self.product([S.NegativeOne, positive])
        if name == "abs":
            known, rest = self._divide(argument, self._is_nonnegative)
            return self.product([*known, self._function(node, rest)]) if rest is not S.One else argument
        if name == "sign":
            _, argument = self._divide(argument, self._is_positive)
            if argument is S.One:
                return S.One
        return self._function(node, argument)

    def _function(self, node: type[Function], *arguments: Expr) -> Expr:
        """The function of SymPy at `arguments`, not evaluated."""
        self._spend(FUNCTION_WORK * len(arguments) ** 2)
        return self.keep(node(*arguments, evaluate=False))

    def _divide(self, product: Expr, test: Callable[[Expr], bool]) -> tuple[list[Expr], Expr]:
        """The factors of `product` that pass `test`, and the product of the others."""
        factors = Mul.make_args(product)
        passing = [f for f in factors if test(f)]
        return passing, self.product(f for f in factors if not test(f)) if passing else product

    def _known_value(self, node: type[Function], argument: Expr) -> Expr | None:
        """What SymPy's tables hold at a fraction, or at a fraction of pi or of a square root; None elsewhere."""
        coefficient, rest = (argument, S.One) if argument.is_Number else self._split(argument)
        if argument is S.Exp1 and node is sympy.log:
            return S.One
        if rest is not S.One and rest is not S.Pi and not (rest.is_Pow and rest.base.is_Integer):
            return None
        if not coefficient.is_Rational or max(abs(coefficient.p), coefficient.q) > MAX_ROOT:
            return None
        result = self._ask_sympy(node, argument)
        if result in (S.ComplexInfinity, S.Infinity, S.NegativeInfinity, S.NaN):
            raise Refused(f"{NAME_OF[node]}({argument}) is not finite")
        return self._rebuilt(result)

    def _rebuilt(self, expr: Expr) -> Expr:
        """A small expression that SymPy evaluated, in nodes of these rules."""
        if not expr.args:
            return self.keep(expr)
        args = [self._rebuilt(a) for a in expr.args]
        if expr.is_Add:
            return self.sum(args)
        if expr.is_Mul:
            return self.product(args)
        if expr.is_Pow:
            return self.power(*args)
        return self._function(expr.func, *args)

    def atan2(self, y: Expr, x: Expr) -> Expr:
        """The angle of the point (x, y), between -pi and pi."""
        if y.is_Number and x.is_Number:
            if not (y or x):
                raise Refused("atan2(0, 0) is not defined")
            if y.is_Float or x.is_Float:
                return self.decimal(math.atan2(float(y), float(x)))
            return self._rebuilt(self._ask_sympy(sympy.atan2, y, x))
        return self._function(sympy.atan2, y, x)

    def heaviside(self, argument: Expr, at_zero: Expr = S.Half) -> Expr:
        """0 before zero, 1 after it and `at_zero` there."""
        value = self.value(argument)
        if value is None:
            return self._function(sympy.Heaviside, argument, at_zero)
        return S.One if value > 0 else S.Zero if value < 0 else at_zero

    def extremum(self, node: type[Max] | type[Min], arguments: Iterable[Expr]) -> Expr:
        """The greatest (Max) or least (Min) of `arguments`; among constants it is chosen here."""
        flat = dict.fromkeys(b for a in arguments for b in (a.args if isinstance(a, node) else (a,)))
        constants = [a for a in flat if self.value(a) is not None]
        choose = max if node is Max else min
        kept = [choose(constants, key=self._constant)] if constants else []
        kept += [a for a in flat if self.value(a) is None]
        self._spend(3 * sum(self._fact(a).size for a in kept))
        return self.keep(node(*kept, evaluate=False))

    # -- conditions ---------------------------------------------------------------------------------------

    def relation(self, sign: str, left: Expr, right: Expr) -> Boolean:
        """The comparison `left sign right`; between constants it is decided here."""
        self._spend(self._fact(left).size + self._fact(right).size)
        if left.has(Piecewise) or right.has(Piecewise):
            raise Refused("a condition cannot contain piecewise: write its cases as conditions of their own")
        a, b = self.value(left), self.value(right)
        if a is None or b is None:
            return self.keep(RELATIONS[sign](left, right, evaluate=False))
        decided = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}
        return sympy.true if decided[sign] else sympy.false

    def connective(self, node: type[And] | type[Or], conditions: Iterable[Boolean]) -> Boolean:
        """All (And) or any (Or) of `conditions`."""
        decisive, neutral = (sympy.false, sympy.true) if node is And else (sympy.true, sympy.false)
        flat = dict.fromkeys(b for a in conditions for b in (a.args if isinstance(a, node) else (a,)))
        flat.pop(neutral, None)
        if decisive in flat or not flat:
            return decisive if decisive in flat else neutral
        if len(flat) == 1:
            return next(iter(flat))
        self._spend(3 * sum(self._fact(a).size for a in flat))
        made = Basic.__new__(node, *ordered(flat))  # And(...) itself would evaluate the comparisons
        made._argset = frozenset(flat)
        return self.keep(made)

    def negation(self, condition: Boolean) -> Boolean:
        """The opposite of `condition`."""
        if condition in (sympy.true, sympy.false):
            return sympy.false if condition is sympy.true else sympy.true
        if isinstance(condition, Relational):
            return self.keep(RELATIONS[NEGATED[SIGN_OF[type(condition)]]](*condition.args, evaluate=False))
        if isinstance(condition, Not):
            return condition.args[0]
        return self.keep(Not(condition, evaluate=False))

    def piecewise(self, cases: Iterable[tuple[Expr, Boolean]]) -> Expr:
        """The value of the first case whose condition holds."""
        return self.keep(Piecewise(*cases, evaluate=False))

    # -- what is known of a node --------------------------------------------------------------------------

    def value(self, node: Basic) -> float | None:
        """The value of a constant; None for what is not constant."""
        return self._fact(node).value

    def _constant(self, node: Basic) -> float:
        value = self.value(node)
        assert value is not None
        return value

    def _fact(self, node: Basic) -> _Facts:
        if node not in self._facts:
            self.keep(node)
        return self._facts[node]

    def _spend(self, work: int) -> None:
        self._budget -= work
        if self._budget < 0:
            raise Refused("this expression takes too much work to build: split it, or multiply fewer sums out")

    def keep(self, node: Any) -> Any:
        """`node`, or the equal one met before."""
        if node not in self._facts:
            parts = [self._fact(a) for a in node.args]
            depth = 1 + max((part.depth for part in parts), default=0)
            if depth > self._max_depth:
                raise Refused(f"nested more than {MAX_DEPTH} deep")
            value = evaluate(node, [part.value for part in parts])
            self._facts[node] = _Facts(node, value, 1 + sum(part.size for part in parts), depth)
        return self._facts[node].node

    def leave(self, node: Basic) -> Basic:
        """Take `node` as it stands, with no rule applied and no value."""
        self._facts[node] = _Facts(node, None, 1, 1)
        return node


def _base_and_exponent(factor: Expr) -> tuple[Expr, Expr]:
    """a^b as (a, b), exp(b) as (e, b), anything else as itself to the power 1."""
    if factor.is_Pow:
        return factor.args
    return (S.Exp1, factor.args[0]) if isinstance(factor, sympy.exp) else (factor, S.One)


def _is_negative(argument: Expr) -> bool:
    """Whether SymPy would take a minus out: most terms have one, or half of them do and the order decides."""
    terms = Add.make_args(argument)
    negative = sum(bool((leading := Mul.make_args(term)[0]).is_Number and leading < 0) for term in terms)
    if 2 * negative != len(terms) or len(terms) > MAX_COMPARED:
        return 2 * negative > len(terms)
    return bool(argument.sort_key() < (-argument).sort_key())
