"""The section about who has to do with something: calls, extends, tests, changes it, or is called by it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.using import HEAD
from orchestrator.domain.writing.markdown import bullets

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_LISTS = 3
_ASKS_TO_ADD = re.compile(
    r"\bhow (?:do|can|should|would|could) \w+ (?:add|write|create|implement|make|build|define|plug in|provide)\b",
    re.IGNORECASE,
)
_OF_ITSELF = {"requires": "requires no package to run", "can fail in": "raises nothing itself; what it calls may"}
"""How it is said that a list is empty, where that is about the thing alone."""
_NAMED = 3
_USER = re.compile(
    r"- (\S+) \((.+):(\d+)\)(?: at (?:line (\d+)|(\S+:\d+)))?(?: or (\d+) others of that name)?(?: through (\S+))?"
)
_NAMING = re.compile(r"\? (\S+) \((.+):(\d+)\) at line (\d+) (has the name, of what is not resolved|is named after it)")
"""How the retriever writes who uses something, and who may; folders may be called "(main)"."""


def users(material: Material) -> list[str]:
    """Say who has to do with what the question names, in the way it asks for, each with its place."""
    told = [line for piece in material.users[:_LISTS] for line in _told(piece)]
    is_pattern = told and _ASKS_TO_ADD.search(material.question)
    return [f"What is there shows how one more is made: {told[0]}", *told[1:]] if is_pattern else told


def _told(piece: Piece) -> list[str]:
    first, *listed = piece.evidence.text.splitlines()
    head = HEAD.fullmatch(first)
    if not head:
        return []
    name, place, relation, count = head.groups()
    items = [match for match in map(_USER.fullmatch, listed) if match]
    rest = [each for each in listed if not each.startswith(("- ", "? "))]
    cites = {(each.path, each.start_line): piece.mention_cite(each) for each in piece.evidence.mentions}
    if not items:
        return [_nobody(piece, head, listed, rest), bullets(rest) if relation in _OF_ITSELF and rest else ""]
    named = [f"`{item[1]}` {cites.get((item[2], int(item[3])), '')}".rstrip() for item in items]
    more = f" and {int(count) - _NAMED} more" if int(count) > _NAMED else ""
    stands = f" It stands at `{place}`." if place else ""
    cite = f" {piece.cite}" if piece.evidence.span else ""
    sentence = f"`{name}` {relation} {', '.join(named[:_NAMED])}{more}.{stands}{cite}"
    by = "raising" if relation == "can fail in" else "through"
    places = [f"{each}{_at(item, by)}" for each, item in zip(named, items, strict=True)]
    return [sentence, bullets([*places, *rest])]


def _at(item: re.Match[str], by: str) -> str:
    line = f":{item[4]}" if item[4] else ""
    others = f", or {item[6]} others of that name" if item[6] else ""
    through = f", {by} `{item[7]}`" if item[7] else ""
    return f"{others}, at `{item[5] or item[2] + line}`{through}"


def _nobody(piece: Piece, head: re.Match[str], listed: list[str], rest: list[str]) -> str:
    """Say that nobody is known, and who may be."""
    name, place, relation, _ = head.groups()
    cites = {(each.path, each.start_line): piece.mention_cite(each) for each in piece.evidence.mentions}
    cite = piece.mention_cite(piece.evidence.mentions[0]) if piece.evidence.mentions else ""
    aside = "".join(f", {each.removeprefix('and ')} aside" for each in rest)
    at = f" at `{place}`" if place else ""
    if relation in _OF_ITSELF:
        return f"`{name}`{at} {_OF_ITSELF[relation]}. {cite or piece.cite}"
    none = f"`{name}`{at} {relation} nothing that the index knows of{aside}. {cite}".rstrip()
    unsure = [match for match in map(_NAMING.fullmatch, listed) if match]
    places = [f"`{each[1]}` {cites.get((each[2], int(each[3])), '')}, at `{each[2]}:{each[4]}`" for each in unsure]
    if not places:
        return none
    is_named_after = unsure[0][5] == "is named after it"
    said = "Named after it are" if is_named_after else "What could not be resolved has its name in"
    return f"{none} {said} {'; '.join(places)}."
