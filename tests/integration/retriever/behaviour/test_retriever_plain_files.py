"""Files without symbols: found by search for their names and words, and by the messages that stand in them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb

from common.core.contract.question import Anchors
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context, Task
from retriever.usecases.stages.behaviour.error_sites import ErrorSites
from retriever.usecases.tasks.judging import OrderJudge
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.retriever.conftest import Retriever

_TREE = {
    "web/page.html": '<form id="book-entry-form"><button>Book it now</button></form>\n',
    "deploy/ledger.yaml": "spec:\n  terminationGracePeriodSeconds: 45\n",
    "Dockerfile": "FROM scratch\nENV JOURNAL_DIR=/var/journal\nRUN echo 'journal folder is missing'\n",
    "svc/main.py": "import os\n\n\ndef main():\n    return os.environ['JOURNAL_DIR']\n",
    "tests/page.html": "<p>book entry form</p>\n",
    "README.md": "# Ledger\n\nA book entry form is there.\n",
}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("book-entry-form", "web/page.html"),
        ("terminationGracePeriodSeconds", "deploy/ledger.yaml"),
        ("Book it now", "web/page.html"),
        ("JOURNAL_DIR", "svc/main.py"),
    ],
)
async def test_words_of_any_file_are_found(retriever: Retriever, tmp_path: Path, text: str, first: str) -> None:
    """A file that alone has all words goes first; where code has them, code does, and the others follow."""
    Indexing(retriever.data).run(write_tree(tmp_path / "ledger", _TREE), name="ledger")

    found = await retriever.stub.Search(pb.SearchRequest(repository="ledger", query=text))

    paths = [each.path for each in found.files]
    assert paths[0] == first
    assert "tests/page.html" not in paths
    assert text != "JOURNAL_DIR" or "Dockerfile" in paths


async def test_a_message_in_any_file_is_shown() -> None:
    """Where no code makes it, the lines around the text that holds it are evidence."""
    with closing(opened_tree(_TREE)) as opened:
        anchors = Anchors(error_messages=("journal folder is missing",))
        task = Task("Why do I see 'journal folder is missing'?", Mode.DIAGNOSTIC, anchors)
        context = await ErrorSites().run(Context(), opened.snapshot, task, OrderJudge())

    (draft,) = context.drafts
    assert draft.span is not None
    assert (draft.span.path, draft.span.start_line, draft.span.end_line) == ("Dockerfile", 1, 3)
    assert draft.reason == "holds the text 'journal folder is missing'"
