"""The use case: who decides, and what happens when the model does not answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from classifier.adapters.cache import CachedEngine
from classifier.adapters.reading import read_models
from classifier.domain.reading.understand import Reader
from classifier.domain.values import Engine, Mode
from classifier.usecases.classify import Classify, Question
from common.core.contract.question import Anchors
from common.core.contract.understanding import Comprehension, Intent, QuestionPart, SlotKind, Understanding
from common.core.errors import ModelUnavailable
from tests.fakes.clock import FakeClock
from tests.fakes.mode_engine import FAKE_VERDICT, FakeEngine, FakeMeter


def classify(
    meter: FakeMeter, *, rules: FakeEngine | None = None, model: FakeEngine | None, preferred: Engine = Engine.MODEL
) -> Classify:
    """Return the use case over fakes, with hardly any patience."""
    return Classify(
        reader=Reader(read_models()),
        rules=rules or FakeEngine(Engine.RULES),
        model=model,
        preferred=preferred,
        model_seconds=0.01,
        meter=meter,
        clock=FakeClock(),
    )


async def test_configured_engine_decides() -> None:
    """Without a wish of the caller the configured engine is asked, and counted."""
    meter, model = FakeMeter(), FakeEngine()

    result = await classify(meter, model=model).run(Question("Why?"))

    assert result.engine is Engine.MODEL
    assert result.verdict == FAKE_VERDICT
    assert meter.classifications == [(Mode.ANALYTICAL, Engine.MODEL)]


async def test_caller_may_ask_for_the_rules() -> None:
    """A caller who names the rules gets them; the model is not asked."""
    model = FakeEngine()

    result = await classify(FakeMeter(), model=model).run(Question("Why?", engine=Engine.RULES))

    assert result.engine is Engine.RULES
    assert model.asked == []


@pytest.mark.parametrize("model", [FakeEngine(error=ModelUnavailable("down")), FakeEngine(hangs=True), None])
async def test_rules_decide_when_the_model_does_not(model: FakeEngine | None) -> None:
    """A model that fails, takes too long or is not configured never fails a question."""
    meter = FakeMeter()

    result = await classify(meter, model=model).run(Question("Why?", engine=Engine.MODEL))

    assert result.engine is Engine.RULES
    assert meter.fallbacks == (0 if model is None else 1)


async def test_parts_that_the_model_read_replace_those_of_the_rules() -> None:
    """Who reads parts is believed; a verdict without any leaves them to the rules."""
    part = QuestionPart(Intent.UNUSED, confidence=0.9)
    reading = FakeEngine(verdict=replace(FAKE_VERDICT, parts=(part,)))

    read = await classify(FakeMeter(), model=reading).run(Question("Who calls Session.send?"))
    silent = await classify(FakeMeter(), model=FakeEngine()).run(Question("Who calls Session.send?"))

    assert read.understanding.parts == (part,)
    assert read.understanding.comprehension is Comprehension.FULL
    assert [each.text for each in read.understanding.mentions] == ["Session.send"]
    assert [each.intent for each in silent.understanding.parts] == [Intent.RELATION]
    assert silent.understanding.parts[0].slot(SlotKind.SUBJECT).text == "Session.send"  # type: ignore[union-attr]


async def test_unknown_errors_are_not_swallowed() -> None:
    """Only a model that does not answer is replaced by rules; a defect of ours is told."""
    broken = FakeEngine(error=RuntimeError("defect"))

    with pytest.raises(RuntimeError):
        await classify(FakeMeter(), model=broken).run(Question("Why?"))


async def test_forced_mode_is_taken_and_anchors_are_found_all_the_same() -> None:
    """A forced mode asks no engine, is certain, and still says what the question mentions."""
    rules, model = FakeEngine(Engine.RULES), FakeEngine()

    result = await classify(FakeMeter(), rules=rules, model=model).run(
        Question("Why does `save` fail in the auth module?", forced_mode=Mode.EXPLORATORY)
    )

    assert result.engine is Engine.FORCED
    assert (result.verdict.mode, result.verdict.confidence, result.verdict.scope) == (Mode.EXPLORATORY, 1.0, "auth")
    assert result.anchors.symbols == ("save",)
    assert rules.asked == model.asked == []


async def test_known_questions_are_not_asked_again_and_the_oldest_is_forgotten() -> None:
    """The cache answers what it knows, keeps as many as allowed, and asks again for what it forgot."""
    model = FakeEngine()
    cached = CachedEngine(model, size=2)

    for question in ("a", "a", "b", "a", "c", "b"):
        assert await cached.decide(question, Anchors(), Understanding()) == FAKE_VERDICT

    assert model.asked == ["a", "b", "c", "b"]


async def test_failures_are_not_cached() -> None:
    """A question that failed is asked again."""
    model = FakeEngine(error=ModelUnavailable("down"))
    cached = CachedEngine(model, size=2)

    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await cached.decide("a", Anchors(), Understanding())

    assert model.asked == ["a", "a"]
