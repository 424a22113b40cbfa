"""Reads what documentation says: docstrings, comments and pages."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from common.core.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

# A docstring may end at a cut.
_DOCSTRING = re.compile(
    r"""^[ \t]*[rRuU]?(\"\"\"|''')(?:\\\n)?(.*?)(?:\1|^\0|^[ \t]*+\.\.\. \(\d+ lines? cut\)|\Z)""",
    re.DOTALL | re.MULTILINE,
)
# Further down a comment is about what follows it there.
_BLOCK_COMMENT = re.compile(r"\s*+/\*\*?(.*?)(?:\*/|\Z)", re.DOTALL)
PRIVATE = r"#[A-Za-z_$][\w$]*[ \t]*[(=<;]"
"""How the line of a private member of JavaScript begins, which is no comment."""
# `#[test]` of Rust and `#include` of C are no comments, either.
_DIRECTIVE = r"#!?\[|#[ \t]*(?:define|elif|else|endif|if|ifdef|ifndef|include|pragma|undef)\b"
_LINE_COMMENTS = re.compile(rf"\A(?:[ \t]*(?!{PRIVATE}|{_DIRECTIVE})(?://|#)[^\n]*\n)+")
_MARGIN = re.compile(r"^[ \t]*(?:\*(?!\*|\w[^*\n]{0,80}\*)|//+|#+!?)?[ \t]?", re.MULTILINE)
_EMPHASIS = re.compile(r"\s*(\*{1,3}|_{2,3})[^*\n]{1,80}\1:?\s*")
"""A line that is set off as a whole is a heading."""
_FIELD_LIST = re.compile(
    r"^[ \t]*+(?::\w+|@\w+|swagger:\w+|Raises: |Changes: |Args:|Arguments:|Parameters|Params?:|Returns?:|Raises:|>>>"
    r"|\.\. |\S[^\n]{0,60}\n[ \t]*-{3,}[ \t]*$)",
    re.MULTILINE,
)
# What a docstring says of its parameters, without a heading.
_NAMED_LINES = re.compile(r"(?:[ \t]*+\w+: [^\n]*(?:\n|\Z)){2,}")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b[Ee]\.g\.)(?<!\b[Ii]\.e\.)(?=\s+[A-Z`\"'(]|\s*$)")
_DECLARATION = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|async|pub|partial|readonly|"
    r"virtual|override|unsafe|open|data|inline)\s+)*"
    r"(?:def|class|function|func|interface|type|struct|enum|record|trait|fn|const|let|var|macro_rules!|mod|module|namespace|"
    r"object|union)(?!\w)|[^\n]*\("
)
# A declaration over more lines than this is none.
_MAX_HEAD_LINES = 16
_CUT_MARK = re.compile(r"\.\.\. \(\d+ lines? cut\)")
_CUT = re.compile(rf"\s*{_CUT_MARK.pattern}\s*")
# Bounded, as pages may hold runs of anything of any length.
_ROLE = re.compile(r":[\w:]{1,60}:`~?\.?([^`<]{1,300}?)(?:\s*<[^>`]{0,300}>)?`")
_REFERENCE = re.compile(r"`([^`<]{1,200}?)(?:\s*<[^>`]{0,300}>)?`__?(?!\w)")
# What reads like a label of evidence ("[1]" of a list of literature), and code, in which brackets are indexes.
_LABEL = re.compile(r"(`+[^`]*+`+)|(?:(?<!\w)\[\s*+E?|\[\s*+E)(\d{1,3}+[^\[\]\n]{0,200}+)\]_?")
# `{@link Shop#sell(Item) sells}` of Java and TypeScript reads "sells".
_INLINE_TAG = re.compile(
    r"\{@(code|literal|link|linkplain|value)\s+#?([^{}\s(]{1,200}(?:\([^{}()]{0,200}\))?)([^{}]{0,200})\}"
)
_HTML = re.compile(
    r"(?:(?<![`\w])<|(?<!`)</)(?:a|b|i|em|strong|code|pre|p|br|ul|ol|li|sup|sub|span|div|img|h\d)(?:\s[^<>]{0,300})?/?>"
    r"|<br ?/?>(?=[ \t]*$)|&#x?[0-9a-fA-F]{2,6};",
    re.MULTILINE,
)
# `:param int limit: at most so many` of a page tells of `limit`.
_FIELD = re.compile(
    r"^[ \t]*:(?:param|parameter|arg|keyword|attr|ivar|cvar)(?: [\w.\[\], |]{1,60})? (\w{1,60}):[ \t]*", re.MULTILINE
)
# What a page of the index lists is no prose.
_LISTED = re.compile(r"^(?:Public symbols|Modules):\n(?:[ \t]*+- [^\n]*+(?:\n|\Z))*+", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A\s*+---\n(?:[^\n]*+\n)*?---[ \t]*+(?:\n|\Z)")
"""What the makers of a page tell the program that renders it."""
_RULE = re.compile(r"\s*[=\-~^*]{3,}\s*")
_LEANS_BACK = re.compile(
    r"(?:This|It|These|Those|That|They|Then|Thus|Also|Only|See|However|Otherwise|Instead|So|But|And|Or|Therefore|Here)\b"
    r"|The (?:following|callable|value|argument|parameter|above|latter|former)\b"
    r"|(?:If|When|Unless) (?:not |it |it's )?(?:set|enabled|disabled|given|specified|provided|true|false|empty)\b"
    r"|(?:[\w'-]+ ){1,4}(?:this|these|it|them)"
    r"(?= (?:when|if|will|is|are|was|may|can|could|should|to|for|as|at|with)\b|[,.;])"
)
_DENIES = re.compile(
    r"(?:[\w'`-]+ ){0,6}?(?:can|could|did|do|does|has|have|is|are|was|were|will)(?:n['\u2019]t| ?not)"
    r"(?: [\w'`-]+){0,4}\."
)
"""A short sentence that takes back what the one before it says of others: "Ours does not."."""
_QUOTED_CHARS = 400
_LEANING = 0.6
"""What a sentence counts that leans on the one before it."""
_CODE = re.compile(r"::|\b(?:def|class) \w+\(|\bself\.\w|\bimport \w|(?<![`\w])\w+ = \w")
_ITEM = re.compile(r"^[ \t]*+(?:\d{1,2}[.)]|[-*+])[ \t]++", re.MULTILINE)
_STEP = re.compile(r"^[ \t]*+\d{1,2}[.)][ \t]++", re.MULTILINE)
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]+(\S[^\n]*)$", re.MULTILINE)
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,200})\]"
    r"(?:\([^()\n]{0,300}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\)|\[[^\[\]\n]{0,60}\])"
)
"""A link of Markdown, whose end means nothing where the page is quoted."""
_BOX = re.compile(r"^([ \t]*+[-*+][ \t]++)\[[ xX]\][ \t]++", re.MULTILINE)
_SET_OFF = re.compile(
    r"(?!\.\.)\S[^\n]*::[ \t]*\Z"
    r"|\.\. (?:autosummary|code|code-block|csv-table|doctest|graphviz|image|include|ipython|list-table|literalinclude"
    r"|math|mermaid|parsed-literal|plot|raw|sourcecode|table|testcode|testoutput|testsetup|toctree)::"
)
"""What introduces lines that are no prose; the body of a note is, and so is that of `.. function::`."""
_BULLET = re.compile(r"^\s*[-*] ")
_ADMONITION = re.compile(
    r"^[ \t]*+(?:(?:!{3}|\?{3}\+?|:::)(?:[ \t]*+\w+)?(?:[ \t]+\"[^\"\n]*\")?|>[ \t]*\[!\w+\])[ \t]*$", re.MULTILINE
)
"""How a note or a warning begins and ends in Markdown."""
_MARKUP_LINE = re.compile(
    r"\s*(?:#|\||[=\-~^*]{3,}|\.\. |:\w+:|- (?:async def|def|class) |(?:Public symbols|Uses|Used by|Part of|Concepts):)"
)


