"""Variants: named tables of what is otherwise, which a rollout and a shadow name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.core.settings import SettingsError, load, load_with_origins
from orchestrator.adapters.engines.rollout import Rollout
from orchestrator.domain.questions.question import Switches
from orchestrator.settings import PARTS, OrchestratorSettings


def loaded(environ: dict[str, str] | None = None, **given: Any) -> OrchestratorSettings:
    """Return settings as a file and the environment give them."""
    return load(OrchestratorSettings, "orchestrator", environ=environ or {}, file={"orchestrator": given})


def test_without_a_name_it_is_the_standard_configuration() -> None:
    """So that a model can be compared with itself; out of the box there is no variant."""
    settings = loaded(engine="anthropic", max_passes=2, input_usd_per_million=3.0)

    assert (settings.rollout_percent, settings.shadow_percent) == (0, 0)
    assert settings.variant("") == settings


def test_a_variant_is_otherwise_in_what_it_says() -> None:
    """Engine, model, prompts, budgets, loop and switches; a model of its own has prices of its own, also none."""
    big = {
        "engine": "anthropic",
        "answer_model": "big",
        "output_usd_per_million": 25,
        "max_passes": 1,
        "strategy": "sufficiency",
        "total_tokens": 12_000,
        "after_pass_tokens": [500],
        "model_gaps": "tools",
        "prompts_dir": "/tmp/prompts",
        "without": ["vectors", "call_graph"],
    }
    settings = loaded(
        engine="evidence",
        input_usd_per_million=3.0,
        output_usd_per_million=15.0,
        judge_input_usd_per_million=1.0,
        variants={"big": big},
    )
    expected = replace(
        settings,
        variants=settings.variant("big").variants,
        engine="anthropic",
        answer_model="big",
        input_usd_per_million=0.0,
        output_usd_per_million=25.0,
        max_passes=1,
        strategy="sufficiency",
        total_tokens=12_000,
        after_pass_tokens=(500,),
        model_gaps="tools",
        prompts_dir=Path("/tmp/prompts"),
        without=("vectors", "call_graph"),
    )

    assert settings.variant("big") == expected


def test_the_environment_says_variants_as_toml() -> None:
    """What a variant says wins over the variable of the same setting: that one is of the standard configuration."""
    environ = {"CGRAG_ORCHESTRATOR_VARIANTS": "big = {max_passes = 2}", "CGRAG_MAX_PASSES": "4"}
    settings, origins = load_with_origins(OrchestratorSettings, "orchestrator", environ=environ, file={})
    shown = {each.name: each.value for each in origins}

    assert (settings.max_passes, settings.variant("big").max_passes) == (4, 2)
    assert shown["orchestrator.variants"] == "{'big': {'max_passes': 2}}"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"variants": {"big": {"max_pases": 1, "total_tokens": 1}}}, ("max_pases", "max_passes", "at least 800")),
        ({"variants": {"big": {"data_dir": "/tmp"}}}, ("variants.big] data_dir: no such setting",)),
        ({"variants": {"big": {"without": ["sources"]}}}, ("variants.big] without: must be one of",)),
        ({"variants": {"big": {"system_tokens": 9000}}}, ("leave nothing for evidence",)),
        ({"variants": {"standard": {}}}, ("standard means something else",)),
        ({"variants": {"big": 1}}, ("expected tables",)),
        ({"variants": "big = {"}, ("not valid TOML",)),
        ({"rollout": "big", "shadow": "small"}, ("rollout: no variant is called big", "shadow: no variant is called")),
        ({"rollout_percent": 101, "shadow_at_once": 0}, ("rollout_percent", "shadow_at_once")),
    ],
)
def test_all_mistakes_are_told_at_once(given: dict[str, Any], named: tuple[str, ...]) -> None:
    """Before anything starts, with the table that is wrong."""
    with pytest.raises(SettingsError) as wrong:
        loaded(**given)

    for each in named:
        assert each in str(wrong.value)


def test_a_session_stays_with_its_variant() -> None:
    """In every process the same sessions, others for another name; a larger share keeps those of a smaller one."""
    sessions = [f"ses_{number}" for number in range(4000)]
    small, large, other = Rollout(10, name="big"), Rollout(30, name="big"), Rollout(10, name="small")
    of_small = {each for each in sessions if small.admits(each)}
    of_large = {each for each in sessions if large.admits(each)}
    of_other = {each for each in sessions if other.admits(each)}

    assert {"ses_1", "ses_1016"} <= of_small
    assert 320 < len(of_small) < 480
    assert of_small < of_large
    assert len(of_small & of_other) < 80
    assert not Rollout(100).admits("")


@pytest.mark.parametrize(("percent", "is_admitted"), [(0, False), (100, True)])
def test_none_is_none_and_all_are_all(percent: float, is_admitted: bool) -> None:
    """At the ends there is no chance."""
    rollout = Rollout(percent, None, name="shadow ")

    assert {rollout.admits(f"ses_{number}") for number in range(500)} == {is_admitted}


def test_every_switch_of_a_request_can_be_a_setting() -> None:
    """What either turns off is off."""
    assert PARTS == ("code_index", "call_graph", "source", "mode_routing", "gap_resolution", "vectors")
    both = Switches(without_vectors=True).with_all_of(Switches(without_source=True))
    assert both == Switches(without_vectors=True, without_source=True)
