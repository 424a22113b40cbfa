"""What a follow-up means: it, the other one, the second one, a line, or nothing at all."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import (
    ContextSource,
    Evidence,
    EvidenceKind,
    Relation,
    Span,
    SymbolKind,
    SymbolRef,
    User,
    UserList,
)
from orchestrator.domain.evidence_data import Setting
from orchestrator.domain.following import meant, names_nothing, referent, resolve, stays_with
from orchestrator.domain.names import is_called, is_spelled, last_part
from orchestrator.domain.question import Anchors, AskOptions, Classification, Mode, StackFrame
from orchestrator.domain.sessions import SessionMemory, by_use, question_key, recall

PLAIN = Classification(Mode.CONCEPTUAL)
LIST = "Bag.take (bag.py:3) is called by 2 here:\n- Shop.sell\n- Shop.lend\n"


def source(name: str, path: str = "bag.py", mentions: tuple[SymbolRef, ...] = ()) -> Evidence:
    """Return the source of a definition."""
    return Evidence(
        f"ev-{name}", EvidenceKind.SOURCE, span=Span(path, 3, 9), symbol=SymbolRef(path, name), mentions=mentions
    )


def users() -> Evidence:
    """Return a list of who calls something, with its definition first among its mentions."""
    told = tuple(SymbolRef("shop.py", each) for each in ("Bag.take", "Shop.sell", "Shop.lend"))
    callers = tuple(User(each.qualified_name, each) for each in told[1:])
    found = UserList("Bag.take", Relation.CALLS, told[0], len(callers), callers)
    return Evidence("ev-list", EvidenceKind.FLOW, title="bag sell", text=LIST, mentions=told, users=found)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what about the async one?", "AsyncBag.take"),
        ("and the async version?", "AsyncBag.take"),
        ("and the owner filter?", "Bag.take"),
        ("what about it?", "Bag.take"),
    ],
)
def test_another_one_is_what_is_called_like_it(question: str, name: str) -> None:
    """Of all that has the words of the question in its name the likest is meant; without such, the thing itself."""
    others = tuple(SymbolRef("bag.py", each) for each in ("AsyncShop", "AsyncBag.take_all_at_once", "AsyncBag.take"))

    assert referent(question, PLAIN, (source("Bag.take", mentions=others),)) == name


def test_a_function_is_like_a_function_and_a_class_like_a_class() -> None:
    """Of a class that is known by its members alone, too."""
    state = SymbolRef("map.ts", "mapState", SymbolKind.FUNCTION)
    alike = (SymbolRef("map.ts", "MapWritableState", SymbolKind.CLASS),)
    called = (SymbolRef("map.ts", "mapWritableStateOf", SymbolKind.FUNCTION),)
    raw = Evidence("ev-raw", symbol=SymbolRef("run.rs", "RawExecutor", SymbolKind.CLASS))
    method = Evidence("ev-shell", symbol=SymbolRef("run.rs", "ShellExecutor.run", SymbolKind.METHOD))

    one = Evidence("ev-map", symbol=state, mentions=(*alike, *called))
    assert referent("and the writable one?", PLAIN, (one,)) == "mapWritableStateOf"
    assert referent("and the shell one?", PLAIN, (raw, method)) == "ShellExecutor"


def test_one_of_a_list_is_chosen_by_its_place() -> None:
    """The thing whose users are listed is none of them."""
    assert referent("the second one, what does it do?", PLAIN, (users(), source("Bag.take"))) == "Shop.lend"
    assert referent("and the last?", PLAIN, (users(),)) == "Shop.lend"
    assert referent("the second one", PLAIN, (source("Bag.take"), source("Shop.sell"))) == "Shop.sell"
    assert referent("show the first one", PLAIN, (source("Bag.take"),)) == "Bag.take"


@pytest.mark.parametrize("question", ["where is that configured?", "who is the owner of that?", "when is this called?"])
def test_that_alone_is_what_was_spoken_of(question: str) -> None:
    """Also in the middle of a question."""
    assert referent(question, PLAIN, (source("Bag.take"),)) == "Bag.take"


def test_a_flow_and_a_setting_are_spoken_of_by_name() -> None:
    """A flow is about where it begins."""
    flow = Evidence("ev-flow", EvidenceKind.FLOW, mentions=(SymbolRef("bag.py", "Bag.take"),))
    setting = Evidence("ev-set", EvidenceKind.SOURCE, setting=Setting(("limit",), "BAG_LIMIT", "4", 3))

    assert referent("who calls it?", PLAIN, (flow,)) == "Bag.take"
    assert referent("where is it read?", PLAIN, (setting,)) == "BAG_LIMIT"


@pytest.mark.parametrize(
    ("question", "paths", "frame"),
    [
        ("explain line 40 of bag.py", ("bag.py",), StackFrame("bag.py", 40)),
        ("what is bag.py:40 for?", ("bag.py",), StackFrame("bag.py", 40)),
        ("what does bag.py#L40 do", ("bag.py",), StackFrame("bag.py", 40)),
        ("explain line 7 of that file", (), StackFrame("shop.py", 7)),
    ],
)
def test_a_line_is_looked_up_where_it_stands(question: str, paths: tuple[str, ...], frame: StackFrame) -> None:
    """A file that might be a member too is the file."""
    found = Classification(Mode.CONCEPTUAL, anchors=Anchors(paths=paths, symbols=paths))

    anchors = resolve(question, found, (source("Shop.sell", "shop.py"),)).anchors

    assert (anchors.frames, anchors.symbols) == ((frame,), ())
    assert meant(question, anchors) == (() if paths else ("shop.py:7",))


def test_a_line_of_an_error_is_its_own() -> None:
    """Traces and messages say lines that are read by those who know their forms."""
    found = Classification(Mode.DIAGNOSTIC, anchors=Anchors(paths=("bag.py",), exceptions=("KeyError",)))

    assert resolve("KeyError at bag.py:40", found, ()) is found


@pytest.mark.parametrize(
    "question",
    ["thanks!", "Thank you, that helps a lot", "ok great", "hi there", "and who calls it?", "what does that throw?"],
)
def test_nothing_is_searched_for_where_nothing_is_asked(question: str) -> None:
    """That is a courtesy, or a question about something that nobody knows."""
    assert names_nothing(question, Anchors())


@pytest.mark.parametrize(
    "question",
    ["thanks, how does a bag work?", "How does it work?", "who calls the bank?", "what is the help command?"],
)
def test_a_question_is_searched_for(question: str) -> None:
    """A whole project may be "it", too."""
    assert not names_nothing(question, Anchors())
    assert not names_nothing("and who calls it?", Anchors(symbols=("Bag.take",)))


@pytest.mark.parametrize("unit", ["'s", " that", "!", " great", "' s"])
def test_a_courtesy_that_goes_on_and_on_is_read_at_once(unit: str) -> None:
    """What may be read in several ways is not read in all of them."""
    assert not names_nothing(f"great{unit * 20}x", Anchors())
    assert not names_nothing(f"great{unit * 20_000} x", Anchors())


def test_the_same_words_about_another_thing_are_another_question() -> None:
    """What was shown for it is not shown again for the other."""
    options = AskOptions()
    one, other = (
        question_key("who calls it?", Mode.EXPLORATORY, options, (each,)) for each in ("Bag.take", "Shop.sell")
    )

    assert one != other
    assert question_key("who calls it?", Mode.EXPLORATORY, options) not in (one, other)


@pytest.mark.parametrize("name", ["Shop.sell", "Bag.take"])
def test_a_list_of_users_is_not_recalled(name: str) -> None:
    """It answers no other question, about another thing or the same one; its definition may be of use."""
    found = recall((users(), source("Bag.take")), "how is bag sell tested?", Anchors(symbols=(name,)), max_tokens=100)

    assert [each.evidence_id for each in found] == (["ev-Bag.take"] if name == "Bag.take" else [])


def test_a_list_of_a_retriever_of_before_is_neither_recalled_nor_shown_again() -> None:
    """The next retriever says as data what its text alone says; a tree of calls is as it was."""
    old = Evidence("ev-old", EvidenceKind.FLOW, title="bag sell", text=LIST)
    tree = Evidence("ev-tree", EvidenceKind.FLOW, title="bag sell", text="Bag.take\n  → Shop.sell\n")
    around = Evidence("ev-around", EvidenceKind.FLOW, ContextSource.GAPS, title="bag sell", text=LIST)
    memory = SessionMemory((old, tree, around, users()), shown={"who calls it": ("ev-tree", "ev-old", "ev-around")})
    question = "how is bag sell tested?"

    recalled = recall(memory.evidence, question, Anchors(), max_tokens=100)
    again = memory.shown_for("who calls it", max_tokens=100)

    assert {each.evidence_id for each in recalled} == {"ev-tree", "ev-around"}
    assert [each.evidence_id for each in again] == ["ev-tree"]


def test_what_a_question_names_is_spoken_of_next() -> None:
    """Whatever the text began with; a list of users that was asked for comes before its definition."""
    page, take, other = Evidence("ev-page", EvidenceKind.DOC), source("Bag.take"), source("Box.take")
    evidence, cited = (take, page, other), ("ev-page", "ev-Bag.take", "ev-Box.take")

    def last(question: str, *symbols: str) -> Evidence:
        return by_use(question, Anchors(symbols=symbols), evidence, cited)[-1]

    assert last("How does Bag::take work?", "Bag::take") is take
    assert last("How does Box.take work?", "Box.take") is other
    assert last("How are bags filled?") is page
    assert last("and what is its limit?", "Bag.take") is take
    listed = (take, users())
    assert by_use("Who calls Bag.take?", Anchors(symbols=("Bag.take",)), listed, ("ev-list",))[-1] is listed[1]


def test_a_member_that_leads_is_spoken_of_rather_than_what_was_meant() -> None:
    """As in "what is a bag?", "how does it lend?", "who calls that?"."""
    bag, lend = source("Bag"), source("Bag.lend")

    assert by_use("how does it lend?", Anchors(symbols=("Bag",)), (bag, lend), ("ev-Bag.lend", "ev-Bag"))[-1] is lend


def test_names_are_compared_part_by_part() -> None:
    """In the manner of any language."""
    assert (last_part("Bag::take()"), last_part("Bag#take"), last_part("take")) == ("take", "take", "take")
    assert is_called("shop.Bag.take", "bag::Take")
    assert is_called("Bag.#take", "Bag.#take")
    assert is_called("Bag.#take", "take")
    assert is_called("Bag.take", "Bag#take")
    assert not is_called("Box.take", "Bag.take")
    assert is_spelled("Bag.take", "take")
    assert not is_spelled("Take", "take")


def test_a_question_stays_with_what_it_means_where_it_says_so() -> None:
    """By "it", or by nothing but words of the name."""
    assert stays_with("how does it lend?", "Bag")
    assert stays_with("what about the async one?", "AsyncBag")
    assert not stays_with("where is that timeout set to an hour?", "Bag")


@pytest.mark.parametrize(
    "question",
    ["and if there is none?", "And if the file does not exist?", "what if it is never reached?", "But without one?"],
)
def test_a_case_is_one_of_what_was_told(question: str) -> None:
    """Whatever its words are about, and in whatever mode they would be asked by themselves."""
    alike = (SymbolRef("bag.py", "FileExistsError"), SymbolRef("bag.py", "NoneError"))
    before = (source("Bag.take", mentions=alike),)
    told = resolve(question, Classification(Mode.ANALYTICAL), before)

    assert (told.mode, told.anchors.symbols) == (Mode.CONCEPTUAL, ("Bag.take",))
    assert stays_with(question, "Bag.take")


@pytest.mark.parametrize(
    ("name", "holder"),
    [("Bag.take(limit)", "Bag.take"), ("Bag.__init__(limit)", "Bag"), ("Queue.constructor(limit)", "Queue")],
)
def test_a_case_of_a_parameter_is_one_of_its_function(name: str, holder: str) -> None:
    """Its lines say what happens then, of a constructor those of the class."""
    setting = Evidence(
        "ev-s", EvidenceKind.SOURCE, span=Span("bag.py", 3, 3), setting=Setting(("limit",), name, "3", 3)
    )

    assert referent("and if it is None?", PLAIN, (setting,)) == holder
    assert referent("and where is it read?", PLAIN, (setting,)) == setting.setting.dotted if setting.setting else ""


def test_a_long_case_is_one_of_its_own() -> None:
    """It says what it is about."""
    question = "If the order of a buyer is sent again after the till was closed, what becomes of the voucher?"

    assert referent(question, PLAIN, (source("Bag.take"),)) == ""
