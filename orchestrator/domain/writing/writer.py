"""Assembles an answer from a table of sections by intent of the question."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from common.core.contract.understanding import Comprehension, Intent, MentionKind, QuestionPart
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.answers.confidence import low, medium
from orchestrator.domain.writing.sections import notes
from orchestrator.domain.writing.sections.failures import message, raises, trace
from orchestrator.domain.writing.sections.flow import flow
from orchestrator.domain.writing.sections.measures import between, findings, measures
from orchestrator.domain.writing.sections.named import comparison, definition, foreign, location
from orchestrator.domain.writing.sections.notes import occurrences
from orchestrator.domain.writing.sections.project import beginnings, commands, overview, places, requirements, together
from orchestrator.domain.writing.sections.reading import further, page, passage, reading
from orchestrator.domain.writing.sections.users import affected, users, writes
from orchestrator.domain.writing.sections.values import environment, named_settings, options, routes, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from orchestrator.domain.answers.confidence import Support
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.section import Section

    MakesSection: TypeAlias = Callable[[Material, QuestionPart], Section | None]

_FAILURE = (trace, message)
SECTIONS: Mapping[Intent, tuple[MakesSection, ...]] = MappingProxyType(
    {
        Intent.UNSPECIFIED: (*_FAILURE, routes, users, reading),
        Intent.OVERVIEW: (overview, reading),
        Intent.MODULES: (places, reading),
        Intent.START: (beginnings, reading),
        Intent.RUN: (commands, overview, reading),
        Intent.PLACE: (trace, places, reading),
        Intent.ENTRY_POINTS: (users, commands, reading),
        Intent.KINDS: (users, reading),
        Intent.SETTINGS: (environment, users, options, named_settings, settings, reading),
        Intent.DEPENDENCIES: (requirements, reading),
        Intent.MEANING: (overview, definition, places, settings, occurrences, reading),
        Intent.LOCATION: (message, location, places, foreign, settings, occurrences, page, reading),
        Intent.FIND: (message, reading),
        Intent.METHOD: (*_FAILURE, reading),
        Intent.CONSEQUENCE: (*_FAILURE, reading),
        Intent.PATH: (flow, reading),
        Intent.USAGE: (message, passage, reading),
        Intent.EXTENSION: (passage, users, reading),
        Intent.SUPPORT: (message, passage, page, reading),
        Intent.VALUE: (message, named_settings, page, settings, occurrences, reading),
        Intent.RELATION: (users, places, reading),
        Intent.IMPACT: (message, users, reading),
        Intent.COMPARISON: (places, comparison, reading),
        Intent.CONNECTION: (between, flow, passage, reading),
        Intent.DIAGNOSIS: (*_FAILURE, raises, users, reading),
        Intent.MESSAGE: (*_FAILURE, users, reading),
        Intent.RATIONALE: (*_FAILURE, passage, reading),
        Intent.SIZES: (measures, reading),
        Intent.UNUSED: (measures, reading),
        Intent.STRUCTURE: (between, measures, reading),
        Intent.FINDINGS: (findings, reading),
        Intent.CO_CHANGE: (together, reading),
        Intent.ASSESSMENT: (measures, findings, reading),
        Intent.CONCURRENCY: (writes, reading),
        Intent.CHANGE: (reading,),
        Intent.ROUTE: (*_FAILURE, routes, reading),
        Intent.OTHER: (reading,),
    }
)
"""
Sections by intent. The first that is not None answers; those in `_FURTHER` are added to it.

