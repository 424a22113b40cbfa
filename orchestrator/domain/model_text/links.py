"""
Disarms images, links and addresses in the markdown of a model that lead outside the repository.

Evidence may contain instructions that the model follows (prompt injection), and a viewer of its text may load an image
or follow a link. The address stays readable, in code marks; links with a relative path stay links.
"""

from __future__ import annotations

import re

from orchestrator.domain.model_text.markdown_code import Kind, MarkdownLexer

_SCHEMES = ("http", "https", "ftp", "ftps", "file", "data", "javascript", "vbscript", "mailto", "ws", "wss", "blob")
_NAMES = "|".join(sorted(_SCHEMES, key=len, reverse=True))
_STARTS = "|".join(
    sorted({each[:end] for each in (*_SCHEMES, "www") for end in range(1, len(each) + 1)}, key=len)[::-1]
)
# Includes characters that a browser removes from an address or reads as a slash, so that they cannot hide one.
_OUTWARD = re.compile(r"[\s\x00-\x20]*+(?:[a-z][a-z0-9+.\s-]*+:|[/\\]\s*+[/\\]|[^)\s]*&[#\w])", re.IGNORECASE)
_START = re.compile(r"[\]\[<]|(?<![\w+.-])[bdfhjmvw]", re.IGNORECASE)
_FOUND = re.compile(
    r"(?P<link>\]\(\s*+)(?P<target><[^<>\n]*+>|[^()\[\]\s<]*+(?:\([^()\[\]\s<]*+\)[^()\[\]\s<]*+)*+)"
    r"|(?P<defined>\[[^\]\n]{1,200}+\]:\s*+)(?P<place>[^\s\[\]]++)"
    rf"|(?P<auto><(?=(?:{_NAMES}):)(?P<inner>[^<>\s]*+)>)"
    r"|(?P<tag><(?=/?[A-Za-z!])(?=[^<>]{0,2000}?\b(?:href|src|srcset|poster|data|action|formaction|background|style|on\w+)\s*=))"
    rf"|(?P<url>(?:(?:{_NAMES})://|www\.|(?:mailto|data|javascript|vbscript):(?=[^\s<>`\[\]]))[^\s<>`\[\]]*+)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:\](?:\(\s*+(?:<[^<>\n]*+|[^\s<\[\]]*+)?)?"
    r"|\[[^\]\n]{0,200}+(?:\](?::\s*+[^\s\[\]]*+)?)?"
    r"|<(?:[A-Za-z/!][^<>]{0,2000}+)?"
    rf"|(?:{_NAMES}):[^\s<>`\[\]]*+|www\.[^\s<>`\[\]]*+|(?:{_STARTS}))\Z",
    re.IGNORECASE,
)
"""A match at the end of the input that more text may continue."""
_TRAILING = ".,;:!?'\")*_]}"


class LinkDisarmer:
    """Rewrites links and images that lead outside, while the text streams; code is left alone."""

    def __init__(self) -> None:
        self._lexer = MarkdownLexer()
        self._held = ""
        self._last = "\n"

    def feed(self, text: str) -> str:
        """Take more text and return the part that is final."""
        self._lexer.feed(text)
        return self._settle(is_end=False)

    def finish(self) -> str:
        """Return the rest, after the last piece."""
        return self._settle(is_end=True)

    def _settle(self, *, is_end: bool) -> str:
        shown = []
        while segment := self._lexer.read(is_end=is_end):
            text = self._lexer.take(segment)
            if segment.kind is Kind.TEXT:
                self._held += text
                shown.append(self._release(is_end=False))
            else:
                shown += (self._release(is_end=True), text)
                self._last = text[-1:]
        if is_end:
            shown.append(self._release(is_end=True))
        return "".join(shown)

    def _release(self, *, is_end: bool) -> str:
        # The preceding character decides whether a word begins.
        shown: list[str] = []
        text, at = self._last + self._held, 1
        settled, position = len(text), 1
        while start := _START.search(text, position):
            if not is_end and _OPEN.match(text, start.start()):
                settled = start.start()
                break
            found = _FOUND.match(text, start.start())
            position = start.end()
            if found and (safe := _disarmed(found)) != found[0]:
                shown += (text[at : found.start()], safe)
                at = position = found.end()
        self._held, self._last = text[settled:], text[settled - 1]
        return "".join((*shown, text[at:settled]))


def _disarmed(found: re.Match[str]) -> str:
    if found["link"]:
        target = found["target"].strip("<>")
        return f"] ({_code(target)}" if _OUTWARD.match(target) else found[0]
    if found["defined"]:
        return f"{found['defined']}{_code(found['place'])}" if _OUTWARD.match(found["place"]) else found[0]
    if found["tag"]:
        return "&lt;"
    if found["auto"]:
        return _code(found["inner"])
    url = found["url"].rstrip(_TRAILING)
    return _code(url) + found["url"][len(url) :]


def _code(address: str) -> str:
    return f"`{address.replace('`', '%60')}`"
