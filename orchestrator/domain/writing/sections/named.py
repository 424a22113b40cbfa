"""The sections about things that the question names: what they are, where they are, and how two of them differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from orchestrator.domain.answers.confidence import high, medium, of_definitions
from orchestrator.domain.writing import excerpts, prose
from orchestrator.domain.writing.markdown import bullets, code, quote
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.evidence.piece import UserList
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_PLACES, _LINES = 8, 8
_SIDE_LINES, _TOLD = 6, 5
_CONTENTS = {Relation.HOLDS: "holds", Relation.CALLEES: "calls"}
_NOTED = 2


def definition(material: Material, part: QuestionPart) -> Section | None:
    """Describe a named definition by its documentation, then by its members or callees, and by its users."""
    written, found = _found(material, part)
    if not found:
        return None
    first, symbols = found[0], [each.evidence.symbol for each in found if each.evidence.symbol]
    lists = [(each, users) for each in material.lists if (users := each.evidence.users) and users.definition]
    lists = [(each, users) for each, users in lists if users.definition == first.evidence.symbol]
    others = [_placed(each) for each in found[1:_PLACES]]
    if lists:  # a definition that extends a namesake does not count as another one
        others = [piece.described(each) for piece, listed in lists for each in listed.unsure[:_PLACES]]
        symbols = symbols if others else symbols[:1]
    support = of_definitions(written, symbols)
    if support.is_likely and not first.summary and part.intent is Intent.MEANING:
        support = medium("it has no documentation; what it holds or calls, and who uses it, is told instead")
    about = f": {first.summary}" if first.summary else f"; it has no documentation{_contents(lists)}."
    told = [line for piece, listed in lists for line in _of_list(piece, listed)]
    excerpt = excerpts.beginning(first.evidence, max_lines=_LINES) if first.is_code else None
    quoted = [quote(excerpt)] if excerpt and not any(listed.listed for _, listed in lists) else []
    more = [f"Others of its name:\n\n{bullets(others)}"] if others else []
    return Section([f"{first.name} is defined at {first.declared}{about} {first.cite}", *told, *quoted, *more], support)


def _contents(lists: Sequence[tuple[Piece, UserList]]) -> str:
    """Return the members or callees of an undocumented definition, as the end of a sentence."""
    found = next((listed for _, listed in lists if listed.relation in _CONTENTS and listed.listed), None)
    if found is None:
        return ""
    names = ", ".join(code(each.name.rpartition(".")[2]) for each in found.listed[:_TOLD])
    more = f" and {found.count - _TOLD} more" if found.count > _TOLD else ""
    return f" and {_CONTENTS[found.relation]} {names}{more}"


def _of_list(piece: Piece, found: UserList) -> Iterator[str]:
    """List the bases, members, callees or users of a definition."""
    yield from [f"It {'; it '.join(map(prose.without_markup, found.notes))}."] if found.notes else []
    left = [f"and {found.count - len(found.listed)} more"] if found.count > len(found.listed) else []
    if found.listed and found.relation in _CONTENTS:
        yield f"It {_CONTENTS[found.relation]}:\n\n{bullets([*map(piece.described, found.listed), *left])}"
    elif found.listed:
        tests = [f"and in tests by {found.in_tests}"] if found.in_tests else []
        yield f"It is used by {', '.join([*(piece.named(each) for each in found.listed), *left, *tests])}."


def location(material: Material, part: QuestionPart) -> Section | None:
    """Say where a named thing is defined, with every place if there are several."""
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
    """Say that a thing is from a third-party package, and which code imports it; None if it is not."""
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
    """Return the first name of the question that has definitions, with these."""
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
    """Compare two things by their documentation, and quote lines of both."""
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
    """Return the definition of a name, else the section of a page with this heading."""
    defined = material.definitions_of(name)
    heads = (each for each in material.to_read if each.is_page and name.casefold() in each.name.casefold())
    return defined[0] if defined else next(heads, None)
