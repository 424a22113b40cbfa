"""The section about the variables of the environment that code reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.writing.markdown import bullets, code

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_READS = re.compile(
    r"reads (?:\w+|(?P<made>a name that is made there)) from the environment(?:, as (?P<left>\d+) more are)?"
)
"""How the retriever says so, and of how many more it knows."""
_NAMED = 5


def is_of_environment(piece: Piece) -> bool:
    """Tell a line that reads a variable of the environment."""
    return _READS.fullmatch(piece.evidence.reason) is not None


def environment(material: Material) -> list[str]:
    """Say which variables are read, each with its place and what holds where nobody sets it; [] for none."""
    read = [(each, _READS.fullmatch(each.evidence.reason)) for each in material.settings]
    found = [each for each, said in read if said and not said["made"]]
    names = [f"{code(each.evidence.setting.name)} {each.cite}" for each in found if each.evidence.setting]
    made = [_told(each) for each, said in read if said and said["made"]]
    by_name = f"By a name that the code makes, or is handed, is read: {'; '.join(made)}." if made else ""
    if not names:
        return [by_name] if made else []
    left = sum(int(said["left"] or 0) for _, said in read if said)
    count = max(0, len(names) - _NAMED) + left
    more = f" and {count} more" if count else ""
    told = [*map(_told, found), *([f"and {left} more"] if left else [])]
    noun = "variable" if len(names) + left == 1 else "variables"
    return [f"The code reads the environment {noun} {', '.join(names[:_NAMED])}{more}.", bullets(told), by_name]


def _told(piece: Piece) -> str:
    setting, span = piece.evidence.setting, piece.evidence.span
    if setting is None or span is None:
        return ""
    default = f", {code(setting.value)} where it is not set" if setting.value else ""
    return f"{code(setting.name)} {piece.cite}, at `{span.path}:{setting.line}`{default}"
