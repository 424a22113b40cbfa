"""What files are about: domains by folders, concepts by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.domain.model import ParsedFile, SymbolDef, SymbolKind
from indexer.domain.roles import is_test
from indexer.domain.snapshots.core import IndexedFile
from indexer.domain.snapshots.lexical import count_file
from indexer.domain.text.concepts import MAX_CONCEPTS
from indexer.domain.text.metadata import describe_files, domain_of
from indexer.domain.tree import TextFile


def code(path: str, *names: str, doc: str = "", public: bool = True) -> IndexedFile:
    """Make a file of functions."""
    module = path.removesuffix(".py").replace("/", ".")
    symbols = [SymbolDef(SymbolKind.MODULE, module, "", -1, 1, 1, "", doc)]
    symbols += [SymbolDef(SymbolKind.FUNCTION, name, name, 0, 1, 1, f"{name}()", "", (), public) for name in names]
    parsed = ParsedFile("python", tuple(symbols), (), b"")
    return IndexedFile(
        TextFile(path, "", 0, "\n"), "python", module, is_test(path), parsed, count_file(path, "", parsed)
    )


def text(path: str, body: str) -> IndexedFile:
    """Make a file without symbols."""
    empty = ParsedFile("", (), (), b"")
    return IndexedFile(TextFile(path, "", 0, body), "", path, False, None, count_file(path, body, empty))


def described(*files: IndexedFile) -> dict[str, tuple[str, tuple[str, ...]]]:
    found = describe_files(files)
    return {file.source.path: (each.domain, each.concepts) for file, each in zip(files, found, strict=True)}


@pytest.mark.parametrize(
    ("path", "domain"),
    [
        ("django/db/models/query.py", "db"),
        ("django/contrib/admin/sites.py", "admin"),
        ("django/core/cache/backends/base.py", "cache"),
        ("django/utils/html.py", "utils"),
        ("django/__init__.py", "django"),
        ("tests/forms_tests/widget_tests/test_input.py", "forms"),
        ("src/main/java/com/acme/billing/Invoice.java", "acme"),
        ("setup.py", ""),
    ],
)
def test_domain_is_the_outermost_folder_that_tells_something(path: str, domain: str) -> None:
    """Generic folders and the package that everything is in are passed over, unless nothing else is left."""
    assert domain_of(path, {"django"}) == domain


def test_folders_that_hold_most_of_the_code_tell_nothing() -> None:
    """The root package is found by counting code, tests aside."""
    files = [code(f"shop/{part}/a{n}.py") for part in ("orders", "mail") for n in range(3)]
    tests = [code(f"tests/test_{n}.py") for n in range(20)]

    assert described(*files, *tests)["shop/orders/a0.py"][0] == "orders"


def test_concepts_are_what_others_do_not_have() -> None:
    """Words of many files lose to words of one; a whole identifier is a phrase, whose words are not repeated."""
    found = described(
        code("a.py", "load", "QueryCompiler"),
        code("b.py", "load", "mail", "mail", "send_mail"),
        code("c.py", "load"),
    )

    assert found["a.py"][1] == ("query compiler", "load")
    assert found["b.py"][1] == ("mail", "send mail", "load")


def test_private_names_and_data_have_no_concepts() -> None:
    """What only private names say is not shown; of data files nothing is."""
    found = described(code("a.py", "_secret_recipe", public=False), text("b.json", '{"recipe": "recipe"}'))

    assert found == {"a.py": ("", ()), "b.json": ("", ())}


def test_docstrings_and_prose_speak_where_names_do_not() -> None:
    """A package without names is told by its docstring; prose by its words."""
    found = described(
        code("shop/__init__.py", doc="A reservation holds stock. Stock of a reservation is kept."),
        text("README.md", "Reservations of stock. A reservation ends.\n"),
    )

    assert found["shop/__init__.py"][1] == ("stock", "reservation")
    assert found["README.md"][1] == ("reservation",)


NAMES = st.lists(st.sampled_from(["load", "save_all", "QueryCompiler", "mail", "sendMail", "x"]), max_size=6)
TREES = st.dictionaries(st.sampled_from(["a.py", "db/a.py", "db/b.py", "lib/db/c.py", "tests/test_a.py"]), NAMES)


@given(tree=TREES, order=st.randoms())
def test_order_of_files_does_not_matter(tree: dict[str, list[str]], order: object) -> None:
    """The same files in any order are described alike; nobody has more concepts than the bound, none twice."""
    files = [code(path, *names) for path, names in tree.items()]
    mixed = list(files)
    order.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    found = described(*files)

    assert described(*mixed) == found
    assert all(len(set(concepts)) == len(concepts) <= MAX_CONCEPTS for _, concepts in found.values())
