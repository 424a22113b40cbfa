"""Serves the orchestrator's contract."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc

from common.rpc.access.rights import Role
from common.rpc.callers import current_caller
from common.rpc.serving.layers import ConcurrencyLimit
from common.rpc.serving.mirroring import to_message
from common.rpc.serving.server import ServiceRegistration
from orchestrator.rpc import convert
from orchestrator.rpc.waiting import DeadlineWatch

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from google.protobuf.message import Message

    from common.rpc.paging import PageTokens
    from orchestrator.ports import Feedback
    from orchestrator.rpc.waiting import DeadlineObserver
    from orchestrator.usecases.answers import ManageAnswers
    from orchestrator.usecases.ask import Ask
    from orchestrator.usecases.checking import CheckText
    from orchestrator.usecases.explain import Explain
    from orchestrator.usecases.replay_answer import ReplayAnswer
    from orchestrator.usecases.sessions import ManageSessions
    from orchestrator.usecases.shadows.get_shadow import GetShadow


M = TypeVar("M", bound="Message")


@dataclass(frozen=True, slots=True)
class UseCases:
    """The use cases that the servicer runs."""

    ask: Ask
    answers: ManageAnswers
    explain: Explain
    replay: ReplayAnswer
    shadow: GetShadow
    check: CheckText
    sessions: ManageSessions
    feedback: Feedback
    deadlines: DeadlineObserver


class OrchestratorServicer(orchestrator_pb2_grpc.OrchestratorServiceServicer):
    """
    Decodes, runs the use case, encodes.

    Args:
        use_cases: The use cases to run.
        pages: Makes page tokens.
        with_evidence_text: Whether streams contain the text of evidence, not only its place.
    """

    def __init__(self, use_cases: UseCases, pages: PageTokens, *, with_evidence_text: bool) -> None:
        self._do = use_cases
        self._pages = pages
        self._with_text = with_evidence_text

    async def Ask(self, request: pb.AskRequest, context: Any) -> AsyncGenerator[pb.AnswerEvent, None]:
        """Answer a question as a stream of events."""
        with (
            DeadlineWatch(context, self._do.deadlines) as watch,
            closing(await self._do.ask.run(convert.question_of(request), _caller())) as events,
        ):
            # Frees the request, which may have a long question, while the answer is made.
            del request
            async for event in events:
                watch.follow(event)
                yield convert.event_to_message(events.answer_id, event, with_text=self._with_text)

    async def WatchAnswer(self, request: pb.WatchAnswerRequest, _context: Any) -> AsyncGenerator[pb.AnswerEvent, None]:
        """Stream the events of an existing answer after a sequence number."""
        answer_id, after = convert.watch_of(request)
        with closing(await self._do.answers.watch(answer_id, after, _caller())) as events:
            async for event in events:
                yield convert.event_to_message(answer_id, event, with_text=self._with_text)

    async def CancelAnswer(self, request: pb.CancelAnswerRequest, _context: Any) -> pb.CancelAnswerResponse:
        """Stop an answer."""
        was_running = await self._do.answers.cancel(convert.answer_id_of(request), _caller())
        return pb.CancelAnswerResponse(was_running=was_running)

    async def GetAnswer(self, request: pb.GetAnswerRequest, _context: Any) -> pb.Answer:
        """Read a finished answer."""
        return to_message(await self._do.answers.get(convert.answer_id_of(request), _caller()), pb.Answer)

    async def Explain(self, request: pb.ExplainRequest, _context: Any) -> pb.ExplainResponse:
        """Say how a question would be answered."""
        return to_message(await self._do.explain.run(convert.explained_question_of(request)), pb.ExplainResponse)

    async def ReplayAnswer(self, request: pb.ReplayAnswerRequest, _context: Any) -> pb.ReplayAnswerResponse:
        """Replay an answer from its log and return the differences."""
        owner = None if _looks_after_others() else _caller()
        return convert.replay_to_message(await self._do.replay.run(convert.answer_id_of(request), owner))

    async def GetShadow(self, request: pb.GetShadowRequest, _context: Any) -> pb.Shadow:
        """Return an answer, its shadow, and how far they agree."""
        return convert.shadow_to_message(await self._do.shadow.run(convert.answer_id_of(request)))

    async def RateAnswer(self, request: pb.RateAnswerRequest, _context: Any) -> pb.RateAnswerResponse:
        """Store a rating."""
        await self._do.answers.rate(convert.rating_of(request), _caller())
        return pb.RateAnswerResponse()

    async def CheckText(self, request: pb.CheckTextRequest, _context: Any) -> pb.CheckTextResponse:
        """Check the statements of a text about code."""
        return convert.checked_to_message(await self._do.check.run(*convert.text_of(request)))

    async def CreateSession(self, request: pb.CreateSessionRequest, _context: Any) -> pb.Session:
        """Open a session."""
        repository = convert.repository_of(request)
        return to_message(await self._do.sessions.create(_caller(), repository), pb.Session)

    async def GetSession(self, request: pb.GetSessionRequest, _context: Any) -> pb.Session:
        """Read a session of the caller."""
        return to_message(await self._do.sessions.get(convert.session_id_of(request), _caller()), pb.Session)

    async def ListSessions(self, request: pb.ListSessionsRequest, _context: Any) -> pb.ListSessionsResponse:
        """List the caller's sessions."""
        shown, more = await self._page(request, partial(self._do.sessions.list, _caller()), pb.Session)
        return pb.ListSessionsResponse(sessions=shown, next_page_token=more)

    async def DeleteSession(self, request: pb.DeleteSessionRequest, _context: Any) -> pb.DeleteSessionResponse:
        """Delete a session, its memory and its answers."""
        await self._do.sessions.delete(convert.session_id_of(request), _caller())
        return pb.DeleteSessionResponse()

    async def ListRatings(self, request: pb.ListRatingsRequest, _context: Any) -> pb.ListRatingsResponse:
        """List ratings of answers about a repository."""
        ratings = partial(self._do.feedback.list_ratings, convert.repository_of(request))
        shown, more = await self._page(request, ratings, pb.RatedAnswer)
        return pb.ListRatingsResponse(ratings=shown, next_page_token=more)

    async def ListIndexDebt(self, request: pb.ListIndexDebtRequest, _context: Any) -> pb.ListIndexDebtResponse:
        """List why gaps stay unresolved."""
        debts = partial(self._do.feedback.list_debts, convert.repository_of(request))
        shown, more = await self._page(request, debts, pb.IndexDebt)
        return pb.ListIndexDebtResponse(debts=shown, next_page_token=more)

    async def _page(
        self, request: convert.ListRequest, listed: Callable[[str, int], Awaitable[Sequence[Any]]], kind: type[M]
    ) -> tuple[list[M], str]:
        """Return the messages of the page that is requested, and the token of the page behind it."""
        cursor = self._pages.read(request, request.page_token)
        size = convert.page_size_of(request)
        found = await listed(cursor, size + 1)
        more = found[size - 1].place if len(found) > size else ""
        return [to_message(each, kind) for each in found[:size]], self._pages.make(request, more)


def registration(servicer: OrchestratorServicer, *, max_streams: int) -> ServiceRegistration:
    """Return the servicer's registration; streams of Ask and WatchAnswer beyond `max_streams` are refused."""
    return ServiceRegistration(
        pb.DESCRIPTOR.services_by_name["OrchestratorService"],
        orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server,
        servicer,
        (ConcurrencyLimit(frozenset({"Ask", "WatchAnswer"}), max_streams),),
    )


def _caller() -> str:
    return current_caller().name


def _looks_after_others() -> bool:
    """Return whether the caller is an operator or administrator; False if access control is off."""
    rights = current_caller().rights
    return rights is not None and bool(rights.roles & {Role.OPERATOR, Role.ADMIN})
