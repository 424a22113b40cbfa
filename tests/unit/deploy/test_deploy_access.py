"""The component that makes callers show who they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from common.core.settings import load
from deploy.policy import policy_problems, render, schema_problems
from tests.unit.deploy.test_deploy_overlays import KUSTOMIZE, SETTINGS, of_kind

FOLDER = "/etc/cgrag-access"


@pytest.mark.parametrize("overlay", ["base", "overlays/production"])
def test_every_service_gets_both_files(tmp_path: Path, overlay: str) -> None:
    """From one Secret, in a folder that follows its changes, under settings that the services have."""
    folders = [os.path.relpath(KUSTOMIZE / path, tmp_path) for path in (overlay, "components/access")]
    text = yaml.safe_dump({"resources": folders[:1], "components": folders[1:]})
    (tmp_path / "kustomization.yaml").write_text(text, encoding="utf-8")
    manifests = render(tmp_path)
    pods = {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in of_kind(manifests, "Deployment")}

    assert schema_problems(manifests) + policy_problems(manifests) == []
    for service, kind in SETTINGS.items():
        variables = {each["name"]: each["value"] for each in pods[service]["containers"][0]["env"]}
        environ = {name: value for name, value in variables.items() if "ACCESS" in name or "IDENTITY" in name}
        settings = load(kind, service, environ=environ, file={})
        [mount] = [each for each in pods[service]["containers"][0]["volumeMounts"] if each["name"] == "access"]
        [volume] = [each for each in pods[service]["volumes"] if each["name"] == "access"]

        assert (settings.access_file, settings.identity_key_file) == (
            Path(FOLDER) / "access.toml",
            Path(FOLDER) / "identity.key",
        )
        assert (mount["mountPath"], mount["readOnly"], "subPath" in mount) == (FOLDER, True, False)
        assert volume["secret"]["secretName"] == "cgrag-access"
