"""Which commands run, build, test and install a project, or a thing of it, over small indexed repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.usecases.stages.project.commands import Commands
from tests.integration.retriever.configuration.test_retriever_project import _PACKAGE, _found, _list
from tests.integration.retriever.configuration.test_retriever_project import FILES as FILES
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.ports import Snapshot


@pytest.fixture(scope="module")
def hopper() -> Snapshot:
    """Return an indexed package."""
    return opened_tree(_PACKAGE).snapshot


@pytest.mark.parametrize(
    ("question", "name", "commands"),
    [
        ("How do I run the linter?", "lint", ["npm run lint"]),
        ("how can I build the documentation", "build documentation", ["npm run docs"]),
        ("How do I run one of the examples?", "run one of the examples", ["node examples/one.js"]),
        ("which npm scripts are there", "the project", ["npm test", "npm run lint", "npm run docs"]),
    ],
)
async def test_what_is_run_chooses_among_the_commands(
    hopper: Snapshot, question: str, name: str, commands: list[str]
) -> None:
    """A command or a folder that is called after it; all that are declared where the question asks for them."""
    found = await _list(hopper, Commands(), question)

    assert (found.name, [each.name for each in found.listed]) == (name, commands)


async def test_what_no_command_is_called_after_is_said() -> None:
    """Before the commands of the purpose."""
    snapshot = opened_tree({"Cargo.toml": '[package]\nname = "a"\n', "src/main.rs": "fn main() {}\n"}).snapshot

    found = await _list(snapshot, Commands(), "how do I run the migrations")

    assert found.notes == ("no command is declared for “migrations”",)
    assert [each.name for each in found.listed] == ["cargo run"]


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
    snapshot: Snapshot, question: str, purpose: str, commands: list[str]
) -> None:
    """Those that the project declares come before what is usual for its tools."""
    found = [each.users for each in (await _found(snapshot, Commands(), question)).drafts if each.users]

    assert (found[0].name, [each.name for each in found[0].listed]) == (purpose, commands)
    assert [each.name for each in found[1:]] == {"test": ["one test"], "install": ["executables"]}.get(purpose, [])


async def _commands(files: dict[str, str], question: str) -> list[list[str]]:
    drafts = (await _found(opened_tree(files).snapshot, Commands(), question)).drafts
    return [[each.name for each in draft.users.listed] for draft in drafts if draft.users]


_GUIDED = {
    "CONTRIBUTING.md": (
        "# Set up\n\n```\n$ pip install tox\n```\n\n# Running tests\n\nIt takes a minute: ``tox run -e 3.12``.\n"
    ),
    "docs/installation.md": "# Install\n\n```\npip install till\n```\n",
    "CHANGELOG.md": "# Tests\n\n```\npytest --old\n```\n",
    "pyproject.toml": '[project]\nname = "till"\n[tool.pytest.ini_options]\nx = 1\n',
    "tox.toml": "[env.lint]\nx = 1\n",
    ".github/workflows/test.yml": "jobs:\n  a:\n    steps:\n      - run: pytest -x\n      - run: pip install pytest\n",
    "till.py": "def ring():\n    pass\n",
}


async def test_what_a_guide_shows_goes_before_what_is_declared() -> None:
    """What installs something for the tests runs none, and lists of changes show none; else workflows show it."""
    (commands, _) = await _commands(_GUIDED, "How do I run the tests?")
    bare = {"pytest.ini": "\n", "till.py": "", ".github/workflows/test.yml": _GUIDED[".github/workflows/test.yml"]}

    assert commands == ["tox run -e 3.12", "pytest", "tox"]
    assert await _commands(bare, "How do I run the tests?") == [["pytest", "pytest -x"], ["pytest FILE::TEST"]]


async def test_an_installation_is_that_of_a_user() -> None:
    """A library that nothing runs is installed, too."""
    installed = await _commands(_GUIDED, "How do I install it?")
    run = await _commands(_GUIDED, "How do I run it?")

    assert installed[0][0] == "pip install till"
    assert run == installed


async def test_each_choice_and_each_thing_has_a_list_of_its_own(hopper: Snapshot) -> None:
    """In the order of the question; what runs one test alone has one, too."""
    files = {
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "",
        "README.md": "# A\n\n```\ncargo test --all\n```\n",
    }

    assert await _commands(files, "How do I build this and run the tests?") == [
        ["cargo build"],
        ["cargo test", "cargo test --all"],
        ["cargo test NAME"],
    ]
    drafts = (await _found(hopper, Commands(), "How do I run the tests and lint the code?")).drafts
    assert [each.users.name for each in drafts if each.users] == ["test", "one test", "lint"]


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ({"pom.xml": "<project/>\n", "mvnw": "#!/bin/sh\n"}, ["./mvnw test"]),
        ({"pom.xml": "<project/>\n"}, ["mvn test"]),
        ({"package.json": '{"scripts": {"check": "x", "test:unit": "y", "test": "z"}}'}, ["npm test", "npm run check"]),
        ({"scripts/test": "#!/bin/sh\npytest\n", "pytest.ini": "\n"}, ["scripts/test", "pytest"]),
    ],
)
async def test_the_whole_is_run_before_its_parts(files: dict[str, str], commands: list[str]) -> None:
    """By the wrapper or the script that the project brings, where there is one."""
    found = (await _commands(files, "How do I run the tests?"))[0]

    assert found[: len(commands)] == commands


async def test_programs_are_run_that_are_there() -> None:
    """A module of Go by its main packages; a library of Rust is not run."""
    main = "package main\n\nfunc main() {}\n"
    module = {"go.mod": "module a\n", "cmd/till/main.go": main, "tools/gen/main.go": main, "a.go": "package a\n"}

    assert await _commands(module, "How do I run it?") == [["go run ./cmd/till"]]
    crate = {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": ""}
    assert await _commands({**crate, "src/bin/a/main.rs": "fn main() {}\n"}, "How do I run it?") == [["cargo run"]]
    assert await _commands({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": ""}, "How do I run it?") == [
        ["cargo add a"]
    ]


async def test_pages_called_after_the_purpose_follow_its_commands(snapshot: Snapshot) -> None:
    """The README's own section says more than a command line."""
    drafts = (await _found(snapshot, Commands(), "how can I run the tests")).drafts

    assert "need no network" in drafts[2].text


