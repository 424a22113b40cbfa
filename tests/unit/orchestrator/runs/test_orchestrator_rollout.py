"""Which sessions a share of them admits."""

from __future__ import annotations

import pytest

from orchestrator.adapters.engines.rollout import Rollout


def test_shares_of_different_names_fall_on_different_sessions() -> None:
    """A tenth of the sessions is about a tenth, always the same, and independent of another share's tenth."""
    model, shadow = Rollout(10, None), Rollout(10, None, name="shadow ")
    sessions = [f"ses_{number}" for number in range(10_000)]
    asked, doubled = ({each for each in sessions if rollout.admits(each)} for rollout in (model, shadow))

    assert asked == {each for each in sessions if Rollout(10, None).admits(each)}
    assert 900 < len(asked) < 1100
    assert 900 < len(doubled) < 1100
    assert 50 < len(asked & doubled) < 150


@pytest.mark.parametrize(("percent", "is_admitted"), [(0, False), (100, True)])
def test_none_is_none_and_all_are_all(percent: float, is_admitted: bool) -> None:
    """At the ends there is no chance."""
    rollout = Rollout(percent, None, name="shadow ")

    assert {rollout.admits(f"ses_{number}") for number in range(500)} == {is_admitted}
