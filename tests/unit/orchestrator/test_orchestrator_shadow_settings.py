"""By which settings answers are made a second time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.core.settings import SettingsError, load
from orchestrator.settings import OrchestratorSettings


def loaded(**given: Any) -> OrchestratorSettings:
    """Return settings as a file gives them."""
    return load(OrchestratorSettings, "orchestrator", environ={}, file={"orchestrator": given})


def test_what_is_not_said_is_as_for_answers_that_are_served() -> None:
    """So that a model can be compared with itself; out of the box there is none."""
    settings = loaded(engine="anthropic", max_passes=2, input_usd_per_million=3.0)

    assert settings.shadow_percent == 0
    assert settings.of_shadows() == settings


def test_what_is_said_is_otherwise() -> None:
    """A model of its own has prices of its own, also none."""
    settings = loaded(
        engine="evidence",
        input_usd_per_million=3.0,
        output_usd_per_million=15.0,
        shadow_engine="anthropic",
        shadow_model="big",
        shadow_output_usd_per_million=25.0,
        shadow_max_passes=1,
        shadow_strategy="sufficiency",
        shadow_total_tokens=12_000,
        shadow_model_gaps="tools",
        shadow_prompts_dir="/tmp/prompts",
    )
    expected = replace(
        settings,
        engine="anthropic",
        answer_model="big",
        input_usd_per_million=0.0,
        output_usd_per_million=25.0,
        max_passes=1,
        strategy="sufficiency",
        total_tokens=12_000,
        model_gaps="tools",
        prompts_dir=Path("/tmp/prompts"),
    )

    assert settings.of_shadows() == expected


def test_all_mistakes_are_told_at_once() -> None:
    """As of all settings."""
    with pytest.raises(SettingsError) as wrong:
        loaded(shadow_percent=101, shadow_engine="big", shadow_at_once=0)

    for name in ("shadow_percent", "shadow_engine", "shadow_at_once"):
        assert name in str(wrong.value)
