"""Saving: a file that reads back as an equal system, or no file at all."""

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sympy import (
    Abs,
    Dummy,
    Float,
    Function,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    atan2,
    cos,
    eye,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
)
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.model.saving import dumps
from model.file_support import read

t = dynamicsymbols._t
x, y, z, θ = dynamicsymbols("x y z θ")
m, g, R, mu = symbols("m g R mu", positive=True)
k, c = symbols("k c", real=True)
free = Symbol("free")
α = Symbol("α", nonnegative=True)
whole = Symbol("n", integer=True, positive=True)
T2 = m * (x.diff() ** 2 + y.diff() ** 2) / 2
VALUES = {m: 1.0, g: 9.81, R: 1.0}


def on_plane(*constraints, **more):
    return da.System.from_lagrangian(T2 - m * g * y, [x, y], constraints=constraints, **more)


def on_ring(nature):
    return on_plane(da.Holonomic(x**2 + y**2 - R**2, name="the ring", nature=nature), parameters=VALUES)


SYSTEMS = {
    "free": da.System.from_lagrangian(T2, [x, y]),
    "forces": da.System.from_lagrangian(T2, [x, y], forces={y: -c * y.diff() + sin(t)}, name='say "hi" \\ ü'),
    "all forces": da.System.from_lagrangian(T2, [x, y], forces=[k * x, 1.5]),
    "mass": da.System.from_forces(
        [[m + cos(x) ** 2, m * sin(x)], [m * sin(x), 2]], [-g, Rational(1, 3)], [x, y], parameters={g: 0.1}
    ),
    "mass written in two ways": da.System.from_forces([[1, sin(2 * x)], [2 * sin(x) * cos(x), 1]], [0, 0], [x, y]),
    "unit mass": da.System.from_forces(eye(3), [0, 0, -g], [x, y, z]),
    "point on a line": da.System.from_particles([da.Particle(m, x, -k * x)]),
    "point in a plane": da.System.from_particles([da.Particle(2, (x, y))], potential=g * y),
    "points": da.System.from_particles(
        [da.Particle(m, (x, y, z), (0, -c * y.diff(), cos(t))), da.Particle(0.1, [θ])], potential=k * (x - θ) ** 2 / 2
    ),
    "holonomic": on_plane(da.Holonomic(x - R * cos(t)), da.Holonomic(y * sin(x), name="wall")),
    "nonholonomic": on_plane(da.Nonholonomic(x.diff() ** 2 + y.diff() ** 2 - R**2 * t)),
    "differential": on_plane(da.Differential({x: y, y: -R * sin(t), t: -k * x}), da.Differential({y: Float(0.5)})),
    "ideal": on_ring(da.Ideal()),
    "viscous": on_ring(da.Viscous(k * (1 + x**2))),
    "quadratic": on_ring(da.Quadratic(0.3)),
    "coulomb": on_ring(da.Coulomb(mu)),
    "static": on_ring(da.Coulomb(Rational(1, 5), static=0.3)),
    "prescribed by name": on_ring(da.Prescribed({y: -mu * da.ideal_magnitude() * sign(y.diff())})),
    "prescribed in order": on_ring(da.Prescribed([-da.ideal_force(x), da.ideal_force(y, "the ring")])),
    "prescribed nothing": on_ring(da.Prescribed({})),
    "reactions": on_plane(
        da.Holonomic(x, nature=da.Prescribed({x: da.multiplier("rod no. 2") * da.ideal_magnitude("constraint 1")})),
        da.Holonomic(y - x, name="rod no. 2"),
    ),
    "assumptions": da.System.from_lagrangian(
        T2 - k * x * free - whole * α * y * Symbol("d", negative=True) * Symbol("e", nonzero=True), [x, y]
    ),
    "some values": on_plane(parameters={m: 1.0, k: -0.0, R: 5e-324, c: 1.7976931348623157e308}),
    "digits": on_plane(parameters={m: 0.1 + 0.2, g: 1 / 3}, initial={x: 0.1 + 0.2, y: 2**60}, until=1 / 3),
    "start": on_plane(initial={x: R * cos(pi / 7), y: sqrt(2), x.diff(): -g, y.diff(): 1e-7}, until=1e5),
    "piecewise": da.System.from_lagrangian(
        T2 + Piecewise((x, (x > 0) & (y < 1)), (2 * x, True)) + Heaviside(y) - Abs(x) * Max(x, y, 0),
        [x, y],
        forces={x: Min(x, 1) - sign(x.diff()) + atan2(y, x)},
    ),
    "Greek": da.System.from_lagrangian(m * θ.diff() ** 2 / 2 - α * cos(θ), [θ], parameters={α: 2}, initial={θ: α / 2}),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_was_saved_is_read_again_as_an_equal_system(name, tmp_path):
    system = SYSTEMS[name]
    system.save(tmp_path / "model.toml")
    assert da.System.load(tmp_path / "model.toml") == system
    assert hash(da.System.load(tmp_path / "model.toml")) == hash(system)


@pytest.mark.parametrize("name", gallery.names())
def test_the_gallery_is_read_and_saved_and_read(name, tmp_path):
    system = da.System.load(gallery.path(name))
    system.save(tmp_path / "model.toml")
    assert da.System.load(tmp_path / "model.toml") == system
    assert system.name
    assert system.until is not None
    assert all(symbol in system.parameters for symbol in system.symbols)


leaves = st.sampled_from([x, y, x.diff(), y.diff(), m, k, free, t, pi]) | st.one_of(
    st.integers(-50, 50), st.fractions(-9, 9, max_denominator=60), st.floats(-1e6, 1e6, allow_subnormal=False)
).map(
    lambda value: Rational(value.numerator, value.denominator) if hasattr(value, "numerator") else Float(value)
).filter(lambda value: value.is_Rational or value == 0 or abs(value) > 1e-200)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        st.tuples(inner, st.sampled_from([2, 3])).map(lambda p: p[0] ** p[1]),
        st.tuples(st.sampled_from([sin, cos]), inner).map(lambda p: p[0](p[1])),
    ),
    max_leaves=8,
)
names = st.text(st.characters(exclude_characters='"\\', categories=["L", "N", "P", "S"]), min_size=1, max_size=20)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(expressions, expressions, names, names, st.floats(allow_nan=False, allow_infinity=False))
def test_any_system_reads_back_or_is_not_saved(L, force, title, label, value):
    constraint = da.Nonholonomic(x.diff() - R * y.diff(), name=label, nature=da.Prescribed([force, 0]))
    try:
        system = da.System.from_lagrangian(
            L, [x, y], forces={y: force}, constraints=[constraint], parameters={m: value}, name=title
        )
        text = dumps(system)
    except da.ModelError:
        reject()
    assert read(text) == system
    assert dumps(read(text)) == text


