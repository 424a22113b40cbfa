"""The two things whose difference is asked for, among the definitions that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    return min(pairs, key=_apart, default=())


def _apart(pair: tuple[Piece, Piece]) -> tuple[int, bool]:
    """Return less for two definitions that do not only show use, and less for two of one class or file."""
    symbols = [each.evidence.symbol for each in pair if each.evidence.symbol]
    owners = {(each.path, each.qualified_name.rpartition(".")[0]) for each in symbols}
    return sum(is_aside(each.path) for each in symbols), len(owners) > 1


def _is_called(piece: Piece, name: str) -> bool:
    """Tell whether a definition bears a name, which may be dotted; case and underscores around it do not count."""
    symbol = piece.evidence.symbol
    if symbol is None:
        return False
    owner, _, last = name.rpartition(".")
    around = symbol.qualified_name.casefold().split(".")[:-1]
    # `web.Response` may name the module before it, `Request.meta` names the class.
    return symbol.name.strip("_").casefold() == last and (not owner or not around or owner.rpartition(".")[2] in around)
