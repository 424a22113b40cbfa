"""Structure: dependencies by module, coupling, cycles, diagram, and the picture of a flow."""

from __future__ import annotations

from retriever.domain.values import Symbol, SymbolKind
from retriever.domain.views.flow import Again, FlowNode, render
from retriever.domain.views.structure import Dependency, coupling, cycles, group_of, grouped, mermaid

_FILES = (
    Dependency("app/views/list.py", "app/db/query.py", 3),
    Dependency("app/views/edit.py", "app/db/save.py", 2),
    Dependency("app/db/save.py", "app/db/query.py", 4),
    Dependency("app/db/query.py", "app/core/errors.py", 1),
    Dependency("app/core/errors.py", "app/views/list.py", 1),
    Dependency("tool.py", "app/db/query.py", 1),
)


def test_files_count_for_their_folder() -> None:
    """Below a scope, folders are told apart; a file beside them counts for itself."""
    assert group_of("app/db/query.py", "app/", 1) == "app/db"
    assert group_of("app/main.py", "app/", 1) == "app/main.py"
    assert group_of("app/db/sql/a.py", "", 2) == "app/db"
    assert group_of("app/db/sql/a.py", "", 1) == "app"
    assert group_of("app/db/sql/a.py", "app/", 1) == "app/db"


def test_modules_outside_a_scope_are_told_apart_where_the_scope_lies() -> None:
    """Beside app/db/ stand app/views and the parts of app/contrib, and not one app."""
    assert group_of("app/views/edit.py", "app/db/", 1) == "app/views"
    assert group_of("app/contrib/admin/site/pages.py", "app/db/", 1) == "app/contrib/admin"
    assert group_of("app/main.py", "app/db/", 1) == "app/main.py"
    assert group_of("examples/todo/run.py", "app/db/", 1) == "examples/todo"
    assert group_of("setup.py", "app/db/", 1) == "setup.py"


def test_dependencies_are_summed_by_module() -> None:
    """Uses within a module do not count; most uses come first."""
    found = grouped(_FILES, "app/", 1)

    assert found[0] == Dependency("app/views", "app/db", 5)
    assert all(each.path != each.depends_on for each in found)


def test_what_does_not_touch_the_scope_is_left_out() -> None:
    """Two modules beside it may use each other as they like."""
    found = grouped(_FILES, "app/views/", 1)

    assert {(each.path, each.depends_on) for each in found} == {
        ("app/views/list.py", "app/db"),
        ("app/views/edit.py", "app/db"),
        ("app/core", "app/views/list.py"),
    }


def test_coupling_to_a_scope_counts_both_directions() -> None:
    """Modules outside the scope, by how often they use it and are used by it; what happens inside is none of it."""
    found = coupling(grouped(_FILES, "app/db/", 1), "app/db/")

    assert found == (("app/views", 5, 0), ("app/core", 0, 1), ("tool.py", 1, 0))


def test_without_a_scope_each_module_is_set_against_all_others() -> None:
    """As often as it uses them and is used by them."""
    found = coupling(grouped(_FILES, "", 2), "")

    assert found == (("app/db", 1, 6), ("app/views", 5, 1), ("app/core", 1, 1), ("tool.py", 1, 0))


def test_circles_are_found_smallest_first() -> None:
    """A circle of modules is a strongly connected component of two or more."""
    found = cycles(grouped(_FILES, "app/", 1))

    assert found == (("app/core", "app/db", "app/views"),)


def test_files_of_one_module_are_no_circle() -> None:
    """They are one module, which may well lie on a circle with another."""
    inside = (Dependency("a.go", "b.go", 1, ".", "."), Dependency("b.go", "a.go", 1, ".", "."))
    around = (Dependency("b.go", "d/d.go", 1, ".", "d"), Dependency("d/d.go", "a.go", 1, "d", "."))

    assert cycles(inside) == ()
    assert cycles(inside + around) == ((".", "d"),)
    assert [line.split("|")[0].split()[1] for line in mermaid(inside + around, 9).splitlines()[1:]] == [
        "-->",
        "-->",
        "-.->",
        "-.->",
    ]


def test_the_diagram_shows_the_heaviest_dependencies() -> None:
    """Mermaid, with circular dependencies dotted, and each module named where it first stands."""
    drawn = mermaid((Dependency("a", "b", 3), Dependency("b", "a", 1), Dependency("c", "a", 1)), 9)

    assert drawn.splitlines() == [
        "flowchart LR",
        '  m0["a"] -.->|3| m1["b"]',
        "  m1 -.->|1| m0",
        '  m2["c"] -->|1| m0',
    ]


def test_only_what_lies_on_one_circle_is_dotted() -> None:
    """One circle may use another without a way back; drawn are as many as have a place."""
    pairs = (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("e", "f"))
    drawn = mermaid(tuple(Dependency(*pair, 1) for pair in pairs), 5)

    assert [line.split("|")[0].split()[1] for line in drawn.splitlines()[1:]] == [*["-.->"] * 4, "-->"]


def test_no_name_of_a_module_can_break_out_of_the_diagram() -> None:
    """Quotes, line breaks, entities, markdown and HTML are written by number; other scripts stay as they are."""
    drawn = mermaid((Dependency('a"]\n  x --> y', "#quot;<b>`né`&", 1),), 9)

    assert drawn.splitlines()[1:] == ['  m0["a#34;]#10;  x --#62; y"] -->|1| m1["#35;quot;#60;b#62;#96;né#96;#38;"]']


def test_a_flow_is_drawn_as_an_indented_tree() -> None:
    """One call a line with its place; cycles, calls that leave, repeats and omissions are marked."""
    entry, helper = _symbol("main", 1), _symbol("helper", 9)
    tree = FlowNode(
        "main",
        entry,
        children=(
            FlowNode("helper", helper, 2, (FlowNode("main", entry, 10, again=Again.CYCLE),), more=1),
            FlowNode("requests.get", line=3),
            FlowNode("helper", helper, 4, again=Again.BEFORE),
        ),
        more=2,
    )

    assert render(tree) == (
        "main (a.py:1) +2 calls\n"
        "  → helper (a.py:9) +1 call\n"
        "    → ↻ main (cycle, a.py:1)\n"
        "  → ⇢ requests.get (external)\n"
        "  → helper (a.py:9) (see above)\n"
    )


def _symbol(name: str, line: int) -> Symbol:
    return Symbol(
        id=line,
        file_id=1,
        parent_id=None,
        kind=SymbolKind.FUNCTION,
        path="a.py",
        module="a",
        language="python",
        is_test=False,
        name=name,
        qualified_name=name,
        start_line=line,
        end_line=line + 3,
        signature=f"def {name}()",
        docstring="",
    )
