"""Which setting a question asks for, by the classifier's reading, and how well values fit it."""

from __future__ import annotations

import pytest

from common.core.contract.understanding import Intent, QuestionPart, Slot, SlotKind, Understanding
from common.core.words.terms import terms_of
from retriever.domain.declared.given_values import (
    AskedSetting,
    GivenValue,
    asked_setting,
    coverage,
    fit,
    goes_on,
    told_in_full,
)
from retriever.domain.questions.question import Mode
from tests.fakes.reading import task_of


def _given(*keys: str, value: str = "80", path: str = "a.py") -> GivenValue:
    return GivenValue(keys, value, path, 1, 1)


def _asked(question: str) -> AskedSetting | None:
    return asked_setting(task_of(question, Mode.CONCEPTUAL).understanding)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the default of SHOP_PORT?", ("SHOP_PORT",)),
        ("Where is `max_retries` set?", ("max_retries",)),
        ("What is remind.cron?", ("remind.cron",)),
        ("What does maxRetries default to?", ("maxRetries",)),
        ("What is the default of span in Bell.ring?", ("span",)),
    ],
)
def test_a_named_setting_is_asked_for(question: str, names: tuple[str, ...]) -> None:
    """By whatever spelling; what is named beside it says whose it is."""
    asked = _asked(question)

    assert asked
    assert asked.names == names


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the default database dialect?", ("database", "dialect")),
        ("What is the default port of the bank?", ("port", "bank")),
    ],
)
def test_a_described_setting_is_asked_for(question: str, words: tuple[str, ...]) -> None:
    """By the words of its slots."""
    asked = _asked(question)

    assert asked
    assert (asked.names, asked.words) == ((), words)


def test_a_long_description_means_no_setting() -> None:
    """Six words may describe one, seven are about something else."""

    def described(text: str) -> AskedSetting | None:
        part = QuestionPart(Intent.VALUE, slots=(Slot(SlotKind.SUBJECT, text),), confidence=1.0)
        return asked_setting(Understanding((part,)))

    assert described("first retry wait time limit seconds") is not None
    assert described("first retry wait time limit seconds number") is None


def test_what_somebody_wants_to_change_must_be_named_in_full() -> None:
    """Most of what one wants to change is no setting."""
    asked = _asked("How do I change the door width?")

    assert asked
    assert asked.in_full
    assert told_in_full(_given("doorWidth"), asked) == 2
    assert told_in_full(_given("width"), asked) == 0


@pytest.mark.parametrize(
    ("question", "keys", "told"),
    [
        ("What is the default max door width?", ("DEFAULT_MAX_DOOR_WIDTH",), 3),
        ("What is the default max door width?", ("DOOR_WIDTH",), 2),
        ("What is the maximum width of the doors set to?", ("doors", "max-width"), 3),
        ("What is the max size set to?", ("maxSize",), 2),
        ("What is the door width set to?", ("widthOfDoor",), 0),
        ("What is the default maximum door number?", ("DEFAULT_MAX_DOOR_NUM",), 3),
    ],
)
def test_a_name_is_told_in_full_word_by_word(question: str, keys: tuple[str, ...], told: int) -> None:
    """With sections, in either order of "of"; one word is told by chance, and defaults do not count."""
    asked = _asked(question)

    assert asked
    assert told_in_full(_given(*keys), asked) == told


@pytest.mark.parametrize(
    "question",
    ["How does the bank decide on a loan?", "Why does ask_bank fail?", "Who calls Session.send?"],
)
def test_other_questions_ask_for_no_setting(question: str) -> None:
    """Whatever they name."""
    assert _asked(question) is None


@pytest.mark.parametrize(("question", "is_so"), [("How do I change it?", True), ("How do I change the port?", False)])
def test_a_question_may_go_on_with_what_was_named_before(question: str, *, is_so: bool) -> None:
    """Where it says nothing itself."""
    assert goes_on(task_of(question, Mode.CONCEPTUAL).understanding) is is_so


@pytest.mark.parametrize(
    ("keys", "name", "level"),
    [
        (("server", "port"), "server.port", 0),
        (("spring.server", "port"), "server.port", 0),
        (("maxRetries",), "max_retries", 1),
        (("bank", "max-tries"), "bank.maxTries", 1),
        (("server", "port"), "SHOP_SERVER_PORT", 2),
        (("port",), "SHOP_SERVER_PORT", -1),
        (("client", "port"), "server.port", -1),
        (("exports", "."), "server.port", -1),
    ],
)
def test_spellings_of_one_name_meet(keys: tuple[str, ...], name: str, level: int) -> None:
    """As it is written first, then otherwise, then with its sections as one name."""
    assert fit(_given(*keys), name) == level


@pytest.mark.parametrize(
    ("value", "is_passed_on", "is_naming"),
    [("self.port", True, False), ("args->port", True, False), ('"port"', True, True), ("80", False, False)],
)
def test_what_only_passes_on_or_names_is_known(value: str, *, is_passed_on: bool, is_naming: bool) -> None:
    """It gives no value."""
    given = _given("port", value=value)

    assert (given.is_passed_on, given.is_naming) == (is_passed_on, is_naming)


def test_a_description_must_speak_of_the_name_itself() -> None:
    """The file and the sections tell the rest; what they say beside it counts against a value."""
    asked = AskedSetting((), frozenset({"port", "ledger"}), ("port", "ledger"))
    own = coverage(_given("server", "port", path="ledger.yml"), asked)

    assert own > coverage(_given("data", "bank", "port", path="ledger.yml"), asked) > 0.9
    assert coverage(_given("server", "door", path="ledger-port.yml"), asked) == 0.0
    assert coverage(_given("port", path="other.yml"), asked) == 0.5
    produced = AskedSetting((), frozenset(terms_of("production")) | {"port"}, ("production", "port"))
    assert coverage(_given("port", path="shop-prod.yml"), produced) == 1.0
