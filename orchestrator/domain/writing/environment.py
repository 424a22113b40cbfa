"""The section about the variables of the environment that code reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.basis import BasisKind
from orchestrator.domain.writing.markdown import bullets, code

if TYPE_CHECKING:
    from orchestrator.domain.writing.material import Material
    from orchestrator.domain.writing.pieces import GivenSetting, Piece

_NAMED = 5


def is_of_environment(piece: Piece) -> bool:
    """Tell a line that reads a variable of the environment."""
    return piece.evidence.based_on(BasisKind.ENVIRONMENT) is not None


def environment(material: Material) -> list[str]:
    """Say which variables are read, each with its place and what holds where nobody sets it; [] for none."""
    bases = [(each, each.piece.evidence.based_on(BasisKind.ENVIRONMENT)) for each in material.settings]
    read = [(each, basis) for each, basis in bases if basis]
    found = [each for each, basis in read if basis.name]
    names = [f"{code(each.setting.name)} {each.piece.cite}" for each in found]
    made = [_told(each) for each, basis in read if not basis.name]
    by_name = f"By a name that the code makes, or is handed, is read: {'; '.join(made)}." if made else ""
    if not names:
        return [by_name] if made else []
    left = sum(basis.further for _, basis in read)
    count = max(0, len(names) - _NAMED) + left
    more = f" and {count} more" if count else ""
    told = [*map(_told, found), *([f"and {left} more"] if left else [])]
    noun = "variable" if len(names) + left == 1 else "variables"
    return [f"The code reads the environment {noun} {', '.join(names[:_NAMED])}{more}.", bullets(told), by_name]


def _told(given: GivenSetting) -> str:
    setting = given.setting
    default = f", {code(setting.value)} where it is not set" if setting.value else ""
    return f"{code(setting.name)} {given.piece.cite}, at `{given.span.path}:{setting.line}`{default}"
