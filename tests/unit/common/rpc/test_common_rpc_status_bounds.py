"""Errors that have much to say reach their caller as what they are: metadata that gRPC refuses would replace them."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from common.core.errors import AppError, DependencyUnavailable, InvalidArgument, Violation
from common.rpc.status import errors_from_status, status_from_error
from tests.fakes.answering import ASK, GET, Answers, refusal, serving

MOST_BYTES = 8192
LONG = (
    InvalidArgument.of([Violation(f"exclude[{number}]", "must not contain NUL") for number in range(300)]),
    InvalidArgument.of([Violation("größe" * 400, "ü" * 20_000), Violation("b", "c" * 20_000), Violation("d", "e")]),
    DependencyUnavailable("ü" * 20_000, metadata={f"key{number}": "\N{GRINNING FACE}" * 5000 for number in range(5)}),
    DependencyUnavailable("\N{GRINNING FACE}" * 20_000, retry_after_seconds=1.0),
)


async def read_all(call: Any) -> None:
    async for _ in call:
        pass


@pytest.mark.parametrize("error", LONG, ids=["fields", "descriptions", "metadata", "text"])
@pytest.mark.parametrize("is_stream", [True, False])
async def test_a_long_error_is_no_other_error(error: AppError, is_stream: bool) -> None:
    """Code and reason come over the wire, and the beginning of all that was to be told."""
    servicer = Answers()
    servicer.error = error
    async with serving(servicer) as (_, stub, _):
        raised = await refusal(read_all(stub.Ask(ASK)) if is_stream else stub.GetAnswer(GET))
    back = errors_from_status(raised, dependency="orchestrator")

    assert (type(back), back.retry_after_seconds) == (type(error), error.retry_after_seconds)
    assert error.message.startswith(back.message.partition("...")[0])
    assert back.violations[:1] == () or error.violations[0].field.startswith(back.violations[0].field[:50])
    assert {*back.metadata} == {*error.metadata}


def test_what_was_left_out_is_counted() -> None:
    """The fields that are named and those that are only counted are all there are."""
    status = status_from_error(LONG[0])
    named = errors_from_status(
        grpc.aio.AioRpcError(status.code, grpc.aio.Metadata(), grpc.aio.Metadata(*status.metadata())), dependency="it"
    ).violations

    assert 10 < len(named) < 300
    assert status.message.endswith(f"... ({300 - len(named)} more fields are wrong)")


@pytest.mark.parametrize("error", LONG, ids=["fields", "descriptions", "metadata", "text"])
def test_there_is_room_for_what_others_add(error: AppError) -> None:
    """On the wire, where text is escaped and bytes are base64, a quarter of the room stays free."""
    status = status_from_error(error)
    escaped = sum(1 if 0x20 <= byte <= 0x7E else 3 for byte in status.message.encode())

    assert escaped + len(status.details) * 4 // 3 < MOST_BYTES * 3 // 4


def test_a_wait_without_end_is_a_long_one() -> None:
    """Somebody else's service may have named it."""
    status = status_from_error(DependencyUnavailable("away", retry_after_seconds=1e300))

    assert status.code is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("a\x1b[2J\nb\u2028", r"a\x1b[2J\nb\u2028"),
        ("\u202egpj.exe\U000e0041", r"\u202egpj.exe\U000e0041"),
        ("bad\udcff.py", r"bad\udcff.py"),
        ("Größe\u00a0\N{GRINNING FACE} C:\\new", "Größe\u00a0\N{GRINNING FACE} C:\\new"),
    ],
)
def test_what_an_error_quotes_drives_no_terminal(named: str, told: str) -> None:
    """What is no character to read is written out wherever an error quotes it, and written out once."""
    error = InvalidArgument(named, metadata={"path": named}, violations=[Violation(named, named)])
    status = status_from_error(error)
    back = errors_from_status(
        grpc.aio.AioRpcError(status.code, grpc.aio.Metadata(), grpc.aio.Metadata(*status.metadata())), dependency="it"
    )

    assert (status.message, back.metadata["path"]) == (told, told)
    assert back.violations == (Violation(told, told),)
    assert status_from_error(back) == status
