"""Values of published snapshots: sets of immutable layers and their manifests."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from indexer.domain.model import Tier
    from indexer.domain.tree import SkipReason

INDEX_VERSION = "11"
"""Part of every source identity; changes whenever equal sources would give another core layer than before."""
SCHEMA_VERSION = 2
"""Version of docs/snapshot-format.md."""
SCHEMA_VERSIONS = (SCHEMA_VERSION - 1, SCHEMA_VERSION)
"""What is read: a release knows its own sets, and those of the one before."""


@dataclass(frozen=True, slots=True)
class Layer:
    """
    One immutable part of a snapshot.

    Args:
        kind: A `LayerKind`, or one that only a later release knows.
        digest: SHA-256 of its canonical rows or points.
        bytes: Size on disk.
        model: That made it; "" for layers that no model makes.
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
        files_reused: Of the job that made it, as `files_parsed`.
        cut: By language, tiers of which edges may be missing, as linking was cut short or failed.
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


@dataclass(frozen=True, slots=True)
class SnapshotSet:
    """
    A published state of a repository.

    Args:
        source_identity: Merkle root of the files with indexer version and settings.
        commit: Where the source stood in git; "" without git.
        dirty: The files differed from that commit.
        publish_time: In UTC.
        layers: At least core, in order of kind.
        provisional: An edit was patched in, and all is still to be linked again; another set will take its place.
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
        """Return the layer that every set has, and that the others are over."""
        return next(layer for layer in self.layers if layer.kind == LayerKind.CORE)

    def layer(self, kind: str) -> Layer | None:
        """Return the layer of one kind, None if it is not there."""
        return next((layer for layer in self.layers if layer.kind == kind), None)

    def with_layer(self, layer: Layer, counts: Counts, time: datetime) -> SnapshotSet:
        """Return the set with a layer instead of the one of its kind, as it is published at a time."""
        layers = sorted((*(each for each in self.layers if each.kind != layer.kind), layer), key=lambda each: each.kind)
        return replace(self, layers=tuple(layers), counts=counts, publish_time=time)

    def without_layer(self, kind: str, counts: Counts, time: datetime) -> SnapshotSet:
        """Return the set without the layer of a kind, as it is published at a time."""
        layers = tuple(each for each in self.layers if each.kind != kind)
        return replace(self, layers=layers, counts=counts, publish_time=time)


def snapshot_id(layers: Iterable[Layer]) -> str:
    """Return SHA-256 over the lines `kind:digest`, in order of kind."""
    lines = "\n".join(sorted(f"{layer.kind}:{layer.digest}" for layer in layers))
    return hashlib.sha256(lines.encode()).hexdigest()


def previous_set(newest_first: Iterable[SnapshotSet], current: SnapshotSet) -> SnapshotSet | None:
    """
    Return the newest set that has another core, provisional ones aside.

    A set with fewer layers of the same core is no way back.
    """
    return next((each for each in newest_first if each.core != current.core and not each.provisional), None)


def kept_sets(newest_first: Iterable[SnapshotSet], current: SnapshotSet, used: Iterable[str]) -> frozenset[str]:
    """Return the ids that collection must leave: those of the current set, the one before it, and used ones."""
    previous = previous_set(newest_first, current)
    return frozenset({current.snapshot_id, *([previous.snapshot_id] if previous else []), *used})
