"""
Prompts as data files: a header that declares name, version, variables and longest answer, then the text.

    name: classify
    version: 1
    variables: question
    max_tokens: 200
    ---
    Classify the question below.
    {{question}}
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_HEADER_KEYS = frozenset({"name", "version", "variables", "max_tokens"})
_PLACE = re.compile(r"\{\{(\w+)\}\}")


class PromptError(Exception):
    """A prompt file or the values given to it do not fit what the header declares."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """
    One prompt.

    Args:
        variables: Names of the values that the text needs; no others may be given.
        max_tokens: Limit of the answer in tokens.
        sha256: First 12 hexadecimal digits of the file's SHA-256; for the logs.
    """

    name: str
    version: int
    variables: frozenset[str]
    max_tokens: int
    text: str
    sha256: str

    def render(self, **values: str) -> str:
        """Put values into the text; what they contain is not expanded again. Raises PromptError."""
        if values.keys() != self.variables:
            raise PromptError(f"{self.name}: needs {sorted(self.variables)}, got {sorted(values)}")
        return _PLACE.sub(lambda place: values[place[1]], self.text)


def read_prompt(path: Path) -> Prompt:
    """
    Read a prompt file.

    Raises:
        PromptError: if the header lacks or has unknown entries, or the text uses other variables than declared.
    """
    content = path.read_text(encoding="utf-8")
    head, _, text = content.partition("\n---\n")
    header = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in head.splitlines())}
    if header.keys() != _HEADER_KEYS:
        raise PromptError(f"{path.name}: the header must have {sorted(_HEADER_KEYS)}, has {sorted(header)}")
    variables = frozenset(header["variables"].replace(",", " ").split())
    used = frozenset(_PLACE.findall(text))
    if used != variables:
        raise PromptError(f"{path.name}: declares {sorted(variables)}, uses {sorted(used)}")
    digest = hashlib.sha256(content.encode()).hexdigest()[:12]
    return Prompt(header["name"], int(header["version"]), variables, int(header["max_tokens"]), text.strip(), digest)
