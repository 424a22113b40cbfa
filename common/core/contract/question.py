"""What a question mentions: parts of cgrag.type.v1.Classification."""

from __future__ import annotations

from dataclasses import dataclass, replace

_LONGEST_NAME = 4096


@dataclass(frozen=True, slots=True)
class StackFrame:
    """One frame of a stack trace, path and function as written; `line` is from 1, 0 if the trace has none."""

    path: str = ""
    line: int = 0
    function: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Anchors:
    """Mentions in a text that can be looked up, each list in order of first mention, without duplicates."""

    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    frames: tuple[StackFrame, ...] = ()
    exceptions: tuple[str, ...] = ()
    error_messages: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    def of_likely_length(self) -> Anchors:
        """
        Return the anchors without those longer than any name or path.

        Nothing has such a name: every lookup would fail, and a retriever refuses the whole request.
        """
        names = ("paths", "symbols", "exceptions", "keywords")
        kept = {name: tuple(each for each in getattr(self, name) if len(each) <= _LONGEST_NAME) for name in names}
        return replace(self, **kept)


NO_ANCHORS = Anchors()
