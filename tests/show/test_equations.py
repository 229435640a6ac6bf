"""Equations show themselves: in text that fits, in LaTeX that renders, in JSON that reads back as the same formula."""

import json
import re
from functools import cache
from unicodedata import combining, normalize

import pytest
from matplotlib.mathtext import MathTextParser
from sympy import Add, Function, Matrix, exp, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery
from dalembert.model.grammar import Scope, parse
from dalembert.model.writing import canonical
from dalembert.show.notation import pretty

x, y, z, th, lamda = dynamicsymbols("x y z theta lambda")
t = dynamicsymbols._t
m, g, R, mu = symbols("m g R mu", positive=True)


def chain(n):
    points, rods, before = [], [], (0, 0, 0)
    for i in range(1, n + 1):
        here = dynamicsymbols(f"x{i} y{i} z{i}")
        points.append(da.Particle(m, tuple(here)))
        rods.append(da.Holonomic(sum((a - b) ** 2 for a, b in zip(here, before, strict=True)) - R**2, f"rod {i}"))
        before = here
    weight = sum(m * g * p.position[2] for p in points)
    return da.System.from_particles(points, potential=weight, constraints=rods)


def particle(*constraints, force=None):
    return da.System.from_particles([da.Particle(m, (x, y, z), force)], potential=m * g * z, constraints=constraints)


SYSTEMS = {
    **{name: (lambda name=name: da.System.load(gallery.path(name))) for name in gallery.names()},
    "free": lambda: particle(),
    "factored": lambda: chain(3),
    "factored with friction": lambda: particle(
        *(da.Holonomic(x**k + sqrt(1 + y**2) * exp(k * z) + sin(k * x * y), f"{k}", da.Coulomb(mu)) for k in (1, 2, 3))
    ),
    "awkward names": lambda: particle(
        da.Holonomic(x - y, "rod_1 & 50% #2 {a}^b~$c"), da.Nonholonomic(z.diff() - R * x.diff(), "naïve stößel λ")
    ),
    "own function": lambda: particle(da.Holonomic(z), force=(Function("F")(x, t), 0, 0)),
    "Greek": lambda: da.System.from_lagrangian(
        m * (th.diff() ** 2 + lamda.diff() ** 2) / 2 - m * g * sin(th), [th, lamda]
    ),
    "wide": lambda: da.System.from_forces(
        [[1 + sum(symbols("a_long_name_1:9")) * x**2]], [sum(symbols("another_long_name_1:9"))], [x]
    ),
    "one endless product": lambda: da.System.from_forces(
        [[1]], [x * g**2 * R**3 * symbols("m_p1:30")[0].func("n" * 60)], [x]
    ),
}


@cache
def equations(name):
    return SYSTEMS[name]().equations()


def columns(line):
    return sum(not combining(c) for c in line)


@pytest.fixture(params=SYSTEMS)
def shown(request):
    return equations(request.param)


class TestText:
    @pytest.mark.parametrize("width", [40, 79, 119])
    def test_fits_the_width(self, shown, width):
        lines = shown.text(width).splitlines()
        assert max(map(columns, lines)) <= width
        assert all(line == line.rstrip() for line in lines)

    def test_is_what_print_shows(self, shown):
        assert str(shown) == shown.text()

    def test_says_which_sense_a_multiplier_has(self, shown):
        assert ("Qᶜ_i = Aᵀ λ" in shown.text()) is bool(shown.constraints)

    def test_names_every_coordinate_and_every_row(self, shown):
        text = normalize("NFC", shown.text())
        if shown.factored and not shown.contradictory:
            assert "q̈ = " in text
        elif not shown.contradictory:
            for q in shown.coordinates:
                letter = {"theta": "θ", "lambda": "λ"}.get(str(q.func), str(q.func))
                assert re.search(normalize("NFC", f"^ *{letter}\u0308 = ") if len(letter) == 1 else letter, text, re.M)
            assert all(f"λ[{name}] = " in text for name in shown.constraints)

    def test_every_note_is_there(self, shown):
        words = " ".join(shown.text(60).split())
        assert all(note in words for note in shown.notes)


def test_a_large_matrix_is_listed_by_its_names():
    text = equations("factored").text(80)
    assert "M[x₁, x₁] = m" in text
    assert "A[rod 2, y₁] = 2*y1 - 2*y2" in text
    assert "A[rod 1, x₂]" not in text  # it is zero
    assert "Q[z₃] = -g*m" in text


