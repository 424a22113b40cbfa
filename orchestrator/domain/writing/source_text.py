"""Reads what a piece of source says about itself: summary, signature, raise sites and the lines that matter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence import Evidence

# A docstring may end at a cut.
_DOCSTRING = re.compile(
    r"""^[ \t]*[rRuU]?(\"\"\"|''')(.*?)(?:\1|^\0|^\s*\.\.\. \(\d+ lines? cut\)|\Z)""",
    re.DOTALL | re.MULTILINE,
)
_BLOCK_COMMENT = re.compile(r"/\*\*?(.*?)(?:\*/|\Z)", re.DOTALL)
_LINE_COMMENTS = re.compile(r"\A(?:[ \t]*(?://|#)[^\n]*\n)+")
_MARGIN = re.compile(r"^[ \t]*(?:\*|//+|#+!?)?[ \t]?", re.MULTILINE)
_FIELD_LIST = re.compile(
    r"^\s*(?::\w+|@\w+|Raises: |Changes: |Args:|Arguments:|Parameters|Returns?:|Raises:|>>>|\.\. )", re.MULTILINE
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s+[A-Z`\"'(]|\s*$)")
_DEFINITION = re.compile(
    r"^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|final\s+|async\s+)*"
    r"(?:def|class|function|func|interface|type|struct|enum|const|let|var|fn)\b|^\s*[\w<>\[\], .]+\([^;]*\)\s*\{"
)
_RAISE = re.compile(r"^\s*(?:raise|throw)\s+(?:new\s+)?([A-Za-z_][\w.]*)")
_GUARD = re.compile(r"^\s*(?:if|elif|else|except|catch|for|while|case|switch|with|try|}\s*(?:else|catch))\b")
_CUT = re.compile(r"\s*\.\.\. \((\d+) lines? cut\)\s*")
_ABSENT = "\0"
_ROLE = re.compile(r":[\w:]+:`~?\.?([^`<]+?)(?:\s*<[^>]*>)?`")
_RULE = re.compile(r"\s*[=\-~^*]{3,}\s*")
_BULLET = re.compile(r"^\s*[-*] ")
_COMMENT = re.compile(r"\s*(?:#|//|\*|/\*)")
_MARKUP_LINE = re.compile(
    r"\s*(?:#|\||[=\-~^*]{3,}|\.\. |:\w+:|- (?:async def|def|class) |(?:Public symbols|Uses|Used by):)"
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Whole lines of a piece of evidence with their numbers, as they stand in the file."""

    path: str
    start_line: int
    lines: tuple[str, ...]

    @property
    def end_line(self) -> int:
        """Return the number of the last line."""
        return self.start_line + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """A statement that raises, with the condition that it stands under; "" if it stands under none."""

    exception: str
    guard: str
    excerpt: Excerpt


def summary(text: str, *, max_sentences: int = 2, max_chars: int = 320) -> str:
    """Return the first sentences of the docstring or leading comment of source text; "" if it has none."""
    head = "\n".join(text.splitlines()[:40])
    for pattern in (_DOCSTRING, _BLOCK_COMMENT):
        match = pattern.search(head)
        if match:
            return opening_sentences(match.group(match.lastindex or 1), max_sentences, max_chars)
    match = _LINE_COMMENTS.match(head)
    return opening_sentences(match[0], max_sentences, max_chars) if match else ""


def card_summary(text: str) -> str:
    """Return the first sentences behind the declaration that a symbol's documentation begins with."""
    head, _, body = text.partition("\n\n")
    is_declared = _DEFINITION.match(head) or "(" in head.split("\n", 1)[0]
    return opening_sentences(body if is_declared else text, 2, 320)


def opening_sentences(text: str, max_sentences: int, max_chars: int) -> str:
    """Return the first sentences of a text on one line, whole ones while they fit."""
    plain = _MARGIN.sub("", text).strip()
    cut = _FIELD_LIST.search(plain)
    paragraphs = [" ".join(each.split()) for each in (plain[: cut.start()] if cut else plain).split("\n\n")]
    sentences = [part.strip() for each in paragraphs if each for part in _SENTENCE_END.split(each) if part.strip()]
    kept: list[str] = []
    for sentence in sentences[:max_sentences]:
        if kept and len(" ".join((*kept, sentence))) > max_chars:
            break
        kept.append(sentence)
    return _shortened(" ".join(kept), max_chars)


def signature(text: str) -> str:
    """Return the declaration of source text on one line, without its body; "" if none is found."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if _DEFINITION.match(line):
            return _declaration(lines[at : at + 12])
    return ""


def raise_sites(evidence: Evidence) -> tuple[RaiseSite, ...]:
    """Return the raising statements of shown source, in order of line."""
    lines = _numbered_lines(evidence)
    return tuple(_raise_site(evidence, lines, at, match[1]) for at, match in _matches(lines, _RAISE))


def best_excerpt(evidence: Evidence, wanted: frozenset[str], *, max_lines: int = 8) -> Excerpt | None:
    """
    Return the run of lines that shares most terms with the question; the first of equals.

    Signature and docstring do not count: they are told elsewhere. None if nothing is shared or the place is unknown.
    """
    lines = _numbered_lines(evidence)
    first = _body_start(lines)
    scores = [_line_score(line, wanted) for line in lines]
    best, best_score = -1, 0.0
    for at in range(first, len(lines)):
        score = sum(scores[at : at + max_lines]) if lines[at].strip() else 0.0
        if score > best_score + 1e-9:
            best, best_score = at, score
    if best < 0:
        return None
    last = max(at for at in range(best, min(best + max_lines, len(lines))) if scores[at] > 0)
    return _excerpt(evidence, lines, best, min(len(lines), max(last + 1, best + 3)))


def prose(text: str) -> str:
    """Return documentation without code blocks, headings, tables and other markup."""
    plain = _ROLE.sub(r"`\1`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)).replace("``", "`")
    given = plain.splitlines()
    # A line above a rule is a heading.
    headings = {at for at, below in enumerate(given[1:]) if _RULE.fullmatch(below)}
    kept = [line for at, line in enumerate(given) if at not in headings]
    lines = [line for line in kept if not _MARKUP_LINE.match(line) and not _CUT.fullmatch(line)]
    # Each item of a list is a paragraph of its own.
    return "\n".join(_BULLET.sub("\n", line) for line in lines)


def relevant_sentences(text: str, wanted: frozenset[str], *, limit: int = 2) -> str:
    """Return the sentences of prose that share most terms with the question, in order of the text."""
    paragraphs = [" ".join(part.split()) for part in prose(text).split("\n\n")]
    whole = [each.strip() for part in paragraphs for each in _SENTENCE_END.split(part) if not part.startswith(">>>")]
    # A sentence that ends in a colon introduces something that would be missing.
    sentences = [each for each in whole if len(each.split()) > 3 and each.endswith((".", "!", "?")) and _is_whole(each)]
    shared = [len(wanted & set(count_terms(each))) for each in sentences]
    # One common word of several says nothing.
    least = 2 if len(wanted) > 2 else 1
    ranked = sorted(range(len(sentences)), key=lambda at: (-shared[at], at))
    best = [(at, sentences[at]) for at in ranked[:limit] if shared[at] >= least]
    return " ".join(_shortened(sentence, 300) for _, sentence in sorted(best))


def _is_whole(sentence: str) -> bool:
    """Tell a sentence from the rest of one that was split at an abbreviation."""
    return sentence.count(")") <= sentence.count("(") and not sentence[0].islower()


def _numbered_lines(evidence: Evidence) -> list[str]:
    """
    Return the lines of the span, `_ABSENT` in place of each that was cut.

    Empty where the text is not the span's own lines, such as the outline of a long class: nothing can be quoted then.
    """
    lines: list[str] = []
    for line in evidence.text.splitlines():
        cut = _CUT.fullmatch(line) if evidence.truncated_lines else None
        lines += [_ABSENT] * int(cut[1]) if cut else [line]
    span = evidence.span
    if span is None or (span.start_line and len(lines) != span.end_line - span.start_line + 1):
        return []
    return lines


def _matches(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for at, line in enumerate(lines):
        match = pattern.match(line)
        if match:
            yield at, match


def _raise_site(evidence: Evidence, lines: Sequence[str], at: int, exception: str) -> RaiseSite:
    end = at + 1
    depth = _depth(lines[at])
    while depth > 0 and end < min(len(lines), at + 8):
        depth += _depth(lines[end])
        end += 1
    guard = _guard_above(lines, at)
    start = guard if guard is not None and at - guard <= 6 else at
    text = lines[guard].strip().rstrip("{").rstrip().rstrip(":") if guard is not None else ""
    return RaiseSite(exception.rpartition(".")[2], text, _excerpt(evidence, lines, start, end))


def _guard_above(lines: Sequence[str], at: int) -> int | None:
    indent = _indent(lines[at])
    for above in range(at - 1, -1, -1):
        if lines[above] == _ABSENT:
            return None
        if lines[above].strip() and _indent(lines[above]) < indent:
            return above if _GUARD.match(lines[above]) else None
    return None


def _excerpt(evidence: Evidence, lines: Sequence[str], start: int, end: int) -> Excerpt:
    """Return the lines from `start`, up to `end` or the first that was cut."""
    whole = next((at for at in range(start, end) if lines[at] == _ABSENT), end)
    span = evidence.span
    assert span is not None, "only text with a place has numbered lines"
    return Excerpt(span.path, max(1, span.start_line) + start, tuple(lines[start:whole]))


def _body_start(lines: Sequence[str]) -> int:
    text = "\n".join(lines[:60])
    match = _DOCSTRING.search(text)
    if match and text[: match.start()].count("\n") < 16:
        return text[: match.end()].count("\n") + 1
    at = next((at for at, line in enumerate(lines) if _DEFINITION.match(line)), -1)
    return at + 1


def _line_score(line: str, wanted: frozenset[str]) -> float:
    if _COMMENT.match(line):
        return 0.0
    shared = len(wanted & set(count_terms(line)))
    return shared + (0.25 if re.match(r"\s*(?:return|raise|throw|yield)\b", line) else 0.0)


def _declaration(lines: Sequence[str]) -> str:
    taken: list[str] = []
    for line in lines:
        if not line.strip():
            break
        taken.append(line.strip())
        joined = " ".join(taken)
        if joined.endswith((":", "{", ";")) and joined.count("(") <= joined.count(")"):
            break
    return _shortened(re.sub(r"\(\s+", "(", re.sub(r",?\s+\)", ")", " ".join(taken))).rstrip(":{; "), 160)


def _depth(line: str) -> int:
    return sum(line.count(each) for each in "([{") - sum(line.count(each) for each in ")]}")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _shortened(text: str, max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    return text[:max_chars].rsplit(" ", 1)[0].rstrip(",;:") + " …"
