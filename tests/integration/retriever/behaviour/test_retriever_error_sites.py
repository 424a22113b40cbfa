"""Which code a quoted error leads to: where its text stands, who raises its type for that reason, and who calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from retriever.usecases.locating.message_texts import fixed_part
from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.snapshot_builder import RAISES, SnapshotBuilder
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_CONSUMER = '''\
# İİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİİ
from elsewhere import report

UNKNOWN_TASK = """\\
Received unregistered task of type %s.
"""


def on_unknown_task(message):
    report(UNKNOWN_TASK, message)


def consume(message):
    on_unknown_task(message)
'''
_PARSER = """\
class BadToken(Exception):
    pass


def read_token(text):
    raise BadToken("no token here")


def open_token_file(path):
    raise BadToken("no file here")


def widen(number):
    raise TypeError("not a number")


def pick(name):
    raise BadToken(f"no token of {name} can be had before the list of names is sealed by its owner")


def settle(note, why):
    note(f"Settling with the bank failed. {why}")
"""


_GATES = """\
def enter(gate):
    raise GateError("the gate is shut")


def leave(gate):
    if gate.shut:
        raise GateError("the gate is shut")


def look(gate):
    raise GateError("the gate is shut")


def shine(lamp):
    assert lamp.lit, "the lamp is out"

def carry(lamp):
    assert lamp.lit, "the lamp is out"

def read(lamp):
    assert lamp.lit, "the lamp is out"

def walk(log):
    log.warning("the road is long")

def ride(log):
    log.warning("the road is long")

