"""Which lines, values, texts and tests answer how something is decided, how much it is, and what is affected."""

from __future__ import annotations

import pytest
from cgrag.type.v1 import evidence_pb2

from tests.fakes.retrieving import Stub, evidence_for

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
    "lab/desk.py": (
        'def lend(book, reader):\n    """\n    Note who has a book.\n\n'
        '    The reader gets a reminder by post.\n    """\n'
        "    # An atlas never leaves the reading room, because it is old. Nobody may lend it.\n"
        "    if book.kind == 'atlas':\n        return None\n    return reader\n"
    ),
    "lab/hours.go": (
        "package lab\n\n// Hours are those of the desk.\ntype Hours struct {\n"
        "\t// Grace is how many minutes visitors may stay after the bell, ten by default.\n\tGrace int\n}\n"
    ),
    "lab/errors.py": (
        "def missing(fail):\n    fail(code='lab.missingBook')\n\n\n"
        "def late(fail):\n    fail('lab.lateBook')\n\n\n"
        "def lost(fail):\n    fail(code='lab.lostBook')\n"
    ),
    "tests/test_pick.py": "def test_pick_of_one_kind():\n    assert True\n\n\ndef helper():\n    return 'lab.noCode'\n",
    "tests/test_other.py": "def test_picked_twice():\n    assert True\n",
}


async def test_the_lines_that_share_most_with_a_question_come_first(stub: Stub) -> None:
    """With the words of the question that they are about."""
    question = "What happens when a book has no title?"
    bases = [each for each in await evidence_for(stub, question) if each.basis.kind == evidence_pb2.BASIS_KIND_DECIDES]
    first = max(bases, key=lambda each: each.score)

    assert first.symbol.qualified_name == "sort_books"
    assert first.basis.line <= 15 <= first.basis.line + 5
    assert first.basis.text == "What happens when a book has no title"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does a reader get a reminder?", "Note who has a book. … The reader gets a reminder by post."),
        (
            "May an atlas leave the reading room when I lend it?",
            "Note who has a book. … An atlas never leaves the reading room, because it is old. Nobody may lend it.",
        ),
        ("Where does it note who has a book?", "Note who has a book.\n\nThe reader gets a reminder by post."),
        ("Where is a book lent?", "Note who has a book.\n\nThe reader gets a reminder by post."),
    ],
)
async def test_the_sentence_with_most_of_a_question_is_told(stub: Stub, question: str, said: str) -> None:
    """Of the documentation, or of a comment that gives a reason; what a definition says first stays before it."""
    found = await evidence_for(stub, question)

    assert next(each for each in found if each.symbol.qualified_name == "lend").documentation == said


async def test_what_a_field_says_is_told_of_its_class(stub: Stub) -> None:
    """Behind what the class says first."""
    found = await evidence_for(stub, "How long may visitors stay after the bell?")

    assert next(each for each in found if each.symbol.qualified_name == "Hours").documentation == (
        "Hours are those of the desk. … "
        "`Grace`: Grace is how many minutes visitors may stay after the bell, ten by default."
    )


async def test_a_number_is_found_behind_what_the_lines_call(stub: Stub) -> None:
    """The question describes what sweeps; the limit stands two calls and a file away."""
    found = await evidence_for(stub, "how long are lent books kept before they are swept?")

    assert [(each.setting.name, each.setting.value) for each in found if each.HasField("setting")] == [
        ("LENT_BOOK_DAYS", "21")
    ]


async def test_texts_of_one_form_are_listed(stub: Stub) -> None:
    """Each once, with its place; those of tests are none of the project."""
    found = await evidence_for(stub, "list all the error codes (lab.xxx)")
    [users] = [each.users for each in found if each.HasField("users")]

    assert users.name == "lab.*"
    assert [(each.name, each.place.start_line) for each in users.listed] == [
        ("lab.missingBook", 2),
        ("lab.lateBook", 6),
        ("lab.lostBook", 10),
    ]


async def test_tests_are_told_by_their_files_and_names(stub: Stub) -> None:
    """Where none is known to call it, the file that is named after it first."""
    [users] = [each.users for each in await evidence_for(stub, "Which tests cover pick?") if each.HasField("users")]

    names = [each.name for each in users.named_after]

    assert names[0] == "tests/test_pick.py"
    assert sorted(names[1:]) == ["test_pick_of_one_kind", "test_picked_twice"]


async def test_a_part_of_a_function_affects_those_who_call_it(stub: Stub) -> None:
    """What is changed has no definition of its own."""
    question = "what would break if I removed 'atlas' from the kinds list in pick()?"
    lists = [each.users for each in await evidence_for(stub, question) if each.HasField("users")]

    assert (lists[0].name, lists[0].relation) == ("pick", evidence_pb2.RELATION_USES)
    assert [each.name for each in lists[0].listed] == ["show"]
