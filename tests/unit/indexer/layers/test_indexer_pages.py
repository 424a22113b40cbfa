"""Pages of the wiki, and digests of files."""

from __future__ import annotations

import dataclasses

from indexer.domain.model import Edge, EdgeKind, ParsedFile, Resolution, SymbolDef, SymbolKind, Tier
from indexer.domain.snapshots.canonical import core_digest, edges_by_file, file_digest, symbol_identities
from indexer.domain.snapshots.core import Core, FileMetadata, History, IndexedFile, LinkedEdges, PageKind
from indexer.domain.snapshots.lexical import count_file
from indexer.domain.text.pages import make_pages
from indexer.domain.tree import Revision, TextFile


def symbol(kind: SymbolKind, qualified_name: str, parent: int, line: int, doc: str = "", **more: object) -> SymbolDef:
    name = qualified_name.rpartition(".")[2]
    made = SymbolDef(kind, name, qualified_name, parent, line, line + 1, f"def {name}()", doc)
    return dataclasses.replace(made, **more)  # type: ignore[arg-type]  # fields of the dataclass


def parsed(module: str, doc: str, *symbols: SymbolDef) -> ParsedFile:
    head = SymbolDef(SymbolKind.MODULE, module, "", -1, 1, 20, "", doc)
    return ParsedFile("python", (head, *symbols), (), b"")


def code(path: str, module: str, doc: str, *symbols: SymbolDef, is_test: bool = False) -> IndexedFile:
    facts = parsed(module, doc, *symbols)
    source = TextFile(path, "00", 10, "x\n" * 20)
    return IndexedFile(source, "python", module, is_test, facts, count_file(path, source.text, facts))


def prose(path: str, text: str) -> IndexedFile:
    empty = ParsedFile("", (), (), b"")
    return IndexedFile(TextFile(path, "00", len(text), text), "", path, False, None, count_file(path, text, empty))


def call(source: tuple[int, int], target: tuple[int, int]) -> Edge:
    return Edge(source, target, "f", EdgeKind.CALL, 3, 1.0, Tier.STATIC, Resolution.RESOLVED)


FILES = (
    prose("README.md", "# Shop\nSells things.\n"),
    code("shop/__init__.py", "shop", "A shop."),
    code("shop/cart.py", "shop.cart", "Carts.\n\nMore.", symbol(SymbolKind.CLASS, "Cart", 0, 3, "Holds items.")),
    code(
        "shop/till.py",
        "shop.till",
        "",
        symbol(SymbolKind.FUNCTION, "pay", 0, 3, "Pay now."),
        symbol(SymbolKind.FUNCTION, "_secret", 0, 6, is_public=False),
    ),
    code("tests/test_cart.py", "tests.test_cart", "Tests.", is_test=True),
)
EDGES = (LinkedEdges((1, 2, 3, 4), (call((2, 1), (1, 1)), call((3, 0), (1, 1)))),)
METADATA = (
    FileMetadata(""),
    FileMetadata("shop"),
    FileMetadata("shop", ("cart", "items")),
    FileMetadata("shop"),
    FileMetadata("tests"),
)


def test_pages_cover_overview_packages_modules_and_prose() -> None:
    """One overview, one page for each package and module, sections of prose; tests have no page."""
    pages = make_pages("shop", FILES, EDGES, METADATA)

    assert [(page.kind, page.path) for page in pages] == [
        (PageKind.OVERVIEW, ""),
        (PageKind.SECTION, "README.md"),
        (PageKind.PACKAGE, "shop/__init__.py"),
        (PageKind.MODULE, "shop/cart.py"),
        (PageKind.MODULE, "shop/till.py"),
    ]


def test_module_page_has_docstring_public_symbols_and_relations() -> None:
    """A page names what is public and which modules use it, tests left out, and points at its module symbol."""
    cart, till = make_pages("shop", FILES, EDGES, METADATA)[3:5]

    assert cart.body == (
        "Carts.\n\nMore.\n\nPublic symbols:\n- def Cart(): Holds items.\n\nUsed by: shop.till\n\n"
        "Part of: shop\nConcepts: cart, items"
    )
    assert till.body == "Public symbols:\n- def pay(): Pay now.\n\nUses: shop.cart\n\nPart of: shop"
    assert (cart.symbol, cart.start_line, cart.end_line) == ((2, 0), 1, 20)


