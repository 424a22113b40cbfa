"""Components: each can be put on base and production, alone and with the others, and secrets reach pods as files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from common.core.settings import load
from common.model.embedding_settings import EmbeddingSettings
from deploy.policy import SERVICES, Manifest, policy_problems, render, schema_problems
from tests.unit.deploy.changed import BOX, GONE, POD, changed
from tests.unit.deploy.test_deploy_overlays import KUSTOMIZE, SETTINGS, of_kind

COMPONENTS = sorted(path.name for path in (KUSTOMIZE / "components").iterdir())
IN_PRODUCTION = {"qdrant"}
# What a component goes over, where that is not the base.
OVER = {"runbook": "overlays/production"}
_SECRET_OF = re.compile("-password$|(?<=^model)-.*")
"""What the Secret of a component is not called after; the roles that ask a model share its key."""
RUNBOOK = "https://wiki.example/cgrag/runbook"
SECRETS = {
    "model": {("orchestrator", "ANTHROPIC_API_KEY_FILE")},
    "model-classifier": {("classifier", "ANTHROPIC_API_KEY_FILE")},
    "model-judge": {("retriever", "ANTHROPIC_API_KEY_FILE")},
    "model-enrichment": {("indexer", "ANTHROPIC_API_KEY_FILE")},
    "embeddings": {(service, "CGRAG_EMBEDDING_API_KEY_FILE") for service in ("indexer", "retriever")},
    "qdrant": {(service, "CGRAG_QDRANT_API_KEY_FILE") for service in ("indexer", "retriever")},
    "object-storage": {
        (service, f"CGRAG_OBJECT_STORE_{name}_KEY_FILE")
        for service in ("indexer", "retriever")
        for name in ("ACCESS", "SECRET")
    },
    "postgres": {
        ("retriever", "CGRAG_RETRIEVER_DECISION_LOG_URL_FILE"),
        ("retriever", "CGRAG_RETRIEVER_PAGE_TOKEN_KEY_FILE"),
        ("orchestrator", "CGRAG_ORCHESTRATOR_ANSWER_STORE_URL_FILE"),
        ("orchestrator", "CGRAG_ORCHESTRATOR_PAGE_TOKEN_KEY_FILE"),
    },
    "valkey-password": {
        ("retriever", "CGRAG_RETRIEVER_TASK_STORE_URL_FILE"),
        ("orchestrator", "CGRAG_ORCHESTRATOR_SESSION_STORE_URL_FILE"),
    },
}


def together(folder: Path, base: str, components: Sequence[str]) -> list[Manifest]:
    """Render a base with components, as an overlay of somebody's would."""
    below = [
        os.path.relpath(KUSTOMIZE / path, folder) for path in (base, *(f"components/{each}" for each in components))
    ]
    address = {"name": "cgrag-runbook", "annotations": {"config.kubernetes.io/local-config": "true"}}
    named = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": address, "data": {"url": RUNBOOK}}
    (folder / "runbook.yaml").write_text(yaml.safe_dump(named), encoding="utf-8")
    resources = [below[0], *(["runbook.yaml"] if "runbook" in components else [])]
    text = yaml.safe_dump({"resources": resources, "components": below[1:]})
    (folder / "kustomization.yaml").write_text(text, encoding="utf-8")
    return render(folder)


def alerts_of(manifests: Sequence[Manifest]) -> dict[str, str]:
    """Return where each alert leads."""
    [made] = of_kind(list(manifests), "PrometheusRule")
    rules = [rule for group in made["spec"]["groups"] for rule in group["rules"]]
    return {rule["alert"]: rule["annotations"]["runbook_url"] for rule in rules if "alert" in rule}


def pods_of(manifests: Sequence[Manifest]) -> dict[str, Any]:
    made = [*of_kind(list(manifests), "Deployment"), *of_kind(list(manifests), "StatefulSet")]
    return {each["metadata"]["name"]: each["spec"]["template"] for each in made}


