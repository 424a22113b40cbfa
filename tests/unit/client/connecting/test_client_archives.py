"""Source archives become folders; what would leave them is refused."""

from __future__ import annotations

import io
import random
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cgrag_client.errors import UsageError
from cgrag_client.upload import tar_filter
from cgrag_client.upload.archives import is_archive, unpacked


@pytest.fixture(autouse=True, params=["of the standard library", "of older ones"])
def rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules for members, of this Python and as they are for 3.11.0 to 3.11.3."""
    if request.param == "of older ones":
        monkeypatch.setattr(tar_filter, "of_this_python", tar_filter.data_filter)


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
    assert not (tmp_path / "data" / "unpacked-2" / "outside.py").exists()


def test_what_is_no_archive_says_so(tmp_path: Path) -> None:
    """The error names the file and the way out."""
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no tar")

    assert is_archive(broken)
    with pytest.raises(UsageError, match="unpack it yourself"):
        unpacked(broken, tmp_path / "data")
    assert list((tmp_path / "data" / "unpacked-2").iterdir()) == []


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.bz2", ".tar.xz", ".tar"])
@pytest.mark.parametrize("flip", [False, True])
def test_a_damaged_archive_is_an_error_for_a_person(tmp_path: Path, suffix: str, flip: bool) -> None:
    """Cut off or changed in the middle, of any compression: unpacked whole or refused, and nothing stays behind."""
    archive = tmp_path / f"app{suffix}"
    mode: Any = f"w:{suffix[5:]}"
    with tarfile.open(archive, mode) as tar:
        member = tarfile.TarInfo("app/app.py")
        member.size = 100_000
        tar.addfile(member, io.BytesIO(random.Random(1).randbytes(100_000)))
    data = bytearray(archive.read_bytes())
    data[300] ^= 0xFF
    archive.write_bytes(data if flip else data[: len(data) // 2])
    with suppress(UsageError):
        unpacked(archive, tmp_path / "data")

    assert list((tmp_path / "data" / "unpacked-2").glob("*.part")) == []


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """More bytes or more members than anybody's sources have; nothing of it stays."""
    archive = packed(tmp_path / "bomb.tar.gz", *(f"app/{number}.py" for number in range(10)))
    for bounds in ({"most_bytes": 39}, {"most_members": 9}):
        with pytest.raises(UsageError, match="too large"):
            unpacked(archive, tmp_path / "data", **bounds)

    assert list((tmp_path / "data" / "unpacked-2").iterdir()) == []
    assert len(list(unpacked(archive, tmp_path / "data", most_bytes=40, most_members=10).iterdir())) == 10


def test_links_devices_and_git_stay_out(tmp_path: Path) -> None:
    """Links that lead out and devices make the archive refused; a .git is left out, wherever it is."""
    refused: list[Path] = []
    for kind, target in ((tarfile.SYMTYPE, "/etc"), (tarfile.SYMTYPE, "../.."), (tarfile.LNKTYPE, "../x"),
                         (tarfile.CHRTYPE, ""), (tarfile.FIFOTYPE, "")):  # fmt: skip
        archive = tmp_path / f"{len(refused)}.tar"
        with tarfile.open(archive, "w") as tar:
            member = tarfile.TarInfo("app/bad")
            member.type, member.linkname = kind, target
            tar.addfile(member)
        with pytest.raises(UsageError):
            unpacked(archive, tmp_path / "data")
        refused.append(archive)
    archive = packed(tmp_path / "git.tar", "app/app.py", "app/.git/config", "app/lib/.GIT/hooks/post-checkout")
    folder = unpacked(archive, tmp_path / "data")

    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["app.py"]


def linked(path: Path, name: str, kind: bytes, target: str, links: int = 50) -> Path:
    """Pack a file of 1000 bytes and links to something, most likely it."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo(name)
        member.size = 1000
        tar.addfile(member, io.BytesIO(bytes(1000)))
        for number in range(links):
            link = tarfile.TarInfo(f"app/link{number}")
            link.type, link.linkname = kind, target
            tar.addfile(link)
    return path


def test_links_to_what_is_left_out_are_left_out(tmp_path: Path) -> None:
    """A file of git does not come in by another name, once for each link to it."""
    for kind, target in ((tarfile.LNKTYPE, "app/.git/big"), (tarfile.SYMTYPE, ".git/big")):
        archive = linked(tmp_path / f"{target.count('/')}.tar", "app/.git/big", kind, target)
        folder = unpacked(archive, tmp_path / "data", most_bytes=1000)

        assert list(folder.rglob("*")) == []


@pytest.mark.parametrize(
    ("kind", "target"),
    [(tarfile.LNKTYPE, "app/./missing"), (tarfile.LNKTYPE, "app"), (tarfile.SYMTYPE, "./" * 2048 + "big")],
)
def test_links_that_cannot_be_made_are_refused(tmp_path: Path, kind: bytes, target: str) -> None:
    """They would be unpacked as copies of what they name; nothing of the archive stays."""
    archive = linked(tmp_path / "links.tar", "app/big", kind, target)
    with pytest.raises(UsageError, match="is a link"):
        unpacked(archive, tmp_path / "data")

    assert list((tmp_path / "data" / "unpacked-2").iterdir()) == []


def test_hard_links_count_as_what_they_name(tmp_path: Path) -> None:
    """A file system that has no more links for a file gets copies: they are within the bounds too."""
    archive = linked(tmp_path / "links.tar", "app/big", tarfile.LNKTYPE, "app/big", links=2)
    with pytest.raises(UsageError, match="too large"):
        unpacked(archive, tmp_path / "data", most_bytes=2999)

    assert {each.stat().st_nlink for each in unpacked(archive, tmp_path / "data", most_bytes=3000).iterdir()} == {3}


def test_what_a_killed_command_left_is_removed(tmp_path: Path) -> None:
    """Half an archive is not taken for a whole one, and does not stay."""
    archive = packed(tmp_path / "app.tgz", "app/app.py")
    whole = unpacked(archive, tmp_path / "data").parent
    whole.rename(whole.with_suffix(".part"))
    (whole.with_suffix(".part") / "app/app.py").unlink()

    assert (unpacked(archive, tmp_path / "data") / "app.py").exists()
    assert [each.suffix for each in whole.parent.iterdir()] == [""]
