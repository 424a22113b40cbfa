"""What an answer without a model says first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.claims import Claim, ClaimKind
from orchestrator.domain.evidence import (
    Evidence,
    EvidenceKind,
    Gap,
    GapOutcome,
    GapResult,
    Mention,
    Occurrence,
    Relation,
    Span,
    SymbolKind,
    SymbolRef,
    User,
    UserList,
)
from orchestrator.domain.grammar.extraction import extract_claims
from orchestrator.domain.question import Anchors, Classification, Mode, StackFrame
from orchestrator.domain.references import missing_definitions
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

CLIENT = 'class Client:\n    """A client of the bank."""\n\n    def ask(self):\n        return self.bank.ask()\n'


def shown(name: str, text: str, *, path: str = "shop/bank.py", kind: SymbolKind = SymbolKind.FUNCTION) -> Evidence:
    """Return the source of a definition."""
    symbol = SymbolRef(path, name, kind, 10, 9 + text.count("\n"))
    return Evidence(f"ev-{path}-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title=name)


def page(title: str, text: str, *, path: str = "docs/use.rst", line: int = 1) -> Evidence:
    """Return a section of the documentation."""
    return Evidence(f"doc-{title}", EvidenceKind.DOC, title=title, span=Span(path, line, line + 5), text=text)


def answer(question: str, *evidence: Evidence, mode: Mode = Mode.CONCEPTUAL, anchors: Anchors | None = None) -> str:
    """Return what is written."""
    classification = Classification(mode, anchors=anchors or Anchors())
    return "".join(write_answer(Material(question, classification, label_evidence(evidence), ())))


def test_the_sentence_that_answers_leads_and_is_told_once() -> None:
    """What a page says of the question comes before what its subject is, whose name alone is shared."""
    client = shown("Client", CLIENT, kind=SymbolKind.CLASS)
    timeouts = page("Use > Timeouts", "Requests wait.\n\nBy default a client has a timeout of 300 seconds in total.\n")

    text = answer("What is the default timeout of Client?", client, timeouts, anchors=Anchors(symbols=("Client",)))

    assert text.startswith("By default a client has a timeout of 300 seconds in total. (“Timeouts”,")
    assert text.count("300 seconds") == 1
    assert "`Client` — A client of the bank. [E1]" in text


@pytest.mark.parametrize("written", ["Box.ask", "Box::ask", "box.ask"])
def test_what_a_question_names_in_full_leads(written: str) -> None:
    """Neither a page that does not speak of it, nor who bears the name in another class and says more of itself."""
    other = shown("Client.ask", 'def ask(self):\n    """Ask how a box works."""\n', path="shop/client.py")
    own = shown("Box.ask", "def ask(self):\n    return 1\n")
    guide = page("Use > Boxes", "How a box does work is told by those who have one.\n")

    text = answer(f"How does {written} work?", guide, other, own, anchors=Anchors(symbols=(written,)))

    assert text.startswith("`Box.ask` is defined at `shop/bank.py:10`. [E3]")


def test_a_name_is_said_in_full_by_a_page_and_in_its_own_case() -> None:
    """A page may have the last word of it by chance, and a type may be called like a function."""
    kind = shown("Box.Write", 'class Write:\n    """Write boxes, how they do work."""\n', path="shop/types.py")
    own = shown("Box.write", "def write(self):\n    return 1\n")
    guide = page("Use > Boxes", "How to write so that it does work is told by those who have one.\n")
    telling = page("Use > More", "How `Box.write` does work is told here, by those who have one.\n", line=9)
    named = Anchors(symbols=("Box.write",))

    assert answer("How does Box.write work?", guide, kind, own, anchors=named).startswith("`Box.write` is defined at")
    assert answer("How does Box.write work?", telling, own, anchors=named).startswith("How `Box.write` does work")


def test_what_is_meant_leads_where_it_asks_nothing_else() -> None:
    """A member of it speaks of it, too; what asks for more may be answered by others."""
    bag = shown("Bag", "class Bag:\n    pass\n", kind=SymbolKind.CLASS)
    lend = shown("Bag.lend", 'def lend(self):\n    """Lend out of the bag."""\n')
    bank = shown("Bank.lend", 'def lend(self):\n    """Lend money."""\n', path="bank.py")
    of_bag = Anchors(symbols=("Bag",))

    assert answer("How does it lend?", bank, bag, lend, anchors=of_bag).startswith("`Bag.lend` — Lend out of the bag.")
    assert answer("How does it lend money?", bank, bag, anchors=of_bag).startswith("`Bag` is defined at")
    assert answer("Where is that money lent?", bank, bag, anchors=of_bag).startswith("In `bank.py` (`Bank.lend`")


def test_a_line_that_is_pointed_at_is_quoted_where_it_stands() -> None:
    """It is no end of a trace; what it belongs to is told as well."""
    text = 'def ask(self):\n    """Ask the bank."""\n    money = self.bank.ask()\n    return money\n'
    ask = replace(shown("Client.ask", text), basis=Basis(BasisKind.FRAME, line=12))
    line = Anchors(frames=(StackFrame("shop/bank.py", 12),))

    told = answer("explain line 12 of shop/bank.py", ask, mode=Mode.DIAGNOSTIC, anchors=line)

    assert told.startswith("`shop/bank.py:12` stands in `Client.ask`: [E1]")
    assert "money = self.bank.ask()" in told
    assert "What `Client.ask` is for: Ask the bank." in told


def test_a_question_without_anything_to_search_for_is_told_so() -> None:
    """Not that the code has nothing of it."""
    assert answer("thanks!").startswith("That asks nothing about the code. Name a symbol")
    assert answer("and who calls it?").startswith("It is not known what “it” is: the question names nothing,")


def test_what_a_definition_says_of_itself_leads_where_it_answers() -> None:
    """A page that shares fewer of the question's words comes later."""
    ask = shown("ask_bank", 'def ask_bank():\n    """Ask the bank for money, once."""\n')
    other = page("Use > Banks", "Most banks are closed on a day without money for anybody.\n")

    assert answer("What does ask_bank do?", other, ask).startswith("`ask_bank` — Ask the bank for money, once. [E2]")


