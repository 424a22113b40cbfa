"""Source archives become folders; what would leave them is refused."""

from __future__ import annotations

import io
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest

from cgrag_client.archives import is_archive, unpacked
from cgrag_client.errors import UsageError


def packed(path: Path, *names: str) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 4
            tar.addfile(member, io.BytesIO(b"x=1\n"))
    return path


def test_a_source_distribution_is_its_only_folder(tmp_path: Path) -> None:
    """The folder keeps its name, for the repository is called by it."""
    folder = unpacked(packed(tmp_path / "app-1.0.tar.gz", "app-1.0/app.py", "app-1.0/README.md"), tmp_path / "data")

    assert folder.name == "app-1.0"
    assert (folder / "app.py").read_text() == "x=1\n"


def test_the_same_archive_is_unpacked_once(tmp_path: Path) -> None:
    """A second call finds the folder of the first one."""
    archive = packed(tmp_path / "app.tgz", "app/app.py")
    first = unpacked(archive, tmp_path / "data")
    (first / "kept").touch()

    assert unpacked(archive, tmp_path / "data") == first
    assert (first / "kept").exists()


def test_an_archive_without_a_folder_of_its_own_is_taken_whole(tmp_path: Path) -> None:
    """Several top-level entries belong together."""
    folder = unpacked(packed(tmp_path / "flat.tar.gz", "a.py", "b.py"), tmp_path / "data")

    assert sorted(each.name for each in folder.iterdir()) == ["a.py", "b.py"]


@pytest.mark.parametrize("name", ["../outside.py", "/outside.py"])
def test_members_never_leave_the_folder(tmp_path: Path, name: str) -> None:
    """A member with such a name is refused, or put inside; nothing is written outside."""
    archive = packed(tmp_path / "bad.tar.gz", name, "app/app.py")
    with suppress(UsageError):
        unpacked(archive, tmp_path / "data")

    assert not (tmp_path / "data" / "outside.py").exists()
    assert not (tmp_path / "outside.py").exists()
    assert not (tmp_path / "data" / "unpacked" / "outside.py").exists()


def test_what_is_no_archive_says_so(tmp_path: Path) -> None:
    """The error names the file and the way out."""
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no tar")

    assert is_archive(broken)
    with pytest.raises(UsageError, match="unpack it yourself"):
        unpacked(broken, tmp_path / "data")
    assert list((tmp_path / "data" / "unpacked").iterdir()) == []
