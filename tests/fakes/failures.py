"""Errors by which a scripted server ends calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status


@dataclass(frozen=True, slots=True)
class Failure:
    """An error to end a call with; with a reason it carries an ErrorInfo as the services do."""

    code: grpc.StatusCode
    message: str = "it failed"
    reason: str = ""
    violations: tuple[tuple[str, str], ...] = ()
    retry_after_seconds: int = 0
    metadata: Mapping[str, str] = field(default_factory=lambda: {"name": "x"})

    def abort(self, context: grpc.ServicerContext) -> None:
        """End the call."""
        if not self.reason:
            context.abort(self.code, self.message)
        details = [_packed(error_details_pb2.ErrorInfo(reason=self.reason, domain="cgrag", metadata=self.metadata))]
        if self.violations:
            bad = error_details_pb2.BadRequest()
            for name, text in self.violations:
                bad.field_violations.add(field=name, description=text)
            details.append(_packed(bad))
        if self.retry_after_seconds:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.seconds = self.retry_after_seconds
            details.append(_packed(retry))
        number = code_pb2.Code.Value(self.code.name)
        status = status_pb2.Status(code=number, message=self.message, details=details)
        context.abort_with_status(rpc_status.to_status(status))


def _packed(message: Any) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
