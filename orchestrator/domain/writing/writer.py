"""Puts an answer together: one row of sections for each mode."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from orchestrator.domain.following import names_nothing
from orchestrator.domain.question import Mode
from orchestrator.domain.understanding import Intent
from orchestrator.domain.writing import found, gap_names, sections, structure
from orchestrator.domain.writing.environment import environment
from orchestrator.domain.writing.first import instructions, overview
from orchestrator.domain.writing.taking_up import taken_up
from orchestrator.domain.writing.users import users

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from orchestrator.domain.writing.material import Material

    Section: TypeAlias = Callable[[Material], list[str]]

_SURE = 0.5
"""Probability of an intent from which on its sections are written."""
_CONCEPTUAL = (
    users,
    found.routes,
    environment,
    found.settings_first,
    gap_names.names_first,
    found.definition,
    found.core_lines,
    found.settings,
    gap_names.no_definitions,
    sections.fetched,
    sections.connections,
    sections.documents,
)
_OF_INTENT: Mapping[Intent, tuple[Section, ...]] = MappingProxyType(
    {
        Intent.OVERVIEW: (overview,),
        Intent.MODULES: (users,),
        Intent.START: (users,),
        Intent.RUN: (instructions,),
        Intent.PLACE: (users,),
        Intent.ENTRY_POINTS: (users,),
        Intent.DEPENDENCIES: (users,),
    }
)
"""Sections that answer an intent, whatever the mode; they come first, and nothing else is said where they do."""
_SECTIONS: Mapping[Mode, tuple[Section, ...]] = MappingProxyType(
    {
        Mode.UNSPECIFIED: _CONCEPTUAL,
        Mode.CONCEPTUAL: _CONCEPTUAL,
        Mode.DIAGNOSTIC: (
            users,
            sections.raising,
            sections.connections,
            gap_names.no_definitions,
            sections.fetched,
            sections.documents,
        ),
        Mode.EXPLORATORY: (
            users,
            found.routes,
            environment,
            found.settings_first,
            taken_up,
            sections.flow,
            sections.steps,
            gap_names.no_definitions,
            sections.fetched,
            sections.documents,
        ),
        Mode.ANALYTICAL: (
            users,
            structure.coupling,
            structure.samples,
            structure.structure,
            gap_names.no_definitions,
            sections.fetched,
            sections.documents,
        ),
    }
)


def write_answer(material: Material) -> Iterator[str]:
    """
    Write the answer to a question from its evidence, paragraph by paragraph, in markdown.

    It leads with what answers directly, cites a label ("[E1]") for each statement, and ends by saying what was not
    found and that no model wrote it. Equal material gives equal text.
    """
    asks = not names_nothing(material.question, material.classification.anchors)
    empty = sections.nothing_found if asks else gap_names.nothing_asked
    own = _of_intents(material)
    rows = own or (_SECTIONS[material.classification.mode] if material.pieces else (empty,))
    seen = {""}
    lead = [*_written(() if own else (gap_names.not_spoken_of,), material, seen)]
    told = _written(rows, material, seen)
    if first := next(told, ""):
        yield from (*lead, first)
        yield from told
    else:  # all that was found is about something else
        yield from _written((empty,), material, seen)
    yield from _written((gap_names.still_open, sections.imprint), material, seen)


def _of_intents(material: Material) -> tuple[Section, ...]:
    """Return the sections of the intents; () where one of the intents has none, or none has anything to say."""
    intents = [part.intent for part in material.classification.understanding.parts if part.confidence >= _SURE]
    known = tuple(dict.fromkeys(section for intent in intents for section in _OF_INTENT.get(intent, ())))
    is_all = all(intent in _OF_INTENT for intent in intents)
    return known if is_all and any(section(material) for section in known) else ()


def _written(rows: Iterable[Section], material: Material, seen: set[str]) -> Iterator[str]:
    """Write what some sections say, but for what was said before: they fall back on one another."""
    for section in rows:
        for paragraph in section(material):
            if paragraph not in seen:
                yield paragraph + "\n\n"
            seen.add(paragraph)
