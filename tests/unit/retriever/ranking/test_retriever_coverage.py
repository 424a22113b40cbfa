"""The share of code that has symbols and edges: all code counts, also of other languages and left out of the index."""

from __future__ import annotations

import pytest

from retriever.domain.values import File, LeftOut, coverage_of


def _file(path: str, *, language: str = "", parsed: bool = False, error: str = "") -> File:
    return File(1, path, language, path, 1, False, parsed, error)


_PARSED = _file("a.py", language="python", parsed=True)


@pytest.mark.parametrize(
    ("files", "left_out", "share"),
    [
        ([], [], 0.0),
        ([_file("README.md")], [], 0.0),
        ([_PARSED, _file("README.md")], [], 1.0),
        ([_PARSED, _file("b.py", language="python", error="line 1")], [], 0.5),
        ([_PARSED, _file("b.py", language="python", parsed=True, error="not linked: nested too deeply")], [], 0.5),
        ([_PARSED, _file("b.zig", language="zig")], [], 0.5),
        ([_PARSED], [LeftOut("b.py", 4, is_read=True)], 0.5),
        ([_PARSED], [LeftOut("b.py", 13, is_read=False), LeftOut("c.py", 3, is_read=True)], 1 / 3),
        ([_PARSED], [LeftOut("data.json", 4, is_read=True), LeftOut("b_pb2.py", 6, is_read=True)], 1.0),
    ],
)
def test_all_code_counts(files: list[File], left_out: list[LeftOut], share: float) -> None:
    """Code without symbols or edges counts against it; pages, data, and what a tool wrote do not count."""
    assert coverage_of(files, left_out) == pytest.approx(share)