@pytest.mark.parametrize("heading", ["``bank_limit``", "shop.bank_limit", "`task_bank_limit`"])
def test_the_section_of_a_setting_leads_with_its_default(heading: str) -> None:
    """Its labels are no prose, and other sections that mention the setting come behind."""
    text = "Default: ``4``\n\nScope: everything\n\nHow many times a bank is asked. More is of no use.\n"
    other = page("Settings > other", "The bank_limit setting is a limit of what a bank gives by default.\n", line=50)
    own = page(f"Settings > {heading}", text)

    told = answer("What is the default bank_limit?", other, own)

    assert told.startswith("Default: `4`. How many times a bank is asked. More is of no use. (“")


def test_where_something_is_is_answered_by_files() -> None:
    """The files come first, each with what stands there; what only shows the use is no place of it."""
    jar = shown("CookieJar", 'class CookieJar:\n    """Keeps cookies."""\n', path="shop/jar.py")
    parse = shown("parse_cookies", "def parse_cookies(text):\n    pass\n", path="shop/parse.py")
    example = shown("cookie_example", "def cookie_example():\n    pass\n", path="examples/cookies.py")

    text = answer("Where are cookies handled?", example, jar, parse)

    assert text.startswith("In `shop/parse.py` (`parse_cookies` [E3]) and `shop/jar.py` (`CookieJar` [E2]).")


def test_a_file_that_is_called_so_goes_before_others() -> None:
    """It has to be called half of what the question is about: a word of many says nothing."""
    build = shown("update_route_tree", "def update_route_tree(tree):\n    pass\n", path="shop/main.py")
    get = shown("Trees.get", "def get(self, tree):\n    return tree\n", path="shop/tree.py")

    short = answer("Where is the route tree implemented?", build, get)
    long = answer("Where is the route tree of the shop updated when an order is added?", build, get)

    assert short.startswith("In `shop/tree.py` (`Trees.get` [E2]) and `shop/main.py` (`update_route_tree` [E1]).")
    assert long.startswith("In `shop/main.py`")


