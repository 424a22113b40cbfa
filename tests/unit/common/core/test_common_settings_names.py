"""Names in the environment that nobody reads are told at start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from cgrag_client.connecting.settings import load_settings
from cgrag_client.errors import UsageError
from classifier.settings import ClassifierSettings
from common.core.settings import SettingsError, load, load_with_origins, setting
from indexer.settings import IndexerSettings
from orchestrator.settings import OrchestratorSettings
from retriever.settings import RetrieverSettings

SERVICES: Mapping[str, Any] = {
    "classifier": ClassifierSettings,
    "indexer": IndexerSettings,
    "orchestrator": OrchestratorSettings,
    "retriever": RetrieverSettings,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """Settings of a test."""

    passes: int = setting(3, "Passes.", env="CGRAG_MAX_PASSES")
    max_calls: int = setting(3, "Calls.")
    key: str = setting("", "Key.", secret=True)


def problems(**environ: str) -> tuple[str, ...]:
    """Return what is wrong with an environment."""
    with pytest.raises(SettingsError) as raised:
        load(Sample, "sample", environ=environ, file={})
    return raised.value.problems


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CGRAG_SAMPLE_MAX_CALS", "CGRAG_SAMPLE_MAX_CALLS"),
        ("CGRAG_SAMPLE_KEY_FIEL", "CGRAG_SAMPLE_KEY_FILE"),
        ("CGRAG_SAMPLE_PASSES", "CGRAG_MAX_PASSES"),
        ("CGRAG_MAX_PASES", "CGRAG_MAX_PASSES"),
        ("CGRAG_MAX_CALLS", "CGRAG_SAMPLE_MAX_CALLS"),
    ],
)
def test_a_name_with_a_slip_is_told_with_what_is_meant(name: str, meant: str) -> None:
    """Also where the field has a variable of another form, and for names that are no service's own."""
    assert problems(**{name: "1"}) == (f"{name}: no such setting; did you mean {meant}?",)


def test_a_name_of_ones_own_that_is_like_no_other_is_told() -> None:
    """What begins as the service's variables do is nobody else's; all mistakes are told at once."""
    told = problems(CGRAG_SAMPLE_COLOUR="blue", CGRAG_SAMPLE_MAX_CALLS="many")

    assert told == (
        "CGRAG_SAMPLE_COLOUR: no such setting",
        "CGRAG_SAMPLE_MAX_CALLS: expected a whole number, got 'many'",
    )


def test_names_of_others_are_left_alone() -> None:
    """They are another service's, a client's, or none of ours."""
    others = {"CGRAG_OTHER_PORT": "1", "CGRAG_CLIENT_TOKEN": "t", "CGRAG_COLOUR": "blue", "MAX_PASSES": "1"}

    assert load(Sample, "sample", environ=others, file={}) == Sample()


def test_no_service_takes_a_setting_of_another_for_a_slip() -> None:
    """They share one environment on a laptop, and one settings file with its variables in a cluster."""
    variables = {"CGRAG_CONFIG", "CGRAG_HOME", "CGRAG_SERVICE", "CGRAG_TOKEN", "CGRAG_CLIENT_TOKEN_FILE"}
    for section, settings in SERVICES.items():
        _, origins = load_with_origins(settings, section, environ={}, file={})
        variables |= {each.variable for each in origins} | {each.file_variable for each in origins}

    told = []
    for section, settings in SERVICES.items():
        with pytest.raises(SettingsError) as raised:  # numbers are not empty
            load(settings, section, environ=dict.fromkeys(variables, ""), file={})
        told += [each for each in raised.value.problems if "no such setting" in each]

    assert not told
    assert len(variables) > 200


def test_a_client_tells_of_its_own() -> None:
    """So a mistyped address is not passed over for the default one."""
    with pytest.raises(UsageError) as raised:
        load_settings({"CGRAG_CLIENT_ORCHESTRATR": "host:1", "CGRAG_CLIENT_COLOUR": "x", "CGRAG_MAX_PASES": "1"})

    assert str(raised.value).splitlines() == [
        "CGRAG_CLIENT_COLOUR: no such setting",
        "CGRAG_CLIENT_ORCHESTRATR: no such setting; did you mean CGRAG_CLIENT_ORCHESTRATOR?",
    ]
