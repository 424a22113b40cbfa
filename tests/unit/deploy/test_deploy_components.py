"""Components: each can be put on base and production, alone and with the others, and secrets reach pods as files."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from common.core.settings import load
from common.model.embedding_settings import EmbeddingSettings
from deploy.policy import SERVICES, Manifest, policy_problems, render, schema_problems
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


def key_from_the_environment(manifests: list[Manifest]) -> None:
    reference = {"secretKeyRef": {"name": "cgrag-model", "key": "api-key"}}
    container_of(manifests, "orchestrator")["env"].append({"name": "ANTHROPIC_API_KEY", "valueFrom": reference})


def key_in_the_manifest(manifests: list[Manifest]) -> None:
    container_of(manifests, "retriever")["env"].append({"name": "CGRAG_QDRANT_API_KEY", "value": "abc"})


def password_in_an_address(manifests: list[Manifest]) -> None:
    variable = {"name": "CGRAG_RETRIEVER_TASK_STORE_URL", "value": "redis://cgrag:hunter22@valkey:6379/0"}
    container_of(manifests, "retriever")["env"].append(variable)


def key_in_the_settings(manifests: list[Manifest]) -> None:
    [settings] = of_kind(manifests, "ConfigMap")
    settings["data"]["cgrag.toml"] += '\n[client]\ntoken = "cgt_' + "a" * 43 + '"\n'


def whole_secret_in_the_environment(manifests: list[Manifest]) -> None:
    container_of(manifests, "indexer")["envFrom"] = [{"secretRef": {"name": "cgrag-qdrant"}}]


def secret_that_may_be_written(manifests: list[Manifest]) -> None:
    mounts = container_of(manifests, "retriever")["volumeMounts"]
    del next(each for each in mounts if each["name"] == "qdrant")["readOnly"]


def secret_that_is_never_renewed(manifests: list[Manifest]) -> None:
    mounts = container_of(manifests, "retriever")["volumeMounts"]
    next(each for each in mounts if each["name"] == "qdrant")["subPath"] = "api-key"


def init_container_as_it_comes(manifests: list[Manifest]) -> None:
    pods_of(manifests)["qdrant"]["spec"]["initContainers"] = [{"name": "own", "image": "x", "command": ["chown"]}]


def token_of_the_cluster(manifests: list[Manifest]) -> None:
    del pods_of(manifests)["qdrant"]["spec"]["automountServiceAccountToken"]


def qdrant_as_root(manifests: list[Manifest]) -> None:
    del pods_of(manifests)["qdrant"]["spec"]["securityContext"]["runAsNonRoot"]


def qdrant_without_limits(manifests: list[Manifest]) -> None:
    del container_of(manifests, "qdrant")["resources"]["limits"]


def qdrant_without_probe(manifests: list[Manifest]) -> None:
    del container_of(manifests, "qdrant")["readinessProbe"]


def stateful(manifests: list[Manifest]) -> Any:
    return next(each for each in of_kind(manifests, "StatefulSet") if each["metadata"]["name"] == "qdrant")


def two_nodes(manifests: list[Manifest]) -> None:
    stateful(manifests)["spec"]["replicas"] = 2


def one_copy(manifests: list[Manifest]) -> None:
    variables = container_of(manifests, "indexer")["env"]
    variables[:] = [each for each in variables if each["name"] != "CGRAG_INDEXER_QDRANT_REPLICAS"]


def more_copies_than_nodes(manifests: list[Manifest]) -> None:
    stateful(manifests)["spec"]["replicas"] = 1


def all_nodes_on_one_machine(manifests: list[Manifest]) -> None:
    del pods_of(manifests)["qdrant"]["spec"]["topologySpreadConstraints"]


def all_nodes_evicted_at_once(manifests: list[Manifest]) -> None:
    manifests[:] = [
        each for each in manifests if (each["kind"], each["metadata"]["name"]) != ("PodDisruptionBudget", "qdrant")
    ]


def peers_that_wait_for_each_other(manifests: list[Manifest]) -> None:
    for each in of_kind(manifests, "Service"):
        each["spec"].pop("publishNotReadyAddresses", None)


def all_retrievers_evicted_at_once(manifests: list[Manifest]) -> None:
    manifests[:] = [
        each for each in manifests if (each["kind"], each["metadata"]["name"]) != ("PodDisruptionBudget", "retriever")
    ]


MUTATIONS: list[tuple[Callable[[list[Manifest]], None], str]] = [
    (key_from_the_environment, "ANTHROPIC_API_KEY is a secret"),
    (key_in_the_manifest, "CGRAG_QDRANT_API_KEY is a secret"),
    (password_in_an_address, "TASK_STORE_URL is a secret"),
    (key_in_the_settings, "ConfigMap/cgrag-settings-.*: holds a secret"),
    (whole_secret_in_the_environment, "a whole Secret"),
    (secret_that_may_be_written, "/etc/cgrag-qdrant is not a folder that is read only"),
    (secret_that_is_never_renewed, "/etc/cgrag-qdrant is not a folder that is read only"),
    (init_container_as_it_comes, "StatefulSet/qdrant: root file system is writable"),
    (token_of_the_cluster, "StatefulSet/qdrant: gets a token"),
    (qdrant_as_root, "StatefulSet/qdrant: may run as root"),
    (qdrant_without_limits, "StatefulSet/qdrant: no limits"),
    (qdrant_without_probe, "StatefulSet/qdrant: no readinessProbe"),
    (two_nodes, "2 nodes stop when one fails"),
    (one_copy, "on 1 of 3 nodes"),
    (more_copies_than_nodes, "on 2 of 1 nodes"),
    (all_nodes_on_one_machine, "StatefulSet/qdrant: no topology spread"),
    (all_nodes_evicted_at_once, "StatefulSet/qdrant: no PodDisruptionBudget"),
    (peers_that_wait_for_each_other, "publishNotReadyAddresses"),
    (all_retrievers_evicted_at_once, "Deployment/retriever: no PodDisruptionBudget"),
]


@pytest.fixture(scope="module")
def production() -> list[Manifest]:
    return render(KUSTOMIZE / "overlays" / "production")


@pytest.mark.parametrize(("mutation", "problem"), MUTATIONS, ids=lambda each: getattr(each, "__name__", ""))
def test_each_mutation_breaks_one_rule(
    production: list[Manifest], mutation: Callable[[list[Manifest]], None], problem: str
) -> None:
    """Of production, which breaks none; what is told names it."""
    broken = copy.deepcopy(production)
    mutation(broken)

    told = policy_problems(broken)
    assert any(re.search(problem, each) for each in told), told


def test_vectors_outlive_a_node_in_production_and_stay_small_on_one(production: list[Manifest]) -> None:
    """Three nodes of which two keep each shard; one that keeps all where there is one machine."""
    single = render(KUSTOMIZE / "overlays" / "single-node")
    found = []
    for manifests in (production, single):
        environ = environ_of(pods_of(manifests)["indexer"])
        shards, copies = (environ[f"CGRAG_INDEXER_QDRANT_{each}"] for each in ("SHARDS", "REPLICAS"))
        found.append((stateful(manifests)["spec"]["replicas"], shards, copies))

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
