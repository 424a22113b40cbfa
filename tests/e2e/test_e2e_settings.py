"""Four services whose every number is as great as it may be."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2

from classifier.settings import ClassifierSettings
from common.core.settings import SettingsError, load, load_with_origins
from indexer.settings import IndexerSettings
from orchestrator.settings import OrchestratorSettings
from retriever.settings import RetrieverSettings
from tests.e2e.four_services import CALL_SECONDS, NAMES, SHOP, FourServices

SETTINGS = {
    "indexer": IndexerSettings,
    "classifier": ClassifierSettings,
    "retriever": RetrieverSettings,
    "orchestrator": OrchestratorSettings,
}
BEYOND = 10**15
# What says where something is or how it is told apart, and the pause of each end, which would be waited for.
LEFT_AS_THEY_ARE = ("port", "embedding_dimensions", "system_tokens", "system_budget", "drain_delay_seconds")


def greatest(section: str) -> dict[str, str]:
    """Return the greatest values of a service's numbers, by variable, as it says them itself when there is more."""
    settings = SETTINGS[section]
    found = {}
    _, origins = load_with_origins(settings, section, environ={}, file={})
    numbers = {each.name for each in dataclasses.fields(settings) if type(each.default) in (int, float)}
    for each in origins:
        name = each.name.partition(".")[2]
        if name not in numbers or name.endswith(LEFT_AS_THEY_ARE):
            continue
        try:
            load(settings, section, environ={each.variable: str(BEYOND)}, file={})
        except SettingsError as error:
            found[each.variable] = str(error).partition("must be at most ")[2].partition(",")[0]
    return found


def test_the_greatest_values_work(tmp_path: Path) -> None:
    """Whatever settings take serves: the services start, index, answer and end, and nothing goes wrong on the way."""
    environment = {variable: value for name in NAMES for variable, value in greatest(name).items()}
    with FourServices(tmp_path / "data", environment) as services:
        job = services.index(SHOP, "shop")
        request = orchestrator_pb2.AskRequest(repository="shop", question="Why do I get OutOfStock?")
        events = list(services.orchestrator.Ask(request, timeout=CALL_SECONDS))
        codes = services.stop()
    lines = [line for name in NAMES for line in (services.data / f"{name}.log").read_text().splitlines()]

    assert len(environment) > 100
    assert job.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED
    assert events[-1].WhichOneof("event") == "completed"
    assert events[-1].completed.answer.citations
    assert not events[-1].completed.answer.degraded
    assert set(codes.values()) == {0}
    assert [line for line in lines if json.loads(line)["level"] not in ("debug", "info")] == []
