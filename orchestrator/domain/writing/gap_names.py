"""The sections about names that were looked for: what is no definition, and what was not found."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.deeds import NOT_ABOUT, deed, together, unsaid_deed
from orchestrator.domain.evidence import EvidenceKind, GapOutcome, Mention
from orchestrator.domain.following import names_nothing
from orchestrator.domain.gaps import is_given_a_value, name_of
from orchestrator.domain.messages import unseen_messages
from orchestrator.domain.opening import names_things
from orchestrator.domain.question import Mode
from orchestrator.domain.unheld import unheld_words
from orchestrator.domain.using import thing_used
from orchestrator.domain.writing import prose, source_text
from orchestrator.domain.writing.markdown import bullets, code, quote
from orchestrator.domain.writing.statements import asks_for_place

if TYPE_CHECKING:
    from orchestrator.domain.evidence import GapResult, Occurrence
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_OUTCOMES = {
    GapOutcome.ABSENT: "is not defined in the indexed code",
    GapOutcome.AMBIGUOUS: "has several definitions and nothing tells which is meant",
    GapOutcome.EXTERNAL: "lives outside this repository",
    GapOutcome.OUT_OF_COVERAGE: "may be in files that are not indexed",
    GapOutcome.BELOW_FLOOR: "has no match that could be trusted",
}
_IS = MappingProxyType(
    {
        Mention.PARAMETER: "a parameter of",
        Mention.ATTRIBUTE: "an attribute that is set in",
        Mention.NAME: "a name that is set in",
        Mention.KEY: "a key in",
        Mention.ARGUMENT: "an argument that is passed in",
        Mention.READ: "an attribute that is read in",
        Mention.TEXT: "a text in",
    }
)
_CANDIDATES = 3
_SHORT = 200
"""Characters of a question that names nothing in passing."""
_QUOTED = 6
"""Lines that are few enough to be quoted as a whole."""
_SAYS_IT = 0.9
"""Score from which on a statement comes before what a name is."""


def not_spoken_of(material: Material) -> list[str]:
    """Say so first of all where nothing speaks of the feature that is asked for."""
    if material.is_of_other_words:
        return ["Nothing that was found has a word of the question; what follows is a guess. Ask in words of the code."]
    words = unheld_words(material.question, (each.evidence for each in material.pieces))
    said = f"Nothing in the indexed code or its documentation speaks of {words}; what follows is what comes nearest."
    if words:
        return [said]
    missing = _undone(material)
    return [f"{NOT_ABOUT} {missing}; what follows is what comes nearest."] if missing else _not_there(material)


def _undone(material: Material) -> str:
    """Return the words of the deed that a question asks for and nothing that may lead speaks of; "" for none."""
    if material.users or material.routes or material.settings or material.is_of_other_words:
        return ""
    is_named = names_things(material.question, material.classification.anchors)
    leading = [each for each in (material.lead.piece if material.lead else None, material.subject) if each]
    said = [material.lead.text if material.lead else "", *map(_told_by_itself, leading)]
    said += [each.evidence.text for each in leading if is_named]
    if not unsaid_deed(material.question, " ".join(said)):
        return ""
    others = (*(each.text for each in material.statements), *map(_told_by_itself, material.definitions))
    return together(deed(material.question), others)


def _told_by_itself(piece: Piece) -> str:
    """Return the name of a piece and what it says of itself."""
    symbol = piece.evidence.symbol
    return f"{symbol.qualified_name if symbol else piece.evidence.title} {piece.summary}"


def nothing_asked(material: Material) -> list[str]:
    """Say why nothing was searched for, and what to ask."""
    reason = names_nothing(material.question, material.classification.anchors)
    return [f"{reason} Name a symbol, a file or an error message as it is written in the code."] if reason else []


def _not_there(material: Material) -> list[str]:
    """Say so of what a short question names, or of a message that it quotes, where that is not there."""
    if len(material.question) > _SHORT or material.classification.anchors.frames:
        return []
    told = [f"{code(each.gap.symbol)} {_outcome(material, each)}." for each in _absent(material)]
    told += [f"“{prose.unlabelled(message)}” is in no line that was found." for message in _unseen(material)]
    return [f"{' '.join(told)} What follows is what comes nearest."] if told else []


def _absent(material: Material) -> list[GapResult]:
    """Return the names of the question that nothing bears, no line gives a value to, and no page speaks of."""
    used = {thing_used(each.evidence) for each in material.users}
    return [
        each
        for each in material.open_gaps()
        if each.outcome is GapOutcome.ABSENT
        and each.gap.symbol in material.question
        and each.gap.symbol
        and each.gap.symbol not in used
        and not _is_set(material, each)
        and _page_of(material, each) is None
    ]


def _is_set(material: Material, result: GapResult) -> bool:
    """Tell whether a name that no definition bears is that of a setting which is told of."""
    return is_given_a_value(result.gap, (each.piece.evidence for each in material.settings))


def _unseen(material: Material) -> tuple[str, ...]:
    if material.classification.mode is not Mode.DIAGNOSTIC:
        return ()
    return unseen_messages(material.classification.anchors, [each.evidence for each in material.pieces])


def no_definitions(material: Material) -> list[str]:
    """Say what names of the question are where no definition bears them: parameters, attributes, keys."""
    lines, quotes = [], []
    used = {thing_used(each.evidence) for each in material.users}
    settings = {word for each in material.settings for word in each.setting.words}
    for piece, found in _names(material).items():
        if found.name in settings or found.name in used:
            continue  # what gives it a value, or changes it, says more
        name, what = found.name, _IS[found.mention]
        within = f"`{found.within}` (`{found.place}`)" if found.within else f"`{found.place}`"
        told, default = "", ""
        if found.mention is Mention.PARAMETER:
            told = prose.parameter(piece.evidence.text, name.rpartition(".")[2])
            default = source_text.default_of(piece.evidence.text, name.rpartition(".")[2])
        given = f", {code(default)} by default" if default else ""
        said = f": {prose.unlabelled(told)}" if told else "."
        lines.append(f"{code(name)} is {what} {within}{given}{said} {piece.cite}")
        excerpt = source_text.whole(piece.evidence, _QUOTED)
        quotes += [quote(excerpt)] if excerpt else []
    return ["No definition, but in the code:", bullets(lines), *quotes[:1]] if lines else []


def names_first(material: Material) -> list[str]:
    """Say so first of all where the question is where something is, or is about such a name more than all else."""
    names = " ".join(found.name for found in _names(material).values())
    about = set(count_terms(names)) & material.wanted
    lead = material.lead
    is_about = 2 * len(about) > len(material.wanted) and not (lead and lead.score > _SAYS_IT)
    return no_definitions(material) if asks_for_place(material.question) or is_about else []


def names_told(material: Material) -> tuple[Piece, ...]:
    """Return the pieces by which `no_definitions` tells of names."""
    return tuple(_names(material))


def _names(material: Material) -> dict[Piece, Occurrence]:
    pieces = {piece.evidence.evidence_id: piece for piece in material.pieces}
    told: dict[Piece, Occurrence] = {}
    for result in material.results:
        found = result.occurrence
        shown = next((pieces[each] for each in result.evidence_ids if each in pieces), None)
        if found and found.mention in _IS and found.place and shown:
            told.setdefault(shown, found)
    return told


def still_open(material: Material) -> list[str]:
    """Say what was looked for and not found."""
    is_said = bool(_not_there(material))
    absent = _absent(material) if is_said else []
    lines = [
        f"{code(name_of(each.gap))} {_outcome(material, each)}."
        for each in material.open_gaps()
        if each not in absent and not _is_set(material, each)
    ]
    unseen = () if is_said else _unseen(material)
    lines += [f"“{prose.unlabelled(message)}” is in no line that was found." for message in unseen]
    return ["Looked for and not found:", bullets(lines)] if lines else []


def _outcome(material: Material, result: GapResult) -> str:
    told = _OUTCOMES[result.outcome]
    places = [f"`{each.span}`" for each in result.candidates]
    if result.outcome is GapOutcome.AMBIGUOUS and places:
        more = f" and {len(places) - _CANDIDATES} more" if len(places) > _CANDIDATES else ""
        return f"{told}: {', '.join(places[:_CANDIDATES])}{more}"
    if result.alike:
        return f"{told}; there is {', '.join(map(code, result.alike))}"
    named = _page_of(material, result)
    return f"{told}, but its documentation speaks of it {named.cite}" if named else told


def _page_of(material: Material, result: GapResult) -> Piece | None:
    """Return the page that speaks of what was looked for; None if none does."""
    pages = [each for each in material.of(EvidenceKind.DOC) if each.is_citable and not each.is_card]
    return next((each for each in pages if result.gap.symbol and result.gap.symbol in each.evidence.text), None)
