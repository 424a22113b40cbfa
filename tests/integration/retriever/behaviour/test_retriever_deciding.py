"""Which lines, values, texts and tests answer how something is decided, how much it is, and what is affected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.reading import read_message
from tests.fakes.retrieving import retriever_over
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

FILES = {
    "lab/limits.py": "LENT_BOOK_DAYS = 21\n",
    "lab/shelf.py": (
        "from lab.limits import LENT_BOOK_DAYS\n\n\n"
        "def sweep_lent_books(books):\n    for book in books:\n"
        "        if _is_over(book):\n            book.call_back()\n\n\n"
        "def _is_over(book):\n    return book.age() > LENT_BOOK_DAYS\n\n\n"
        "def sort_books(books):\n    # Books without a title come last, whatever their author.\n"
        "    if any(not book.title for book in books):\n        return sorted(books, key=len)\n    return books\n\n\n"
        "def pick(books):\n    kinds = ['atlas', 'novel']\n"
        "    return [book for book in books if book.kind in kinds]\n\n\n"
        "def show(books):\n    return pick(books)\n"
    ),
    "lab/errors.py": (
        "def missing(fail):\n    fail(code='lab.missingBook')\n\n\n"
        "def late(fail):\n    fail('lab.lateBook')\n\n\n"
        "def lost(fail):\n    fail(code='lab.lostBook')\n"
    ),
    "tests/test_pick.py": "def test_pick_of_one_kind():\n    assert True\n\n\ndef helper():\n    return 'lab.noCode'\n",
    "tests/test_other.py": "def test_picked_twice():\n    assert True\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with one small repository."""
    data = tmp_path_factory.mktemp("data")
    Indexing(data).run(write_tree(tmp_path_factory.mktemp("shelves"), FILES), name="shelves")
    return data


@pytest_asyncio.fixture
async def stub(served: Path) -> AsyncIterator[retriever_pb2_grpc.RetrieverServiceAsyncStub]:
    """Serve it."""
    async with retriever_over(served, embedding_provider="none") as retriever:
        yield retriever


async def _evidence(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, question: str
) -> Sequence[evidence_pb2.Evidence]:
    classified = question_pb2.Classification(mode=question_pb2.MODE_CONCEPTUAL, understanding=read_message(question))
    request = retriever_pb2.RetrieveRequest(repository="shelves", question=question, classification=classified)
    return (await stub.Retrieve(request)).evidence


async def test_the_lines_that_share_most_with_a_question_come_first(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub,
) -> None:
    """With the words of the question that they are about."""
    question = "What happens when a book has no title?"
    bases = [each for each in await _evidence(stub, question) if each.basis.kind == evidence_pb2.BASIS_KIND_DECIDES]
    first = max(bases, key=lambda each: each.score)

    assert first.symbol.qualified_name == "sort_books"
    assert first.basis.line <= 15 <= first.basis.line + 5
    assert first.basis.text == "What happens when a book has no title"


async def test_a_number_is_found_behind_what_the_lines_call(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub,
) -> None:
    """The question describes what sweeps; the limit stands two calls and a file away."""
    found = await _evidence(stub, "how long are lent books kept before they are swept?")

    assert [(each.setting.name, each.setting.value) for each in found if each.HasField("setting")] == [
        ("LENT_BOOK_DAYS", "21")
    ]


async def test_texts_of_one_form_are_listed(stub: retriever_pb2_grpc.RetrieverServiceAsyncStub) -> None:
    """Each once, with its place; those of tests are none of the project."""
    found = await _evidence(stub, "list all the error codes (lab.xxx)")
    [users] = [each.users for each in found if each.HasField("users")]

    assert users.name == "lab.*"
    assert [(each.name, each.place.start_line) for each in users.listed] == [
        ("lab.missingBook", 2),
        ("lab.lateBook", 6),
        ("lab.lostBook", 10),
    ]


async def test_tests_are_told_by_their_files_and_names(stub: retriever_pb2_grpc.RetrieverServiceAsyncStub) -> None:
    """Where none is known to call it, the file that is named after it first."""
    [users] = [each.users for each in await _evidence(stub, "Which tests cover pick?") if each.HasField("users")]

    names = [each.name for each in users.named_after]

    assert names[0] == "tests/test_pick.py"
    assert sorted(names[1:]) == ["test_pick_of_one_kind", "test_picked_twice"]


async def test_a_part_of_a_function_affects_those_who_call_it(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub,
) -> None:
    """What is changed has no definition of its own."""
    question = "what would break if I removed 'atlas' from the kinds list in pick()?"
    lists = [each.users for each in await _evidence(stub, question) if each.HasField("users")]

    assert (lists[0].name, lists[0].relation) == ("pick", evidence_pb2.RELATION_USES)
    assert [each.name for each in lists[0].listed] == ["show"]
