"""Indexing by the clock: a Job runs what the command line takes, once at a time, and says what became of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client.cli import main
from cgrag_client.cli.exits import Exit
from cgrag_client.connecting.settings import load_settings
from deploy.policy import Manifest, policy_problems, render, schema_problems
from tests.fakes.suite_server import Script, SuiteServer
from tests.unit.deploy.changed import GONE, changed
from tests.unit.deploy.test_deploy_overlays import KUSTOMIZE, of_kind

LIST = '[flask]\nsource = "https://github.com/pallets/flask"\n'
DONE = indexer_pb2.IndexJob(job_id="j1", repository="flask", state=indexer_pb2.INDEX_JOB_STATE_SUCCEEDED)


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """An overlay of somebody's over production, with a list."""
    folder = tmp_path_factory.mktemp("overlay")
    (folder / "repositories.toml").write_text(LIST, encoding="utf-8")
    below = [
        os.path.relpath(KUSTOMIZE / path, folder) for path in ("overlays/production", "components/scheduled-indexing")
    ]
    overlay = {
        "namespace": "cgrag",
        "resources": below[:1],
        "components": below[1:],
        "configMapGenerator": [{"name": "cgrag-repositories", "files": ["repositories.toml"]}],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(overlay), encoding="utf-8")
    return render(folder)


@pytest.fixture
def indexer(monkeypatch: pytest.MonkeyPatch) -> Iterator[SuiteServer]:
    """An indexer that the command line finds."""
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    with SuiteServer(Script(states=[DONE])) as server:
        monkeypatch.setenv("CGRAG_CLIENT_INDEXER", server.address)
        yield server


def job_of(manifests: list[Manifest]) -> Any:
    [scheduled] = of_kind(manifests, "CronJob")
    return scheduled["spec"]["jobTemplate"]["spec"]


def pod_of(manifests: list[Manifest]) -> Any:
    return job_of(manifests)["template"]["spec"]


def test_it_is_valid_and_keeps_the_rules(manifests: list[Manifest]) -> None:
    """Beside everything that production has."""
    assert schema_problems(manifests) + policy_problems(manifests) == []


def test_the_job_runs_what_the_command_line_takes(
    manifests: list[Manifest], indexer: SuiteServer, tmp_path: Path
) -> None:
    """The list is the mounted one, and the name of the Job is the id by which its pods find the same jobs."""
    container = pod_of(manifests)["containers"][0]
    [mounted] = [each for each in container["volumeMounts"] if each["name"] == "repositories"]
    (tmp_path / "repositories.toml").write_text(LIST, encoding="utf-8")
    arguments = [
        each.replace(mounted["mountPath"], str(tmp_path)).replace("$(JOB)", "a-job") for each in container["args"]
    ]
    codes = [main(arguments), main(arguments), main([each.replace("a-job", "another") for each in arguments])]
    ids = [each.request_id for each in indexer.asked_for(indexer_pb2.StartIndexingRequest)]

    assert container["command"] == ["python", "-m", "cgrag_client"]
    assert codes == [0, 0, 0]
    assert (ids[0] == ids[1], ids[1] == ids[2]) == (True, False)


def test_its_variables_are_settings_and_name_the_indexer(manifests: list[Manifest]) -> None:
    """The address is that of the indexer's Service and port; the id is the Job's name."""
    variables = {each["name"]: each for each in pod_of(manifests)["containers"][0]["env"]}
    named = {name: each["value"] for name, each in variables.items() if "value" in each and name != "CGRAG_CONFIG"}
    service = next(each for each in of_kind(manifests, "Service") if each["metadata"]["name"] == "indexer")

    assert load_settings(named).indexer == f"dns:///indexer:{service['spec']['ports'][0]['port']}"
    assert variables["JOB"]["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.labels['batch.kubernetes.io/job-name']"


def test_a_changed_list_is_what_the_next_job_reads(manifests: list[Manifest]) -> None:
    """It is found by its hash."""
    [volume] = [each for each in pod_of(manifests)["volumes"] if each["name"] == "repositories"]
    lists = [
        each["metadata"]["name"] for each in of_kind(manifests, "ConfigMap") if "repositories.toml" in each["data"]
    ]

    assert [volume["configMap"]["name"]] == lists
    assert lists[0].startswith("cgrag-repositories-")


def test_only_what_may_go_better_is_tried_again(manifests: list[Manifest]) -> None:
    """A repository that failed, and a list with mistakes, end the Job; an indexer that is away does not."""
    codes, evicted = job_of(manifests)["podFailurePolicy"]["rules"]

    assert (codes["action"], codes["onExitCodes"]["values"]) == ("FailJob", [Exit.FAILED, Exit.USAGE])
    assert evicted["action"] == "Ignore"
    assert job_of(manifests)["backoffLimit"] > 0


def test_it_reaches_the_indexer_and_nothing_else(manifests: list[Manifest]) -> None:
    """Both ends of the way are open."""
    policies = {each["metadata"]["name"]: each["spec"] for each in of_kind(manifests, "NetworkPolicy")}
    labels = job_of(manifests)["template"]["metadata"]["labels"]
    own, back = policies["scheduled-indexing"], policies["from-scheduled-indexing"]

    assert own["podSelector"]["matchLabels"] == labels
    assert own["egress"] == [{"to": [{"podSelector": back["podSelector"]}], "ports": [{"port": "grpc"}]}]
    assert back["ingress"] == [{"from": [{"podSelector": own["podSelector"]}], "ports": [{"port": "grpc"}]}]
    assert "ingress" not in own


_JOB = "CronJob spec jobTemplate spec"
_BOX = f"{_JOB} template spec containers 0"
_TOKEN = {"name": "CGRAG_TOKEN", "valueFrom": {"secretKeyRef": {"name": "cgrag-client", "key": "token"}}}


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        ("CronJob spec concurrencyPolicy", "Allow", "may run beside itself"),
        (f"{_JOB} activeDeadlineSeconds", GONE, "may run forever"),
        (f"{_JOB} template spec securityContext runAsNonRoot", False, "may run as root"),
        (f"{_BOX} resources limits", GONE, "no limits for cpu and memory"),
        (f"{_BOX} securityContext capabilities", GONE, "keeps capabilities"),
        (f"{_JOB} template spec automountServiceAccountToken", GONE, "gets a token of the cluster's API"),
        (f"{_BOX} env +", _TOKEN, "CGRAG_TOKEN is a secret in the environment"),
    ],
)
def test_each_mutation_breaks_one_rule(manifests: list[Manifest], place: str, value: object, problem: str) -> None:
    """What is told names it, and nothing else is told."""
    [told] = policy_problems(changed(manifests, place, value))

    assert told.startswith(f"CronJob/scheduled-indexing: {problem}")


def test_a_job_with_a_way_out_breaks_a_rule(manifests: list[Manifest]) -> None:
    """It asks the indexer alone."""
    out = {"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}
    [told] = policy_problems(changed(manifests, "NetworkPolicy/scheduled-indexing spec egress +", out))

    assert told.startswith("network: only the indexer and what asks a model may leave the cluster")
