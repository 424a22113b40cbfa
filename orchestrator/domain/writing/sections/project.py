"""The sections about the project itself: its purpose, where to start reading, its commands, and its parts."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind
from common.core.contract.understanding import Intent, Relation, SlotKind
from common.core.words.terms import count_terms
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.answers.confidence import high, low, medium
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.markdown import bullets, code
from orchestrator.domain.writing.section import Section
from orchestrator.domain.writing.sections.measures import between

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.answers.confidence import Support
    from orchestrator.domain.evidence.piece import User, UserList
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_SENTENCES, _CHARS = 3, 480
_PAGES = 2
_SIDES = 2
_NAMED, _PACKAGES = 6, 12
_PROJECT = "the project"
"""The retriever's name for lists of the project as a whole."""
_MAIN = "main"
_ALONE = "one test"
"""The retriever's name for the list of commands that run one test."""
_EXECUTABLES = "executables"
"""The retriever's name for the list of executables that an installation brings."""
_WITH = " (with `{}`)"
_BROUGHT: Mapping[str, str] = MappingProxyType({"optional": "", "optional peer": " (brought by what uses the project)"})
"""What to say of optional packages that are in no named extra or feature, by the retriever's group."""
_PURPOSES: Mapping[str, str] = MappingProxyType(
    {
        "test": "To run the tests",
        "build": "To build the project",
        "run": "To run the project",
        "install": "To install the project",
        "lint": "To lint the code",
        _ALONE: "To run one test alone",
        _EXECUTABLES: "Executables that it is installed with",
        _PROJECT: "Commands that the project declares",
    }
)
"""Beginning of the sentence about commands, by purpose; other purposes begin with the name of the list."""


def overview(material: Material, part: QuestionPart) -> Section | None:
    """Quote the first sentences of the pages that say what the project is, or how to work with it."""
    told: list[str] = []
    pages = [each for each in material.pieces if each.evidence.based_on(BasisKind.OVERVIEW)]
    if part.intent is Intent.MEANING:
        pages = [each for each in pages if each.evidence.described in part.texts(SlotKind.SUBJECT)]
    for piece in pages:
        said = prose.opening_sentences(prose.plain(piece.evidence.text), _SENTENCES, _CHARS)
        if not count_terms(said).keys() <= count_terms(" ".join(told)).keys():
            told.append(f"{prose.unlabelled(said)} {piece.cite}")
    if not told:
        return None
    if part.intent is Intent.RUN:
        return Section(told[:_PAGES], medium("no command for it is declared; read the pages for the rest"))
    both = "README and manifest say what the project is"
    support = high(both) if len(pages) > 1 else medium("one page of the project says what it is; read it for the rest")
    return Section(told[:_PAGES], support)


def beginnings(material: Material, _: QuestionPart) -> Section | None:
    """Say what to read first and in which order to continue, each with the reason or its own documentation."""
    found = _lists(material, Relation.BEGINS)
    if not found:
        return None
    piece, listed = found[0]
    first, *others = listed.listed
    then = ", ".join(piece.named(each) for each in others[:_NAMED])
    then = f" Then read, in this order: {then}." if then else ""
    about = piece.described(first)
    support = medium("the manifest, the README and the uses between files say so; which is best to read nobody does")
    said = f"Start with {about}.{then}"
    if listed.name != _PROJECT:
        said, support = _of_topic(listed, first, about, then)
    return Section([said, bullets([*(piece.described(each) for each in listed.listed), *listed.notes])], support)


def _of_topic(listed: UserList, first: User, about: str, then: str) -> tuple[str, Support]:
    topic = prose.unlabelled(listed.name)
    told = count_terms(f"{first.name} {first.through} {first.place.path if first.place else ''}").keys()
    if first.name == _MAIN:
        said = f"The program begins at {about}; “{topic}” is reached from there.{then}"
        return said, medium("every way through a program begins there; the others are what it calls")
    if listed.definition is None and told.isdisjoint(count_terms(listed.name)):
        said = f"No definition that was found is sure to be where “{topic}” begins; the nearest is {about}.{then}"
        return said, low("the first definition has nothing of the topic in its name or documentation")
    sure = medium("the first definition was found by name and documentation, the others are what it calls")
    return f"For “{topic}”, start with {about}.{then}", sure