def test_multipliers_inside_C_are_called_as_everywhere_else():
    factored = equations("factored with friction")
    assert factored.factored
    assert 'multiplier("2")' in factored.text()
    assert "Multiplier" not in factored.text() + factored.latex()
    assert 'multiplier("2")' in json.dumps(factored.as_dict()).replace("\\", "")


def test_reactions_are_drawn_by_their_symbols():
    assert pretty(da.multiplier("ring")) == "λ[ring]"
    assert pretty(da.ideal_force(th, "ring")) == "Qᶜ_i[θ, ring]"
    assert pretty(da.ideal_magnitude()) == "|Qᶜ_i|"


def test_the_factored_form_says_no_more_than_there_is():
    ideal, rough = equations("factored").text(), equations("factored with friction").text()
    assert "Qᶜ_ni = C" in rough
    assert "C" not in ideal.split("q̈ = a")[1].split("Note")[0]
    assert "Qᶜ_ni = C" not in ideal
    assert "q̈ = a + M⁻¹ Qᶜ_i" in ideal


class TestContacts:
    table = da.OneSided(z, mu / 2, "table")
    wall = da.OneSided(R - x, name="a wall")

    def test_the_relation_is_an_inequality_and_λ_pushes(self):
        text = particle(self.table, self.wall, da.Holonomic(y, "rail")).equations().text()
        assert "φ[table] = z ≥ 0,   λ[table] ≥ 0,   restitution mu/2\n" in text
        assert "φ[a wall] = R - x ≥ 0,   λ[a wall] ≥ 0\n" in text
        assert "φ[rail]" not in text

    def test_it_says_that_this_holds_in_contact(self):
        one, two = particle(self.table).equations(), particle(self.table, self.wall).equations()
        assert one.notes == (
            "this holds while 'table' is in contact; out of contact its row and its multiplier are left out",
        )
        assert "while all of 'table', 'a wall' are in contact" in two.notes[0]
        assert particle(da.Holonomic(z)).equations().notes == ()

    def test_the_equations_are_those_in_contact(self):
        """The same as of a constraint that holds in both directions."""
        both = particle(da.Holonomic(z, "table", da.Coulomb(mu))).equations()
        push = particle(da.OneSided(z, name="table", nature=da.Coulomb(mu))).equations()
        for part in ("M", "Q", "A", "b", "C", "acceleration", "ideal", "nonideal", "multipliers"):
            assert getattr(push, part) == getattr(both, part)
        assert (both.contacts, push.contacts) == ((), (da.OneSided(z, name="table", nature=da.Coulomb(mu)),))

    def test_latex(self):
        latex = particle(self.table, self.wall).equations().latex()
        first, second = r"\varphi_{\mathrm{table}} &= z \geq 0", r"\varphi_{\mathrm{a\ wall}} &= R - x \geq 0"
        assert latex.index(first) < latex.index(second) < latex.index("M &= ")
        assert r"\quad \lambda_{\mathrm{table}} \geq 0, \quad \mathrm{restitution}\ \frac{\mu}{2}" in latex
        assert latex.count("restitution") == 1

    def test_json(self):
        assert particle(self.table, self.wall).equations().as_dict()["contacts"] == [
            {"constraint": "table", "relation": "z >= 0", "restitution": "mu/2"},
            {"constraint": "a wall", "relation": "R - x >= 0", "restitution": "0"},
        ]
        assert particle(da.Holonomic(z)).equations().as_dict()["contacts"] == []


def test_friction_against_a_sliding_velocity_that_is_given():
    """−μ N Jᵀ s/|s|, N = |λ|: here of a block on a belt of speed R, by hand."""
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
    belt = da.Holonomic(y, "belt", da.Coulomb(mu, sliding=x.diff() - R))
    shown = da.System.from_lagrangian(L, [x, y], constraints=[belt]).equations()
    for speed, friction in ((3, -1), (1, 1)):  # faster than the belt, and slower
        assert shown.C.subs({x.diff(): speed, R: 2}) == Matrix([friction * mu * m * g, 0])
        assert shown.acceleration.subs({x.diff(): speed, R: 2}) == Matrix([friction * mu * g, 0])


def balanced(text):
    """Whether braces, \\left … \\right and environments open and close in order."""
    open_ = []
    for token in re.findall(r"\\\\|\\[{}]|\\(?:begin|end)\{\w+\}|\\left(?![a-z])|\\right(?![a-z])|[{}]", text):
        if token in ("\\\\", r"\{", r"\}"):
            continue
        if token == "{" or token == r"\left" or token.startswith(r"\begin"):
            open_.append(token)
        else:
            partner = {"}": "{", r"\right": r"\left"}.get(token, token.replace("end", "begin"))
            if not open_ or open_.pop() != partner:
                return False
    return not open_


