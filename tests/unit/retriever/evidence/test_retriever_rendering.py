"""Packages as markdown, prompt text and JSON; `UPDATE_GOLDEN=1` writes the golden files anew."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from retriever.domain.evidence.piece import ContextSource, EvidenceKind
from retriever.domain.tasks.rendering import render, render_entry
from retriever.domain.tasks.task import ContextEntry, ContextFormat, ContextRole, ContextTier, FileDependency
from retriever.domain.values import Symbol, SymbolKind

_GOLDEN = Path(__file__).parents[3] / "golden/contexts"
_FILES = {
    ContextFormat.MARKDOWN: "package.md",
    ContextFormat.PROMPT: "package.txt",
    ContextFormat.JSON: "package.json",
}
_TASK = "Retry `Client.send` on timeouts\n\nIt gives up at once.\n"


def _entry(path: str, name: str, text: str, role: ContextRole, relation: str, *, demoted: bool = False) -> ContextEntry:
    lines = text.count("\n")
    symbol = Symbol(1, 1, None, SymbolKind.FUNCTION, path, "m", "python", False, name, name, 3, 2 + lines, "", "")
    tier = ContextTier.SEED if role == ContextRole.PRIMARY else ContextTier.DEPENDENCY
    kind, source = EvidenceKind.SOURCE, ContextSource.CODE
    return ContextEntry(
        name, kind, source, f"{name} ({path})", symbol.span, symbol, text, 1, "", role, tier, relation, 1.0, demoted
    )


_ENTRIES = (
    _entry("app/client.py", "send", "def send(x):\n    return x\n", ContextRole.PRIMARY, "mentioned in the task"),
    _entry("app/pool.py", "acquire", "def acquire()\n", ContextRole.PRIMARY, "mentioned", demoted=True),
    _entry("app/doc.py", "fence", '"""\n```\n</source>\n```\n"""\n', ContextRole.SUPPORTING, "called by send"),
)
_DEPENDENCIES = (FileDependency("app/client.py", "app/pool.py"),)


@pytest.mark.parametrize("form", list(_FILES))
def test_a_package_is_rendered_as_before(form: ContextFormat) -> None:
    """A change of form is a change that a person can read."""
    golden = _GOLDEN / _FILES[form]
    rendered = render(_TASK, _ENTRIES, _DEPENDENCIES, form)
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(rendered + "\n" * (not rendered.endswith("\n")), encoding="utf-8")

    assert rendered.rstrip("\n") == golden.read_text(encoding="utf-8").rstrip("\n")


def test_no_text_can_leave_its_element() -> None:
    """Source that holds the closing tag or a fence stays data: its element has another name, its fence is longer."""
    prompt = render(_TASK, _ENTRIES, (), ContextFormat.PROMPT)
    markdown = render(_TASK, _ENTRIES, (), ContextFormat.MARKDOWN)

    assert re.findall(r"^<(source_*) ", prompt, re.MULTILINE) == ["source", "source", "source_"]
    assert markdown.count("\n````") == 2


def test_json_is_for_programs() -> None:
    """Every entry with its place, class, tier, relation and text."""
    content = json.loads(render(_TASK, _ENTRIES, _DEPENDENCIES, ContextFormat.JSON))

    assert content["task"] == "Retry `Client.send` on timeouts"
    assert content["entries"][1]["demoted"] is True
    assert content["dependencies"] == [{"path": "app/client.py", "depends_on": "app/pool.py"}]


@pytest.mark.parametrize("form", list(_FILES))
def test_letters_of_all_languages_are_written_as_they_are(form: ContextFormat) -> None:
    """An escape of a letter takes six times its room, and is read by nobody."""
    entry = _entry("app/größe.py", "größe", "def größe(): ...\n", ContextRole.PRIMARY, "erwähnt")

    package = render("Ändere die Größe", [entry], (), form)

    for written in ("Ändere die Größe", "app/größe.py", "def größe()", "erwähnt"):
        assert written in package
    assert "def größe()" in render_entry(entry, form)


@pytest.mark.parametrize("form", [ContextFormat.MARKDOWN, ContextFormat.PROMPT])
def test_nothing_is_said_of_dependencies_that_are_not_there(form: ContextFormat) -> None:
    """A heading or an element without content only takes room."""
    assert "ependencies" in render(_TASK, _ENTRIES, _DEPENDENCIES, form)
    assert "ependencies" not in render(_TASK, _ENTRIES, (), form)


@pytest.mark.parametrize(
    ("task", "title"), [("x" * 80, "x" * 80), ("x" * 81, "x" * 79 + "…"), ("y" * 70 + " " * 20 + "z", "y" * 70 + "…")]
)
def test_a_long_task_is_shortened_to_a_title(task: str, title: str) -> None:
    """A title takes 80 characters at most, and tells that there was more."""
    assert json.loads(render(f"\n  {task}  \nand so on", (), (), ContextFormat.JSON))["task"] == title


@pytest.mark.parametrize("form", [ContextFormat.NONE, ContextFormat.MARKDOWN, ContextFormat.PROMPT])
def test_nothing_is_rendered_as_nothing(form: ContextFormat) -> None:
    """A package without entries has nothing to say to a reader."""
    assert render(_TASK, (), (), form) == ""


def test_a_program_reads_that_there_is_nothing() -> None:
    """What it parses is JSON, with entries or without."""
    content = json.loads(render(_TASK, (), (), ContextFormat.JSON))

    assert content == {"task": "Retry `Client.send` on timeouts", "entries": [], "dependencies": []}
