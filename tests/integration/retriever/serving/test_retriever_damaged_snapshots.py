"""What becomes of snapshots that are damaged on the disk: found before the first answer, told, and never served."""

from __future__ import annotations

import json
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest

from retriever.domain.errors import SnapshotDamaged, SnapshotUnsupported
from tests.fakes.served_snapshots import ONE, Served, core_of, flip, one_published
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one published snapshot of the repository "shop"."""
    return one_published(tmp_path)


async def test_one_flipped_bit_in_any_page_is_found_at_open(data: Path) -> None:
    """Damage is found before the first answer, counted, and said; never a wrong answer."""
    pages = core_of(data).stat().st_size // 4096

    for page in range(pages):
        flip(core_of(data), page * 4096 + 100)
        served = Served(data)

        with pytest.raises(SnapshotDamaged, match="index the repository again"):
            await served.paths()
        assert served.failures == ["damaged"]
        flip(core_of(data), page * 4096 + 100)


@pytest.mark.parametrize("size", [0, 1, 4095, 9000])
async def test_a_cut_file_is_found_at_open(data: Path, size: int) -> None:
    """Truncation shows in the size already."""
    content = core_of(data).read_bytes()
    core_of(data).write_bytes(content[:size])

    with pytest.raises(SnapshotDamaged, match="bytes instead of"):
        await Served(data).paths()


async def test_the_previous_snapshot_serves_for_a_damaged_one(data: Path) -> None:
    """The caller is told, and is not lied to when he pinned the damaged one."""
    builder = SnapshotBuilder().python("two.py", ONE)
    damaged = builder.publish(data, "shop", publish_time="2026-01-02T00:00:00Z")
    core = json.loads((data / f"repositories/shop/sets/{damaged}.json").read_text())["layers"][0]["folder"]
    flip(data / f"repositories/shop/layers/{core}/code.db", 5000)
    served = Served(data)

    async with served.store.open("shop", "") as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["one.py"]
        assert snapshot.notes == (f"snapshot {damaged[:12]}: damaged, an earlier one was read",)
    with pytest.raises(SnapshotDamaged):
        await served.paths(snapshot_id=damaged)


@pytest.mark.parametrize("content", [b"", b"12ab", b"\xff\xfe", b"f" * 64, None])
async def test_the_previous_snapshot_serves_for_one_that_current_does_not_name(
    data: Path, content: bytes | None
) -> None:
    """Whatever became of the pointer: cut, flipped, another set, or a folder in its place."""
    SnapshotBuilder().python("two.py", ONE).publish(data, "shop", publish_time="2025-01-02T00:00:00Z")
    current = data / "repositories/shop/CURRENT"
    current.unlink()
    if content is None:
        current.mkdir()
    else:
        current.write_bytes(content)

    async with Served(data).store.open("shop", "") as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["one.py"]
        assert "damaged, an earlier one was read" in snapshot.notes[0]


async def test_a_set_under_another_name_is_damage(data: Path) -> None:
    """Its identity would be pinned, and then be found nowhere."""
    path = next((data / "repositories/shop/sets").glob("*.json"))
    path.write_text(path.read_text().replace(path.stem, f"{path.stem[:-1]}{'01'[path.stem[-1] == '0']}"))

    with pytest.raises(SnapshotDamaged, match="one of another name"):
        await Served(data).paths()


async def test_damage_after_a_snapshot_was_opened_is_told_and_the_previous_one_serves(data: Path) -> None:
    """Pages that were whole when they were verified may be lost on the disk later."""
    builder = SnapshotBuilder().python("two.py", ONE)
    damaged = builder.publish(data, "shop", publish_time="2026-01-02T00:00:00Z")
    served = Served(data)
    lost, cut_off = sqlite3.DatabaseError("disk image is malformed"), sqlite3.OperationalError("interrupted")
    lost.sqlite_errorcode = sqlite3.SQLITE_CORRUPT

    async def read(error: Exception) -> None:
        async with served.store.open("shop", ""):
            raise error

    with pytest.raises(SnapshotDamaged, match="malformed"):
        await read(lost)
    assert await served.paths() == ("one.py",)
    assert served.failures == ["damaged"]
    with pytest.raises(SnapshotDamaged):
        await served.paths(snapshot_id=damaged)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        await read(cut_off)
    assert await served.paths() == ("one.py",)


async def test_a_mended_snapshot_serves_at_once(data: Path) -> None:
    """A layer of the same digest that the indexer wrote anew in the place of a damaged one is not taken for it."""
    layer = core_of(data).parent
    shutil.copytree(layer, data / "again")
    flip(core_of(data), 5000)
    served = Served(data)
    with pytest.raises(SnapshotDamaged):
        await served.paths()
    layer.rename(data / "damaged")
    (data / "again").rename(layer)

    assert await served.paths() == ("one.py",)


async def test_a_damaged_set_file_is_damage_too(data: Path) -> None:
    """A set that is no JSON, or lacks a field, is not served."""
    path = next((data / "repositories/shop/sets").glob("*.json"))
    for content in ("{", '{"schema_version": 1}', "[]"):
        path.write_text(content)

        with pytest.raises((SnapshotDamaged, SnapshotUnsupported)):
            await Served(data).paths()
