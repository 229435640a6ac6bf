"""Linear systems of symbolic expressions, solved block by block over their field of fractions."""

from sympy import Matrix, zeros
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMError, DMNonInvertibleMatrixError

MOST_COUPLED = 6


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
        if matrix[0, 0].equals(0):
            raise NotSolved("a symbolic pivot vanishes")
        return right / matrix[0, 0]
    try:
        inverse, denominator = DomainMatrix.from_Matrix(matrix).to_field().inv_den()
    except (DMNonInvertibleMatrixError, ZeroDivisionError):
        raise NotSolved("the symbolic matrix is singular") from None
    except (DMError, NotImplementedError) as error:
        raise NotSolved(f"the symbolic matrix has no field of fractions ({error})") from None
    scale = inverse.domain.to_sympy(denominator)
    return (inverse.to_Matrix() * right) / scale
