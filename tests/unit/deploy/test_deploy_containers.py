"""What a container says for itself wins over its pod in Kubernetes, so the rules look there too."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from deploy.policy import Manifest, policy_problems, render

PRODUCTION = Path(__file__).parents[3] / "deploy" / "kustomize" / "overlays" / "production"
OVERRIDES: dict[str, dict[str, Any]] = {
    "may run as root": {"runAsUser": 0},
    "may run as root, by name": {"runAsNonRoot": False},
    "no default seccomp profile": {"seccompProfile": {"type": "Unconfined"}},
    "is privileged": {"privileged": True},
    "keeps capabilities": {"capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]}},
    "may gain privileges": {"allowPrivilegeEscalation": True},
}


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return render(PRODUCTION)


def containers(manifests: list[Manifest]) -> list[tuple[str, Manifest]]:
    """Return every container of every workload, those that only prepare too."""
    return [
        (f"{each['kind']}/{each['metadata']['name']}", container)
        for each in manifests
        if each["kind"] in ("Deployment", "StatefulSet")
        for kind in ("initContainers", "containers")
        for container in each["spec"]["template"]["spec"].get(kind, ())
    ]


@pytest.mark.parametrize("problem", OVERRIDES)
def test_no_container_may_take_more_than_its_pod(manifests: list[Manifest], problem: str) -> None:
    """Whichever it is, the rule names its workload."""
    assert policy_problems(manifests) == []
    for place, (name, _) in enumerate(containers(manifests)):
        broken = copy.deepcopy(manifests)
        containers(broken)[place][1].setdefault("securityContext", {}).update(OVERRIDES[problem])

        assert policy_problems(broken) == [f"{name}: {problem.partition(',')[0]}"]


def test_no_container_takes_a_port_of_its_machine(manifests: list[Manifest]) -> None:
    """It would be reached around the network policies."""
    broken = copy.deepcopy(manifests)
    name, container = next(each for each in containers(broken) if each[1].get("ports"))
    container["ports"][0]["hostPort"] = 50054

    assert policy_problems(broken) == [f"{name}: takes a port of its machine"]
