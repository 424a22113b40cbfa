"""Errors as statuses and back, and the closed list of reasons."""

from __future__ import annotations

import re
from pathlib import Path

import grpc
import pytest
from cgrag.type.v1 import error_pb2

from common.core import errors
from common.core.errors import AppError, DependencyUnavailable, InvalidArgument, Kind, Overloaded, Violation
from common.model.failures import Cause, ModelFailed
from common.rpc.status import CODES, DETAILS_KEY, errors_from_status, status_from_error

ROOT = Path(__file__).parents[4]


def over_the_wire(error: AppError) -> grpc.aio.AioRpcError:
    """Return what a client sees of an error."""
    status = status_from_error(error)
    trailing = grpc.aio.Metadata(*status.metadata())
    return grpc.aio.AioRpcError(status.code, grpc.aio.Metadata(), trailing, details=status.message)


def test_every_kind_has_a_code() -> None:
    """No kind is forgotten in the table."""
    assert set(CODES) == set(Kind)


def test_reasons_are_those_of_the_contract() -> None:
    """Whatever reason any error of the project names exists in the proto enum and is not the unspecified one."""
    known = set(error_pb2.ErrorReason.keys()) - {"ERROR_REASON_UNSPECIFIED"}
    named = {
        reason
        for package in ("common", "indexer", "classifier", "retriever", "orchestrator")
        for path in sorted((ROOT / package).rglob("*.py"))
        for reason in re.findall(r"\bERROR_REASON_[A-Z_]+", path.read_text(encoding="utf-8"))
    }

    assert named - known == set()
    assert {AppError.reason, Overloaded.reason} <= named


@pytest.mark.parametrize(
    "each", [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, AppError)]
)
def test_an_error_survives_the_wire(each: type[AppError]) -> None:
    """Class, message, metadata, violations and wait come back as they were."""
    sent = each("text", metadata={"a": "b"}, violations=[Violation("f", "d")], retry_after_seconds=1.5)

    back = errors_from_status(over_the_wire(sent), dependency="retriever")

    assert (back.kind, back.reason, back.message, back.metadata) == (each.kind, each.reason, "text", {"a": "b"})
    assert back.violations == (Violation("f", "d"),)
    assert back.retry_after_seconds == 1.5


def test_errors_of_one_service_come_back_by_kind_and_reason() -> None:
    """An error whose class only the other service has keeps its kind and reason; equal ones share a class."""

    class SnapshotGone(AppError):
        kind = Kind.NOT_FOUND
        reason = "ERROR_REASON_SNAPSHOT_NOT_FOUND"

    first, second = (errors_from_status(over_the_wire(SnapshotGone("gone")), dependency="r") for _ in range(2))

    assert (first.kind, first.reason) == (Kind.NOT_FOUND, "ERROR_REASON_SNAPSHOT_NOT_FOUND")
    assert type(first) is type(second)


def test_known_classes_can_be_caught() -> None:
    """What the kit knows comes back as its own class."""
    assert isinstance(errors_from_status(over_the_wire(Overloaded("x")), dependency="r"), Overloaded)
    assert isinstance(errors_from_status(over_the_wire(InvalidArgument("x")), dependency="r"), InvalidArgument)
    model = errors_from_status(over_the_wire(ModelFailed(Cause.TIMEOUT, "x")), dependency="r")
    assert isinstance(model, errors.ModelUnavailable)
    assert model.metadata == {"cause": "timeout"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (grpc.StatusCode.UNAVAILABLE, errors.DependencyUnavailable),
        (grpc.StatusCode.UNKNOWN, errors.DependencyUnavailable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.DeadlineExceeded),
        (grpc.StatusCode.CANCELLED, errors.DependencyUnavailable),
    ],
)
def test_statuses_of_the_transport_get_a_class(code: grpc.StatusCode, expected: type[AppError]) -> None:
    """A refused connection, a deadline, a server that stops: none has our details, each has its class."""
    raw = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details="connect failed to 10.0.0.7")

    error = errors_from_status(raw, dependency="retriever")

    assert type(error) is expected
    assert "retriever" in error.message
    assert "10.0.0.7" not in error.message


def test_garbled_details_are_of_the_transport() -> None:
    """Details that do not parse do not hide the failure."""
    trailing = grpc.aio.Metadata((DETAILS_KEY, b"\xff\xff"))
    raw = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), trailing, details="x")

    assert isinstance(errors_from_status(raw, dependency="r"), DependencyUnavailable)
