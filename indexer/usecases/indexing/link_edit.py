"""Links edited files together with only a few related files: this takes milliseconds, linking all files seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.model import LinkUnit, Resolution
from indexer.domain.provisional.edges import fresh_edges
from indexer.domain.provisional.neighbours import choose_neighbours, files_by_module
from indexer.domain.provisional.symbols import known_symbols
from indexer.usecases.indexing.contained_link import link_contained

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.model import Edge, EdgeRow, Linked, Tier
    from indexer.domain.parsing import PlacedFile
    from indexer.domain.provisional.files import EditedFile
    from indexer.domain.provisional.published import PublishedFile
    from indexer.domain.snapshots.core import IndexedFile
    from indexer.ports import Linker, PublishedCore
    from indexer.usecases.indexing.read_facts import FactsReader

_ROUNDS = 3
"""Links of an edit at most: the second adds the files that it refers to, the third the files those refer to."""


@dataclass(frozen=True, slots=True)
class LinkedEdit:
    """
    The result of linking an edit.

    Args:
        edges: By path of an edited file, the edges of the symbols that changed in it.
        cut: By language, the tiers of which edges may be missing.
        failed: The linker failed on some file: the edit must wait for the exact snapshot.
    """

    edges: Mapping[str, tuple[EdgeRow, ...]]
    cut: Mapping[str, tuple[Tier, ...]]
    failed: bool


@dataclass(frozen=True, slots=True)
class EditLinker:
    """
    Links the edited files of one tree.

    Args:
        linkers: By language.
        placed: All files of the tree.
        core: The published core, with the ids of all symbols.
        published: Its files.
    """

    linkers: Mapping[str, Linker]
    facts: FactsReader
    placed: Sequence[PlacedFile]
    core: PublishedCore
    published: Mapping[str, PublishedFile]

    def link(self, files: Sequence[EditedFile]) -> LinkedEdit:
        """Return the edges of the symbols that an edit changed, and which tiers may lack edges."""
        edges: dict[str, tuple[EdgeRow, ...]] = {}
        cut: dict[str, tuple[Tier, ...]] = {}
        failed = False
        for language, linker in self.linkers.items():
            own = {
                each.path: each for each in files if each.after and each.after.parsed and _language(each) == language
            }
            if any(each.changed for each in own.values()):
                found, linked = self._link(language, linker, own)
                edges.update(found)
                cut.update({language: linked.cut} if linked.cut else {})
                failed = failed or bool(linked.failed)
        return LinkedEdit(edges, cut, failed)

    def _link(
        self, language: str, linker: Linker, edited: Mapping[str, EditedFile]
    ) -> tuple[dict[str, tuple[EdgeRow, ...]], Linked]:
        """Link the edited files alone, then with the files that their unresolved names and published edges lead to."""
        placed = {file.source.path: file for file in self.placed if file.language == language}
        modules = files_by_module((path, file.module) for path, file in placed.items())
        own = {path: placed[path].module for path in edited}
        reached = self.core.reached([symbol for each in edited.values() for symbol in each.changed])
        names: dict[str, None] = {}
        near: tuple[str, ...] = ()
        for _ in range(_ROUNDS):
            units, linked = self._linked(linker, edited, [placed[path] for path in near if path in placed])
            found = self._placed_edges(units, linked.edges, edited)
            outside = (edge for own_edges in found.values() for edge in own_edges)
            names.update((edge.target_name, None) for edge in outside if edge.resolution == Resolution.EXTERNAL)
            more = choose_neighbours(own, names, reached, modules)
            if {*more} <= {*near}:
                break
            near = more
        return found, linked

    def _linked(
        self, linker: Linker, edited: Mapping[str, EditedFile], near: Sequence[PlacedFile]
    ) -> tuple[list[LinkUnit], Linked]:
        files: list[IndexedFile] = [each.after for each in edited.values() if each.after is not None]
        files += self.facts.recall(near)
        units = [LinkUnit(file.source.path, file.module, file.parsed) for file in files if file.parsed is not None]
        units.sort(key=lambda unit: unit.path)
        return units, link_contained(linker, units)

    def _placed_edges(
        self, units: Sequence[LinkUnit], edges: Sequence[Edge], edited: Mapping[str, EditedFile]
    ) -> dict[str, tuple[EdgeRow, ...]]:
        ids: dict[int, Sequence[int | None]] = {}

        def target_of(target: tuple[int, int]) -> int | None:
            position, symbol = target
            if position not in ids:
                unit = units[position]
                if unit.path in edited:
                    ids[position] = edited[unit.path].ids
                else:
                    published = self.core.symbols(self.published[unit.path].id)
                    ids[position] = known_symbols(published, unit.parsed.symbols)
            return ids[position][symbol]

        return {
            unit.path: tuple(
                fresh_edges(edges, at, unit.parsed.symbols, edited[unit.path].ids, edited[unit.path].same, target_of)
            )
            for at, unit in enumerate(units)
            if unit.path in edited
        }


def _language(file: EditedFile) -> str:
    return file.after.parsed.language if file.after and file.after.parsed else ""
