"""The two things whose difference is asked for, among the definitions that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.terms import words
from orchestrator.domain.writing.statements import is_aside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.writing.pieces import Piece


def pair_of(names: Sequence[str], definitions: Sequence[Piece]) -> tuple[Piece, ...]:
    """
    Return one definition of each of two names; () unless there are both.

    Of things called alike those are meant that stand together, and not where others show their use.
    """
    found = [[each for each in definitions if each.is_telling and _is_called(each, name)] for name in names]
    if not found or not all(found):
        return ()
    pairs = ((one, other) for one in found[0] for other in found[1] if one is not other)
    return min(pairs, key=lambda pair: _apart(names, pair), default=())


def _apart(names: Sequence[str], pair: tuple[Piece, Piece]) -> tuple[int, int, bool]:
    """
    Return less for two definitions that do not only show use, and less for two of one class or file.

    Beside a member of something that is said the other one is no member of anything: "get and Session.get".
    """
    symbols = [each.evidence.symbol for each in pair if each.evidence.symbol]
    owners = {(each.path, each.qualified_name.rpartition(".")[0]) for each in symbols}
    is_one_dotted = any("." in name for name in names)
    owned = sum(
        is_one_dotted and "." not in name and "." in each.qualified_name
        for name, each in zip(names, symbols, strict=False)
    )
    return sum(is_aside(each.path) for each in symbols), owned, len(owners) > 1


def sides(names: Sequence[str], definitions: Sequence[Piece], pages: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return for each of two names its definition, else the section that is headed so; () unless both have one."""
    found = [_side(name, definitions, pages) for name in names]
    told = tuple(each for each in found if each)
    return told if len(set(told)) == len(found) > 1 else ()


def _side(name: str, definitions: Sequence[Piece], pages: Sequence[Piece]) -> Piece | None:
    own = [each for each in definitions if each.is_telling and _is_called(each, name)]
    heads = [(each, [word.casefold() for word in words(each.evidence.title.rpartition(" > ")[2])]) for each in pages]
    headed = [(len(said), each) for each, said in heads if name.casefold() in said and each.is_citable]
    return own[0] if own else min(headed, key=lambda each: each[0])[1] if headed else None


def _is_called(piece: Piece, name: str) -> bool:
    """Tell whether a definition bears a name, which may be dotted; case and underscores around it do not count."""
    symbol = piece.evidence.symbol
    if symbol is None:
        return False
    owner, _, last = name.casefold().rpartition(".")
    around = symbol.qualified_name.casefold().split(".")[:-1]
    # `web.Response` may name the module before it, `Request.meta` names the class.
    return symbol.name.strip("_").casefold() == last and (not owner or not around or owner.rpartition(".")[2] in around)
