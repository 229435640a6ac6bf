"""Constraints that mechanicians know by name, recognised by their form."""

from collections.abc import Callable, Iterator
from itertools import combinations

from sympy import Expr, Matrix, Poly, PolynomialError, S, cos, hessian, simplify, sin, trigsimp

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
    size = phi.coeff_monomial(1)
    square = squares.pop()
    if squares or square == 0 or not (-size / square).is_nonnegative or size == 0:
        return
    if not pairs and not linear:
        kinds = {2: "a point kept on a circle (a pendulum rod, a ring)", 3: "a point kept on a sphere"}
        yield from (kinds[len(places)] for _ in range(len(places) in kinds))
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
    if heading not in coordinates_in(heading):
        return
    rest = [q for q in a if q not in turning]
    if len(turning) == 2:
        (x, one), (y, other) = turning.items()
        for p, q, f, g in ((x, y, one, other), (y, x, other, one)):
            if trigsimp(f * cos(heading) + g * sin(heading)) == 0 and _fixed(trigsimp(f / sin(heading))):
                words = f"a knife edge, skate or wheel with the heading {name_of(heading)}: "
                words += f"({name_of(p)}, {name_of(q)}) does not move across it"
                carry = "carries" if len(rest) == 1 else "carry"
                yield words + (f", as seen from a point that {_and(rest)} {carry} along" if rest else "")
    elif len(turning) == 1 and len(rest) == 1:
        (rolled, factor), straight = next(iter(turning.items())), rest[0]
        radius = [factor / (a[straight] * f(heading)) for f in (sin, cos)]
        if _fixed(a[straight]) and any(_fixed(r) and r not in (1, -1) for r in radius):
            yield (
                f"rolling without slipping of {name_of(rolled)} in the direction of the heading {name_of(heading)}, "
                f"its component along {name_of(straight)}"
            )


def _quadratic(kind: Kind) -> Iterator[str]:
    """A homogeneous quadratic form of velocities."""
    if kind.linear:
        return
    moving = sorted(velocities_in(kind.constraint.expr), key=str)
    try:
        psi = Poly(kind.constraint.expr, *moving)
    except PolynomialError:
        return
    squares = [psi.coeff_monomial(v**2) for v in moving]
    plain = len(psi.terms()) == len(moving) + (psi.coeff_monomial(1) != 0)
    if psi.is_homogeneous and psi.total_degree() == 2:
        yield from _shape(psi)
    elif plain and len(set(squares)) == 1 and squares[0] != 0 and not coordinates_in(psi.coeff_monomial(1)):
        yield "a speed that is prescribed"


def _shape(psi: Poly) -> Iterator[str]:
    """What the zeros of a homogeneous quadratic form are, by its rank and its sign."""
    M = hessian(psi.as_expr(), psi.gens)
    rank = M.rank(simplify=True)
    if rank == 1:
        yield "a plane of velocities, stated as a square, whose gradient vanishes on it"
    elif M.is_positive_definite or M.is_negative_definite:
        yield "rest of the velocities in it, stated by squares, whose gradient vanishes there"
    elif rank == 2:
        yield from ("two planes of velocities" for _ in range(_minor(M).is_negative is True))
    elif rank > 2 and not (M.is_positive_semidefinite or M.is_negative_semidefinite):
        yield "a cone of velocities, as Appell's"


def _minor(M: Matrix) -> Expr:
    """The sum of the principal minors of second order: the product of the two eigenvalues of a matrix of rank 2."""
    pairs = combinations(range(M.rows), 2)
    return simplify(sum((M[i, i] * M[j, j] - M[i, j] ** 2 for i, j in pairs), S.Zero))


def _and(places: list[Expr]) -> str:
    names = [name_of(q) for q in places]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


READERS: tuple[Reader, ...] = (_distance, _plane, _ratio, _heading, _quadratic)
