"""The Kubernetes base renders, is valid, and keeps the project's rules; breaking a rule is noticed."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import pytest

from deploy.policy import SERVICES, Manifest, main, policy_problems, render, schema_problems
from tests.unit.deploy.changed import BOX, GONE, POD, changed

BASE = Path(__file__).parents[3] / "deploy" / "kustomize" / "base"


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return render(BASE)


def test_base_is_valid_and_keeps_the_rules(manifests: list[Manifest]) -> None:
    """The base as committed has neither schema nor policy problems."""
    problems = schema_problems(manifests) + policy_problems(manifests)

    assert problems == []


def test_services_are_headless_but_for_the_one_that_keeps_callers_at_their_pod(manifests: list[Manifest]) -> None:
    """Callers balance over pods themselves, except where their sessions are in one of them."""
    headless = {
        each["metadata"]["name"]
        for each in manifests
        if each["kind"] == "Service" and each["spec"].get("clusterIP") == "None"
    }

    assert headless == {*SERVICES, "valkey"} - {"orchestrator"}


def probed_where_nothing_listens(container: Manifest) -> Manifest:
    next(each for each in container["ports"] if each["name"] == "health")["containerPort"] += 1
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        container[probe]["grpc"]["port"] += 1
    return container


MUTATIONS: dict[str, tuple[str, Any]] = {
    "another port is probed": (f"Deployment {BOX} livenessProbe grpc port", lambda port: port + 1),
    "nothing listens where it is probed": (f"Deployment {BOX}", probed_where_nothing_listens),
    "callers are sent to no port": ("Service spec ports 0 targetPort", "grcp"),
    "callers are sent to no pod": ("Service spec selector", {"app": "cgrag"}),
    "every pod is kept": (
        "PodDisruptionBudget spec",
        lambda spec: {"minAvailable": "100%", "selector": spec["selector"]},
    ),
    "the latest image": (f"Deployment {BOX} image", "registry.example/cgrag-indexer:latest"),
    "an image without a version": (f"Deployment {BOX} image", "registry.example:5000/postgres"),
    "a port of all machines": ("Service spec type", "NodePort"),
    "no machine can go": ("PodDisruptionBudget spec maxUnavailable", 0),
    "the machine's network": (f"Deployment {POD} hostNetwork", True),
    "services are taken for settings": (f"Deployment {POD} enableServiceLinks", GONE),
    "the machine's files": (f"Deployment {POD} volumes +", {"name": "host", "hostPath": {"path": "/"}}),
    "any pod is admitted": ("Namespace metadata labels pod-security.kubernetes.io/enforce", "baseline"),
    "everybody is let in": ("NetworkPolicy/valkey spec ingress 0 from", GONE),
    "every namespace is let in": ("NetworkPolicy/indexer spec ingress 0 from", [{"namespaceSelector": {}}]),
    "the orchestrator talks to all": ("NetworkPolicy/orchestrator spec egress 0 to", GONE),
    "root": (f"Deployment {POD} securityContext runAsNonRoot", GONE),
    "no limits": (f"Deployment {BOX} resources limits", GONE),
    "no network policies": ("NetworkPolicy", GONE),
    "a root that can be written": (f"Deployment {BOX} securityContext readOnlyRootFilesystem", False),
    "a probe over HTTP": (f"Deployment {BOX} readinessProbe", {"httpGet": {"path": "/", "port": 80}}),
    "sessions are forgotten": ("Service/orchestrator spec sessionAffinity", GONE),
    "the retriever is let out": (
        "NetworkPolicy/retriever spec egress +",
        {"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]},
    ),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_each_mutation_breaks_a_rule(manifests: list[Manifest], mutation: str) -> None:
    """A manifest that breaks a rule is refused."""
    assert policy_problems(changed(manifests, *MUTATIONS[mutation])) != []


def test_images_with_a_version_or_a_digest_are_fine(manifests: list[Manifest]) -> None:
    """Ours have none in the base: an overlay says which."""
    for image in ("registry.example:5000/cgrag-indexer:0.1.0", "postgres@sha256:0123456789abcdef", "cgrag-indexer"):
        assert policy_problems(changed(manifests, f"Deployment {BOX} image", image)) == []


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("HorizontalPodAutoscaler", "no autoscaler for the classifier"),
        ("ServiceMonitor", "no metrics are scraped of the classifier"),
        ("PrometheusRule", "nothing raises alerts"),
        ("ConfigMap", "the retriever serves reflection"),
    ],
)
def test_production_is_scaled_watched_and_closed(kind: str, problem: str) -> None:
    """What is missing is named; where the stage is another, nobody asks for it."""
    made = render(BASE.parent / "overlays" / "production")
    broken = [each for each in copy.deepcopy(made) if each["kind"] != kind]
    namespace = next(each for each in broken if each["kind"] == "Namespace")
    told = policy_problems(broken)
    del namespace["metadata"]["labels"]["cgrag.dev/stage"]

    assert policy_problems(made) == []
    assert any(problem in each for each in told)
    assert not any("production:" in each for each in policy_problems(broken))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("ServiceMonitor spec endpoints 0 port", "grpc-web"),
        ("ServiceMonitor spec selector", {"matchLabels": {"app.kubernetes.io/part-of": "shop"}}),
        ("PrometheusRule spec groups", lambda groups: [{**each, "rules": []} for each in groups]),
    ],
    ids=["another port is scraped", "others are scraped", "nothing is raised"],
)
def test_monitors_and_rules_that_watch_nothing_are_named(place: str, value: Any) -> None:
    """That a manifest of the kind is there does not mean that somebody looks."""
    told = policy_problems(changed(render(BASE.parent / "overlays" / "production"), place, value))

    assert told
    assert all("production: " in each for each in told)


def test_an_unknown_field_breaks_the_schema(manifests: list[Manifest]) -> None:
    """A misspelt field does not pass silently."""
    assert schema_problems(changed(manifests, "Deployment spec replica", 2)) != []


def test_an_overlay_is_checked_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is told with the folder; the exit code says whether anything is, or whether it renders at all."""
    (tmp_path / "kustomization.yaml").write_text(
        f"resources: [{os.path.relpath(BASE, tmp_path)}]\n"
        "patches:\n"
        "  - target: {kind: Deployment, name: retriever}\n"
        "    patch: |\n"
        "      - {op: add, path: /spec/template/spec/hostNetwork, value: true}\n",
        encoding="utf-8",
    )
    codes = [main([str(BASE)]), main([str(BASE), str(tmp_path)]), main([str(tmp_path / "none")]), main([])]
    told = capsys.readouterr()

    assert codes == [0, 1, 2, 2]
    assert f"{tmp_path}: Deployment/retriever: shares its machine's network" in told.out
    assert str(tmp_path / "none") in told.err
