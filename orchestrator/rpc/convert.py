"""Checks requests and converts them to domain values; encodes domain values that need more than `to_message`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from common.rpc.serving.mirroring import from_message, to_message
from common.rpc.validation import Violations
from orchestrator.domain.answers import events
from orchestrator.domain.answers.orders import Pin
from orchestrator.domain.answers.records import Question, Rating
from orchestrator.domain.questions.question import AskOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.message import Message

    from orchestrator.domain.answers.events import Heartbeat, NumberedEvent
    from orchestrator.usecases.checking import CheckedText
    from orchestrator.usecases.replay_answer import Replay
    from orchestrator.usecases.shadows.get_shadow import Beside

    ListRequest = pb.ListSessionsRequest | pb.ListIndexDebtRequest | pb.ListRatingsRequest
    _AnswerRequest = pb.GetAnswerRequest | pb.CancelAnswerRequest | pb.ReplayAnswerRequest | pb.GetShadowRequest

_MAX_QUESTION = 100_000
_MAX_NAME = 1000
_MAX_ID = 64
_MAX_SEQUENCE = 1_000_000_000
_MAX_COMMENT = 2000
_MAX_TOKENS = 1_000_000
_MAX_PASSES = 10
_MAX_AFTER_PASS = 100
_MAX_PAGE = 200
_DEFAULT_PAGE = 50
_NO_OPTIONS = AskOptions()
_EPOCH = datetime.fromtimestamp(0, UTC)
_DAY_SECONDS = 24 * 3600
_CAPS = ("total_tokens", "system_tokens", "initial_tokens", "gap_total_tokens", "gap_tokens", "pass_tokens")
_MESSAGES: Mapping[type, tuple[str, type[Message]]] = MappingProxyType(
    {
        events.Started: ("started", pb.Started),
        events.Classified: ("classified", pb.Classified),
        events.RetrievalProgress: ("retrieval_progress", pb.RetrievalProgress),
        events.EvidenceSupplied: ("evidence", pb.EvidenceSupplied),
        events.PassStarted: ("pass_started", pb.PassStarted),
        events.TextDelta: ("text_delta", pb.TextDelta),
        events.PassFinished: ("pass_finished", pb.PassFinished),
        events.GapsFound: ("gaps_found", pb.GapsFound),
        events.GapResolved: ("gap_resolved", pb.GapResolved),
        events.Judged: ("judged", pb.Judged),
        events.Warned: ("warning", pb.Warning),
        events.Completed: ("completed", pb.Completed),
    }
)


def question_of(request: pb.AskRequest) -> Question:
    """Read a question to answer. Raises InvalidArgument with every field that is wrong."""
    wrong = Violations()
    wrong.text(request.session_id, "session_id", max_length=_MAX_ID)
    wrong.text(request.request_id, "request_id", max_length=_MAX_ID)
    question = _question(request, wrong)
    wrong.raise_if_any()
    return replace(question, session_id=request.session_id, request_id=request.request_id)


def explained_question_of(request: pb.ExplainRequest) -> Question:
    """Read a question to explain. Raises InvalidArgument with every field that is wrong."""
    wrong = Violations()
    question = _question(request, wrong)
    wrong.raise_if_any()
    return question


def answer_id_of(request: _AnswerRequest) -> str:
    """Read the identity of an answer. Raises InvalidArgument."""
    return _identity(request.answer_id, "answer_id")


def watch_of(request: pb.WatchAnswerRequest) -> tuple[str, int]:
    """Read which answer to watch, and after which sequence number. Raises InvalidArgument."""
    wrong = Violations()
    wrong.text(request.answer_id, "answer_id", min_length=1, max_length=_MAX_ID)
    # The answer's events are numbered on from here, so the bound leaves numbers for later events.
    wrong.number(request.after_sequence, "after_sequence", minimum=0, maximum=_MAX_SEQUENCE)
    wrong.raise_if_any()
    return request.answer_id, request.after_sequence


def rating_of(request: pb.RateAnswerRequest) -> Rating:
    """Read a rating. Raises InvalidArgument with every field that is wrong."""
    wrong = Violations()
    wrong.text(request.answer_id, "answer_id", min_length=1, max_length=_MAX_ID)
    wrong.number(request.rating, "rating", minimum=1, maximum=5)
    wrong.text(request.comment, "comment", max_length=_MAX_COMMENT)
    wrong.raise_if_any()
    return Rating(request.answer_id, request.rating, request.comment)


def text_of(request: pb.CheckTextRequest) -> tuple[Pin, str]:
    """Read a text to be checked. Raises InvalidArgument with every field that is wrong."""
    wrong = Violations()
    wrong.text(request.repository, "repository", min_length=1, max_length=_MAX_NAME)
    wrong.text(request.snapshot_id, "snapshot_id", max_length=_MAX_ID)
    wrong.text(request.text, "text", min_length=1, max_length=_MAX_QUESTION)
    wrong.raise_if_any()
    return Pin(request.repository, request.snapshot_id), request.text


def checked_to_message(checked: CheckedText) -> pb.CheckTextResponse:
    """Encode the checked claims of a text."""
    return pb.CheckTextResponse(
        snapshot_id=checked.snapshot_id,
        claims=[
            pb.TextClaim(
                checked=to_message(each.checked, evidence_pb2.CheckedClaim), start=each.site.start, end=each.site.end
            )
            for each in checked.sites
        ],
    )


def session_id_of(request: pb.GetSessionRequest | pb.DeleteSessionRequest) -> str:
    """Read the identity of a session. Raises InvalidArgument."""
    return _identity(request.session_id, "session_id")


def repository_of(request: pb.CreateSessionRequest | pb.ListIndexDebtRequest | pb.ListRatingsRequest) -> str:
    """Read a repository's name. Raises InvalidArgument."""
    return _identity(request.repository, "repository", max_length=_MAX_NAME)


