"""What an index puts in the place of the linker's edges, site by site."""

from __future__ import annotations

from typing import Any

from indexer.domain.model import EdgeKind, EdgeRow, Resolution, SymbolKind, Tier
from indexer.domain.precise.graph import Graph, Node
from indexer.domain.precise.merging import merge_file
from indexer.domain.precise.sites import Implementation, Place, PreciseFile, Site

# a.py has a function `go`; b.py has `Base.run`, `Sub(Base).run`, `Other.run`, `help`, and a value `LIMIT`.
NODES = {
    node.id: node
    for node in (
        Node(1, None, "a.py", SymbolKind.MODULE, "a", "", "a", 1),
        Node(2, 1, "a.py", SymbolKind.FUNCTION, "go", "go", "a.go", 3),
        Node(3, None, "b.py", SymbolKind.MODULE, "b", "", "b", 1),
        Node(4, 3, "b.py", SymbolKind.CLASS, "Base", "Base", "b.Base", 1),
        Node(5, 4, "b.py", SymbolKind.METHOD, "run", "Base.run", "b.Base.run", 2),
        Node(6, 4, "b.py", SymbolKind.METHOD, "__init__", "Base.__init__", "b.Base.__init__", 4),
        Node(7, 3, "b.py", SymbolKind.CLASS, "Sub", "Sub", "b.Sub", 10),
        Node(8, 7, "b.py", SymbolKind.METHOD, "run", "Sub.run", "b.Sub.run", 11),
        Node(9, 3, "b.py", SymbolKind.CLASS, "Other", "Other", "b.Other", 20),
        Node(10, 9, "b.py", SymbolKind.METHOD, "run", "Other.run", "b.Other.run", 21),
        Node(11, 3, "b.py", SymbolKind.FUNCTION, "help", "help", "b.help", 30, frozenset({"traced"})),
        Node(12, 3, "b.py", SymbolKind.VARIABLE, "LIMIT", "LIMIT", "b.LIMIT", 40),
        Node(13, 3, "b.py", SymbolKind.FUNCTION, "traced", "traced", "b.traced", 50),
        Node(14, 13, "b.py", SymbolKind.FUNCTION, "wrapper", "traced.wrapper", "b.traced.wrapper", 51),
    )
}
GRAPH = Graph(NODES, inherits=[(7, 4)])
BASE_RUN, RUN_HELP, LIMIT = Place("b.py", "Base.run", 2), Place("b.py", "help", 30), Place("b.py", "LIMIT", 40)


def linked(
    target: int | None, name: str = "", *, tier: Tier = Tier.STATIC, kind: EdgeKind = EdgeKind.CALL, line: int = 5
) -> EdgeRow:
    """Return an edge of the linker from `go`."""
    resolution = Resolution.RESOLVED if target else Resolution.EXTERNAL if name else Resolution.UNRESOLVED
    return EdgeRow(
        2, target, name or (NODES[target].dotted_name if target else "x.run"), kind, line, 0.5, tier, resolution
    )


def site(written: str, *meant: Place, **more: Any) -> Site:
    """Return a call of a name in line 5 of `go`."""
    defaults: dict[str, Any] = {
        "line": 5,
        "name": written,
        "source": ("go", 3),
        "called": True,
        "imported": False,
        "callable": True,
    }
    return Site(written=written, meant=meant, **(defaults | more))


def merged(
    edges: list[EdgeRow],
    *sites: Site,
    unknown: frozenset[tuple[int, str]] = frozenset(),
    graph: Graph = GRAPH,
    implementations: tuple[Implementation, ...] = (),
) -> list[tuple[str, str, str, str]]:
    """Return (kind, target, tier, resolution) of each edge."""
    file = PreciseFile("a.py", "", sites, unknown, implementations)
    found = merge_file(graph, edges, file).edges
    return [(each.kind.name, each.target_name, each.tier.name, each.resolution.name) for each in found]