def environ_of(pod: Any) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in pod["spec"]["containers"][0].get("env", ())}


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_component_is_valid_and_keeps_the_rules(tmp_path: Path, component: str) -> None:
    """On the base, which it says everything about that it needs, or what else it goes over."""
    manifests = together(tmp_path, OVER.get(component, "base"), [component])

    assert schema_problems(manifests) + policy_problems(manifests) == []


def test_all_components_go_together_in_production(tmp_path: Path) -> None:
    """None gets into another's way."""
    more = [each for each in COMPONENTS if each not in IN_PRODUCTION]
    manifests = together(tmp_path, "overlays/production", more)

    assert schema_problems(manifests) + policy_problems(manifests) == []


def test_every_alert_leads_to_the_runbook_where_it_is_kept(tmp_path: Path) -> None:
    """To the section that it names in the sources; the address itself is no object of the cluster."""
    before = alerts_of(render(KUSTOMIZE / "overlays" / "production"))
    manifests = together(tmp_path, "overlays/production", ["runbook"])
    after = alerts_of(manifests)

    assert after == {name: url.replace("docs/runbook.md", RUNBOOK) for name, url in before.items()}
    assert len(after) > 10
    assert all(url.startswith(f"{RUNBOOK}#") for url in after.values())
    assert "cgrag-runbook" not in {each["metadata"]["name"] for each in manifests}


@pytest.mark.parametrize("component", SECRETS)
def test_a_secret_is_a_file_where_it_is_needed(tmp_path: Path, component: str) -> None:
    """The variable names a file below a folder that is mounted from the component's Secret, in those services alone."""
    manifests = together(tmp_path, "base", [component])
    found: set[tuple[str, str]] = set()
    for service, pod in pods_of(manifests).items():
        container = pod["spec"]["containers"][0]
        folders = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
        volumes = {each["name"]: each.get("secret", {}).get("secretName") for each in pod["spec"].get("volumes", ())}
        for name, value in environ_of(pod).items():
            if name.endswith("_FILE") and service in SERVICES:
                assert volumes[folders[str(Path(value).parent)]] == f"cgrag-{_SECRET_OF.sub('', component)}"
                found.add((service, name))

    assert found == SECRETS[component]


@pytest.mark.parametrize("component", SECRETS)
def test_services_read_the_files_that_the_components_name(tmp_path: Path, component: str) -> None:
    """Each variable belongs to a secret setting of its service, which then holds what the file does."""
    secret = tmp_path / "secret"
    secret.write_text("of-the-file\n", encoding="utf-8")
    pods = pods_of(together(tmp_path, "base", [component]))
    for service in {service for service, _ in SECRETS[component]}:
        names = [name for of, name in SECRETS[component] if of == service]
        loaded = load(SETTINGS[service], service, environ=dict.fromkeys(names, str(secret)), file={})
        held = [getattr(loaded, field) for field in loaded.__dataclass_fields__]

        assert environ_of(pods[service]).keys() >= set(names)
        assert held.count("of-the-file") == len(names)


@pytest.mark.parametrize(
    ("component", "label"), [("model", "model"), ("embeddings", "embeddings"), ("object-storage", "object-storage")]
)
def test_one_more_service_may_leave_the_cluster(tmp_path: Path, component: str, label: str) -> None:
    """That which asks the endpoint; the indexer may anyway."""
    pods = pods_of(together(tmp_path, "base", [component]))
    may = [name for name, pod in pods.items() if pod["metadata"]["labels"].get(f"cgrag.dev/{component}") == "remote"]

    assert may == [{"model": "orchestrator"}.get(component, "retriever")]


def test_every_service_serves_over_tls(tmp_path: Path) -> None:
    """With a certificate of its own, and the orchestrator knows and shows one to those that it calls."""
    pods = pods_of(together(tmp_path, "base", ["tls"]))
    for service in SERVICES:
        tls = {name: value for name, value in environ_of(pods[service]).items() if "/etc/cgrag-tls/" in value}
        settings = load(SETTINGS[service], service, environ=tls, file={})
        [volume] = [each for each in pods[service]["spec"]["volumes"] if each["name"] == "tls"]

        assert (settings.tls_certificate_file, settings.tls_key_file) == (
            Path("/etc/cgrag-tls/tls.crt"),
            Path("/etc/cgrag-tls/tls.key"),
        )
        assert volume["secret"]["secretName"] == f"cgrag-{service}-tls"
    peers = {name for name in environ_of(pods["orchestrator"]) if "_PEER_" in name}

    assert peers == {f"CGRAG_ORCHESTRATOR_PEER_{each}_FILE" for each in ("CA", "CERTIFICATE", "KEY")}