async def test_what_lints_or_builds_is_no_test() -> None:
    """A heading may name several purposes; of a line the first word tells."""
    files = {
        "CONTRIBUTING.md": "# Testing and linting\n\n```\nscripts/test\nscripts/lint\ngo build -o bin/till-test\n```\n",
        "scripts/test": "#!/bin/sh\n",
        "scripts/lint": "#!/bin/sh\n",
        "go.mod": "module till\n",
        "package.json": '{"scripts": {"test": "x", "test:lint": "y", "test:eslint": "z"}}',
        "till.go": "package till\n",
    }

    (tests, _) = await _commands(files, "How do I run the tests?")
    (linting,) = await _commands(files, "How do I run the linter?")

    assert not {"scripts/lint", "go build -o bin/till-test", "npm run test:lint", "npm run test:eslint"} & set(tests)
    assert linting[0] == "scripts/lint"


async def test_one_command_is_listed_once() -> None:
    """As the guide writes it; what explains a name is no command."""
    files = {
        "CONTRIBUTING.md": "# Tests\n\n```\nnpm run test\ntest -> run npm on all files\n```\n",
        "package.json": '{"scripts": {"test": "x"}}',
        "till.js": "function ring () {}\n",
    }

    assert await _commands(files, "How do I run the tests?") == [["npm run test"], ["npm test -- FILE"]]


