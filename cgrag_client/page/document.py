"""Writes the HTML page of an answer: its text, its diagrams, and beside them the source that its citations name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from cgrag_client.page import flowchart, tree
from cgrag_client.page.code import code_block, styles
from cgrag_client.render import words
from cgrag_client.render.answer import changed_note, footer, open_gaps
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgrag.orchestrator.v1 import orchestrator_pb2
    from cgrag.type.v1 import evidence_pb2

_REFERENCE = re.compile(r"\[(\d{1,3})\]")
_PLACE = re.compile(r"`?(?P<path>[^`\s:]+):(?P<start>\d+)(?:-\d+)?`?")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
MOST_LINES = 120
"""Lines of a citation's source that are shown at most; a note says how many more there are."""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a citation, as it was indexed; `cut` is the number of further lines that are not shown."""

    text: str
    cut: int = 0


def page(answer: orchestrator_pb2.Answer, sources: Mapping[int, Source]) -> str:
    """
    Return the page of an answer.

    Args:
        answer: The answer.
        sources: Source by number of the citation; for citations without source, only name and place are shown.
    """
    answer = cleaned(answer)
    level = escape(words.confidence(answer.confidence))
    cited = [_citation(each, sources.get(each.number)) for each in answer.citations]
    notes = [each for each in (answer.disclaimer, changed_note(answer)) if each]
    unresolved = "".join(f"<li>{escape(line)}</li>" for line in open_gaps(answer))
    parts = (
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(answer.question)}</title>",
        f"<style>{_own_style()}\n{styles()}</style></head><body>",
        f'<header><p class="repository">{escape(answer.repository)}</p><h1>{escape(answer.question)}</h1></header>',
        f"<main><article>{_body(answer.text, {each.number for each in answer.citations})}",
        *_related(answer),
        f'<p class="confidence {level}">Confidence <strong>{level}</strong>: {escape(answer.confidence_reason)}</p>',
        *(f'<p class="note">{escape(each)}</p>' for each in notes),
        f"<h2>Not found</h2><ul>{unresolved}</ul>" if unresolved else "",
        f"<footer>{'<br>'.join(map(escape, footer(answer)))}</footer></article>",
        f"<aside><h2>Citations</h2>{''.join(cited)}</aside></main></body></html>\n",
    )
    return "\n".join(part for part in parts if part)


def _own_style() -> str:
    return resources.files("cgrag_client.page").joinpath("style.css").read_text(encoding="utf-8")


def _body(text: str, numbers: set[int]) -> str:
    """Return the text as HTML: `[1]` links to citation 1, source has line numbers, diagrams are drawn as SVG."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    rendered: list[str] = []
    for at, token in enumerate(tokens):
        if token.type == "fence":
            rendered.append(_fence(token.content, token.info.strip(), _place_before(tokens, at)))
        elif token.type == "inline":
            rendered.append(_linked(markdown.renderer.render([token], markdown.options, {}), numbers))
        else:
            rendered.append(markdown.renderer.render([token], markdown.options, {}))
    return "".join(rendered)


def _linked(html: str, numbers: set[int]) -> str:
    """Turn references such as `[1]` into links, except within code and for numbers without a citation."""
    pieces = re.split(r"(<code>.*?</code>)", html, flags=re.DOTALL)

    def link(match: re.Match[str]) -> str:
        number = int(match[1])
        return f'<a class="reference" href="#c{number}">{number}</a>' if number in numbers else match[0]

    return "".join(piece if piece.startswith("<code>") else _REFERENCE.sub(link, piece) for piece in pieces)


def _place_before(tokens: Sequence[Any], at: int) -> tuple[str, int]:
    """Return path and first line of a code block if the paragraph before it is `path:line`, else ("", 0)."""
    before = next((each.content for each in reversed(tokens[max(0, at - 2) : at]) if each.type == "inline"), "")
    match = _PLACE.fullmatch(before.strip())
    return (match["path"], int(match["start"])) if match else ("", 0)


def _fence(content: str, language: str, place: tuple[str, int]) -> str:
    if language == "mermaid" and (drawn := flowchart.draw(content)):
        return f"<figure>{drawn}<details><summary>As text</summary>{code_block(content)}</details></figure>"
    if language in ("", "text") and (steps := tree.parse_flow(content)):
        return f"<figure>{tree.draw(steps, 'flow of calls')}</figure>"
    return code_block(content, place[1], path=place[0], language=language)


def _related(answer: orchestrator_pb2.Answer) -> list[str]:
    """Draw, for each piece of evidence with a list of users, the symbol and its users (callers, tests) as a tree."""
    figures: list[str] = []
    for evidence in answer.evidence:
        users = evidence.users
        if not (users.name and users.listed):
            continue
        root = tree.Step(0, users.name, words.symbol_place(users.definition) if users.definition.path else "")
        steps = [root, *(tree.Step(1, each.name, words.place(each.place)) for each in users.listed)]
        more = users.count - len(users.listed)
        if more > 0:
            steps.append(tree.Step(1, f"and {more} more"))
        figures.append(
            f"<figure>{tree.draw(steps, evidence.title)}<figcaption>{escape(evidence.title)}</figcaption></figure>"
        )
    return figures


def _citation(citation: evidence_pb2.Citation, source: Source | None) -> str:
    name = citation.symbol.qualified_name or citation.title
    head = f'<span class="number">{citation.number}</span> <strong>{escape(name)}</strong>'
    place = f'<span class="place">{escape(words.place(citation.span))}</span>'
    shown = ""
    if source is not None:
        shown = code_block(source.text, max(1, citation.span.start_line), path=citation.span.path)
        shown += f'<p class="cut">{source.cut} more lines</p>' if source.cut else ""
    return f'<section class="citation" id="c{citation.number}"><h3>{head} {place}</h3>{shown}</section>'
