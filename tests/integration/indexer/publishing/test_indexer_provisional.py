"""An edit is shown at once by a patched snapshot, and the exact one follows."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from indexer.domain.jobs import JobSpec, LocalSource, Published, WorkEvent
from indexer.domain.snapshots.snapshot import SnapshotSet
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.core_contents import CoreContents
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree
from tests.integration.indexer.publishing.test_indexer_incremental import fresh_digest


@dataclass
class Shown:
    """Remembers what a run publishes, and keeps a copy of a provisional core, which will be swept."""

    indexing: Indexing
    published: list[Published] = field(default_factory=list)
    provisional: SnapshotSet | None = None
    core: CoreContents | None = None

    def tell(self, event: WorkEvent) -> None:
        """Look at what serves at the moment of publication."""
        if isinstance(event, Published):
            self.published.append(event)
            if event.provisional:
                self.provisional = self.indexing.current()
                self.core = CoreContents(self.indexing.core())

    @property
    def contents(self) -> CoreContents:
        """Return what the provisional core says."""
        assert self.core is not None
        return self.core


def index(indexing: Indexing, folder: Path) -> Shown:
    """Index a folder and return what was published on the way."""
    shown = Shown(indexing)
    with indexing.indexer() as indexer:
        indexer.run(JobSpec("shop", LocalSource(str(folder))), shown)
    return shown


CART = str(SHOP["shop/cart.py"])
TILL = str(SHOP["shop/till.py"])
EDITS: dict[str, dict[str, str | None]] = {
    "body": {"shop/cart.py": CART.replace("self.items = []", "self.items = list()\n        self.sum = 0")},
    "new function": {
        "shop/till.py": TILL + '\n\ndef refund(cart):\n    """Pay back."""\n    raise KeyError("no receipt")\n'
    },
    "new file": {"shop/coupon.py": "from shop.till import pay\n\n\ndef redeem(cart):\n    return pay(cart)\n"},
    "deleted file": {"shop/till.py": None},
    "renamed file": {"shop/till.py": None, "shop/counter.py": TILL},
    "renamed function": {"shop/cart.py": CART.replace("def add", "def put")},
    "moved lines": {"shop/cart.py": "# first\n\n" + CART},
    "swapped names": {
        "shop/till.py": TILL.replace("def pay", "def x").replace("def total", "def pay").replace("def x", "def total")
    },
    "namesakes": {"shop/till.py": TILL + "\n\ndef total(cart):\n    return 0\n\n\ndef total(cart):\n    return 1\n"},
    "unreadable code": {"shop/cart.py": "class (:\n"},
    "emptied": {"shop/cart.py": ""},
    "prose": {"README.md": "# Store\n\nBuys and sells.\n"},
    "data": {"config.toml": "[shop]\nopen = false\n"},
    "docstring of a package": {"shop/__init__.py": '"""A store, with a till."""\nfrom shop import till\n'},
    "several": {
        "shop/cart.py": CART + "\n\nLIMIT = 3\n",
        "tests/test_cart.py": None,
        "shop/till.py": TILL.replace("receipt", "bill"),
    },
}


def apply(root: Path, edit: dict[str, str | None]) -> None:
    """Write and remove files."""
    for path, text in edit.items():
        if text is None:
            (root / path).unlink()
        else:
            write_tree(root, {path: text})


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_provisional_rows_are_those_of_a_fresh_index(
    indexing: Indexing, shop: Path, tmp_path: Path, edit: dict[str, str | None]
) -> None:
    """All but edges and what all files say together is as if indexed anew; then the exact snapshot follows."""
    indexing.run(shop)
    before = CoreContents(indexing.core())
    apply(shop, edit)
    shown = index(indexing, shop)
    exact = CoreContents(indexing.core())
    kept = {path for path, *_ in exact.files} - edit.keys()
    lost = shown.contents.edges_from(kept) - before.edges_from(kept)
    found_again = {(edge[0], *edge[2:5]) for edge in before.edges_from(kept) - shown.contents.edges_from(kept)}

    assert [each.provisional for each in shown.published] == [True, False]
    assert shown.contents.tables() == exact.tables()
    assert shown.contents.sound == ([("ok",)], [])
    for path in edit:
        assert {row[:6] for row in shown.contents.pages(path)} == {row[:6] for row in exact.pages(path)}
    assert {(edge[0], *edge[2:5]) for edge in lost} == found_again
    assert all(edge[1] is None and edge[6] == 3 for edge in lost)
    assert indexing.current().layers[0].digest == fresh_digest(shop, tmp_path)


@pytest.mark.parametrize("name", ["body", "new function", "moved lines", "prose", "data"])
def test_edges_of_simple_edits_are_exact_already(indexing: Indexing, shop: Path, name: str) -> None:
    """What needs only the edited file and what it imports is found at once, pages say so; texts can be searched."""
    indexing.run(shop)
    apply(shop, EDITS[name])
    shown = index(indexing, shop)
    exact = CoreContents(indexing.core())

    assert shown.contents.edges == exact.edges
    assert [row for row in shown.contents.docs if row[1]] == [row for row in exact.docs if row[1]]
    assert words_of_prose(shown.contents) == words_of_prose(exact)


def words_of_prose(contents: CoreContents) -> list[tuple[object, ...]]:
    return [row for row in contents.doc_words if row[3][0] == "README.md"]


def test_new_calls_lead_to_files_that_were_not_imported_before(indexing: Indexing, tmp_path: Path) -> None:
    """A new import is followed, through the package that exports the name again, to the method that is called."""
    files = {
        "pkg/__init__.py": "from pkg.deep import Engine\n",
        "pkg/deep.py": "class Engine:\n    def start(self):\n        pass\n",
        "app.py": "def main():\n    pass\n",
    }
    root = write_tree(tmp_path / "src", files)
    indexing.run(root)
    write_tree(root, {"app.py": "import pkg\n\n\ndef main():\n    engine = pkg.Engine()\n    engine.start()\n"})
    shown = index(indexing, root)
    targets = {edge[1] for edge in shown.contents.edges if edge[0] == ("app.py", "main", 0)}

    assert ("pkg/deep.py", "Engine.start", 0) in targets
    assert shown.contents.edges == CoreContents(indexing.core()).edges


def test_edits_go_upon_each_other_until_they_are_too_many(indexing: Indexing, shop: Path) -> None:
    """A provisional snapshot is patched again; beyond the limit, and with it at 0, the exact one is waited for."""
    indexing.more["provisional_files"] = 2
    indexing.run(shop)
    outcomes = []
    for number, path in enumerate(["shop/cart.py", "shop/cart.py", "shop/till.py", "shop/new.py"]):
        write_tree(shop, {path: f"def f{number}():\n    pass\n"})
        outcomes.append(stop_when_shown(indexing, shop))
    contents = CoreContents(indexing.core())
    exact = index(indexing, shop)
    indexing.more["provisional_files"] = 0
    write_tree(shop, {"shop/cart.py": "x = 1\n"})

    assert outcomes == [True, True, True, False]
    assert not indexing.current().provisional
    assert contents.tables() == CoreContents(indexing.core()).tables()
    assert exact.published[-1].unchanged
    assert [each.provisional for each in index(indexing, shop).published] == [False]


class _Stopped(Exception):
    """The test ends a run as a crash would."""


def stop_when_shown(indexing: Indexing, folder: Path) -> bool:
    """Index until a provisional snapshot serves and give up then; tell whether there was one."""

    class Stop:
        def tell(self, event: WorkEvent) -> None:
            if isinstance(event, Published) and event.provisional:
                raise _Stopped

    try:
        with indexing.indexer() as indexer:
            indexer.run(JobSpec("shop", LocalSource(str(folder))), Stop())
    except _Stopped:
        return True
    return False


def test_provisional_is_never_taken_for_done(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """After a stop between the two steps the edit serves, and the next run makes the exact snapshot at once."""
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/cart.py": "x = 1\n"})
    stopped = stop_when_shown(indexing, shop)
    provisional = indexing.current()
    shown = index(indexing, shop)
    sets = {file.stem for file in (indexing.data / "repositories/shop/sets").iterdir()}

    assert stopped
    assert provisional.provisional
    assert provisional.source_identity == indexing.current().source_identity
    assert [(each.provisional, each.unchanged) for each in shown.published] == [(False, False)]
    assert indexing.current().layers[0].digest == fresh_digest(shop, tmp_path)
    assert provisional.layers[0].digest != indexing.current().layers[0].digest
    assert sets == {first.snapshot_id, indexing.current().snapshot_id}


def test_undone_edit_leads_back(indexing: Indexing, shop: Path) -> None:
    """Taking an edit back is an edit too: shown at once, and then the snapshot of before serves again."""
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/cart.py": "x = 1\n"})
    stop_when_shown(indexing, shop)
    write_tree(shop, {"shop/cart.py": CART})
    shown = index(indexing, shop)

    assert shown.contents.tables() == CoreContents(indexing.core()).tables()
    assert indexing.current().snapshot_id == first.snapshot_id


def test_other_settings_are_not_patched_in(indexing: Indexing, shop: Path) -> None:
    """What another setting made is no base for a patch."""
    indexing.run(shop)
    indexing.more["extract_mutates"] = False
    write_tree(shop, {"shop/till.py": "x = 1\n"})
    shown = index(indexing, shop)

    assert [each.provisional for each in shown.published] == [False]
    assert indexing.rows("SELECT count(*) FROM facts WHERE kind = 2") == [(0,)]


@pytest.mark.parametrize("damage", ["flipped", "gone"])
def test_damaged_core_is_not_patched(indexing: Indexing, shop: Path, tmp_path: Path, damage: str) -> None:
    """A base that is not what its manifest says, or lacks its file, is left alone, and everything is read anew."""
    indexing.run(shop)
    if damage == "gone":
        shutil.rmtree(indexing.core().parent)
    else:
        data = bytearray(indexing.core().read_bytes())
        data[len(data) // 2] ^= 1
        indexing.core().write_bytes(data)
    write_tree(shop, {"shop/till.py": "x = 1\n"})
    shown = index(indexing, shop)

    assert [each.provisional for each in shown.published] == [False]
    assert indexing.current().layers[0].digest == fresh_digest(shop, tmp_path)


def test_history_of_deleted_files_goes_with_them(indexing: Indexing, shop: Path) -> None:
    """Commits that touched a file that is gone do not name it any more; the rest of the history stays."""
    commit_all(shop)
    for number in range(2):
        write_tree(shop, {"shop/cart.py": f"A = {number}\n", "shop/till.py": f"B = {number}\n"})
        commit_all(shop)
    indexing.run(shop)
    (shop / "shop/till.py").unlink()
    shown = index(indexing, shop)

    assert shown.provisional is not None
    assert shown.provisional.dirty
    assert shown.contents.tables() == CoreContents(indexing.core()).tables()
