"""Asks the services whether they are ready, over the standard health protocol."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cgrag_client.connecting.tls import open_channel

if TYPE_CHECKING:
    from cgrag_client.connecting.tls import RenewedCredentials


class Health(Enum):
    """The health that a service reports."""

    SERVING = "serving"
    NOT_SERVING = "not ready"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    """One service's address and health."""

    service: str
    address: str
    health: Health


async def check(
    service: str,
    address: str,
    *,
    credentials: RenewedCredentials | None = None,
    timeout_seconds: float = 2.0,
) -> ServiceHealth:
    """Ask one service whether it is ready; never raises for a service that does not answer."""
    name = f"cgrag.{service}.v1.{service.capitalize()}Service"
    async with open_channel(address, credentials) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            response = await stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=timeout_seconds)
        except grpc.aio.AioRpcError:
            return ServiceHealth(service, address, Health.UNREACHABLE)
    serving = response.status == health_pb2.HealthCheckResponse.SERVING
    return ServiceHealth(service, address, Health.SERVING if serving else Health.NOT_SERVING)
