"""What settings may hold: numbers that are numbers, within their bounds, and lists that hold something."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cgrag_client.connecting.settings import load_settings
from cgrag_client.errors import UsageError
from classifier.settings import ClassifierSettings
from common.core.settings import SettingsError, load, read_toml, setting
from indexer.settings import IndexerSettings
from orchestrator.settings import OrchestratorSettings
from retriever.settings import RetrieverSettings


@dataclass(frozen=True, slots=True)
class Sample:
    """Settings of a test."""

    seconds: float = setting(1.0, "Time.")
    kept_days: float = setting(1.0, "Age.")
    idle_minutes: int = setting(1, "Silence.")
    rows: int = setting(1, "How many.")
    tokens: tuple[int, ...] = setting((3, 2), "Tokens.", minimum=1, maximum=9, is_filled=True)
    names: tuple[str, ...] = setting((), "Names.")


def loaded(**values: Any) -> Sample:
    """Load from a file."""
    return load(Sample, "sample", environ={}, file={"sample": values})


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), "inf", "nan"])
def test_a_number_without_end_is_none(value: object) -> None:
    """No timer takes it, and nothing compares with it."""
    with pytest.raises(SettingsError, match="seconds"):
        loaded(seconds=value)


@pytest.mark.parametrize("name", ["seconds", "rows", "tokens"])
@pytest.mark.parametrize("value", [10**400, "1" + "0" * 400])
def test_a_number_that_no_float_can_hold_is_told(name: str, value: object) -> None:
    """It is refused by name like any other that is too large, with all else that is wrong."""
    with pytest.raises(SettingsError, match=name) as raised:
        loaded(**{name: [value] if name == "tokens" and isinstance(value, int) else value}, idle_minutes="x")

    assert len(raised.value.problems) == 2


@pytest.mark.parametrize("value", [float("inf"), "inf"])
def test_a_setting_may_be_without_end_where_it_says_so(value: object) -> None:
    """Files that are never settled are read every time."""
    found = load(IndexerSettings, "indexer", environ={}, file={"indexer": {"settled_seconds": value}})

    assert found.settled_seconds == float("inf")


@pytest.mark.parametrize(
    ("name", "greatest"), [("seconds", 10**6), ("kept_days", 36_500), ("idle_minutes", 10**6), ("rows", 10**9)]
)
def test_a_number_has_the_bound_of_its_unit(name: str, greatest: int) -> None:
    """Beyond it, timers, dates and databases fail, some at the start without a word of the setting, some much later."""
    assert getattr(loaded(**{name: greatest}), name) == greatest
    with pytest.raises(SettingsError, match=f"{name}: must be at most {greatest}, got"):
        loaded(**{name: greatest + 1})


@pytest.mark.parametrize(
    ("settings", "name", "value"),
    [
        (OrchestratorSettings, "classifier", ""),
        (OrchestratorSettings, "classifier", "http://classifier:50052"),
        (OrchestratorSettings, "retriever", ["retriever:50053", "a b"]),
        (OrchestratorSettings, "model_url", "api.anthropic.com"),
        (ClassifierSettings, "model_url", "https://"),
        (RetrieverSettings, "model_url", " "),
        (IndexerSettings, "model_url", "ftp://host"),
        (IndexerSettings, "embedding_url", "api.openai.com/v1"),
        (RetrieverSettings, "qdrant_host", "http://qdrant:6333"),
        (IndexerSettings, "host", "not a host"),
        (IndexerSettings, "host", ""),
    ],
)
def test_an_address_that_is_none_is_refused_by_name(settings: type[Any], name: str, value: object) -> None:
    """Services started with it, and lacked what is there in every answer."""
    with pytest.raises(SettingsError, match=rf"\[own\] {name}: must match"):
        load(settings, "own", environ={}, file={"own": {name: value}})


@pytest.mark.parametrize("target", ["a:1", "dns:///a:50053", "unix:/run/a.sock", "[::1]:50053", "ipv6:[::1]:1"])
def test_addresses_of_every_form_are_taken(target: str) -> None:
    """Whatever gRPC resolves, alone and in a list; a URL may have a path, and vectors a server of any name."""
    file = {"own": {"classifier": target, "retriever": [target, "b:2"], "model_url": "http://[::1]:8080/v1"}}
    found = load(OrchestratorSettings, "own", environ={}, file=file)

    assert (found.classifier, found.retriever) == (target, (target, "b:2"))
    for host in ("", "qdrant", "10.0.0.1", "::1", "q-1.qdrant_peers.svc"):
        assert load(RetrieverSettings, "own", environ={}, file={"own": {"qdrant_host": host}}).qdrant_host == host


@pytest.mark.parametrize("value", [[], [0], [3, -5], [10], ""])
def test_every_number_of_a_list_has_the_bounds(value: object) -> None:
    """Each is looked at, and a list that must hold something is not empty."""
    with pytest.raises(SettingsError, match="tokens"):
        loaded(tokens=value)


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 20_000])
def test_a_file_that_cannot_be_read_is_told(text: str, tmp_path: Path) -> None:
    """Also where it is TOML, and only Python cannot hold it."""
    file = tmp_path / "cgrag.toml"
    file.write_text(text)

    with pytest.raises(SettingsError, match="not valid TOML"):
        read_toml(file)
    with pytest.raises(UsageError, match="not valid TOML"):
        load_settings({"CGRAG_CONFIG": str(file)})


def test_lists_within_bounds_are_taken() -> None:
    """An empty one too where nothing is said against it."""
    assert loaded(tokens=[1, 9]) == Sample(tokens=(1, 9))


@pytest.mark.parametrize(
    ("name", "value"),
    [("retriever", []), ("retriever", " , "), ("after_pass_tokens", []), ("after_pass_tokens", [-1])],
)
def test_an_orchestrator_does_not_start_without_what_every_answer_needs(name: str, value: object) -> None:
    """Otherwise each answer would fail."""
    with pytest.raises(SettingsError, match=name):
        load(OrchestratorSettings, "orchestrator", environ={}, file={"orchestrator": {name: value}})


def test_an_orchestrator_does_not_start_without_room_for_evidence() -> None:
    """System text and question may not take all that there is."""
    file = {"orchestrator": {"total_tokens": 800, "system_tokens": 800}}
    with pytest.raises(SettingsError, match="system_tokens"):
        load(OrchestratorSettings, "orchestrator", environ={}, file=file)
