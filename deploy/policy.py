"""Checks rendered Kubernetes manifests against the rules of this project; schemas are kubernetes-validate's job."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import yaml

from common.rpc.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Manifest = dict[str, Any]

_OPERATOR_GROUPS = ("monitoring.coreos.com/",)
_RESERVE_SECONDS = 5
SERVICES = ("indexer", "classifier", "retriever", "orchestrator")
_MAY_LEAVE = (
    {"matchLabels": {"app.kubernetes.io/name": "indexer"}},
    {"matchLabels": {"cgrag.dev/model": "remote"}},
)


def render(folder: Path) -> list[Manifest]:
    """Render a kustomization with the kubectl that stands beside this Python; raises if it does not build."""
    kubectl = Path(sys.executable).parent / "kubectl"
    done = subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True, text=True)
    return [manifest for manifest in yaml.safe_load_all(done.stdout) if manifest]


def schema_problems(manifests: Sequence[Manifest]) -> list[str]:
    """Validate each manifest against the schemas of Kubernetes 1.37, unknown fields refused; operators' kinds aside."""
    problems = []
    for manifest in manifests:
        if manifest["apiVersion"].startswith(_OPERATOR_GROUPS):
            continue
        try:
            kubernetes_validate.validate(manifest, "1.37", strict=True)
        except kubernetes_validate.ValidationError as error:
            problems.append(f"{_name(manifest)}: {error.message}")
    return problems


def policy_problems(manifests: Sequence[Manifest]) -> list[str]:
    """Name every rule that is broken; empty when all hold."""
    problems = [problem for manifest in manifests for problem in _workload_problems(manifest)]
    problems += [problem for manifest in manifests for problem in _state_problems(manifest)]
    deployments = {manifest["metadata"]["name"] for manifest in manifests if manifest["kind"] == "Deployment"}
    problems += [f"{name}: no Deployment" for name in SERVICES if name not in deployments]
    problems += [*_scaling_problems(manifests), *_affinity_problems(manifests)]
    return [*problems, *_network_problems(manifests), *_drain_problems(manifests)]


def _workload_problems(manifest: Manifest) -> Iterator[str]:
    if manifest["kind"] not in ("Deployment", "StatefulSet"):
        return
    pod = manifest["spec"]["template"]["spec"]
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot") or not context.get("runAsUser"):
        yield f"{_name(manifest)}: may run as root"
    if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield f"{_name(manifest)}: no default seccomp profile"
    for container in pod["containers"]:
        problems = [*_container_problems(container), *_probe_problems(container, manifest["metadata"]["name"])]
        yield from (f"{_name(manifest)}: {problem}" for problem in problems)


def _container_problems(container: Manifest) -> Iterator[str]:
    context = container.get("securityContext", {})
    if not context.get("readOnlyRootFilesystem"):
        yield "root file system is writable"
    if context.get("allowPrivilegeEscalation") is not False:
        yield "may gain privileges"
    if context.get("capabilities", {}).get("drop") != ["ALL"]:
        yield "keeps capabilities"
    resources = container.get("resources", {})
    for kind in ("requests", "limits"):
        if not {"cpu", "memory"} <= resources.get(kind, {}).keys():
            yield f"no {kind} for cpu and memory"


def _probe_problems(container: Manifest, name: str) -> Iterator[str]:
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if probe not in container:
            yield f"no {probe}"
        elif name in SERVICES and "grpc" not in container[probe]:
            yield f"no gRPC {probe}"
    if "service" in container.get("livenessProbe", {}).get("grpc", {}):
        yield "the liveness probe must ask for the process, not for readiness"


def _state_problems(manifest: Manifest) -> Iterator[str]:
    """Sessions outlive a pod; replicas of the retriever share the volume of snapshots, where SQLite does not work."""
    if (manifest["kind"], manifest["metadata"]["name"]) == ("Deployment", "orchestrator"):
        given = {each["name"] for each in manifest["spec"]["template"]["spec"]["containers"][0]["env"]}
        if "CGRAG_ORCHESTRATOR_SESSION_STORE_URL" not in given:
            yield f"{_name(manifest)}: no replica can go on with another's sessions"
    if (manifest["kind"], manifest["metadata"]["name"]) != ("Deployment", "retriever"):
        return
    pod = manifest["spec"]["template"]["spec"]
    container = pod["containers"][0]
    environment = {each["name"]: each["value"] for each in container["env"]}
    mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    of_the_pod = {each["name"] for each in pod["volumes"] if "emptyDir" in each}
    if mounts.get(environment.get("CGRAG_RETRIEVER_STATE_DIR", "")) not in of_the_pod:
        yield f"{_name(manifest)}: the decision log is not on a volume of the pod's own"
    if "CGRAG_RETRIEVER_TASK_STORE_URL" not in environment:
        yield f"{_name(manifest)}: no replica can go on with another's tasks"


def _network_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    policies = [manifest["spec"] for manifest in manifests if manifest["kind"] == "NetworkPolicy"]
    denies = any(
        spec["podSelector"] == {} and set(spec.get("policyTypes", ())) == {"Ingress", "Egress"} and len(spec) == 2
        for spec in policies
    )
    if not denies:
        yield "network: nothing denies by default"
    for spec in policies:
        outside = [rule for rule in spec.get("egress", ()) for peer in rule.get("to", ()) if "ipBlock" in peer]
        if outside and spec["podSelector"] not in _MAY_LEAVE:
            yield "network: only the indexer and what asks a model may leave the cluster"


def _scaling_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Where an autoscaler counts replicas, a manifest must not: each apply would undo what it did."""
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in manifests if "Autoscaler" in each["kind"]}
    for each in manifests:
        if each["kind"] == "Deployment" and each["metadata"]["name"] in scaled and "replicas" in each["spec"]:
            yield f"{_name(each)}: its autoscaler says how many there are"


def _affinity_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Answers are in the pod that made them."""
    for each in manifests:
        if (each["kind"], each["metadata"]["name"]) != ("Service", "orchestrator"):
            continue
        if each["spec"].get("sessionAffinity") != "ClientIP" or each["spec"].get("clusterIP") == "None":
            yield f"{_name(each)}: a caller would lose its session from call to call"


def _drain_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    texts = [text for each in manifests if each["kind"] == "ConfigMap" for text in each["data"].values()]
    settings = [tomllib.loads(text) for text in texts]
    default = ServerSettings()
    for manifest in manifests:
        if manifest["kind"] != "Deployment":
            continue
        name = manifest["metadata"]["name"]
        table: Manifest = next((each[name] for each in settings if name in each), {})
        pause = table.get("drain_delay_seconds", default.drain_delay_seconds)
        needed = pause + table.get("grace_seconds", default.grace_seconds) + _RESERVE_SECONDS
        if manifest["spec"]["template"]["spec"].get("terminationGracePeriodSeconds", 30) < needed:
            yield f"{_name(manifest)}: is killed before it has drained, which takes up to {needed:g} s"


def _name(manifest: Manifest) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"
