"""Messages of the classifier's contract to domain values and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.classifier.v1 import classifier_pb2
from cgrag.type.v1 import question_pb2, understanding_pb2

from classifier.domain.values import Classification, Engine, Mode
from classifier.usecases.classify import Question
from common.rpc.serving.mirroring import to_message
from common.rpc.validation import Violations

if TYPE_CHECKING:
    from classifier.usecases.analyze import Analysis
    from common.core.contract.question import Anchors

MAX_TEXT_CHARS = 100_000


def question_of(request: classifier_pb2.ClassifyQuestionRequest) -> Question:
    """Check a request. Raises InvalidArgument with every field at fault."""
    violations = Violations()
    text = violations.text(request.question, "question", min_length=1, max_length=MAX_TEXT_CHARS)
    modes, engines = {0, *Mode}, {0, Engine.RULES, Engine.MODEL}
    violations.require(request.forced_mode in modes, "forced_mode", "must be one of the four modes, or unspecified")
    violations.require(request.engine in engines, "engine", "must be RULES or MODEL, or unspecified")
    violations.raise_if_any()
    return Question(
        text,
        Mode(request.forced_mode) if request.forced_mode else None,
        Engine(request.engine) if request.engine else None,
    )


def task_of(request: classifier_pb2.AnalyzeTaskRequest) -> str:
    """Check a request and return its text. Raises InvalidArgument."""
    violations = Violations()
    text = violations.text(request.task, "task", min_length=1, max_length=MAX_TEXT_CHARS)
    violations.raise_if_any()
    return text


def classification_to_message(classification: Classification, cost_usd: float) -> question_pb2.Classification:
    """Encode a classification and its usage."""
    verdict = classification.verdict
    return question_pb2.Classification(
        mode=question_pb2.Mode.ValueType(verdict.mode),
        confidence=verdict.confidence,
        reasoning=verdict.reasoning,
        scope=verdict.scope,
        engine=question_pb2.ClassifierEngine.ValueType(classification.engine),
        anchors=_anchors_to_message(classification.anchors),
        task_type=question_pb2.TaskType.ValueType(classification.task_type or 0),
        cost_usd=cost_usd,
        understanding=to_message(classification.understanding, understanding_pb2.Understanding),
    )


def analysis_to_message(analysis: Analysis) -> classifier_pb2.AnalyzeTaskResponse:
    """Encode an analysis."""
    return classifier_pb2.AnalyzeTaskResponse(
        anchors=_anchors_to_message(analysis.anchors),
        task_type=question_pb2.TaskType.ValueType(analysis.task_type or 0),
    )


def _anchors_to_message(anchors: Anchors) -> question_pb2.Anchors:
    return to_message(anchors, question_pb2.Anchors)