UNSAVABLE = {
    "undefined function": (da.System.from_lagrangian(T2 - Function("V")(x), [x, y]), ["V(x(t))"]),
    "dummy": (da.System.from_lagrangian(T2 * Dummy("q", real=True), [x, y]), ["Dummy"]),
    "names": (
        da.System.from_lagrangian(T2 * Symbol("a b") * Symbol("__x"), [x, y], parameters={Symbol("2"): 1.0}),
        ["'a b'", "'__x'", "'2'"],
    ),
    "reserved": (da.System.from_lagrangian(T2 * Symbol("sin") * Symbol("pi"), [x, y]), ["'sin'", "'pi'"]),
    "coordinate": (da.System.from_lagrangian(dynamicsymbols("_a.b").diff() ** 2, [dynamicsymbols("_a.b")]), ["'_a.b'"]),
    "real coordinate": (
        da.System.from_lagrangian(dynamicsymbols("x", real=True).diff() ** 2, [dynamicsymbols("x", real=True)]),
        ["coordinate x has assumptions"],
    ),
    "assumptions": (
        da.System.from_lagrangian(T2 * Symbol("a", even=True) * Symbol("b", zero=False), [x, y]),
        ["even=True", "zero=False"],
    ),
    "precision": (da.System.from_lagrangian(T2 * Float("0.1", 40), [x, y]), ["53-bit"]),
    "title": (da.System.from_lagrangian(T2, [x, y], name="a\ud800"), ["name of the system"]),
    "everything": (
        da.System.from_lagrangian(
            T2 - Function("V")(x) * Symbol("a b") - Dummy("q"), [x, y], initial={x: Function("f")(k)}
        ),
        ["lagrangian contains V(x(t))", "'a b'", "Dummy", "start.x contains f(k)"],
    ),
}


@pytest.mark.parametrize("name", UNSAVABLE)
def test_what_a_file_cannot_hold_is_not_written(name, tmp_path):
    system, parts = UNSAVABLE[name]
    file = tmp_path / "model.toml"
    file.write_text("as it was")
    with pytest.raises(da.ModelError) as raised:
        system.save(file)
    assert all(any(part in fault for fault in raised.value.faults) for part in parts)
    assert len(raised.value.faults) == len(parts)
    assert file.read_text() == "as it was"
