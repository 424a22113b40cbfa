"""Reads one repository's folder (docs/snapshot-format.md): its sets, and whether a layer is intact."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.core.contract.snapshot import LayerKind
from retriever.domain.errors import (
    IndexNotReady,
    RepositoryNotFound,
    SnapshotDamaged,
    SnapshotNotFound,
    SnapshotUnsupported,
)
from retriever.domain.values import SnapshotInfo

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA_VERSIONS = (1, 2)
"""The supported versions of the snapshot format: the current one and the one before."""

_NAME = re.compile(r"(?!\.)[\w.+@~-]{1,200}")
_ID = re.compile(r"[0-9a-f]{64}")
_LAYER = re.compile(r"[a-z]{1,20}-[0-9a-f]{16}")
_CHUNK = 1 << 20


class LayerDamaged(Exception):
    """A layer's files do not match its manifest; the message names the file and the difference."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a set, in its folder."""

    kind: str
    folder: Path
    digest: str
    model: str


@dataclass(frozen=True, slots=True)
class LayerSet:
    """A published set of layers."""

    info: SnapshotInfo
    publish_time: str
    layers: tuple[Layer, ...]

    def layer(self, kind: str) -> Layer | None:
        """Return the layer of that kind, if the set has one."""
        return next((layer for layer in self.layers if layer.kind == kind), None)


class SnapshotFolder:
    """
    Reads what is published of one repository.

    Args:
        root: `<data>/repositories`.
        repository: Name as a caller gave it; one that could lead out of `root` is treated as unknown.
    """

    def __init__(self, root: Path, repository: str) -> None:
        self.path = root / repository
        self._repository = repository
        if not is_repository_name(repository) or not self.path.is_dir():
            raise RepositoryNotFound.of(repository)

    def current(self) -> str:
        """Return the identity of the set that is served. Raises IndexNotReady if there is none yet, SnapshotDamaged."""
        try:
            name = (self.path / "CURRENT").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            raise IndexNotReady.of(self._repository) from None
        except (OSError, ValueError) as error:
            raise SnapshotDamaged.of(self._repository, "", "CURRENT cannot be read") from error
        if not is_snapshot_id(name):
            raise SnapshotDamaged.of(self._repository, "", "CURRENT names no snapshot")
        return name

    def require_set(self, snapshot_id: str) -> None:
        """Raise SnapshotNotFound unless a file of this set exists; its content is not read."""
        if not is_snapshot_id(snapshot_id) or not self._file_of(snapshot_id).is_file():
            raise SnapshotNotFound.of(self._repository, snapshot_id)

    def read_set(self, snapshot_id: str) -> LayerSet:
        """Return a published set. Raises SnapshotNotFound, SnapshotDamaged or SnapshotUnsupported."""
        if not is_snapshot_id(snapshot_id):
            raise SnapshotNotFound.of(self._repository, snapshot_id)
        try:
            content = json.loads(self._file_of(snapshot_id).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise SnapshotNotFound.of(self._repository, snapshot_id) from None
        except (OSError, ValueError, RecursionError) as error:
            raise SnapshotDamaged.of(self._repository, snapshot_id, "its set is not readable") from error
        version = content.get("schema_version") if isinstance(content, dict) else None
        if version not in SCHEMA_VERSIONS:
            raise SnapshotUnsupported.of(self._repository, snapshot_id, version)
        if content.get("snapshot_id") != snapshot_id:
            raise SnapshotDamaged.of(self._repository, snapshot_id, "its set is one of another name")
        try:
            return self._parsed(content)
        except (KeyError, TypeError) as error:
            raise SnapshotDamaged.of(self._repository, snapshot_id, "its set lacks a field") from error

    def earlier_sets(self, than: str) -> tuple[str, ...]:
        """Return the identities of the other published sets, the latest first; unreadable ones are left out."""
        found: list[tuple[str, str]] = []
        for path in sorted((self.path / "sets").glob("*.json")):
            try:
                found.append((self.read_set(path.stem).publish_time, path.stem))
            except (SnapshotNotFound, SnapshotDamaged, SnapshotUnsupported):
                continue
        return tuple(name for _, name in sorted(found, reverse=True) if name != than)

    def _file_of(self, snapshot_id: str) -> Path:
        return self.path / "sets" / f"{snapshot_id}.json"

    def _parsed(self, content: dict[str, Any]) -> LayerSet:
        if not all(is_layer_folder(str(each["folder"])) for each in content["layers"]):
            raise SnapshotDamaged.of(self._repository, content["snapshot_id"], "it names a layer elsewhere")
        layers = tuple(
            Layer(each["kind"], self.path / "layers" / str(each["folder"]), each["digest"], each.get("model", ""))
            for each in content["layers"]
        )
        digests = {layer.kind: layer.digest for layer in layers}
        info = SnapshotInfo(
            snapshot_id=content["snapshot_id"],
            repository=self._repository,
            source_identity=content["source_identity"],
            commit=content.get("commit", ""),
            dirty=bool(content.get("dirty", False)),
            core_digest=digests.get(LayerKind.CORE, ""),
            precise_digest=digests.get(LayerKind.PRECISE, ""),
            layers=tuple(sorted(layer.kind for layer in layers)),
        )
        return LayerSet(info, str(content.get("publish_time", "")), layers)


def is_repository_name(text: str) -> bool:
    """Return whether a text has the form of a repository's name; such a name cannot lead out of the folder."""
    return _NAME.fullmatch(text) is not None


def is_snapshot_id(text: str) -> bool:
    """Return whether a text has the form of a snapshot's identity."""
    return _ID.fullmatch(text) is not None


def is_layer_folder(text: str) -> bool:
    """Return whether a text has the form of a layer's folder name; such a name cannot lead out of the folder."""
    return _LAYER.fullmatch(text) is not None


def verify(layer: Layer) -> None:
    """
    Compare every file of a layer with its manifest: size, then SHA-256.

    Raises:
        LayerDamaged: at the first difference.
    """
    try:
        manifest = json.loads((layer.folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest["digest"] != layer.digest:
            raise LayerDamaged(f"{layer.kind}: the manifest is of another layer")
        for name, expected in manifest["files"].items():
            _verify_file(layer.folder / name, int(expected["bytes"]), str(expected["sha256"]), f"{layer.kind}/{name}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LayerDamaged(f"{layer.kind}: {type(error).__name__} while reading it") from error


def _verify_file(path: Path, size: int, sha256: str, shown: str) -> None:
    if path.stat().st_size != size:
        raise LayerDamaged(f"{shown}: {path.stat().st_size} bytes instead of {size}")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != sha256:
        raise LayerDamaged(f"{shown}: its SHA-256 differs")
