"""Answers that pages, packages of others, and the names of functions and properties give, over small repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.configuration.environment import Environment
from retriever.usecases.stages.relations.extending import Extending
from retriever.usecases.stages.relations.foreign import Foreign
from retriever.usecases.stages.structure.passages import Passages
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Snapshot
    from retriever.usecases.stages.protocol import Stage


async def _drafts(snapshot: Snapshot, stage: Stage, question: str) -> tuple[Draft, ...]:
    context = await stage.run(Context(), snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())
    return context.drafts


_PAGES = {
    "README.md": (
        "# Hopper\n\nHopper hands jobs to workers.\n\n## Limits\n\n"
        "Rotation of logs is left to other programs.\n\n```\nhopper --rotate\n```\n"
    ),
    "docs/moving.md": "# Moving to 3\n\n## Handlers\n\nHandlers that are generators were removed in version 3.\n",
    "CHANGELOG.md": "# Changes\n\n- Generators may be handlers of jobs now, in any order.\n",
    "hopper.py": '"""Hands jobs out."""\n\n\ndef take(job):\n    return job\n',
    "setup.cfg": "[metadata]\nname = hopper\n",
}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does Hopper support generators as handlers?", "Handlers that are generators were removed in version 3."),
        ("does hopper rotate logs?", "Rotation of logs is left to other programs."),
        ("Does Hopper support priorities?", ""),
    ],
)
async def test_a_page_that_says_it_in_words_is_shown_by_its_paragraph(question: str, said: str) -> None:
    """In other forms of the words, too; lists of changes say what was, and nothing is shown that has too few."""
    snapshot = opened_tree(_PAGES).snapshot

    drafts = await _drafts(snapshot, Passages(), question)

    assert [each.text.strip() for each in drafts] == ([said] if said else [])
    assert all(each.described in question for each in drafts)


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [("Does --rotate-logs rotate the logs of programs?", False), ("Does it rotate the logs of programs?", True)],
)
async def test_a_paragraph_has_a_name_that_the_question_says(question: str, is_shown: bool) -> None:
    """Of several words alone it would be about another thing."""
    drafts = await _drafts(opened_tree(_PAGES).snapshot, Passages(), question)

    assert bool(drafts) is is_shown


_USES_OTHERS = {
    "package.json": '{"name": "a", "dependencies": {"date-picker": "1"}}\n',
    "lib/form.js": "const picker = require('date-picker')\n\nfunction show () {\n  return picker.open()\n}\nshow()\n",
    "lib/dial.js": "const dial = require('dial')\n\nfunction dial () {}\n",
}


@pytest.mark.parametrize(
    ("question", "package"),
    [
        ("Where is the date picker component implemented?", "date-picker"),
        ("Where is the dial implemented?", ""),
        ("Where is the colour wheel implemented?", ""),
    ],
)
async def test_what_a_package_of_others_does_is_said_to_be_there(question: str, package: str) -> None:
    """With who imports it; what the project defines itself is no such thing."""
    drafts = await _drafts(opened_tree(_USES_OTHERS).snapshot, Foreign(), question)

    assert [(each.users.name, each.users.listed[0].name) for each in drafts if each.users] == (
        [(package, "lib/form.js")] if package else []
    )


async def test_functions_are_listed_by_how_their_names_begin() -> None:
    """Of the owner those that make what it takes."""
    snapshot = opened_tree(
        {
            "kiln.go": (
                "package kiln\n\ntype Option func(*Oven)\n\ntype Oven struct{}\n\n"
                "func NewOven(opts ...Option) *Oven { return &Oven{} }\n\n"
                "func WithHeat(h int) Option { return nil }\n\nfunc WithDoor() Option { return nil }\n\n"
                "func WithoutLight() Option { return nil }\n\nfunc WithError(err error) error { return err }\n"
            )
        }
    ).snapshot

    drafts = await _drafts(snapshot, Extending(), "Which With... options can I pass to NewOven?")

    assert [user.name for each in drafts if each.users for user in each.users.listed] == [
        "WithHeat",
        "WithDoor",
        "WithoutLight",
    ]


async def test_system_properties_are_no_variables_of_the_environment() -> None:
    """Each question gets its own."""
    snapshot = opened_tree(
        {
            "src/main/java/Kiln.java": (
                'class Kiln {\n  int heat = Integer.getInteger("kiln.heat", 900);\n'
                '  boolean lit = Boolean.getBoolean("kiln.lit");\n'
                '  String home = System.getProperty("kiln.home");\n  String user = System.getenv("KILN_USER");\n}\n'
            )
        }
    ).snapshot

    async def named(question: str) -> list[str]:
        drafts = await _drafts(snapshot, Environment(), question)
        return [each.setting.name for each in drafts if each.setting]

    assert await named("Which system properties does it read?") == ["kiln.heat", "kiln.home", "kiln.lit"]
    assert await named("Which environment variables does it read?") == ["KILN_USER"]
