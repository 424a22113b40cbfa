"""Where all that is set by default stands, over a small indexed repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.declared.default_names import holds_defaults
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.configuration.defaults import Defaults
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of

if TYPE_CHECKING:
    from retriever.ports import Snapshot

FILES = {
    "lib/app.js": "app.defaultConfiguration = function defaultConfiguration() {\n  this.set('bell', 3);\n  go();\n};\n",
    "lib/retry.ts": "const defaultRetryOptions: RetryOptions = {\n\tlimit: 2,\n\tdelay: 5,\n};\n\nlet other = 4;\n",
    "shop/url.py": "def read(url):\n    defaults = {\n        'port': url,\n    }\n    return defaults\n",
    "tests/test_app.js": "const defaultOptions = {\n  bell: 4,\n};\n",
}


@pytest.mark.parametrize(
    ("question", "titles", "lines"),
    [
        ("Which settings does an app have by default?", ["app.defaultConfiguration (lib/app.js)"], [(1, 4)]),
        (
            "What are the default retry options?",
            ["defaultRetryOptions", "app.defaultConfiguration (lib/app.js)"],
            [(1, 4), (1, 4)],
        ),
        ("What is the default bell?", [], []),
    ],
)
async def test_what_is_called_so_is_shown(
    snapshot: Snapshot, question: str, titles: list[str], lines: list[tuple[int, int]]
) -> None:
    """A block of values or what sets them; no variable of a function, and nothing of tests."""
    drafts = (await Defaults().run(Context(), snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())).drafts

    assert sorted(each.title for each in drafts) == sorted(titles)
    assert [(each.span.start_line, each.span.end_line) for each in drafts if each.span] == lines
    assert all(each.described in question for each in drafts)


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("DEFAULT_SETTINGS", True),
        ("defaults", True),
        ("defaultRetryOptions", True),
        ("defaultPort", False),
        ("default", False),
    ],
)
def test_a_name_says_what_it_holds(name: str, *, holds: bool) -> None:
    """Defaults, of settings or of what is asked for."""
    assert holds_defaults(name, "default retry options") is holds
