"""Overlays render, keep the rules, and carry settings that the services accept."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path

import pytest
import yaml

from classifier.settings import ClassifierSettings
from common.core.settings import load
from common.rpc.settings import ServerSettings
from deploy.policy import Manifest, policy_problems, render, schema_problems
from deploy.prometheus import operator
from indexer.settings import IndexerSettings
from orchestrator.settings import OrchestratorSettings
from retriever.settings import RetrieverSettings

KUSTOMIZE = Path(__file__).parents[3] / "deploy" / "kustomize"
OVERLAYS = sorted(path.name for path in (KUSTOMIZE / "overlays").iterdir())
SETTINGS: dict[str, type[ServerSettings]] = {
    "indexer": IndexerSettings,
    "classifier": ClassifierSettings,
    "retriever": RetrieverSettings,
    "orchestrator": OrchestratorSettings,
}


@pytest.fixture(scope="module", params=["base", *OVERLAYS])
def manifests(request: pytest.FixtureRequest) -> list[Manifest]:
    name = str(request.param)
    return render(KUSTOMIZE / (name if name == "base" else f"overlays/{name}"))


def settings_of(manifests: list[Manifest], service: str) -> ServerSettings:
    """Load a service's settings from the rendered ConfigMap, as its pod would."""
    text = next(each["data"]["cgrag.toml"] for each in manifests if each["kind"] == "ConfigMap")
    return load(SETTINGS[service], service, environ={}, file=tomllib.loads(text))


def of_kind(manifests: list[Manifest], kind: str) -> list[Manifest]:
    return [each for each in manifests if each["kind"] == kind]


def test_it_is_valid_and_keeps_the_rules(manifests: list[Manifest]) -> None:
    """No overlay weakens what the base promises."""
    assert schema_problems(manifests) + policy_problems(manifests) == []


@pytest.mark.parametrize(
    ("overlay", "asked"), [("dev", ""), ("single-node", ""), ("production", "cgrag.orchestrator.v1")]
)
def test_an_orchestrator_that_is_alone_is_asked_whether_it_keeps_answers_or_not(overlay: str, asked: str) -> None:
    """Where there is another, callers go there; where there is none, what is kept can still be read."""
    [found] = [
        each
        for each in of_kind(render(KUSTOMIZE / "overlays" / overlay), "Deployment")
        if each["metadata"]["name"] == "orchestrator"
    ]
    probe = found["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]

    assert probe["grpc"].get("service", "").startswith(asked)
    assert bool(probe["grpc"].get("service")) == bool(asked)
    assert probe["grpc"]["port"] == 51054


@pytest.mark.parametrize("service", SETTINGS)
def test_services_accept_their_settings(manifests: list[Manifest], service: str) -> None:
    """Every name and value in the ConfigMap is a setting, and ports are those that the manifests name."""
    settings = settings_of(manifests, service)
    deployment = next(each for each in of_kind(manifests, "Deployment") if each["metadata"]["name"] == service)
    ports = {
        each["name"]: each["containerPort"] for each in deployment["spec"]["template"]["spec"]["containers"][0]["ports"]
    }

    assert ports == {"grpc": settings.port, "health": settings.port + 1000, "metrics": settings.metrics_port}
    assert settings.host == "0.0.0.0"


def test_settings_are_found_by_their_hash(manifests: list[Manifest]) -> None:
    """A changed setting makes a new ConfigMap name, and so a rollout."""
    names = [each["metadata"]["name"] for each in of_kind(manifests, "ConfigMap")]
    text = yaml.safe_dump_all(manifests)

    assert all(name.startswith("cgrag-settings-") for name in names)
    assert all(text.count(name) > len(SETTINGS) for name in names)


def test_production_scales_watches_and_hides() -> None:
    """In production services scale by load, are scraped, and do not serve reflection."""
    production = render(KUSTOMIZE / "overlays" / "production")
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in of_kind(production, "HorizontalPodAutoscaler")}

    assert scaled == {"classifier", "retriever", "orchestrator"}
    assert of_kind(production, "ServiceMonitor")
    assert not any(settings_of(production, service).reflection for service in SETTINGS)


def test_a_number_of_replicas_beside_an_autoscaler_breaks_a_rule() -> None:
    """Each apply would put back what the autoscaler changed."""
    broken = copy.deepcopy(render(KUSTOMIZE / "overlays" / "production"))
    next(each for each in of_kind(broken, "Deployment") if each["metadata"]["name"] == "retriever")["spec"][
        "replicas"
    ] = 3

    assert any("autoscaler" in problem for problem in policy_problems(broken))


def test_alerts_for_the_operator_are_those_that_are_tested() -> None:
    """`make dashboards` was run after the last change of the rules."""
    [rules] = of_kind(render(KUSTOMIZE / "overlays" / "production"), "PrometheusRule")
    tested = yaml.safe_load(operator.RULES.read_text(encoding="utf-8"))

    assert operator.OBJECT.read_text(encoding="utf-8") == operator.render()
    assert rules["spec"] == tested


def test_a_pod_that_is_killed_too_early_breaks_a_rule() -> None:
    """The pod's grace must cover pause, the server's grace and a reserve."""
    broken = copy.deepcopy(render(KUSTOMIZE / "overlays" / "production"))
    of_kind(broken, "Deployment")[0]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 30

    assert any("drained" in problem for problem in policy_problems(broken))
