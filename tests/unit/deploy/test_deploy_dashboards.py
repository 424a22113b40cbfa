"""The committed dashboards are what the code makes, and every panel explains itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deploy.grafana.dashboards import DASHBOARDS, FOLDER, render
from deploy.grafana.panels import DashboardSpec


def panels(dashboard: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


@pytest.mark.parametrize("spec", DASHBOARDS, ids=lambda spec: spec.name)
def test_committed_json_is_fresh(spec: DashboardSpec) -> None:
    """`make dashboards` was run after the last change."""
    assert (FOLDER / f"{spec.name}.json").read_text(encoding="utf-8") == render(spec)


@pytest.mark.parametrize("spec", DASHBOARDS, ids=lambda spec: spec.name)
def test_every_panel_has_description_and_variables(spec: DashboardSpec) -> None:
    """No panel is bound to one data source or namespace, and each says what it is for."""
    for panel in panels(json.loads(render(spec))):
        assert panel["description"]
        assert panel["datasource"]["uid"] == "${datasource}"
        assert all("$namespace" in target["expr"] for target in panel["targets"])


def test_units_and_states_say_what_is_shown() -> None:
    """Requests are counted as such and nothing else is; what is a state has names for its values, with colours."""
    shown = [panel for spec in DASHBOARDS for panel in panels(json.loads(render(spec)))]
    states = [panel for panel in shown if "_state{" in str(panel["targets"]) or "cgrag_ready" in str(panel["targets"])]
    names = [panel["fieldConfig"]["defaults"]["mappings"][0]["options"] for panel in states]

    assert {panel["title"] for panel in shown if panel["fieldConfig"]["defaults"]["unit"] == "reqps"} == {
        "Model requests"
    }
    assert {panel["type"] for panel in states} == {"state-timeline"}
    assert [[each["text"] for each in options.values()] for options in names] == [
        ["closed", "half open", "open"],
        ["not ready", "ready"],
        ["closed", "half open", "open"],
    ]


def test_targets_are_drawn() -> None:
    """Availability, what is left of its budget, and how fast it goes, each with the line that it must not cross."""
    [row] = [spec for spec in DASHBOARDS if spec.name == "cgrag-services"]
    shown = {panel["title"]: panel["fieldConfig"]["defaults"] for panel in panels(json.loads(render(row)))}
    limits = {
        title: [step["value"] for step in defaults["thresholds"]["steps"][1:]]
        for title, defaults in shown.items()
        if "thresholds" in defaults
    }

    assert limits == {
        "Availability": [0.995],
        "Error budget left": [0],
        "Burn of the error budget": [1],
        "Answers that begin late": [0.01],
        "Event loop lag": [5],
    }
    assert "min" not in shown["Error budget left"]


def test_lines_of_times_lead_to_traces() -> None:
    """Whatever is shown in seconds asks for exemplars, and nothing else does."""
    shown = [panel for spec in DASHBOARDS for panel in panels(json.loads(render(spec)))]
    asking = {panel["title"] for panel in shown if any(target.get("exemplar") for target in panel["targets"])}

    assert asking == {panel["title"] for panel in shown if panel["fieldConfig"]["defaults"]["unit"] == "s"}
    assert asking


def test_sessions_are_not_counted_once_for_each_replica() -> None:
    """Replicas that share a store tell of all of its sessions each: the most is how many there are."""
    expressions = [
        target["expr"]
        for spec in DASHBOARDS
        for panel in panels(json.loads(render(spec)))
        for target in panel["targets"]
        if "cgrag_sessions" in target["expr"]
    ]

    assert expressions == ['sum (max by (namespace) (cgrag_sessions{namespace=~"$namespace"}))']


@pytest.mark.parametrize("spec", DASHBOARDS, ids=lambda spec: spec.name)
def test_no_line_is_half_empty(spec: DashboardSpec) -> None:
    """Panels fill the lines that they are on."""
    used: dict[int, int] = {}
    for panel in panels(json.loads(render(spec))):
        place = panel["gridPos"]
        used[place["y"]] = used.get(place["y"], 0) + place["w"]

    assert set(used.values()) == {24}


@pytest.mark.parametrize("spec", DASHBOARDS, ids=lambda spec: spec.name)
def test_each_leads_to_the_others(spec: DashboardSpec) -> None:
    """Where to look next is one click away, at the same time and in the same namespace."""
    [link] = json.loads(render(spec))["links"]

    assert (link["type"], link["tags"]) == ("dashboards", ["cgrag"])
    assert (link["includeVars"], link["keepTime"]) == (True, True)
