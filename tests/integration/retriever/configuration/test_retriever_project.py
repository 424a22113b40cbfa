"""What every newcomer asks of a project, over a small indexed repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common.core.contract.evidence import BasisKind
from retriever.adapters.learned import read_describing_model
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.searching.describing import FindDescribed
from retriever.usecases.stages.behaviour.compared import Compared
from retriever.usecases.stages.project.beginnings import Beginnings
from retriever.usecases.stages.project.overview import Overview
from retriever.usecases.stages.project.places import Parts, Place
from retriever.usecases.stages.structure.requirements import Requirements
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.domain.tasks.context import Context as Found
    from retriever.domain.views.listing import UserList
    from retriever.ports import Snapshot
    from retriever.usecases.stages.protocol import Stage

FILES = {
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


async def _found(snapshot: Snapshot, stage: Stage, question: str) -> Found:
    return await stage.run(Context(), snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())


def _beginnings() -> Beginnings:
    return Beginnings(FindDescribed(read_describing_model(), seconds=lambda: 5.0))


async def _list(snapshot: Snapshot, stage: Stage, question: str) -> UserList:
    users = (await _found(snapshot, stage, question)).drafts[0].users
    assert users is not None
    return users


async def test_overview_is_what_the_readme_says_first(snapshot: Snapshot) -> None:
    """Sections without a sentence, and badges, say nothing of the project."""
    drafts = (await _found(snapshot, Overview(), "What does this project do?")).drafts

    assert drafts[0].text == "Till is a small cash register that keeps its books in plain text files.\n"
    assert drafts[0].basis is not None
    assert drafts[0].basis.kind is BasisKind.OVERVIEW
    assert not any("MIT" in each.text for each in drafts)


async def test_parts_are_the_folders_below_the_one_that_holds_all(snapshot: Snapshot) -> None:
    """`till` holds all of the code and is no part itself; folders come before files, and tests are none."""
    found = await _list(snapshot, Parts(), "What are the main modules?")

    assert (found.name, [(each.name, each.through) for each in found.listed]) == (
        "till",
        [
            ("till/books", "Keeps the books (2 files)"),
            ("till/desk", "Reads the keys (1 file)"),
            ("till/app.py", "Starts the register"),
        ],
    )


async def test_a_program_begins_at_its_scripts(snapshot: Snapshot) -> None:
    """Then come the files below them; a file without content is no beginning, and what most others use is noted."""
    found = await _list(snapshot, _beginnings(), "Where should I start reading?")

    assert [(each.name, each.place.path, each.through) for each in found.listed] == [
        ("till/app.py", "till/app.py", "the entry of the command till, which runs its main, by pyproject.toml"),
        ("till/books/ledger.py", "till/books/ledger.py", "One ledger a day"),
    ]
    assert found.notes == ("till/books/ledger.py is used by 1 other file",)


_LIBRARY = {
    "README.md": "<h1>Till</h1>\n\n  Till keeps the books of a shop in plain text files.\n\n## Use\n\nNothing.\n",
    "set_up.sh": "main() {\n  echo ready\n}\n",
    "till/__init__.py": "",
    "till/api.py": "from till.books import Book\nfrom till.desk import Desk\n\n\nclass Till(Desk):\n    of = Book\n",
    "till/books.py": "class Book:\n    pass\n",
    "till/desk.py": "from till.books import Book\n\n\nclass Desk:\n    book = Book()\n",
    "docs/till/books.md": "# Books\n",
    "tests/till/test_books.py": "def test_books():\n    pass\n",
}


async def test_a_library_begins_with_what_uses_most_of_it() -> None:
    """A script that uses nothing of the project does not begin it; paragraphs that HTML sets in say what it is."""
    snapshot = opened_tree(_LIBRARY).snapshot

    found = await _list(snapshot, _beginnings(), "Where should I start reading?")
    overview = (await _found(snapshot, Overview(), "What does this project do?")).drafts
    place = await _list(snapshot, Place(), "what is in the till folder?")

    assert found.listed[0].name == "till/api.py"
    assert "plain text files" in overview[0].text
    assert place.name == "till"


_PACKAGE = {
    "README.md": (
        "![logo](x.svg)\n\nSponsored by people who like queues and other people who like them, too.\n\n"
        "Hopper hands jobs to workers over plain sockets.\n\n```js\nconst hopper = require('hopper')\n```\n"
    ),
    "package.json": (
        '{\n  "name": "hopper",\n  "description": "Hands jobs to workers over sockets",\n'
        '  "main": "./lib/queue.js",\n  "engines": {"node": ">= 20"},\n'
        '  "scripts": {\n    "test": "node --test",\n    "lint": "standard",\n    "docs": "jsdoc lib"\n  },\n'
        '  "dependencies": {"nanobus": "^4"}\n}\n'
    ),
    "lib/queue.js": (
        "const wire = require('./wire')\n\nclass Queue {\n  take (name) {\n    return this.claim(wire.read(name))\n"
        "  }\n\n  /** Mark a job as taken by a worker. */\n  claim (job) {\n    return job\n  }\n}\n\n"
        "module.exports = Queue\n"
    ),
    "lib/wire.js": "/** Read one message from the socket. */\nfunction read (name) {\n  return name\n}\n\n"
    "module.exports = { read }\n",
    "scripts/bump.js": "function main () {}\nmain()\n",
    "examples/one.js": "const Queue = require('../lib/queue')\nnew Queue().take('a')\n",
}


@pytest.fixture(scope="module")
def hopper() -> Snapshot:
    """Return a package with a manifest that says what it is and where it is entered."""
    return opened_tree(_PACKAGE).snapshot


async def test_the_paragraph_with_the_words_of_the_manifest_says_what_a_project_is(hopper: Snapshot) -> None:
    """Thanks to sponsors stand before it; the description of the manifest follows."""
    found = (await _found(hopper, Overview(), "What is this?")).drafts
    drafts = [each for each in found if not each.users]

    assert [each.text for each in drafts] == [
        "Hopper hands jobs to workers over plain sockets.\n",
        "Hands jobs to workers over sockets\n",
    ]
    assert [str(each.span and each.span.start_line) for each in drafts] == ["5", "3"]


async def test_a_package_begins_where_its_manifest_says(hopper: Snapshot) -> None:
    """Then come the files that this uses; scripts and examples are no beginning."""
    found = await _list(hopper, _beginnings(), "Where do I start reading?")

    assert [(each.name, each.through) for each in found.listed] == [
        ("lib/queue.js", "the entry of the package, by package.json"),
        ("lib/wire.js", "read: Read one message from the socket"),
    ]


async def test_a_topic_begins_at_the_definition_that_it_names(hopper: Snapshot) -> None:
    """What this calls follows."""
    found = await _list(hopper, _beginnings(), "Which files should I read first to understand how `Queue.take` works?")

    assert [each.name for each in found.listed] == ["Queue.take", "Queue.claim", "read"]
    assert found.definition is not None


_COMMANDED = {
    "README.md": "```py\nfrom till.desk import Till, run\n\nrun(Till())\n```\n\n```\ntill open --batch\n```\n",
    "pyproject.toml": '[project]\nname = "till"\n[project.scripts]\ntill = "till.cli:main"\n',
    "till/__init__.py": "from till.desk import Till\n",
    "till/cli.py": "from till.desk import Till\n\n\ndef main():\n    Till()\n\n\ndef batch():\n    return 1\n",
    "till/desk.py": (
        "from till.drawer import Till as Drawer\n\n\nclass Till(Drawer):\n    pass\n\n\ndef run(till):\n    pass\n"
    ),
    "till/drawer.py": "class Till:\n    pass\n",
}


async def test_a_library_with_a_command_begins_with_what_its_readme_uses() -> None:
    """Of several definitions the one that its code imports; a word of a command line is none; what hands on is last."""
    found = await _list(opened_tree(_COMMANDED).snapshot, _beginnings(), "where do I start reading?")

    assert [(each.name, each.through) for each in found.listed][:3] == [
        ("till/desk.py", "the README uses Till, run"),
        ("till/cli.py", "the entry of the command till, which runs its main, by pyproject.toml"),
        ("till/__init__.py", "called as the entry of a package is"),
    ]


_SERVING = {
    "pyproject.toml": '[project]\nname = "till"\n[project.scripts]\ntill = "till.cli:main"\n',
    "till/cli.py": (
        "from till.desk import serve\n\n\ndef main():\n    read()\n    serve()\n\n\ndef read():\n    pass\n"
    ),
    "till/desk.py": (
        "from till.paper import order\n\n\n"
        'def serve():\n    """Serve one customer after the other."""\n    order()\n    close()\n\n\n'
        "def close():\n    pass\n"
    ),
    "till/paper.py": 'def order():\n    """Order receipts by their date."""\n',
}


@pytest.mark.parametrize(
    ("topic", "first"), [("how a customer flows through till", "main"), ("the order of receipts", "order")]
)
async def test_a_topic_that_nothing_is_called_after_begins_at_the_main_function(topic: str, first: str) -> None:
    """The way to it leads over what speaks of it; one that a definition has in its words begins there."""
    found = await _list(opened_tree(_SERVING).snapshot, _beginnings(), f"Where do I start to understand {topic}?")

    assert found.listed[0].name == first
    assert first != "main" or "serve" in [each.name for each in found.listed]


async def test_a_library_without_a_manifest_begins_with_what_its_readme_uses() -> None:
    """The definitions that most of its example names; a main function of a tool is none."""
    snapshot = opened_tree(
        {
            "README.md": "# kiln\n\n```go\nkiln.Fire(kiln.NewOven())\n```\n",
            "go.mod": "module example.org/kiln\n\ngo 1.22\n",
            "oven.go": "package kiln\n\ntype Oven struct{}\n\nfunc NewOven() *Oven { return &Oven{} }\n",
            "fire.go": "package kiln\n\nfunc Fire(o *Oven) { heat(o) }\n\nfunc heat(o *Oven) {}\n",
            "tools/gen/main.go": "package main\n\nfunc main() {}\n",
        }
    ).snapshot

    found = await _list(snapshot, _beginnings(), "where to begin reading")

    assert [(each.name, each.through) for each in found.listed] == [
        ("fire.go", "the README uses Fire"),
        ("oven.go", "the README uses NewOven"),
    ]


@pytest.mark.parametrize(
    ("question", "name", "held"),
    [
        ("What is in till/books?", "till/books", ["till/books/ledger.py", "till/books/__init__.py"]),
        ("what does the folder till/desk/ contain", "till/desk", ["till/desk/keys.py", "till/desk/__init__.py"]),
        ("What is in till/books/ledger.py?", "till/books/ledger.py", ["Ledger", "total"]),
        ("What is in books/ledger.py?", "till/books/ledger.py", ["Ledger", "total"]),
        ("what is the books folder for?", "till/books", ["till/books/ledger.py", "till/books/__init__.py"]),
    ],
)
async def test_a_place_holds_its_files_or_definitions(
    snapshot: Snapshot, question: str, name: str, held: list[str]
) -> None:
    """A path may be written without the folders before it, where only one fits."""
    found = await _list(snapshot, Place(), question)

    assert (found.name, [each.name for each in found.listed]) == (name, held)


@pytest.mark.parametrize("question", ["What is in src/nowhere?", "What is Ledger?"])
async def test_a_place_that_is_none_is_left_to_the_search(snapshot: Snapshot, question: str) -> None:
    """So is what is no path."""
    assert (await _found(snapshot, Place(), question)).drafts == ()


async def test_two_places_are_compared_by_what_they_hold(snapshot: Snapshot) -> None:
    """With how often they use each other."""
    drafts = (await _found(snapshot, Compared(), "what is the difference between till/books and till/desk?")).drafts

    assert [each.users.name for each in drafts if each.users] == ["till/books", "till/desk"]
    assert drafts[-1].text.startswith("Between till/books/ and till/desk/")


async def test_a_folder_is_a_place_before_a_file_of_its_name(snapshot: Snapshot) -> None:
    """One of tests is meant only where no other is called so."""
    snapshot = opened_tree(
        {"src/net/net.py": "def dial(): pass\n", "src/net/wire.py": "def read(): pass\n", "tests/net/test_a.py": ""}
    ).snapshot

    found = await _list(snapshot, Place(), "what is the net folder for?")

    assert (found.name, [each.name for each in found.listed]) == ("src/net", ["src/net/net.py", "src/net/wire.py"])


_PURPOSED = {
    "CONTRIBUTING.md": "Writing tests\n-------------\nScripts in the fixtures directory are run one by one. Wait.\n",
    "fixtures/a.txt": "ring\n",
    "helpers/clock.js": "/**\n * Module dependencies.\n * @private\n */\n\nmodule.exports = () => 1\n",
    "spare/a.txt": "ring\n",
    "test/run.js": "const clock = require('../helpers/clock')\n\nfunction all () {\n  clock(read('spare'))\n}\n",
}


@pytest.mark.parametrize(
    ("folder", "notes"),
    [
        ("fixtures", ("CONTRIBUTING.md says of it: Scripts in the fixtures directory are run one by one.",)),
        ("helpers", ("its files are used by 1 file, all of tests",)),
        ("spare", ("it is named in all (test/run.js:4)",)),
    ],
)
async def test_a_folder_without_a_word_is_told_by_who_speaks_of_it_or_uses_it(
    folder: str, notes: tuple[str, ...]
) -> None:
    """A page, the files that use it, or the function that names it; what a comment heads is no purpose."""
    found = await _list(opened_tree(_PURPOSED).snapshot, Place(), f"what is the {folder} folder for?")

    assert found.notes == notes
    assert not any("Module dependencies" in each.through for each in found.listed)


async def test_a_class_without_a_word_is_told_by_its_methods() -> None:
    """In a file that is asked for."""
    code = "package a\n\ntype bell struct{}\n\nfunc (b *bell) ring() {}\n\nfunc (b *bell) stop() {}\n"

    found = await _list(opened_tree({"go.mod": "module a\n", "bell.go": code}).snapshot, Place(), "what is in bell.go?")

    assert [(each.name, each.through) for each in found.listed] == [("bell", "has ring, stop")]


async def test_a_paragraph_that_begins_with_the_name_says_what_a_project_is() -> None:
    """One with as many words of it that leads elsewhere does not."""
    page = (
        "# Till Books Sample\n\nSee the talk here, of the Till Books Sample.\n\n"
        "Fast and small. Till Books is a program for the desk of any shop.\n"
    )
    snapshot = opened_tree({"README.md": page, "pyproject.toml": '[project]\nname = "till-books"\n'}).snapshot

    drafts = (await _found(snapshot, Overview(), "What is this project?")).drafts

    assert drafts[0].text == "Fast and small. Till Books is a program for the desk of any shop.\n"


@pytest.mark.parametrize(
    ("question", "found"),
    [("Which node version do I need?", ["node >= 20"]), ("Which packages does it depend on?", ["nanobus ^4"])],
)
async def test_a_runtime_is_no_package(hopper: Snapshot, question: str, found: list[str]) -> None:
    """The manifest says both; what version is needed follows the packages."""
    drafts = (await _found(hopper, Requirements(), question)).drafts
    lists = [[each.name for each in draft.users.listed] for draft in drafts if draft.users]

    assert lists == ([found] if "node" in question else [found, ["node >= 20"]])


async def test_code_below_src_main_is_no_test_by_its_name() -> None:
    """`MethodSpec.java` is a specification that the library makes."""
    snapshot = opened_tree(
        {"src/main/java/MethodSpec.java": "class MethodSpec {}\n", "src/test/java/OvenSpec.java": "class OvenSpec {}\n"}
    ).snapshot

    assert [(file.path, file.is_test) for file in snapshot.files.all()] == [
        ("src/main/java/MethodSpec.java", False),
        ("src/test/java/OvenSpec.java", True),
    ]