def test_valkey_reads_its_password_and_no_probe_fails_for_it(tmp_path: Path) -> None:
    """The server is started with the file, keeps its other options, and probes show the password."""
    pods = pods_of(together(tmp_path, "base", ["valkey-password"]))
    plain = pods_of(render(KUSTOMIZE / "base"))["valkey"]["spec"]["containers"][0]["args"]
    container = pods["valkey"]["spec"]["containers"][0]

    assert container["args"] == [plain[0], "/etc/cgrag-valkey/valkey.conf", *plain[1:]]
    for probe in ("startupProbe", "readinessProbe"):
        assert "/etc/cgrag-valkey/password" in container[probe]["exec"]["command"][-1]


def container_of(manifests: list[Manifest], name: str) -> Any:
    return pods_of(manifests)[name]["spec"]["containers"][0]


def of_secret(name: str, secret: str, key: str) -> dict[str, object]:
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


_RETRIEVER, _QDRANT = f"Deployment/retriever {BOX}", "StatefulSet/qdrant"
MUTATIONS: list[tuple[str, Any, str]] = [
    (
        f"Deployment/orchestrator {BOX} env +",
        of_secret("ANTHROPIC_API_KEY", "cgrag-model", "api-key"),
        "ANTHROPIC_API_KEY is a secret",
    ),
    (f"{_RETRIEVER} env +", {"name": "CGRAG_QDRANT_API_KEY", "value": "abc"}, "CGRAG_QDRANT_API_KEY is a secret"),
    (
        f"{_RETRIEVER} env +",
        {"name": "CGRAG_RETRIEVER_TASK_STORE_URL", "value": "redis://cgrag:hunter22@valkey:6379/0"},
        "TASK_STORE_URL is a secret",
    ),
    (
        "ConfigMap data cgrag.toml",
        lambda text: text + '\n[client]\ntoken = "cgt_' + "a" * 43 + '"\n',
        "ConfigMap/cgrag-settings-.*: holds a secret",
    ),
    (f"Deployment/indexer {BOX} envFrom", [{"secretRef": {"name": "cgrag-qdrant"}}], "a whole Secret"),
    (f"{_RETRIEVER} volumeMounts qdrant readOnly", GONE, "/etc/cgrag-qdrant is not a folder that is read only"),
    (f"{_RETRIEVER} volumeMounts qdrant subPath", "api-key", "/etc/cgrag-qdrant is not a folder that is read only"),
    (
        f"{_QDRANT} {POD} initContainers",
        [{"name": "own", "image": "x", "command": ["chown"]}],
        "StatefulSet/qdrant: root file system is writable",
    ),
    (f"{_QDRANT} {POD} automountServiceAccountToken", GONE, "StatefulSet/qdrant: gets a token"),
    (f"{_QDRANT} {POD} securityContext runAsNonRoot", GONE, "StatefulSet/qdrant: may run as root"),
    (f"{_QDRANT} {BOX} resources limits", GONE, "StatefulSet/qdrant: no limits"),
    (f"{_QDRANT} {BOX} readinessProbe", GONE, "StatefulSet/qdrant: no readinessProbe"),
    (f"{_QDRANT} spec replicas", 2, "2 nodes stop when one fails"),
    (f"Deployment/indexer {BOX} env CGRAG_INDEXER_QDRANT_REPLICAS", GONE, "on 1 of 3 nodes"),
    (f"{_QDRANT} spec replicas", 1, "on 2 of 1 nodes"),
    (f"{_QDRANT} {POD} topologySpreadConstraints", GONE, "StatefulSet/qdrant: no topology spread"),
    ("PodDisruptionBudget/qdrant", GONE, "StatefulSet/qdrant: no PodDisruptionBudget"),
    ("Service/qdrant-peers spec publishNotReadyAddresses", GONE, "publishNotReadyAddresses"),
    ("PodDisruptionBudget/retriever", GONE, "Deployment/retriever: no PodDisruptionBudget"),
]


