"""A generator of small systems: random Lagrangians, forces and constraints, reproducible by seed."""

import random as _random

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

t = dynamicsymbols._t


class Generated:
    """A random system with its Lagrangian, forces and constraint expressions kept apart, and a random state."""

    def __init__(self, seed, linear=False):
        self.random = _random.Random(seed)
        n = self.random.randint(1, 4)
        self.q = list(dynamicsymbols(f"q1:{n + 1}"))
        self.v = [q.diff(t) for q in self.q]
        self.mass = list(sp.symbols(f"m1:{n + 1}", positive=True))
        self.L = self._kinetic() + self._gyroscopic() - self._function(3)
        self.forces = {q: self._function(2) - self._number() * v for q, v in zip(self.q, self.v, strict=True)}
        count = self.random.randint(0, max(0, n - 1))
        kinds = ("holonomic", "pfaffian") if linear else ("holonomic", "pfaffian", "nonlinear")
        self.kinds = [self.random.choice(kinds) for _ in range(count)]
        self.relations = [self._relation(kind) for kind in self.kinds]
        values = {m: self.random.uniform(0.5, 2.0) for m in self.mass}
        self.values = values
        self.system = da.System.from_lagrangian(
            self.L, self.q, forces=self.forces, constraints=self._constraints(), parameters=values
        )
        self.time = self.random.uniform(-1, 1)
        self.state = {s: self.random.uniform(-1.2, 1.2) for s in (*self.q, *self.v)}

    def _constraints(self):
        return [
            (da.Holonomic if kind == "holonomic" else da.Nonholonomic)(expr)
            for kind, expr in zip(self.kinds, self.relations, strict=True)
        ]

    def _number(self):
        return sp.Rational(self.random.randint(1, 12), self.random.randint(2, 9))

    def _function(self, terms):
        """A random smooth function of coordinates and time."""
        parts = []
        for _ in range(terms):
            a, b = self.random.choice(self.q), self.random.choice([*self.q, t])
            shape = self.random.choice(
                [
                    sp.sin(a + self._number() * b),
                    sp.cos(a) * b,
                    a**2 * b,
                    sp.exp(-(a**2) / 3) * b,
                    a * sp.sqrt(1 + b**2),
                ]
            )
            parts.append(self._number() * shape)
        return sp.Add(*parts)

    def _kinetic(self):
        """Positive definite: Σ ½ m q̇² plus squares of random rates (so M depends on place and time)."""
        plain = sum(m * v**2 / 2 for m, v in zip(self.mass, self.v, strict=True))
        return plain + sum(
            self._number() * self._function(1).diff(t) ** 2 / 2 for _ in range(self.random.randint(0, 2))
        )

    def _gyroscopic(self):
        return sum(self._function(1) * v for v in self.v if self.random.random() < 0.6)

    def _relation(self, kind):
        if kind == "holonomic":
            return self._function(2) + sp.Add(*(self._number() * q for q in self.q)) + self._number() * t
        pfaffian = sp.Add(*((self._number() + self._function(1)) * v for v in self.v)) + self._function(1)
        if kind == "pfaffian":
            return pfaffian
        return pfaffian + self._number() * self.v[0] ** 2 + sp.sin(self.v[-1]) * self.q[0]

    def along_path(self, expr, acceleration, order):
        """d^order/dt^order of an expression along q(t) with this state and acceleration: plain differentiation."""
        tau = sp.Symbol("tau")
        path = {
            q: self.state[q] + self.state[v] * tau + a * tau**2 / 2
            for q, v, a in zip(self.q, self.v, acceleration, strict=True)
        }
        moving = {v: path[q].diff(tau) for q, v in zip(self.q, self.v, strict=True)}
        inserted = expr.xreplace({**moving, **path}).xreplace({**self.values, t: self.time + tau})
        return float(inserted.diff(tau, order).subs(tau, 0)) if order else float(inserted.subs(tau, 0))
