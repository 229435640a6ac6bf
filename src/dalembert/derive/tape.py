"""Expressions as a straight line of float operations: evaluated without executing any generated text.

Every distinct sub-expression is one step, so common parts are computed once, and a value that does not exist (the
square root of a negative number, a division by zero) can be blamed on the sub-expression it came from. What is too
large for a float on the way only, as the exponential in 1/(1 + eˣ), is computed in numbers of any size.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import mpmath
import sympy as sp
from sympy import Expr
from sympy.core.function import AppliedUndef

from dalembert.model import ModelError, StateError


class GuardedRoot(sp.Function):  # type: ignore[misc]
    """The square root of something that a guard of a motion keeps from vanishing: it need not be watched besides."""

    is_extended_real = True

    def _eval_evalf(self, prec: int) -> Expr:
        return sp.sqrt(self.args[0])._eval_evalf(prec)


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _atan2(y: float, x: float) -> float:
    if x == 0 == y:
        raise ValueError("the point (0, 0) has no angle")
    return math.atan2(y, x)


def _heaviside(x: float, at_zero: float = 0.5) -> float:
    return at_zero if x == 0 else float(x > 0)


def _piecewise(*pairs: Any) -> Any:
    for value, holds in zip(pairs[::2], pairs[1::2], strict=True):
        if isinstance(holds, Undefined):
            return holds  # what cannot be decided is not decided
        if holds:
            return value
    raise ValueError("no condition of the piecewise expression holds")


def _all(*conditions: Any) -> bool:
    return not any(c is False for c in conditions) and all(conditions)  # one that fails settles it


def _any(*conditions: Any) -> bool:
    return any(c is True for c in conditions) or any(conditions)


FUNCTIONS: dict[type, Callable[..., Any]] = {
    sp.sin: math.sin, sp.cos: math.cos, sp.tan: math.tan,
    sp.cot: lambda x: 1 / math.tan(x), sp.sec: lambda x: 1 / math.cos(x), sp.csc: lambda x: 1 / math.sin(x),
    sp.asin: math.asin, sp.acos: math.acos, sp.atan: math.atan, sp.atan2: _atan2,
    sp.acot: lambda x: math.atan(1 / x) if x else math.pi / 2,
    sp.asec: lambda x: math.acos(1 / x), sp.acsc: lambda x: math.asin(1 / x),
    sp.coth: lambda x: 1 / math.tanh(x), sp.sech: lambda x: 1 / math.cosh(x), sp.csch: lambda x: 1 / math.sinh(x),
    sp.sinh: math.sinh, sp.cosh: math.cosh, sp.tanh: math.tanh,
    sp.asinh: math.asinh, sp.acosh: math.acosh, sp.atanh: math.atanh,
    GuardedRoot: math.sqrt, sp.exp: math.exp, sp.log: math.log, sp.Abs: abs, sp.sign: _sign, sp.Heaviside: _heaviside,
    sp.Max: max, sp.Min: min, sp.floor: lambda x: float(math.floor(x)), sp.ceiling: lambda x: float(math.ceil(x)),
    sp.Gt: operator.gt, sp.Ge: operator.ge, sp.Lt: operator.lt, sp.Le: operator.le,
    sp.Eq: lambda x, y: float(x) == float(y), sp.Ne: lambda x, y: float(x) != float(y),
    sp.And: _all, sp.Or: _any, sp.Not: lambda x: not x,
    sp.Piecewise: _piecewise,
}  # fmt: skip


def _wide(name: str) -> Callable[..., Any]:
    """A function of numbers of any size, where its value is real."""
    function = getattr(mpmath.mp, name)

    def real(*arguments: Any) -> Any:
        value = function(*arguments)
        if not isinstance(value, mpmath.mpf):
            raise ValueError("its value is not real")
        return value

    return real


BITS = 80  # of numbers of any size
WIDE: dict[Callable[..., Any], Callable[..., Any]] = {
    **{getattr(math, name): _wide(name) for name in ("exp", "sinh", "cosh", "tanh", "sqrt", "log", "asinh", "acosh")},
    **{FUNCTIONS[f]: _wide(f.__name__) for f in (sp.sech, sp.csch, sp.coth)},
    math.pow: _wide("power"),
}


@dataclass(frozen=True, eq=False)
class Undefined:
    """A value that does not exist at this state, and the sub-expression it would come from; nothing can use it."""

    expr: Any
    reason: str

    def __bool__(self) -> bool:
        raise TypeError("what does not exist is neither true nor false")


class Step(NamedTuple):
    """One operation: a function of earlier slots."""

    function: Callable[..., Any]
    arguments: tuple[int, ...]
    expr: Expr


class Tape:
    """Evaluate `outputs` for values of `inputs` (symbols), all as Python floats.

    Slots hold the inputs, then the `constants`, then what each of the `steps` gives; the outputs are at `places`.
    """

    def __init__(self, inputs: Sequence[Expr], outputs: Iterable[Expr]) -> None:
        self.inputs = tuple(inputs)
        self.constants: list[Any] = []
        self.steps: list[Step] = []
        outputs = [sp.sympify(e, strict=True) for e in outputs]
        order = _postorder(outputs, set(self.inputs))
        slot: dict[Any, int] = {x: i for i, x in enumerate(self.inputs)}
        constants = [e for e in order if e.is_number or e in (sp.true, sp.false)]
        for e in constants:
            slot[e] = len(self.inputs) + len(self.constants)
            self.constants.append(_number(e))
        for e in order:
            if e not in slot:
                function, arguments = _operation(e)
                slot[e] = len(self.inputs) + len(self.constants) + len(self.steps)
                self.steps.append(Step(function, tuple(slot[a] for a in arguments), e))
        self.places = [slot[e] for e in outputs]
        self._expressions = outputs

    def __call__(self, values: Sequence[float]) -> list[float]:
        """The outputs at these input values; a `StateError` names every output that does not exist there."""
        results, faults = self._evaluated(list(map(float, values)))  # NumPy's own divide by zero without a word
        if faults and (wide := self._wide(values)) is not None:
            return wide
        if faults:
            raise StateError("the state", faults)
        return results

    def too_large(self, values: Sequence[float]) -> str | None:
        """The first operation on the way whose value is too large for a float, as text."""
        slots = [*map(float, values), *self.constants]
        for function, arguments, expr in self.steps:
            try:
                value = function(*[slots[i] for i in arguments])
            except (ValueError, ArithmeticError, TypeError) as error:
                return short(expr) if isinstance(error, OverflowError) else None
            if math.isinf(value):
                return short(expr)
            slots.append(value)
        return None

    def shaken(self, values: Sequence[float], factors: Sequence[float]) -> list[float]:
        """The outputs where what each operation gives is multiplied by a number next to one."""
        slots = [*map(float, values), *self.constants]
        for (function, arguments, expr), factor in zip(self.steps, factors, strict=False):
            try:
                value = function(*[slots[i] for i in arguments])
            except (ValueError, ArithmeticError, TypeError) as error:
                raise StateError("the state", [f"{short(expr)} does not exist here ({error})"]) from None
            slots.append(value if isinstance(value, bool) else value * factor)
        return [slots[i] for i in self.places]

    def _evaluated(
        self, values: list[Any], instead: Mapping[Any, Any] = MappingProxyType({})
    ) -> tuple[list[Any], list[str]]:
        """The outputs, and what of them does not exist; by other functions `instead`."""
        slots = [*values, *self.constants]
        for function, arguments, expr in self.steps:
            try:
                slots.append(instead.get(function, function)(*[slots[i] for i in arguments]))
            except (ValueError, ArithmeticError, TypeError) as error:
                slots.append(_blame([slots[i] for i in arguments], expr, error))
        results = [slots[i] for i in self.places]
        faults: dict[str, None] = {}
        for value, expr in zip(results, self._expressions, strict=True):
            if isinstance(value, Undefined):
                faults[f"{value.expr} does not exist here ({value.reason})"] = None
            elif not math.isfinite(value):
                faults[f"{short(expr)} is not finite here"] = None
        return results, list(faults)

    def _wide(self, values: Sequence[float]) -> list[float] | None:
        """The outputs where all exist and only something on the way is too large for a float; else None."""
        with mpmath.workprec(BITS):
            results, faults = self._evaluated([mpmath.mpf(float(x)) for x in values], WIDE)
        out = [] if faults else [float(x) for x in results]
        return out if out and all(map(math.isfinite, out)) else None


def _blame(arguments: Iterable[Any], expr: Expr, error: Exception) -> Undefined:
    """Undefined because an argument already was, else because of this operation itself."""
    for value in arguments:
        if isinstance(value, Undefined):
            return value
    if isinstance(error, TypeError):
        raise error
    if isinstance(error, OverflowError):
        return Undefined(short(expr), "it is too large for a float")
    return Undefined(short(expr), str(error.args[-1]) if error.args else "division by zero")


def short(expr: Any, length: int = 80) -> str:
    """The expression as text, its stand-in symbols by their plain names."""
    text = sp.sstr(expr.xreplace({d: sp.Symbol(d.name) for d in expr.atoms(sp.Dummy)}))
    return text if len(text) <= length else f"{text[:length]}…"


def _postorder(outputs: Iterable[Any], known: set[Any]) -> list[Any]:
    """Every distinct node that has to be computed, arguments first, without recursion."""
    done: dict[Any, None] = {}
    for root in outputs:
        stack = [(root, False)]
        while stack:
            e, expanded = stack.pop()
            if e in done or e in known:
                continue
            if expanded or e.is_number or not e.args:
                done[e] = None
                continue
            stack.append((e, True))
            stack.extend((a, False) for a in _operation(e)[1] if a not in done)
    return list(done)


def _number(e: Any) -> Any:
    if e in (sp.true, sp.false):
        return bool(e)
    try:
        return float(e)
    except (TypeError, OverflowError):
        return Undefined(short(e), "not a real number that a float can hold")


def _operation(e: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of a node and the sub-expressions it is applied to."""
    if isinstance(e, sp.Add):
        return _add, e.args
    if isinstance(e, sp.Mul):
        return _multiply, e.args
    if isinstance(e, sp.Pow):
        return _power(e)
    if isinstance(e, sp.Piecewise):
        return _piecewise, tuple(part for pair in e.args for part in pair.args)
    if function := FUNCTIONS.get(type(e)):
        return function, e.args
    if isinstance(e, (AppliedUndef, sp.Derivative, sp.Subs)):
        raise ModelError("evaluation", [f"{short(e)} is a function without a definition: it has no numeric value"])
    if isinstance(e, sp.Symbol):
        raise ModelError("evaluation", [f"{short(e)} has no value"])
    raise ModelError("evaluation", [f"no numeric meaning is known for {type(e).__name__} in {short(e)}"])


def _add(*terms: float) -> float:
    return sum(terms)


def _multiply(*factors: float) -> float:
    return math.prod(factors)


def _power(e: sp.Pow) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    base, exponent = e.args
    if base is sp.S.Exp1:
        return math.exp, (exponent,)
    if exponent == sp.Rational(1, 2):
        return math.sqrt, (base,)
    if exponent == -1:
        return lambda x: 1 / x, (base,)
    if exponent == 2:
        return lambda x: x * x, (base,)
    if exponent.is_Integer:
        n = int(exponent)
        return lambda x: x**n, (base,)
    return math.pow, (base, exponent)
