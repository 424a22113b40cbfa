"""The sections about values: settings, options, environment variables and routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind
from common.core.contract.understanding import MentionKind, Relation, SlotKind
from common.core.words.terms import count_terms
from orchestrator.domain.answers.confidence import high, low, medium
from orchestrator.domain.evidence.names import is_called
from orchestrator.domain.writing import excerpts
from orchestrator.domain.writing.markdown import bullets, code, quote
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import Route, Setting, Span
    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.answers.confidence import Support
    from orchestrator.domain.evidence.piece import User
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_QUOTED = 14
"""Most lines of a piece that is quoted as a whole."""
_NAMED, _SEVERAL, _OPTIONS = 5, 2, 12
_ALIKE = 0.5
"""Least share of the question's words for a setting that the names of the found settings must have."""
_NAMING = (MentionKind.SETTING, MentionKind.SYMBOL, MentionKind.MESSAGE)
"""Kinds of mentions that may name a setting; a name with blanks is in quotation marks, like a message."""
_VARIABLES = ("environment variable", "environment variables")


def settings(material: Material, part: QuestionPart) -> Section | None:
    """Say where the requested setting gets its value, and quote the line; None if its name shares too few words."""
    asked = {
        term for text in part.texts(SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER) for term in count_terms(text)
    }
    said = [each.evidence.setting.dotted for each in material.settings if each.evidence.setting]
    is_alike = not asked or len(asked & count_terms(" ".join(said)).keys()) >= _ALIKE * len(asked)
    return _given(material, part, material.settings) if is_alike else None


def _given(material: Material, part: QuestionPart, shown: Sequence[Piece]) -> Section | None:
    found = [each for each in shown if each.evidence.based_on(BasisKind.ENVIRONMENT) is None]
    given = [(each, each.evidence.setting) for each in found]
    told = [_told(piece, setting) for piece, setting in given if setting]
    if not told:
        return None
    first = found[0].evidence.setting
    assert first is not None, "what tells no setting was left out"
    # If the value is a constant, another line may give the constant's value.
    values = (setting.value for _, setting in given[1:] if setting and setting.name == first.value)
    if behind := next(filter(None, values), ""):
        told[0] = told[0].replace(code(first.value), f"{code(first.value)}, which is {code(behind)},", 1)
    excerpt = excerpts.whole(found[0].evidence, _QUOTED) or excerpts.around(found[0].evidence, first.line)
    more = ["Other lines that say it:", bullets(told[1:])] if told[1:] else []
    lead = _variants([(piece, setting) for piece, setting in given if setting]) or told[0]
    return Section([lead, quote(excerpt) if excerpt else "", *more], _support(material, part, found))


def _variants(settings: Sequence[tuple[Piece, Setting]]) -> str:
    """List the values of one name in several places; "" if there is one value, or the names differ."""
    places: dict[str, list[str]] = {}
    for piece, setting in settings:
        at = f"`{piece.evidence.span.path if piece.evidence.span else ''}:{setting.line}` {piece.cite}"
        places.setdefault(setting.value, []).append(at)
    name = settings[0][1].name
    if len(places) < _SEVERAL or any(setting.name != name for _, setting in settings):
        return ""
    said = "; ".join(f"{code(value)} at {', '.join(each)}" for value, each in places.items() if value)
    return f"{code(name)} has several values: {said}."


def named_settings(material: Material, part: QuestionPart) -> Section | None:
    """State the value of each setting that the question names rather than describes."""
    names = [text for text in part.texts(SlotKind.SUBJECT) if text in material.understanding.named(*MentionKind)]
    groups = [[each for each in material.settings if _is_of(each, name)] for name in dict.fromkeys(names)]
    found = [section for group in groups if group and (section := _given(material, part, group))]
    likely = [each for each in found if each.support.is_likely]
    if not likely:
        return None
    told = [line for each in likely for line in each.paragraphs]
    return Section(told, min((each.support for each in likely), key=lambda each: each.level.value))


def _is_of(piece: Piece, name: str) -> bool:
    setting = piece.evidence.setting
    return setting is not None and any(is_called(each, name) for each in (setting.dotted, *setting.words))


def _support(material: Material, part: QuestionPart, found: list[Piece]) -> Support:
    settings_found = [each.evidence.setting for each in found if each.evidence.setting]
    first = settings_found[0]
    named = material.understanding.named(*_NAMING)
    values = {each.value for each in settings_found}
    if any(is_called(told, each) for each in named for told in (first.dotted, first.name)):
        if not first.value:
            return medium("the line is there, but its value is longer than a line")
        return high("the line names the setting") if len(values) == 1 else medium("several lines give it other values")
    asked = {term for text in part.texts(SlotKind.SUBJECT, SlotKind.OWNER) for term in count_terms(text)}
    if asked and asked <= count_terms(first.dotted).keys() and len(values) == 1:
        return medium("the setting was found by words of its name; the question does not name it")
    return low("the question describes a setting, and another may be meant; name it as the code does", 1.0)


def _told(piece: Piece, setting: Setting) -> str:
    span = piece.evidence.span
    at = f"at `{span.path if span else ''}:{setting.line}`. {piece.cite}"
    if not setting.is_parameter:
        return f"{code(setting.name)} {f'is set to {code(setting.value)}' if setting.value else 'is'} {at}"
    function, _, parameter = setting.name.removesuffix(")").rpartition("(")
    given = f"is {code(setting.value)} by default," if setting.value else "has no default,"
    return f"The parameter {code(parameter)} of {code(function)} {given} {at}"


