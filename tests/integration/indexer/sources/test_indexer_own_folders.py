"""What services keep is no source: an operator of one repository would have others' through it."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.adapters.sources.opener import open_sources
from indexer.domain.errors import SourceRefused
from indexer.domain.jobs import GitSource, JobSpec, LocalSource
from indexer.settings import IndexerSettings
from tests.integration.indexer.indexing import Indexing, write_tree

OWN = ("repositories", "git", "indexer", "retriever", "orchestrator")


@pytest.fixture
def indexing(tmp_path: Path) -> Indexing:
    """Index into a folder whose name a pattern could misread, below an allowed root."""
    return Indexing(tmp_path / "home" / "da[t]a !1", {"allowed_roots": (str(tmp_path),), "git_allow_file": True})


@pytest.mark.parametrize(
    "below", ["", "repositories", "repositories/theirs/layers", "git/0123", "orchestrator", "indexer"]
)
def test_a_folder_that_services_keep_is_refused(indexing: Indexing, below: str) -> None:
    """As a folder and as a git URL, however it is spelled."""
    folder = indexing.data / below
    folder.mkdir(parents=True)
    link = indexing.data.parent / "link"
    link.symlink_to(folder)
    sources = open_sources(indexing.settings)

    for source in (LocalSource(str(folder)), LocalSource(str(link)), GitSource(f"file://{folder}")):
        with pytest.raises(SourceRefused, match="keeps its own data"):
            sources.check(JobSpec("mine", source))


def test_they_are_left_out_of_what_holds_them(indexing: Indexing) -> None:
    """Also of a git repository that tracks them; what was unpacked beside them is indexed as ever."""
    home = indexing.data.parent
    write_tree(home, {"mine.py": "x = 1\n", "repositories/mine_too.py": "y = 1\n"})
    for each in OWN:
        write_tree(indexing.data / each, {"theirs.txt": "a canary\n"})
    write_tree(indexing.data / "unpacked/abc", {"pkg.py": "z = 1\n"})
    indexing.run(home)
    paths = [path for (path,) in indexing.rows("SELECT path FROM files ORDER BY path")]
    indexing.run(indexing.data / "unpacked/abc", name="unpacked")

    assert paths == ["da[t]a !1/unpacked/abc/pkg.py", "mine.py", "repositories/mine_too.py"]
    assert indexing.rows("SELECT path FROM files", "unpacked") == [("pkg.py",)]


def test_without_own_folders_in_it_a_tree_has_the_identity_that_it_had(tmp_path: Path) -> None:
    """What nobody excludes changes no index."""
    tree = write_tree(tmp_path / "tree", {"mine.py": "x = 1\n"})
    settings = IndexerSettings(data_dir=tmp_path / "data", allowed_roots=(str(tmp_path),))

    with open_sources(settings).open(JobSpec("mine", LocalSource(str(tree)))) as opened:
        listing = opened.listing()

    assert [each.path for each in listing.entries] == ["mine.py"]
