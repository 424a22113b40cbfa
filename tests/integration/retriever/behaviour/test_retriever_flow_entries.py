"""Where a flow starts that a question describes: at what takes up a failure, does what is said, or does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.question import Anchors
from retriever.domain.questions.question import Mode, RankedSymbol, Ranking
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.behaviour.compared import Compared
from retriever.usecases.stages.behaviour.entry_points import EntryPoints
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of

if TYPE_CHECKING:
    from retriever.domain.tasks.context import Candidate
    from retriever.ports import Snapshot

FILES = {
    "shop/server.py": (
        "def serve(request):\n"
        "    try:\n"
        "        return run_handler(request)\n"
        "    except Exception as error:\n"
        "        return report(error)\n\n\n"
        "def report(error):\n    return str(error)\n\n\n"
        "def run_handler(request):\n"
        "    try:\n"
        "        handler = HANDLERS[request]\n"
        "    except KeyError:\n"
        "        handler = report\n"
        "    return handler(request)\n\n\n"
        "HANDLERS = {}\n\n\n"
        "def load(path):\n"
        "    try:\n"
        "        return open(path)\n"
        "    except Exception as error:\n"
        "        return report(error)\n"
    ),
    "tests/test_server.py": "def test_serve():\n    def on_failure():\n        return serve\n\n    on_failure()\n",
    "_examples/use.py": (
        "from shop.pool import Pool, make\n\n\ndef show_use():\n    pool = Pool()\n    pool.take()\n    pool.close()\n"
    ),
    "shop/buyers.py": (
        "class Buyers:\n"
        "    def on_buyer_lost(self, buyer):\n        return self.drop(buyer)\n\n"
        "    def drop(self, buyer):\n        return sell(buyer)\n\n"
        "    def watch(self, buyer):\n        return self.handle_cancelled(buyer)\n\n"
        "    def handle_cancelled(self, buyer):\n        return self.drop(buyer)\n\n\n"
        "class OrderExpired(Exception):\n    pass\n\n\n"
        "def sell(order):\n    try:\n        return drop(order)\n    except OrderExpired:\n        return None\n\n\n"
        "def drop(order):\n    raise OrderExpired\n\n\n"
        "class TooManyOrders(Exception):\n    pass\n\n\n"
        "def count(orders):\n    if len(orders) > 9:\n        raise TooManyOrders\n\n\n"
        "class MaxBuyersError(Exception):\n    pass\n\n\n"
        "def admit(buyers, fail):\n    fail(MaxBuyersError())\n"
    ),
    "shop/clerks.py": (
        "import logging\n\nlog = logging.getLogger(__name__)\n\n\n"
        "def watch_clerks(clerks):\n    for clerk in clerks:\n        log.error('CLERK TIMEOUT (%s)', clerk)\n"
        "        drop_clerk(clerk)\n\n\n"
        "def drop_clerk(clerk):\n    log.info('a clerk of the door had a timeout of nine hours')\n\n\n"
        "def greet_clerk(clerk):\n    log.error('clerk hat missing')\n    drop_clerk(clerk)\n\n\n"
        "def wait_clerk(clerk):\n    log.info('waiting for a timeout')\n    drop_clerk(clerk)\n"
    ),
    "tests/test_clerks.py": "def test_clerks(log):\n    log.error('clerk timeout')\n",
    "_examples/drop.py": "def drop(order):\n    return order.close()\n",
    "shop/till.py": "class Till:\n    def close(self):\n        return close(self)\n",
    "shop/ends/close.py": "def close(what):\n    return what\n",
    "shop/pool.py": (
        "class Pool:\n"
        "    def __init__(self):\n        self.items = make()\n        self.other = make()\n\n"
        "    def __repr__(self):\n        return self.describe()\n\n"
        "    def describe(self):\n        return 'pool'\n\n"
        "    def close(self):\n        self._drain()\n\n"
        "    def take(self):\n        self.close()\n        return make()\n\n"
        "    def _drain(self):\n        return make()\n\n\n"
        "def make():\n    return []\n\n\n"
        "def shut_client(pool):\n    make()\n    pool.describe()\n"
    ),
}


def entries(snapshot: Snapshot, question: str, *ranked: str, names: tuple[str, ...] = ()) -> list[Candidate]:
    """Return the entries that are chosen where the search ranks these names, the best first."""
    found = [each for name in ranked for each in snapshot.symbols.named(name)]
    ranking = Ranking(symbols=tuple(RankedSymbol(each, 1.0 - 0.05 * place) for place, each in enumerate(found)))
    task = task_of(question, Mode.EXPLORATORY, Anchors(symbols=names))
    context = EntryPoints()._find(Context(ranking=ranking), snapshot, task)
    return list(context)


def test_an_article_makes_a_plain_word_no_name(snapshot: Snapshot) -> None:
    """A close is a thing here; `close` is called where nothing stands before it."""
    asked = [f"Trace what happens when {word} is run" for word in ("a close", "close")]

    assert [entries(snapshot, each, "make", "close")[0].step for each in asked] == ["ranked", "called"]


def test_a_plain_word_that_is_said_to_be_called_is_a_name(snapshot: Snapshot) -> None:
    """Though others match the rest of the question better; not where nothing of that name matches."""
    question = "Trace what happens when serve is called by a client of the pool"

    assert entries(snapshot, question, "shut_client", "make", "serve")[0].symbol.name == "serve"
    assert entries(snapshot, question, "shut_client", "make")[0].symbol.name == "shut_client"


def test_what_only_shows_use_is_no_beginning(snapshot: Snapshot) -> None:
    """An example calls several of the matches, and would tell of them what they tell themselves."""
    found = entries(snapshot, "How does a pool get its stock?", "show_use", "take", "close")

    assert [each.symbol.name for each in found] == ["take", "close", "close"]


async def test_beside_a_member_what_is_compared_alone_is_no_member(snapshot: Snapshot) -> None:
    """Though members of other types stand nearer."""
    for question in ("Compare close and Till.close", "What is the difference between close and Till.close?"):
        context = await Compared().run(Context(), snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())

        assert [each.symbol.qualified_name for each in context.drafts if each.symbol] == ["close", "Till.close"]


def test_what_the_language_calls_by_itself_is_no_beginning(snapshot: Snapshot) -> None:
    """A constructor and a description come behind what does the work."""
    found = entries(snapshot, "How does stock get from the pool to the shop?", "__init__", "__repr__", "take")

    assert found[0].symbol.qualified_name == "Pool.take"


def test_of_a_class_that_is_named_the_member_leads_that_does_most(snapshot: Snapshot) -> None:
    """Making one is no work of it."""
    found = entries(snapshot, "Trace Pool", names=("Pool",))

    assert [each.symbol.qualified_name for each in found] == ["Pool.take"]


def test_what_only_a_test_calls_so_is_no_beginning(snapshot: Snapshot) -> None:
    """What the question speaks of is elsewhere a parameter, or a key."""
    assert [each.symbol.name for each in entries(snapshot, "Trace on_failure", "serve", names=("on_failure",))] == [
        "serve"
    ]


def test_a_plain_word_that_something_goes_from_is_what_most_use(snapshot: Snapshot) -> None:
    """Where the question speaks for several of the name, and none of them is of an example."""
    found = entries(snapshot, "How does an order get from drop to the bank?", "sell", "drop")

    assert found[0].symbol.qualified_name == "Buyers.drop"
