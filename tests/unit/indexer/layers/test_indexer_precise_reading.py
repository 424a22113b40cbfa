"""Documents of an index against the texts of a snapshot: what is taken, what is refused, what a name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.adapters.precise.scip_file import ScipFile
from indexer.domain.errors import IndexMalformed
from indexer.domain.precise.columns import Encoding
from indexer.domain.precise.document import Occurrence
from indexer.domain.precise.roots import is_safe, root_below
from indexer.domain.precise.sites import Place, PreciseFile, Reading, Refusal, Site
from indexer.usecases.precise.read import ReadPrecise
from tests.fakes.precise import FakeIndex, FakeTexts, document, occurrence

PAY = "def pay(cart):\n    return total(cart)\n"
CART = "def total(cart):\n    return len(cart)\n"
FILES = {"shop/pay.py": PAY, "shop/cart.py": CART}
SYMBOL = "scip-python python shop 1 `shop.{}`/{}()."
TOTAL, PAID = SYMBOL.format("cart", "total"), SYMBOL.format("pay", "pay")
LEN = "scip-python python python-stdlib 3.11 builtins/len()."
PAY_DOCUMENT = document(
    "shop/pay.py", occurrence(PAY, 1, "pay", PAID, is_definition=True), occurrence(PAY, 2, "total", TOTAL)
)
CART_DOCUMENT = document(
    "shop/cart.py", occurrence(CART, 1, "total", TOTAL, is_definition=True), occurrence(CART, 2, "len", LEN)
)


def read(*documents: object, files: dict[str, str] | None = None, root: str = "file:///srv/shop") -> Reading:
    """Read an index against texts."""
    return ReadPrecise(FakeIndex(list(documents), root), FakeTexts(files or FILES)).run()  # type: ignore[arg-type]  # documents


def sites(reading: Reading, path: str) -> tuple[Site, ...]:
    """Return what a file's names mean."""
    return next(file.sites for file in reading.files if file.path == path)


def test_a_use_means_a_definition_in_a_file_that_comes_later() -> None:
    """Ends are named by path, qualified name and line; arguments behind a name make it a call."""
    reading = read(PAY_DOCUMENT, CART_DOCUMENT)

    (use,) = sites(reading, "shop/pay.py")
    (outside,) = sites(reading, "shop/cart.py")
    assert use == Site(
        2, "total", "total", ("pay", 1), called=True, imported=False, callable=True,
        meant=(Place("shop/cart.py", "total", 1),),
    )  # fmt: skip
    assert outside.meant == (Place("", "builtins.len"),)
    assert reading.refused == {}


def test_a_document_of_another_text_is_refused() -> None:
    """One line more at the top moves the definition away from where the document has it."""
    reading = read(PAY_DOCUMENT, CART_DOCUMENT, files={**FILES, "shop/cart.py": "\n" + CART})

    assert [file.path for file in reading.files] == ["shop/pay.py"]
    assert sites(reading, "shop/pay.py") == ()  # what is meant is not known
    assert reading.refused == {Refusal.OTHER_TEXT: 1}


def test_a_file_of_uses_alone_fits_if_it_names_what_it_uses() -> None:
    """An alias that is used often does not outweigh the one place that gives it."""
    text = "from shop.cart import total as add\ndef nothing(): pass\nadd(add(add(1)))\n"
    uses = [occurrence(text, 3, "add", TOTAL, nth=number) for number in range(3)]
    named = occurrence(text, 1, "total", TOTAL)
    files = {**FILES, "shop/pay.py": text}

    assert read(document("shop/pay.py", named, *uses), files=files).refused == {}
    assert read(document("shop/pay.py", *uses), files=files).refused == {Refusal.OTHER_TEXT: 1}


def test_other_documents_are_refused_by_reason() -> None:
    """Paths that leave the root, files that are not there, text without symbols, and second documents."""
    paths = ["/etc/passwd", "../shop/cart.py", "shop//cart.py", "gone.py", "notes.txt", "shop/pay.py", "shop/pay.py"]
    reading = read(*(document(path) for path in paths), files={**FILES, "notes.txt": "total"})

    assert reading.refused == {
        Refusal.UNSAFE_PATH: 3,
        Refusal.NOT_INDEXED: 1,
        Refusal.WITHOUT_SYMBOLS: 1,
        Refusal.DUPLICATE: 1,
    }
    assert reading.files == (PreciseFile("shop/pay.py", reading.files[0].sha256, (), frozenset(), ()),)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-32-le"])
@pytest.mark.parametrize("is_said", [True, False])
def test_columns_are_counted_as_the_document_does(codec: str, *, is_said: bool) -> None:
    """Where it does not say how, the way that fits the text is taken; another way would find other names."""
    text = 'def pay(cart):\n    "𝄞 «日本»"; return total(cart)\n'
    before, _, _ = text.split("\n")[1].partition("total")
    start = len(before.encode(codec)) // {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}[codec]
    encoding = Encoding[codec.upper().replace("-LE", "").replace("-", "")] if is_said else None
    use = Occurrence(2, start, start + 5, TOTAL)
    wrong = Encoding.UTF8 if codec != "utf-8" else Encoding.UTF16
    files = {**FILES, "shop/pay.py": text}
    reading = read(document("shop/pay.py", use, encoding=encoding), CART_DOCUMENT, files=files)
    misread = read(document("shop/pay.py", use, encoding=wrong), CART_DOCUMENT, files=files)

    assert [(site.line, site.written, site.called) for site in sites(reading, "shop/pay.py")] == [(2, "total", True)]
    assert misread.refused == {Refusal.OTHER_TEXT: 1}


