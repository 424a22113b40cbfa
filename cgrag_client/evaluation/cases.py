"""Reads evaluation cases from JSON lines; every bad line is reported at once, with its number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

T = TypeVar("T")

MAX_PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class LocalizationCase:
    """A problem text and the places where its repair was made; `split` names a part of the set, "" if none."""

    instance_id: str
    repo: str
    base_commit: str
    problem_statement: str
    gold_files: tuple[str, ...]
    gold_functions: tuple[str, ...]
    split: str = ""

    @property
    def key(self) -> str:
        """Identity of the case."""
        return self.instance_id

    @property
    def place(self) -> tuple[str, str]:
        """Repository and commit."""
        return self.repo, self.base_commit


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A question about a commit."""

    id: str
    repo: str
    commit: str
    question: str

    @property
    def key(self) -> str:
        """Identity of the case."""
        return self.id

    @property
    def place(self) -> tuple[str, str]:
        """Repository and commit."""
        return self.repo, self.commit


@dataclass(frozen=True, slots=True)
class QuestionCase(AskedCase):
    """A question and the places that a good answer rests on."""

    gold_files: tuple[str, ...]
    gold_functions: tuple[str, ...]
    mode: str = ""


@dataclass(frozen=True, slots=True)
class LinesCase(AskedCase):
    """A question and the lines that a good answer cites, as (path, first, last), lines from 1."""

    gold_lines: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class ClassifierCase:
    """A question and the name of its mode, upper case, for example "DIAGNOSTIC"."""

    question: str
    mode: str


@dataclass(frozen=True, slots=True)
class WantedPart:
    """
    What one part of a question should be read as.

    Args:
        intents: Names of intents without the enum's prefix; any of them is right.
        relation: Name of the relation without the enum's prefix; "" if the question asks for none.
        slots: Words of the question by kind of slot in lower case; "route" and "message" are mentions.
    """

    intents: tuple[str, ...]
    relation: str
    slots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UnderstandingCase:
    """A question with its parts; questions of a group ask the same."""

    group: str
    question: str
    parts: tuple[WantedPart, ...]


def read_cases(path: Path, parse: Callable[[Mapping[str, object]], T]) -> tuple[T, ...]:
    """
    Read one case a line; blank lines are ignored.

    Args:
        path: JSON lines in UTF-8.
        parse: Turns one object into a case; raises ValueError with what is wrong.

    Raises:
        UsageError: if the file cannot be read or has no case, or a line is invalid or repeats a case (all such lines
            are named).
    """
    cases: list[T] = []
    problems: list[str] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            cases.append(parse(_object(line)))
        except ValueError as error:
            problems.append(f"{path}:{number}: {error}")
            continue
        key = getattr(cases[-1], "key", "")
        if key and lines.setdefault(key, number) != number:
            problems.append(f"{path}:{number}: {key!r} is the case of line {lines[key]}; give each its own identity")
    if problems:
        hidden = len(problems) - MAX_PROBLEMS_SHOWN
        more = [f"... and {hidden} more"] if hidden > 0 else []
        raise UsageError("\n".join(problems[:MAX_PROBLEMS_SHOWN] + more))
    if not cases:
        raise UsageError(f"{path}: no cases in it; expected one JSON object a line")
    return tuple(cases)


def parse_localization(row: Mapping[str, object]) -> LocalizationCase:
    """Make a localization case of a line's object."""
    return LocalizationCase(
        name_of(row, "instance_id"),
        text(row, "repo"),
        text(row, "base_commit"),
        text(row, "problem_statement"),
        texts(row, "gold_files"),
        texts(row, "gold_functions"),
        str(row.get("split", "")),
    )


def parse_question(row: Mapping[str, object]) -> QuestionCase:
    """Make a question case of a line's object."""
    return QuestionCase(
        name_of(row, "id"),
        text(row, "repo"),
        text(row, "commit"),
        text(row, "question"),
        texts(row, "gold_files"),
        texts(row, "gold_functions"),
        str(row.get("mode", "")).upper(),
    )


def parse_lines(row: Mapping[str, object]) -> LinesCase:
    """Make a case of gold lines of a line's object."""
    return LinesCase(
        name_of(row, "id"), text(row, "repo"), text(row, "commit"), text(row, "question"), _places(row, "gold_lines")
    )


def parse_classifier(row: Mapping[str, object]) -> ClassifierCase:
    """Make a classifier case of a line's object; the mode is one of the four."""
    mode = text(row, "mode").upper()
    if mode not in {"CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "ANALYTICAL"}:
        raise ValueError(f'"mode" must be CONCEPTUAL, DIAGNOSTIC, EXPLORATORY or ANALYTICAL, not {mode}')
    return ClassifierCase(text(row, "question"), mode)


def parse_understanding(row: Mapping[str, object]) -> UnderstandingCase:
    """Make an understanding case of a line's object."""
    parts = row.get("parts")
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise ValueError('"parts" must be a list of objects that is not empty')
    return UnderstandingCase(text(row, "group"), text(row, "question"), tuple(map(_wanted_part, parts)))


def _wanted_part(part: Mapping[str, object]) -> WantedPart:
    intents, slots = part.get("intents") or [part.get("intent")], part.get("slots") or {}
    if not isinstance(intents, list) or not all(isinstance(each, str) and each for each in intents):
        raise ValueError('a part must have an "intent"')
    if not isinstance(slots, dict):
        raise ValueError('"slots" must be an object')
    return WantedPart(tuple(intents), str(part.get("relation") or ""), {str(k): str(v) for k, v in slots.items()})


def text(row: Mapping[str, object], name: str) -> str:
    """Take a text that is not empty out of a row; raises ValueError."""
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f'"{name}" must be a text that is not empty')
    return value


def name_of(row: Mapping[str, object], name: str) -> str:
    """Take a name out of a row; some number their cases. Raises ValueError."""
    value = row.get(name)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(row, name)


def texts(row: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Take a list of texts out of a row, empty if it is not there or null; raises ValueError."""
    value = row.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f'"{name}" must be a list of texts')
    return tuple(value)


def _lines(path: Path) -> list[str]:
    try:
        # Not splitlines(): texts may hold U+2028 and its like, which JSON does not escape.
        return path.expanduser().read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); give a file with --cases") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8: {error}") from error


def _object(line: str) -> Mapping[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # invalid JSON, a number with too many digits, too deep nesting
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError("expected a JSON object")
    return row


def _places(row: Mapping[str, object], name: str) -> tuple[tuple[str, int, int], ...]:
    value = row.get(name)
    places: list[tuple[str, int, int]] = []
    for each in value if isinstance(value, list) else ():
        match each:
            case [str() as path, int() as first, int() as last] if 1 <= first <= last:
                places.append((path, first, last))
            case _:
                raise ValueError(f'"{name}" must hold [path, first line, last line], not {each!r}')
    if not places:
        raise ValueError(f'"{name}" must be a list of at least one [path, first line, last line]')
    return tuple(places)
