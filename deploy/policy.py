"""
Checks rendered Kubernetes manifests against the rules of this project; schemas are kubernetes-validate's job.

`python -m deploy.policy FOLDER ...` checks overlays, and ends with 1 if there is a problem.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import yaml

from common.core.secrets.redaction import redact_known
from common.rpc.settings import ServerSettings
from deploy.production import SERVICES as SERVICES
from deploy.production import running_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Manifest = dict[str, Any]

_OPERATOR_GROUPS = ("monitoring.coreos.com/",)
_RESERVE_SECONDS = 5
_SERVING = ("Deployment", "StatefulSet")
_SECRET_NAME = re.compile(r"(KEY|TOKEN|PASSWORD|SECRET)$")
_MAY_LEAVE = (
    {"matchLabels": {"app.kubernetes.io/name": "indexer"}},
    {"matchLabels": {"cgrag.dev/model": "remote"}},
    {"matchLabels": {"cgrag.dev/embeddings": "remote"}},
    {"matchLabels": {"cgrag.dev/object-storage": "remote"}},
    {"matchLabels": {"cgrag.dev/postgres": "remote"}},
)
_GIVEN_UNASKED = {
    "automountServiceAccountToken": "gets a token of the cluster's API, which it has no use for",
    "enableServiceLinks": "gets variables for each Service, which it takes for settings if its name begins like theirs",
}
_QUORUM = 3


def render(folder: Path) -> list[Manifest]:
    """Render a kustomization with the kubectl beside this Python interpreter; raises if it does not build."""
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
    problems = [problem for manifest in manifests for problem in _problems_of(manifest)]
    deployments = {manifest["metadata"]["name"] for manifest in manifests if manifest["kind"] == "Deployment"}
    problems += [f"{name}: no Deployment" for name in SERVICES if name not in deployments]
    problems += [*_scaling_problems(manifests), *_affinity_problems(manifests), *_disruption_problems(manifests)]
    return [
        *problems,
        *_network_problems(manifests),
        *_drain_problems(manifests),
        *_vector_problems(manifests),
        *_snapshot_problems(manifests),
        *running_problems(manifests),
    ]


def _problems_of(manifest: Manifest) -> Iterator[str]:
    rules = (_namespace_problems, _workload_problems, _secret_problems, _state_problems, _schedule_problems)
    yield from (f"{_name(manifest)}: {problem}" for rule in rules for problem in rule(manifest))


def _pod_of(manifest: Manifest) -> Manifest:
    """Return the template of the pods that a manifest makes, empty if it makes none."""
    spec: Manifest = manifest.get("spec", {})
    if manifest["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    pod: Manifest = spec["template"]["spec"] if manifest["kind"] in (*_SERVING, "Job", "CronJob") else {}
    return pod


def _containers_of(pod: Manifest) -> list[Manifest]:
    return [*pod.get("initContainers", ()), *pod.get("containers", ())]


def _workload_problems(manifest: Manifest) -> Iterator[str]:
    pod = _pod_of(manifest)
    if not pod:
        return
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot") or not context.get("runAsUser"):
        yield "may run as root"
    if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "no default seccomp profile"
    if any(pod.get(name) for name in ("hostNetwork", "hostPID", "hostIPC")):
        yield "shares its machine's network or processes"
    if any("hostPath" in volume for volume in pod.get("volumes", ())):
        yield "mounts a folder of its machine"
    yield from (problem for name, problem in _GIVEN_UNASKED.items() if pod.get(name) is not False)
    for container in _containers_of(pod):
        yield from _container_problems(container)
    if manifest["kind"] in _SERVING:
        for container in pod["containers"]:
            yield from _probe_problems(container, manifest["metadata"]["name"])


def _secret_problems(manifest: Manifest) -> Iterator[str]:
    """Require secrets as files: child processes do not inherit them, pod descriptions hide them, and they rotate."""
    pod = _pod_of(manifest)
    secret = {each["name"] for each in pod.get("volumes", ()) if "secret" in each or "projected" in each}
    for container in _containers_of(pod):
        for variable in container.get("env", ()):
            value = str(variable.get("value", ""))
            named = bool(value) and bool(_SECRET_NAME.search(variable["name"]))
            if "secretKeyRef" in variable.get("valueFrom", {}) or named or redact_known(value).classes:
                yield f"{variable['name']} is a secret in the environment; mount a file, and name it in ..._FILE"
        if any("secretRef" in each for each in container.get("envFrom", ())):
            yield "puts a whole Secret into the environment"
        for mount in container.get("volumeMounts", ()):
            if mount["name"] in secret and (not mount.get("readOnly") or "subPath" in mount):
                yield f"{mount['mountPath']} is not a folder that is read only: it would not follow its Secret"
    texts = manifest.get("data", {}).values() if manifest["kind"] == "ConfigMap" else ()
    if any(redact_known(text).classes for text in texts):
        yield "holds a secret"


def _namespace_problems(manifest: Manifest) -> Iterator[str]:
    labels = manifest["metadata"].get("labels", {})
    if manifest["kind"] == "Namespace" and labels.get("pod-security.kubernetes.io/enforce") != "restricted":
        yield "lets pods in that are not restricted"


def _schedule_problems(manifest: Manifest) -> Iterator[str]:
    """Require scheduled jobs to have a deadline and not to overlap."""
    if manifest["kind"] != "CronJob":
        return
    if manifest["spec"].get("concurrencyPolicy") != "Forbid":
        yield "may run beside itself"
    if not manifest["spec"]["jobTemplate"]["spec"].get("activeDeadlineSeconds"):
        yield "may run forever"


def _container_problems(container: Manifest) -> Iterator[str]:
    context = container.get("securityContext", {})
    if not context.get("readOnlyRootFilesystem"):
        yield "root file system is writable"
    if context.get("allowPrivilegeEscalation") is not False:
        yield "may gain privileges"
    capabilities = context.get("capabilities", {})
    if capabilities.get("drop") != ["ALL"] or capabilities.get("add"):
        yield "keeps capabilities"
    # A container's security context overrides its pod's.
    if context.get("runAsNonRoot") is False or context.get("runAsUser") == 0:
        yield "may run as root"
    if context.get("seccompProfile", {}).get("type", "RuntimeDefault") != "RuntimeDefault":
        yield "no default seccomp profile"
    if context.get("privileged"):
        yield "is privileged"
    if any("hostPort" in port for port in container.get("ports", ())):
        yield "takes a port of its machine"
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
    """Require sessions to outlive a pod, and retriever replicas to keep SQLite off the shared volume of snapshots."""
    service = (manifest["kind"], manifest["metadata"]["name"])
    if service == ("Deployment", "orchestrator") and not _names(manifest, "CGRAG_ORCHESTRATOR_SESSION_STORE_URL"):
        yield "no replica can go on with another's sessions"
    if service != ("Deployment", "retriever"):
        return
    pod = _pod_of(manifest)
    mounts = {each["mountPath"]: each["name"] for each in pod["containers"][0]["volumeMounts"]}
    of_the_pod = {each["name"] for each in pod["volumes"] if "emptyDir" in each}
    if mounts.get(_environment(manifest).get("CGRAG_RETRIEVER_STATE_DIR", "")) not in of_the_pod:
        yield "the decision log is not on a volume of the pod's own"
    if not _names(manifest, "CGRAG_RETRIEVER_TASK_STORE_URL"):
        yield "no replica can go on with another's tasks"


def _environment(manifest: Manifest) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in _pod_of(manifest)["containers"][0].get("env", ())}


def _names(manifest: Manifest, variable: str) -> bool:
    """Return whether a secret setting is there, in either form."""
    return bool({variable, f"{variable}_FILE"} & _environment(manifest).keys())


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
            yield "network: only the indexer and what asks a model may leave the cluster, beside what stores outside"
        for rule in (*spec.get("ingress", ()), *spec.get("egress", ())):
            peers = rule.get("from", rule.get("to"))
            if not peers or any(not [each for each in peer.values() if each] for peer in peers):
                yield f"network: a rule for {spec['podSelector']} names no peer, which allows all; name some"


def _scaling_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Forbid a replica count beside an autoscaler: each apply would undo its decision."""
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in manifests if "Autoscaler" in each["kind"]}
    for each in manifests:
        if each["kind"] == "Deployment" and each["metadata"]["name"] in scaled and "replicas" in each["spec"]:
            yield f"{_name(each)}: remove replicas, which its autoscaler sets"


