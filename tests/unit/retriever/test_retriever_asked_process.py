"""What a question wants to know how it is done, and how well the name of a function says that it does it."""

from __future__ import annotations

import pytest

from retriever.domain.asked.process import Process, asked_process
from retriever.domain.values import Symbol, SymbolKind


def symbol(name: str, path: str = "a.py", signature: str = "") -> Symbol:
    """Make a function of a qualified name."""
    last, kind = name.rpartition(".")[2], SymbolKind.FUNCTION
    return Symbol(1, 1, None, kind, path, "a", "python", False, last, name, 1, 2, signature, "")


@pytest.mark.parametrize(
    ("question", "verb", "things", "further"),
    [
        ("How is a template rendered?", "render", ("template",), ()),
        ("How does a migration get applied?", "apply", ("migration",), ()),
        ("Trace how a SQL file is parsed", "parse", ("SQL", "file"), ()),
        ("How are routes mapped?", "map", ("routes",), ()),
        ("Please walk me through how a worker shuts down.", "shutdown", ("worker",), ()),
        ("What happens when a task is retried?", "retry", ("task",), ()),
        ("What happens when a form is submitted and validated?", "validate", ("form",), ()),
        ("How is a result stored in the backend?", "store", ("result",), ("backend",)),
        ("How does the adapter verify a certificate?", "verify", ("certificate",), ("adapter",)),
        ("how does ky retry failed requests", "retry", ("failed", "requests"), ("ky",)),
        ("Where is the template rendered?", "render", ("template",), ()),
        ("How are objects sent over the wire?", "send", ("objects",), ("wire",)),
    ],
)
def test_what_is_done_is_read_in_all_orders(
    question: str, verb: str, things: tuple[str, ...], further: tuple[str, ...]
) -> None:
    """The verb as code writes it, what it is done to, and what else is said."""
    process = asked_process(question)

    assert process
    assert verb in process.verb
    assert (process.things, process.further) == (things, further)
    assert process.told in question


@pytest.mark.parametrize(
    "question",
    [
        "How do I render a template?",
        "How does the cache work?",
        "How is the timeout configured?",
        "What does render do?",
        "Where is the template defined?",
        "Where should a template be rendered?",
        "How are the modules organized?",
        "How is it done?",
        "Why is a template rendered twice?",
        "How is " + "a very " * 20 + "long template rendered?",
    ],
)
def test_other_questions_ask_for_no_process(question: str) -> None:
    """Users, settings, places, reasons, and what is said of anything."""
    assert asked_process(question) is None


@pytest.fixture
def rendering() -> Process:
    """How a template is rendered."""
    process = asked_process("How is a template rendered?")
    assert process
    return process


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
    removing = asked_process("How are stale rows removed?")
    assert removing
    assert 0.0 < removing.fit(symbol("delete_stale_rows")) < removing.fit(symbol("remove_stale_rows"))


def test_words_are_read_as_one_where_code_writes_them_so() -> None:
    """`staticfiles` are static files, and who logs in is let in by `login`, or by `log_in`."""
    collecting, entering = asked_process("How are static files collected?"), asked_process("How does the admin log in?")
    assert collecting
    assert entering
    assert collecting.fit(symbol("collect", path="staticfiles/it.py")) > collecting.fit(symbol("collect"))
    assert min(entering.fit(symbol(name)) for name in ("login", "log_in")) > 2 * entering.fit(symbol("log_rows"))
