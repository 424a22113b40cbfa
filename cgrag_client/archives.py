"""Unpacks a source archive into a folder that can be indexed."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import tempfile
from pathlib import Path

from cgrag_client.errors import UsageError

SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")


def is_archive(path: Path) -> bool:
    """Tell by its name whether a file is an archive that can be unpacked."""
    return path.name.endswith(SUFFIXES)


def unpacked(archive: Path, data: Path) -> Path:
    """
    Unpack a tar archive below `data` and return the folder to index; the same archive is unpacked once.

    The folder is the archive's only top-level folder, or else all of it. Members that would leave the folder,
    devices and the like are refused, and so is the archive then. Raises UsageError.
    """
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    target = data / "unpacked" / digest[:16]
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=target.parent))
        try:
            with tarfile.open(archive) as tar:
                tar.extractall(beside, filter="data")
        except (tarfile.TarError, OSError) as error:
            shutil.rmtree(beside)
            raise UsageError(
                f"{archive}: cannot be unpacked ({error}); unpack it yourself and give the folder"
            ) from error
        beside.rename(target)
    inside = list(target.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else target
