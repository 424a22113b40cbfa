"""Questions are read once: intents, slots, parts, references, languages, and what is not understood."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cgrag.type.v1 import evidence_pb2, question_pb2, understanding_pb2

from cgrag_client.evaluation.cases import parse_understanding, read_cases
from cgrag_client.evaluation.understanding import judge, score
from classifier.adapters.reading import read_models
from classifier.domain.reading.tokens import Shape, tokens_of
from classifier.domain.reading.understand import Reader
from common.core.contract.understanding import (
    Comprehension,
    Intent,
    MentionKind,
    NaturalLanguage,
    ReferenceKind,
    Relation,
    SlotKind,
)
from common.rpc.serving.mirroring import to_message
from scripts.phrasings import read_sample
from tests.fakes.latency import within

GOLDEN = Path(__file__).parents[2] / "golden" / "understanding"
HELD_OUT = GOLDEN / "held_out.jsonl"
DATA = Path(__file__).parents[3] / "classifier" / "data"


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return the reader as it ships."""
    return Reader(read_models())


def test_phrasings_that_were_held_out_are_read_alike(reader: Reader) -> None:
    """Intents and slots hold on phrasings that the weights were not fitted on, and so does the probability."""
    cases = read_cases(HELD_OUT, parse_understanding)
    outcomes = [
        judge(
            case,
            question_pb2.Classification(
                understanding=to_message(reader.read(case.question), understanding_pb2.Understanding)
            ),
            0.0,
        )
        for case in cases
    ]

    metrics = score(outcomes)

    assert float(str(metrics["agreement"])) >= 0.92
    assert float(str(metrics["honest"])) == 1.0
    assert float(str(metrics["ece"])) <= 0.1


def test_no_phrasing_is_in_both_sets() -> None:
    """What the weights were fitted on is not what they are judged by."""
    fitted = _texts(DATA / "phrasings.jsonl") | _texts(DATA / "people.jsonl")
    held_out = {_plain(case.question) for case in read_cases(HELD_OUT, parse_understanding)}
    held_out |= _texts(GOLDEN / "long_questions.jsonl") | _texts(GOLDEN / "people.jsonl")

    assert not fitted & held_out


def _texts(path: Path) -> set[str]:
    return {_plain(read_sample(line).text) for line in path.read_text(encoding="utf-8").splitlines()}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def test_enumerations_are_those_of_the_contract() -> None:
    """Every member has its number in the contract, and the other way round."""
    pairs = (
        (Intent, understanding_pb2.Intent),
        (SlotKind, understanding_pb2.SlotKind),
        (MentionKind, understanding_pb2.MentionKind),
        (ReferenceKind, understanding_pb2.ReferenceKind),
        (NaturalLanguage, understanding_pb2.Language),
        (Comprehension, understanding_pb2.Comprehension),
        (Relation, evidence_pb2.Relation),
    )
    for own, contract in pairs:
        prefix = str(contract.keys()[0]).removesuffix("UNSPECIFIED")

        assert [f"{prefix}{member.name}" for member in own] == list(contract.keys())


def test_slots_have_the_place_of_their_words(reader: Reader) -> None:
    """Offsets cut the words out of the question, whatever stands around them."""
    question = "\U0001f44b which subclasses of `BaseTransport` are there, please?"

    part = reader.read(question).parts[0]
    subject = part.slot(SlotKind.SUBJECT)

    assert (part.intent, part.relation) == (Intent.RELATION, Relation.INHERITS)
    assert subject is not None
    assert question[subject.start : subject.end] == subject.text == "BaseTransport"