def test_a_difference_is_answered_by_both() -> None:
    """Both things are told before anything else is."""
    chord = shown("_chord", 'class _chord:\n    """A barrier behind a group."""\n')
    group = shown("group", 'class group:\n    """Tasks that run beside each other."""\n', path="shop/group.py")
    both = shown("group_chord_error", 'def group_chord_error():\n    """Handle a chord of a group."""\n', path="a.py")

    text = answer("What is the difference between a chord and a group?", both, chord, group)

    assert text.startswith(
        "- `_chord` — A barrier behind a group. [E2]\n- `group` — Tasks that run beside each other. [E3]\n\n"
    )


def test_a_question_about_nothing_in_particular_is_answered_by_an_overview() -> None:
    """Who asks how it works wants no function whose words happen to be "work"."""
    works = shown("works", 'def works():\n    """Whether old ciphers work."""\n')
    overview = page("Overview", "The shop sells what the bank allows, and it works on all days.\n", path="README.md")

    assert answer("how does it work", works, overview).startswith("The shop sells what the bank allows")


MEASURES = (
    "Structure of shop/\n\nCoupling (module: uses it, is used by it):\n- bank: 3, 4\n\n"
    "Inside (module: uses others, is used by others):\n- cart.py: 9, 1\n\n"
    "Circular dependencies between modules: 1\n- a.py <-> b.py\n\n"
    "God functions (more than 15 callees): 1\n- Cart.pay (shop/cart.py:3): 30 callees\n\n"
    "Hotspots (more than 20 callers): 0\n"
)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        (
            "Which modules have circular imports?",
            "There is 1 circle of dependencies between the modules of shop/: a.py",
        ),
        (
            "What is most complex?",
            "The functions of shop/ that call most others: `Cart.pay` (30 callees) [E1:Cart.pay].",
        ),
        ("Where are the hotspots?", "None of the functions of shop/ stands out by its calls."),
        ("Which modules are coupled?", "Most coupled with shop/: `bank`; inside it: `cart.py`; the numbers follow."),
        ("Does it support tabs?", "Tabs are not supported by the shop. (“Tabs”"),
    ],
)
def test_structure_is_answered_by_the_measure_that_is_asked_for(question: str, first: str) -> None:
    """Circles, size and calls are told first where they are asked for; what asks for no measure is answered first."""
    pay = SymbolRef("shop/cart.py", "Cart.pay", SymbolKind.METHOD, 3, 9)
    measures = Evidence("m", EvidenceKind.METRICS, text=MEASURES, mentions=(pay,))
    tabs = page("Tabs", "Tabs are not supported by the shop.\n")

    assert answer(question, measures, tabs, mode=Mode.ANALYTICAL).startswith(first)


def test_what_couples_inside_is_told_where_nothing_is_around() -> None:
    """A page that is titled alike is told too, though none of its sentences shares enough."""
    text = MEASURES.replace("- bank: 3, 4\n", "- none\n")
    storage = page("shop.storage", "Keeps things in files, one for each kind.\n", path="shop/storage.py")

    told = answer(
        "What is coupled to storage?", Evidence("m", EvidenceKind.METRICS, text=text), storage, mode=Mode.ANALYTICAL
    )

    assert told.startswith("Most coupled inside shop/: `cart.py`; the numbers follow.")
    assert "- Keeps things in files, one for each kind. (“shop.storage”, `shop/storage.py:1` [E2])" in told


def test_shared_words_make_no_cause() -> None:
    """Without a name or a message, a place that raises must say what the question says; assertions hardly ever do."""
    text = (
        "def send(request):\n    assert request.url\n    if request.late:\n        raise TypeError('request is late')\n"
    )
    seen = shown("seen", 'def seen(request):\n    """Filter duplicates of a request."""\n', path="shop/seen.py")

    told = answer("Why is my request filtered as a duplicate?", shown("send", text), seen, mode=Mode.DIAGNOSTIC)

    assert told.startswith("`seen` — Filter duplicates of a request. [E2]")