A new kind of question needs a new row, and a new section only if no existing one answers it.
"""
_FURTHER: Mapping[Intent, tuple[MakesSection, ...]] = MappingProxyType(
    {
        Intent.OVERVIEW: (places, beginnings),
        Intent.RELATION: (location,),
        Intent.EXTENSION: (users,),
        Intent.IMPACT: (affected, location),
        Intent.MEANING: (definition, places, beginnings),
        Intent.VALUE: (settings,),
        Intent.RUN: (overview,),
        Intent.ASSESSMENT: (findings,),
    }
)
_OF_NEWCOMERS = (places, beginnings)
"""Sections that are added only if the question has one part."""
_AND_READ = frozenset(
    {
        Intent.EXTENSION,
        Intent.VALUE,
        Intent.COMPARISON,
        Intent.DIAGNOSIS,
        Intent.MESSAGE,
        Intent.PATH,
        Intent.CONNECTION,
        Intent.SUPPORT,
        Intent.USAGE,
        Intent.RATIONALE,
        Intent.LOCATION,
        Intent.STRUCTURE,
        Intent.ASSESSMENT,
        Intent.CONCURRENCY,
    }
)
"""Intents whose exact answer is followed by further reading, as is any answer to a partly understood question."""

_QUOTED = (MentionKind.MESSAGE, MentionKind.FRAME)
"""Kinds of mentions that identify a place in the code, whatever the question asks about it."""
_IN_PART = (Comprehension.PARTIAL, Comprehension.NONE)


def write_answer(material: Material) -> Iterator[str]:
    """
    Write the answer to a question from its evidence, paragraph by paragraph, in markdown.

    The direct answer comes first, each statement cites a label ("[E1]"), and the end says what was not found, and that
    no model wrote the text. Equal material gives equal text.
    """
    seen = {""}
    for section in _sections(material):
        for paragraph in section.paragraphs:
            if paragraph not in seen:
                yield paragraph + "\n\n"
            seen.add(paragraph)


def support_of(material: Material) -> Support:
    """
    Return how far the evidence supports the answer: the lowest support of the question's parts.

    A partly understood question lowers it by one level, as it may ask for something else: high to medium, and medium to
    low if the question mentions no message or frame.
    """
    if lead := _without_search(material) or notes.not_spoken_of(material):
        return lead.support
    found = [_answers(material, part) for part in _parts(material)]
    supports = [
        sections[0].support if sections else low("no place supports a part of the answer") for sections in found
    ]
    least = min(supports, key=lambda each: (each.level.value, each.share))
    if material.understanding.comprehension not in _IN_PART:
        return least
    if least.level is Confidence.HIGH:
        return medium("the question was understood in part; check that this is what it asks")
    if least.level is Confidence.MEDIUM and not any(each.kind in _QUOTED for each in material.understanding.mentions):
        return low("the question was understood in part, and may ask for something else; put it in one sentence")
    return least


def _sections(material: Material) -> Iterator[Section]:
    if lead := _without_search(material):
        yield from (lead, notes.imprint(material))
        return
    if lead := notes.not_spoken_of(material):
        yield lead
    found = [section for part in _parts(material) for section in _answers(material, part)]
    yield from found or (notes.nothing_found(),)
    if left := notes.still_open(material):
        yield left
    yield notes.imprint(material)


def _parts(material: Material) -> Sequence[QuestionPart]:
    """Return the parts of a question, without those that ask whether something is supported without naming it."""
    likely = material.understanding.likely
    told = [each for each in likely if each.intent is not Intent.SUPPORT or any(slot.text for slot in each.slots)]
    return told or likely


def _without_search(material: Material) -> Section | None:
    """Return the answer if nothing was searched or found."""
    return notes.nothing_asked(material) or (None if material.pieces else notes.nothing_found())


def _answers(material: Material, part: QuestionPart) -> list[Section]:
    """Return the section that answers a part of the question, and additional ones."""
    for make in SECTIONS[part.intent]:
        if section := make(material, part):
            is_all = len(material.understanding.parts) == 1
            makers = (other for other in _FURTHER.get(part.intent, ()) if is_all or other not in _OF_NEWCOMERS)
            others = (each for other in makers if (each := other(material, part)))
            written = [section, *(each for each in others if each.paragraphs[0] not in section.paragraphs)]
            told = "".join(paragraph for each in written for paragraph in each.paragraphs)
            is_read = part.intent in _AND_READ or material.understanding.comprehension in _IN_PART
            more = further(material, part, told) if is_read and make is not reading else None
            return [*written, more] if more else written
    return []
