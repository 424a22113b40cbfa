"""Renders an answer and its shadow, for a terminal and as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.rule import Rule
from rich.text import Text

from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer, rich_answer
from cgrag_client.render.clean import printable

if TYPE_CHECKING:
    from cgrag.orchestrator.v1 import orchestrator_pb2
    from rich.console import RenderableType

    from cgrag_client.render.links import Links


def rich_shadow(found: orchestrator_pb2.Shadow, links: Links) -> RenderableType:
    """Lay both out for a terminal, the served one first, under how far they agree."""
    return Group(
        Text(printable(found.served.question), style="bold"),
        Text(agreement(found)),
        Rule("served", style="bold"),
        rich_answer(found.served, links),
        Rule("shadow", style="bold"),
        rich_answer(found.shadow, links),
    )


def plain_shadow(found: orchestrator_pb2.Shadow) -> str:
    """Write both as markdown without control codes, the served one first, under how far they agree."""
    head = f"{printable(found.served.question)}\n\n{agreement(found)}"
    return f"{head}\n\n# Served\n\n{plain_answer(found.served)}\n# Shadow\n\n{plain_answer(found.shadow)}"


def agreement(found: orchestrator_pb2.Shadow) -> str:
    """Say how far both agree, in one line."""
    name = words.agreement(found.agreement)
    symbols = f", {found.symbols:.0%} of symbols" if found.HasField("symbols") else ""
    return f"Agreement: {name}; both cite {found.files:.0%} of files{symbols}"