def test_the_method_that_raises_is_named_where_a_class_is_shown() -> None:
    """A class is no place."""
    text = "class Shop:\n  def sell(self):\n    try:\n      go()\n    except KeyError:\n      raise Gone\n"

    told = answer(
        "Why Gone?",
        shown("Shop", text, kind=SymbolKind.CLASS),
        mode=Mode.DIAGNOSTIC,
        anchors=Anchors(exceptions=("Gone",)),
    )

    assert told.startswith("`Shop.sell` raises `Gone` under `except KeyError`: [E1]")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ('class A:\n    help = """\\\nReads a lid.\n"""\n    loud = True\n    def f(self):\n        return 1\n', ""),
        (
            'def f():\n    """Extend :class:`~shop.Bag` by ``lid``, see `Lids`_."""\n',
            "Extend `shop.Bag` by `lid`, see Lids.",
        ),
        ('def f():\n    """Write it.\n\n    *Encoding*\n\n    In order:\n    """\n', "Write it."),
        ("/**\n * *Never* twice.\n *Twice\n */\nvoid f()", "*Never* twice. Twice"),
        ('def f():\n    """Start it.\n\n    Examples\n    --------\n    f()\n    """\n', "Start it."),
        ('def f():\n    """Make it.\n\n    key: Of the lid.\n    name: Of the bag.\n    """\n', "Make it."),
    ],
)
def test_summaries_are_prose(text: str, summary: str) -> None:
    """What ends another string opens none, markup is read out, and lists of parameters are left out."""
    assert prose.summary(text) == summary


def test_users_are_told_first_each_with_its_place() -> None:
    """Who asks what calls something wants the callers, not what it calls."""
    ask, pay = (
        SymbolRef("shop/bank.py", "ask", SymbolKind.FUNCTION, 5, 6),
        SymbolRef("shop/cart.py", "pay", start_line=1),
    )
    caller = User("pay", pay, Span("shop/cart.py", 2, 2))
    users = UserList("ask", Relation.CALLS, ask, 1, (caller,), in_tests=3)
    listed = Evidence("u", EvidenceKind.FLOW, mentions=(ask, pay), users=users)

    told = answer("What calls ask?", listed, shown("ask", "def ask():\n    pass\n"), mode=Mode.EXPLORATORY)

    assert told.startswith("`ask` is called by `pay` [E1:pay]. It stands at `shop/bank.py:5`.\n\n")
    assert "- `pay` [E1:pay], at `shop/cart.py:2`\n- and 3 in tests\n" in told
    assert "The flow starts" not in told


def test_nobody_who_uses_it_is_an_answer() -> None:
    """It says so, and does not go on to something else first."""
    ask = SymbolRef("shop/bank.py", "ask", SymbolKind.FUNCTION, 5, 6)
    users = UserList("ask", Relation.CALLS, ask, in_tests=3)
    listed = Evidence("u", EvidenceKind.FLOW, mentions=(ask,), users=users)

    told = answer("What calls ask?", listed, mode=Mode.EXPLORATORY)

    assert told.startswith(
        "`ask` at `shop/bank.py:5` is called by nothing that the index knows of, 3 in tests aside. [E1:ask]"
    )


def test_a_name_that_is_no_definition_is_told_as_what_it_is() -> None:
    """A parameter is not "not defined"; several definitions are told with their places, near spellings by name."""
    parameter = Occurrence("tries", Mention.PARAMETER, "ask", Span("shop/bank.py", 10, 10))
    candidates = (SymbolRef("a.py", "pay", start_line=3), SymbolRef("b.py", "pay", start_line=4))
    results = (
        GapResult(
            Gap("g1", symbol="tries"),
            GapOutcome.RESOLVED,
            evidence_ids=("ev-shop/bank.py-ask",),
            occurrence=parameter,
        ),
        GapResult(Gap("g2", symbol="pay"), GapOutcome.AMBIGUOUS, "2 definitions", candidates=candidates),
        GapResult(Gap("g3", symbol="asc"), GapOutcome.ABSENT, "nothing is called asc (as before)", alike=("ask",)),
        GapResult(Gap("g4", symbol="bank_door"), GapOutcome.ABSENT, "nothing is called bank_door"),
    )
    docstring = '    """\n    Ask.\n\n    :param int tries: how often,\n        at most.\n    """\n'
    text = f"def ask(\n    tries: int = 3,\n):\n{docstring}    return 1\n"
    evidence = (shown("ask", text), page("Doors", "Set bank_door to open a door.\n"))
    classification = Classification(Mode.CONCEPTUAL)

    told = "".join(write_answer(Material("How many tries?", classification, label_evidence(evidence), results)))

    about = Material("What does tries do?", classification, label_evidence(evidence), results)
    where = "".join(write_answer(Material("Where are tries read?", classification, label_evidence(evidence), results)))

    assert "- `tries` is a parameter of `ask` (`shop/bank.py:10`), `3` by default: how often, at most. [E1]\n" in told
    assert "".join(write_answer(about)).startswith("No definition, but in the code:")
    assert where.startswith("No definition, but in the code:\n\n- `tries` is a parameter of")
    assert where.count("No definition, but") == 1
    assert "- `pay` has several definitions and nothing tells which is meant: `a.py:3`, `b.py:4`.\n" in told
    assert "- `asc` is not defined in the indexed code; there is `ask`.\n" in told
    assert "- `bank_door` is not defined in the indexed code, but its documentation speaks of it [E2].\n" in told


