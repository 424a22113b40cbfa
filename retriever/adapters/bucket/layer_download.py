"""Downloads a layer into a staging folder, verifies it against its manifest, and renames it into place."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from retriever.adapters.snapshots.folder import LayerDamaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from common.objects.bucket import Bucket

MANIFEST = "manifest.json"
_ATTEMPTS = 2
"""Attempts for each file: one that was damaged in transfer is fetched once more."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    bytes: int
    sha256: str


class LayerDownload:
    """
    Downloads layers.

    Args:
        staging: Folder for unfinished layers, on the same file system as the finished ones.
        go_on: Called between chunks; raises if the process is ending.
        on_bytes: Called with the size of each chunk that arrived.
    """

    def __init__(
        self, bucket: Bucket, staging: Path, go_on: Callable[[], None], on_bytes: Callable[[int], None]
    ) -> None:
        self._bucket = bucket
        self._staging = staging
        self._go_on = go_on
        self._on_bytes = on_bytes

    def run(self, key: str, folder: Path) -> None:
        """
        Download the layer below a key into its folder, replacing what is there.

        Raises:
            LayerDamaged: if a file differs from the manifest in both attempts, or the manifest is unreadable.
            FileNotFoundError: if the layer is no longer in the bucket.
            ObjectStoreUnavailable, OSError.
        """
        beside = self._staging / f"{folder.parent.parent.name}.{folder.name}"
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        try:
            manifest = self._bucket.read(f"{key}/{MANIFEST}")
            if manifest is None:
                raise FileNotFoundError(key)
            for file in _files(manifest):
                self._fetch(f"{key}/{file.name}", file, beside)
            (beside / MANIFEST).write_bytes(manifest)
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def _fetch(self, key: str, file: _File, beside: Path) -> None:
        target = beside / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(_ATTEMPTS):
            try:
                if self._copied(key, file.bytes, target) == file.sha256:
                    return
            except EOFError as error:
                raise LayerDamaged(f"{file.name}: {error} in object storage") from error
        raise LayerDamaged(f"{file.name}: its SHA-256 differs in object storage")

    def _copied(self, key: str, size: int, target: Path) -> str:
        """Write an object to a file and return its SHA-256."""
        digest = hashlib.sha256()
        with target.open("wb") as out:
            for part in self._bucket.parts(key, size):
                self._go_on()
                out.write(part)
                digest.update(part)
                self._on_bytes(len(part))
        return digest.hexdigest()


def _files(manifest: bytes) -> Iterator[_File]:
    try:
        named = json.loads(manifest)["files"].items()
        for name, entry in named:
            path = PurePosixPath(name)
            if path.is_absolute() or not path.parts or ".." in path.parts or str(path) == MANIFEST:
                raise LayerDamaged(f"{name!r} is no file of a layer")
            yield _File(str(path), int(entry["bytes"]), str(entry["sha256"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LayerDamaged(f"its manifest is not readable: {type(error).__name__}") from error