def commands(material: Material, _: QuestionPart) -> Section | None:
    """List the commands for a purpose, with the lines that declare them."""
    found = _lists(material, Relation.COMMANDS)
    if not found:
        return None
    leads: list[str] = []
    rows: list[str] = []
    for _piece, listed in found:
        shown = ", ".join(code(each.name) for each in listed.listed[:_NAMED])
        left = listed.count - len(listed.listed[:_NAMED])
        said = _PURPOSES.get(listed.name) or f"To {prose.unlabelled(listed.name)}"
        notes = "; ".join(listed.notes)
        noted = f"{notes[:1].upper()}{notes[1:]}." if notes else ""
        listing = f"{said}: {shown}{f' and {left} more' if left else ''}." if shown else ""
        both = (listing, noted) if listed.name == _EXECUTABLES else (noted, listing)
        leads += [" ".join(filter(None, both))] if shown or notes else []
        rows += [f"{code(each.name)}: {_declared(each)}" for each in listed.listed]
    if not leads:
        return None
    told = [*leads, bullets(list(dict.fromkeys(rows))) if rows else ""]
    asked = [listed for _, listed in found if listed.name != _ALONE]
    first = [each.place.start_line for listed in asked for each in listed.listed[:1] if each.place]
    slots = " ".join(text for part in material.understanding.parts for text in part.texts(*SlotKind))
    if any(each.text not in slots for each in material.understanding.mentions):
        return Section(told, medium("the question names more than what is run; check that this is what it asks"))
    if all(listed.notes for listed in asked):
        return Section(told, low("no command is declared for what the question names, or it asks for something else"))
    if all(first) and not any(listed.notes for listed in asked):
        return Section(told, high("files of the project declare or show these commands; none was tried"))
    return Section(told, medium("files of the project imply these commands, or others are meant; none was tried"))


def _declared(user: User) -> str:
    does = f" ({prose.unlabelled(user.through)})" if user.through else ""
    if user.place is None or not user.place.start_line:
        return f"usual where there is a `{user.place.path if user.place else ''}`{does}"
    # Not in code marks: a line that implies a command need not contain it.
    return f"{user.place.path}, line {user.place.start_line}{does}"


def places(material: Material, part: QuestionPart) -> Section | None:
    """
    Describe one or two folders or files: their documentation, and their parts, each with its documentation.

    For the project as a whole, its purpose comes first.
    """
    found = [each for each in _lists(material, Relation.HOLDS) if not _defines(each[1])]
    is_comparison = part.intent is Intent.COMPARISON
    if not found or (is_comparison and len(found) < _SIDES):
        return None
    what = overview(material, part) if part.intent is Intent.MODULES else None
    told = [*(what.paragraphs[:1] if what else ()), *(_holding(piece, listed) for piece, listed in found)]
    numbers = between(material, part) if is_comparison else None
    told += numbers.paragraphs[:1] if numbers else []
    for piece, listed in found:
        left = listed.count - len(listed.listed)
        parts = [piece.described(each, listed.name) for each in listed.listed]
        told.append(bullets([*parts, *([f"and {left} more"] if left else [])]))
    return Section(told, _support(material, part, is_comparison=is_comparison))


def _defines(listed: UserList) -> bool:
    """Return whether a list has the members of a class rather than the parts of a folder or file."""
    return listed.definition is not None and listed.definition.qualified_name != ""


def _support(material: Material, part: QuestionPart, *, is_comparison: bool) -> Support:
    if is_comparison:
        return medium("what both hold is listed, and how they use each other; the rest of the difference is to be read")
    if part.intent is Intent.MODULES:
        return medium("the parts are listed by their size; which of them matter most the code does not say")
    is_told = any(listed.notes for _, listed in _lists(material, Relation.HOLDS)) and not _has_numbers(material, part)
    is_more = len(material.understanding.parts) == 1 and _says_more(material, part)
    if is_more and not is_told:
        return medium("the question says more than which place it asks for, and the list answers that alone")
    return high("the index lists them, each with its place")


def _says_more(material: Material, part: QuestionPart) -> bool:
    """Return whether the question has terms that no slot has, and so asks for more than a place."""
    return not count_terms(material.question).keys() <= count_terms(" ".join(part.texts(*SlotKind))).keys()