@pytest.mark.parametrize(
    ("question", "slots"),
    [
        ("Does Cashier.pay call audit_log?", {SlotKind.OBJECT: "Cashier.pay", SlotKind.SUBJECT: "audit_log"}),
        ("Who calls rewind on Tape?", {SlotKind.SUBJECT: "rewind", SlotKind.OWNER: "Tape"}),
        ("Who calls Tape.#rewind?", {SlotKind.SUBJECT: "Tape.#rewind"}),
        ("How is a voucher redeemed?", {SlotKind.OBJECT: "voucher", SlotKind.VERB: "redeemed"}),
        ("What happens when settle is called?", {SlotKind.SUBJECT: "settle"}),
        ("what does the class Ledger do?", {SlotKind.SUBJECT: "Ledger"}),
        ("What does it do?", {}),
    ],
)
def test_roles_are_told_apart(reader: Reader, question: str, slots: dict[SlotKind, str]) -> None:
    """Who does it and whom it is done to, a name and its owner, and verbs that no phrasing has."""
    assert {slot.kind: slot.text for slot in reader.read(question).parts[0].slots} == slots


@pytest.mark.parametrize(
    ("question", "choice"), [("How good is the code?", "whole"), ("How well is the ledger structured?", "")]
)
def test_a_judgement_is_of_the_whole_or_of_a_thing(reader: Reader, question: str, choice: str) -> None:
    """Numbers of all of the code say nothing of one thing in it."""
    part = reader.read(question).parts[0]
    kind = part.slot(SlotKind.KIND)

    assert part.intent is Intent.ASSESSMENT
    assert (kind.value if kind else "") == choice


def test_the_confidence_is_that_of_the_intent(reader: Reader) -> None:
    """Which relation it is may be open where that it is one is sure."""
    question = "What depends on stampbox?"
    chances = reader.chances(tokens_of(question))
    part = reader.read(question).parts[0]

    assert part.intent is Intent.RELATION
    assert part.confidence == pytest.approx(sum(each for name, each in chances.items() if name.startswith("RELATION.")))


def test_two_questions_are_two_parts_and_a_pronoun_is_what_it_stands_for(reader: Reader) -> None:
    """The second part asks about the subject of the first."""
    found = reader.read("Where is Decoder defined and who calls it?")

    assert [part.intent for part in found.parts] == [Intent.LOCATION, Intent.RELATION]
    assert [slot.text for part in found.parts for slot in part.slots] == ["Decoder", "Decoder"]
    assert found.reference.kind is ReferenceKind.UNSPECIFIED


def test_a_question_may_refer_to_an_earlier_one(reader: Reader) -> None:
    """A pronoun without anything that it could stand for is told with its place."""
    found = reader.read("and who calls it?")

    assert (found.parts[0].intent, found.parts[0].relation) == (Intent.RELATION, Relation.CALLS)
    assert (found.reference.kind, found.reference.text) == (ReferenceKind.PRONOUN, "it")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How does it work?", ReferenceKind.PRONOUN),
        ("where is that configured?", ReferenceKind.PRONOUN),
        ("Does it use them?", ReferenceKind.PRONOUN),
        ("and the tests?", ReferenceKind.CONTINUATION),
        ("What does this project do?", ReferenceKind.UNSPECIFIED),
        ("How does Session use its cache?", ReferenceKind.UNSPECIFIED),
    ],
)
def test_a_pronoun_before_any_thing_refers_to_what_came_before(
    reader: Reader, question: str, kind: ReferenceKind
) -> None:
    """Whatever is done with it; one behind a thing may stand for that."""
    assert reader.read(question).reference.kind is kind


@pytest.mark.parametrize(
    ("question", "kind", "text", "position"),
    [
        ("who calls the second one?", ReferenceKind.PRONOUN, "second", 2),
        ("and what does the last one do", ReferenceKind.PRONOUN, "last", -1),
        ("how is the async one tested?", ReferenceKind.PRONOUN, "async", 0),
        ("what is in that file?", ReferenceKind.FILE, "file", 0),
    ],
)
def test_one_of_several_is_referred_to(
    reader: Reader, question: str, kind: ReferenceKind, text: str, position: int
) -> None:
    """By its place or by what tells it apart, and no slot takes it for a name."""
    found = reader.read(question)

    assert (found.reference.kind, found.reference.text, found.reference.position) == (kind, text, position)
    assert not [slot.text for part in found.parts for slot in part.slots if text in slot.text]


