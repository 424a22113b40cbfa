"""The parts of a workspace, and where one begins to read it, over small indexed repositories."""

from __future__ import annotations

import pytest

from retriever.usecases.evidence.places import parts_of
from retriever.usecases.locating.manifests import properties
from retriever.usecases.stages.project.beginnings import beginnings_of
from tests.integration.retriever.opened_tree import opened_tree

_WORKSPACE = {
    "package.json": '{"name": "root", "private": true}',
    "rollup.config.js": "function build () {}\n" * 40,
    "packages/desk/package.json": '{"name": "@till/desk", "description": "Reads the keys."}',
    "packages/desk/src/index.ts": "import { book } from '../../books/src/index';\nexport function press() { book(); }",
    "packages/books/package.json": '{"name": "@till/books", "description": "Keeps the books."}',
    "packages/books/src/index.ts": "export function book() { return 1; }\nexport function close() { return 2; }\n",
}


def test_the_packages_of_a_workspace_are_its_parts() -> None:
    """Each in the words of its manifest; what sets a tool at the root is no part."""
    found = parts_of(opened_tree(_WORKSPACE).snapshot)

    assert found is not None
    assert [(each.name, each.through) for each in found.listed] == [
        ("packages/books", "Keeps the books (1 file)"),
        ("packages/desk", "Reads the keys (1 file)"),
    ]


def test_a_workspace_begins_at_the_package_that_others_use() -> None:
    """Its manifest at the root names no entry."""
    found = beginnings_of(opened_tree(_WORKSPACE).snapshot)

    assert (found.listed[0].name, found.listed[0].through) == (
        "packages/books/src/index.ts",
        "the entry of the package @till/books, by its name",
    )


_GO = {
    "go.mod": "module example.org/till\n",
    "sub/tool/package.json": '{"name": "x", "main": "x.js"}',
    "sub/tool/x.js": "a = 1\n",
}


@pytest.mark.parametrize(
    ("files", "first"),
    [
        ({**_GO, "cmd/till/main.go": "package main\n\nfunc main() {}\n", "a.go": "package till\n"}, "cmd/till/main.go"),
        (
            {"src/main/java/a/Shop.java": "class Shop {}\n", "src/main/java/a/B.java": "class B { void main() {} }\n"},
            "src/main/java/a/Shop.java",
        ),
        (
            {
                "pyproject.toml": '[project]\nname = "till"\n',
                "README.md": "# Till\n\n```py\nfrom till.b import Zed\n\nAct(Zed())\n```\n",
                "till/__init__.py": "",
                "till/a.py": "class Act:\n    pass\n",
                "till/b.py": "class Zed:\n    pass\n",
            },
            "till/b.py",
        ),
    ],
    ids=["a program called so", "a class called so", "the first name of the readme"],
)
def test_a_project_begins_where_its_name_or_its_readme_leads(files: dict[str, str], first: str) -> None:
    """A manifest of a part far below the root names no entry of the whole."""
    assert beginnings_of(opened_tree(files).snapshot).listed[0].place.path == first


def test_the_manifests_of_tests_are_no_packages() -> None:
    """They are what the project reads in its tests."""
    fixture = {"tests/empty/pyproject.toml": '[project]\nname = "empty"\n', "tests/empty/a.py": "x = 1\n"}
    snapshot = opened_tree({**fixture, "pyproject.toml": '[project]\nname = "till"\n', "till/a.py": "x = 1\n"}).snapshot

    assert [each.value for each in properties(snapshot, "name")] == ["till"]
