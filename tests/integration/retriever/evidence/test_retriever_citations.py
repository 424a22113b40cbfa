"""Citations in a later snapshot: the same lines, the symbol with other lines, or nothing."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from retriever.domain.evidence.piece import hash_lines
from tests.fakes.retrieving import retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_CLOSE = "def close(self):\n    pass\n"
_OTHER = "def close(self):\n    return 1\n"
_ONE, _TWO = (f"class {name}:\n{indent(_CLOSE, '    ')}" for name in ("One", "Two"))
_LINES = indent(_CLOSE, "    ")
_PROPERTY = "    @property\n    def size(self):\n        return {}\n"
_SETTER = "    @size.setter\n    def size(self, value):\n        self.{} = value\n"


async def _followed(
    data: Path, files: dict[str, str], place: tuple[str, int, int], name: str, lines: str
) -> tuple[str, str, str]:
    """Return state, place and symbol of a citation in a snapshot of some files; the hash is that of the lines."""
    builder = SnapshotBuilder()
    for path, text in files.items():
        builder.python(path, text)
    builder.publish(data, "cited")
    path, start, end = place
    citation = evidence_pb2.Citation(
        span=code_pb2.Span(path=path, start_line=start, end_line=end),
        content_hash=hash_lines(lines) if lines else "",
        symbol=code_pb2.SymbolRef(path=path, qualified_name=name),
    )
    async with retriever_over(data, embedding_provider="none") as stub:
        found = await stub.ResolveCitation(pb.ResolveCitationRequest(repository="cited", citation=citation))
    state = pb.CitationState.Name(found.state).removeprefix("CITATION_STATE_")
    span = f"{found.span.path}:{found.span.start_line}-{found.span.end_line}" if found.HasField("span") else ""
    return state, span, found.symbol.qualified_name


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.py": _ONE + _TWO}, ("SAME", "a.py:5-6", "Two.close")),
        ({"a.py": _ONE + "\n\n" + _TWO}, ("MOVED", "a.py:7-8", "Two.close")),
        ({"a.py": _TWO + "x = 1\n" + _ONE}, ("MOVED", "a.py:2-3", "Two.close")),
        ({"a.py": _ONE, "z.py": _TWO}, ("MOVED", "z.py:2-3", "Two.close")),
        ({"a.py": "class New:\n    x = 1\n\n" + _ONE}, ("SAME", "a.py:5-6", "One.close")),
        ({"a.py": "x = 1\n\n" + _ONE + "\n\n\n" + _ONE.replace("One", "Three")}, ("MOVED", "a.py:4-5", "One.close")),
        ({"b.py": "x = 1\n", "c.py": _ONE}, ("MOVED", "c.py:2-3", "One.close")),
        ({"a.py": "class Two:\n" + indent(_OTHER, "    ")}, ("CHANGED", "a.py:2-3", "Two.close")),
        ({"z.py": "class Two:\n" + indent(_OTHER, "    ")}, ("CHANGED", "z.py:2-3", "Two.close")),
        ({f"{path}.py": "class Two:\n" + indent(_OTHER, "    ") for path in "yz"}, ("GONE", "", "")),
        ({"a.py": "class One:\n" + indent(_OTHER, "    ")}, ("GONE", "", "")),
    ],
)
async def test_a_method_is_followed(tmp_path: Path, files: dict[str, str], expected: Sequence[str]) -> None:
    """The same lines of another method are what is meant only where its own are nowhere; of these the nearest."""
    assert await _followed(tmp_path, files, ("a.py", 5, 6), "Two.close", _LINES) == tuple(expected)


@pytest.mark.parametrize(("cited", "now"), [((3, 5), "a.py:2-4"), ((5, 7), "a.py:5-7")])
async def test_of_several_definitions_of_a_name_the_nearest_is_meant(
    tmp_path: Path, cited: tuple[int, int], now: str
) -> None:
    """A property and its setter have one name; both read otherwise now."""
    text = "class Box:\n" + _PROPERTY.format(2) + _SETTER.format("new")

    found = await _followed(tmp_path, {"a.py": text}, ("a.py", *cited), "Box.size", "    old\n")

    assert found == ("CHANGED", now, "Box.size")


async def test_a_class_that_is_all_of_its_file_is_not_the_module(tmp_path: Path) -> None:
    """Module and class have the same lines; the class was cited."""
    found = await _followed(tmp_path, {"a.py": _ONE}, ("a.py", 1, 3), "One", _ONE)

    assert found == ("SAME", "a.py:1-3", "One")


async def test_lines_of_no_symbol_are_followed_within_their_file(tmp_path: Path) -> None:
    """They have no name by which another file could be found; without a hash there is nothing to compare."""
    moved = await _followed(tmp_path, {"a.py": "y = 2\nx = 1\n"}, ("a.py", 1, 1), "", "x = 1\n")
    first = await _followed(tmp_path, {"a.py": "x = 1\ny = 2\n"}, ("a.py", 2, 2), "", "x = 1\n")
    elsewhere = await _followed(tmp_path, {"b.py": "x = 1\n"}, ("a.py", 1, 1), "", "x = 1\n")
    unknown = await _followed(tmp_path, {"a.py": "x = 1\n"}, ("a.py", 1, 1), "", "")

    assert [each[0] for each in (moved, elsewhere, unknown)] == ["MOVED", "GONE", "GONE"]
    assert (moved[1], first[1]) == ("a.py:2-2", "a.py:1-1")
