"""Converts documentation comments written in XML, as in C#, to plain text in the order of their paragraphs."""

from __future__ import annotations

import re
from html import unescape

# Bounded, as files hold runs of anything of any length.
_REFERENCE = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\s{1,40}(?:cref|name|langword|href)=[\"'](?:[A-Z]:)?([^\"'<>]{1,300})[\"']\s{0,40}/>"
)
_NAMED = re.compile(
    r"<(?P<tag>param|typeparam|exception)\s{1,40}(?:name|cref)=[\"'](?:[A-Z]:)?(?P<name>[^\"'<>]{1,300})[\"']\s{0,40}>"
)
_SECTION = re.compile(r"</?(?:summary|remarks|returns|value|example|para|param|typeparam|exception)>")
_CODE = re.compile(r"<c>([^<>`\n]{1,300})</c>")
_ELEMENT = re.compile(r"</?[a-zA-Z][^<>]{0,600}>")
_LABELS = {"exception": "raises"}


def without_markup(text: str) -> str:
    """Return what the elements hold: references by name, sections apart, those of parameters with their names."""
    text = _REFERENCE.sub(lambda found: f"`{found[1].replace('{', '&lt;').replace('}', '&gt;')}`", text)
    text = _CODE.sub(r"`\1`", text)
    text = _NAMED.sub(lambda found: f"\n\n:{_LABELS.get(found['tag'], 'param')} {found['name']}: ", text)
    text = text.replace("<returns>", "\n\n:returns: ")
    text = _ELEMENT.sub("", _SECTION.sub("\n\n", text))
    paragraphs = (part.strip() for part in re.split(r"\n[ \t]*+\n\s*+", text))
    return unescape("\n\n".join(part for part in paragraphs if part))
