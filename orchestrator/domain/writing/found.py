"""The sections about what the index knows the question to mean without a symbol's name: routes and settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.terms import count_terms, split_identifier, stem, words
from orchestrator.domain.evidence import EvidenceKind
from orchestrator.domain.writing import sections, source_text
from orchestrator.domain.writing.environment import is_of_environment
from orchestrator.domain.writing.markdown import bullets, code, quote
from orchestrator.domain.writing.statements import (
    asks_for_place,
    asks_for_value,
    asks_how_often,
    headed_by,
    says_default,
)
from orchestrator.domain.writing.verdicts import by_default

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Route, Span
    from orchestrator.domain.evidence_data import Setting
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import GivenSetting, Piece

_QUOTED = 14
"""Lines that are few enough to be quoted as a whole."""
_NOT_LETTERS = re.compile(r"[\W_]")
_TELLING = 6
"""Letters of a name that do not stand in a question by chance."""
_SOME = 3
"""Words of a name that stand in a question in their order by no chance."""
_SAYS_IT = 0.9
"""Score from which on a page says it as well as the line itself."""


def routes(material: Material) -> list[str]:
    """Say what handles the route that is asked for, and show where it is registered."""
    lines: list[str] = []
    for piece in material.routes:
        route = piece.evidence.route
        if route is None:
            continue
        registrar = _registrar(material, piece, route)
        asked, own = " ".join(route.words), f"{route.method} {route.path}".strip()
        known_as = f" as {code(own)}" if own.strip("/") != asked.strip("/") else ""
        at = f" at `{route.registered}`" if registrar else ""
        how = f", registered{known_as}{at}" if known_as or at else ""
        subject = code(asked) if route.exact else f"No route that was found is all of {code(asked)}; the nearest one"
        lines.append(f"{subject} is handled by {piece.name} ({piece.place}){how}. {piece.cite}")
        lines.append(f"{piece.name} — {piece.summary} {piece.cite}" if piece.summary else "")
        excerpt = source_text.whole(registrar.evidence, _QUOTED) if registrar else None
        lines += [f"Where it is registered: {registrar.cite}", quote(excerpt)] if excerpt and registrar else []
    return lines


def settings(material: Material) -> list[str]:
    """Say what gives the setting that is asked for its value, and quote the lines."""
    if not material.settings or any(is_of_environment(each.piece) for each in material.settings):
        return []
    said, *others = [
        f"{code(each.setting.name)} {_given(each.setting)} at `{each.span.path}:{each.setting.line}`. {each.piece.cite}"
        for each in material.settings
    ]
    first = material.settings[0].setting
    # What a constant stands for is the value that was asked for.
    values = (each.setting.value for each in material.settings[1:] if each.setting.name == first.value)
    if behind := next(filter(None, values), ""):
        said = said.replace(code(first.value), f"{code(first.value)}, which is {code(behind)},", 1)
    excerpts = (source_text.whole(each.piece.evidence, _QUOTED) for each in material.settings)
    excerpt = next(filter(None, excerpts), None)
    more = ["Other lines that say it:", bullets(others)] if others else []
    return [by_default(material.question, first) + said, *([quote(excerpt)] if excerpt else []), *more]


def _given(setting: Setting) -> str:
    """Say what a line gives a setting, or a parameter where nobody gives it another."""
    if setting.is_parameter:
        return (f"is {code(setting.value)} by default" if setting.value else "has no default") + ": it is declared"
    return f"is set to {code(setting.value)}" if setting.value else "stands"


def settings_first(material: Material) -> list[str]:
    """Say so first of all where the question is what or where the value is."""
    return settings(material) if _asks_for_setting(material) else []


def definition(material: Material) -> list[str]:
    """Say what the subject is, unless it is a route, or a setting of which nothing else speaks."""
    return [] if material.routes or _says_all(material) else sections.definition(material)


def core_lines(material: Material) -> list[str]:
    """Quote the lines of the subject, under the same condition but for those of a handler."""
    return [] if _says_all(material) else sections.core_lines(material)


def _says_all(material: Material) -> bool:
    """Tell whether nothing else speaks of the setting that is asked for."""
    return bool(material.settings) and material.lead is None and _asks_for_setting(material)


def _asks_for_setting(material: Material) -> bool:
    """
    Tell whether the setting leads.

    It does where its value or place is asked for, where its name is said in full or meant, or comments above it say
    what it is.
    """
    if any(word in material.meant for each in material.settings for word in each.setting.words):
        return True
    named = [each for each in material.settings if _is_named(each.setting)]
    said = [each for each in material.settings if _is_said(each.setting, material)]
    explained = any(each.span.start_line < each.setting.line for each in named)
    is_asked = bool(said) or asks_for_value(material.question) or asks_for_place(material.question) or explained
    lead = material.lead
    if lead is None or not is_asked or (said and not _is_default(said[0]) and says_default(material.question, lead)):
        return is_asked and lead is None
    if lead.piece.evidence.kind is not EvidenceKind.DOC or asks_how_often(material.question):
        return True
    # A page about the very setting says what it is for, and its default; one about what has it need not.
    title = lead.piece.evidence.title
    words = {term for each in named for term in count_terms(each.setting.words[0].rpartition(".")[2])}
    is_headed = headed_by(material.question, material.weights, title) > 0.0
    is_about = is_headed and (not words or not words.isdisjoint(count_terms(title)))
    return not (is_about or (lead.score > _SAYS_IT and not (named or said)))


def _is_default(given: GivenSetting) -> bool:
    """Tell a line that says of itself that it is the default: a parameter's, or by its name, comments or place."""
    told = f"{given.setting.name} {given.span.path} {given.piece.evidence.text}".casefold()
    return given.setting.is_parameter or "default" in told


def _is_named(setting: Setting) -> bool:
    """Tell a setting that the question names from one that it only describes."""
    return len(setting.words) == 1 and setting.words[0].rpartition(".")[2] in setting.name


def _is_said(setting: Setting, material: Material) -> bool:
    """
    Tell a setting of whose name the question says each word, "default" aside.

    They stand one after the other, or, where they are some, at least in their order: "requests there are per domain".
    """
    own = setting.dotted.rpartition(".")[2]
    name = _NOT_LETTERS.sub("", own).casefold().removeprefix("default")
    if len(name) >= _TELLING and name in _NOT_LETTERS.sub("", material.question).casefold():
        return True
    parts = [stem(each.casefold()) for each in split_identifier(own) if each.casefold() != "default"]
    said = iter([stem(each.casefold()) for word in words(material.question) for each in split_identifier(word)])
    return len(parts) >= _SOME and all(part in said for part in parts)


def _registrar(material: Material, piece: Piece, route: Route) -> Piece | None:
    """Return the piece that shows where a route is registered; None where its handler does."""
    line, span = route.registered, piece.evidence.span
    if line is None or (span and _holds(span, line)):
        return None
    shown = (each for each in material.pieces if each.evidence.symbol is None and each.evidence.span)
    return next((each for each in shown if each.evidence.span and _holds(each.evidence.span, line)), None)


def _holds(span: Span, line: Span) -> bool:
    return span.path == line.path and span.start_line <= line.start_line <= span.end_line