def unlabelled(text: str) -> str:
    """
    Return text of others in which nothing is taken for a citation of this answer: "[1]" becomes "(1)".

    A code mark that a cut left open is closed, or it would take what follows for code.
    """
    plain = _LABEL.sub(lambda found: found[1] or f"({found[2]})", text)
    return plain + "`" if plain.count("`") % 2 else plain


_INHERITED = "{@inheritDoc}"
"""What Javadoc puts in place of the text of what is overridden."""


def summary(text: str, *, max_sentences: int = 2, max_chars: int = 320) -> str:
    """Return the first sentences of the docstring or leading comment of source text; "" if it has none."""
    head = "\n".join(text.splitlines()[:40])
    match = _BLOCK_COMMENT.match(head) or _docstring(head)
    if match:
        inside = match.lastindex or 1
        # A docstring that ends at a cut keeps the mark of it, since its last sentence is broken off.
        end = match.end() if _CUT_MARK.search(match[0]) else match.end(inside)
        return opening_sentences(head[match.start(inside) : end], max_sentences, max_chars)
    match = _LINE_COMMENTS.match(head + "\n")
    return opening_sentences(match[0], max_sentences, max_chars) if match else ""


def card_summary(text: str) -> str:
    """Return the first sentences behind the declaration that a symbol's documentation begins with."""
    head, _, body = text.partition("\n\n")
    return opening_sentences(body if _DECLARATION.match(head) else text, 2, 320)