@pytest.fixture(scope="module")
def production() -> list[Manifest]:
    return render(KUSTOMIZE / "overlays" / "production")


@pytest.mark.parametrize(("place", "value", "problem"), MUTATIONS)
def test_each_mutation_breaks_one_rule(production: list[Manifest], place: str, value: Any, problem: str) -> None:
    """Of production, which breaks none; what is told names it."""
    told = policy_problems(changed(production, place, value))

    assert any(re.search(problem, each) for each in told), told


def test_vectors_outlive_a_node_in_production_and_stay_small_on_one(production: list[Manifest]) -> None:
    """Three nodes of which two keep each shard; one that keeps all where there is one machine."""
    single = render(KUSTOMIZE / "overlays" / "single-node")
    found = []
    for manifests in (production, single):
        environ = environ_of(pods_of(manifests)["indexer"])
        shards, copies = (environ[f"CGRAG_INDEXER_QDRANT_{each}"] for each in ("SHARDS", "REPLICAS"))
        [nodes] = (each for each in of_kind(manifests, "StatefulSet") if each["metadata"]["name"] == "qdrant")
        found.append((nodes["spec"]["replicas"], shards, copies))

    assert found == [(3, "3", "2"), (1, "1", "1")]


def test_only_those_who_have_vectors_reach_them(production: list[Manifest]) -> None:
    """Both ends of each way are open, and no other; nodes reach each other."""
    policies = {each["metadata"]["name"]: each["spec"] for each in of_kind(production, "NetworkPolicy")}
    ports = {each["name"]: each["containerPort"] for each in container_of(production, "qdrant")["ports"]}
    from_services, from_peers = policies["qdrant"]["ingress"]
    names = [each["podSelector"]["matchLabels"]["app.kubernetes.io/name"] for each in from_services["from"]]
    environ = environ_of(pods_of(production)["retriever"])
    service = next(each for each in of_kind(production, "Service") if each["metadata"]["name"] == "qdrant")

    assert names == policies["to-qdrant"]["podSelector"]["matchExpressions"][0]["values"] == ["indexer", "retriever"]
    assert from_services["ports"] == policies["to-qdrant"]["egress"][0]["ports"] == [{"port": "grpc"}]
    assert from_peers["ports"] == policies["qdrant"]["egress"][0]["ports"]
    assert environ["CGRAG_QDRANT_HOST"] == service["metadata"]["name"]
    assert ports["grpc"] == EmbeddingSettings().qdrant_grpc_port


def test_compose_and_kubernetes_have_one_qdrant(production: list[Manifest]) -> None:
    """What is tried on one machine is what runs on three."""
    composed = yaml.safe_load((KUSTOMIZE.parent / "compose" / "compose.yaml").read_text(encoding="utf-8"))

    assert composed["services"]["qdrant"]["image"] == container_of(production, "qdrant")["image"]


def test_compose_takes_the_models_key_from_a_file_too() -> None:
    """With the second file the variable is empty, and names what the secret is mounted as."""
    compose = KUSTOMIZE.parent / "compose"
    base, more = (
        yaml.safe_load((compose / f"{name}.yaml").read_text(encoding="utf-8")) for name in ("compose", "secrets")
    )
    orchestrator = more["services"]["orchestrator"]
    environment = {**base["services"]["orchestrator"]["environment"], **orchestrator["environment"]}

    assert [f"/run/secrets/{each}" for each in orchestrator["secrets"]] == [environment["ANTHROPIC_API_KEY_FILE"]]
    assert environment["ANTHROPIC_API_KEY"] == ""
    assert more["secrets"].keys() == set(orchestrator["secrets"])
