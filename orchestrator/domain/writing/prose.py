"""Extracts sentences from the documentation of symbols and from pages, without their markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

# Bounded, as pages may hold runs of anything of any length.
_FIELD_LIST = re.compile(
    r"^[ \t]*+(?::\w+|@\w+|swagger:\w+|Args:|Arguments:|Parameters|Params?:|Returns?:|Raises:|>>>|\.\. "
    r"|\S[^\n]{0,60}\n[ \t]*-{3,}[ \t]*$)",
    re.MULTILINE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b[Ee]\.g\.)(?<!\b[Ii]\.e\.)(?=\s+[A-Z`\"'(]|\s*$)")
_ROLE = re.compile(r":[\w:]{1,60}:`~?\.?([^`<]{1,300}?)(?:\s*<[^>`]{0,300}>)?`")
_REFERENCE = re.compile(r"`([^`<]{1,200}?)(?:\s*<[^>`]{0,300}>)?`__?(?!\w)")
# Text that looks like a label of evidence ("[1]" of a bibliography), or code, in which brackets are indexes.
_LABEL = re.compile(r"(`+[^`]*+`+)|(?:(?<!\w)\[\s*+E?|\[\s*+E)(\d{1,3}+[^\[\]\n]{0,200}+)\]_?")
# `{@link Shop#sell(Item) sells}` of Java and TypeScript reads "sells".
_INLINE_TAG = re.compile(
    r"\{@(code|literal|link|linkplain|value)\s+#?([^{}\s(]{1,200}(?:\([^{}()]{0,200}\))?)([^{}]{0,200})\}"
)
_HTML = re.compile(
    r"(?:(?<![`\w])<|(?<!`)</)(?:a|b|i|em|strong|code|pre|p|br|ul|ol|li|sup|sub|span|div|img|h\d)(?:\s[^<>]{0,300})?/?>"
    r"|<br ?/?>(?=[ \t]*$)|<!--[^<>]{0,400}-->|&#x?[0-9a-fA-F]{2,6};",
    re.MULTILINE,
)
# Lists in pages that the index generates are no prose.
_LISTED = re.compile(r"^(?:Public symbols|Modules):\n(?:[ \t]*+- [^\n]*+(?:\n|\Z))*+", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A\s*+---\n(?:[^\n]*+\n)*?---[ \t]*+(?:\n|\Z)")
"""Front matter of a page."""
_RULE = re.compile(r"\s*[=\-~^*]{3,}\s*")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,200})\]"
    r"(?:\([^()\n]{0,300}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\)|\[[^\[\]\n]{0,60}\])"
)
"""A link of Markdown, whose target may not resolve where the page is quoted."""
_SET_OFF = re.compile(
    r"(?!\.\.)\S[^\n]*::[ \t]*\Z"
    r"|\.\. (?:autosummary|code|code-block|csv-table|doctest|graphviz|image|include|ipython|list-table|literalinclude"
    r"|math|mermaid|parsed-literal|plot|raw|sourcecode|table|testcode|testoutput|testsetup|toctree)::"
)
"""Line that introduces an indented block that is no prose; the bodies of notes and of `.. function::` are prose."""
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,2}[.)]) (?:\[[ xX]\] )?", re.MULTILINE)
_ADMONITION = re.compile(
    r"^[ \t]*+(?:(?:!{3}|\?{3}\+?|:::)(?:[ \t]*+\w+)?(?:[ \t]+\"[^\"\n]*\")?|>[ \t]*\[!\w+\])[ \t]*$", re.MULTILINE
)
"""Lines that begin or end a note or warning in Markdown."""
_MARKUP_LINE = re.compile(
    r"\s*(?:#|\||[=\-~^*]{3,}|\.\. |:\w+:|- (?:async def|def|class) |(?:Public symbols|Uses|Used by|Part of|Concepts):)"
)
_LEAST_WORDS = 4
"""A paragraph of fewer words is a label or a badge."""


def unlabelled(text: str) -> str:
    """
    Return foreign text in which nothing looks like a citation of this answer: "[1]" becomes "(1)".

    A code mark that a cut left open is closed, or it would take what follows for code.
    """
    plain_text = _LABEL.sub(lambda found: found[1] or f"({found[2]})", text)
    return plain_text + "`" if plain_text.count("`") % 2 else plain_text


def opening_sentences(text: str, max_sentences: int, max_chars: int) -> str:
    """Return the first sentences of a text on one line, whole ones while they fit; fields of a docstring end it."""
    shown = _LISTED.sub("", text)
    body = _without_roles(without_tags(shown)).strip()
    fields = _FIELD_LIST.search(body)
    paragraphs = [" ".join(each.split()) for each in (body[: fields.start()] if fields else body).split("\n\n")]
    kept: list[str] = []
    for sentence in (part.strip() for each in paragraphs for part in _SENTENCE_END.split(each) if part.strip()):
        # A sentence that only introduces the next one says nothing by itself.
        is_over = len(" ".join((*kept, sentence))) > max_chars or sentence.endswith(":")
        if kept and (is_over or len(kept) == max_sentences):
            break
        kept.append(sentence)
    return shortened(" ".join(kept), max_chars)


def telling_sentences(text: str, terms: AbstractSet[str], max_sentences: int, max_chars: int) -> str:
    """
    Return sentences of the paragraph with most of the terms: first the one with most, then those that add most terms.

    Of equals, the nearest to a chosen sentence is taken, then the first. "…" stands for omitted sentences between two.
    """
    joined = [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]
    paragraphs = [[part for part in _SENTENCE_END.split(each) if part.strip()] for each in joined]
    best = max(paragraphs, key=lambda each: len(terms & count_terms(" ".join(each)).keys()), default=[])
    found = [terms & count_terms(each).keys() for each in best]
    kept: list[int] = []
    for _ in range(min(max_sentences, len(best))):
        told = {term for at in kept for term in found[at]}
        rest = [at for at in range(len(best)) if at not in kept]
        kept.append(
            max(rest, key=lambda at: (len(found[at] - told), -min((abs(at - each) for each in kept), default=0), -at))
        )
    kept.sort()
    pieces = [best[at].strip() if at - 1 in kept or at == kept[0] else f"… {best[at].strip()}" for at in kept]
    return shortened(" ".join(pieces), max_chars)


def plain(text: str) -> str:
    """Return the paragraphs of a page without code blocks, headings, badges, tables and other markup."""
    text = _ADMONITION.sub("", _FRONT_MATTER.sub("", text))
    text = _LISTED.sub("", re.sub(r"```.*?(?:```|\Z)", "", text, flags=re.DOTALL))
    given = list(_without_literals(without_tags(_without_roles(_unlinked(text))).splitlines()))
    # A line above a rule is a heading.
    headings = {at for at, below in enumerate(given[1:]) if _RULE.fullmatch(below)}
    kept = [line for at, line in enumerate(given) if at not in headings and not _MARKUP_LINE.match(line)]
    # Each item of a list is a paragraph of its own.
    paragraphs = _ITEM.sub("\n", "\n".join(kept)).split("\n\n")
    return "\n\n".join(each for each in paragraphs if len(each.split()) >= _LEAST_WORDS)


def _unlinked(text: str) -> str:
    """Return text in which links are replaced by their words; a linked picture is removed."""
    return _LINK.sub(_words_of, _LINK.sub(_words_of, text))


def _words_of(link: re.Match[str]) -> str:
    return str(link[1]) if not link[0].startswith("!") and any(map(str.isalnum, link[1])) else ""


def _without_literals(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines without the indented blocks that reStructuredText introduces by two colons."""
    is_code = False
    for line in lines:
        if is_code and (not line.strip() or line[0].isspace()):
            continue
        if is_code:
            yield ""
        is_code = _SET_OFF.match(line) is not None
        yield line.rstrip()[:-1] if is_code else line


def _without_roles(text: str) -> str:
    """Return text in which the roles of reStructuredText are replaced by plain code marks."""
    return _REFERENCE.sub(r"\1", _ROLE.sub(r"`\1`", text)).replace("``", "`")


def without_markup(text: str) -> str:
    """Return a sentence of documentation without roles, tags and text that looks like a label."""
    return unlabelled(without_tags(_without_roles(text)))


def without_tags(text: str) -> str:
    """Return text without HTML elements, and with the inline tags of documentation comments replaced by their text."""
    return _HTML.sub("", _INLINE_TAG.sub(_read_out, text))


def _read_out(tag: re.Match[str]) -> str:
    label = tag[3].strip()
    if label and tag[1].startswith("link"):
        return label
    return f"`{(tag[2] + tag[3]).strip().replace('#', '.')}`"


def shortened(text: str, max_chars: int) -> str:
    """Return a text cut between words."""
    if len(text) <= max_chars:
        return text
    return text[:max_chars].rsplit(" ", 1)[0].rstrip(",;:") + " …"
