"""Random expression trees over three real symbols, and their values by mpmath: an independent truth in 40 digits."""

import mpmath as mp
import sympy as sp
from hypothesis import strategies as st

x, y, z = symbols = sp.symbols("x y z", real=True)
_some = [sp.Integer(2), sp.Integer(-3), sp.Rational(1, 3), sp.Rational(-5, 4), sp.pi, sp.Float(0.75)]
points = st.fixed_dictionaries({s: st.integers(-48, 48).map(lambda k: mp.mpf(k) / 16) for s in symbols})  # exact floats

SMOOTH = (sp.sin, sp.cos, sp.tan, sp.atan, sp.sinh, sp.tanh, sp.asinh, sp.exp, sp.log, sp.sqrt, sp.asin, sp.acosh)
STEPPED = (sp.Abs, sp.sign, sp.Heaviside, sp.floor, sp.ceiling)
RELATIONS = (sp.Gt, sp.Ge, sp.Lt, sp.Le)


def _grown(inner):
    two = st.tuples(inner, inner)
    relation = (
        st.tuples(st.sampled_from(RELATIONS), inner, inner).filter(lambda p: _real(*p[1:])).map(lambda p: p[0](*p[1:]))
    )
    return st.one_of(
        two.map(lambda p: p[0] + p[1]),
        two.map(lambda p: p[0] * p[1]),
        two.map(lambda p: p[0] / p[1]),
        st.tuples(inner, st.sampled_from([2, 3, -1, -2])).map(lambda p: p[0] ** p[1]),
        two.map(lambda p: (1 + p[0] ** 2) ** p[1]),
        two.map(lambda p: p[0] ** p[1]),
        st.tuples(st.sampled_from(SMOOTH + STEPPED), inner).map(lambda p: p[0](p[1])),
        two.map(lambda p: sp.atan2(*p)),
        st.tuples(st.sampled_from([sp.Max, sp.Min]), two).filter(lambda p: _real(*p[1])).map(lambda p: p[0](*p[1])),
        st.tuples(two, relation).map(lambda p: sp.Piecewise((p[0][0], p[1]), (p[0][1], True))),
    ).filter(lambda e: _real(e) and e.count_ops() < 40)


def _real(*parts):
    """Whether SymPy did not already find a part to be infinite or complex."""
    bad = (sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I)
    complex_ = (e.is_number and not e.is_comparable for e in parts)  # (-3)**pi, which SymPy refuses to compare
    return not any(complex_) and not any(
        e.has(*bad) or e.is_extended_real is False or e.is_finite is False for e in parts
    )


trees = st.recursive(st.sampled_from(symbols) | st.sampled_from(_some), _grown, max_leaves=7)


class NoValue(Exception):
    """There is no real value here."""


def exact(expr, point):
    """The value at a point (mpmath numbers), or None where there is no finite real one; branches are taken lazily."""
    try:
        with mp.workdps(40):
            value = _value(sp.sympify(expr), point)
            return value if mp.isfinite(value) else None
    except (NoValue, ZeroDivisionError, OverflowError):
        return None


_STRANGE = {
    "Abs": mp.fabs, "Max": max, "Min": min, "floor": mp.floor, "ceiling": mp.ceil,
    "Heaviside": lambda u, at=0.5: mp.mpf(at) if u == 0 else mp.mpf(u > 0),
}  # fmt: skip
_RELATIONS = {">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b}


def _value(e, point):
    if e in point:
        return point[e]
    if e.is_Number or e is sp.pi or e is sp.E:
        return e._to_mpmath(140)
    if e.is_Add:
        return mp.fsum(_value(a, point) for a in e.args)
    if e.is_Mul:
        return mp.fprod([_value(a, point) for a in e.args])
    if isinstance(e, sp.Piecewise):
        for value, condition in e.args:
            if condition == True or (condition != False and _holds(condition, point)):  # noqa: E712
                return _value(value, point)
        raise NoValue
    args = [_value(a, point) for a in e.args]
    if isinstance(e, sp.atan2) and args == [0, 0]:
        raise NoValue
    if e.is_Pow or isinstance(e, sp.exp):
        if any(abs(a) > 1e6 for a in args):
            raise NoValue  # a power tower
        value = mp.power(*args) if e.is_Pow else mp.exp(*args)
    else:
        name = type(e).__name__
        value = (_STRANGE.get(name) or getattr(mp, name))(*args)
    if isinstance(value, mp.mpc):
        if value.imag != 0:
            raise NoValue
        value = value.real
    if not mp.isfinite(value):
        raise NoValue
    return value


def _holds(condition, point):
    return _RELATIONS[condition.rel_op](*(_value(a, point) for a in condition.args))