def test_files_that_share_a_module_have_titles_of_their_own() -> None:
    """Where a module is a folder of files, pages and what lists them say which file is meant."""
    files = (
        code("gin/doc.go", "gin", "A router."),
        code("gin/gin.go", "gin", "", symbol(SymbolKind.FUNCTION, "New", 0, 3)),
        code("gin/tree.go", "gin", "", symbol(SymbolKind.FUNCTION, "add", 0, 3)),
    )
    edges = (LinkedEdges((0, 1, 2), (call((1, 1), (2, 1)),)),)

    pages = make_pages("gin", files, edges, [FileMetadata("")] * 3)

    assert [page.title for page in pages[1:]] == ["gin", "gin", "gin (tree.go)"]
    assert "- gin (tree.go)" in pages[1].body
    assert "Uses: gin (tree.go)" in pages[2].body
    assert "Used by: gin" in pages[3].body


def test_overview_and_package_page_list_what_is_inside() -> None:
    """The overview has README, languages and packages; a package page its modules."""
    overview, _, package = make_pages("shop", FILES, EDGES, METADATA)[:3]

    assert "Sells things." in overview.body
    assert "- shop: A shop." in overview.body
    assert "python (4 files)" in overview.body
    assert "Parts: shop (3 files)" in overview.body
    assert "- shop.cart: Carts." in package.body


def core_of(files: tuple[IndexedFile, ...]) -> Core:
    pages = make_pages("shop", files, EDGES, METADATA)
    return Core("shop", "id", Revision(), files, EDGES, (), pages, History({}, {}), METADATA)


def digests_of(core: Core) -> list[str]:
    names = [symbol_identities(file.parsed.symbols) if file.parsed else () for file in core.files]

    def target(edge: Edge) -> str:
        return (
            f"{core.files[edge.target[0]].source.path}:{names[edge.target[0]][edge.target[1]]}" if edge.target else ""
        )

    edges = edges_by_file(core)
    return [
        file_digest(file, [(edge, target(edge)) for edge in own]) for file, own in zip(core.files, edges, strict=True)
    ]


def test_moved_lines_change_one_file_digest_only() -> None:
    """When a file's symbols move down, its own digest changes and those of its callers do not."""
    before = core_of(FILES)
    moved = parsed("shop.cart", "Carts.\n\nMore.", symbol(SymbolKind.CLASS, "Cart", 0, 9, "Holds items."))
    after = core_of((*FILES[:2], dataclasses.replace(FILES[2], parsed=moved), *FILES[3:]))
    changed = [one != other for one, other in zip(digests_of(before), digests_of(after), strict=True)]

    assert changed == [False, False, True, False, False]
    assert core_digest(before, digests_of(before)) != core_digest(after, digests_of(after))


def test_overloads_have_identities_of_their_own() -> None:
    """Two symbols of one name in one file are told apart by their order."""
    symbols = [symbol(SymbolKind.METHOD, "A.__init__", 1, line) for line in (3, 6)]

    assert symbol_identities(symbols) == ("A.__init__#0", "A.__init__#1")


def test_order_of_linked_edges_does_not_matter() -> None:
    """Edges of a file are written in an order of their own, whatever the linker's."""
    mixed = (LinkedEdges(EDGES[0].files, tuple(reversed(EDGES[0].edges))),)
    other = dataclasses.replace(core_of(FILES), edges=mixed)

    assert digests_of(other) == digests_of(core_of(FILES))


def test_a_page_names_each_module_once() -> None:
    """Two files of one name that use a third are one name on its page."""
    files = (*FILES[:4], code("examples/a/shop/till.py", "shop.till", ""))
    edges = (LinkedEdges((1, 2, 3, 4), (call((2, 1), (1, 1)), call((3, 0), (1, 1)))),)

    cart = next(page for page in make_pages("shop", files, edges, METADATA) if page.path == "shop/cart.py")

    assert "Used by: shop.till\n\n" in cart.body


def test_configurations_are_no_files_of_a_language() -> None:
    """What is read beside code to find its modules is not counted as code."""
    configuration = dataclasses.replace(code("web/package.json", "web.package", ""), language="javascript")
    script = dataclasses.replace(code("web/app.js", "web.app", ""), language="javascript")

    overview = make_pages("shop", (configuration, script), (), METADATA[:2])[0]

    assert "Languages: javascript (1 files)" in overview.body
