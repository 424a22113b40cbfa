"""What the runbook and its neighbours name can be found: panels, events of the logs, commands, reasons."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from cgrag_client.cli import build_app
from common.observability.metrics import Metrics
from deploy.grafana.dashboards import DASHBOARDS, render
from orchestrator.adapters.telemetry import AnswerTelemetry

ROOT = Path(__file__).parents[3]
PAGES = sorted((ROOT / "docs").glob("*.md"))
PARTS = ("common", "indexer", "classifier", "retriever", "orchestrator")
RUNBOOK = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
EVENT = re.compile(r"`([a-z_]+\.[a-z_]+)`")


def panels() -> set[str]:
    """Return all panels as pages name them: dashboard, arrow, title."""
    return {
        f"{spec.title.rpartition(' ')[2]} → {panel['title']}"
        for spec in DASHBOARDS
        for panel in json.loads(render(spec))["panels"]
    }


def logged() -> Iterator[str]:
    """Yield the events that the services log under a fixed name."""
    for path in (each for part in PARTS for each in (ROOT / part).rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(
                    func=ast.Attribute(attr="debug" | "info" | "warning" | "error" | "exception") | ast.Name("log")
                ):
                    yield from (str(each.value) for each in call.args[:1] if isinstance(each, ast.Constant))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_every_panel_that_is_named_is_there(page: Path) -> None:
    """By the title under which it is found."""
    text = page.read_text(encoding="utf-8")
    named = {" ".join(each.split()) for each in re.findall(r"\*\*(\w+ → [^*]+)\*\*", text)}

    assert named - panels() == set()


def test_the_runbook_names_panels() -> None:
    """The pattern finds them."""
    assert len(re.findall(r"\*\*(\w+ → [^*]+)\*\*", RUNBOOK)) > 6


def test_every_event_that_is_named_is_logged() -> None:
    """Who looks for a line of the log finds it."""
    named = {each for each in EVENT.findall(RUNBOOK) if not each.endswith((".db", ".md"))}

    assert len(named) > 8
    assert named - set(logged()) == set()


def test_every_command_that_is_named_is_there() -> None:
    """So that who is woken can copy it."""
    commands = [" ".join(each.split()) for each in re.findall(r"`cgrag ([^`]+)`", RUNBOOK)]

    assert len(commands) > 4
    for words in commands:
        command: Any = typer.main.get_command(build_app())
        for word in words.split():
            if children := getattr(command, "commands", None):
                assert word in children, words
                command = children[word]


def test_every_reason_of_a_degraded_answer_is_named() -> None:
    """The section lists the values of the label, all of them and no other."""
    section = RUNBOOK.partition("\n## degraded\n")[2].partition("\n## ")[0]
    metrics = Metrics("orchestrator")
    AnswerTelemetry(metrics)
    [family] = [each for each in metrics.registry.collect() if each.name == "cgrag_degraded_answers"]

    assert set(re.findall(r"\*(\w+)\*", section)) == {sample.labels["reason"] for sample in family.samples}