def test_a_member_of_a_type_is_told_in_words(reader: Reader) -> None:
    """A noun beside the name is no part of it."""
    part = reader.read("who calls the lookup method of View?").parts[0]

    assert part.slot(SlotKind.SUBJECT).text == "lookup"  # type: ignore[union-attr]  # it is there, or the test fails
    assert part.slot(SlotKind.OWNER).text == "View"  # type: ignore[union-attr]


def test_a_pronoun_as_an_object_is_the_subject_before(reader: Reader) -> None:
    """Each part is answered by itself."""
    found = reader.read("Which tests cover the retry queue, and where does the code pop it?")

    assert [part.intent for part in found.parts] == [Intent.RELATION, Intent.FIND]
    assert found.parts[1].slot(SlotKind.OBJECT).text == "retry queue"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Who calls Shop.sell and where should I start?", Intent.START),
        ("Who calls Shop.sell, and is it deprecated?", Intent.SUPPORT),
        ("Who calls Shop.sell and how do I run it?", Intent.RUN),
    ],
)
def test_a_part_may_say_nothing_of_any_thing(reader: Reader, question: str, intent: Intent) -> None:
    """Where the project, or what the part before is about, is meant."""
    assert [part.intent for part in reader.read(question).parts] == [Intent.RELATION, intent]


def test_mentions_are_told_apart(reader: Reader) -> None:
    """Names, paths, routes, messages, options and errors are what they look like."""
    found = reader.read(
        'POST /users in src/api.py logs "no such user" and KeyError with --strict, see MAX_USERS, load_all'
    )

    assert [(each.kind.name, each.text) for each in found.mentions] == [
        ("ROUTE", "POST /users"),
        ("PATH", "src/api.py"),
        ("MESSAGE", "no such user"),
        ("EXCEPTION", "KeyError"),
        ("SETTING", "--strict"),
        ("SETTING", "MAX_USERS"),
        ("SYMBOL", "load_all"),
    ]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wer ruft Bank.pay auf?", NaturalLanguage.GERMAN),
        ("Qui appelle Bank.pay ?", NaturalLanguage.FRENCH),
        ("¿Quién llama a Bank.pay?", NaturalLanguage.SPANISH),
        ("谁调用了 Bank.pay？", NaturalLanguage.CHINESE),  # noqa: RUF001 (written so)
        ("Bank.pay を呼び出しているのはどこですか？", NaturalLanguage.JAPANESE),  # noqa: RUF001 (written so)
        ("Кто вызывает Bank.pay?", NaturalLanguage.RUSSIAN),
        ("Who calls Bank.pay?", NaturalLanguage.ENGLISH),
    ],
)
def test_other_languages_are_understood(reader: Reader, question: str, language: NaturalLanguage) -> None:
    """The intent, the relation and the subject do not depend on the language."""
    found = reader.read(question)

    assert found.language is language
    assert (found.parts[0].intent, found.parts[0].relation) == (Intent.RELATION, Relation.CALLS)
    assert [slot.text for slot in found.parts[0].slots] == ["Bank.pay"]


@pytest.mark.parametrize("text", ["asdf qwer", "Ποιος καλεί αυτό;", "Mitä tämä ohjelma tekee?", "hello", "???"])
def test_what_is_not_understood_is_said(reader: Reader, text: str) -> None:
    """A language that nobody taught the reader, noise and small talk are never understood fully."""
    assert reader.read(text).comprehension is not Comprehension.FULL


