"""The gRPC service config for callers: real methods, retried only where it does no harm, like our own channels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import grpc
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2

from common.rpc.client.channels import open_channel, service_config
from tests.fakes.answering import refusal

CONFIG = json.loads((Path(__file__).parents[3] / "deploy" / "grpc-service-config.json").read_text(encoding="utf-8"))
SERVICES = [
    service
    for module in (indexer_pb2, classifier_pb2, retriever_pb2, orchestrator_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
]
CHANGES_SOMETHING = ("Start", "Create", "Delete", "Cancel", "Rate", "Rollback", "Import", "Ask", "Build", "Refine")


def retried() -> list[tuple[str, str]]:
    return [(each["service"], each["method"]) for entry in CONFIG["methodConfig"] for each in entry["name"]]


def test_names_are_methods_of_the_contracts() -> None:
    """No method is misspelt or named twice."""
    known = {(service.full_name, method.name) for service in SERVICES for method in service.methods}

    assert set(retried()) <= known
    assert len(retried()) == len(set(retried()))


def test_all_reading_methods_are_retried_and_no_other() -> None:
    """What changes something is never sent twice; what reads always may be."""
    reading = {
        (service.full_name, method.name)
        for service in SERVICES
        for method in service.methods
        if not method.name.startswith(CHANGES_SOMETHING)
    }

    assert set(retried()) == reading


def test_it_is_what_the_suites_own_channels_use() -> None:
    """Policy, balancing and throttling are the same inside and outside."""
    own: dict[str, Any] = dict(service_config("a.B", ["C"]))

    assert own["loadBalancingConfig"] == CONFIG["loadBalancingConfig"]
    assert own["retryThrottling"] == CONFIG["retryThrottling"]
    assert own["methodConfig"][0]["retryPolicy"] == CONFIG["methodConfig"][0]["retryPolicy"]


async def test_grpc_takes_it() -> None:
    """gRPC parses the config; a channel with it works as far as connecting."""
    async with open_channel("127.0.0.1:1", config=CONFIG) as channel:
        call: Any = channel.unary_unary("/a.B/C")
        raised = await refusal(call(b"", timeout=2))

    assert raised.code() is grpc.StatusCode.UNAVAILABLE
