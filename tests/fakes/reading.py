"""Questions as the classifier reads them, for tests of what works on its reading."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from cgrag.type.v1 import question_pb2, understanding_pb2

from classifier.adapters.reading import read_models
from classifier.domain.reading.understand import Reader
from common.core.contract.question import NO_ANCHORS, Anchors
from common.core.contract.understanding import QuestionPart, Understanding
from common.rpc.serving.mirroring import from_message, to_message
from orchestrator.domain.questions.question import Classification
from orchestrator.domain.questions.question import Mode as OrchestratorMode
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Task


@cache
def _reader() -> Reader:
    return Reader(read_models())


def read_message(question: str) -> understanding_pb2.Understanding:
    """Return the reading of a question as it goes over the wire."""
    return to_message(_reader().read(question), understanding_pb2.Understanding)


def task_of(question: str, mode: Mode, anchors: Anchors = NO_ANCHORS) -> Task:
    """Return a task as the retriever makes it of a question that the classifier read."""
    return Task(question, mode, anchors, understanding=from_message(read_message(question), Understanding))


def part_of(question: str) -> QuestionPart:
    """Return the first part of a question as the retriever works on it."""
    return from_message(read_message(question), Understanding).parts[0]


def classification_of(question: str, mode: OrchestratorMode) -> Classification:
    """Return the classification as the orchestrator gets it of a question that the classifier read."""
    message = question_pb2.Classification(understanding=read_message(question))
    return replace(from_message(message, Classification), mode=mode)
