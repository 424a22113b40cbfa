"""The section about who uses something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.writing.markdown import bullets

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_LISTS = 3
_NAMED = 3
_HEAD = re.compile(r"(\S+) \((.+)\) is (\w+ by) (\d+)")
_USER = re.compile(r"- (\S+) \((.+):(\d+)\)(?: at line (\d+))?")
_NAMING = re.compile(r"\? (\S+) \((.+):(\d+)\) at line (\d+) has the name, of what is not resolved")
"""How the retriever writes who uses something, and who may; folders may be called "(main)"."""


def users(material: Material) -> list[str]:
    """Say who calls, extends or uses what the question asks the users of, each with its place."""
    return [line for piece in material.users[:_LISTS] for line in _told(piece)]


def _told(piece: Piece) -> list[str]:
    first, *listed = piece.evidence.text.splitlines()
    head = _HEAD.fullmatch(first)
    if not head or not piece.evidence.mentions:
        return []
    name, place, relation, count = head.groups()
    items = [match for match in map(_USER.fullmatch, listed) if match]
    rest = [each for each in listed if not each.startswith(("- ", "? "))]
    cites = {(each.path, each.start_line): piece.mention_cite(each) for each in piece.evidence.mentions}
    if not items:
        cite = piece.mention_cite(piece.evidence.mentions[0])
        aside = "".join(f", {each.removeprefix('and ')} aside" for each in rest)
        none = f"`{name}` at `{place}` is {relation} nothing that the index knows of{aside}. {cite}"
        unsure = [match for match in map(_NAMING.fullmatch, listed) if match]
        places = [f"`{each[1]}` {cites.get((each[2], int(each[3])), '')}, at `{each[2]}:{each[4]}`" for each in unsure]
        return [f"{none} What could not be resolved has its name in {'; '.join(places)}." if places else none]
    named = [f"`{item[1]}` {cites.get((item[2], int(item[3])), '')}".rstrip() for item in items]
    more = f" and {int(count) - _NAMED} more" if int(count) > _NAMED else ""
    sentence = f"`{name}` is {relation} {', '.join(named[:_NAMED])}{more}. It stands at `{place}`."
    places = [
        f"{each}, at `{item[2]}{f':{item[4]}' if item[4] else ''}`" for each, item in zip(named, items, strict=True)
    ]
    return [sentence, bullets([*places, *rest])]
