"""What replicas of the retriever share is kept where it can be shared, and what they cannot share, apart."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.policy import Manifest, policy_problems, render

DEPLOY = Path(__file__).parents[3] / "deploy"


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return render(DEPLOY / "kustomize" / "base")


def named(manifests: list[Manifest], kind: str, name: str) -> Manifest:
    return next(each for each in manifests if (each["kind"], each["metadata"]["name"]) == (kind, name))


def container_of(manifest: Manifest) -> Manifest:
    container: Manifest = manifest["spec"]["template"]["spec"]["containers"][0]
    return container


def of_app(name: str) -> dict[str, Any]:
    return {"podSelector": {"matchLabels": {"app.kubernetes.io/name": name}}}


@pytest.mark.parametrize("variable", ["CGRAG_RETRIEVER_STATE_DIR", "CGRAG_RETRIEVER_TASK_STORE_URL"])
def test_state_on_the_shared_volume_breaks_a_rule(manifests: list[Manifest], variable: str) -> None:
    """Without either variable, replicas would open one SQLite file over a network file system."""
    broken = copy.deepcopy(manifests)
    container = container_of(named(broken, "Deployment", "retriever"))
    container["env"] = [each for each in container["env"] if each["name"] != variable]

    assert policy_problems(broken) != []


def test_a_decision_log_on_a_claim_breaks_a_rule(manifests: list[Manifest]) -> None:
    """A folder on the claim of snapshots is shared, whatever its name."""
    broken = copy.deepcopy(manifests)
    mounts = container_of(named(broken, "Deployment", "retriever"))["volumeMounts"]
    mounts[:] = [{"name": "data", "mountPath": each["mountPath"]} for each in mounts]

    assert policy_problems(broken) != []


def test_a_store_of_tasks_that_may_run_as_root_breaks_a_rule(manifests: list[Manifest]) -> None:
    """What is not a service of ours is confined like one."""
    broken = copy.deepcopy(manifests)
    container_of(named(broken, "StatefulSet", "valkey"))["securityContext"]["readOnlyRootFilesystem"] = False

    assert policy_problems(broken) != []


def test_a_base_whose_sessions_end_with_a_pod_breaks_the_rules(manifests: list[Manifest]) -> None:
    """Without a shared store, callers of a pod that dies would lose theirs."""
    broken = copy.deepcopy(manifests)
    container = container_of(named(broken, "Deployment", "orchestrator"))
    container["env"] = [each for each in container["env"] if "SESSION_STORE" not in each["name"]]

    assert any("sessions" in problem for problem in policy_problems(broken))


@pytest.mark.parametrize(("service", "kept"), [("retriever", "TASK"), ("orchestrator", "SESSION")])
def test_only_those_who_keep_something_reach_the_shared_store(
    manifests: list[Manifest], service: str, kept: str
) -> None:
    """The address is the Service's, and the port is open from retrievers and orchestrators alone, on both ends."""
    environment = {each["name"]: each["value"] for each in container_of(named(manifests, "Deployment", service))["env"]}
    port = named(manifests, "Service", "valkey")["spec"]["ports"][0]
    to_store = named(manifests, "NetworkPolicy", service)["spec"]["egress"]
    (into_store,) = named(manifests, "NetworkPolicy", "valkey")["spec"]["ingress"]

    assert environment[f"CGRAG_{service.upper()}_{kept}_STORE_URL"] == f"redis://valkey:{port['port']}/0"
    assert to_store[-1] == {"to": [of_app("valkey")], "ports": [{"port": port["targetPort"]}]}
    assert into_store == {
        "from": [of_app("retriever"), of_app("orchestrator")],
        "ports": [{"port": port["targetPort"]}],
    }


def test_the_store_of_tasks_outlives_a_restart_in_both(manifests: list[Manifest]) -> None:
    """Compose and Kubernetes start one image with one command, which logs to a volume and drops what ends first."""
    composed = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))["services"]["valkey"]
    stateful = named(manifests, "StatefulSet", "valkey")
    options = dict(zip(composed["command"][1::2], composed["command"][2::2], strict=True))

    assert container_of(stateful)["image"] == composed["image"]
    assert container_of(stateful)["args"] == composed["command"]
    assert (options["--appendonly"], options["--maxmemory-policy"]) == ("yes", "volatile-ttl")
    assert composed["volumes"] == ["valkey:/data"]
    assert stateful["spec"]["volumeClaimTemplates"][0]["metadata"]["name"] == "data"