def opening_sentences(text: str, max_sentences: int, max_chars: int) -> str:
    """Return the first sentences of a text on one line, whole ones while they fit; what only leads on is left out."""
    cut = _CUT_MARK.search(text)
    shown = _LISTED.sub("", _MARGIN.sub("", text[: cut.start()] if cut else text))
    body = without_roles(without_tags(shown)).replace(_INHERITED, "").strip()
    fields = _FIELD_LIST.search(body)
    given = (body[: fields.start()] if fields else body).split("\n\n")
    told = (each for each in given if not _NAMED_LINES.fullmatch(each) and not _EMPHASIS.fullmatch(each))
    paragraphs = [" ".join(_run_in(each).split()) for each in told]
    sentences = [part.strip() for each in paragraphs if each for part in _SENTENCE_END.split(each) if part.strip()]
    kept: list[str] = []
    for sentence in sentences[:max_sentences]:
        if kept and len(" ".join((*kept, sentence))) > max_chars:
            break
        kept.append(sentence)
        if sentence.endswith(":"):
            break  # what follows is not what it leads on to
    whole = (".", "!", "?") if cut and len(kept) == len(sentences) else ("",)
    if len(kept) > 1 and (kept[-1].endswith(":") or not kept[-1].endswith(whole)):
        kept.pop()
    return shortened(" ".join(kept), max_chars)


def _run_in(paragraph: str) -> str:
    """Put the items of a list into the sentence that leads on to them; "1." ends none."""
    head, *items = (each.strip() for each in _ITEM.split(paragraph))
    return _led(head, items) if items and head.endswith(":") else paragraph


def _led(head: str, items: Iterable[str]) -> str:
    return f"{head} {'; '.join(each.rstrip('.;,') for each in items)}."


