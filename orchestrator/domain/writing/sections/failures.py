"""The sections about failures: where a stack trace ends, and which code creates a quoted message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind
from common.core.contract.understanding import Intent, MentionKind
from orchestrator.domain.answers.confidence import high, medium
from orchestrator.domain.evidence.names import last_part
from orchestrator.domain.writing import excerpts, prose
from orchestrator.domain.writing.markdown import code, quote
from orchestrator.domain.writing.material import is_test
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import Basis
    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.answers.confidence import Support
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_OF_PLACES = frozenset({Intent.LOCATION, Intent.PLACE, Intent.FIND})
"""Intents that a place in the code answers; the other intents of these sections ask why something fails."""
_WAY = 4
"""Most frames that are named before the last one."""
_SITES = 3
_LINES, _BEFORE = 6, 8
"""Lines quoted if the relevant line is unknown, and lines quoted before a known one: they show when it runs."""
_SAID = {
    BasisKind.MESSAGE: "comes from",
    BasisKind.NEAR_MESSAGE: "is nearly the message that comes from",
    BasisKind.TEXT: "comes from",
    BasisKind.CONSTANT: "is the text of a constant that is used in",
}
"""Relation of code to a message, in words, by kind of basis; the surest first."""


def trace(material: Material, part: QuestionPart) -> Section | None:
    """Say where the trace ends in the shown code, and through which frames."""
    frames = [(each, basis) for each in material.pieces if (basis := each.evidence.based_on(BasisKind.FRAME))]
    if not frames:
        return None
    last, basis = frames[0]
    span, line = last.evidence.span, basis.line
    is_there = bool(line and span)
    place = f"`{span.path}:{line}`" if line and span else f"{last.place}, where this version of it has other lines"
    excerpt = _lines(material, last, basis)
    asked = material.classification.anchors.frames
    is_pointed_at = len(asked) == 1 and not asked[0].function
    said = f"{place} is in {last.name}" if is_pointed_at else f"In this code the trace ends in {last.name}, at {place}"
    made = [(each, of) for each in material.pieces if (of := each.evidence.based_on(BasisKind.MESSAGE))]
    causes = [] if is_pointed_at else [f"{_made(*each)}\n\n{_lines(material, *each)}" for each in made[:1]]
    way = [f"{each.name} {each.cite}" for each, _ in reversed(frames[1 : 1 + _WAY])]
    support = (
        _of_place("the frame's line is in the indexed code", part) if is_there else medium("the lines have moved since")
    )
    return Section(
        [
            f"{said}. {last.cite}{_when(basis)}",
            *causes,
            excerpt,
            f"{last.name}: {last.summary}" if last.summary else "",
            f"It came there by {', '.join(way)}." if way else "",
        ],
        support,
    )


def message(material: Material, part: QuestionPart) -> Section | None:
    """Say which code creates the quoted message and under which condition, and quote the lines."""
    found = [(each, basis) for each in material.pieces if (basis := each.evidence.based_on(*_SAID))]
    if not found or _is_of_another(material, part):
        return None
    surest = next(kind for kind in _SAID if any(basis.kind is kind for _, basis in found))
    sites = [(piece, basis) for piece, basis in found if basis.kind is surest]
    lines: list[str] = []
    for piece, basis in sites[:_SITES]:
        lines += [_made(piece, basis), _lines(material, piece, basis)]
    for piece, basis in [each for each in found if each[1].kind is not surest][:_SITES]:
        names = f"names {code(basis.name)}" if basis.name else f"has “{prose.unlabelled(basis.text)}”"
        lines += [f"{piece.name}, {piece.place}, {names} too. {piece.cite}", _lines(material, piece, basis)]
    return Section(lines, _of_message(part, sites))


def _made(piece: Piece, basis: Basis) -> str:
    place = piece.evidence.span
    at = f"at `{place.path}:{basis.line}`" if basis.line and place else f"at {piece.place}"
    text = prose.unlabelled(" ".join(basis.text.split()))
    told = f": {piece.summary}" if piece.summary and not basis.condition else "."
    said = f"{f'“{text}”' if text else 'The message'} {_SAID[basis.kind]} {piece.name}, {at}{told} {piece.cite}"
    return f"{said}{_when(basis)}"


def _when(basis: Basis) -> str:
    """Say under which condition a line runs, without citing a place: the condition stands above the cited line."""
    return f" This happens where {code(basis.condition)}." if basis.condition else ""


def _of_message(part: QuestionPart, sites: Sequence[tuple[Piece, Basis]]) -> Support:
    """Return the support of a message's place: high if the index knows its one line and the place was asked for."""
    _, basis = sites[0]
    if basis.kind is BasisKind.NEAR_MESSAGE:
        return medium("the message that was found is nearly the quoted one, not the same")
    if len(sites) > 1:
        return medium("several places make it")
    if basis.kind is BasisKind.MESSAGE and part.intent in _OF_PLACES:
        return high("the index knows the line that makes it")
    if basis.condition:
        return medium(
            "the index knows the line that makes it, and the innermost condition; what leads there has to be read"
        )
    return medium("the text is there, but under which condition the message is made has to be read there")


