"""Which sentences of pages an answer begins with, and which definition it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.evidence import Evidence, EvidenceKind, Span, SymbolKind, SymbolRef
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.statements import is_beside
from orchestrator.domain.writing.writer import write_answer


def shown(name: str, text: str, *, path: str = "shop/bank.py") -> Evidence:
    """Return the source of a definition."""
    symbol = SymbolRef(path, name, SymbolKind.FUNCTION, 10, 9 + text.count("\n"))
    return Evidence(f"ev-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title=name)


def page(title: str, text: str, *, path: str = "docs/use.rst") -> Evidence:
    """Return a section of the documentation."""
    return Evidence(f"doc-{title}", EvidenceKind.DOC, title=title, span=Span(path, 1, 6), text=text)


def answer(question: str, *evidence: Evidence) -> str:
    """Return what is written."""
    return "".join(write_answer(Material(question, Classification(Mode.CONCEPTUAL), label_evidence(evidence), ())))


@pytest.mark.parametrize(
    "said",
    [
        "Enabling this will let the bank lend its money to a client.",
        "If not set, the bank will lend no money to a client.",
        "The value is what money the bank may lend to a client.",
        "`lend_money` - amount The money that the bank may lend to a client.",
        "Should the bank lend its money to a client?",
    ],
)
def test_a_sentence_that_says_nothing_by_itself_does_not_lead(said: str) -> None:
    """It leans on another, tells of a parameter, or asks."""
    lend = shown("lend", 'def lend(money):\n    """Lend money to a client."""\n    return money\n')

    told = answer("How does the bank lend money to a client at the counter?", page("Use > Desk", f"{said}\n"), lend)

    assert told.startswith("`lend` — Lend money to a client. [E2]")


def test_a_question_of_a_page_is_told_with_its_answer() -> None:
    """As frequently asked ones have it."""
    asked = page(
        "Questions", "Who keeps the keys of the vault? Nobody but Ada does.\n\nThe vault has no keys of its own.\n"
    )

    told = answer("Who keeps the keys of the vault?", asked)

    assert told.startswith("Who keeps the keys of the vault? Nobody but Ada does. (“Questions”,")


def test_a_section_whose_heading_is_what_a_question_is_about_leads() -> None:
    """What is wanted of it need not stand there."""
    other = page("Settings > Files", "Ink is configured by a configuration file.\n", path="docs/a.rst")
    own = page("Settings > Paper", "Sheets are as large as the one that asks for paper.\n", path="docs/b.rst")

    assert answer("How do I configure the paper?", other, own).startswith("Sheets are as large")


@pytest.mark.parametrize("mark", ['!!! note "Mind"', "??? warning", "::: tip", "> [!NOTE]", ":::"])
def test_what_marks_a_note_is_not_told(mark: str) -> None:
    """It is drawn as a box where a page is rendered."""
    assert prose.plain(f"Ink dries.\n\n{mark}\n    Paper bends.\n").split() == ["Ink", "dries.", "Paper", "bends."]


def test_of_definitions_alike_the_one_that_the_search_ranks_higher_is_the_subject() -> None:
    """Samples of the structure stand before what matches, in analyses."""
    sample, match = (shown(name, "def run():\n    return 1\n", path=f"shop/{name}.py") for name in ("start", "stop"))

    told = answer("How are runs built?", sample, replace(match, score=1.0))

    assert told.startswith("`stop` is defined at `shop/stop.py:10`. [E2]")


@pytest.mark.parametrize(("question", "first"), [("How are runs built?", 2), ("Is there an example of built runs?", 1)])
def test_code_comes_before_examples_of_its_use(question: str, first: int) -> None:
    """But where examples are asked for."""
    paths = ("examples/run.py", "shop/run.py")
    pieces = [shown(f"run_{number}", "def run():\n    return 1\n", path=path) for number, path in enumerate(paths)]

    assert f"[E{first}]" in answer(question, *pieces).partition("\n")[0]


def test_where_something_is_done_is_told_by_what_is_named_so() -> None:
    """Another definition may have more of the question's words in what it says of itself."""
    store = shown("Store", 'class Store:\n    """The header of an output, as whoever asks has it."""\n')
    write = shown("write_header", "def write_header(output):\n    return output\n")

    told = answer("Where is the output file header written?", write, store)

    assert "`write_header` is defined at `shop/bank.py:10`. [E1]" in told
    assert "whoever asks" not in told.partition("`write_header` is defined")[0]


def test_a_sentence_of_another_version_does_not_lead() -> None:
    """What holds for one protocol or release says nothing of the other."""
    one = page("Banking > Limits", "No support for WIRE/1.1 between banks of one country.\n")
    other = page("Banking > Notes", "WIRE/2.0 between banks is supported by this one.\n")

    told = answer("Does the bank support WIRE/2?", one, other)

    assert told.startswith("WIRE/2.0 between banks is supported by this one.")
    assert not answer("Does the bank support WIRE/3?", one).startswith("No support for WIRE/1.1")


def test_a_list_of_changes_leads_only_where_changes_are_asked_for() -> None:
    """It says what was so once, or what was mended."""
    news = page("1.2", "Proxies are matched by host alone, and no proxy is matched twice.\n", path="CHANGELOG.md")
    other = shown("Proxy.into_matcher", "def into_matcher(self):\n    return self.rules\n")

    assert answer("How are proxies matched?", news, other).startswith("`Proxy.into_matcher` is defined at")
    (piece,) = label_evidence((news,))
    assert is_beside("How are proxies matched?", piece)
    assert not is_beside("What has changed in how proxies are matched?", piece)


def test_a_text_that_tests_read_leads_nowhere() -> None:
    """It has all words of the question, and is data."""
    read = page("test.csv", "Proxies are matched by delimiter.\n", path="src/test/resources/test.csv")
    other = shown("Proxy.into_matcher", "def into_matcher(self):\n    return self.rules\n")

    assert answer("What are proxies matched by?", read, other).startswith("`Proxy.into_matcher` is defined at")


def test_a_page_leads_before_a_member_that_is_named_only_where_it_writes_the_name() -> None:
    """Words of the name that stand anywhere speak of something else."""
    rates = shown("Bank.rates", "    def rates(self):\n        return self.table\n")
    other = page("Start", "A bank of the shop is set up with rates of its own choice.\n")
    about = page("Rates", "What `shop.Bank.rates` gives are the rates of the bank at noon.\n")

    def told(text: Evidence) -> str:
        classification = Classification(Mode.CONCEPTUAL, anchors=Anchors(symbols=("Bank.rates",)))
        return "".join(
            write_answer(Material("What does Bank.rates do?", classification, label_evidence((text, rates)), ()))
        )

    assert told(other).startswith("`Bank.rates` is defined at `shop/bank.py:")
    assert told(about).startswith("What `shop.Bank.rates` gives are the rates")


def test_the_capital_of_the_first_word_makes_no_name_of_it() -> None:
    """A title of a report begins with one, and a class may bear that word; elsewhere a capital tells a name."""
    server = shown("Server", "class Server:\n    pass\n", path="shop/sockets.py")
    waits = shown("Runner.wait_until_open_orders_end", "def wait_until_open_orders_end(self):\n    wait()\n")

    text = answer("Server waits until open orders end", server, waits)

    assert text.startswith("`Runner.wait_until_open_orders_end` is defined")
    assert answer("The Server does not end", server, waits).startswith("`Server` is defined")