def test_a_call_that_the_linker_knew_becomes_precise() -> None:
    """The same edge is there once, with the surest tier."""
    found = merge_file(GRAPH, [linked(5)], PreciseFile("a.py", "", (site("run", BASE_RUN),), frozenset(), ()))

    assert found.edges == (EdgeRow(2, 5, "b.Base.run", EdgeKind.CALL, 5, 1.0, Tier.PRECISE, Resolution.RESOLVED),)
    assert (found.replaced, found.precise) == (1, 1)


def test_a_call_that_the_linker_did_not_resolve_is_resolved() -> None:
    """An unresolved edge of the same name gives way, inside of the repository and outside."""
    assert merged([linked(None)], site("run", BASE_RUN)) == [("CALL", "b.Base.run", "PRECISE", "RESOLVED")]
    assert merged([linked(None)], site("run", Place("", "lib.C.run"))) == [("CALL", "lib.C.run", "PRECISE", "EXTERNAL")]


def test_guesses_that_are_contradicted_go() -> None:
    """A method found by its name alone is none if the name means another one; overrides of what is meant stay."""
    guesses = [linked(10, tier=Tier.UNIQUE_NAME), linked(8, tier=Tier.OVERRIDE)]

    assert merged(guesses, site("run", BASE_RUN)) == [
        ("CALL", "b.Sub.run", "OVERRIDE", "RESOLVED"),
        ("CALL", "b.Base.run", "PRECISE", "RESOLVED"),
    ]
    assert merged(guesses, site("run", Place("", "lib.C.run"))) == [("CALL", "lib.C.run", "PRECISE", "EXTERNAL")]


def test_what_the_linker_saw_flow_there_stays() -> None:
    """A declared type names one of several that run; recorded calls say that the others run too."""
    assert merged([linked(10, tier=Tier.CONTAINER)], site("run", BASE_RUN)) == [
        ("CALL", "b.Other.run", "CONTAINER", "RESOLVED"),
        ("CALL", "b.Base.run", "PRECISE", "RESOLVED"),
    ]


def test_calls_that_no_name_shows_stay() -> None:
    """Protocols and callbacks have other names than what stands there, so the index says nothing of them."""
    edges = [linked(6, tier=Tier.PROTOCOL), linked(None, "os.fspath")]

    assert merged(edges, site("run", BASE_RUN))[:2] == [
        ("CALL", "os.fspath", "STATIC", "EXTERNAL"),
        ("CALL", "b.Base.__init__", "PROTOCOL", "RESOLVED"),
    ]


def test_nothing_is_dropped_where_the_line_has_the_name_once_more() -> None:
    """The guess may be about the other one."""
    guess = linked(10, tier=Tier.UNIQUE_NAME)

    assert len(merged([guess, linked(None)], site("run", BASE_RUN), unknown=frozenset({(5, "run")}))) == 3


def test_a_class_is_called_by_its_constructor() -> None:
    """The nearest one in the line of descent; a class without one stands for itself."""
    sub, other = Place("b.py", "Sub", 10), Place("b.py", "Other", 20)

    assert merged([linked(6)], site("Sub", sub)) == [("CALL", "b.Base.__init__", "PRECISE", "RESOLVED")]
    assert merged([], site("Other", other)) == [("CALL", "b.Other", "PRECISE", "RESOLVED")]


def test_what_is_named_and_not_called_is_a_reference() -> None:
    """Values and functions that are handed over; a value that is called decides nothing."""
    value = site("LIMIT", LIMIT, called=False, callable=False)

    assert merged([], value) == [("REFERENCES", "b.LIMIT", "PRECISE", "RESOLVED")]
    assert merged([], site("help", RUN_HELP, called=False)) == [("REFERENCES", "b.help", "PRECISE", "RESOLVED")]
    assert merged([linked(None, "y.LIMIT")], site("LIMIT", LIMIT, callable=False)) == [
        ("CALL", "y.LIMIT", "STATIC", "EXTERNAL"),
        ("REFERENCES", "b.LIMIT", "PRECISE", "RESOLVED"),
    ]