def plain(text: str) -> str:
    """Return documentation without code blocks, headings, tables and other markup."""
    text = _ADMONITION.sub("", _FRONT_MATTER.sub("", text))
    text = _LISTED.sub("", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    text = without_tags(_FIELD.sub(r"\n`\1`: ", without_roles(_BOX.sub(r"\1", _unlinked(text)))))
    given = list(_without_literals(text.splitlines()))
    # A line above a rule is a heading.
    headings = {at for at, below in enumerate(given[1:]) if _RULE.fullmatch(below)}
    kept = [line for at, line in enumerate(given) if at not in headings]
    lines = [line for line in kept if not _MARKUP_LINE.match(line) and not _CUT.fullmatch(line)]
    # Each item of a list is a paragraph of its own.
    return "\n".join(_BULLET.sub("\n", line) for line in lines)


def items(text: str) -> tuple[str, ...]:
    """Return the items of the lists of a page, each on one line, without those that the index makes of its symbols."""
    told = re.sub(r"```.*?```", "", _LISTED.sub("", text), flags=re.DOTALL)
    return tuple(" ".join(plain(each[1]).split()) for each in _LIST_ITEM.finditer(told))


def _unlinked(text: str) -> str:
    """Return text with the words of links alone; a picture that is one leaves nothing."""
    return _LINK.sub(_words_of, _LINK.sub(_words_of, text))


def _words_of(link: re.Match[str]) -> str:
    return str(link[1]) if not link[0].startswith("!") and re.search(r"\w", link[1]) else ""


def _without_literals(lines: Iterable[str]) -> Iterator[str]:
    """Leave out the code and the lists that reStructuredText sets off by two colons and by its margin."""
    is_code = False
    for line in lines:
        if is_code and (not line.strip() or line[0].isspace()):
            continue
        if is_code:
            yield ""
        is_code = _SET_OFF.match(line) is not None
        yield line.rstrip()[:-1] if is_code else line


def without_roles(text: str) -> str:
    """Return text in which names are marked as code alone, without what reStructuredText says of their kind."""
    return _REFERENCE.sub(r"\1", _ROLE.sub(r"`\1`", text)).replace("``", "`")


def without_tags(text: str) -> str:
    """Return text without elements of HTML, and with the inline tags of documentation comments read out."""
    return _HTML.sub("", _INLINE_TAG.sub(_read_out, text))


def _read_out(tag: re.Match[str]) -> str:
    label = tag[3].strip()
    if label and tag[1].startswith("link"):
        return label
    return f"`{(tag[2] + tag[3]).strip().replace('#', '.')}`"


def relevant_sentences(
    text: str, weights: Mapping[str, float], wanted: re.Pattern[str] | None = None, *, least: int = 0
) -> str:
    """
    Return the sentence of plain text that says most about a question, and one more if it speaks of what that does not.

    What follows a question answers it, and a short denial stays with what it denies.

    Args:
        text: As `plain` returns it.
        weights: Of the question's terms.
        wanted: What one of the sentences is to hold, as a value, if there is one on this page.
        least: Terms that a sentence has to share; 0 for as many as say something by themselves.
    """
    least = least or (2 if len(weights) > 2 else 1)  # one common word of several says nothing
    paragraphs = [" ".join(part.split()) for part in _with_steps(text.split("\n\n"))]
    joined = "\n".join(paragraphs)
    whole = [each.strip() for part in paragraphs for each in _SENTENCE_END.split(part) if not part.startswith(">>>")]
    # A sentence that ends in a colon introduces something that would be missing.
    sentences = [each for each in whole if len(each.split()) > 3 and each.endswith((".", "!", "?")) and _is_whole(each)]
    first = _most_telling(sentences, weights, frozenset(), least)
    if first < 0:
        return ""
    lacks = wanted is not None and not wanted.search(sentences[first])
    holding = [each if lacks and wanted and wanted.search(each) else "" for each in sentences]
    second, after = _most_telling(holding, weights, frozenset(), least), first + 1
    if second < 0:
        second = _most_telling(sentences, weights, set(count_terms(sentences[first])), least)
    asks = sentences[first].endswith("?")
    if (second < 0 or asks) and after < len(sentences) and f"{sentences[first]} {sentences[after]}" in joined:
        second = after if asks or set(weights) & set(count_terms(sentences[after])) else -1
    denied = {each: last for each, last in pairwise(whole) if _DENIES.fullmatch(last) and f"{each} {last}" in joined}
    kept = [sentences[at] for at in sorted({first, second} - {-1})]
    return " ".join(
        " ".join((shortened(each, _QUOTED_CHARS), *([denied[each]] if denied.get(each, each) not in kept else [])))
        for each in kept
    )


def _with_steps(paragraphs: Iterable[str]) -> Iterator[str]:
    """Put counted steps into the sentence that leads on to them; each is a paragraph where that would be too much."""
    lead = ""
    for each in paragraphs:
        head, *steps = (part.strip() for part in _STEP.split(each))
        intro = head or lead
        told = _led(intro, steps)
        is_short = len(told) <= _QUOTED_CHARS and not any(_SENTENCE_END.search(step.rstrip(".")) for step in steps)
        if intro.endswith(":") and len(steps) > 1 and is_short:
            yield told
        else:
            yield from (each,) if not steps else filter(None, (head, *steps))
        lead = each.strip()


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of plain text on one line each."""
    return tuple(each.strip() for each in _SENTENCE_END.split(text) if each.strip())


def leans_back(sentence: str) -> bool:
    """Tell a sentence that speaks of what stands before it."""
    return _LEANS_BACK.match(sentence) is not None


def _most_telling(sentences: Sequence[str], weights: Mapping[str, float], told: AbstractSet[str], least: int) -> int:
    """Return the first of the sentences that add most to what is told; -1 if none adds anything."""
    gains = []
    for each in sentences:
        shared = set(weights) & set(count_terms(each))
        gain = sum(weights[term] for term in sorted(shared - told)) if len(shared) >= least else 0.0
        gains.append(gain * (_LEANING if leans_back(each) else 1.0))
    best = max(range(len(gains)), key=lambda at: (gains[at], -at), default=-1)
    return best if best >= 0 and gains[best] > 0.0 else -1


def _docstring(text: str) -> re.Match[str] | None:
    """Find a docstring; quotes that end another string on a line of their own open none."""
    match = _DOCSTRING.search(text)
    return match if match and text.count(match[1], 0, match.start(1)) % 2 == 0 else None


def parameter(text: str, name: str) -> str:
    """Return what a docstring says of a parameter, on one line; "" if it says nothing of it."""
    docstring = _docstring(text)
    if not docstring:
        return ""
    field = rf":(?:param|parameter|arg|argument|keyword)(?: [\w.\[\], |]{{1,60}})? {re.escape(name)}"
    named = rf"{re.escape(name)}(?: \([^()\n]{{1,60}}\))?"
    found = re.search(rf"^[ \t]*(?:{field}|{named}):[ \t]*((?:[^\n]*\n?){{1,6}})", docstring[2], re.MULTILINE)
    if not found:
        return ""
    lines = found[1].splitlines()
    indent = len(found[0]) - len(found[0].lstrip())
    body = takewhile(lambda line: line.strip() and len(line) - len(line.lstrip()) > indent, lines[1:])
    told = " ".join(" ".join((lines[0] if lines else "", *body)).split())
    return shortened(without_roles(told), 240) if len(told.split()) > 1 else ""


def docstring_end(text: str) -> int:
    """Return where the docstring near the beginning of source text ends; 0 if there is none."""
    match = _docstring(text)
    near = match is not None and text[: match.start()].count("\n") < _MAX_HEAD_LINES
    return match.end() if match and near else 0


def shortened(text: str, max_chars: int) -> str:
    """Return a text cut between words."""
    if len(text) <= max_chars:
        return text
    return text[:max_chars].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def _is_whole(sentence: str) -> bool:
    """Tell a sentence from code, and from the rest of one that was split at an abbreviation."""
    return sentence.count(")") <= sentence.count("(") and not sentence[0].islower() and not _CODE.search(sentence)
