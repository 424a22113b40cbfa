"""The image's HEALTHCHECK: exits with 0 if the service of this container serves. Kubernetes has probes of its own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Mapping

_PORTS = {"indexer": "51051", "classifier": "51052", "retriever": "51053", "orchestrator": "51054"}
_SECONDS = 3.0


def serves(environ: Mapping[str, str]) -> bool:
    """Ask the health server of the service that CGRAG_SERVICE names, on its port or on the one that is set."""
    service = environ["CGRAG_SERVICE"]
    port = environ.get(f"CGRAG_{service.upper()}_HEALTH_PORT", _PORTS[service])
    request = health_pb2.HealthCheckRequest(service=f"cgrag.{service}.v1.{service.capitalize()}Service")
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.enable_http_proxy", 0)]) as channel:
        try:
            response = health_pb2_grpc.HealthStub(channel).Check(request, timeout=_SECONDS)
        except grpc.RpcError:
            return False
    return bool(response.status == health_pb2.HealthCheckResponse.SERVING)


if __name__ == "__main__":
    sys.exit(0 if serves(os.environ) else 1)
