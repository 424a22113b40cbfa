"""Encoding: what evidence mentions and lists is what its text still shows."""

from __future__ import annotations

from dataclasses import replace

from cgrag.type.v1 import evidence_pb2

from common.core.contract.evidence import Span
from common.core.contract.understanding import Relation
from retriever.domain.evidence.piece import ContextSource, Draft, Evidence, EvidenceKind, EvidenceRole
from retriever.domain.values import Symbol, SymbolKind
from retriever.domain.views.listing import User, UserList
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
    draft = Draft(EvidenceKind.FLOW, ContextSource.CODE, EvidenceRole.FLOW, "flow", text, "because", mentions=symbols)

    message = evidence(Evidence(draft, text, 9, 0), 1)

    assert [(each.path, each.start_line) for each in message.mentions] == [("lib/a.py", 12), ("app/(x)/b.py", 3)]


def test_a_list_says_as_data_what_its_text_says() -> None:
    """Names with spaces, paths with brackets, other files: nothing of it has to be read from the text."""
    thing, spec = _symbol("app/(x)/b.py", 3), replace(_symbol("spec/a.js", 7), qualified_name="it adds (twice)")
    users = UserList(
        "f",
        Relation.TESTS,
        thing,
        4,
        (User("it adds (twice)", spec, Span("spec/b.js", 9, 9), "g", 2), User("ink@2", None, Span("go.mod", 3, 3))),
        in_tests=5,
        notes=("and named in go.mod:3",),
    )

    message = evidence(_listed(users, users.text(), 0), 1)

    assert message.text == (
        "f (app/(x)/b.py:3) is tested by 4\n"
        "- it adds (twice) (spec/a.js:7) at spec/b.js:9 or 2 others of that name through g\n"
        "- ink@2 (go.mod:3) at line 3\nand 2 more\nand 5 in tests\nand named in go.mod:3\n"
    )
    first, second = message.users.listed
    assert (message.users.name, message.users.count, message.users.in_tests) == ("f", 4, 5)
    assert message.users.relation == evidence_pb2.RELATION_TESTS
    assert message.users.definition == message.mentions[0]
    assert (first.name, first.symbol.start_line, first.through, first.others) == ("it adds (twice)", 7, "g", 2)
    assert (first.place.path, first.place.start_line) == ("spec/b.js", 9)
    assert (second.name, second.HasField("symbol"), second.place.start_line) == ("ink@2", False, 3)
    assert list(message.users.notes) == ["and named in go.mod:3"]


def test_of_a_list_that_was_cut_only_those_are_listed_whom_it_shows() -> None:
    """How many there are is said all the same; who may be one, and notes, go with their lines."""
    one, other = _user("a.py", 2), _user("a.py", 21)
    users = UserList("f", Relation.CALLS, None, 2, (one, other), 0, (one, other), (one, other), ("and so on",))
    text = "\n".join(line for line in users.text().split("\n") if "a.py:21" not in line and "so on" not in line)

    cut = evidence(_listed(users, text, 4), 1).users
    whole = evidence(_listed(users, users.text(), 0), 1).users

    assert ([each.place.start_line for each in cut.listed], cut.count, list(cut.notes)) == ([2], 2, [])
    assert [len(each) for each in (cut.unsure, cut.named_after)] == [1, 1]
    assert [len(each) for each in (whole.listed, whole.unsure, whole.named_after, whole.notes)] == [2, 2, 2, 1]


def test_the_relations_of_the_contract_are_those_that_can_be_asked() -> None:
    """One that the contract lacks would be told as none."""
    known = {each.removeprefix("RELATION_") for each in evidence_pb2.Relation.DESCRIPTOR.values_by_name}

    assert known == {each.name for each in Relation}


def _user(path: str, line: int) -> User:
    return User("f", _symbol(path, line), Span(path, line, line))


def _listed(users: UserList, text: str, truncated_lines: int) -> Evidence:
    told = [each.symbol for each in users.listed if each.symbol]
    mentions = (*([users.definition] if users.definition else []), *told)
    draft = Draft(
        EvidenceKind.FLOW,
        ContextSource.CODE,
        EvidenceRole.USERS,
        "t",
        users.text(),
        "r",
        mentions=mentions,
        users=users,
    )
    return Evidence(draft, text, 9, truncated_lines)