class TestLatex:
    @pytest.mark.parametrize(
        ("text", "good"),
        [
            (r"\frac{a}{b}", True),
            (r"\frac{a}{b", False),
            (r"\begin{a}{\end{a}}", False),
            (r"\left[ x \right]", True),
            (r"\left[ x", False),
            (r"\{", True),
            (r"\leftarrow", True),
        ],
    )
    def test_the_probe_can_fail(self, text, good):
        assert balanced(text) is good

    def test_is_balanced(self, shown):
        latex = shown.latex()
        assert balanced(latex)
        assert latex.startswith("\\begin{aligned}\n")
        assert latex.endswith("\n\\end{aligned}")
        for line in latex.split("\\\\[4pt]\n"):
            assert balanced(line.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}"))
            equations = len(re.findall(r"(?<!\\)&=", line))
            assert equations == (0 if line.startswith(r"&\mathrm") else 1)  # a note, or one equation

    def test_nothing_in_it_comments_or_leaves_mathematics(self, shown):
        latex = shown.latex().replace(r"$\times$", "")
        assert re.search(r"(?<!\\)[%#$]", latex) is None

    def test_notebooks(self, shown):
        assert shown._repr_latex_() == f"$$\n{shown.latex()}\n$$"

    def test_each_line_has_its_label(self, shown):
        latex = shown.latex()
        for section in shown.sections().values():
            for line in section:
                assert f"{line.latex} &= " in latex
                assert balanced(line.latex)

    def test_dots(self):
        assert r"\ddot{x} &= " in equations("rough-ring").latex()
        assert r"\dot{\theta}" in equations("hemisphere").latex()

    def test_each_line_renders(self, shown):
        """By an independent typesetter; it knows no environments, so scalars only, no \\operatorname and no \\&."""
        parser, rows = MathTextParser("path"), shown.latex().split("\\\\[4pt]\n")
        for section in shown.sections().values():
            for line in section:
                tex = latex_of(rows, line).replace(r"\&", "+")
                if r"\begin" not in tex:
                    parser.parse(f"${tex.replace('operatorname', 'mathrm')}$")


def latex_of(rows, line):
    (found,) = [row for row in rows if row.startswith(f"{line.latex} &= ")]
    return found.replace(" &= ", " = ").removesuffix("\n\\end{aligned}")


def scope(shown, system):
    return Scope(
        {str(q.func): q for q in shown.coordinates},
        {s.name: s for s in system.symbols},
        frozenset(shown.constraints),
        reactions=True,
    )


class TestDictionary:
    def test_is_ready_for_json(self, shown):
        document = shown.as_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document

    @pytest.mark.parametrize("name", [n for n in SYSTEMS if n != "own function"])
    def test_reads_back_as_the_same_formulas(self, name):
        shown, system = equations(name), SYSTEMS[name]()
        document, names = shown.as_dict(), scope(shown, system)
        for part in ("M", "Q", "A", "b", "C", "acceleration", "ideal", "nonideal", "multipliers"):
            value = getattr(shown, part)
            if value is None:
                assert document[part] is None
                continue
            rows = document[part] if part in "MA" else [[e] for e in document[part]]
            assert [len(row) for row in rows] == [value.cols] * value.rows
            for i, row in enumerate(rows):
                assert [parse(e, names) for e in row] == [canonical(e) for e in value.row(i)]

    def test_what_a_file_cannot_say_is_still_text(self):
        assert equations("own function").as_dict()["Q"][0] == "F(x, t)"

    def test_shape(self, shown):
        document, n, rows = shown.as_dict(), len(shown.coordinates), len(shown.constraints)
        assert len(document["M"]) == len(document["Q"]) == len(document["C"]) == n
        assert len(document["A"]) == len(document["b"]) == rows
        assert document["factored"] is shown.factored
        assert document["notes"] == list(shown.notes)
        assert balanced(document["latex"])


def test_vast_matrices_are_described():
    """More than anybody reads is counted, not printed; the expression itself is kept."""
    letters = symbols("a1:40")
    long = Add(*(a * sin(b * x) for a in letters for b in letters))
    shown = da.System.from_forces([[1]], [long], [x]).equations()
    assert shown.factored
    assert re.search(r"Q: \d+ operations in 1 × 1 entries", shown.text())
    assert len(shown.text()) < 1000
    assert balanced(shown.latex())
    assert shown.Q[0] == long
