"""The sections about the relations of a thing: what calls, extends, tests or changes it, or is called by it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, Relation, SlotKind
from orchestrator.domain.answers.confidence import medium, of_list, relations_of
from orchestrator.domain.evidence.names import is_called, is_member_of, is_spelled
from orchestrator.domain.evidence.piece import SymbolKind
from orchestrator.domain.writing.markdown import bullets
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.evidence.piece import User, UserList
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_LISTS = 3
_OF_ITSELF = MappingProxyType({Relation.FAILS: "raises nothing itself; what it calls may"})
"""Text for an empty list, for relations where an empty list says something about the thing itself."""
_BY: Mapping[Relation, str] = MappingProxyType({Relation.FAILS: "raising", Relation.REGISTERS: "handled by"})
"""Word before `User.through` in an entry; "through" for other relations."""
_OF_PROJECT = frozenset({Relation.HOLDS, Relation.BEGINS, Relation.COMMANDS, Relation.CHANGES, Relation.REQUIRES})
"""Relations of the project and its places, which have sections of their own."""
_DOES: Mapping[Relation, str] = MappingProxyType(
    {
        Relation.CALLS: "calls",
        Relation.INHERITS: "extends",
        Relation.IMPLEMENTS: "implements",
        Relation.OVERRIDES: "overrides",
        Relation.USES: "uses",
        Relation.TESTS: "tests",
        Relation.RAISES: "raises",
        Relation.CATCHES: "catches",
    }
)
_NAMED, _ALL_OF_KIND = 3, 12


def users(material: Material, part: QuestionPart) -> Section | None:
    """List the code in the requested relation to the thing that the question names, each with its place."""
    lists = list(_of_part(material, part))[:_LISTS]
    owners = part.texts(SlotKind.OWNER) if part.intent is Intent.IMPACT else ()
    if not lists or any(is_called(lists[0][1].name, each) for each in owners):
        return None
    return _listed(material, part, lists)


def affected(material: Material, part: QuestionPart) -> Section | None:
    """List the code in the requested relation to the owner of a thing that is to be changed."""
    lists = list(_of_part(material, part))[:_LISTS]
    return _listed(material, part, lists) if lists else None


def _listed(material: Material, part: QuestionPart, lists: Sequence[tuple[Piece, UserList]]) -> Section:
    one = next((line for piece, listed in lists if (line := _of_one(part, piece, listed))), "")
    told = [*filter(None, [one]), *(line for piece, listed in lists for line in _told(piece, listed))]
    if part.intent is Intent.EXTENSION:
        told[0] = f"What is there shows how one more is made: {told[0]}"
    definitions = len(material.definitions_of(lists[0][1].name))
    found = [listed for _, listed in lists]
    if definitions > 1 and not found[0].count:
        told.insert(0, f"{definitions} definitions are called `{found[0].name}`; the list is of one of them.")
    return Section(told, of_list(part, material.understanding, found, definitions=definitions))


def _of_part(material: Material, part: QuestionPart) -> Iterator[tuple[Piece, UserList]]:
    """Yield the lists for a part: of its relation and subject, else of its relation, else all if it is alone."""
    found = [(piece, listed) for piece in material.lists if (listed := piece.evidence.users)]
    lists = [each for each in found if each[1].relation not in _OF_PROJECT]
    related = [each for each in lists if each[1].relation in relations_of(part)]
    subjects = part.texts(SlotKind.SUBJECT)
    own = [each for each in related if any(is_called(each[1].name, written) for written in subjects)]
    yield from own or related or (lists if len(material.understanding.parts) < 2 or not relations_of(part) else ())


def writes(material: Material, part: QuestionPart) -> Section | None:
    """List the writes of the state that the question is about, and which of them follow a line that names a lock."""
    lists = [each for each in _of_part(material, part) if each[1].relation is Relation.SETS and each[1].listed]
    told = []
    for piece, found in lists[:_LISTS]:
        named = [(piece.named(user), user) for user in found.listed]
        behind = sum(bool(user.through) for user in found.listed)
        count = {0: "none", len(named): "each"}.get(behind, str(behind))
        said = f"{count} of these writes stands behind a line of its function that names a lock"
        told += [
            f"`{found.name}` is written by {', '.join(each for each, _ in named)}; {said}. {piece.cite}",
            bullets([*(f"{each}{_at(user, 'behind')}" for each, user in named), *_rest(found)]),
        ]
    read = "these are the writes that the index knows; whether threads share what they write has to be read there"
    return Section(told, medium(read)) if told else None


def _of_one(part: QuestionPart, piece: Piece, found: UserList) -> str:
    """Say whether a second thing that the question names is in the list; "" if there is none or it is uncertain."""
    others = (each for each in part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) if not is_called(found.name, each))
    other, does = next(others, ""), _DOES.get(found.relation)
    if not other or not does or part.relation is not found.relation:
        return ""
    user = next((each for each in found.listed if is_spelled(each.name, other)), None)
    if user:
        return f"{piece.named(user)} {does} `{found.name}`{_at(user, '')}."
    is_whole = found.count == len(found.listed) > 0 and not found.unsure and is_called(found.name, part.slots[0].text)
    is_member = any(is_member_of(each.name, other) for each in found.listed)
    if not is_whole or is_member:
        return ""
    return f"`{other}` is not among those that {found.relation.value.removeprefix('is ').removesuffix(' by')} it."


def _told(piece: Piece, found: UserList) -> list[str]:
    rest = _rest(found)
    if not found.count:
        return [_nobody(piece, found, rest), bullets(rest) if found.relation in _OF_ITSELF and rest else ""]
    if found.relation is Relation.FAILS and all(each.symbol == found.definition for each in found.listed):
        return _failing_itself(piece, found, rest)
    if found.relation is Relation.FAILS and found.definition and found.definition.kind is not SymbolKind.CLASS:
        return _failing_below(piece, found, rest)
    named = [piece.named(user) for user in found.listed]
    if found.relation is Relation.REGISTERS:  # without code marks: the line need not contain `GET /shops` literally
        named = [each.replace("`", "") for each in named]
    most = _ALL_OF_KIND if found.relation in (Relation.NAMES, Relation.REGISTERS) else _NAMED
    left = found.count - len(named[:most])
    shown = ", ".join(named[:most]) or f"{left} that are not shown"
    more = f" and {left} more" if named and left else ""
    stands = f" It stands at `{_place(found)}`." if found.definition else ""
    cite = f" {piece.cite}" if piece.evidence.span else ""
    by = _BY.get(found.relation, "through")
    places = [f"{each}{_at(user, by)}" for each, user in zip(named, found.listed, strict=True)]
    # A list of all routes has no name of code, but a description.
    is_all = " " in found.name and found.relation is Relation.REGISTERS
    said = f"{'The code' if is_all else f'`{found.name}`'} {found.relation.value}"
    if found.relation is Relation.NAMES:
        folder = found.name.removesuffix("*") if found.name.endswith("/*") else ""
        written = found.name.replace("*", "\u2026")
        said = f"Named `{written}` are" if "*" in found.name else f"What `{written}` takes is made by"
        said = f"In `{folder}` are" if folder else said
    sentence = f"{said} {shown}{more}.{stands}{cite}"
    return [sentence, bullets([*places, *rest]) if places else ""]


def _failing_itself(piece: Piece, found: UserList, rest: list[str]) -> list[str]:
    """List the errors that a function raises itself: each once, then line by line."""
    raised = ", ".join(dict.fromkeys(f"`{user.through}`" for user in found.listed))
    more = " and more" if found.count > len(found.listed) else ""
    cite = piece.mention_cite(found.definition) if found.definition in piece.evidence.mentions else piece.cite
    places = [f"`{user.through}`, at `{user.place}`" for user in found.listed]
    return [f"`{found.name}` raises {raised}{more}. It stands at `{_place(found)}`. {cite}", bullets([*places, *rest])]


def _failing_below(piece: Piece, found: UserList, rest: list[str]) -> list[str]:
    """List the errors that the callees of a function may raise, if it raises none itself."""
    raised = ", ".join(dict.fromkeys(f"`{user.through}`" for user in found.listed))
    mentioned = found.definition and found.definition in piece.evidence.mentions
    cite = piece.mention_cite(found.definition) if mentioned and found.definition else piece.cite
    places = [f"`{user.through}`, in {piece.named(user)}, at `{user.place}`" for user in found.listed]
    said = f"`{found.name}` raises nothing itself, but what it calls may raise {raised}."
    return [f"{said} It stands at `{_place(found)}`. {cite}", bullets([*places, *rest])]


def _rest(found: UserList) -> list[str]:
    """Return the items after the listed entries: uncertain ones, counts of unlisted ones, and notes."""
    left = found.count - len(found.listed)
    maybe = [
        f"maybe also `{each.name}`{_at(each, '')}: what has the name there is not resolved" for each in found.unsure
    ]
    counted = ((left, "more"), (found.in_tests, "in tests"))
    told = [f"and {number} {what}" for number, what in counted if number]
    named = [f"`{each.name}`{_at(each, '')}, is named after it" for each in found.named_after] if found.count else []
    return [*(maybe if found.count else []), *named, *told, *found.notes]


def _place(found: UserList) -> str:
    return f"{found.definition.path}:{found.definition.start_line}" if found.definition else ""


def _at(user: User, by: str) -> str:
    others = f", or {'another' if user.others == 1 else f'{user.others} others'} of that name" if user.others else ""
    through = f", {by} `{user.through}`" if user.through else ""
    at = f", at `{user.place}`" if user.place and str(user.place) != user.name else ""
    return f"{others}{at}{through}"


def _nobody(piece: Piece, found: UserList, rest: list[str]) -> str:
    """Say that the list is empty, and name possible entries."""
    cite = piece.mention_cite(piece.evidence.mentions[0]) if piece.evidence.mentions else ""
    aside = "".join(f", {each.removeprefix('and ')} aside" for each in rest)
    at = f" at `{_place(found)}`" if found.definition else ""
    if found.relation in _OF_ITSELF:
        return f"`{found.name}`{at} {_OF_ITSELF[found.relation]}. {cite or piece.cite}"
    likely = "; ".join(f"{piece.named(each)}{_at(each, '')}" for each in (*found.unsure, *found.named_after))
    if found.unsure:
        return (
            f"The name of `{found.name}`{at} stands in {likely}; what it means there was not resolved. {cite}".rstrip()
        )
    if likely:
        named = f"By their names these tests are about {f'`{found.name}`{at}' if found.definition else 'it'}: {likely}."
        return f"{named} {cite or piece.cite}"
    return f"`{found.name}`{at} {found.relation.value} nothing that the index knows of{aside}. {cite}".rstrip()