def test_a_reference_that_the_linker_knew_becomes_precise() -> None:
    """Though the same function is called elsewhere; the header of a class names its bases without referring to them."""
    known = [linked(11, kind=EdgeKind.REFERENCES), linked(11, line=9)]

    assert merged(known, site("help", RUN_HELP, called=False)) == [
        ("REFERENCES", "b.help", "PRECISE", "RESOLVED"),
        ("CALL", "b.help", "STATIC", "RESOLVED"),
    ]
    assert merged([linked(4, kind=EdgeKind.INHERITS)], site("Base", Place("b.py", "Base", 1), called=False)) == [
        ("INHERITS", "b.Base", "STATIC", "RESOLVED")
    ]


def test_the_linker_says_what_is_called() -> None:
    """A decorator has no arguments behind it, and is called all the same."""
    assert merged([linked(11)], site("help", RUN_HELP, called=False)) == [("CALL", "b.help", "PRECISE", "RESOLVED")]


def test_a_decorated_function_is_called_through_its_wrapper() -> None:
    """Where the linker knows which wrapper runs, the name itself is a reference."""
    assert merged([linked(14)], site("help", RUN_HELP)) == [
        ("CALL", "b.traced.wrapper", "STATIC", "RESOLVED"),
        ("REFERENCES", "b.help", "PRECISE", "RESOLVED"),
    ]


def test_a_chain_of_calls_is_one_call_per_name() -> None:
    """The linker puts a call where its expression begins, the index where its name is."""
    chained = site("run", BASE_RUN, line=7)

    assert merged([linked(None)], chained) == [("CALL", "b.Base.run", "PRECISE", "RESOLVED")]


def test_an_import_line_imports() -> None:
    """By the linker's word or that of the index; what comes from outside keeps the name that the file has for it."""
    imports = linked(None, "os.path.join", kind=EdgeKind.IMPORT)

    assert merged([imports], site("join", Place("", "posixpath.join"), called=False)) == [
        ("IMPORT", "os.path.join", "PRECISE", "EXTERNAL")
    ]
    assert merged([], site("help", RUN_HELP, called=False, imported=True)) == [
        ("IMPORT", "b.help", "PRECISE", "RESOLVED")
    ]


def test_bases_are_those_of_the_index_without_what_they_imply() -> None:
    """Indexes list all ancestors; a base that the index does not know is wrong."""
    nodes = {**NODES, 20: Node(20, 1, "a.py", SymbolKind.CLASS, "New", "New", "a.New", 3)}
    inherits = [(7, 4), (20, 9), (20, 7), (20, 4)]
    wrong = EdgeRow(20, 9, "b.Other", EdgeKind.INHERITS, 3, 0.9, Tier.STATIC, Resolution.RESOLVED)
    ancestors = (Place("b.py", "Sub", 10), Place("b.py", "Base", 1))
    graph = Graph(nodes, inherits)

    assert merged([wrong], graph=graph, implementations=(Implementation(("New", 3), ancestors),)) == [
        ("INHERITS", "b.Sub", "PRECISE", "RESOLVED")
    ]


def test_sites_whose_ends_are_gone_say_nothing() -> None:
    """A target that another text does not have any more leaves the linker's edges alone; a moved one is found."""
    gone, moved = Place("b.py", "Gone", 1), Place("b.py", "Base.run", 99)

    assert merged([linked(None)], site("run", gone)) == [("CALL", "x.run", "STATIC", "UNRESOLVED")]
    assert merged([linked(10, tier=Tier.UNIQUE_NAME)], site("run", BASE_RUN), site("run", gone))[0][2] == "UNIQUE_NAME"
    assert merged([linked(None)], site("run", moved)) == [("CALL", "b.Base.run", "PRECISE", "RESOLVED")]