def _is_of_another(material: Material, part: QuestionPart) -> bool:
    """Return whether the messages belong to another part of the question, such as the value that they validate."""
    asks = any(each.intent is Intent.CONSEQUENCE for each in material.understanding.likely)
    is_quoted = material.classification.anchors.error_messages or material.understanding.named(MentionKind.MESSAGE)
    is_value = part.intent is Intent.VALUE and bool(material.settings)
    quoted = [each for each in material.understanding.mentions if each.kind is MentionKind.MESSAGE]
    if quoted and not any(part.start <= each.start < part.end for each in quoted):
        return len(material.understanding.likely) > 1
    return is_value or (asks and not is_quoted and part.intent is not Intent.CONSEQUENCE)


def _of_place(reason: str, part: QuestionPart) -> Support:
    """Return the support of a certain place: high if the place was asked for, medium for why something fails."""
    if part.intent in _OF_PLACES:
        return high(reason)
    return medium(f"{reason}; why it comes to that has to be read there")


def raises(material: Material, _: QuestionPart) -> Section | None:
    """Say which code raises the error that the question names, and quote the lines."""
    named = {last_part(each) for each in material.classification.anchors.exceptions}
    named |= {last_part(each) for each in material.understanding.named(MentionKind.EXCEPTION)}
    bases = ((each, each.evidence.based_on(BasisKind.RAISES, BasisKind.MAKES)) for each in material.pieces)
    found = [(piece, basis) for piece, basis in bases if basis and last_part(basis.name) in named]
    found.sort(key=lambda each: is_test(each[0]))
    if not found:
        return None
    lines: list[str] = []
    for piece, basis in found[:_SITES]:
        span = piece.evidence.span
        at = f"`{span.path}:{basis.line}`" if basis.line and span else piece.place
        does = "raises" if basis.kind is BasisKind.RAISES else "makes"
        lines += [f"{piece.name} {does} `{basis.name}`, at {at}. {piece.cite}", _lines(material, piece, basis)]
    more = [f"{piece.name}, {piece.place} {piece.cite}" for piece, _ in found[_SITES:]]
    others = [f"So do {', '.join(more)}."] if more else []
    return Section(
        [*lines, *others], medium("these places raise it; a message or a trace would tell which of them did")
    )


def _lines(material: Material, piece: Piece, basis: Basis) -> str:
    excerpt = excerpts.around(piece.evidence, basis.line, before=_BEFORE)
    excerpt = excerpt or excerpts.decisive(piece.evidence, material.weights, max_lines=_LINES)
    return quote(excerpt) if excerpt else ""
