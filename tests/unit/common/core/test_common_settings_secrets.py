"""Secrets from files of their own: who wins, what is refused, and that no value is ever shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from common.core.settings import Origin, SettingsError, load, load_with_origins, setting
from orchestrator.settings import OrchestratorSettings

VALUE = "hunter2-hunter2"


@dataclass(frozen=True, slots=True)
class Sample:
    """Settings of a test."""

    key: str = setting("", "A key.", secret=True, pattern=r"[a-z0-9-]*")
    name: str = setting("", "A name.")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file as an editor leaves it, with the end of its line."""
    path = tmp_path / "key"
    path.write_text(f"{VALUE}\n", encoding="utf-8")
    return path


def origin_of(environ: Mapping[str, str], **table: Any) -> tuple[str, Origin]:
    """Return the key in force, and what is said of it."""
    loaded, origins = load_with_origins(Sample, "sample", environ=environ, file={"sample": table})
    return loaded.key, origins[0]


def problems_of(environ: Mapping[str, str], **table: Any) -> str:
    with pytest.raises(SettingsError) as raised:
        load(Sample, "sample", environ=environ, file={"sample": table})
    return "\n".join(raised.value.problems)


def test_a_variable_may_name_the_file(secret: Path) -> None:
    """The value is what the file holds, without the end of the line; the origin names the file only."""
    value, origin = origin_of({"CGRAG_SAMPLE_KEY_FILE": str(secret)})

    assert value == VALUE
    assert (origin.source, origin.value) == ("CGRAG_SAMPLE_KEY_FILE", f"(secret, in {secret})")
    assert (origin.variable, origin.file_variable) == ("CGRAG_SAMPLE_KEY", "CGRAG_SAMPLE_KEY_FILE")


def test_the_settings_file_may_name_the_file(secret: Path) -> None:
    """So that a config map can say where a Secret is mounted."""
    value, origin = origin_of({}, key_file=str(secret))

    assert value == VALUE
    assert (origin.source, origin.value) == ("file", f"(secret, in {secret})")


@pytest.mark.parametrize(
    ("environ", "table", "expected"),
    [
        ({"CGRAG_SAMPLE_KEY": "from-environment"}, {"key_file": "/no/such/file"}, "from-environment"),
        ({"CGRAG_SAMPLE_KEY_FILE": "FILE"}, {"key": "from-table"}, VALUE),
        ({"CGRAG_SAMPLE_KEY_FILE": "", "CGRAG_SAMPLE_KEY": ""}, {"key": "from-table"}, ""),
        ({"CGRAG_SAMPLE_KEY_FILE": ""}, {"key": "from-table"}, "from-table"),
        ({"CGRAG_SAMPLE_KEY": "", "CGRAG_SAMPLE_KEY_FILE": "FILE"}, {}, VALUE),
    ],
)
def test_the_environment_wins(secret: Path, environ: dict[str, str], table: dict[str, str], expected: str) -> None:
    """In either form; an empty variable names no file."""
    named = {name: value.replace("FILE", str(secret)) for name, value in environ.items()}

    assert origin_of(named, **table)[0] == expected


def test_both_at_one_place_are_refused(secret: Path) -> None:
    """Nobody could say which was meant."""
    in_environment = problems_of({"CGRAG_SAMPLE_KEY": VALUE, "CGRAG_SAMPLE_KEY_FILE": str(secret)})
    in_file = problems_of({}, key=VALUE, key_file=str(secret))

    assert in_environment == "CGRAG_SAMPLE_KEY and CGRAG_SAMPLE_KEY_FILE are both set; keep one of them"
    assert in_file == "[sample] key and key_file are both set; keep one of them"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b" \n", "is empty"),
        (b"one\ntwo\n", "must hold one line"),
        (b"\xff\xfe", r"must hold text \(UTF-8\)"),
        (b"a" * 70_000, "must hold one line of at most 64 KiB"),
    ],
)
def test_a_file_that_holds_no_secret_is_told_with_its_name(tmp_path: Path, content: bytes, reason: str) -> None:
    """The name of the file and the reason; nothing of what it holds. A file is not read without end."""
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=rf"^- CGRAG_SAMPLE_KEY_FILE: {path}: {reason}"):
        load(Sample, "sample", environ={"CGRAG_SAMPLE_KEY_FILE": str(path)}, file={})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"key_file": "/no/such/file"}, "[sample] key_file: /no/such/file: cannot be read (No such file or directory)"),
        ({"key_file": "/"}, "[sample] key_file: /: cannot be read (Is a directory)"),
        ({"key_file": 5}, "[sample] key_file: expected a path, got 5"),
        ({"name_file": "/x"}, "[sample] name_file: no such setting"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_name(table: dict[str, object], problem: str) -> None:
    """And only secrets have such a form."""
    assert problems_of({}, **table) == problem


def test_no_message_shows_a_secret(secret: Path) -> None:
    """Not even one that is not of the right form."""
    secret.write_text("Hunter2 Hunter2", encoding="utf-8")
    told = [
        problems_of({"CGRAG_SAMPLE_KEY": "Hunter2 Hunter2"}),
        problems_of({"CGRAG_SAMPLE_KEY_FILE": str(secret)}),
        problems_of({}, key=["Hunter2"]),
    ]

    assert [each.partition(":")[0] for each in told] == ["CGRAG_SAMPLE_KEY", "CGRAG_SAMPLE_KEY", "[sample] key"]
    assert not any("hunter2" in each.lower() for each in told)


def test_a_key_from_a_file_lets_a_model_answer(secret: Path) -> None:
    """The file stands for the variable that laptops set."""
    settings = load(OrchestratorSettings, "orchestrator", environ={"ANTHROPIC_API_KEY_FILE": str(secret)}, file={})

    assert settings.asks_model
    assert settings.api_key == VALUE
