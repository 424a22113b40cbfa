"""A feature that is asked for and that nothing in the index speaks of."""

from __future__ import annotations

import pytest
from cgrag.type.v1 import evidence_pb2

from common.core.contract.evidence import Absence, UnheldWords
from retriever.domain.evidence.piece import Draft, Evidence
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.rpc import encode
from retriever.usecases.stages.relations.unheld import Unheld
from retriever.usecases.stages.searching import Searching
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.rankers import WordRanker
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

_PLAIN = {f"shop/part{number}.py": f"def part{number}():\n    return {number}\n" for number in range(8)}
_SOURCE = {
    **_PLAIN,
    "shop/queue.py": 'def send(item):\n    """Send by kafka."""\n    return item\n',
    "shop/rates.py": 'def slow(buyer):\n    """Keep the rate of a buyer below a limit."""\n    return buyer\n',
    "docs/guide.md": "# Guide\n\nVouchers are sent by kafka.\n",
    "shop/ledger.py": (
        'def book(sum):\n    """Book within transactions."""\n    return sum\n\n\n'
        'def refund(sum):\n    """Refund a voucher within transactions."""\n    return -sum\n'
    ),
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How do I enable GraphQL subscriptions?", UnheldWords(("GraphQL", "subscriptions"), Absence.EACH)),
        ("Does it support kafka transactions?", UnheldWords(("kafka", "transactions"), Absence.TOGETHER)),
        ("Can I refund a voucher in transactions?", None),
        ("Does it support voucher transactions?", None),
        ("Does it support kafka vouchers?", None),
        ("Is there websocket multiplexing?", UnheldWords(("websocket", "multiplexing"), Absence.EACH)),
        ("Is there throttling?", None),
        ("Is there throttling by GraphQL?", UnheldWords(("GraphQL",), Absence.EACH)),
        ("Is there memoization?", UnheldWords(("memoization",), Absence.EACH)),
        ("Can vouchers be sent with RabbitMQ?", UnheldWords(("RabbitMQ",), Absence.EACH)),
        ("What is GraphQL?", None),
        ("Can you explain how kafka is used?", None),
        ("Could you tell me where vouchers are refunded?", None),
        ("Can you show me an example of refund?", None),
        ("How do you deal with kafka?", None),
        ("How do I make transactions faster?", None),
        ("Does this codebase use kafka?", None),
        ("Can I pass sum via refund(sum)?", None),
        ("Can I use Kafkas?", None),
        ("Does it support transactional refunds?", None),
        ("Can I refund vouchers painlessly and unattended?", None),
    ],
)
async def test_what_nothing_holds_is_drafted(question: str, told: UnheldWords | None) -> None:
    """A word that stands nowhere, and two that stand together nowhere, are told as they are written."""
    drafts = await _drafts(question)

    assert [draft.unheld for draft in drafts] == ([told] if told else [])


_FLAGS = {
    "cli.py": 'PARSER.add_argument("--dry-run")\nPARSER.add("follow")\n\n\ndef run(verbose=False):\n    pass\n',
    "tests/test_cli.py": 'def test_it():\n    assert "--watch" and "retryDelay"\n',
}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Does it have a --watch flag?", ("--watch",)),
        ("Where is the --watch flag implemented?", ("--watch",)),
        ("Does it have a --dry-run flag?", ()),
        ("Is there a --follow option?", ()),
        ("Does it support --verbose?", ()),
        (
            "My colleague swears by `retries: 3, retryDelay: 500`. Where is this option implemented?",
            ("retryDelay",),
        ),
    ],
)
async def test_an_option_that_stands_nowhere_is_told_as_it_is_written(question: str, names: tuple[str, ...]) -> None:
    """Tests aside; one that is declared without its dashes, or is a parameter, is there."""
    snapshot = opened_tree(_FLAGS).snapshot
    context = await Unheld().run(Context(), snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())

    assert [each.unheld for each in context.drafts] == ([UnheldWords(names, Absence.EACH)] if names else [])


async def test_it_travels_as_text_and_as_data() -> None:
    """Models read the line; who decides by it needs no such reading."""
    [draft] = await _drafts("Is there websocket multiplexing?")
    message = encode.evidence(Evidence(draft, draft.text, 9, 0), 1)

    assert message.text == "In no file of the index: “websocket”, “multiplexing”.\n"
    assert list(message.unheld.words) == ["websocket", "multiplexing"]
    assert message.unheld.absence == evidence_pb2.ABSENCE_EACH


async def test_the_words_told_are_bounded() -> None:
    """A question may be as long as a log."""
    words = [f"Qx{number}" for number in range(30)]
    [draft] = await _drafts(f"Does it support {' '.join(words)}?")

    assert draft.unheld == UnheldWords(tuple(words[:20]), Absence.EACH)
    assert "Qx19" in draft.text
    assert "Qx20" not in draft.text


async def _drafts(question: str) -> tuple[Draft, ...]:
    opened = opened_tree(_SOURCE)
    context = await Unheld().run(Context(), opened.snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())
    return context.drafts


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is there throttling?", "Is there throttling? rate limit"),
        ("Is there a rate limit?", "Is there a rate limit?"),
        ("How are vouchers throttled?", "How are vouchers throttled? rate limit"),
    ],
)
async def test_a_feature_is_searched_for_as_the_index_says_it(question: str, text: str) -> None:
    """By its other ways too, where none of its own words is there."""
    opened = opened_tree(_SOURCE)
    ranker = WordRanker()

    await Searching(ranker).run(Context(), opened.snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())
    opened.close()

    assert {query.text for query in ranker.asked} == {text}