def options(material: Material, part: QuestionPart) -> Section | None:
    """List the options of a named function or class with their defaults; the first may be the one that is described."""
    if not any(slot.value == "option" for slot in part.slots):
        return None
    lists = [(each, each.evidence.users) for each in material.lists]
    held = [(each, users) for each, users in lists if users and users.relation is Relation.HOLDS and users.definition]
    if not held:
        return None
    piece, found = held[0]
    owner, cite = code(found.name), piece.mention_cite(found.definition) if found.definition else piece.cite
    names = ", ".join(code(each.name) for each in found.listed[:_OPTIONS])
    more = f" and {found.count - _OPTIONS} more" if found.count > _OPTIONS else ""
    rows = [f"{code(each.name)}, at `{each.place}`{_default(each)}" for each in found.listed]
    taken = f"{owner} takes {names}{more}. {cite}"
    if piece.evidence.described:
        first = found.listed[0]
        said = (
            f"{code(first.name)} of {owner} is most likely what does this, at `{first.place}`{_default(first)}. {cite}"
        )
        told = medium("the option was found by words of its name and documentation; check it in the code")
        return Section([said, taken, bullets(rows)], told)
    if found.notes:
        nothing = f"No option of {owner} that the index lists has a word of what is asked for in its name. {taken}"
        return Section([nothing, bullets(rows)], low("no option of it is called like what is asked for", 1.0))
    if part.texts(SlotKind.OBJECT, SlotKind.VERB, SlotKind.CONDITION) or any(each.symbol for each in found.listed):
        return Section(
            [taken, bullets(rows)], medium("the options are listed; what each does, and its default, has to be read")
        )
    return Section([taken, bullets(rows)], high("the index lists them, each with its place"))


def _default(option: User) -> str:
    if option.symbol is None:
        return f", {code(option.through)} by default" if option.through else ", without a default"
    return f": {option.through}" if option.through else ""


def environment(material: Material, _: QuestionPart) -> Section | None:
    """List the environment variables, or system properties, that the code reads, each with place and default."""
    bases = [(each, each.evidence.setting, each.evidence.based_on(BasisKind.ENVIRONMENT)) for each in material.settings]
    read = [(piece, setting, basis) for piece, setting, basis in bases if setting and basis]
    if not read:
        return None
    named = [(piece, setting) for piece, setting, basis in read if basis.name]
    made = [_variable(piece, setting) for piece, setting, basis in read if not basis.name]
    by_name = f"By a name that the code makes, or is handed, is read: {'; '.join(made)}." if made else ""
    if not named:
        return Section([by_name], medium("the names are made at run time"))
    left = sum(basis.further for _, _, basis in read)
    count = max(0, len(named) - _NAMED) + left
    first = ", ".join(f"{code(setting.name)} {piece.cite}" for piece, setting in named[:_NAMED])
    # A shell cannot set a variable with a dot in its name.
    is_property = all("." in setting.name for _, setting in named)
    one, several = ("system property", "system properties") if is_property else _VARIABLES
    noun = one if len(named) + left == 1 else several
    more = f" and {count} more" if count else ""
    told = [*(_variable(piece, setting) for piece, setting in named), *([f"and {left} more"] if left else [])]
    said = f"The code reads the {noun} {first}{more}."
    return Section([said, bullets(told), by_name], high("the index lists the reads, each with its place"))


def _variable(piece: Piece, setting: Setting) -> str:
    span = piece.evidence.span
    default = f", {code(setting.value)} where it is not set" if setting.value else ""
    return f"{code(setting.name)} {piece.cite}, at `{span.path if span else ''}:{setting.line}`{default}"


def routes(material: Material, _: QuestionPart) -> Section | None:
    """Name the handler of the requested route, and quote its registration."""
    lines: list[str] = []
    found = [(each, route) for each in material.routes if (route := each.evidence.route)]
    for piece, route in found:
        registrar = _registrar(material, piece, route)
        asked, own = " ".join(route.words), f"{route.method} {route.path}".strip()
        known_as = f" as {code(own)}" if own.strip("/") != asked.strip("/") else ""
        at = f" at `{route.registered}`" if registrar else ""
        how = f", registered{known_as}{at}" if known_as or at else ""
        subject = code(asked) if route.exact else f"No route that was found is all of {code(asked)}; the nearest one"
        lines.append(f"{subject} is handled by {piece.name}, at {piece.declared}{how}. {piece.cite}")
        lines.append(f"{piece.name}: {piece.summary} {piece.cite}" if piece.summary else "")
        excerpt = excerpts.whole(registrar.evidence, _QUOTED) if registrar else None
        lines += [f"Where it is registered: {registrar.cite}", quote(excerpt)] if excerpt and registrar else []
    if not found:
        return None
    is_exact = found[0][1].exact and len(found) == 1
    return Section(
        lines, high("the route is registered by this path") if is_exact else medium("the path is not the same")
    )


def _registrar(material: Material, piece: Piece, route: Route) -> Piece | None:
    """Return the piece that shows the registration of a route; None if the handler's piece shows it."""
    line, span = route.registered, piece.evidence.span
    if line is None or (span and _has(span, line)):
        return None
    shown = (each for each in material.pieces if each.evidence.symbol is None and each.evidence.span)
    return next((each for each in shown if each.evidence.span and _has(each.evidence.span, line)), None)


def _has(span: Span, line: Span) -> bool:
    return span.path == line.path and span.start_line <= line.start_line <= span.end_line
