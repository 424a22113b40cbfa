"""A feature that is asked for and that nothing in the index speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, open_snapshot
from retriever.domain.context import Context, Task
from retriever.domain.question import Mode
from retriever.usecases.judging import OrderJudge
from retriever.usecases.stages.unheld import Unheld
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from pathlib import Path

_PLAIN = {f"shop/part{number}.py": f"def part{number}():\n    return {number}\n" for number in range(8)}
_SOURCE = {
    **_PLAIN,
    "shop/queue.py": 'def send(item):\n    """Send by kafka."""\n    return item\n',
    "docs/guide.md": "# Guide\n\nVouchers are sent by kafka.\n",
    "shop/ledger.py": (
        'def book(sum):\n    """Book within transactions."""\n    return sum\n\n\n'
        'def refund(sum):\n    """Refund a voucher within transactions."""\n    return -sum\n'
    ),
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How do I enable GraphQL subscriptions?", ("In no file of the index: “GraphQL”, “subscriptions”.\n",)),
        (
            "Does it support kafka transactions?",
            ("Together in no definition and on no page of the index: “kafka”, “transactions”.\n",),
        ),
        ("Can I refund a voucher in transactions?", ()),
        ("Does it support voucher transactions?", ()),
        ("Does it support kafka vouchers?", ()),
        ("Is there websocket multiplexing?", ("In no file of the index: “websocket”, “multiplexing”.\n",)),
        ("Can vouchers be sent with RabbitMQ?", ("In no file of the index: “RabbitMQ”.\n",)),
        ("What is GraphQL?", ()),
        ("Can you explain how kafka is used?", ()),
        ("Could you tell me where vouchers are refunded?", ()),
        ("Can you show me an example of refund?", ()),
        ("How do you deal with kafka?", ()),
        ("How do I make transactions faster?", ()),
        ("Does this codebase use kafka?", ()),
        ("Can I pass sum via refund(sum)?", ()),
        ("Can I use Kafkas?", ()),
        ("Does it support transactional refunds?", ()),
        ("Can I refund vouchers painlessly and unattended?", ()),
    ],
)
async def test_what_nothing_holds_is_drafted(tmp_path: Path, question: str, told: tuple[str, ...]) -> None:
    """A word that stands nowhere, and two that stand together nowhere, are told as they are written."""
    indexing = Indexing(tmp_path / "data")
    write_tree(tmp_path / "shop", _SOURCE)
    indexing.run(tmp_path / "shop", name="shop")
    folder = SnapshotFolder(indexing.data / "repositories", "shop")
    opened = open_snapshot(folder.read_set(folder.current()), LayerOpeners(read_statements(), SqliteLexical))
    context = await Unheld().run(Context(), opened.snapshot, Task(question, Mode.CONCEPTUAL), OrderJudge())

    assert tuple(draft.text for draft in context.drafts) == told
