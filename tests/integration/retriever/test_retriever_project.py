"""What every newcomer asks of a project, over a small indexed repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.evidence.basis import BasisKind
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.structure.project import Beginnings, Commands, Overview, Parts, Place
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.domain.tasks.context import Context as Found
    from retriever.domain.views.listing import UserList
    from retriever.ports import Snapshot
    from retriever.usecases.stages.protocol import Stage

_SOURCE = {
    "README.md": (
        "# Till\n\n[![build](b.svg)](x)\n\nTill is a small cash register that keeps its books in plain text files.\n\n"
        "## Running the tests\n\nThe tests need no network; `make test` runs them all.\n\n```\nmake test\n```\n\n"
        "## Licence\n\nMIT\n"
    ),
    "Makefile": "NAME := till\n\ntest: lint\n\tpytest\n\nlint:\n\truff check\n\nbuild:\n\tpython -m build\n",
    "pyproject.toml": '[project]\nname = "till"\n[project.scripts]\ntill = "till.app:main"\n[tool.pytest]\n',
    "till/__init__.py": "",
    "till/app.py": (
        '"""Starts the register."""\n\nfrom till.books.ledger import Ledger\n\n\n'
        'def main():\n    """Run the register until it is closed."""\n    Ledger().post(1)\n'
    ),
    "till/books/__init__.py": '"""Keeps the books. Nothing is ever deleted."""\n',
    "till/books/ledger.py": (
        '"""One ledger a day."""\n\n\nclass Ledger:\n    """Holds what was sold."""\n\n'
        '    def post(self, amount):\n        """Add a sale."""\n        return amount\n'
        "\n\ndef total(ledger):\n    return 0\n"
    ),
    "till/desk/__init__.py": "",
    "till/desk/keys.py": '"""Reads the keys."""\n\n\ndef pressed():\n    return None\n',
    "tests/test_app.py": "from till.app import main\n\n\ndef test_main():\n    main()\n",
}


@pytest.fixture(scope="module")
def till() -> Snapshot:
    """Return the indexed project."""
    return opened_tree(_SOURCE).snapshot


async def _found(till: Snapshot, stage: Stage, question: str) -> Found:
    return await stage.run(Context(), till, task_of(question, Mode.CONCEPTUAL), OrderJudge())


async def _list(till: Snapshot, stage: Stage, question: str) -> UserList:
    users = (await _found(till, stage, question)).drafts[0].users
    assert users is not None
    return users


async def test_overview_is_what_the_readme_says_first(till: Snapshot) -> None:
    """Sections without a sentence, and badges, say nothing of the project."""
    drafts = (await _found(till, Overview(), "What does this project do?")).drafts

    assert "small cash register" in drafts[0].text
    assert drafts[0].basis is not None
    assert drafts[0].basis.kind is BasisKind.OVERVIEW
    assert not any("MIT" in each.text for each in drafts)


async def test_parts_are_the_folders_below_the_one_that_holds_all(till: Snapshot) -> None:
    """`till` holds all of the code and is no part itself; folders come before files, tests are none."""
    found = await _list(till, Parts(), "What are the main modules?")

    assert (found.name, [(each.name, each.through) for each in found.listed]) == (
        "till",
        [
            ("till/books", "Keeps the books (2 files)"),
            ("till/desk", "2 files"),
            ("till/app.py", "Starts the register"),
            ("till/__init__.py", ""),
        ],
    )


async def test_execution_begins_in_main(till: Snapshot) -> None:
    """With what the function says of itself, and what most others use behind it."""
    found = await _list(till, Beginnings(), "Where should I start reading?")

    assert [(each.name, each.place.path, each.through) for each in found.listed] == [
        ("main", "till/app.py", "Run the register until it is closed")
    ]
    assert found.notes == ("till/books/ledger.py is used by 1 other files",)


_LIBRARY = {
    "README.md": "<h1>Till</h1>\n\n  Till keeps the books of a shop in plain text files.\n\n## Use\n\nNothing.\n",
    "set_up.sh": "main() {\n  echo ready\n}\n",
    "till/__init__.py": "",
    "till/api.py": "from till.books import Book\nfrom till.desk import Desk\n\n\nclass Till(Desk):\n    of = Book\n",
    "till/books.py": "class Book:\n    pass\n",
    "till/desk.py": "from till.books import Book\n\n\nclass Desk:\n    book = Book()\n",
    "docs/till/books.md": "# Books\n",
}


async def test_a_library_begins_with_what_uses_most_of_it() -> None:
    """A script that uses nothing of the project does not begin it; paragraphs that HTML sets in say what it is."""
    snapshot = opened_tree(_LIBRARY).snapshot

    found = await _list(snapshot, Beginnings(), "Where should I start reading?")
    overview = (await _found(snapshot, Overview(), "What does this project do?")).drafts
    place = await _list(snapshot, Place(), "what is in the till folder?")

    assert found.listed[0].name == "till/api.py"
    assert "plain text files" in overview[0].text
    assert place.name == "till"


@pytest.mark.parametrize(
    ("question", "purpose", "commands"),
    [
        ("How do I run the tests?", "test", ["make test", "pytest"]),
        ("How do I build it?", "build", ["make build", "python -m build"]),
        ("How do I run it?", "run", ["till"]),
        ("How do I install it?", "install", ["pip install ."]),
    ],
)
async def test_commands_are_those_of_the_build_files(
    till: Snapshot, question: str, purpose: str, commands: list[str]
) -> None:
    """Those that the project declares come before what is usual for its tools."""
    found = await _list(till, Commands(), question)

    assert (found.name, [each.name for each in found.listed]) == (purpose, commands)


async def test_pages_called_after_the_purpose_follow_its_commands(till: Snapshot) -> None:
    """The README's own section says more than a command line."""
    drafts = (await _found(till, Commands(), "how can I run the tests")).drafts

    assert "need no network" in drafts[1].text


@pytest.mark.parametrize(
    ("question", "name", "held"),
    [
        ("What is in till/books?", "till/books", ["till/books/__init__.py", "till/books/ledger.py"]),
        ("what does the folder till/desk/ contain", "till/desk", ["till/desk/__init__.py", "till/desk/keys.py"]),
        ("What is in till/books/ledger.py?", "till/books/ledger.py", ["Ledger", "total"]),
        ("What is in books/ledger.py?", "till/books/ledger.py", ["Ledger", "total"]),
        ("what is the books folder for?", "till/books", ["till/books/__init__.py", "till/books/ledger.py"]),
    ],
)
async def test_a_place_holds_its_files_or_definitions(
    till: Snapshot, question: str, name: str, held: list[str]
) -> None:
    """A path may be written without the folders before it, where only one fits."""
    found = await _list(till, Place(), question)

    assert (found.name, [each.name for each in found.listed]) == (name, held)


@pytest.mark.parametrize("question", ["What is in src/nowhere?", "What is Ledger?"])
async def test_a_place_that_is_none_is_left_to_the_search(till: Snapshot, question: str) -> None:
    """So is what is no path."""
    assert (await _found(till, Place(), question)).drafts == ()
