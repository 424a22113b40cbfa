"""Zip archives become folders, as strictly as tar archives do."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from cgrag_client.errors import UsageError
from cgrag_client.upload.archives import is_archive, unpacked


def zipped(path: Path, **kinds: int) -> Path:
    """Pack a file called `app/app.py`, and others by name (`__` for a slash) with the kind of file that they are."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("app/", "")
        archive.writestr("app/app.py", "x=1\n")
        for name, kind in kinds.items():
            member = zipfile.ZipInfo(name.replace("__", "/"))
            member.external_attr = (kind | 0o644) << 16
            archive.writestr(member, "/etc/passwd")
    return path


def test_a_zip_archive_is_its_only_folder(tmp_path: Path) -> None:
    """What is packed comes out once; git's files and links stay in."""
    kinds = {"app__.git__config": stat.S_IFREG, "app__link": stat.S_IFLNK, "app__b__c.py": 0}
    archive = zipped(tmp_path / "app.zip", **kinds)
    folder = unpacked(archive, tmp_path / "data")

    assert is_archive(archive)
    assert folder.name == "app"
    assert sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*")) == ["app.py", "b", "b/c.py"]
    assert (folder / "app.py").read_text() == "x=1\n"
    assert unpacked(archive, tmp_path / "data") == folder


@pytest.mark.parametrize(
    "name", ["../out.py", "app/../../out.py", "/out.py", "app//x.py", "C:out.py", "app\\..\\out.py", "app/app.py/x"]
)
def test_members_never_leave_the_folder(tmp_path: Path, name: str) -> None:
    """A member with such a name refuses the archive, of which nothing is left."""
    archive = tmp_path / "bad.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("app/app.py", "x=1\n")
        opened.writestr(name, "")
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpacked(archive, tmp_path / "data")

    assert not list(tmp_path.rglob("out.py"))
    assert not list(tmp_path.rglob("app.py"))


def test_devices_and_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    """Only regular files and folders are written, each once."""
    with pytest.raises(UsageError, match="no regular file"):
        unpacked(zipped(tmp_path / "fifo.zip", pipe=stat.S_IFIFO), tmp_path / "data")
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped(tmp_path / "twice.zip", **{"app__app.py": stat.S_IFREG})
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpacked(twice, tmp_path / "data")


def test_a_bomb_is_refused_before_it_is_written(tmp_path: Path) -> None:
    """Bytes and members are bounded by what the archive says, which is all that comes out of it."""
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("zeros", bytes(10_000_000))
    with pytest.raises(UsageError, match="too large"):
        unpacked(bomb, tmp_path / "data", most_bytes=1_000_000)
    with pytest.raises(UsageError, match="too large"):
        unpacked(zipped(tmp_path / "many.zip"), tmp_path / "data", most_members=1)

    assert not list((tmp_path / "data").rglob("zeros"))


@pytest.mark.parametrize("damage", ["cut", "flip", "lie", "encrypt", "method", "no zip"])
def test_a_damaged_archive_is_an_error_for_a_person(tmp_path: Path, damage: str) -> None:
    """The error names the file and the way out."""
    archive = zipped(tmp_path / "app.zip", data=stat.S_IFREG)
    content = bytearray(archive.read_bytes())
    central = content.rindex(b"PK\x01\x02")
    if damage == "cut":
        del content[-30:]
    elif damage == "flip":
        content[content.index(b"app/app.py") + 11] ^= 0xFF
    elif damage == "lie":
        content[central + 24] = 3  # fewer bytes than it has
    elif damage == "encrypt":
        content[central + 8] |= 1
    elif damage == "method":
        content[central + 10] = 99
    else:
        content[:] = b"no zip"
    archive.write_bytes(content)

    with pytest.raises(UsageError, match=r"app\.zip.*unpack it yourself"):
        unpacked(archive, tmp_path / "data")
