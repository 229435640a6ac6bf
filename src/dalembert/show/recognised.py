"""Constraints that mechanicians know by name, recognised by their form."""

from collections.abc import Callable, Iterator

from sympy import Add, Expr, Poly, PolynomialError, S, cos, sin, trigsimp

from dalembert.derive import Kind
from dalembert.model import Holonomic, OneSided, name_of, time
from dalembert.model.checks import coordinates_in, velocities_in

Reader = Callable[[Kind], Iterator[str]]


def recognised(kind: Kind) -> str:
    """What a constraint is called, in a few words; "" where its form is not known, and for contacts."""
    if isinstance(kind.constraint, OneSided):
        return ""
    return next((words for read in READERS for words in read(kind)), "")


def _fixed(e: Expr) -> bool:
    """Whether an expression changes along a motion."""
    return not coordinates_in(e) and not e.has(time())


def _coefficients(kind: Kind) -> dict[Expr, Expr]:
    return {q: a for q, a in kind.form or () if q != time()}


def _distance(kind: Kind) -> Iterator[str]:
    """A sum of squares: a circle, a sphere, a rod."""
    if not isinstance(kind.constraint, Holonomic):
        return
    places = sorted(coordinates_in(kind.constraint.expr), key=str)
    try:
        phi = Poly(kind.constraint.expr, *places)
    except PolynomialError:
        return
    if phi.total_degree() != 2 or not all(_fixed(c) for c in phi.coeffs()):
        return
    squares = {phi.coeff_monomial(x**2) for x in places}
    pairs = [(x, y) for i, x in enumerate(places) for y in places[:i] if phi.coeff_monomial(x * y) != 0]
    linear = any(phi.coeff_monomial(x) != 0 for x in places)
    if len(squares) != 1 or S.Zero in squares:
        return
    square = squares.pop()
    if not pairs:
        about = "" if not linear else " about a fixed point"
        kinds = {2: "a point kept on a circle (a pendulum rod, a ring)", 3: "a point kept on a sphere"}
        if len(places) in kinds:
            yield kinds[len(places)] + about
    elif all(phi.coeff_monomial(x * y) == -2 * square for x, y in pairs) and 2 * len(pairs) == len(places):
        yield "two points kept at a distance (a rod)"


def _plane(kind: Kind) -> Iterator[str]:
    """A linear relation among coordinates."""
    if isinstance(kind.constraint, Holonomic) and all(map(_fixed, _coefficients(kind).values())):
        places = list(_coefficients(kind))
        if len(places) == 1:
            yield f"{name_of(places[0])} is {'kept' if kind.catastatic else 'moved as prescribed'}"
        elif len(places) == 2:
            yield f"{_and(places)} keep a fixed linear relation (rolling in one dimension, gears, a belt, a line)"
        else:
            yield "a fixed linear relation (a plane, a planetary gear)"


def _ratio(kind: Kind) -> Iterator[str]:
    """Velocities in fixed ratios."""
    a = _coefficients(kind)
    if a and kind.catastatic and all(map(_fixed, a.values())):
        if len(a) == 1:
            yield f"{name_of(next(iter(a)))} is kept where it starts"
        elif len(a) == 2:
            yield "rolling without slipping in one dimension, or gears, or a belt: two velocities in a fixed ratio"
        else:
            yield "velocities in a fixed linear relation, as in a planetary gear"


def _heading(kind: Kind) -> Iterator[str]:
    """a (sin φ dx − cos φ dy) + b dψ …: a blade; dx − R cos φ dθ: a wheel with a heading."""
    a = _coefficients(kind)
    turning = {q: e for q, e in a.items() if e.has(sin, cos)}
    angles = {f.args[0] for e in turning.values() for f in e.atoms(sin, cos)}
    if len(angles) != 1 or not kind.catastatic or kind.holonomic:
        return
    heading = angles.pop()
    shown = name_of(heading) if heading in coordinates_in(heading) else "the heading"
    if len(turning) == 2:
        one, other = turning.values()
        square = trigsimp(one**2 + other**2)
        if _fixed(square) and _fixed(trigsimp(one / other * (cos(heading) / sin(heading)) ** _way(one))):
            rest = [q for q in a if q not in turning]
            blade = f"a knife edge, skate or wheel with the heading {shown}"
            seen = f", as seen from a point that {_and(rest)} carries along" if rest else ""
            yield f"{blade}: ({', '.join(map(name_of, turning))}) does not move across it{seen}"
    elif len(turning) == 1 and len(a) == 2:
        (rolled, factor), straight = next(iter(turning.items())), next(q for q in a if q not in turning)
        if _fixed(a[straight]) and any(_fixed(factor / f(heading)) for f in (sin, cos)):
            yield (
                f"rolling without slipping of {name_of(rolled)} in the direction of the heading {shown}, "
                f"its component along {name_of(straight)}"
            )


def _way(e: Expr) -> int:
    return 1 if e.has(sin) else -1


def _quadratic(kind: Kind) -> Iterator[str]:
    """A homogeneous quadratic form of velocities."""
    if kind.linear:
        return
    moving = sorted(velocities_in(kind.constraint.expr), key=str)
    try:
        psi = Poly(kind.constraint.expr, *moving)
    except PolynomialError:
        return
    if psi.is_homogeneous and psi.total_degree() == 2:
        yield "a cone of velocities, as Appell's"
    elif psi.total_degree() == 2 and len(Add.make_args(kind.constraint.expr)) > len(moving):
        yield "a speed that is prescribed"


def _and(places: list[Expr]) -> str:
    names = [name_of(q) for q in places]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


READERS: tuple[Reader, ...] = (_distance, _plane, _ratio, _heading, _quadratic)
