"""The Kubernetes base renders, is valid, and keeps the project's rules; breaking a rule is noticed."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.policy import SERVICES, Manifest, main, policy_problems, render, schema_problems

BASE = Path(__file__).parents[3] / "deploy" / "kustomize" / "base"


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return render(BASE)


def deployment(manifests: list[Manifest]) -> Manifest:
    return next(each for each in manifests if each["kind"] == "Deployment")


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


def run_as_root(manifests: list[Manifest]) -> None:
    del deployment(manifests)["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"]


def drop_limits(manifests: list[Manifest]) -> None:
    del deployment(manifests)["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]


def drop_network_policies(manifests: list[Manifest]) -> None:
    manifests[:] = [each for each in manifests if each["kind"] != "NetworkPolicy"]


def writable_root(manifests: list[Manifest]) -> None:
    container = deployment(manifests)["spec"]["template"]["spec"]["containers"][0]
    container["securityContext"]["readOnlyRootFilesystem"] = False


def probe_over_http(manifests: list[Manifest]) -> None:
    container = deployment(manifests)["spec"]["template"]["spec"]["containers"][0]
    container["readinessProbe"] = {"httpGet": {"path": "/", "port": 80}}


def forget_sessions(manifests: list[Manifest]) -> None:
    service = next(e for e in manifests if (e["kind"], e["metadata"]["name"]) == ("Service", "orchestrator"))
    del service["spec"]["sessionAffinity"]


def let_the_retriever_out(manifests: list[Manifest]) -> None:
    policy = next(e for e in manifests if (e["kind"], e["metadata"]["name"]) == ("NetworkPolicy", "retriever"))
    policy["spec"]["egress"].append({"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]})


def rule_of(manifests: list[Manifest], name: str, direction: str) -> Manifest:
    policy = next(e for e in manifests if (e["kind"], e["metadata"]["name"]) == ("NetworkPolicy", name))
    rule: Manifest = policy["spec"][direction][0]
    return rule


def let_everybody_in(manifests: list[Manifest]) -> None:
    del rule_of(manifests, "valkey", "ingress")["from"]


def let_every_namespace_in(manifests: list[Manifest]) -> None:
    rule_of(manifests, "indexer", "ingress")["from"] = [{"namespaceSelector": {}}]


def let_the_orchestrator_talk_to_all(manifests: list[Manifest]) -> None:
    del rule_of(manifests, "orchestrator", "egress")["to"]


def take_services_for_settings(manifests: list[Manifest]) -> None:
    del deployment(manifests)["spec"]["template"]["spec"]["enableServiceLinks"]


def share_the_machines_network(manifests: list[Manifest]) -> None:
    deployment(manifests)["spec"]["template"]["spec"]["hostNetwork"] = True


def mount_the_machines_files(manifests: list[Manifest]) -> None:
    volumes = deployment(manifests)["spec"]["template"]["spec"]["volumes"]
    volumes.append({"name": "host", "hostPath": {"path": "/"}})


def admit_any_pod(manifests: list[Manifest]) -> None:
    namespace = next(each for each in manifests if each["kind"] == "Namespace")
    namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "baseline"


def container_of(manifests: list[Manifest]) -> Manifest:
    container: Manifest = deployment(manifests)["spec"]["template"]["spec"]["containers"][0]
    return container


def probe_another_port(manifests: list[Manifest]) -> None:
    container_of(manifests)["livenessProbe"]["grpc"]["port"] += 1


def probe_where_nothing_listens(manifests: list[Manifest]) -> None:
    container = container_of(manifests)
    next(each for each in container["ports"] if each["name"] == "health")["containerPort"] += 1
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        container[probe]["grpc"]["port"] += 1


def send_callers_to_no_port(manifests: list[Manifest]) -> None:
    next(each for each in manifests if each["kind"] == "Service")["spec"]["ports"][0]["targetPort"] = "grcp"


def send_callers_to_no_pod(manifests: list[Manifest]) -> None:
    next(each for each in manifests if each["kind"] == "Service")["spec"]["selector"] = {"app": "cgrag"}


def keep_every_pod(manifests: list[Manifest]) -> None:
    budget = next(each for each in manifests if each["kind"] == "PodDisruptionBudget")
    budget["spec"] = {"minAvailable": "100%", "selector": budget["spec"]["selector"]}


def name_the_latest_image(manifests: list[Manifest]) -> None:
    container_of(manifests)["image"] = "registry.example/cgrag-indexer:latest"


def name_an_image_without_a_version(manifests: list[Manifest]) -> None:
    container_of(manifests)["image"] = "registry.example:5000/postgres"


def open_a_port_of_all_machines(manifests: list[Manifest]) -> None:
    next(each for each in manifests if each["kind"] == "Service")["spec"]["type"] = "NodePort"


def let_no_machine_go(manifests: list[Manifest]) -> None:
    next(each for each in manifests if each["kind"] == "PodDisruptionBudget")["spec"]["maxUnavailable"] = 0


MUTATIONS = [
    probe_another_port,
    probe_where_nothing_listens,
    send_callers_to_no_port,
    send_callers_to_no_pod,
    keep_every_pod,
    name_the_latest_image,
    name_an_image_without_a_version,
    open_a_port_of_all_machines,
    let_no_machine_go,
    share_the_machines_network,
    take_services_for_settings,
    mount_the_machines_files,
    admit_any_pod,
    let_everybody_in,
    let_every_namespace_in,
    let_the_orchestrator_talk_to_all,
    run_as_root,
    drop_limits,
    drop_network_policies,
    writable_root,
    probe_over_http,
    forget_sessions,
    let_the_retriever_out,
]


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_each_mutation_breaks_a_rule(manifests: list[Manifest], mutation: Callable[[list[Manifest]], None]) -> None:
    """A manifest that breaks a rule is refused."""
    broken = copy.deepcopy(manifests)
    mutation(broken)

    assert policy_problems(broken) != []


def test_images_with_a_version_or_a_digest_are_fine(manifests: list[Manifest]) -> None:
    """Ours have none in the base: an overlay says which."""
    for image in ("registry.example:5000/cgrag-indexer:0.1.0", "postgres@sha256:0123456789abcdef", "cgrag-indexer"):
        fine = copy.deepcopy(manifests)
        container_of(fine)["image"] = image

        assert policy_problems(fine) == []


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


def scrape_another_port(production: list[Manifest]) -> None:
    next(each for each in production if each["kind"] == "ServiceMonitor")["spec"]["endpoints"][0]["port"] = "grpc-web"


def scrape_others(production: list[Manifest]) -> None:
    monitor = next(each for each in production if each["kind"] == "ServiceMonitor")
    monitor["spec"]["selector"] = {"matchLabels": {"app.kubernetes.io/part-of": "shop"}}


def raise_nothing(production: list[Manifest]) -> None:
    for group in next(each for each in production if each["kind"] == "PrometheusRule")["spec"]["groups"]:
        group["rules"] = []


@pytest.mark.parametrize("mutation", [scrape_another_port, scrape_others, raise_nothing])
def test_monitors_and_rules_that_watch_nothing_are_named(mutation: Callable[[list[Manifest]], None]) -> None:
    """That a manifest of the kind is there does not mean that somebody looks."""
    broken = copy.deepcopy(render(BASE.parent / "overlays" / "production"))
    mutation(broken)

    assert all("production: " in each for each in policy_problems(broken))
    assert policy_problems(broken)


def test_an_unknown_field_breaks_the_schema(manifests: list[Manifest]) -> None:
    """A misspelt field does not pass silently."""
    broken = copy.deepcopy(manifests)
    deployment(broken)["spec"]["replica"] = 2

    assert schema_problems(broken) != []


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
