"""Published snapshots: sets of immutable layers, with their manifests."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from common.core.contract.snapshot import LayerKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from indexer.domain.model import Tier
    from indexer.domain.tree import SkipReason

INDEX_VERSION = "12"
"""Part of every source identity; changed whenever the indexer makes another core layer of the same source."""
SCHEMA_VERSION = 2
"""Version of docs/snapshot-format.md."""
SCHEMA_VERSIONS = (SCHEMA_VERSION - 1, SCHEMA_VERSION)
"""Versions that this release reads: its own and the one before."""


@dataclass(frozen=True, slots=True)
class Layer:
    """
    One immutable part of a snapshot.

    Args:
        kind: A `LayerKind`, or a kind that only a later release knows.
        digest: SHA-256 of its canonical rows or points.
        bytes: Size on disk.
        model: Name of the model that made it; "" for layers that no model makes.
    """

    kind: str
    digest: str
    bytes: int
    model: str = ""

    @property
    def folder(self) -> str:
        """Return the name of its folder."""
        return f"{self.kind}-{self.digest[:16]}"


@dataclass(frozen=True, slots=True)
class Counts:
    """
    Sizes of what was indexed.

    Args:
        files_reused: Files whose facts the job took from its cache; `files_parsed` are those that it parsed.
        cut: By language, tiers of which edges may be missing because linking was cut short or failed.
    """

    files: int = 0
    lines: int = 0
    symbols: int = 0
    edges: int = 0
    docs: int = 0
    findings: int = 0
    vectors: int = 0
    files_reused: int = 0
    files_parsed: int = 0
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    cut: Mapping[str, tuple[Tier, ...]] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, Any]:
        """Return the numbers by name, without those by reason and language."""
        return {name: getattr(self, name) for name in COUNTED}


COUNTED = tuple(each.name for each in fields(Counts) if each.type == "int")
"""Names of the numbers."""


@dataclass(frozen=True, slots=True)
class SnapshotSet:
    """
    A published state of a repository.

    Args:
        source_identity: Merkle root of the files with indexer version and settings.
        commit: Checked-out commit of the source; "" without git.
        dirty: The files differed from that commit.
        publish_time: In UTC.
        layers: At least the core, in order of kind.
        provisional: The core was patched after an edit; a set with all files linked again will replace this one.
    """

    repository: str
    source_identity: str
    commit: str
    dirty: bool
    publish_time: datetime
    counts: Counts
    layers: tuple[Layer, ...]
    provisional: bool = False

    @property
    def snapshot_id(self) -> str:
        """Return the digest over the layers: 64 lower-case hexadecimal digits."""
        return snapshot_id(self.layers)

    @property
    def core(self) -> Layer:
        """Return the core layer, which every set has and on which the other layers are based."""
        return next(layer for layer in self.layers if layer.kind == LayerKind.CORE)

    def layer(self, kind: str) -> Layer | None:
        """Return the layer of one kind, None if the set has none."""
        return next((layer for layer in self.layers if layer.kind == kind), None)

    def with_layer(self, layer: Layer, counts: Counts, time: datetime) -> SnapshotSet:
        """Return the set with a layer added, in place of any of the same kind, and new counts and publish time."""
        layers = sorted((*(each for each in self.layers if each.kind != layer.kind), layer), key=lambda each: each.kind)
        return replace(self, layers=tuple(layers), counts=counts, publish_time=time)

    def without_layer(self, kind: str, counts: Counts, time: datetime) -> SnapshotSet:
        """Return the set without the layer of one kind, and with new counts and publish time."""
        layers = tuple(each for each in self.layers if each.kind != kind)
        return replace(self, layers=layers, counts=counts, publish_time=time)


def snapshot_id(layers: Iterable[Layer]) -> str:
    """Return SHA-256 over the lines `kind:digest`, in order of kind."""
    lines = "\n".join(sorted(f"{layer.kind}:{layer.digest}" for layer in layers))
    return hashlib.sha256(lines.encode()).hexdigest()


def previous_set(newest_first: Iterable[SnapshotSet], current: SnapshotSet) -> SnapshotSet | None:
    """
    Return the newest set that is not provisional and has another core; None if there is none.

    A set with the same core and fewer layers does not count: going back to it would not restore earlier contents.
    """
    return next((each for each in newest_first if each.core != current.core and not each.provisional), None)


def kept_sets(newest_first: Iterable[SnapshotSet], current: SnapshotSet, used: Iterable[str]) -> frozenset[str]:
    """Return the ids of the sets that garbage collection must keep: current, previous (`previous_set`) and used."""
    previous = previous_set(newest_first, current)
    return frozenset({current.snapshot_id, *([previous.snapshot_id] if previous else []), *used})
