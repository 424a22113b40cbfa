"""The classifier over gRPC."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING

import grpc
from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.type.v1 import question_pb2

from common.core.clock import SystemClock
from common.core.errors import DependencyUnavailable, Kind
from common.core.runtime.breaker import BreakerPolicy, Dependency
from common.rpc.client.channels import open_channel, service_config
from common.rpc.client.deadlines import child_timeout
from common.rpc.serving.mirroring import from_message, to_enum
from common.rpc.status import errors_from_status
from orchestrator.domain.questions.question import Classification

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from common.core.runtime.breaker import BreakerState
    from common.rpc.client.renewing import RenewedCredentials
    from orchestrator.domain.questions.question import Mode

# Share of the remaining time: without a classification, a rule chooses the mode, and the answer needs the rest.
_SHARE = 0.5
# A timeout below this comes from the caller's own deadline, and is no failure of the classifier.
_FAIR_SECONDS = 1.0
_POLICY = BreakerPolicy(failures=3, open_seconds=30.0)
_SERVICE = classifier_pb2.DESCRIPTOR.services_by_name["ClassifierService"].full_name


class ClassifierClient:
    """
    Implements the port to the classifier.

    Args:
        address: `host:port`, or any name that gRPC resolves.
        seconds: Longest time for a classification.
        credentials: TLS credentials; None for an unencrypted channel.
        spent: Called with the cost of a classification in US dollars.
        clock: Clock of the circuit breaker; the system's if None.
        shown: Called with the state of the circuit breaker.
    """

    def __init__(
        self,
        address: str,
        *,
        seconds: float = 5.0,
        credentials: RenewedCredentials | None = None,
        spent: Callable[[float], None] = lambda _: None,
        clock: Clock | None = None,
        shown: Callable[[BreakerState], None] = lambda _: None,
    ) -> None:
        config = service_config(_SERVICE, ("ClassifyQuestion", "AnalyzeTask"))
        self._channel = open_channel(address, config=config, credentials=credentials)
        self._stub = classifier_pb2_grpc.ClassifierServiceStub(self._channel)
        self._breaker = Dependency("the classifier", _POLICY, clock or SystemClock(), shown)
        self._seconds = seconds
        self._spent = spent
        self._engine = question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED

    async def classify(self, question: str, forced: Mode) -> Classification:
        """Return mode and mentions; a forced mode is kept."""
        request = classifier_pb2.ClassifyQuestionRequest(
            question=question,
            forced_mode=question_pb2.Mode.ValueType(to_enum(forced, question_pb2.Mode.DESCRIPTOR)),
            engine=self._engine,
        )
        response = await self._breaker.ask(partial(self._ask, request))
        self._spent(response.cost_usd)
        return from_message(response, Classification)

    async def _ask(self, request: classifier_pb2.ClassifyQuestionRequest) -> question_pb2.Classification:
        timeout = child_timeout(self._seconds, share=_SHARE)
        try:
            response: question_pb2.Classification = await self._stub.ClassifyQuestion(request, timeout=timeout)
        except grpc.aio.AioRpcError as error:
            failure = errors_from_status(error, dependency="classifier")
            if failure.kind is Kind.DEADLINE and timeout >= min(self._seconds, _FAIR_SECONDS):
                text = f"the classifier did not answer in {timeout:.1f} s; check that it is well"
                raise DependencyUnavailable(text, metadata={"dependency": "classifier"}) from error
            raise failure from error
        return response

    def unpaid(self) -> ClassifierClient:
        """Return a client like this one that does not report costs."""
        other = copy(self)
        other._spent = lambda _: None  # noqa: SLF001 (of its own class)
        return other

    def by_rules(self) -> ClassifierClient:
        """Return a client like this one that always requests the rules, which ask no model."""
        other = copy(self)
        other._engine = question_pb2.CLASSIFIER_ENGINE_RULES  # noqa: SLF001 (of its own class)
        return other

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()
