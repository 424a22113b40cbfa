"""Encoding: what evidence mentions is what its text still shows."""

from __future__ import annotations

from retriever.domain.evidence import ContextSource, Draft, Evidence, EvidenceKind, Role
from retriever.domain.values import Symbol, SymbolKind
from retriever.rpc.encode import evidence


def _symbol(path: str, line: int) -> Symbol:
    return Symbol(
        id=line,
        file_id=1,
        parent_id=None,
        kind=SymbolKind.FUNCTION,
        path=path,
        module="a",
        language="python",
        is_test=False,
        name="f",
        qualified_name="f",
        start_line=line,
        end_line=line,
        signature="",
        docstring="",
    )


def test_a_place_that_was_cut_off_is_not_mentioned() -> None:
    """`a.py:12` stands in the text; neither its first digit nor the end of its path is a place of its own."""
    symbols = (_symbol("lib/a.py", 12), _symbol("lib/a.py", 1), _symbol("a.py", 12), _symbol("app/(x)/b.py", 3))
    text = "f (lib/a.py:12)\n  → ↻ f (cycle, app/(x)/b.py:3)\n"
    draft = Draft(EvidenceKind.FLOW, ContextSource.CODE, Role.FLOW, "flow", text, "because", mentions=symbols)

    message = evidence(Evidence(draft, text, 9, 0), 1)

    assert [(each.path, each.start_line) for each in message.mentions] == [("lib/a.py", 12), ("app/(x)/b.py", 3)]