async def test_a_command_with_a_name_behind_it_runs_one_test() -> None:
    """Before what is usual for the tools; what has further options runs all of them."""
    files = {
        "CONTRIBUTING.md": "# Tests\n\n```\nscripts/test\nscripts/test tests/test_a.py\nscripts/test --slow\n```\n",
        "scripts/test": "#!/bin/sh\npytest\n",
        "pytest.ini": "\n",
    }

    (every, alone) = await _commands(files, "How do I run the tests?")

    assert every == ["scripts/test", "scripts/test --slow", "pytest"]
    assert alone == ["scripts/test tests/test_a.py", "pytest FILE::TEST"]


async def test_what_installs_packages_of_others_installs_no_project() -> None:
    """A library of Go is required, and a flag says not what a line is for."""
    files = {
        "CONTRIBUTING.md": "# Set up\n\n```\ngo install example.org/lint@latest\ngo test --install\n```\n",
        "go.mod": "module example.org/till\n",
        "till.go": "package till\n",
    }

    assert await _commands(files, "How do I install it?") == [["go get example.org/till"]]


async def test_what_no_command_is_for_is_said() -> None:
    """How a library is required answers none of these; tools have usual commands for benchmarks."""
    files = {"pom.xml": "<project/>\n", "src/main/java/A.java": "class A {}\n"}
    crate = {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": ""}

    linting = (await _found(opened_tree(files).snapshot, Commands(), "How do I run the linter?")).drafts
    measured = (await _found(opened_tree(files).snapshot, Commands(), "How do I run the benchmarks?")).drafts

    assert [each.users.notes for each in linting if each.users] == [("no command is declared for “linter”",)]
    assert [each.users.notes for each in measured if each.users] == [("no command is declared for “benchmarks”",)]
    assert await _commands(crate, "How do I run the benchmarks?") == [["cargo bench"]]


async def test_what_the_project_runs_itself_goes_first() -> None:
    """Its own target, then what its workflows run; a target that goes on to another purpose runs no tests."""
    files = {
        "CONTRIBUTING.md": "# Tests\n\n```\ntox -e slow\ntox -e py\n```\n",
        "Makefile": "test_upload:\n\ttwine\n\ntest_unit:\n\tpytest unit\n\ntest:\n\tpytest\n",
        ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      - run: python -m tox -e py\n",
        "tox.ini": "[tox]\n",
        "till.py": "",
    }

    (tests, *_) = await _commands(files, "How do I run the tests?")

    assert tests == ["make test", "tox -e py", "tox -e slow", "tox", "make test_unit"]


async def test_what_prepares_the_work_on_a_project_is_told_apart() -> None:
    """From how a user installs it; code, and a program that prose only names, are no commands."""
    blocks = "```sh\npip install till\n```\n\n```python\npip install till[x]\n```\n"
    files = {
        "README.md": f"# Till\n\n## Install\n\nWith `pip`:\n\n{blocks}",
        "CONTRIBUTING.md": "# Install\n\n```\nimport till\n\npip install -e .\n```\n",
        "pyproject.toml": '[project]\nname = "till"\n[project.scripts]\ntill = "till:a"\n',
        "scripts/install": "#!/bin/sh\n",
        "till.py": "x = 1\n",
    }

    assert await _commands(files, "How do I install it?") == [
        ["pip install till", "pip install ."],
        ["pip install -e .", "scripts/install"],
        ["till"],
    ]


async def test_all_packages_are_no_single_test() -> None:
    """A path that means everything narrows nothing; what stands behind two hyphens does."""
    guide = "# Tests\n\n```\ngo test\nscripts/test\nscripts/test -- a_test.go\n```\n"
    files = {"CONTRIBUTING.md": guide, "scripts/test": "", "go.mod": "module a\n", "a.go": "package a\n"}

    every, alone = await _commands(files, "How do I run the tests?")

    assert "go test ./..." in every
    assert alone == ["scripts/test -- a_test.go", "go test ./PACKAGE -run NAME"]
