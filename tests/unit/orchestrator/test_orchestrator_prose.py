"""What is read out of documentation: whole sentences, parameters, steps."""

from __future__ import annotations

import re

from orchestrator.domain.writing import prose


def test_parameters_of_a_page_are_told_by_name() -> None:
    """A field of reStructuredText becomes a sentence of its own."""
    text = prose.plain("Connectors are many.\n\n   :param int limit: total number of connections.\n")

    assert prose.relevant_sentences(text, {"limit": 1.0, "connection": 1.0}) == "`limit`: total number of connections."


def test_steps_are_told_with_what_leads_on_to_them() -> None:
    """The number of a step ends no sentence, and one step of several says little."""
    text = "In short, a sale:\n\n1. Asks the bank\n   for money.\n2. Retries once.\n3. Asks the bank for a bill.\n"

    told = prose.relevant_sentences(prose.plain(text), {"bank": 1.0, "ask": 1.0, "bill": 0.5})

    assert told == "In short, a sale: Asks the bank for money; Retries once; Asks the bank for a bill."


def test_steps_of_several_sentences_are_told_one_by_one() -> None:
    """Where a step says more than one thing, or nothing leads on to it, it stands by itself without its number."""
    text = "To sell:\n\n1. Ask the bank. It may refuse.\n2. Retry the bank once a day.\n"

    told = prose.relevant_sentences(prose.plain(text), {"bank": 1.0, "day": 1.0, "retry": 0.5})

    assert told == "Retry the bank once a day."


def test_a_sentence_that_leans_on_another_does_not_stand_alone() -> None:
    """What says it by itself comes first, though it shares less; what follows it directly may come along."""
    text = "It asks the bank for the limit of retries.\n\nA retry asks the bank again. That bank is late.\n"

    told = prose.relevant_sentences(text, {"retry": 1.0, "bank": 1.0, "ask": 0.5})

    assert told == "A retry asks the bank again. That bank is late."


def test_names_that_a_page_lists_are_no_prose() -> None:
    """The body of a list of contents is left out, that of a note is not."""
    listed = ".. autosummary::\n   :toctree: generated/\n\n   decode_item\n   read_item\n"
    text = f"{listed}\n.. note::\n\n   Items are read once.\n"

    assert prose.plain(text).split() == ["Items", "are", "read", "once."]


def test_the_value_that_is_asked_for_is_told_with_what_speaks_of_it_most() -> None:
    """It may stand in another paragraph, in a sentence that has no word of its own."""
    text = "A sale keeps to its timeout by default.\n\nThis raises `SaleTimeout` after 5 seconds, the default.\n"
    weights = {"timeout": 1.0, "default": 1.0, "keep": 1.0}

    assert prose.relevant_sentences(text, weights) == "A sale keeps to its timeout by default."
    assert prose.relevant_sentences(text, weights, re.compile(r"\d")) == " ".join(text.split())


def test_a_short_denial_stays_with_what_it_denies() -> None:
    """Alone, what is said of others reads as if it were said of this."""
    text = "Many shops offer caching of orders. This shop does not. Its orders are read anew each time.\n"

    told = prose.relevant_sentences(text, {"caching": 1.0, "cach": 1.0, "order": 0.2})

    assert told.startswith("Many shops offer caching of orders. This shop does not.")
    assert "does not" not in prose.relevant_sentences(text, {"read": 1.0, "anew": 1.0})


def test_a_docstring_begins_behind_the_end_of_line_that_is_left_out_there() -> None:
    """The backslash behind its quotation marks joins lines, and is none of its text."""
    assert prose.summary('def ring(self):\n    """\\\n    Ring the bell.\n    """\n') == "Ring the bell."