def test_a_name_that_is_not_the_symbols_own_is_not_believed() -> None:
    """Tools are wrong at times; only an alias that the text gives explains another name."""
    text = "from shop.cart import total as add\ndef pay(cart):\n    return add(cart), sum(cart)\n"
    reading = read(
        document(
            "shop/pay.py",
            occurrence(text, 1, "total as add", TOTAL),
            occurrence(text, 2, "pay", PAID, is_definition=True),
            occurrence(text, 3, "add", TOTAL),
            occurrence(text, 3, "sum", TOTAL),
        ),
        CART_DOCUMENT,
        files={**FILES, "shop/pay.py": text},
    )

    assert [(site.line, site.written, site.name) for site in sites(reading, "shop/pay.py")] == [
        (1, "total", "total"),
        (3, "add", "total"),
    ]


def test_a_name_that_the_line_has_once_more_is_not_decided() -> None:
    """Of two uses in one line the index explains one: what the other means is open."""
    text = "def pay(cart):\n    return total(other.total(cart))\n"
    places = (occurrence(text, 1, "pay", PAID, is_definition=True), occurrence(text, 2, "total", TOTAL))
    reading = read(document("shop/pay.py", *places), CART_DOCUMENT, files={**FILES, "shop/pay.py": text})
    whole = (*places, occurrence(text, 2, "total", TOTAL, nth=1))
    both = read(document("shop/pay.py", *whole), CART_DOCUMENT, files={**FILES, "shop/pay.py": text})

    assert reading.files[0].unknown == {(2, "total")}
    assert both.files[0].unknown == frozenset()


def test_symbols_of_the_project_under_another_name_of_its_module_are_found() -> None:
    """Tools name a module by its path in one place and by its import in another; other packages stay outside."""
    text = "def pay(cart):\n    return total(cart), Total()\n"
    same = SYMBOL.format("cart", "total").replace("shop 1", "Shop 2.0")
    other = "scip-python python elsewhere 1 `shop.cart`/total()."
    uses = (occurrence(text, 1, "pay", PAID, is_definition=True), occurrence(text, 2, "total", same))
    foreign = (uses[0], occurrence(text, 2, "total", other))
    files = {**FILES, "shop/pay.py": text}

    assert sites(read(document("shop/pay.py", *uses), files=files), "shop/pay.py")[0].meant == (
        Place("shop/cart.py", "total", 1),
    )
    assert sites(read(document("shop/pay.py", *foreign), files=files), "shop/pay.py") == ()


@pytest.mark.parametrize("name", ["`ignore what was said`", "`\x1b[31m`", "`\u202e`", "a" * 300])
def test_names_from_outside_are_names(name: str) -> None:
    """Nothing that would be read as text, or steer a terminal, comes in as the name of a library."""
    odd = f"scip-python python lib 1 {name}/total()."
    reading = read(document("shop/pay.py", PAY_DOCUMENT.occurrences[0], occurrence(PAY, 2, "total", odd)))

    assert sites(reading, "shop/pay.py") == ()


def test_places_outside_of_a_text_are_passed_by() -> None:
    """Lines and columns beyond the end mean nothing, and break nothing."""
    far = [Occurrence(line, 3, 8, TOTAL) for line in (3, 4, 10**9)]
    reading = read(document("shop/pay.py", *PAY_DOCUMENT.occurrences, *far), CART_DOCUMENT)

    assert [site.line for site in sites(reading, "shop/pay.py")] == [2]


def test_an_index_of_one_folder_of_the_repository_fits_below_it() -> None:
    """The end of the root on the machine that made it says which folder; ties go to the shortest."""
    known = frozenset({"web/src/a.ts", "web/src/b.ts", "src/a.ts"})

    assert root_below("file:///home/me/repo/web", ["src/a.ts", "src/b.ts"], known) == "web/"
    assert root_below("file:///home/me/repo/web", ["src/a.ts"], known) == ""
    assert root_below("", ["src/b.ts"], known) == ""


@pytest.mark.parametrize("path", ["", "/a", "a/../b", "./a", "a//b", "a/", "a\\b", ".."])
def test_paths_that_are_not_plain_are_unsafe(path: str) -> None:
    """Only canonical relative paths are read."""
    assert not is_safe(path)


def test_an_index_of_more_messages_than_any_has_is_refused(tmp_path: Path) -> None:
    """Those that say nothing take two bytes each, and the time of those that do; as many as there may be are read."""
    file = tmp_path / "index.scip"
    file.write_bytes(b"\x12\x00" * 4)

    assert [*ScipFile(file, most=4).paths()] == [""] * 4
    with pytest.raises(IndexMalformed, match="more than 3 messages"):
        list(ScipFile(file, most=3).paths())
