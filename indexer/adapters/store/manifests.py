"""Sets and layer manifests as JSON: the published form of `indexer.domain.snapshots.snapshot`."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from common.core.contract.snapshot import LayerKind
from indexer.domain.model import Tier
from indexer.domain.snapshots.snapshot import COUNTED, SCHEMA_VERSION, SCHEMA_VERSIONS, Counts, Layer, SnapshotSet
from indexer.domain.tree import SkipReason

if TYPE_CHECKING:
    from pathlib import Path

_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"
_READ_BYTES = 1 << 20


def encode_set(snapshot: SnapshotSet) -> bytes:
    """Return a set as docs/snapshot-format.md has it."""
    value = {
        "schema_version": SCHEMA_VERSION,
        "snapshot_id": snapshot.snapshot_id,
        "repository": snapshot.repository,
        "source_identity": snapshot.source_identity,
        "commit": snapshot.commit,
        "dirty": snapshot.dirty,
        "provisional": snapshot.provisional,
        "publish_time": snapshot.publish_time.astimezone(UTC).strftime(_TIME),
        "counts": encode_counts(snapshot.counts),
        "layers": [
            {"kind": each.kind, "folder": each.folder, "digest": each.digest, "bytes": each.bytes, "model": each.model}
            for each in snapshot.layers
        ],
    }
    return json.dumps(value, indent=1).encode()


def decode_set(data: bytes) -> SnapshotSet:
    """Decode a set. Raises ValueError if the data is malformed or of an unsupported schema version."""
    try:
        value = json.loads(data)
        if value["schema_version"] not in SCHEMA_VERSIONS:
            raise ValueError(f"schema version {value['schema_version']}")
        counts = decode_counts(value["counts"])
        layers = tuple(Layer(each["kind"], each["digest"], each["bytes"], each["model"]) for each in value["layers"])
        if not any(layer.kind == LayerKind.CORE for layer in layers):
            raise ValueError("no core")
        return SnapshotSet(
            repository=value["repository"],
            source_identity=value["source_identity"],
            commit=value["commit"],
            dirty=value["dirty"],
            publish_time=datetime.strptime(value["publish_time"], _TIME).replace(tzinfo=UTC),
            counts=counts,
            layers=layers,
            provisional=value.get("provisional", False),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a set: {error!r}") from error


def encode_counts(counts: Counts) -> dict[str, Any]:
    """Return counts as plain values."""
    plain = counts.numbers
    plain["skipped"] = {str(int(reason)): number for reason, number in sorted(counts.skipped.items())}
    plain["cut"] = {language: [int(tier) for tier in tiers] for language, tiers in sorted(counts.cut.items())}
    return plain


def decode_counts(plain: dict[str, Any]) -> Counts:
    """Return counts from plain values, without skip reasons and tiers of later releases."""
    reasons, tiers = {int(each) for each in SkipReason}, {int(each) for each in Tier}
    skipped = {SkipReason(int(each)): number for each, number in plain["skipped"].items() if int(each) in reasons}
    bounded = plain.get("cut", {}).items()
    cut = {language: tuple(Tier(each) for each in given if each in tiers) for language, given in bounded}
    return Counts(**{name: plain.get(name, 0) for name in COUNTED}, skipped=skipped, cut=cut)


def encode_manifest(layer: Layer, folder: Path) -> bytes:
    """Return the manifest of the layer in `folder`."""
    files = {
        file.relative_to(folder).as_posix(): {"sha256": sha256_of(file), "bytes": file.stat().st_size}
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    value = {
        "schema_version": SCHEMA_VERSION,
        "kind": layer.kind,
        "digest": layer.digest,
        "files": files,
        "model": layer.model,
    }
    return json.dumps(value, indent=1).encode()


def intact(layer: Layer, folder: Path) -> bool:
    """Return whether the files of a layer match its manifest."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        named = manifest["files"].items()
        return manifest["digest"] == layer.digest and all(
            sha256_of(folder / name) == entry["sha256"] for name, entry in named
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def sha256_of(file: Path) -> str:
    """Return the hash of a file's bytes."""
    hasher = hashlib.sha256()
    with file.open("rb", buffering=0) as opened:
        block = memoryview(bytearray(min(_READ_BYTES, os.fstat(opened.fileno()).st_size)))
        while size := opened.readinto(block):
            hasher.update(block[:size])
    return hasher.hexdigest()
