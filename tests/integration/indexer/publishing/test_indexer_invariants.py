"""What is true of every index: of those of all fixtures, and found out where it is not."""

from __future__ import annotations

import importlib
import shutil
import sqlite3
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from indexer.adapters.store.core.core_check import check_core
from indexer.domain.snapshots.invariants import Invariant
from tests.integration.indexer.indexing import Indexing, write_tree

FIXTURES = Path(__file__).parents[3] / "fixtures"
TREES = sorted(path for path in FIXTURES.iterdir() if path.name not in ("sarif", "scip"))


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)
def test_the_index_of_a_fixture_has_no_violation(indexing: Indexing, tree: Path) -> None:
    """Of every language."""
    indexing.run(tree)
    folder = indexing.core().parent

    assert check_core(folder).violations == ()
    assert check_core(folder).symbols > 0


@pytest.mark.parametrize("package", ["click", "httpx", "anyio"])
def test_the_index_of_a_public_package_has_no_violation(indexing: Indexing, package: str) -> None:
    """As it is installed in the locked version, with what its files import from each other."""
    [root] = importlib.import_module(package).__path__
    indexing.run(Path(root))
    checked = check_core(indexing.core().parent)

    assert checked.violations == ()
    assert checked.edges > 1000


RECORD = {
    "Pair.java": """
        package shop;
        record Pair(
            Left left,
            int right) {
            Pair {
                left.check();
            }
        }
    """,
    "Left.java": "package shop;\nclass Left {\n  void check() {}\n}\n",
}
MACRO = {
    "Cargo.toml": '[package]\nname = "pool"\n',
    "src/lib.rs": """
        pub struct Pool {
            size: usize,
        }
        impl Pool {
            with_feature! {
                /// Opens it.
                pub fn open(&self) { self.check(); }
            }
            sized!(32);
            fn check(&self) {}
        }
    """,
}


@pytest.mark.parametrize("files", [RECORD, MACRO], ids=["a record of Java", "macros in methods of Rust"])
def test_edges_lie_within_what_they_start_from(indexing: Indexing, tmp_path: Path, files: dict[str, str]) -> None:
    """Types in the head of a record are not its constructor's; a block of methods is not within the type's lines."""
    write_tree(tmp_path / "tree", {path: textwrap.dedent(text).lstrip() for path, text in files.items()})
    indexing.run(tmp_path / "tree")
    checked = check_core(indexing.core().parent)

    assert checked.violations == ()
    assert checked.edges > 2


@pytest.mark.parametrize(
    ("change", "invariant"),
    [
        ("UPDATE edges SET line = 100000 WHERE id = 1", Invariant.EDGE_WITHIN_SOURCE),
        ("UPDATE symbols SET end_line = 100000 WHERE parent_id IS NULL AND id = 1", Invariant.SYMBOL_WITHIN_FILE),
        (
            (
                "UPDATE symbols SET end_line = (SELECT end_line + 1 FROM symbols p WHERE p.id = symbols.parent_id) "
                "WHERE qualified_name = 'App.handle'"
            ),
            Invariant.SYMBOL_WITHIN_PARENT,
        ),
        (
            "UPDATE edges SET tier = 4 WHERE id = (SELECT min(id) FROM edges WHERE kind = 2)",
            Invariant.DEPENDENCY_BY_NAME,
        ),
    ],
)
def test_a_violation_is_found(indexing: Indexing, tmp_path: Path, change: str, invariant: Invariant) -> None:
    """Planted in an index that is sound."""
    indexing.run(FIXTURES / "shop")
    folder = tmp_path / "copy"
    folder.mkdir()
    shutil.copy(indexing.core(), folder / "code.db")
    with closing(sqlite3.connect(folder / "code.db")) as database:
        database.execute(change)
        database.commit()

    assert {each.invariant for each in check_core(folder).violations} == {invariant}


def test_an_import_of_a_namesake_far_away_is_a_violation(indexing: Indexing, tmp_path: Path) -> None:
    """Two services have a module of one name; an edge that leads from one to the other's is found."""
    service = {"__init__.py": "", "h.py": "def h():\n    pass\n", "main.py": "from .h import h\n"}
    write_tree(
        tmp_path / "tree", {f"{name}/app/{file}": text for name in ("api", "web") for file, text in service.items()}
    )
    indexing.run(tmp_path / "tree")
    sound = check_core(indexing.core().parent).violations
    folder = tmp_path / "copy"
    folder.mkdir()
    shutil.copy(indexing.core(), folder / "code.db")
    with closing(sqlite3.connect(folder / "code.db")) as database:
        wrong = (
            "SELECT s.id FROM symbols s JOIN files f ON f.id = s.file_id WHERE f.path = 'api/app/h.py' AND s.name = 'h'"
        )
        right = wrong.replace("api", "web")
        database.execute(f"UPDATE edges SET target_id = ({wrong}) WHERE target_id = ({right}) AND kind = 2")
        database.commit()
    found = check_core(folder).violations

    assert sound == ()
    assert [(each.invariant, each.path) for each in found] == [(Invariant.TARGET_IN_OWN_PACKAGE, "web/app/main.py")]
