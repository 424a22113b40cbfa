"""Alerts: valid, tried both ways, each with its place in the runbook."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fakes.programs import find_program

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "prometheus"

PROMTOOL = find_program("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="no promtool here: run `make servers`")


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "rules.yaml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


def test_every_alert_is_expected_to_fire_when_all_goes_wrong() -> None:
    """The first rule test names every alert, so that a rule which is removed or added is noticed."""
    tests = yaml.safe_load((FOLDER / "rules_test.yaml").read_text(encoding="utf-8"))["tests"]
    expected = [
        re.search(r'alertname="(\w+)"', sample["labels"]) for sample in tests[0]["promql_expr_test"][0]["exp_samples"]
    ]

    assert sorted(match[1] for match in expected if match) == sorted(rule["alert"] for rule in alerts())
    assert all(check["exp_samples"] == [] for test in tests[1:] for check in test["promql_expr_test"])


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: str(rule["alert"]))
def test_every_alert_leads_to_its_section(rule: dict[str, Any]) -> None:
    """Severity, summary and description are there, and the runbook has the section that the link names."""
    runbook = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
    path, _, anchor = rule["annotations"]["runbook_url"].partition("#")

    assert path == "docs/runbook.md"
    assert f"\n## {anchor}\n" in runbook
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"]


def test_the_runbook_has_no_section_without_an_alert() -> None:
    """Sections that nothing leads to are stale."""
    sections = set(re.findall(r"^## (.+)$", (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8"), re.MULTILINE))

    assert sections == {rule["annotations"]["runbook_url"].partition("#")[2] for rule in alerts()}


@needs_promtool
@pytest.mark.parametrize("name", sorted(each.name for each in FOLDER.glob("*_test.yaml")))
def test_rules_fire_when_they_should_and_only_then(name: str) -> None:
    """promtool tries every alert on three days of trouble, of health and of silence, and at its edges."""
    result = subprocess.run(
        [str(PROMTOOL), "test", "rules", str(FOLDER / name)], capture_output=True, text=True, check=False
    )

    assert result.returncode == 0, result.stdout + result.stderr
