"""Edges between languages of one platform, whose code names each other's packages, such as Java and Kotlin."""

from __future__ import annotations

import dataclasses
import re
from posixpath import basename, splitext
from typing import TYPE_CHECKING

from indexer.domain.linking.tiers import CONFIDENCE
from indexer.domain.model import Edge, EdgeKind, Resolution, SymbolKind, Tier
from indexer.domain.snapshots.core import LinkedEdges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.snapshots.core import IndexedFile

_GETTER = re.compile(r"(.+\.)(?:get|set)([A-Z])(\w*)")
_COMPANION = ".Companion"
_RENAMED = 'JvmName("'
"""Start of the Kotlin annotation that sets the name of a function for other languages of the JVM."""
_MAX_TARGETS = 12


def across_languages(files: Sequence[IndexedFile], linked: Sequence[LinkedEdges]) -> list[LinkedEdges]:
    """
    Resolve external edges of a language to definitions in another language of the same platform.

    Args:
        files: All files.
        linked: The edges of each language.

    Returns: The edges of each language without the edges that now lead to another language; these come in additional
        elements.
    """
    kept = list(linked)
    for platform in sorted({each.platform for each in linked if each.platform}):
        members = [at for at, each in enumerate(linked) if each.platform == platform and each.files]
        if len(members) < 2:
            continue
        names = _names(files, [linked[at] for at in members])
        for at in members:
            own = frozenset(linked[at].files)
            led = [tuple(_led(edge, linked[at].files, own, names)) for edge in linked[at].edges]
            if any(led):
                rest = [edge for edge, found in zip(linked[at].edges, led, strict=True) if not found]
                kept[at] = dataclasses.replace(linked[at], edges=rest)
                kept.append(LinkedEdges(tuple(range(len(files))), [edge for found in led for edge in found]))
    return kept


def _names(files: Sequence[IndexedFile], linked: Sequence[LinkedEdges]) -> dict[str, list[tuple[int, int]]]:
    """Return symbols by dotted name with package; top-level ones also as members of Kotlin's file class (`UtilKt`)."""
    found: dict[str, list[tuple[int, int]]] = {}
    for position in sorted(position for each in linked for position in each.files):
        parsed = files[position].parsed
        for at, symbol in enumerate(parsed.symbols[1:] if parsed else (), 1):
            assert parsed is not None
            package = parsed.symbols[0].name
            renamed = next((each for each in symbol.decorators if each.startswith(_RENAMED)), "")
            own = renamed[len(_RENAMED) :].rstrip('")') or symbol.name
            found.setdefault(f"{package}.{symbol.qualified_name.removesuffix(symbol.name)}{own}", []).append(
                (position, at)
            )
            if symbol.kind != SymbolKind.CLASS and symbol.qualified_name == symbol.name:
                stem = splitext(basename(files[position].source.path))[0]
                found.setdefault(f"{package}.{stem}Kt.{own}", []).append((position, at))
    return found


def _led(
    edge: Edge, files: Sequence[int], own: frozenset[int], names: dict[str, list[tuple[int, int]]]
) -> Iterator[Edge]:
    if edge.resolution != Resolution.EXTERNAL:
        return
    name = edge.target_name.replace(_COMPANION, "")
    getter = _GETTER.fullmatch(name)
    tried = (name, f"{getter[1]}{getter[2].lower()}{getter[3]}" if getter else "")
    targets = next((found for each in tried if (found := names.get(each))), [])[:_MAX_TARGETS]
    is_certain = len(targets) == 1 or edge.kind == EdgeKind.IMPORT  # of a name, whichever overload is used
    tier = edge.tier if is_certain else max(edge.tier, Tier.ARGUMENT)
    for target in targets:
        if target[0] not in own:
            source = (files[edge.source[0]], edge.source[1])
            yield Edge(source, target, name, edge.kind, edge.line, CONFIDENCE[tier], tier, Resolution.RESOLVED)