def _has_numbers(material: Material, part: QuestionPart) -> bool:
    """Return whether a question has a number that no slot has: "line 42 of that file"."""
    told = " ".join(part.texts(*SlotKind)).split()
    return any(any(map(str.isdigit, word)) for word in material.question.split() if word not in told)


def _holding(piece: Piece, listed: UserList) -> str:
    name = "The project" if listed.name == _PROJECT else f"`{listed.name}`"
    notes = "; ".join(prose.without_markup(each) for each in listed.notes)
    said = f"{name}: {notes.rstrip('.')}. It" if notes else name
    cite = f" {piece.cite}" if piece.evidence.span else ""
    shown = ", ".join(piece.named(each, listed.name) for each in listed.listed[:_NAMED])
    left = listed.count - len(listed.listed[:_NAMED])
    return f"{said} holds {shown}{f' and {left} more' if left else ''}.{cite}"


def together(material: Material, _: QuestionPart) -> Section | None:
    """Say which files commits changed together with a given file, most often first."""
    found = _lists(material, Relation.CHANGES)
    if not found:
        return None
    piece, listed = found[0]
    if not listed.listed:
        why = listed.notes[0] if listed.notes else "no two commits of the history changed it with another file"
        said = f"What changes together with `{listed.name}` cannot be told: {why}."
        return Section([said], medium("the index holds no commits that answer this"))
    shown = ", ".join(f"{piece.named(each)} ({each.through})" for each in listed.listed[:_NAMED])
    rows = [f"{piece.named(each)}: {each.through}" for each in listed.listed]
    support = high("the commits of the history were counted")
    return Section([f"`{listed.name}` most often changes together with {shown}.", bullets(rows)], support)


def requirements(material: Material, part: QuestionPart) -> Section | None:
    """List the required and optional packages of each manifest, or the required version of the platform."""
    is_of_runtime = any(slot.value == "runtime" for slot in part.slots)
    lists = _lists(material, Relation.REQUIRES)
    of_runtime = [_runtime(*each) for each in lists if each[1].name == _PROJECT][:1]
    if is_of_runtime:
        return next(iter(of_runtime), None)
    told = [line for piece, listed in lists if listed.name != _PROJECT for line in _packages(piece, listed)]
    if not told:
        return None
    told += [line for each in of_runtime for line in each.paragraphs if each.support.level is Confidence.HIGH]
    return Section(told, high("the manifests list them, each with its line"))


def _runtime(piece: Piece, listed: UserList) -> Section:
    if not listed.listed:
        said = "No manifest that is indexed says which version of a language or platform is needed."
        return Section([said], medium("pages of the project may say it; no manifest does"))
    shown = ", ".join(
        f"{prose.unlabelled(each.name[:1].upper() + each.name[1:])} (`{each.place}`)" for each in listed.listed
    )
    return Section([f"The project needs {shown}. {piece.cite}"], high("the manifest says so"))


def _packages(piece: Piece, listed: UserList) -> list[str]:
    groups: dict[str, list[User]] = {"": []}
    for each in listed.listed:
        groups.setdefault(each.through, []).append(each)
    needed = groups.pop("")
    many = f"{len(needed)} package{'s' * (len(needed) > 1)}: {_named(needed)}" if needed else "no package to run"
    told = [f"`{listed.name}` requires {many}."]
    optional = [
        f"{_named(users)}{_BROUGHT.get(group, _WITH.format(group.removeprefix('optional ')))}"
        for group, users in groups.items()
    ]
    told += [f"Optional: {'; '.join(optional)}."] if optional else []
    left = listed.count - len(listed.listed)
    rows = [f"{prose.unlabelled(each.name)}, at `{each.place}`" for each in listed.listed]
    rows += [*([f"and {left} more"] if left else []), *listed.notes]
    return [f"{' '.join(told)} {piece.cite}", bullets(rows) if rows else ""]


def _named(users: Sequence[User]) -> str:
    left = len(users) - _PACKAGES
    more = [f"and {left} more"] if left > 0 else []
    return ", ".join([*(prose.unlabelled(each.name) for each in users[:_PACKAGES]), *more])


def _lists(material: Material, relation: Relation) -> list[tuple[Piece, UserList]]:
    found = [(each, each.evidence.users) for each in material.lists]
    is_told = relation in (Relation.CHANGES, Relation.REQUIRES, Relation.COMMANDS)
    return [
        (piece, users) for piece, users in found if users and users.relation is relation and (users.listed or is_told)
    ]