@pytest.mark.parametrize(
    ("question", "intent", "choice"),
    [
        ("What are the biggest classes?", Intent.SIZES, "class"),
        ("what is the longest public function", Intent.SIZES, "function"),
        ("Which packages have most lines?", Intent.SIZES, "module"),
        ("Is there any dead code?", Intent.UNUSED, ""),
        ("List unused functions", Intent.UNUSED, ""),
        ("Which methods are never called?", Intent.UNUSED, ""),
        ("Is there code that nobody uses?", Intent.UNUSED, ""),
        ("What functions does nobody call?", Intent.UNUSED, ""),
        ("Does the core package depend on src/web?", Intent.CONNECTION, ""),
        ("What is the difference between Bank.ask and `lend()`?", Intent.COMPARISON, ""),
        ("compare the Bank with the Desk", Intent.COMPARISON, ""),
        ("Which third-party packages does the shop depend on?", Intent.DEPENDENCIES, ""),
        ("What are the dependencies of this project?", Intent.DEPENDENCIES, ""),
        ("Which environment variables does shop read?", Intent.SETTINGS, "environment"),
        ("Are there any environment settings?", Intent.SETTINGS, "environment"),
        ("What are the default options?", Intent.SETTINGS, "default"),
        ("Where are the default settings defined?", Intent.SETTINGS, "default"),
        ("Which options are there?", Intent.SETTINGS, "option"),
    ],
)
def test_what_stages_of_their_own_answer_is_told(reader: Reader, question: str, intent: Intent, choice: str) -> None:
    """The intent and its choice are sure enough for the stage to run."""
    part = reader.read(question).parts[0]
    kind = part.slot(SlotKind.KIND)

    assert (part.intent, kind.value if kind else "") == (intent, choice)
    assert part.confidence >= 0.5


@pytest.mark.parametrize(
    "question",
    [
        "What is the biggest problem of this design?",
        "Why does the function warn about unused seats?",
        "Why is the callback never called?",
        "What is an unused seat?",
        "Which modules are coupled?",
        "Why is the environment variable SHOP_PORT ignored?",
        "What is the default view engine?",
        "Which modules depend on core?",
    ],
)
def test_what_only_sounds_like_it_is_something_else(reader: Reader, question: str) -> None:
    """Words of such a question stand in many others."""
    alike = {Intent.SIZES, Intent.UNUSED, Intent.COMPARISON, Intent.DEPENDENCIES, Intent.SETTINGS}

    assert not {part.intent for part in reader.read(question).parts if part.confidence >= 0.5} & alike


def test_code_points_that_are_several_bytes_do_not_shift_tokens() -> None:
    """Tokens are cut by code points; CJK text gives one a character."""
    assert [(token.text, token.start) for token in tokens_of("谁calls x.y()")] == [("谁", 0), ("calls", 1), ("x.y", 7)]


def test_slash_between_capitals_joins_words() -> None:
    """`HTTP/2` is no path, `src/http` is one."""
    assert [token.shape for token in tokens_of("HTTP/2 src/http")] == [Shape.WORD, Shape.PATH]


@pytest.mark.parametrize(
    "text", ["a/" * 30_000, "A" * 60_000, "`" * 50_000, "who calls " * 9_000, "_a" * 30_000, "x." * 30_000]
)
def test_long_texts_are_read_in_time(reader: Reader, text: str) -> None:
    """No text takes time that grows faster than its length."""
    with within(1.0):
        reader.read(text)


@pytest.mark.parametrize(
    ("question", "intents"),
    [
        ("new here. what is tillbooks, and where in the code should I start reading?", ["MEANING", "START"]),
        (
            "how do I run the tests, the linter and the benchmarks here, and which ruby version do I need?",
            ["RUN", "DEPENDENCIES"],
        ),
        ("who calls Till.post, the writer and the reader?", ["RELATION"]),
    ],
)
def test_what_asks_nothing_by_itself_is_read_with_what_stands_before_it(
    reader: Reader, question: str, intents: list[str]
) -> None:
    """One more thing of a row is no question; a greeting in front does not hide that two things are asked."""
    assert [part.intent.name for part in reader.read(question).parts] == intents


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("how do I build this and run the tests?", {"build", "test"}),
        ("How can I compile and install it?", {"build", "install"}),
        ("How do I run the tests?", {"test"}),
        ("what is the longest function", {"function"}),
    ],
)
def test_one_sentence_may_choose_several_things(reader: Reader, question: str, choices: set[str]) -> None:
    """Each is a slot of its own; only what is run may be several things."""
    part = reader.read(question).parts[0]

    assert {slot.value for slot in part.slots if slot.kind is SlotKind.KIND} == choices
