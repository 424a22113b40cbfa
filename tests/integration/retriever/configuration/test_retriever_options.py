"""What a named function or class takes, over a small indexed repository."""

from __future__ import annotations

import pytest

from common.core.contract.understanding import Relation
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.configuration.options import Options
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

_SOURCE = {
    "kiln.py": (
        "class Kiln:\n"
        '    """\n    Bakes.\n\n    Args:\n        heat: Degrees at the start.\n    """\n\n'
        "    def __init__(self, owner, heat=20, shut_door=True):\n        self.owner = owner\n\n\n"
        "def bake(kiln, *, minutes=30):\n    return kiln\n\n\nclass Furnace(Kiln):\n    pass\n"
    ),
    "Oven.java": (
        "public class OvenBuilder {\n"
        "  /** Sets the heat. */\n  public OvenBuilder heat(int heat) { return this; }\n"
        "  /** Closes the door first. */\n  public OvenBuilder closing() { return this; }\n"
        "  Oven build() { return null; }\n}\n"
    ),
    "grill.go": (
        "package kiln\n\ntype Grill struct {\n\tSpits int\n\tLid bool\n\tFuel string\n}\n\n"
        "func (g *Grill) Parent() *Grill { return g }\n\nfunc (g *Grill) Root() *Grill { return g }\n"
    ),
    "hob.ts": (
        "export interface HobOptions {\n  power?: number;\n  color?: string;\n}\n\n"
        "export function createHob(options: HobOptions) {\n  return options;\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which options does Kiln take?", [("owner", ""), ("heat", "20"), ("shut_door", "True")]),
        ("What options can I pass to bake() and what are their defaults?", [("kiln", ""), ("minutes", "30")]),
        ("What options does OvenBuilder take?", [("heat", "Sets the heat"), ("closing", "Closes the door first")]),
        ("What options does createHob take?", [("power", ""), ("color", "")]),
        ("Which options does Furnace take?", [("owner", ""), ("heat", "20"), ("shut_door", "True")]),
        ("Which fields does Grill have?", [("Spits", ""), ("Lid", ""), ("Fuel", "")]),
        ("What options does it take?", []),
    ],
)
async def test_what_a_thing_takes_is_listed(question: str, options: list[tuple[str, str]]) -> None:
    """Parameters with defaults, methods of a builder, or the fields of the type of a parameter."""
    context = await Options().run(
        Context(), opened_tree(_SOURCE).snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge()
    )
    found = [each.users for each in context.drafts if each.users]

    assert [(each.name, each.through) for listed in found for each in listed.listed] == options
    assert all(each.relation is Relation.HOLDS and not each.notes for each in found)


@pytest.mark.parametrize(
    ("question", "first", "is_described"),
    [
        ("Which option of `Kiln` shuts the door?", "shut_door", True),
        ("Which option of `Kiln` plays music?", "owner", False),
    ],
)
async def test_the_option_that_a_question_describes_comes_first(question: str, first: str, is_described: bool) -> None:
    """Where none has a word of it in its name, the list says so."""
    context = await Options().run(
        Context(), opened_tree(_SOURCE).snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge()
    )
    (draft,) = context.drafts

    assert draft.users
    assert draft.users.listed[0].name == first
    assert bool(draft.described) is is_described
    assert bool(draft.users.notes) is not is_described
