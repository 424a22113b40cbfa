"""Rules for manifests on operation: images, ports, node drains, and monitoring."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Manifest = dict[str, Any]

SERVICES = ("indexer", "classifier", "retriever", "orchestrator")
_SCALED = ("classifier", "retriever", "orchestrator")
_LABEL = "cgrag.dev/stage"
_EXPOSED = ("NodePort", "LoadBalancer")
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
_HEALTH_ABOVE_PORT = 1000
"""Default offset of the health port from the port of the service."""


def running_problems(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Name every rule that is broken; those for production hold where the namespace is of that stage."""
    for each in manifests:
        name = f"{each['kind']}/{each['metadata']['name']}"
        for rule in (_image, _probes, _service, _budget):
            yield from (f"{name}: {problem}" for problem in rule(each))
    yield from _destinations(manifests)
    if any(_stage(each) == "production" for each in manifests):
        yield from _production(manifests)


def _stage(manifest: Manifest) -> str:
    labels = manifest["metadata"].get("labels", {})
    return str(labels.get(_LABEL, "")) if manifest["kind"] == "Namespace" else ""


def _containers(manifest: Manifest) -> list[Manifest]:
    spec = manifest.get("spec", {})
    if manifest["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    pod = spec.get("template", {}).get("spec", {}) if isinstance(spec.get("template"), dict) else {}
    return [*pod.get("initContainers", ()), *pod.get("containers", ())]


def _image(manifest: Manifest) -> Iterator[str]:
    """Require a version of each image, which the next pull could change otherwise; ours get theirs in overlays."""
    for container in _containers(manifest):
        image = str(container.get("image", ""))
        tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
        if tag == "latest" or (not tag and "@" not in image and not image.startswith("cgrag-")):
            yield f"{image} has no version; add a tag or a digest"


def _probes(manifest: Manifest) -> Iterator[str]:
    """Require probes of ports that a container listens on: others would restart a healthy pod."""
    if manifest["metadata"]["name"] not in SERVICES:
        return
    for container in _containers(manifest):
        ports = {each.get("name"): each["containerPort"] for each in container.get("ports", ())}
        environment = {each["name"]: each.get("value", "") for each in container.get("env", ())}
        told = environment.get(f"CGRAG_{manifest['metadata']['name'].upper()}_HEALTH_PORT")
        listens = int(told) if told else ports.get("grpc", 0) + _HEALTH_ABOVE_PORT
        if ports.get("health") != listens:
            yield f"its port named health is {ports.get('health')}, and the health server listens on {listens}"
        for probe in _PROBES:
            asked = container.get(probe, {}).get("grpc", {}).get("port")
            if asked is not None and asked != ports.get("health"):
                yield f"the {probe} asks port {asked}, and the health server has {ports.get('health')}"


def _service(manifest: Manifest) -> Iterator[str]:
    if manifest["kind"] == "Service" and manifest["spec"].get("type") in _EXPOSED:
        yield f"is reached from outside of the cluster ({manifest['spec']['type']}); put a gateway in front"


def _budget(manifest: Manifest) -> Iterator[str]:
    if manifest["kind"] != "PodDisruptionBudget":
        return
    spec = manifest["spec"]
    if str(spec.get("maxUnavailable", "")) in ("0", "0%") or spec.get("minAvailable") == "100%":
        yield "no machine can be emptied as long as a pod is on it (maxUnavailable 0, or minAvailable 100%)"


def _destinations(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Name ports of Services that no pod behind them has."""
    pods = [each["spec"]["template"] for each in manifests if each["kind"] in ("Deployment", "StatefulSet")]
    for service in manifests:
        wanted = service["spec"].get("selector") if service["kind"] == "Service" else None
        if not wanted:
            continue
        behind = [each["spec"] for each in pods if wanted.items() <= each["metadata"].get("labels", {}).items()]
        ports = [port for spec in behind for each in spec["containers"] for port in each.get("ports", ())]
        open_at = {port.get(key) for port in ports for key in ("name", "containerPort")}
        for port in service["spec"]["ports"]:
            if port.get("targetPort", port["port"]) not in open_at:
                yield f"Service/{service['metadata']['name']}: port {port['port']} is no port of its pods"


def _production(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Yield problems of the production overlay: missing autoscalers and alerts, reflection that is on."""
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in manifests if "Autoscaler" in each["kind"]}
    yield from (f"production: no autoscaler for the {name}" for name in _SCALED if name not in scaled)
    monitors = [each["spec"] for each in manifests if each["kind"] == "ServiceMonitor"]
    for name in SERVICES:
        if not any(_scrapes(monitor, service) for monitor in monitors for service in _services(manifests, name)):
            yield f"production: no metrics are scraped of the {name} (ServiceMonitor)"
    if not any(
        group["rules"] for each in manifests if each["kind"] == "PrometheusRule" for group in each["spec"]["groups"]
    ):
        yield "production: nothing raises alerts (PrometheusRule)"
    texts = [text for each in manifests if each["kind"] == "ConfigMap" for text in each.get("data", {}).values()]
    tables: dict[str, Manifest] = {}
    for text in texts:
        tables |= {name: table for name, table in tomllib.loads(text).items() if isinstance(table, dict)}
    for name in SERVICES:
        if tables.get(name, {}).get("reflection", True):
            yield f"production: the {name} serves reflection; switch it off"


def _services(manifests: Sequence[Manifest], name: str) -> list[Manifest]:
    return [each for each in manifests if (each["kind"], each["metadata"]["name"]) == ("Service", name)]


def _scrapes(monitor: Manifest, service: Manifest) -> bool:
    """Return whether a monitor selects a Service, and a port that it has."""
    labels = service["metadata"].get("labels", {})
    ports = {each.get("name") for each in service["spec"]["ports"]}
    selects: Manifest = monitor["selector"].get("matchLabels", {})
    return selects.items() <= labels.items() and any(each.get("port") in ports for each in monitor["endpoints"])
