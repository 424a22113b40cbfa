"""The classifier over gRPC."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import grpc
from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.type.v1 import question_pb2

from common.rpc.channels import open_channel, service_config
from common.rpc.deadlines import child_timeout
from common.rpc.mirroring import from_message, to_enum
from common.rpc.status import errors_from_status
from orchestrator.domain.question import Classification

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.rpc.renewing import RenewedCredentials
    from orchestrator.domain.question import Mode

# Without it a rule chooses the mode, and the answer must still have its time.
_SHARE = 0.5
_SERVICE = classifier_pb2.DESCRIPTOR.services_by_name["ClassifierService"].full_name


class ClassifierClient:
    """
    Implements the port to the classifier.

    Args:
        address: `host:port`, or any name that gRPC resolves.
        seconds: Longest that a classification may take.
        credentials: TLS; None talks in the clear.
        spent: Told what a classification cost in US dollars.
    """

    def __init__(
        self,
        address: str,
        *,
        seconds: float = 5.0,
        credentials: RenewedCredentials | None = None,
        spent: Callable[[float], None] = lambda _: None,
    ) -> None:
        config = service_config(_SERVICE, ("ClassifyQuestion", "AnalyzeTask"))
        self._channel = open_channel(address, config=config, credentials=credentials)
        self._stub = classifier_pb2_grpc.ClassifierServiceStub(self._channel)
        self._seconds = seconds
        self._spent = spent
        self._engine = question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED

    async def classify(self, question: str, forced: Mode) -> Classification:
        """Return mode and mentions; a forced mode stands."""
        request = classifier_pb2.ClassifyQuestionRequest(
            question=question,
            forced_mode=question_pb2.Mode.ValueType(to_enum(forced, question_pb2.Mode.DESCRIPTOR)),
            engine=self._engine,
        )
        try:
            timeout = child_timeout(self._seconds, share=_SHARE)
            response = await self._stub.ClassifyQuestion(request, timeout=timeout)
        except grpc.aio.AioRpcError as error:
            raise errors_from_status(error, dependency="classifier") from error
        self._spent(response.cost_usd)
        return from_message(response, Classification)

    def unpaid(self) -> ClassifierClient:
        """Return this client as one that tells nobody what a classification cost."""
        other = copy(self)
        other._spent = lambda _: None  # noqa: SLF001 (of its own class)
        return other

    def by_rules(self) -> ClassifierClient:
        """Return this client as one that has no model asked."""
        other = copy(self)
        other._engine = question_pb2.CLASSIFIER_ENGINE_RULES  # noqa: SLF001 (of its own class)
        return other

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()
