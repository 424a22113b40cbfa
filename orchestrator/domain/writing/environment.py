"""The section about the variables of the environment that code reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.writing.markdown import bullets, code

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import Piece

_READS = re.compile(r"reads \w+ from the environment")
"""How the retriever says so."""
_NAMED = 5


def is_of_environment(piece: Piece) -> bool:
    """Tell a line that reads a variable of the environment."""
    return _READS.fullmatch(piece.evidence.reason) is not None


def environment(material: Material) -> list[str]:
    """Say which variables are read, each with its place and what holds where nobody sets it; [] for none."""
    found = [each for each in material.settings if is_of_environment(each)]
    names = [f"{code(each.evidence.setting.name)} {each.cite}" for each in found if each.evidence.setting]
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    told = []
    for each in found:
        if (setting := each.evidence.setting) and (span := each.evidence.span):
            default = f", {code(setting.value)} where it is not set" if setting.value else ""
            told.append(f"{code(setting.name)} {each.cite}, at `{span.path}:{setting.line}`{default}")
    noun = "variable" if len(names) == 1 else "variables"
    return [f"The code reads the environment {noun} {', '.join(names[:_NAMED])}{more}.", bullets(told)]