def page_size_of(request: ListRequest) -> int:
    """Validate a listing's page size; 0 means 50. Raises InvalidArgument."""
    wrong = Violations()
    wrong.number(request.page_size, "page_size", minimum=0, maximum=_MAX_PAGE)
    wrong.raise_if_any()
    return request.page_size or _DEFAULT_PAGE


def event_to_message(answer_id: str, told: NumberedEvent | Heartbeat, *, with_text: bool) -> pb.AnswerEvent:
    """Encode an event; without `with_text`, evidence has no text."""
    since = told.create_time - _EPOCH
    # The same result as `FromDatetime`, in a tenth of the time.
    moment = Timestamp(seconds=since.days * _DAY_SECONDS + since.seconds, nanos=since.microseconds * 1000)
    message = pb.AnswerEvent(sequence=told.sequence, answer_id=answer_id, create_time=moment)
    if isinstance(told, events.Heartbeat):
        message.heartbeat.SetInParent()
        return message
    if isinstance(told.event, events.Unknown):
        # No kind is set, which is what a client of an earlier release sees of an unknown kind of event.
        return message
    name, message_type = _MESSAGES[type(told.event)]
    within = getattr(message, name)
    within.CopyFrom(to_message(told.event, message_type))
    # Sets the kind of event even if its message has no fields.
    within.SetInParent()
    if isinstance(told.event, events.EvidenceSupplied) and not with_text:
        for each in within.evidence:
            each.ClearField("text")
    return message


def replay_to_message(replay: Replay) -> pb.ReplayAnswerResponse:
    """Encode the result of a replay."""
    message = to_message(replay, pb.ReplayAnswerResponse)
    for written, each in zip(message.differences, replay.differences, strict=True):
        written.event = _MESSAGES[each.kind][0]
    return message


def shadow_to_message(beside: Beside) -> pb.Shadow:
    """Encode an answer and its shadow."""
    message = to_message(beside.comparison, pb.Shadow)
    message.served.CopyFrom(to_message(beside.served, pb.Answer))
    message.shadow.CopyFrom(to_message(beside.shadow, pb.Answer))
    return message


def _question(request: pb.AskRequest | pb.ExplainRequest, wrong: Violations) -> Question:
    wrong.text(request.repository, "repository", min_length=1, max_length=_MAX_NAME)
    wrong.text(request.snapshot_id, "snapshot_id", max_length=_MAX_NAME)
    wrong.text(request.question, "question", min_length=1, max_length=_MAX_QUESTION)
    _check_options(request.options, wrong)
    # Requests without options share one object, since an answer keeps its options in memory while it is made.
    options = from_message(request.options, AskOptions) if request.HasField("options") else _NO_OPTIONS
    return Question(request.repository, request.question, request.snapshot_id, options=options)


def _check_options(options: pb.AskOptions, wrong: Violations) -> None:
    wrong.number(options.max_passes, "options.max_passes", minimum=0, maximum=_MAX_PASSES)
    for name, number, known in (
        ("mode", options.mode, question_pb2.Mode.items()),
        ("strategy", options.strategy, pb.Strategy.items()),
        ("depth", options.depth, pb.Depth.items()),
    ):
        names = ", ".join(each for each, _ in known)
        wrong.require(number in dict(known).values(), f"options.{name}", f"must be one of {names}")
    for name in _CAPS:
        wrong.number(getattr(options.budget, name), f"options.budget.{name}", minimum=0, maximum=_MAX_TOKENS)
    for name, tokens in wrong.items(
        options.budget.after_pass_tokens, "options.budget.after_pass_tokens", maximum=_MAX_AFTER_PASS
    ):
        wrong.number(tokens, name, minimum=0, maximum=_MAX_TOKENS)


def _identity(value: str, field: str, *, max_length: int = _MAX_ID) -> str:
    wrong = Violations()
    wrong.text(value, field, min_length=1, max_length=max_length)
    wrong.raise_if_any()
    return value
