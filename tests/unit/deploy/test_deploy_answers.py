"""Where answers are, callers are kept at their pod only if those are in it."""

from __future__ import annotations

from pathlib import Path

from deploy.policy import Manifest, policy_problems, render
from tests.unit.deploy.test_deploy_components import pods_of, together
from tests.unit.deploy.test_deploy_overlays import KUSTOMIZE, of_kind


def affinity_of(manifests: list[Manifest]) -> str:
    """Return how the orchestrator's Service chooses a pod."""
    [service] = [each for each in of_kind(manifests, "Service") if each["metadata"]["name"] == "orchestrator"]
    return str(service["spec"].get("sessionAffinity", "None"))


def test_callers_are_free_where_answers_are_in_a_database(tmp_path: Path) -> None:
    """Any pod serves any answer; without the component that would break a rule."""
    manifests = together(tmp_path, "overlays/production", ["postgres"])
    base = render(KUSTOMIZE / "base")
    [service] = [each for each in of_kind(base, "Service") if each["metadata"]["name"] == "orchestrator"]
    kept = affinity_of(base)
    del service["spec"]["sessionAffinity"]

    assert (affinity_of(manifests), kept) == ("None", "ClientIP")
    assert policy_problems(manifests) == []
    assert any("no session affinity" in problem for problem in policy_problems(base))


def test_those_who_keep_something_in_the_database_reach_it(tmp_path: Path) -> None:
    """The orchestrator and the retriever, at its port; nobody else leaves that way."""
    manifests = together(tmp_path, "base", ["postgres"])
    reach = {name for name, pod in pods_of(manifests).items() if "cgrag.dev/postgres" in pod["metadata"]["labels"]}
    [policy] = [each["spec"] for each in of_kind(manifests, "NetworkPolicy") if each["metadata"]["name"] == "postgres"]

    assert reach == {"orchestrator", "retriever"}
    assert policy["podSelector"] == {"matchLabels": {"cgrag.dev/postgres": "remote"}}
    assert [rule["ports"] for rule in policy["egress"]] == [[{"port": 5432}]]
