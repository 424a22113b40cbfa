"""Which variables of the environment are listed, over a small indexed repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.configuration.environment import Environment
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.ports import Snapshot

FILES = {
    "shop/mode.go": 'package shop\n\nconst EnvMode = "SHOP_MODE"\n\nfunc mode() string { return os.Getenv(EnvMode) }\n',
    "shop/port.py": 'import os\n\nPORT = os.environ["SHOP_PORT"]\n',
    "shop/start.py": 'import os\n\nPORT = os.environ.get("SHOP_PORT", "80")\n',
    "tests/test_port.py": 'import os\n\nBANK = os.environ["TEST_BANK"]\n',
    "examples/use.py": 'import os\n\nKEY = os.environ["EXAMPLE_KEY"]\n',
}


async def test_each_variable_is_listed_where_it_is_read(snapshot: Snapshot) -> None:
    """With a default where one place has it, by the text of a constant, and none of tests or examples."""
    task = task_of("Which environment variables does it read?", Mode.CONCEPTUAL)

    drafts = (await Environment().run(Context(), snapshot, task, OrderJudge())).drafts

    assert [(each.setting.name, each.setting.value, str(each.title)) for each in drafts if each.setting] == [
        ("SHOP_MODE", "", "shop/mode.go"),
        ("SHOP_PORT", '"80"', "shop/start.py"),
    ]
    assert {each.setting.words for each in drafts if each.setting} == {("Which environment variables does it read",)}


async def test_names_that_are_made_are_told_behind_and_what_is_left_is_counted() -> None:
    """So that a list says what it lacks."""
    many = "".join(f'A{number:02} = os.environ["SHOP_{number:02}"]\n' for number in range(62))
    source = {
        "shop/many.py": f"import os\n\n{many}",
        "shop/read.py": "import os\n\n\ndef read(name):\n    return os.environ.get(name), os.getenv(name.upper())\n",
    }
    opened = opened_tree(source)
    task = task_of("Which environment variables does it read?", Mode.CONCEPTUAL)

    drafts = (await Environment().run(Context(), opened.snapshot, task, OrderJudge())).drafts

    opened.close()
    assert [(each.setting.name if each.setting else "", each.reason) for each in drafts[58:]] == [
        ("SHOP_58", "reads SHOP_58 from the environment"),
        ("SHOP_59", "reads SHOP_59 from the environment, as 2 more are"),
        ("name", "reads a name that is made there from the environment"),
        ("name.upper()", "reads a name that is made there from the environment"),
    ]
    assert [(each.basis.name, each.basis.further) for each in drafts[58:] if each.basis] == [
        ("SHOP_58", 0),
        ("SHOP_59", 2),
        ("", 0),
        ("", 0),
    ]


async def test_other_questions_list_none(snapshot: Snapshot) -> None:
    """As one for a single variable."""
    context = await Environment().run(Context(), snapshot, task_of("What is SHOP_PORT?", Mode.CONCEPTUAL), OrderJudge())

    assert context == Context()
