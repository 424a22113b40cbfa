"""What a question says is done, and how well the name of a function says that it does it."""

from __future__ import annotations

import pytest

from common.core.contract.understanding import QuestionPart, Slot, SlotKind
from retriever.domain.questions.process import Process, process_of
from retriever.domain.values import Symbol, SymbolKind
from tests.fakes.reading import part_of


def symbol(name: str, path: str = "a.py", signature: str = "") -> Symbol:
    """Make a function of a qualified name."""
    last, kind = name.rpartition(".")[2], SymbolKind.FUNCTION
    return Symbol(1, 1, None, kind, path, "a", "python", False, last, name, 1, 2, signature, "")


def process(question: str) -> Process:
    """Return what a question says is done, as the classifier reads it."""
    found = process_of(part_of(question))
    assert found
    return found


@pytest.mark.parametrize(
    ("question", "verb", "things", "further"),
    [
        ("How is a template rendered?", "render", ("template",), ()),
        ("How are routes mapped?", "map", ("routes",), ()),
        ("How does the adapter verify a certificate?", "verify", ("certificate",), ("adapter",)),
        ("How are objects sent?", "send", ("objects",), ()),
    ],
)
def test_what_is_done_comes_from_the_slots(
    question: str, verb: str, things: tuple[str, ...], further: tuple[str, ...]
) -> None:
    """The verb in the forms of code, what it is done to, and who does it."""
    found = process(question)

    assert verb in found.done
    assert (found.things, found.further) == (things, further)


def test_without_a_verb_or_a_thing_nothing_is_done() -> None:
    """What remains is a question for the search."""
    verb, thing = Slot(SlotKind.VERB, "rendered"), Slot(SlotKind.OBJECT, "template")

    assert process_of(QuestionPart(slots=(verb,))) is None
    assert process_of(QuestionPart(slots=(thing,))) is None
    assert process_of(QuestionPart(slots=(verb, thing)))


@pytest.fixture
def rendering() -> Process:
    """How a template is rendered."""
    return process("How is a template rendered?")


def test_a_name_that_says_all_and_no_more_fits_best(rendering: Process) -> None:
    """Then its owner, its parameters, its folder; each word besides costs, and so does the verb in another place."""
    in_order = [
        symbol("render_template"),
        symbol("Template.render"),
        symbol("Engine.render", signature="def render(self, template)"),
        symbol("Engine.render", path="template/engine.py"),
        symbol("Engine.render"),
        symbol("Engine.pre_render"),
    ]
    fits = [rendering.fit(each) for each in in_order]

    assert fits == sorted(fits, reverse=True)
    assert len(set(fits)) == len(fits)
    assert rendering.fit(symbol("render_template_lazily")) < fits[0]
    assert rendering.fit(symbol("FancyEngineOfTests.render")) < fits[4]


def test_a_name_without_the_verb_does_not_fit(rendering: Process) -> None:
    """Whatever else it says; what is called itself, says a synonym, or another form of the verb, may do it."""
    assert rendering.fit(symbol("Template")) == 0.0
    assert rendering.fit(symbol("load_template")) == 0.0
    called, named = (rendering.fit(symbol(f"Template.{name}")) for name in ("__call__", "render"))
    assert 0.0 < called < named
    assert 0.0 < rendering.fit(symbol("Template.rendered")) < named
    removing = process("How are stale rows removed?")
    assert 0.0 < removing.fit(symbol("delete_stale_rows")) < removing.fit(symbol("remove_stale_rows"))


def test_words_are_read_as_one_where_code_writes_them_so() -> None:
    """`staticfiles` are static files, and who logs in is let in by `login`, or by `log_in`."""
    collecting = process("How does it collect static files?")
    entering = process_of(QuestionPart(slots=(Slot(SlotKind.VERB, "log in"), Slot(SlotKind.OBJECT, "users"))))
    assert entering
    assert collecting.fit(symbol("collect", path="staticfiles/it.py")) > collecting.fit(symbol("collect"))
    assert min(entering.fit(symbol(name)) for name in ("login", "log_in")) > 2 * entering.fit(symbol("log_rows"))