def _disruption_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Require a disruption budget of one pod and a spread over nodes for everything with several pods."""
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in manifests if "Autoscaler" in each["kind"]}
    kept = [each["spec"]["selector"] for each in manifests if each["kind"] == "PodDisruptionBudget"]
    for each in manifests:
        if each["kind"] not in _SERVING:
            continue
        if each["spec"].get("replicas", 1) == 1 and each["metadata"]["name"] not in scaled:
            continue
        if each["spec"]["selector"] not in kept:
            yield f"{_name(each)}: no PodDisruptionBudget"
        spread = _pod_of(each).get("topologySpreadConstraints", ())
        if each["spec"]["selector"] not in [constraint.get("labelSelector") for constraint in spread]:
            yield f"{_name(each)}: no topology spread, so that all pods may run on one node"


def _vector_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Require one Qdrant node, or three with two copies of each shard: two nodes have no majority without either."""
    nodes = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == ("StatefulSet", "qdrant")]
    indexers = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == ("Deployment", "indexer")]
    for each in nodes:
        count = each["spec"].get("replicas", 1)
        settings = _environment(indexers[0]) if indexers else {}
        copies = int(settings.get("CGRAG_INDEXER_QDRANT_REPLICAS", "1"))
        if 1 < count < _QUORUM:
            yield f"{_name(each)}: {count} nodes stop when one fails; run {_QUORUM}, or one"
        if not min(count, 2) <= copies <= count:
            yield f"{_name(each)}: each shard is on {copies} of {count} nodes; set CGRAG_INDEXER_QDRANT_REPLICAS"
        unready = [e["metadata"]["name"] for e in manifests if e.get("spec", {}).get("publishNotReadyAddresses")]
        if each["spec"]["serviceName"] not in unready:
            yield f"{_name(each)}: set publishNotReadyAddresses, by which nodes find each other before they are ready"


