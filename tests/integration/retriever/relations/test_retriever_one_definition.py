"""Overloads, branches and accessors of one name: ranked and shown once, by what does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.retrieving import Stub

if TYPE_CHECKING:
    pass

_PYTHON = '''\
from typing import TYPE_CHECKING, overload


@overload
def parcel(
    weight: int,
    *,
    fragile: bool = False,
) -> int: ...
@overload
def parcel(weight: str, *, fragile: bool = False) -> str: ...
def parcel(weight, *, fragile=False):
    return weigh(weight) if weight else None


if TYPE_CHECKING:
    def stamped(letter): ...
else:
    def stamped(letter):
        letter.stamp = choose_stamp(letter)
        return letter


class Crate:
    @property
    def volume(self):
        """How much fits into the crate."""
        return self._volume

    @volume.setter
    def volume(self, litres):
        if litres < 0:
            raise ValueError("litres below zero")
        self._volume = litres
'''
_TYPESCRIPT = """\
export function address(line: number): number;
export function address(line: string): string;
export function address(line: any): any {
  if (line) {
    return normalise(line);
  }
  return null;
}
"""


FILES = {"post/parcels.py": _PYTHON, "post/address.ts": _TYPESCRIPT}


@pytest.mark.parametrize(
    ("text", "name", "lines"),
    [
        ("How is a parcel weighed?", "parcel", (12, 13)),
        ("parcel of some weight as str or int, fragile", "parcel", (12, 13)),
        ("Which letter is stamped?", "stamped", (19, 21)),
        ("What is the volume of a crate, how much fits?", "Crate.volume", (25, 28)),
        ("When is the volume of litres below zero?", "Crate.volume", (30, 34)),
        ("How is an address line normalised?", "address", (3, 8)),
        ("address line number string", "address", (3, 8)),
    ],
)
async def test_a_definition_is_ranked_and_shown_once(stub: Stub, text: str, name: str, lines: tuple[int, int]) -> None:
    """Of overloads and branches the one with a body is, of accessors the one that the words speak for."""
    ranked = await stub.Search(pb.SearchRequest(repository="shop", query=text))
    asked = question_pb2.Classification(mode=question_pb2.MODE_DIAGNOSTIC)
    found = await stub.Retrieve(pb.RetrieveRequest(repository="shop", question=text, classification=asked))

    in_ranking = [each.symbol for each in ranked.symbols if each.symbol.qualified_name == name]
    source = [each for each in found.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_SOURCE]
    in_evidence = [each.symbol for each in source if each.symbol.qualified_name == name]
    assert [(each.start_line, each.end_line) for each in in_ranking] == [lines]
    assert [(each.start_line, each.end_line) for each in in_evidence] == [lines]
