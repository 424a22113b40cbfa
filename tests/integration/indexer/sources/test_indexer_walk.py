"""Walking commits: an index that is kept says what a fresh one says, and the walk notices where it does not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.core_rows import core_database
from tests.bench.walk_commits import REPOSITORY, walk
from tests.fakes.git_repositories import commit_all, git
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree


def index(folder: Path, data: Path) -> None:
    """Index in this process."""
    Indexing(data).run(folder, name=REPOSITORY)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Make a history with an edit, an addition, a rename, a deletion, a change of mode, and a merge."""
    repo = write_tree(tmp_path / "repo", SHOP)
    commit_all(repo, "begin")
    write_tree(repo, {"shop/cart.py": str(SHOP["shop/cart.py"]).replace("def add", "def put")})
    commit_all(repo, "rename a method that is called")
    write_tree(repo, {"shop/coupon.py": "from shop.till import pay\n\n\ndef redeem(cart):\n    return pay(cart)\n"})
    commit_all(repo, "add a file")
    (repo / "shop/till.py").rename(repo / "shop/counter.py")
    commit_all(repo, "rename a file")
    (repo / "config.toml").unlink()
    commit_all(repo, "delete a file")
    (repo / "shop/coupon.py").chmod(0o755)
    commit_all(repo, "change a mode")
    git(repo, "checkout", "-q", "-b", "side", "HEAD~2")
    write_tree(repo, {"shop/till.js": "export function open() { return close(); }\nfunction close() {}\n"})
    commit_all(repo, "on a side branch")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "side")
    return repo


def test_a_kept_index_equals_a_fresh_one_at_every_commit(history: Path, tmp_path: Path) -> None:
    """Digests and rows are those of an index that never saw another commit; merges count as one step."""
    (tmp_path / "scratch").mkdir()
    steps = list(walk(history, tmp_path / "scratch", index, count=20))

    assert [step.files_changed for step in steps] == [0, 1, 1, 2, 1, 1, 1]
    assert [step.differs for step in steps] == [""] * 7


def test_a_walk_can_end_at_a_commit_and_stay_in_a_folder(history: Path, tmp_path: Path) -> None:
    """The newest commit and the folder can be chosen."""
    (tmp_path / "scratch").mkdir()
    steps = list(walk(history, tmp_path / "scratch", index, count=2, newest="HEAD~1", below="shop"))

    assert [step.commit for step in steps] == git(history, "rev-list", "--reverse", "HEAD~3..HEAD~1").splitlines()
    assert [step.differs for step in steps] == ["", ""]


def test_a_difference_is_found_by_the_rows_alone(history: Path, tmp_path: Path) -> None:
    """An index whose digests are right and whose rows are not is caught, with the file in which it errs."""
    (tmp_path / "scratch").mkdir()

    def err(folder: Path, data: Path) -> None:
        index(folder, data)
        if data.name == "kept":
            file = core_database(data, REPOSITORY)
            file.chmod(0o644)
            with closing(sqlite3.connect(file)) as database, database:
                database.execute(
                    "UPDATE symbols SET end_line = end_line + 1 WHERE name = 'pay' AND file_id IN "
                    "(SELECT id FROM files WHERE path = 'shop/till.py')"
                )

    steps = list(walk(history, tmp_path / "scratch", err, count=1, newest="HEAD~5"))

    assert [step.differs for step in steps] == ["shop/till.py"]
