"""The sections about things that the question names: what they are, where they are, and how two of them differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.confidence import high, medium, of_definitions
from orchestrator.domain.evidence.piece import Relation
from orchestrator.domain.questions.understanding import Intent, MentionKind, SlotKind
from orchestrator.domain.writing import excerpts
from orchestrator.domain.writing.markdown import bullets, code, quote
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.domain.questions.understanding import QuestionPart
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_PLACES, _LINES = 8, 8
_SIDE_LINES = 6
_NOTED = 2


def definition(material: Material, part: QuestionPart) -> Section | None:
    """Say what a named thing is, in the words of its documentation, and quote its first lines."""
    written, found = _found(material, part)
    if not found:
        return None
    first = found[0]
    where = f"{first.name} is defined at {first.declared}"
    told = f"{where}: {first.summary} {first.cite}" if first.summary else f"{where}. {first.cite}"
    excerpt = excerpts.decisive(first.evidence, material.weights, max_lines=_LINES) if first.is_code else None
    if not first.summary:  # the documentation may be in the lines
        excerpt = excerpts.beginning(first.evidence, max_lines=_LINES)
    others = bullets([_placed(each) for each in found[1:_PLACES]]) if found[1:] else ""
    support = of_definitions(written, [each.evidence.symbol for each in found if each.evidence.symbol])
    if support.is_likely and not first.summary and part.intent is Intent.MEANING:
        support = medium("its documentation is not told apart from its lines; read those that are quoted")
    return Section([told, quote(excerpt) if excerpt else "", others and f"Others of its name:\n\n{others}"], support)


def location(material: Material, part: QuestionPart) -> Section | None:
    """Say where a named thing is defined; every place of several."""
    written, found = _found(material, part)
    if not found:
        return None
    support = of_definitions(written, [each.evidence.symbol for each in found if each.evidence.symbol])
    if not found[1:]:
        about = f" {found[0].summary}" if found[0].summary else ""
        return Section([f"{found[0].name} is defined at {found[0].declared}. {found[0].cite}", about.strip()], support)
    said = f"{code(written)} is defined in {len(found)} places:"
    return Section([said, bullets([_placed(each) for each in found[:_PLACES]])], support)


def foreign(material: Material, _: QuestionPart) -> Section | None:
    """Say that a thing is of a package of others, and who imports it; None where it is not."""
    found = [(each, each.evidence.users) for each in material.lists]
    for piece, listed in found:
        if listed and listed.relation is Relation.IMPORTS and listed.definition is None and listed.listed:
            users = ", ".join(f"{code(each.name)} (`{each.place}`)" for each in listed.listed[:_PLACES])
            more = f" and {listed.count - _PLACES} more" if listed.count > _PLACES else ""
            where = "".join(f", {each.removeprefix('and ')}" for each in listed.notes[:_NOTED])
            said = f"{code(listed.name)} is not defined in this repository: it is a package of others{where}."
            told = f"{said} It is imported by {users}{more}. {piece.cite if piece.evidence.span else ''}".strip()
            return Section([told], medium("nothing here is called so, and a package that is imported is"))
    return None


def _placed(piece: Piece) -> str:
    about = f": {piece.summary}" if piece.summary else ""
    return f"{piece.name}, at {piece.declared}{about} {piece.cite}"


def _found(material: Material, part: QuestionPart) -> tuple[str, tuple[Piece, ...]]:
    """Return the first name of the question that definitions bear, with these."""
    for written in _names(material, part):
        if found := material.definitions_of(written):
            return written, found
    return "", ()


def _names(material: Material, part: QuestionPart) -> Iterator[str]:
    subjects = part.texts(SlotKind.SUBJECT, SlotKind.OBJECT)
    yield from (f"{subjects[1]}.{subjects[0]}" for _ in subjects[1:2])  # "the close method of Pool"
    for each in (
        *subjects[:1],
        *material.understanding.named(MentionKind.SYMBOL, MentionKind.EXCEPTION),
        *material.meant,
    ):
        if " " not in each:
            yield each


def comparison(material: Material, part: QuestionPart) -> Section | None:
    """Say of both things what their documentation says, side by side, and quote lines of both."""
    names = part.texts(SlotKind.SUBJECT, SlotKind.OBJECT)[:2]
    sides = [_side(material, each) for each in names]
    if len(sides) < 2 or not all(sides) or sides[0] == sides[1]:
        return None
    pair = [each for each in sides if each]
    told = [_placed(each) for each in pair]
    quoted = [
        quote(found)
        for each in pair
        if each.is_code and (found := excerpts.decisive(each.evidence, material.weights, max_lines=_SIDE_LINES))
    ]
    is_said = all(each.summary for each in pair)
    support = high("both are defined once by these names") if is_said else medium("one of the two is not documented")
    return Section([bullets(told), *quoted], support)


def _side(material: Material, name: str) -> Piece | None:
    """Return the definition of a name, else the section of a page that is headed so."""
    defined = material.definitions_of(name)
    heads = (each for each in material.to_read if each.is_page and name.casefold() in each.name.casefold())
    return defined[0] if defined else next(heads, None)
