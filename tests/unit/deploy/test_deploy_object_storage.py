"""The component that puts snapshots into a bucket: whose the volume is, what the cache may take, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.policy import Manifest, policy_problems, render
from tests.unit.deploy.test_deploy_components import environ_of, pods_of, together
from tests.unit.deploy.test_deploy_overlays import KUSTOMIZE, of_kind

URL = "CGRAG_OBJECT_STORE_URL"
GIB = 1024


def volumes_of(pod: Any) -> dict[str, Any]:
    """Return the volumes of a pod by where they are mounted."""
    named = {each["name"]: each for each in pod["spec"]["volumes"]}
    return {each["mountPath"]: named[each["name"]] for each in pod["spec"]["containers"][0]["volumeMounts"]}


@pytest.mark.parametrize("base", ["base", "overlays/production", "overlays/single-node", "overlays/dev"])
def test_no_volume_is_shared(tmp_path: Path, base: str) -> None:
    """The indexer's is written from one node, and retrievers have none but of their pods."""
    manifests = together(tmp_path, base, ["object-storage"])
    claims = {each["metadata"]["name"]: each for each in of_kind(manifests, "PersistentVolumeClaim")}
    pods = pods_of(manifests)

    assert claims["cgrag-snapshots"]["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert volumes_of(pods["indexer"])["/data"]["persistentVolumeClaim"]["claimName"] == "cgrag-snapshots"
    assert not [each for each in pods["retriever"]["spec"]["volumes"] if "persistentVolumeClaim" in each]
    assert policy_problems(manifests) == []


def test_the_cache_fits_into_its_volume(tmp_path: Path) -> None:
    """With room for the decision log: a pod that outgrows its volume is ended."""
    pod = pods_of(together(tmp_path, "base", ["object-storage"]))["retriever"]
    volume = volumes_of(pod)[environ_of(pod)["CGRAG_RETRIEVER_STATE_DIR"]]
    limit = int(volume["emptyDir"]["sizeLimit"].removesuffix("Gi"))

    assert int(environ_of(pod)["CGRAG_RETRIEVER_SNAPSHOT_CACHE_MB"]) <= (limit - 2) * GIB


def test_both_ends_are_told_of_the_same_bucket(tmp_path: Path) -> None:
    """Out of one ConfigMap."""
    pods = pods_of(together(tmp_path, "base", ["object-storage"]))
    told = [
        [each for each in pods[name]["spec"]["containers"][0]["env"] if "OBJECT_STORE" in each["name"]]
        for name in ("indexer", "retriever")
    ]

    assert told[0] == told[1]
    assert told[0][0]["name"] == URL


def drop_env(manifests: list[Manifest], service: str, variable: str) -> None:
    """Take a variable from a service."""
    container = pods_of(manifests)[service]["spec"]["containers"][0]
    container["env"] = [each for each in container["env"] if each["name"] != variable]


def indexer_untold(manifests: list[Manifest]) -> None:
    drop_env(manifests, "indexer", URL)


def retriever_untold(manifests: list[Manifest]) -> None:
    drop_env(manifests, "retriever", URL)


def nobody_told(manifests: list[Manifest]) -> None:
    indexer_untold(manifests)
    retriever_untold(manifests)


@pytest.mark.parametrize(
    ("mutation", "problem"),
    [
        (indexer_untold, "both be told"),
        (retriever_untold, "both be told"),
        (nobody_told, "sees neither the indexer's volume nor a bucket"),
    ],
)
def test_a_retriever_that_would_see_no_snapshot_is_refused(
    tmp_path: Path, mutation: Callable[[list[Manifest]], None], problem: str
) -> None:
    """It would start, and know no repository."""
    manifests = together(tmp_path, "base", ["object-storage"])
    mutation(manifests)

    [told] = policy_problems(manifests)
    assert problem in told


def test_a_bucket_of_the_settings_file_counts_as_well() -> None:
    """As it does for the services."""
    manifests = render(KUSTOMIZE / "base")
    [settings] = [each for each in of_kind(manifests, "ConfigMap") if "cgrag.toml" in each["data"]]
    text = settings["data"]["cgrag.toml"]
    for service in ("indexer", "retriever"):
        text = text.replace(f"[{service}]", f'[{service}]\nobject_store_url = "s3://bucket/cgrag"')
    settings["data"]["cgrag.toml"] = text
    for each in of_kind(manifests, "Deployment"):
        if each["metadata"]["name"] == "retriever":
            for volume in each["spec"]["template"]["spec"]["volumes"]:
                if volume.pop("persistentVolumeClaim", None):
                    volume["emptyDir"] = {}

    assert policy_problems(manifests) == []
