"""The section about control flow: a call tree, if the evidence has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.understanding import SlotKind
from common.core.words.terms import count_terms
from orchestrator.domain.answers.confidence import low, medium
from orchestrator.domain.writing.markdown import fenced, head
from orchestrator.domain.writing.section import Section

if TYPE_CHECKING:
    from common.core.contract.understanding import QuestionPart
    from orchestrator.domain.writing.material import Material

_STEPS, _LINES = 7, 30


def flow(material: Material, part: QuestionPart) -> Section | None:
    """Name the first steps of the call tree whose entry matches the question best, and show the tree."""
    asked = {term for text in part.texts(SlotKind.SUBJECT, SlotKind.CONDITION) for term in count_terms(text)}
    trees = material.flows
    if not trees:
        return None
    starts = [count_terms(tree.evidence.mentions[0].qualified_name).keys() for tree in trees]
    at = max(range(len(trees)), key=lambda each: (len(asked & starts[each]), -each))
    tree = trees[at]
    first, *steps = (f"`{each.qualified_name}` {tree.mention_cite(each)}" for each in tree.evidence.mentions[:_STEPS])
    rest = f" calls, in this order, {', '.join(steps)}" if steps else " calls nothing that is indexed"
    drawn = fenced(head(tree.evidence.text, _LINES), "text")
    if asked & starts[at]:
        support = medium("the calls are those of the index; whether all of them run depends on conditions in the code")
        return Section([f"{first}{rest}.", drawn], support)
    support = low("the way starts at a function whose name the question does not have; name the first function")
    return Section([f"No start that the question names was found. Nearest is {first}, which{rest}.", drawn], support)
