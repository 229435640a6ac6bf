"""The calculus of an embedding: places, their derivatives, and expressions of the old coordinates pulled back.

    ẏ = J ẋ + y_t,   ÿ = J ẍ + γ,   J = ∂y/∂x (n × k),   γ = J̇ ẋ + ∂(y_t)/∂t + … = (ẏ)_x ẋ + (ẏ)_t

Everything here is in the symbols of `algebra`, the SymPy algebra of the new coordinates.
"""

from collections.abc import Mapping
from functools import cached_property

from sympy import Add, Expr, Rational, S, Symbol

from dalembert.derive.algebra import Symbols, replaced
from dalembert.derive.reducing.decimals import Decimals
from dalembert.derive.reducing.embedding import Embedding
from dalembert.model import Lagrangian, Statement, name_of
from dalembert.model.checks import parameters_in


class Chart:
    """An embedding with its derivatives, and the rule by which what is said of y is said of x."""

    def __init__(self, system: Statement, embedding: Embedding) -> None:
        self.system, self.embedding = system, embedding
        symbols = parameters_in(embedding.places).union(system.symbols)
        values = tuple((s, 0.0) for s in sorted(symbols, key=lambda s: s.name))
        bare = Statement(embedding.new, Lagrangian(S.Zero, (S.Zero,) * len(embedding.new)), (), values)
        self.algebra = Symbols(bare)
        self.y = tuple(self.algebra.convert(e) for e in embedding.places)

    @property
    def n(self) -> int:
        """How many old coordinates there are."""
        return len(self.y)

    @property
    def k(self) -> int:
        """How many new ones."""
        return len(self.algebra.q)

    @cached_property
    def J(self) -> list[dict[int, Expr]]:
        """∂y_i/∂x_j of each old coordinate, where it is not identically zero."""
        return [self.algebra.gradient(e, self.algebra.q) for e in self.y]

    @cached_property
    def drift(self) -> list[Expr]:
        """∂y/∂t."""
        return [self.algebra.gradient(e, [self.algebra.t]).get(0, S.Zero) for e in self.y]

    @cached_property
    def rates(self) -> list[Expr]:
        """ẏ = J ẋ + ∂y/∂t."""
        v = self.algebra.v
        pairs = zip(self.J, self.drift, strict=True)
        return [Add(*(g * v[j] for j, g in row.items()), drift) for row, drift in pairs]

    @cached_property
    def bias(self) -> list[Expr]:
        """γ = ÿ − J ẍ."""
        return [self._along(rate) for rate in self.rates]

    def _along(self, f: Expr) -> Expr:
        """f_x ẋ + f_t."""
        a = self.algebra
        g = a.gradient(f, [*a.q, a.t])
        return Add(*(g[j] * a.v[j] for j in range(self.k) if j in g), g.get(self.k, S.Zero))

    @cached_property
    def _rule(self) -> dict[Expr, Expr]:
        places = dict(zip(self.system.coordinates, self.y, strict=True))
        return places | dict(zip(self.system.velocities, self.rates, strict=True))

    def pull(self, expr: Expr, known: Mapping[Expr, Expr] | None = None) -> Expr:
        """An expression of y, ẏ, t and parameters in x, ẋ, t; `known` gives what else stands in it."""
        return self.algebra.convert(expr, {**self._rule, **(known or {})})

    def pull_exact(self, expr: Expr) -> tuple[Expr, dict[Symbol, Rational]]:
        """The same with symbols for decimal fractions, and what they stand for: for what must vanish exactly."""
        decimals, rule = self._exact
        return self.algebra.convert(decimals.masked(expr), rule), decimals.values

    @cached_property
    def _exact(self) -> tuple[Decimals, dict[Expr, Expr]]:
        decimals = Decimals()
        return decimals, {key: decimals.masked(e) for key, e in self._rule.items()}

    def pull_from(self, algebra: Symbols, expr: Expr, known: Mapping[Expr, Expr] | None = None) -> Expr:
        """The same for an expression in the symbols of the old algebra."""
        return replaced(expr, {**self._from(algebra), **(known or {})})

    def _from(self, algebra: Symbols) -> dict[Expr, Expr]:
        own = self.algebra
        parameters = {theirs: own.parameters[s] for s, theirs in algebra.parameters.items()}
        return {
            **dict(zip(algebra.q, self.y, strict=True)),
            **dict(zip(algebra.v, self.rates, strict=True)),
            **parameters,
            algebra.t: own.t,
        }

    def covector(self, components: Mapping[int, Expr]) -> list[Expr]:
        """Jᵀ c of a covector c with some components along y."""
        terms: list[list[Expr]] = [[] for _ in range(self.k)]
        for i, value in components.items():
            for j, g in self.J[i].items():
                terms[j].append(g * value)
        return [Add(*t) for t in terms]

    def names(self) -> tuple[str, ...]:
        """What the new coordinates are called."""
        return tuple(map(name_of, self.embedding.new))