def test_saying_that_a_name_is_not_there_claims_no_existence() -> None:
    """Or the very honesty of an answer would be held against it."""
    found = {each.claim for each in extract_claims("`ShopClosed` is not defined in the indexed code, `ShopOpen` is.")}

    assert found == {Claim(ClaimKind.ABSENT, "ShopClosed"), Claim(ClaimKind.EXISTS, "ShopOpen")}


def test_a_name_within_a_quoted_message_is_not_asked_for() -> None:
    """It is looked for with the message; the same name outside of it is."""
    anchors = Anchors(symbols=("shop.lock", "pay_all"), error_messages=("shop.lock is stale, see pay_all",))
    question = 'Why "shop.lock is stale, see pay_all" from pay_all?'

    gaps = missing_definitions((), (), question, Classification(Mode.DIAGNOSTIC, anchors=anchors), pass_number=1)

    assert [gap.symbol for gap in gaps] == ["pay_all"]


def test_who_makes_the_message_leads_before_who_shares_its_words() -> None:
    """Also where it is no call of logging, and nobody said that it is held there."""
    text = 'def settle(note):\n    note(f"Settling with the bank failed, {note}")\n'
    other = shown("ask", 'def ask():\n    raise ValueError("the bank failed")\n', path="shop/ask.py")
    anchors = Anchors(error_messages=("Settling with the bank failed, closed",))

    told = answer("Why that?", other, shown("settle", text), mode=Mode.DIAGNOSTIC, anchors=anchors)

    assert told.startswith("The message is made in `settle`: [E2]")
    assert "raises `ValueError`" not in told


@pytest.mark.parametrize("path", ["AGENTS.md", "docs/CONTRIBUTING.rst", "CHANGES/7.rst", "docs/release-notes.md"])
def test_pages_for_makers_come_behind_those_for_users(path: str) -> None:
    """What is said to contributors, or of the past, hardly answers."""
    aside = page("Rules", "The limit of the bank must be told where the limit of the bank is changed.\n", path=path)
    use = page("Use > Banks", "A bank has a limit of 4 for everybody.\n")

    assert answer("What is the limit of the bank?", aside, use).startswith("A bank has a limit of 4")


def test_lines_that_set_a_name_are_quoted() -> None:
    """Few lines say what it is."""
    span = Span("shop/conf.py", 2, 4)
    lines = Evidence("set", EvidenceKind.SOURCE, span=span, title="shop/conf.py", text="x = 1\nmax_tries = 4\ny = 2\n")
    name = Occurrence("max_tries", Mention.NAME, place=Span("shop/conf.py", 3, 3))
    gap = Gap("g1", symbol="max_tries")
    results = (GapResult(gap, GapOutcome.RESOLVED, evidence_ids=("set",), occurrence=name),)

    told = "".join(write_answer(Material("What is max_tries?", Classification(), label_evidence((lines,)), results)))

    assert told.startswith(
        "No definition, but in the code:\n\n- `max_tries` is a name that is set in `shop/conf.py:3`. [E1]"
    )
    assert "`shop/conf.py:2-4`\n```python\nx = 1\nmax_tries = 4\ny = 2\n```" in told