def drive(log):
    log.warning("the road is long")
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index three files, and write a snapshot with a fact by hand."""
    root, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("data")
    files = {"lib/consumer.py": _CONSUMER, "lib/parser.py": _PARSER, "lib/gates.py": _GATES}
    Indexing(folder).run(write_tree(root, files), name="errors")
    built = SnapshotBuilder().python("lib/deep/core.py", "def fail():\n    raise Broken\n")
    built.fact("lib/deep/core.py::fail", RAISES, "Broken", line=2)
    built.publish(folder, "raising")
    return folder


@pytest_asyncio.fixture
async def stub(data: Path) -> AsyncIterator[Stub]:
    """Serve them."""
    async with retriever_over(data) as served:
        yield served


async def _shown(
    stub: Stub,
    question: str,
    anchors: question_pb2.Anchors,
    repository: str = "errors",
) -> dict[str, str]:
    source = await _source(stub, question, anchors, repository)
    return {each.symbol.qualified_name or each.symbol.path: each.reason for each in source}


async def _bases(
    stub: Stub,
    question: str,
    anchors: question_pb2.Anchors,
    repository: str = "errors",
) -> list[tuple[str, evidence_pb2.Basis]]:
    source = await _source(stub, question, anchors, repository)
    return [(each.symbol.qualified_name, each.basis) for each in source]


async def _source(
    stub: Stub, question: str, anchors: question_pb2.Anchors, repository: str
) -> list[evidence_pb2.Evidence]:
    classification = question_pb2.Classification(mode=question_pb2.MODE_DIAGNOSTIC, anchors=anchors)
    request = pb.RetrieveRequest(repository=repository, question=question, classification=classification)
    found = await stub.Retrieve(request)
    return [each for each in found.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_SOURCE]


def _said(message: str) -> question_pb2.Anchors:
    return question_pb2.Anchors(error_messages=[message])


def _raised(exception: str) -> question_pb2.Anchors:
    return question_pb2.Anchors(exceptions=[exception])


async def test_a_message_that_a_constant_holds_leads_to_it_and_to_its_user(stub: Stub) -> None:
    """No error string has it, since the constant is handed on; values in the message do not matter."""
    message = "Received unregistered task of type 'shop.add'"

    shown = await _shown(stub, f"Why does the worker log {message}?", _said(message))

    said = "'Received unregistered task of type'"
    assert list(shown.items())[:2] == [
        ("UNKNOWN_TASK", f"holds the text {said}"),
        ("on_unknown_task", f"uses UNKNOWN_TASK, which holds {said}"),
    ]


async def test_why_code_is_shown_is_said_as_data(stub: Stub) -> None:
    """Nobody has to read the reason, which is for a person, to tell a message from what is raised."""
    unknown, text = "Received unregistered task of type 'shop.add'", "Received unregistered task of type"
    bases = [
        *(await _bases(stub, f"Why does the worker log {unknown}?", _said(unknown)))[:2],
        *(await _bases(stub, "Why is there no token here?", _said("no token here")))[:1],
        *(await _bases(stub, "I get Broken.", _raised("Broken"), "raising"))[:1],
    ]

    assert bases == [
        ("UNKNOWN_TASK", evidence_pb2.Basis(kind=evidence_pb2.BASIS_KIND_TEXT, text=text, line=5)),
        (
            "on_unknown_task",
            evidence_pb2.Basis(kind=evidence_pb2.BASIS_KIND_CONSTANT, name="UNKNOWN_TASK", text=text, line=10),
        ),
        ("read_token", evidence_pb2.Basis(kind=evidence_pb2.BASIS_KIND_MESSAGE, text="no token here", line=6)),
        ("fail", evidence_pb2.Basis(kind=evidence_pb2.BASIS_KIND_RAISES, name="Broken", line=2)),
    ]


async def test_messages_that_are_only_a_little_alike_are_left_out(stub: Stub) -> None:
    """Where one place surely makes the message, another one with some of its words does not hold it."""
    shown = await _shown(stub, "Why 'no token here'?", _said("no token here"))

    assert shown["read_token"] == "holds the message 'no token here'"
    assert not any("no file here" in reason for reason in shown.values())


async def test_a_message_that_is_not_quite_the_quoted_one_is_said_to_be_another(stub: Stub) -> None:
    """So that nobody takes it for the message that was seen."""
    shown = await _shown(stub, "Why 'no token there'?", _said("no token there"))

    assert shown["read_token"] == "holds a message that is nearly the same, 'no token here'"


async def _listed(stub: Stub, message: str) -> list[tuple[str, list[int]]]:
    classification = question_pb2.Classification(mode=question_pb2.MODE_DIAGNOSTIC, anchors=_said(message))
    request = pb.RetrieveRequest(repository="errors", question=f"Why '{message}'?", classification=classification)
    lists = [each.users for each in (await stub.Retrieve(request)).evidence if each.HasField("users")]
    return [(each.name, [user.place.start_line for user in each.listed]) for each in lists]


async def test_all_who_raise_one_message_are_listed(stub: Stub) -> None:
    """With the type that it is raised with; fewer than three are told one by one, and who logs it raises nothing."""
    assert await _listed(stub, "the gate is shut") == [("GateError: the gate is shut", [2, 7, 11])]
    assert await _listed(stub, "the lamp is out") == [("AssertionError: the lamp is out", [15, 18, 21])]
    assert await _listed(stub, "the gate is gone") == []
    assert await _listed(stub, "no token here") == []
    assert await _listed(stub, "the road is long") == []


async def test_the_beginning_of_a_long_message_leads_to_the_whole(stub: Stub) -> None:
    """Who asks quotes three words of eleven; a short message with two of them does not hold it."""
    shown = await _shown(stub, "Why 'can be had before'?", _said("can be had before"))
    other = await _shown(stub, "Why 'no token of'?", _said("no token of"))

    assert shown["pick"].startswith("holds the message 'no token of")
    assert next(iter(other)) == "pick"
    assert not any("no token here" in reason for reason in other.values())


async def test_a_message_of_several_sentences_is_looked_for_by_each(stub: Stub) -> None:
    """Code puts them together; others that share a few words with the whole do not hold it."""
    message = "Settling with the bank failed. There is no token or file here for it, nor a number."

    shown = await _shown(stub, f"Why '{message}'?", _said(message))

    assert next(iter(shown.items())) == ("settle", "holds the text 'Settling with the bank failed.'")
    assert not any(reason.startswith("holds the message") for reason in shown.values())


async def test_a_question_that_begins_as_a_message_is_one(stub: Stub) -> None:
    """Nothing but the code can tell that it is; what only has its words is none."""
    shown = await _shown(stub, "No token of mine can be had before the list", question_pb2.Anchors())
    asked = await _shown(stub, "Where are tokens had before the list?", question_pb2.Anchors())

    assert next(iter(shown.values())).startswith("holds the message 'no token of {} can be had")
    assert not any(reason.startswith("holds the message") for reason in asked.values())


async def test_the_type_of_an_error_alone_leads_to_those_who_raise_it(stub: Stub) -> None:
    """One that the code defines is raised for what it is called."""
    shown = await _shown(stub, "I get BadToken.", _raised("BadToken"))

    assert {"read_token": "raises BadToken", "open_token_file": "raises BadToken"}.items() <= shown.items()


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("Received unregistered task of type 'shop.add'.", "Received unregistered task of type"),
        ("cannot open /tmp/x: no such file or folder", "cannot open /tmp/x: no such file or folder"),
        ('Cannot set headers" or "no default engine was given"?', "no default engine was given"),
        ("line 7: bad", ""),
        ("", ""),
    ],
)
def test_the_fixed_part_of_a_message_is_its_longest_without_values(message: str, part: str) -> None:
    """Quotation marks, braces and digits surround values; two words say too little."""
    assert fixed_part(message) == part
