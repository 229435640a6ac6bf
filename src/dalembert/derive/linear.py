"""Linear systems of symbolic expressions, solved block by block over their field of fractions."""

from sympy import Dummy, Expr, Function, Matrix, Pow, zeros
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMError, DMNonInvertibleMatrixError

from dalembert.derive.effort import TooMuch, spend
from dalembert.derive.exact import Untried, vanishes
from dalembert.derive.sizes import size_of

MOST_COUPLED = 6
MOST_ROWS, MOST_TERMS = 8, 3000  # of a determinant that is written out


class NotSolved(Exception):
    """A symbolic system that is singular or too large; the reason is the message."""


def solve(matrix: Matrix, right: Matrix) -> Matrix:
    """X with `matrix` X = `right`, for a regular matrix: each coupled block apart, exactly."""
    out = zeros(matrix.rows, right.cols)
    for block in blocks(matrix):
        if len(block) > MOST_COUPLED:
            raise NotSolved(f"{len(block)} coupled unknowns; closed forms are given up to {MOST_COUPLED}")
        inner, outer = matrix.extract(block, block), right.extract(block, list(range(right.cols)))
        solution = _one(inner, outer)
        for i, row in enumerate(block):
            out[row, :] = solution[i, :]
    return out


def blocks(matrix: Matrix) -> list[list[int]]:
    """The sets of unknowns that the non-zero entries couple, each in order."""
    return [sorted(b) for b in matrix.connected_components()]


def _one(matrix: Matrix, right: Matrix) -> Matrix:
    if matrix.rows == 1:
        if is_zero(matrix[0, 0]):
            raise NotSolved("a symbolic pivot vanishes")
        return right / matrix[0, 0]
    _weigh_determinant(matrix, MOST_TERMS)
    back: dict[Expr, Expr] = {}
    try:
        field = DomainMatrix.from_Matrix(matrix).to_field()
        if field.domain.is_EX:
            masked, back = _masked(matrix)
            field = DomainMatrix.from_Matrix(masked).to_field()
        inverse, denominator = field.inv_den()
    except (DMNonInvertibleMatrixError, ZeroDivisionError):
        raise NotSolved("the symbolic matrix is singular") from None
    except (DMError, NotImplementedError) as error:
        raise NotSolved(f"the symbolic matrix has no field of fractions ({error})") from None
    scale = inverse.domain.to_sympy(denominator).xreplace(back)
    if back and is_zero(scale):
        raise NotSolved("the symbolic matrix is singular")
    return (inverse.to_Matrix().xreplace(back) * right) / scale


def _masked(matrix: Matrix) -> tuple[Matrix, dict[Expr, Expr]]:
    """The matrix with symbols for its functions and roots, and the way back.

    Relations among them, such as e²ˣ = (eˣ)², are not used; SymPy would try to use them in every single operation.
    """
    kernels = [k for k in matrix.atoms(Function, Pow) if not (k.is_Pow and k.exp.is_Integer)]
    names = {k: Dummy(f"k{i}") for i, k in enumerate(sorted(kernels, key=lambda k: k.sort_key()))}
    return matrix.xreplace(names), {name: k for k, name in names.items()}


def determinant(matrix: Matrix, most: int = MOST_TERMS) -> Expr:
    """The determinant, written out. Raises TooMuch where it would be too long."""
    _weigh_determinant(matrix, most)
    found: Expr = matrix.det(method="berkowitz")
    return found


def _weigh_determinant(matrix: Matrix, most: int) -> None:
    if matrix.rows > MOST_ROWS:
        raise TooMuch(f"a determinant of {matrix.rows} rows; the limit is {MOST_ROWS}")
    if (terms := determinant_terms(matrix)) > most:
        raise TooMuch(f"a determinant of up to {terms} terms; the limit is {most}")
    spend(terms)


def determinant_terms(matrix: Matrix) -> int:
    """A bound of how many terms a determinant has: the permanent of those of the entries, row by row."""
    ways = {0: 1}  # by the columns used, one bit for each
    for row in matrix.tolist():
        sizes = {1 << j: size_of(e).terms - 1 for j, e in enumerate(row) if e != 0}
        more: dict[int, int] = {}
        for used, count in ways.items():
            for column, size in sizes.items():
                if not used & column:
                    more[used | column] = more.get(used | column, 0) + count * size
        ways = more
    return sum(ways.values())


def is_zero(e: Expr) -> bool:
    """Whether an expression is identically zero, all its symbols being variables; False where it cannot be tried."""
    try:
        return e == 0 or vanishes(e, sorted(e.free_symbols, key=lambda s: s.sort_key()))
    except Untried:
        return False