def _snapshot_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Yield a problem unless indexer and retrievers share a volume, or name the same bucket."""
    made = {each["metadata"]["name"]: each for each in manifests if each["kind"] == "Deployment"}
    ends = [made[name] for name in ("indexer", "retriever") if name in made]
    tables = [_table(manifests, each["metadata"]["name"]) for each in ends]
    told = [
        "CGRAG_OBJECT_STORE_URL" in _environment(each) or bool(table.get("object_store_url"))
        for each, table in zip(ends, tables, strict=True)
    ]
    volumes = {_data_claim(each) for each in ends}
    if any(told) != all(told):
        yield "snapshots: indexer and retriever must both be told of the bucket (object_store_url)"
    if not any(told) and (len(volumes) > 1 or "" in volumes):
        yield "snapshots: the retriever sees neither the indexer's volume nor a bucket (object_store_url)"


def _table(manifests: Sequence[Manifest], service: str) -> Manifest:
    """Return a service's table in the settings files."""
    texts = [text for each in manifests if each["kind"] == "ConfigMap" for text in each["data"].values()]
    tables = [tomllib.loads(text).get(service) for text in texts]
    return next((table for table in tables if table), {})


def _data_claim(manifest: Manifest) -> str:
    """Return the volume claim mounted as the data folder, "" for none."""
    pod = _pod_of(manifest)
    mounts = {each["mountPath"]: each["name"] for each in pod["containers"][0].get("volumeMounts", ())}
    named: Manifest = next((each for each in pod.get("volumes", ()) if each["name"] == mounts.get("/data")), {})
    claim: str = named.get("persistentVolumeClaim", {}).get("claimName", "")
    return claim


def _affinity_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Require session affinity unless answers are in a database: else they are only in the pod that made them."""
    made = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == ("Deployment", "orchestrator")]
    if any(_names(each, "CGRAG_ORCHESTRATOR_ANSWER_STORE_URL") for each in made):
        return
    for each in manifests:
        if (each["kind"], each["metadata"]["name"]) != ("Service", "orchestrator"):
            continue
        if each["spec"].get("sessionAffinity") != "ClientIP" or each["spec"].get("clusterIP") == "None":
            yield f"{_name(each)}: no session affinity, so that a caller's next call may miss the pod of its answers"


def _drain_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    default = ServerSettings()
    for manifest in manifests:
        if manifest["kind"] != "Deployment":
            continue
        name = manifest["metadata"]["name"]
        table = _table(manifests, name)
        pause = table.get("drain_delay_seconds", default.drain_delay_seconds)
        needed = pause + table.get("grace_seconds", default.grace_seconds) + _RESERVE_SECONDS
        if manifest["spec"]["template"]["spec"].get("terminationGracePeriodSeconds", 30) < needed:
            yield f"{_name(manifest)}: is killed before it has drained, which takes up to {needed:g} s"


def _name(manifest: Manifest) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


def main(folders: Sequence[str]) -> int:
    """Print the problems of kustomizations; returns the exit code: 1 if there are any, 2 if one cannot be checked."""
    if not folders:
        print("name the folders to check: python -m deploy.policy FOLDER ...", file=sys.stderr)
        return 2
    code = 0
    for folder in folders:
        try:
            manifests = render(Path(folder))
        except subprocess.CalledProcessError as error:
            print(f"{folder}: {error.stderr.strip()}", file=sys.stderr)
            return 2
        problems = [*schema_problems(manifests), *policy_problems(manifests)]
        print("\n".join(f"{folder}: {each}" for each in problems) or f"{folder}: {len(manifests)} manifests are fine")
        code = 1 if problems else code
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
