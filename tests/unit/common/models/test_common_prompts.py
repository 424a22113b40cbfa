"""Prompts as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.model.prompts import PromptError, read_prompt

GOOD = "name: greet\nversion: 2\nvariables: who, what\nmax_tokens: 50\n---\nTell {{who}} about {{what}}.\n"


def write(folder: Path, content: str) -> Path:
    """Write a prompt file and return it."""
    file = folder / "prompt.txt"
    file.write_text(content, encoding="utf-8")
    return file


def test_prompt_is_read_and_rendered(tmp_path: Path) -> None:
    """The header says what the prompt needs; values are put in as they are, not expanded again."""
    prompt = read_prompt(write(tmp_path, GOOD))

    assert (prompt.name, prompt.version, prompt.max_tokens) == ("greet", 2, 50)
    assert prompt.render(who="{{what}}", what="it") == "Tell {{what}} about it."


def test_hash_follows_the_content(tmp_path: Path) -> None:
    """Any change of the file is another hash."""
    first = read_prompt(write(tmp_path, GOOD)).sha256
    second = read_prompt(write(tmp_path, GOOD.replace("about", "of"))).sha256

    assert first != second
    assert len(first) == 12


@pytest.mark.parametrize("values", [{"who": "x"}, {"who": "x", "what": "y", "why": "z"}])
def test_missing_and_unknown_variables_are_refused(tmp_path: Path, values: dict[str, str]) -> None:
    """A prompt gets exactly the variables that it declares."""
    with pytest.raises(PromptError):
        read_prompt(write(tmp_path, GOOD)).render(**values)


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace("version: 2\n", ""),
        GOOD.replace("version: 2\n", "version: 2\ncolour: red\n"),
        GOOD.replace("{{what}}", "it"),
        GOOD.replace("about", "{{when}}"),
        "no header at all",
    ],
    ids=["lacks", "unknown", "unused", "undeclared", "no header"],
)
def test_files_that_contradict_themselves_are_refused(tmp_path: Path, content: str) -> None:
    """Header and text must agree."""
    with pytest.raises(PromptError):
        read_prompt(write(tmp_path, content))
