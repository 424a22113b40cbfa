"""Puts into one sentence why a mode was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classifier.domain.values import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

ABOUT = {
    Mode.CONCEPTUAL: "what something is or how it is used",
    Mode.DIAGNOSTIC: "why something fails",
    Mode.EXPLORATORY: "how control or data flows",
    Mode.ANALYTICAL: "structure, quality or design",
}
_SAID = {
    "failure": "speaks of a failure",
    "wrongness": "reports wrong behaviour",
    "negation": "says that something does not happen",
    "restraint": "says that something should not be so",
    "report": "has the form of a bug report",
    "request": "proposes something",
    "wish": "wants something added or changed",
    "performance": "asks about performance",
    "architecture": "speaks of architecture",
    "rationale": "asks for the reason behind a design",
    "quality": "asks about quality or coupling",
    "redesign": "asks about restructuring",
    "consequence": "asks about consequences",
    "relation": "asks how parts relate",
    "flow": "speaks of a flow",
    "trace": "asks to follow a path",
    "coordination": "asks how parts work together",
    "mechanism": "asks how something is done",
    "location": "asks where something is",
    "purpose": "asks what something means or is for",
    "answer": "asks how something is done",
    "together": "asks how parts work together",
    "choice": "asks about a choice of design",
    "cost": "asks what something costs or affects",
    "howto": "asks how to use something",
    "frames": "shows a stack trace",
    "exceptions": "names an exception type",
    "messages": "quotes an error message",
    "symbols": "names symbols",
    "paths": "names files",
    "bug_tag": "is marked as a bug",
    "feature_tag": "is marked as a feature request",
    "from_to": "asks for the way from one point to another",
}
_OPENS = "opens with"
MOST_REASONS = 2


def explain(mode: Mode, features: Sequence[str]) -> str:
    """Say what the question is about and which of its features say so, strongest first."""
    said: list[str] = []
    for name in features:
        phrase = _opening(name) or _SAID.get(name.partition(":")[2])
        is_second_opening = phrase is not None and phrase.startswith(_OPENS) and any(s.startswith(_OPENS) for s in said)
        if phrase and phrase not in said and not is_second_opening:
            said.append(phrase)
    if not said:
        return f"The question is about {ABOUT[mode]}."
    return f"The question is about {ABOUT[mode]}: it {' and '.join(said[:MOST_REASONS])}."


def _opening(name: str) -> str:
    kind, _, words = name.partition(":")
    return f'{_OPENS} "{words}"' if kind == "opens" else ""
