"""Serves the classifier's contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc

from classifier.rpc import convert
from classifier.usecases.analyze import analyze_off_loop
from common.model.call_cost import counting_cost
from common.rpc.serving.server import ServiceRegistration

if TYPE_CHECKING:
    from cgrag.type.v1 import question_pb2

    from classifier.usecases.classify import Classify


class ClassifierServicer(classifier_pb2_grpc.ClassifierServiceServicer):
    """Decodes, runs the use case, encodes."""

    def __init__(self, classify: Classify) -> None:
        self._classify = classify

    async def ClassifyQuestion(
        self, request: classifier_pb2.ClassifyQuestionRequest, _context: Any
    ) -> question_pb2.Classification:
        """Return the mode, scope, anchors and understanding of a question."""
        with counting_cost() as cost:
            classification = await self._classify.run(convert.question_of(request))
        return convert.classification_to_message(classification, cost.usd)

    async def AnalyzeTask(
        self, request: classifier_pb2.AnalyzeTaskRequest, _context: Any
    ) -> classifier_pb2.AnalyzeTaskResponse:
        """Return the anchors and the type of a task."""
        return convert.analysis_to_message(await analyze_off_loop(convert.task_of(request)))


def registration(servicer: ClassifierServicer) -> ServiceRegistration:
    """Return the servicer's registration for the server factory."""
    return ServiceRegistration(
        classifier_pb2.DESCRIPTOR.services_by_name["ClassifierService"],
        classifier_pb2_grpc.add_ClassifierServiceServicer_to_server,
        servicer,
    )
