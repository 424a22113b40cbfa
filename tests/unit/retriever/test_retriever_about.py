"""What manifests say of a project, and which commands files declare."""

from __future__ import annotations

import pytest

from retriever.domain.declared.about import About, about
from retriever.domain.declared.commands import declared, usual

_POM = """<project>
  <artifactId>kiln</artifactId>
  <name>Kiln</name>
  <description>Burns clay.</description>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
  </properties>
</project>
"""


@pytest.mark.parametrize(
    ("path", "text", "name", "description", "runtime"),
    [
        (
            "package.json",
            '{"name": "kiln", "description": "Burns  clay",\n "engines": {"node": ">=20"}}',
            "kiln",
            ("Burns clay", 1),
            [("Node.js", ">=20", 2)],
        ),
        (
            "pyproject.toml",
            '[project]\nname = "kiln"\ndescription = "Burns clay"\nrequires-python = ">=3.11"\n',
            "kiln",
            ("Burns clay", 3),
            [("Python", ">=3.11", 4)],
        ),
        (
            "setup.cfg",
            "[metadata]\nname = kiln\ndescription = Burns clay\n[options]\npython_requires = >=3.8\n",
            "kiln",
            ("Burns clay", 3),
            [("Python", ">=3.8", 5)],
        ),
        ("go.mod", "module example.org/kiln\n\ngo 1.22\n", "example.org/kiln", ("", 0), [("Go", "1.22", 3)]),
        (
            "Cargo.toml",
            '[package]\nname = "kiln"\ndescription = """\nBurns clay\n"""\nrust-version = "1.75"\n',
            "kiln",
            ("Burns clay", 3),
            [("Rust", "1.75", 6)],
        ),
        ("pom.xml", _POM, "Kiln", ("Burns clay.", 4), [("Java", "17", 6)]),
        (
            "build.gradle",
            "description = 'Burns clay'\nsourceCompatibility = JavaVersion.VERSION_11\n",
            "",
            ("Burns clay", 1),
            [("Java", "11", 2)],
        ),
        (
            "composer.json",
            '{"name": "a/kiln", "description": "Burns clay", "require": {"php": "^8.1"}}',
            "a/kiln",
            ("Burns clay", 1),
            [("PHP", "^8.1", 1)],
        ),
    ],
)
def test_manifests_say_what_a_project_is_and_what_it_runs_on(
    path: str, text: str, name: str, description: tuple[str, int], runtime: list[tuple[str, str, int]]
) -> None:
    """Each with the line that says it."""
    found = about(path, text)

    assert (found.name, (found.description, found.line)) == (name, description)
    assert [(each.name, each.version, each.line) for each in found.runtime] == runtime


@pytest.mark.parametrize(
    ("path", "text", "entries"),
    [
        (
            "package.json",
            '{"main": "./lib/a.js", "exports": {".": {"import": "./b.mjs", "node": {"default": "./c.js"}}}}',
            ("lib/a.js", "b.mjs", "c.js"),
        ),
        ("package.json", '{"exports": "./a.js"}', ("a.js",)),
        (
            "pyproject.toml",
            '[project]\nname = "Kiln-Kit"\n[project.scripts]\nkiln = "kiln.app:main"\n',
            ("src/kiln/app.py", "kiln/app.py", "src/kiln_kit/__init__.py", "kiln_kit/__init__.py"),
        ),
        (
            "Cargo.toml",
            '[lib]\npath = "a.rs"\n[[bin]]\nname = "b"\npath = "src/bin/b.rs"\n',
            ("src/main.rs", "src/lib.rs", "a.rs", "src/bin/b.rs"),
        ),
    ],
)
def test_manifests_say_where_a_package_is_entered(path: str, text: str, entries: tuple[str, ...]) -> None:
    """In the order in which they say it; whether the files exist is for others to tell."""
    assert about(path, text).entries == entries


@pytest.mark.parametrize(
    ("path", "text"),
    [("package.json", "[]"), ("package.json", "{"), ("pyproject.toml", "a ="), ("setup.cfg", "x"), ("notes.txt", "a")],
)
def test_a_broken_manifest_says_nothing(path: str, text: str) -> None:
    """Nor does a file of another form."""
    assert about(path, text) == About()


@pytest.mark.parametrize(
    ("path", "text", "commands"),
    [
        (
            "Taskfile.yaml",
            "version: 3\ntasks:\n  lint:\n    cmds:\n      - x\n  test:\n",
            [("task lint", 3), ("task test", 6)],
        ),
        (
            "pyproject.toml",
            '[tool.tox]\nenv_list = []\n[tool.tox.env.docs]\ndescription = "build docs"\n',
            [("tox", 1), ("tox -e docs", 3)],
        ),
        ("tox.ini", "[tox]\n[testenv]\n[testenv:docs]\n", [("tox -e docs", 3)]),
        ("Cargo.toml", '[[bin]]\nname = "kilnd"\n', [("cargo run --bin kilnd", 2)]),
        ("package.json", '{"scripts":\n {"lint": "standard"}}', [("npm run lint", 2)]),
        ("Makefile", "X := 1\nlint:\n\truff\n", [("make lint", 2)]),
        ("package.json", "[]", []),
    ],
)
def test_commands_are_read_with_the_lines_that_declare_them(
    path: str, text: str, commands: list[tuple[str, int]]
) -> None:
    """In the order of the file; a broken one declares none."""
    assert [(each.text, each.line) for each in declared(path, text)] == commands


def test_what_is_usual_has_no_line() -> None:
    """The file only implies it."""
    found = usual("go.mod", "test")

    assert found is not None
    assert (found.text, found.line) == ("go test ./...", 0)
