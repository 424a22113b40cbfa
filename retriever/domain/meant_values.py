"""What values of lines can be meant: told by themselves, by a constant, or only passed on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.asked.setting import folded

if TYPE_CHECKING:
    from retriever.domain.asked.setting import AskedSetting
    from retriever.domain.assignments import Assignment
    from retriever.domain.values import File

_TEXT = re.compile(r"\"[^\"\d][^\"]*\"|'[^'\d][^']*'|`[^`\d][^`]*`")
"""A text that is no number."""
_PLAIN = re.compile(r"[\"'\d\-.]|true\b|false\b", re.IGNORECASE)
_UNQUOTED = re.compile(r"[\w.:/@-]{1,100}")
CONSTANT = re.compile(
    r"(?<![\w\"'`])(?:_*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[Dd]efault[A-Z]\w+|(?<=[a-z]\.)[A-Z][A-Z0-9]{2,})\b(?![\"'`(])"
)
_LISTED = re.compile(r"[\w.&<>*\[\]]{0,30}[\[({]+\s*(?:[\"'`\d-]|[A-Z]\w*[.,])")
"""A list of plain values."""


def is_naming(assignment: Assignment, name: str) -> bool:
    """Tell a line that only says by what text a name goes, or under which a text is found."""
    return folded(assignment.value.rpartition(".")[2]) == folded(name) and assignment.value[:1] in "\"'`"


def is_passed_on(assignment: Assignment) -> bool:
    """Tell a value that comes from what is called alike."""
    return folded(re.split(r"[.>]", assignment.value)[-1]) == folded(assignment.keys[-1].rpartition(".")[2])


def is_telling(value: str, *, for_number: bool) -> bool:
    """Tell a value that a description can mean: a number, a text, a constant, or what is looked up with one of them."""
    if for_number:
        return re.search(r"(?<!\w)\d", _TEXT.sub("", value)) is not None or CONSTANT.search(value) is not None
    return (
        _PLAIN.match(value) is not None
        or _LISTED.match(value) is not None
        or re.search(r"\(.*(?:[\"'`]|(?<!\w)\d)", value) is not None
        or CONSTANT.search(value) is not None
    )


def is_word(value: str, file: File, asked: AskedSetting) -> bool:
    """Tell a text that a file of configuration writes without quotes."""
    return not (file.language or asked.for_number) and _UNQUOTED.fullmatch(value) is not None
